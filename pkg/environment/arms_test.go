package environment

import (
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestArms(t *testing.T) {
	means := []float64{0.2, 0.7, 0.7, 0}
	for _, e := range []Arms{{Means: means}, {Means: means, Sigma: 0.5}, {Means: []float64{1}}} {
		bandittest.Environment(t, e, bandittest.EnvironmentOptions{
			Seed: 1, UnboundedRewards: e.Sigma > 0,
		})
	}
	// Draw for draw the semi-bandit on the uniform matroid of rank 1.
	for _, sigma := range []float64{0, 0.5} {
		e := Arms{Means: means, Sigma: sigma}
		semi := SemiBandit{Matroid: e.Matroid(), Means: means, Sigma: sigma}
		if e.Problem() != semi.Problem() || e.Best() != semi.Best()[0] || e.Optimum() != semi.Optimum() {
			t.Errorf("problem %+v, best %d, optimum %v, want those of the semi-bandit", e.Problem(), e.Best(), e.Optimum())
		}
		trial := runtest.Open(t, e).Start(nil)
		other := runtest.Open(t, semi).Start(nil)
		one, two := random.New(1, 0, "rewards"), random.New(1, 0, "rewards")
		var v, w bandit.View
		y, z := make([]float64, 1), make([]float64, 1)
		for round := range 200 {
			arms := []int{round % len(means)}
			trial.Next(&v)
			other.Next(&w)
			trial.Pull(one, arms, y)
			other.Pull(two, arms, z)
			if y[0] != z[0] || v.Round != w.Round || v.Arms != 4 || trial.Regret(arms) != other.Regret(arms) || trial.Regret(arms) != 0.7-means[arms[0]] {
				t.Fatalf("round %d: reward %v, regret %v, want %v and %v", v.Round, y[0], trial.Regret(arms), z[0], 0.7-means[arms[0]])
			}
		}
	}
	for want, e := range map[string]Arms{
		"Arms: field Means is empty":          {},
		"Arms: field Means[1] = 1.5, want in": {Means: []float64{0, 1.5}},
		"Arms: field Means[0] = NaN":          {Means: []float64{math.NaN()}},
		"Arms: field Sigma = -1, want >= 0":   {Means: means, Sigma: -1},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %q", err, want)
		}
	}
}

// Three buttons are tested; one is shown to each visitor, whose click is the reward.
func ExampleArms() {
	env := Arms{Means: []float64{0.1, 0.6, 0.3}}
	world, err := env.Open()
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(nil)
	fmt.Println("best:", env.Best(), "clicks a visitor:", env.Optimum())

	click := make([]float64, 1)
	rewards := random.New(1, 0, "rewards")
	var view bandit.View
	for range 2 {
		trial.Next(&view)
		trial.Pull(rewards, []int{2}, click)
		fmt.Printf("visitor %d: button 2 gets %v, regret %.1f\n", view.Round, click, trial.Regret([]int{2}))
	}
	// Output:
	// best: 1 clicks a visitor: 0.6
	// visitor 1: button 2 gets [0], regret 0.3
	// visitor 2: button 2 gets [0], regret 0.3
}
