package mechanism

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// ResponseTally releases the mean of each arm's randomised bits. It is private in the local model:
// a user's device sends one bit for each arm that she is shown, and nobody sees more of her
// weights.
//
// A weight r in [Lo, Hi], moved into [0, 1], becomes the bit 1 with probability 1/2 + (r - 1/2)
// tanh(e/2), e = epsilon/K for K = Slots arms a record: it is rounded at random to 0 or 1, and the
// device tells the truth of that with probability e^e/(1 + e^e) (Warner 1965; Ren, Zhou, Liu,
// Shroff 2020, called CTB for arms). That is epsilon-DP; a neighbour replaces all weights of one
// record.
//
// The means are of the bits, moved back into [Lo, Hi]. With c = (Lo + Hi)/2, an arm whose
// clipped weights have the mean m has bits of the mean c + (m - c) tanh(e/2): the arms keep their
// order, and their gaps shrink by a factor of tanh(e/2). A policy needs to know nothing of the
// noise, as bits are Bernoulli rewards. [ResponseTally.Debias] undoes the shrinking.
type ResponseTally struct {
	Epsilon float64 // > 0, no default; +Inf means the truth

	tallied
	planned
	noise *privacy.Noise
	each  float64   // epsilon of a bit
	bits  int       // sent since Reset
	ones  []float64 // by arm, bits that are 1
}

var _ privacy.Tally = (*ResponseTally)(nil)

// Init validates and calibrates.
func (r *ResponseTally) Init(s privacy.Setup) error {
	r.noise, r.planned = nil, planned{}
	return r.init(s, 1, r.calibrate)
}

func (r *ResponseTally) calibrate() error {
	s := r.setup
	asked := privacy.Budget{Epsilon: r.Epsilon}
	if err := asked.Validate(); err != nil {
		return err
	}
	switch {
	case s.WarmUp:
		return fmt.Errorf("mechanism: ResponseTally has no warm-up: Setup.WarmUp = true, want false")
	case r.Epsilon/float64(s.Slots) == 0:
		return fmt.Errorf("mechanism: ResponseTally.Epsilon = %v, want > 0 when shared by %d arms", r.Epsilon, s.Slots)
	}
	r.each, r.ones = r.Epsilon/float64(s.Slots), make([]float64, s.Arms)
	one := central(replaceWeights, asked, "Warner 1965; Ren, Zhou, Liu, Shroff 2020",
		fmt.Sprintf("weights clipped to [%v, %v] and randomised on the user's device", s.Lo, s.Hi), adaptive)
	one.Model, one.Scope = privacy.Local, privacy.OneMessage
	r.planned = planned{one.With(privacy.Release{Law: privacy.ResponseLaw(2, r.each)}), s.Slots}
	return nil
}

// Reset forgets the data and draws new noise from n.
func (r *ResponseTally) Reset(n *privacy.Noise) {
	r.tallied.reset()
	clear(r.ones)
	r.bits, r.noise = 0, n
}

// Add randomises a record and releases the new mean of each of its arms.
func (r *ResponseTally) Add(rec *privacy.Record) (moved bool, err error) {
	if r.noise == nil || r.seen == nil {
		return false, errReset
	}
	if err := r.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		var bit [1]int64
		share := [1]float64{r.over(rec.Y[i]) / (r.setup.Hi - r.setup.Lo)}
		r.noise.Round(bit[:], share[:])
		r.ones[arm] += float64(r.noise.Response(int(min(bit[0], 1)), 2, r.each))
		r.seen[arm]++
		r.bits++
		r.means.Of[arm] = privacy.Estimate{
			Mean:  r.setup.Lo + float64((r.setup.Hi-r.setup.Lo)*(r.ones[arm]/float64(r.seen[arm]))),
			Count: r.seen[arm],
		}
	}
	r.changed(rec.Arms)
	return len(rec.Arms) > 0, nil
}

// Debias returns an estimate of an arm's mean weight, given the released mean of its bits: it
// undoes the shrinking by tanh(e/2). The estimate may be outside of [Lo, Hi].
func (r *ResponseTally) Debias(mean float64) float64 {
	middle := r.setup.Lo + float64((r.setup.Hi-r.setup.Lo)/2)
	return middle + (mean-middle)/portable.Tanh(r.each/2)
}

// Plan returns what a user's bits reveal of her, one for each of her arms.
func (r *ResponseTally) Plan(records int) privacy.Plan {
	p := r.shown(r.setup.Slots*min(max(records, 0), 1), r.bits)
	if r.one.Cases != nil {
		p.Draws = append(p.Draws, privacy.Draws{Law: privacy.RoundLaw(1), Count: r.bits})
	}
	return p.HeldBy(r)
}
