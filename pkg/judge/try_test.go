package judge

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

func TestTry(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 0.01}
	for _, l := range []bandit.Learner{
		learner.New(learner.LinUCB{}, mechanism.BLT{Budget: b}), arms.NewDPIMED(1, 2), arms.NewDPUCB(1), arms.NewLocalKLUCB(1), arms.NewLazyThompson(1), arms.NewDPElimination(1),
		learner.Local{Device: learner.LDPDevice{Noise: learner.LDPNoise{Budget: b}}, Server: learner.LDPServer{Noise: learner.LDPNoise{Budget: b}}},
		learner.NewCoreSet(privacy.Budget{Epsilon: 1}), arms.NewUCB1(), learner.NewShuffleVectorSum(learner.VectorSum{Budget: b, Batch: 20}),
	} {
		c, err := Learner(context.Background(), l, Options{Progress: func(s string) { fmt.Fprintln(os.Stderr, s) }})
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Println(c)
	}
}
