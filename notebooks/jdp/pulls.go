package jdp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// PullsGap is the gap of the two arms of which Claim 14 is counted, of rewards ±1 as in the paper:
// the means are those of rewards in {0, 1}, half a unit of which is a unit of theirs.
const PullsGap = 0.2

// PullsRounds is n of that count at paper scale.
const PullsRounds = 100_000

// LeastPulls is the bound of Claim 14.
func LeastPulls(rounds int, epsilon float64) float64 {
	return math.Log(float64(rounds)) / (100 * epsilon * PullsGap)
}

// PullsOf lists the learners whose pulls are counted, all of them epsilon-DP.
var PullsOf = []struct {
	Name string
	new  func(epsilon float64) bandit.Learner
}{
	{"DP-SE", func(e float64) bandit.Learner { return arms.DPElimination{}.Private(e) }},
	{"DP-UCB", func(e float64) bandit.Learner { return arms.DPUCB{}.Private(e) }},
	{"DP-IMED", func(e float64) bandit.Learner { return arms.IMED{}.Private(e, 2) }},
}

// PullsEpsilons are their budgets.
var PullsEpsilons = []float64{0.01, 0.1, 1}

// The names of what is measured of a learner: whether the second arm has at least its least pulls,
// and the regret, in units of rewards ±1, over the n^(3/4) that the claim supposes.
func PullsAtLeast(of string, epsilon float64) string {
	return fmt.Sprintf("%s, ε = %g: pulled often enough", of, epsilon)
}

func PullsRegret(of string, epsilon float64) string {
	return fmt.Sprintf("%s, ε = %g: regret over n^(3/4)", of, epsilon)
}

// PullsTimes is how many times its bound the arm is pulled.
func PullsTimes(of string, epsilon float64) string {
	return fmt.Sprintf("%s, ε = %g: pulls over the bound", of, epsilon)
}

func pulls(s cell.Scale) []*lab.Study {
	rounds := cell.Pick(s, 2000, 20_000, PullsRounds)
	study := &lab.Study{Name: "jdp-pulls", Seed: Seed, Trials: cell.Pick(s, 2, 10, 100), Rounds: rounds}
	for _, of := range PullsOf {
		for _, epsilon := range PullsEpsilons {
			name := of.Name
			study.What = append(study.What, PullsAtLeast(name, epsilon), PullsTimes(name, epsilon), PullsRegret(name, epsilon))
		}
	}
	study.Trial = func(trial int) (out []float64) {
		env := environment.Arms{Means: []float64{0.5 + PullsGap/4, 0.5 - PullsGap/4}}
		for _, of := range PullsOf {
			for _, epsilon := range PullsEpsilons {
				n := lab.Pulls(env, of.new(epsilon), rounds, uint64(Seed*1000+trial))[1]
				enough := 0.0
				if n >= LeastPulls(rounds, epsilon) {
					enough = 1
				}
				out = append(out, enough, n/LeastPulls(rounds, epsilon), n*PullsGap/math.Pow(float64(rounds), 0.75))
			}
		}
		return out
	}
	return []*lab.Study{study}
}
