package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TopK chooses K of n candidates by their scores: it adds Gumbel noise to each score once and takes the K largest, in order. That has the very
// distribution of K exponential mechanisms one after the other, each without the candidates chosen before (Durfee and Rogers 2019), and is
// released in the central model.
//
// A pick with epsilon_0 chooses candidate i with probability proportional to exp(epsilon_0 u_i/(2 D)), D the sensitivity of a score: Gumbel noise of scale
// 2 D/epsilon_0. The 2 is for scores of which some rise and others fall between neighbours; where all rise or all fall (Monotone), the scale D/epsilon_0 is enough. A
// pick's privacy loss has range epsilon_0, so that it is epsilon_0^2/8-zCDP (Cesar and Rogers 2021). For Budget.Delta = 0 epsilon_0 =
// epsilon/K; for Delta > 0 it is the larger of that and of sqrt(8 rho/K), rho the zCDP of the budget.
//
// A record is in one choice only; a user of k = Neighbours.Contributions records multiplies the sensitivity by k. What is released is the candidates,
// never their scores.
type TopK struct {
	Budget      privacy.Budget     // of a choice of K, no default; epsilon = +Inf means no noise
	K           int                // candidates to choose, >= 1, no default
	Candidates  int                // n >= K, no default
	Sensitivity float64            // by how much one record may move a score, D > 0, no default
	Monotone    bool               // between neighbours, all scores rise or all fall; for AddRemove only
	Neighbours  privacy.Neighbours // zero: one record is replaced

	k       int // as it was in Init; noisy has the length of the scores
	scale   float64
	choices int
	noise   *privacy.Noise
	noisy   []float64
	claim   privacy.Claim
}

var _ privacy.Ledgered = (*TopK)(nil)

// Init validates, calibrates and allocates.
func (t *TopK) Init() error {
	t.noise, t.claim = nil, privacy.Claim{}
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
	factor, condition := 2.0, fmt.Sprintf("one record moves a score by at most %v", t.Sensitivity)
	if t.Monotone {
		if neighbours.Relation != privacy.AddRemove {
			return fmt.Errorf("mechanism: TopK.Monotone under %v, want AddRemove: a record that is replaced raises one score and lowers another", neighbours.Relation)
		}
		factor = 1
		condition += ", and all in the same direction"
	}
	k := float64(t.K)
	pick, epsilon := t.Budget.Epsilon/k, t.Budget.Epsilon
	if t.Budget.Delta > 0 && !t.Budget.None() {
		rho, err := privacy.ConcentratedRho(t.Budget)
		if err != nil {
			return err
		}
		if concentrated := math.Sqrt(8 * rho / k); concentrated > pick {
			pick = concentrated
			epsilon = privacy.ConcentratedEpsilon(k*pick*pick/8, t.Budget.Delta)
		}
	}
	t.scale = factor * t.Sensitivity * float64(neighbours.Contributions) / pick
	if math.IsInf(t.scale, 0) || t.scale == 0 && !t.Budget.None() {
		return fmt.Errorf("mechanism: TopK noise of scale %v for %v, want finite and > 0", t.scale, t.Budget)
	}
	t.k, t.noisy = t.K, make([]float64, t.Candidates)
	t.claim = privacy.Claim{
		Model: privacy.Central, Neighbours: neighbours,
		Nominal: t.Budget, Epsilon: epsilon,
		Event:      privacy.Repeat{Event: privacy.ExponentialEvent{Epsilon: pick}, Times: t.K},
		Conditions: []string{condition, "a record is in one choice"},
		Source:     "McSherry and Talwar 2007; Durfee and Rogers 2019; Cesar and Rogers 2021",
	}
	return nil
}

// Reset begins a run over new noise.
func (t *TopK) Reset(n *privacy.Noise) { t.noise, t.choices = n, 0 }

// Choose appends the K candidates chosen to dst, the first pick first. Scores that are not finite, or not Candidates in number, are refused.
func (t *TopK) Choose(scores []float64, dst []int) ([]int, error) {
	if err := ready(t.noise, &t.claim); err != nil {
		return dst, err
	}
	if err := fits(t.noisy, scores, len(t.noisy)); err != nil {
		return dst, err
	}
	t.noise.Gumbel(t.noisy, t.scale)
	t.choices++
	for i, u := range scores {
		t.noisy[i] += u
	}
	start := len(dst)
	for i, u := range t.noisy {
		chosen := dst[start:]
		if len(chosen) < t.k {
			dst = append(dst, i)
			chosen = dst[start:]
		} else if u <= t.noisy[chosen[t.k-1]] {
			continue
		}
		place := len(chosen) - 1 // of i, among those chosen so far
		for ; place > 0 && t.noisy[chosen[place-1]] < u; place-- {
			chosen[place] = chosen[place-1]
		}
		chosen[place] = i
	}
	return dst, nil
}

// Scale returns the scale of the Gumbel noise; its standard deviation is pi/sqrt(6) times that.
func (t *TopK) Scale() float64 { return t.scale }

// Claim returns what the noise buys.
func (t *TopK) Claim() privacy.Claim { return t.claim }

// Draws returns a noise vector for each choice.
func (t *TopK) Draws() []privacy.Draws {
	return []privacy.Draws{{Law: privacy.GumbelLaw(len(t.noisy), t.scale), Count: t.choices}}
}
