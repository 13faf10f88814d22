package learner_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// doubled shows each arm twice, so that all choices are ties.
type doubled struct {
	bandit.Environment
	x    []float64
	arms []int
}

func (e *doubled) Problem() bandit.Problem {
	p := e.Environment.Problem()
	p.Arms *= 2
	return p
}

func (e *doubled) Next(v *bandit.View) {
	e.Environment.Next(v)
	e.x = append(append(e.x[:0], v.X...), v.X...)
	v.X, v.Arms = e.x, 2*v.Arms
}

func (e *doubled) Pull(r *rand.Rand, arms []int, y []float64) {
	e.arms = e.arms[:0]
	for _, a := range arms {
		e.arms = append(e.arms, a%(e.Problem().Arms/2))
	}
	e.Environment.Pull(r, e.arms, y)
}

// choices returns the arms played in two trials, and in how many rounds View.Same was set.
func choices(t *testing.T, env bandit.Environment, l bandit.Learner, rounds int, honour bool) (arms []int, same int) {
	t.Helper()
	y := make([]float64, 1)
	for trial := range 2 {
		env.Reset(random.New(1, trial, "contexts"))
		run := bandittest.Run(t, l, env.Problem(), rounds, random.New(1, trial, "learner"), random.Source(1, trial, "noise"))
		rewards := random.New(1, trial, "rewards")
		var v bandit.View
		for range rounds {
			env.Next(&v)
			if v.Same {
				same++
			}
			v.Same = v.Same && honour
			arms = run.Select(&v, arms)
			played := arms[len(arms)-1:]
			env.Pull(rewards, played, y)
			run.Update(&v, played, y)
		}
	}
	return arms, same
}

// What a learner keeps from round to round, if the contexts stay, changes none of its choices.
func TestSameChangesNoChoice(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 1000
	}
	budget := privacy.Budget{Epsilon: 1, Delta: 0.1}
	none := privacy.Budget{Epsilon: math.Inf(1)}
	k := (environment.UnitFeatures{}).Constant()
	n := learner.OnlineNoise{Budget: budget, Constant: k}
	learners := map[string]func() bandit.Learner{
		"greedy": func() bandit.Learner {
			return learner.New(learner.LinUCB{Alpha: 1, Sigma: 1e-12, ThetaNorm: 1e-12}, nil)
		},
		"ldp":             func() bandit.Learner { return ldp(learner.LDPNoise{Budget: budget, Constant: k}) },
		"ldp/epsilon=inf": func() bandit.Learner { return ldp(learner.LDPNoise{Budget: none}) },
		"onlineucb-ogd":   func() bandit.Learner { return onlineUCB(n, learner.OnlineServer{Online: ogd(0.1), Width: 4}) },
		"onlineucb-maler": func() bandit.Learner { return onlineUCB(n, learner.OnlineServer{Width: 4}) },
		"shuffle-amplified": func() bandit.Learner {
			return learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: budget, Batch: 20})
		},
		"shuffle-vectorsum": func() bandit.Learner {
			return learner.NewShuffleVectorSum(learner.VectorSum{Budget: budget, Batch: 20})
		},
	}
	for name, make := range sums(budget) {
		learners["linucb/"+name] = func() bandit.Learner { return learner.New(learner.LinUCB{}, make) }
	}
	for name, make := range combiners() {
		learners["combiner/"+name] = func() bandit.Learner { return make() }
	}
	for name, make := range learners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for where, env := range map[string]func() bandit.Environment{
				"unit features":        func() bandit.Environment { return environment.UnitFeatures{Fixed: true} },
				"unit features, basis": func() bandit.Environment { return environment.UnitFeatures{Fixed: true, Basis: true, Arms: 30} },
				"decision sets":        func() bandit.Environment { return environment.DecisionSets{Dim: 5, Gap: 0.1, Fixed: true} },
				"decision sets, d = 3": func() bandit.Environment { return environment.DecisionSets{Dim: 3, Arms: 40, Fixed: true} },
				// beyond screen.MaxDim bounds are carried, on every machine
				"decision sets, d = 17": func() bandit.Environment { return environment.DecisionSets{Dim: 17, Arms: 20, Fixed: true} },
				"all arms twice": func() bandit.Environment {
					return &doubled{Environment: environment.UnitFeatures{Fixed: true, Arms: 20}}
				},
			} {
				got, same := choices(t, env(), make(), rounds, true)
				want, _ := choices(t, env(), make(), rounds, false)
				if same != 2*(rounds-1) {
					t.Errorf("%s: View.Same in %d rounds, want all but the first of each trial", where, same)
				}
				for i, a := range got {
					if a != want[i] {
						t.Errorf("%s: trial %d, round %d: arm %d, and %d without View.Same", where, i/rounds, i%rounds+1, a, want[i])
						break
					}
				}
			}
		})
	}
}
