package papers

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// "Differentially private matroid bandits: DPUCB-MAT and DPTS-MAT", Section 5 and Appendix A.

// MATSeed is the seed of all committed results.
const MATSeed = 2014

// MATHorizon and MATMovieHorizon are the paper's n on the synthetic instance and on the movies,
// MATLong that of Figure 5a.
const (
	MATHorizon      = 10_000
	MATMovieHorizon = 20_000
	MATLong         = 1_000_000
)

// MATEpsilon is the paper's epsilon where it does not vary. Of Figure 5a the paper does not say it.
const MATEpsilon = 2

// MATEpsilons are those of Figure 2: no privacy to speak of, some, and nothing but noise.
var MATEpsilons = []float64{1e5, 2, 1e-4}

// MATVectors and MATMeans are Table 2: a linear matroid of rank 3, whose last element is a loop and
// whose sixth is parallel to the first.
var (
	MATVectors = [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}}
	MATMeans   = []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70}
)

// MATMatroid is the matroid of Table 2.
var MATMatroid = must(matroid.NewLinear(MATVectors))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// MATTable2 is the instance of Table 2, with Bernoulli weights.
func MATTable2() *environment.SemiBandit {
	return &environment.SemiBandit{Matroid: MATMatroid, Means: MATMeans}
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

// MATPrivate lists the private policies.
var MATPrivate = []string{DPUCBPrinted, DPUCBForced, DPTSPrinted, DPTSForced}

// MATName names a policy at an epsilon.
func MATName(policy string, epsilon float64) string {
	return fmt.Sprintf("%s, ε = %g", policy, epsilon)
}

// MATPolicy returns a learner by its name without the epsilon. It panics on another name.
func MATPolicy(name string, m matroid.Matroid, epsilon float64) bandit.Learner {
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
	panic(fmt.Sprintf("papers: no matroid bandit %q", name))
}

// matExperiment is an experiment on Table 2 without its policies.
func matExperiment(s Scale, name string, horizon int) *simulate.Experiment {
	rounds := pick(s, min(horizon, 2_000), min(horizon, MATHorizon), horizon)
	return &simulate.Experiment{
		Name: name, Environment: func() bandit.Environment { return MATTable2() }, Horizon: horizon, Rounds: rounds,
		Trials: pick(s, 4, 20, 200), Seed: MATSeed, Grid: simulate.LogGrid(rounds, 80), Fingerprint: "Table 2, Bernoulli weights",
	}
}

// matPolicies are private policies on Table 2 at some epsilons.
func matPolicies(names []string, epsilons []float64) (list []simulate.Policy) {
	for _, name := range names {
		for _, epsilon := range epsilons {
			list = append(list, simulate.Policy{Name: MATName(name, epsilon), New: func() bandit.Learner { return MATPolicy(name, MATMatroid, epsilon) }})
		}
	}
	return list
}

// MATReturns is the experiment of Figures 1, 2 and 4a.
func MATReturns(s Scale) *simulate.Experiment {
	e := matExperiment(s, "mat-returns", MATHorizon)
	for _, name := range []string{OMMPublic, CTSPublic} {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return MATPolicy(name, MATMatroid, math.Inf(1)) }})
	}
	e.Policies = append(e.Policies, matPolicies(MATPrivate, MATEpsilons)...)
	return e
}

// MATRate is the experiment of Figure 5a.
func MATRate(s Scale) *simulate.Experiment {
	e := matExperiment(s, "mat-rate", MATLong)
	e.Policies = matPolicies(MATPrivate, []float64{MATEpsilon})
	return e
}

// MATSweepEpsilons are the fifty of Figure 5b, evenly spaced between 0.5 and 50.
func MATSweepEpsilons() []float64 {
	list := make([]float64, 50)
	for i := range list {
		list[i] = math.Round((0.5+float64(i)*49.5/49)*1e4) / 1e4
	}
	return list
}

// MATSweep is the experiment of Figure 5b: the regret after n = 10,000 rounds against 1/epsilon.
func MATSweep(s Scale) *simulate.Experiment {
	e := matExperiment(s, "mat-sweep", MATHorizon)
	e.Rounds = MATHorizon
	e.Grid = []int{MATHorizon}
	epsilons := append(MATSweepEpsilons(), 2, 10) // two that are known elsewhere
	if s != Paper {
		epsilons = []float64{0.5, 1, 2, 5, 10, 20, 50}
	}
	e.Policies = matPolicies(MATPrivate, epsilons)
	return e
}
