package local_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Shuffle LinUCB by vector sums: what 200 users tell the server between them is the sum of what
// they know, under noise that they make together.
func ExampleVectorSum() {
	n := local.VectorSum{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Batch: 200}
	l := n.Learner()
	l.Server = local.VectorSumServer{Noise: n, Policy: linear.UCB{Width: 0.2}}
	env := environment.UnitFeatures{Arms: 20, Fixed: true}
	ready, err := l.Open(env.Problem(), 20000)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := privacy.ClaimOf(ready)
	fmt.Printf("%v model, epsilon = %.2f at delta = %v\n", c.Model(), c.Epsilon(), c.Asked().Delta)

	// Amplification of the noise of 200 local messages buys less: each still has most of the noise
	// that hides one alone, and so their sum 200 times that variance.
	a, err := local.AmplifiedNoise{Budget: n.Budget, Batch: 200}.Amplification(env.Problem())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("amplification: noise %.2f times the sensitivity, %.2f without\n", a.SD, a.Without)
	// Output:
	// shuffle model, epsilon = 1.00 at delta = 1e-05
	// amplification: noise 2.89 times the sensitivity, 3.73 without
}
