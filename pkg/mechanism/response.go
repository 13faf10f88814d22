package mechanism

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// RandomisedResponse answers a question with Choices possible answers for a user, randomised on the
// user's own device.
//
// It tells the truth with probability e^eps/(e^eps + Choices - 1) and gives each other answer with
// probability 1/(e^eps + Choices - 1). It is epsilon-DP in the local model; neighbours differ in
// one user's answer, replaced. No other epsilon-DP mechanism tells the truth more often (Warner
// 1965; Kairouz, Oh, Viswanath 2016). A user who answers k = Neighbours.Contributions times spends
// epsilon/k on each answer.
type RandomisedResponse struct {
	Epsilon    float64            // > 0, no default; +Inf means the truth
	Choices    int                // >= 2, no default
	Neighbours privacy.Neighbours // zero value: one user's answer is replaced; AddRemove is refused

	single
	choices int     // as it was in Init
	each    float64 // epsilon of one answer
}

var _ privacy.Planner = (*RandomisedResponse)(nil)

// Init validates and calibrates.
func (r *RandomisedResponse) Init() error {
	r.single = single{}
	nominal := privacy.Budget{Epsilon: r.Epsilon}
	if err := nominal.Validate(); err != nil {
		return err
	}
	if r.Choices < 2 {
		return fmt.Errorf("mechanism: RandomisedResponse.Choices = %d, want >= 2", r.Choices)
	}
	neighbours, err := protect(r.Neighbours, "user's answer")
	if err != nil {
		return err
	}
	if neighbours.Relation != privacy.Replace {
		return fmt.Errorf("mechanism: RandomisedResponse under %v, want replace: that somebody answers is not hidden", neighbours.Relation)
	}
	k := neighbours.Contributions
	r.choices, r.each = r.Choices, r.Epsilon/float64(k)
	r.reveals(privacy.Release{Law: privacy.ResponseLaw(r.Choices, r.each), Times: k}, neighbours, nominal,
		"Warner 1965; Kairouz, Oh, Viswanath 2016", fmt.Sprintf("a user answers at most %d times", k))
	r.one.Model, r.one.Scope = privacy.Local, privacy.OneMessage
	return nil
}

// Reset begins a new run that draws its noise from n.
func (r *RandomisedResponse) Reset(n *privacy.Noise) { r.noise, r.releases = n, 0 }

// Respond returns the randomised answer of a user whose true answer is truth, in [0, Choices).
func (r *RandomisedResponse) Respond(truth int) (int, error) {
	if err := r.ready(); err != nil {
		return 0, err
	}
	if truth < 0 || truth >= r.choices {
		return 0, fmt.Errorf("mechanism: the answer %d, want in [0, %d)", truth, r.choices)
	}
	r.releases++
	return r.noise.Response(truth, r.choices, r.each), nil
}

// Keep returns the probability that an answer is the truth.
func (r *RandomisedResponse) Keep() float64 {
	return 1 / (1 + float64(float64(r.choices-1)*portable.Exp(-r.each)))
}

// Estimate writes into dst unbiased estimates of how many users hold each answer, given the counts
// of the randomised answers. The estimates add up to the number of answers and may be negative.
// This is post-processing: it costs no privacy.
func (r *RandomisedResponse) Estimate(dst []float64, counts []int) error {
	if r.one.Cases == nil {
		return errInit
	}
	if len(counts) != r.choices || len(dst) != r.choices {
		return fmt.Errorf("mechanism: %d counts into %d estimates, want %d", len(counts), len(dst), r.choices)
	}
	total := 0
	for _, c := range counts {
		total += c
	}
	keep := r.Keep()
	other := (1 - keep) / float64(r.choices-1)
	gain := -portable.Expm1(-r.each) * keep // keep - other, without cancellation
	for i, c := range counts {
		dst[i] = (float64(c) - float64(other*float64(total))) / gain
	}
	return nil
}

// Plan returns what the answers reveal of a user.
func (r *RandomisedResponse) Plan(records int) privacy.Plan { return r.plan(records).HeldBy(r) }
