package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/largest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TopK chooses K of n candidates by their scores: it adds Gumbel noise to each score once and takes
// the K largest, in order.
//
// Its output has the same distribution as K exponential mechanisms in turn, each over the
// candidates not chosen before (Durfee and Rogers 2019). The trust model is central. Only the
// chosen candidates are released, never their scores.
//
// A pick with epsilon_0 chooses candidate i with probability proportional to exp(epsilon_0 u_i/(2
// D)), where u_i is its score and D the sensitivity of a score: the Gumbel noise has scale 2
// D/epsilon_0. If between neighbours all scores rise or all fall (Monotone), the scale D/epsilon_0
// is enough.
//
// The privacy loss of a pick has range epsilon_0, so a pick is epsilon_0^2/8-zCDP (Cesar and Rogers
// 2021). For Budget.Delta = 0, epsilon_0 = epsilon/K. For Delta > 0 it is the larger of epsilon/K
// and sqrt(8 rho/K), where rho is the zCDP of the budget.
//
// A record may be in one choice only. k = Neighbours.Contributions records of a user multiply the
// sensitivity by k.
type TopK struct {
	Budget      privacy.Budget // of one choice of K, no default; epsilon = +Inf means no noise
	K           int            // candidates to choose, >= 1, no default
	Candidates  int            // n >= K, no default
	Sensitivity float64        // largest change D > 0 of a score by one record, no default
	// between neighbours, all scores rise or all fall; for AddRemove only
	Monotone   bool
	Neighbours privacy.Neighbours // zero value: one record is replaced
}

// Choices is a run of [TopK].
type Choices interface {
	privacy.Planner
	// Choose appends the K chosen candidates to dst, the first pick first. It refuses scores that are
	// not finite or not Candidates in number.
	Choose(scores []float64, dst []int) ([]int, error)
	// Scale returns the scale of the Gumbel noise; its standard deviation is pi/sqrt(6) times the
	// scale.
	Scale() float64
}

// topK is a TopK that is calibrated.
type topK struct {
	curator.Planned
	k, candidates int
	scale         float64
}

// topKRun is a run of a TopK.
type topKRun struct {
	*topK
	noise   *privacy.Noise
	choices int
	noisy   []float64
}

// Open validates and calibrates.
func (of TopK) Open() (Calibrated[Choices], error) {
	if err := of.Budget.Validate(); err != nil {
		return nil, err
	}
	if of.K < 1 || of.Candidates < of.K {
		return nil, fmt.Errorf("mechanism: TopK.K = %d of Candidates = %d, want 1 <= K <= Candidates", of.K, of.Candidates)
	}
	if err := size.Check(fmt.Sprintf("mechanism: TopK.Candidates = %d", of.Candidates), float64(of.Candidates)); err != nil {
		return nil, err
	}
	if !(of.Sensitivity > 0) || math.IsInf(of.Sensitivity, 0) {
		return nil, fmt.Errorf("mechanism: TopK.Sensitivity = %v, want finite and > 0", of.Sensitivity)
	}
	neighbours, err := curator.Protect(of.Neighbours, "record")
	if err != nil {
		return nil, err
	}
	factor := 2.0
	if of.Monotone {
		if neighbours.Relation != privacy.AddRemove {
			return nil, fmt.Errorf("mechanism: TopK.Monotone under %v, want AddRemove: a record that is replaced raises one score and lowers another", neighbours.Relation)
		}
		factor = 1
	}
	k := float64(of.K)
	pick := of.Budget.Epsilon / k
	if of.Budget.Delta > 0 && !of.Budget.None() {
		rho, err := of.Budget.ConcentratedRho()
		if err != nil {
			return nil, err
		}
		pick = max(pick, math.Sqrt(8*rho/k))
	}
	sensitivity := of.Sensitivity * float64(neighbours.Contributions)
	t := &topK{k: of.K, candidates: of.Candidates}
	t.scale = factor * of.Sensitivity * float64(neighbours.Contributions) / pick
	if math.IsInf(t.scale, 0) || t.scale == 0 && !of.Budget.None() {
		return nil, fmt.Errorf("mechanism: TopK noise of scale %v for %v, want finite and > 0", t.scale, of.Budget)
	}
	t.Planned = curator.Reveals(privacy.Release{Law: privacy.GumbelLaw(of.Candidates, t.scale), Sensitivity: privacy.Norms{LInf: sensitivity}, Monotone: of.Monotone, Times: of.K}, neighbours, of.Budget,
		"McSherry and Talwar 2007; Durfee and Rogers 2019; Cesar and Rogers 2021", moves("score", of.Sensitivity, of.Monotone), "a record is in one choice")
	return t, nil
}

// Start begins a run that draws its noise from n.
func (t *topK) Start(n *privacy.Noise) Choices {
	return &topKRun{topK: t, noise: n, noisy: make([]float64, t.candidates)}
}

// Choose appends the K chosen candidates to dst, the first pick first. It refuses scores that are
// not finite or not Candidates in number.
func (t *topKRun) Choose(scores []float64, dst []int) ([]int, error) {
	if err := fits(t.noisy, scores, len(t.noisy)); err != nil {
		return dst, err
	}
	if t.noise == nil {
		return dst, curator.ErrNoNoise
	}
	t.noise.Gumbel(t.noisy, t.scale)
	t.choices++
	for i, u := range scores {
		t.noisy[i] += u
	}
	return largest.Of(t.noisy, t.k, dst), nil
}

// Scale returns the scale of the Gumbel noise; its standard deviation is pi/sqrt(6) times the
// scale.
func (t *topK) Scale() float64 { return t.scale }

// Plan returns what the choices reveal of a record.
func (t *topK) Plan(records int) privacy.Plan { return t.Shown(records, 0).HeldBy(t) }

// Plan returns the mechanism's plan with the draws of the run.
func (t *topKRun) Plan(records int) privacy.Plan { return t.Shown(records, t.choices).HeldBy(t) }
