package mechanism

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
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
}

// Responses is a run of [RandomisedResponse].
type Responses interface {
	privacy.Planner
	// Respond returns the randomised answer of a user whose true answer is truth, in [0, Choices).
	Respond(truth int) (int, error)
	// Keep returns the probability that an answer is the truth.
	Keep() float64
	// Estimate writes into dst unbiased estimates of how many users hold each answer, given the counts
	// of the randomised answers. The estimates add up to the number of answers and may be negative.
	// This is post-processing: it costs no privacy.
	Estimate(dst []float64, counts []int) error
}

// response is a RandomisedResponse that is calibrated.
type response struct {
	curator.Planned
	choices int
	each    float64 // epsilon of one answer
}

// responseRun is a run of a RandomisedResponse.
type responseRun struct {
	*response
	noise *privacy.Noise
	sent  int
}

// Open validates and calibrates.
func (of RandomisedResponse) Open() (Calibrated[Responses], error) {
	nominal := privacy.Budget{Epsilon: of.Epsilon}
	if err := nominal.Validate(); err != nil {
		return nil, err
	}
	if of.Choices < 2 {
		return nil, fmt.Errorf("mechanism: RandomisedResponse.Choices = %d, want >= 2", of.Choices)
	}
	neighbours, err := curator.Protect(of.Neighbours, "user's answer")
	if err != nil {
		return nil, err
	}
	if neighbours.Relation != privacy.Replace {
		return nil, fmt.Errorf("mechanism: RandomisedResponse under %v, want replace: that somebody answers is not hidden", neighbours.Relation)
	}
	k := neighbours.Contributions
	r := &response{choices: of.Choices, each: of.Epsilon / float64(k)}
	r.Planned = curator.Reveals(privacy.Release{Law: privacy.ResponseLaw(r.choices, r.each), Times: k}, neighbours, nominal,
		"Warner 1965; Kairouz, Oh, Viswanath 2016", fmt.Sprintf("a user answers at most %d times", k))
	r.One.Model, r.One.Scope = privacy.Local, privacy.OneMessage
	return r, nil
}

// Start begins a run that draws its noise from n.
func (r *response) Start(n *privacy.Noise) Responses { return &responseRun{response: r, noise: n} }

// Respond returns the randomised answer of a user whose true answer is truth, in [0, Choices).
func (r *responseRun) Respond(truth int) (int, error) {
	if truth < 0 || truth >= r.choices {
		return 0, fmt.Errorf("mechanism: the answer %d, want in [0, %d)", truth, r.choices)
	}
	if r.noise == nil {
		return 0, curator.ErrNoNoise
	}
	r.sent++
	return r.noise.Response(truth, r.choices, r.each), nil
}

// Keep returns the probability that an answer is the truth.
func (r *response) Keep() float64 {
	return 1 / (1 + float64(float64(r.choices-1)*portable.Exp(-r.each)))
}

// Estimate writes into dst unbiased estimates of how many users hold each answer, given the counts
// of the randomised answers. The estimates add up to the number of answers and may be negative.
// This is post-processing: it costs no privacy.
func (r *response) Estimate(dst []float64, counts []int) error {
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
func (r *response) Plan(records int) privacy.Plan { return r.Shown(records, 0).HeldBy(r) }

// Plan returns the mechanism's plan with the draws of the run.
func (r *responseRun) Plan(records int) privacy.Plan { return r.Shown(records, r.sent).HeldBy(r) }
