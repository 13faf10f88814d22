package slots_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// cascadeUCB1 and cascadeKLUCB are the paper's learners, with noise for a budget.
func cascadeUCB1(m matroid.Matroid, b privacy.Budget) bandit.Learner {
	return learner.New(slots.OMM{Matroid: m, Explore: 1.5, LogT: true}, tally.Cascade{Budget: b})
}

func cascadeKLUCB(m matroid.Matroid, b privacy.Budget) bandit.Learner {
	return learner.New(slots.KLOSM{Matroid: m, LogLog: 3}, tally.Cascade{Budget: b})
}

var exact = privacy.Budget{Epsilon: math.Inf(1)}

// TestCascadeGolden: all 3,000 lists are those of an independent program, testdata/cascade.py, on
// the same items that attract. It prints the last list and a number made of all of them.
func TestCascadeGolden(t *testing.T) {
	attraction := []float64{0.2, 0.05, 0.3, 0.1, 0.25, 0.05, 0.15, 0.1, 0.3, 0.05}
	m := expect.Must(matroid.NewUniform(len(attraction), 3))
	for name, c := range map[string]struct {
		of    bandit.Learner
		last  []int
		total uint64
	}{
		"CascadeUCB1":   {cascadeUCB1(m, exact), []int{2, 4, 9}, 7242563842459329766},
		"CascadeKL-UCB": {cascadeKLUCB(m, exact), []int{2, 4, 8}, 7104694725355093898},
	} {
		p := environment.Cascade{Attraction: attraction, Slots: 3}.Problem()
		run := runtest.Run(t, c.of, p, 3000, nil, random.Source(1, 0, "noise"))
		state, attracts, y, total := uint64(2015), make([]bool, len(attraction)), make([]float64, 3), uint64(0)
		var list []int
		for round := 1; round <= 3000; round++ {
			for e, w := range attraction {
				state = 6364136223846793005*state + 1442695040888963407
				attracts[e] = float64(state>>11)/(1<<53) < w
			}
			v := bandit.View{Round: round, Arms: len(attraction)}
			list = run.Select(&v, list[:0])
			clear(y)
			for i, e := range list {
				total = total*31 + uint64(e) + 1
				if attracts[e] && !slices.Contains(y, 1) {
					y[i] = 1
				}
			}
			run.Update(&v, list, y)
		}
		if !slices.Equal(list, c.last) || total != c.total {
			t.Errorf("%s: the last list is %v and all make %d, want %v and %d", name, list, total, c.last, c.total)
		}
	}
}

// cascades are the learners by name, with noise and without.
func cascades(m matroid.Matroid) map[string]bandit.Learner {
	all := map[string]bandit.Learner{}
	for name, b := range map[string]privacy.Budget{"exact": exact, "Laplace": {Epsilon: 1}, "Gaussian": {Epsilon: 1, Delta: 1e-6}} {
		all["CascadeUCB1, "+name], all["CascadeKL-UCB, "+name] = cascadeUCB1(m, b), cascadeKLUCB(m, b)
	}
	return all
}

func TestCascadeConformance(t *testing.T) {
	env := environment.Cascade{Attraction: []float64{0.2, 0.05, 0.3, 0.1, 0.25}, Slots: 3}
	for name, l := range cascades(env.Matroid()) {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l, env, bandittest.LearnerOptions{Seed: 1, Rounds: 100})
		})
		t.Run(name+"/privacy", func(t *testing.T) {
			if claim := expect.Must(learner.ClaimOf(l, env.Problem(), 500)); !claim.Asked().None() {
				privacytest.Learner(t, privacytest.LearnerCase{Learner: l, Problem: env.Problem()})
			}
		})
	}
}

// TestCascadeReplay: what the policies show depends on releases alone.
func TestCascadeReplay(t *testing.T) {
	env := environment.Cascade{Attraction: []float64{0.2, 0.05, 0.3, 0.1, 0.25}, Slots: 3}
	for _, policy := range []learner.Policy[privacy.Means]{slots.OMM{Matroid: env.Matroid()}, slots.KLOSM{Matroid: env.Matroid()}} {
		privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{
			Policy: policy, Statistic: tally.Cascade{Budget: privacy.Budget{Epsilon: 5}}, Problem: env.Problem(), Rounds: 300,
		})
	}
}

// TestCascadePermuted: items under other names, each with its attraction in each round, are shown
// as before, once all have an estimate of their own. (Of equal indices the lowest arm is first.)
func TestCascadePermuted(t *testing.T) {
	attraction, perm := []float64{0.2, 0.05, 0.3, 0.1, 0.25, 0.15}, []int{3, 5, 0, 4, 1, 2}
	m := expect.Must(matroid.NewUniform(6, 2))
	p := environment.Cascade{Attraction: attraction, Slots: 2}.Problem()
	for name, l := range map[string]bandit.Learner{"UCB1": cascadeUCB1(m, exact), "KL-UCB": cascadeKLUCB(m, exact)} {
		a := runtest.Run(t, l, p, 4000, nil, random.Source(1, 0, "noise"))
		b := runtest.Run(t, l, p, 4000, nil, random.Source(1, 0, "noise"))
		rewards := random.New(3, 0, "rewards")
		for round := 1; round <= 4000; round++ {
			v := bandit.View{Round: round, Arms: 6}
			list, other := a.Select(&v, nil), b.Select(&v, nil)
			if round <= 500 { // both are told what to show
				list = rewards.Perm(6)[:2]
				other = []int{perm[list[0]], perm[list[1]]}
			}
			for i := range list {
				if other[i] != perm[list[i]] {
					t.Fatalf("%s: round %d: the list %v, and %v of the permutation %v", name, round, list, other, perm)
				}
			}
			y := make([]float64, 2)
			for i, e := range list {
				if y[0] == 0 && rewards.Float64() < attraction[e] {
					y[i] = 1
				}
			}
			a.Update(&v, list, y)
			b.Update(&v, other, y)
		}
	}
}
