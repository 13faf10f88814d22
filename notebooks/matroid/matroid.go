// Package matroid holds the experiments of "Differentially private matroid bandits: DPUCB-MAT and
// DPTS-MAT": functions that the notebook and `make reproduce` both call.
package matroid

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The experiments of Section 5 and Appendix A.

// Seed is the seed of all committed results.
const Seed = 2014

// Horizon and MovieHorizon are the paper's n on the synthetic instance and on the movies,
// Long that of Figure 5a.
const (
	Horizon      = 10_000
	MovieHorizon = 20_000
	Long         = 1_000_000
)

// Epsilon is the paper's epsilon where it does not vary. Of Figure 5a the paper does not say it.
const Epsilon = 2

// Epsilons are those of Figure 2: no privacy to speak of, some, and nothing but noise.
var Epsilons = []float64{1e5, 2, 1e-4}

// Vectors and Means are Table 2: a linear matroid of rank 3, whose last element is a loop and
// whose sixth is parallel to the first.
var (
	Vectors = [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}}
	Means   = []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70}
)

// Matroid is the matroid of Table 2.
var Matroid = must(matroid.NewLinear(Vectors))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Table2 is the instance of Table 2, with Bernoulli weights.
func Table2() *environment.SemiBandit {
	return &environment.SemiBandit{Matroid: Matroid, Means: Means}
}

// The policies, by their names in the results. The name ends with the epsilon where that varies. As
// published a learner sees all arms in a round 0; "forced" is the sound default, in which it plays
// an arm that it has not seen before it compares.
const (
	OMMPublic    = "OMM, not private"
	CTSPublic    = "CTS, not private"
	DPUCBPrinted = "DPUCB-MAT"
	DPUCBForced  = "DPUCB-MAT, forced"
	DPTSPrinted  = "DPTS-MAT"
	DPTSForced   = "DPTS-MAT, forced"
)

// Private lists the private policies.
var Private = []string{DPUCBPrinted, DPUCBForced, DPTSPrinted, DPTSForced}

// Label returns a policy's name in the results with its start: as published, unless the name says
// that the start is forced.
func Label(name string) string {
	for _, p := range []string{DPUCBPrinted, DPTSPrinted} {
		if rest, ok := strings.CutPrefix(name, p); ok && !strings.HasPrefix(rest, ", forced") {
			return p + ", as published" + rest
		}
	}
	return name
}

// Name names a policy at an epsilon.
func Name(policy string, epsilon float64) string {
	return fmt.Sprintf("%s, ε = %g", policy, epsilon)
}

// Policy returns a learner by its name without the epsilon. It panics on another name.
func Policy(name string, m matroid.Matroid, epsilon float64) bandit.Learner {
	switch name {
	case OMMPublic:
		l := learner.NewOMM(m)
		l.Policy.(*learner.OMM).Initialisation = learner.AsPublished
		return l
	case CTSPublic:
		return learner.New(&learner.CTS{Matroid: m, Initialisation: learner.AsPublished}, nil)
	case DPUCBPrinted:
		return learner.DPUCBMATAsPublished(m, epsilon)
	case DPUCBForced:
		return learner.DPUCBMAT(m, epsilon)
	case DPTSPrinted:
		return learner.DPTSMATAsPublished(m, epsilon)
	case DPTSForced:
		return learner.DPTSMAT(m, epsilon)
	}
	panic(fmt.Sprintf("matroid: no matroid bandit %q", name))
}

// experiment is an experiment on Table 2 without its policies.
func experiment(s lab.Scale, name string, horizon int) *simulate.Experiment {
	rounds := cell.Pick(s, min(horizon, 2_000), min(horizon, Horizon), horizon)
	return &simulate.Experiment{
		Name: name, Environment: func() bandit.Environment { return Table2() }, Horizon: horizon, Rounds: rounds,
		Trials: cell.Pick(s, 4, 20, 200), Seed: Seed, Grid: simulate.LogGrid(rounds, 80), Fingerprint: "Table 2, Bernoulli weights",
	}
}

// policiesAt are private policies on Table 2 at some epsilons.
func policiesAt(names []string, epsilons []float64) (list []simulate.Policy) {
	for _, name := range names {
		for _, epsilon := range epsilons {
			list = append(list, simulate.Policy{Name: Name(name, epsilon), New: func() bandit.Learner { return Policy(name, Matroid, epsilon) }})
		}
	}
	return list
}

// Returns is the experiment of Figures 1, 2 and 4a.
func Returns(s lab.Scale) *simulate.Experiment {
	e := experiment(s, "mat-returns", Horizon)
	for _, name := range []string{OMMPublic, CTSPublic} {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return Policy(name, Matroid, math.Inf(1)) }})
	}
	e.Policies = append(e.Policies, policiesAt(Private, Epsilons)...)
	return e
}

// Rate is the experiment of Figure 5a.
func Rate(s lab.Scale) *simulate.Experiment {
	e := experiment(s, "mat-rate", Long)
	e.Policies = policiesAt(Private, []float64{Epsilon})
	return e
}

// SweepEpsilons are the fifty of Figure 5b, evenly spaced between 0.5 and 50.
func SweepEpsilons() []float64 {
	list := make([]float64, 50)
	for i := range list {
		list[i] = math.Round((0.5+float64(i)*49.5/49)*1e4) / 1e4
	}
	return list
}

// Sweep is the experiment of Figure 5b: the regret after n = 10,000 rounds against 1/epsilon.
func Sweep(s lab.Scale) *simulate.Experiment {
	e := experiment(s, "mat-sweep", Horizon)
	e.Rounds = Horizon
	e.Grid = []int{Horizon}
	epsilons := append(SweepEpsilons(), 2, 10) // two that are known elsewhere
	if s != lab.Paper {
		epsilons = []float64{0.5, 1, 2, 5, 10, 20, 50}
	}
	e.Policies = policiesAt(Private, epsilons)
	return e
}
