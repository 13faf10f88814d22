// Package matroid holds the experiments of "Differentially private matroid bandits: DPUCB-MAT and
// DPTS-MAT": functions that the notebook and `make reproduce` both call.
package matroid

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Seed is the seed of all committed results.
const Seed = 2014

// Horizon and MovieHorizon are the paper's n on the synthetic instance and on the movies,
// farHorizon that of Figure 5a.
const (
	Horizon      = 10_000
	MovieHorizon = 20_000
	farHorizon   = 1_000_000
)

// Epsilon is the paper's epsilon where it does not vary. Of Figure 5a the paper does not say it.
const Epsilon = 2

// epsilons are those of Figure 2: no privacy to speak of, some, and nothing but noise.
var epsilons = []float64{1e5, 2, 1e-4}

// Matroid is the matroid of Table 2: linear, of rank 3. Its last element is a loop, and its sixth
// is parallel to the first.
var Matroid = cell.Try(matroid.NewLinear([][]int{
	{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0},
}))

// Table2 is the instance of Table 2, with Bernoulli weights.
func Table2() environment.SemiBandit {
	return environment.SemiBandit{Matroid: Matroid, Means: []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70}}
}

// The policies, by their names in the results. The name ends with the epsilon where that varies. As
// published a learner sees all arms in a round 0; "forced" is the sound default, in which it plays
// an arm that it has not seen before it compares.
const (
	ommPublic    = "OMM, not private"
	ctsPublic    = "CTS, not private"
	dpucbPrinted = "DPUCB-MAT"
	dpucbForced  = "DPUCB-MAT, forced"
	dptsPrinted  = "DPTS-MAT"
	dptsForced   = "DPTS-MAT, forced"
)

// private lists the private policies.
var private = []string{dpucbPrinted, dpucbForced, dptsPrinted, dptsForced}

// makers makes each policy on a matroid.
var makers = map[string]func(m matroid.Matroid, epsilon float64) bandit.Learner{
	ommPublic: func(m matroid.Matroid, _ float64) bandit.Learner {
		l := slots.OMM{Matroid: m}.Learner()
		omm := l.Policy.(slots.OMM)
		omm.WarmUp = true
		l.Policy = omm
		return l
	},
	ctsPublic: func(m matroid.Matroid, _ float64) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m, WarmUp: true}, nil)
	},
	dpucbPrinted: func(m matroid.Matroid, epsilon float64) bandit.Learner {
		return slots.OMM{Matroid: m}.AsPublished(epsilon)
	},
	dpucbForced: func(m matroid.Matroid, epsilon float64) bandit.Learner { return slots.OMM{Matroid: m}.Private(epsilon) },
	dptsPrinted: func(m matroid.Matroid, epsilon float64) bandit.Learner {
		return slots.CTS{Matroid: m}.AsPublished(epsilon)
	},
	dptsForced: func(m matroid.Matroid, epsilon float64) bandit.Learner { return slots.CTS{Matroid: m}.Private(epsilon) },
}

// Label returns a policy's name in the results with its start: as published, unless the name says
// that the start is forced.
func Label(name string) string {
	for _, p := range []string{dpucbPrinted, dptsPrinted} {
		if rest, ok := strings.CutPrefix(name, p); ok && !strings.HasPrefix(rest, ", forced") {
			return p + ", as published" + rest
		}
	}
	return name
}

// at names a policy at an epsilon.
func at(policy string, epsilon float64) string { return fmt.Sprintf("%s, ε = %g", policy, epsilon) }

// atAll names policies at several epsilons each.
func atAll(policies []string, epsilons ...float64) (names []string) {
	for _, p := range policies {
		for _, epsilon := range epsilons {
			names = append(names, at(p, epsilon))
		}
	}
	return names
}

// on lists policies on a matroid. Those whose names do not say their epsilon have the paper's.
func on(m matroid.Matroid, names ...string) (list []simulate.Policy) {
	for _, name := range names {
		policy, tail, varies := strings.Cut(name, ", ε = ")
		epsilon := float64(Epsilon)
		if varies {
			cell.Try(fmt.Sscan(tail, &epsilon))
		}
		list = append(list, simulate.Policy{Name: name, Learner: makers[policy](m, epsilon)})
	}
	return list
}

// experiment is an experiment on Table 2.
func experiment(s cell.Scale, name string, horizon int, policies []simulate.Policy) *simulate.Experiment {
	rounds := cell.Pick(s, min(horizon, 2_000), min(horizon, Horizon), horizon)
	return &simulate.Experiment{
		Name: name, Environment: Table2(), Policies: policies, Horizon: horizon, Rounds: rounds,
		Trials: cell.Pick(s, 4, 20, 200), Seed: Seed, Grid: simulate.LogGrid(rounds, 80), Fingerprint: "Table 2, Bernoulli weights",
	}
}

// returns is the experiment of Figures 1, 2 and 4a.
func returns(s cell.Scale) *simulate.Experiment {
	return experiment(s, "mat-returns", Horizon, on(Matroid, append([]string{ommPublic, ctsPublic}, atAll(private, epsilons...)...)...))
}

// rate is the experiment of Figure 5a.
func rate(s cell.Scale) *simulate.Experiment {
	return experiment(s, "mat-rate", farHorizon, on(Matroid, atAll(private, Epsilon)...))
}

// sweep is the experiment of Figure 5b: the regret after n = 10,000 rounds at fifty epsilons,
// evenly spaced between 0.5 and 50, and at two that are known elsewhere.
func sweep(s cell.Scale) *simulate.Experiment {
	epsilons := []float64{0.5, 1, 2, 5, 10, 20, 50}
	if s == cell.Paper {
		epsilons = nil
		for i := range 50 {
			epsilons = append(epsilons, math.Round((0.5+float64(i)*49.5/49)*1e4)/1e4)
		}
		epsilons = append(epsilons, 2, 10)
	}
	e := experiment(s, "mat-sweep", Horizon, on(Matroid, atAll(private, epsilons...)...))
	e.Rounds, e.Grid = Horizon, []int{Horizon}
	return e
}
