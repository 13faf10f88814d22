package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
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

	single
	k     int // as it was in Init; noisy has the length of the scores
	scale float64
	noisy []float64
}

var _ privacy.Planner = (*TopK)(nil)

// Init validates, calibrates and allocates.
func (t *TopK) Init() error {
	t.single = single{}
	if err := t.Budget.Validate(); err != nil {
		return err
	}
	if t.K < 1 || t.Candidates < t.K {
		return fmt.Errorf("mechanism: TopK.K = %d of Candidates = %d, want 1 <= K <= Candidates", t.K, t.Candidates)
	}
	if err := size.Check(fmt.Sprintf("mechanism: TopK.Candidates = %d", t.Candidates), float64(t.Candidates)); err != nil {
		return err
	}
	if !(t.Sensitivity > 0) || math.IsInf(t.Sensitivity, 0) {
		return fmt.Errorf("mechanism: TopK.Sensitivity = %v, want finite and > 0", t.Sensitivity)
	}
	neighbours, err := protect(t.Neighbours, "record")
	if err != nil {
		return err
	}
	factor := 2.0
	if t.Monotone {
		if neighbours.Relation != privacy.AddRemove {
			return fmt.Errorf("mechanism: TopK.Monotone under %v, want AddRemove: a record that is replaced raises one score and lowers another", neighbours.Relation)
		}
		factor = 1
	}
	k := float64(t.K)
	pick := t.Budget.Epsilon / k
	if t.Budget.Delta > 0 && !t.Budget.None() {
		rho, err := privacy.ConcentratedRho(t.Budget)
		if err != nil {
			return err
		}
		pick = max(pick, math.Sqrt(8*rho/k))
	}
	sensitivity := t.Sensitivity * float64(neighbours.Contributions)
	t.scale = factor * t.Sensitivity * float64(neighbours.Contributions) / pick
	if math.IsInf(t.scale, 0) || t.scale == 0 && !t.Budget.None() {
		return fmt.Errorf("mechanism: TopK noise of scale %v for %v, want finite and > 0", t.scale, t.Budget)
	}
	t.k, t.noisy = t.K, make([]float64, t.Candidates)
	t.reveals(privacy.Release{Law: privacy.GumbelLaw(t.Candidates, t.scale), Sensitivity: privacy.Norms{LInf: sensitivity}, Monotone: t.Monotone, Times: t.K}, neighbours, t.Budget,
		"McSherry and Talwar 2007; Durfee and Rogers 2019; Cesar and Rogers 2021", moves("score", t.Sensitivity, t.Monotone), "a record is in one choice")
	return nil
}

// Reset begins a new run that draws its noise from n.
func (t *TopK) Reset(n *privacy.Noise) { t.noise, t.releases = n, 0 }

// Choose appends the K chosen candidates to dst, the first pick first. It refuses scores that are
// not finite or not Candidates in number.
func (t *TopK) Choose(scores []float64, dst []int) ([]int, error) {
	if err := t.ready(); err != nil {
		return dst, err
	}
	if err := fits(t.noisy, scores, len(t.noisy)); err != nil {
		return dst, err
	}
	t.noise.Gumbel(t.noisy, t.scale)
	t.releases++
	for i, u := range scores {
		t.noisy[i] += u
	}
	return largest(t.noisy, t.k, dst), nil
}

// Scale returns the scale of the Gumbel noise; its standard deviation is pi/sqrt(6) times the
// scale.
func (t *TopK) Scale() float64 { return t.scale }

// Plan returns what the choices reveal of a record.
func (t *TopK) Plan(records int) privacy.Plan { return t.plan(records).HeldBy(t) }
