package tally

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Response releases the mean of each arm's randomised bits. It is private in the local model:
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
// noise, as bits are Bernoulli rewards. The method Debias of what Open returns undoes the
// shrinking.
type Response struct {
	Epsilon float64 // > 0, no default; +Inf means the truth
}

var _ privacy.Tally = Response{}

// responseTally is a Response for a setup.
type responseTally struct {
	curator.Planned
	data privacy.Setup
	each float64 // epsilon of a bit
}

// responseTallyRun is a run of a Response.
type responseTallyRun struct {
	*responseTally
	tallied
	noise *privacy.Noise
	bits  int       // sent so far
	ones  []float64 // by arm, bits that are 1
}

// Open validates and calibrates.
func (of Response) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 1); err != nil {
		return nil, err
	}
	asked := privacy.Budget{Epsilon: of.Epsilon}
	if err := asked.Validate(); err != nil {
		return nil, err
	}
	switch {
	case s.WarmUp:
		return nil, fmt.Errorf("mechanism: Response has no warm-up: Setup.WarmUp = true, want false")
	case of.Epsilon/float64(s.Slots) == 0:
		return nil, fmt.Errorf("mechanism: Response.Epsilon = %v, want > 0 when shared by %d arms", of.Epsilon, s.Slots)
	}
	r := &responseTally{data: s, each: of.Epsilon / float64(s.Slots)}
	one := curator.Central(privacy.ReplaceWeights, asked, "Warner 1965; Ren, Zhou, Liu, Shroff 2020",
		fmt.Sprintf("weights clipped to [%v, %v] and randomised on the user's device", s.Lo, s.Hi), adaptive)
	one.Model, one.Scope = privacy.Local, privacy.OneMessage
	r.Planned = curator.Plans(one.With(privacy.Release{Law: privacy.ResponseLaw(2, r.each)}), s.Slots)
	return r, nil
}

// Start begins a run that draws its noise from n.
func (r *responseTally) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(r)
	}
	return &responseTallyRun{responseTally: r, tallied: newTallied(r.data), noise: n, ones: make([]float64, r.data.Arms)}
}

// Add randomises a record and releases the new mean of each of its arms.
func (r *responseTallyRun) Add(rec *privacy.Record) (moved bool, err error) {
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
func (r *responseTally) Debias(mean float64) float64 {
	middle := r.data.Lo + float64((r.data.Hi-r.data.Lo)/2)
	return middle + (mean-middle)/portable.Tanh(r.each/2)
}

// Plan returns what a user's bits reveal of her, one for each of her arms.
func (r *responseTally) Plan(records int) privacy.Plan { return r.plan(records, 0).HeldBy(r) }

// Plan returns the tally's plan with the draws of the run.
func (r *responseTallyRun) Plan(records int) privacy.Plan { return r.plan(records, r.bits).HeldBy(r) }

func (r *responseTally) plan(records, bits int) privacy.Plan {
	p := r.Shown(r.data.Slots*min(max(records, 0), 1), bits)
	p.Draws = append(p.Draws, privacy.Draws{Law: privacy.RoundLaw(1), Count: bits})
	return p
}
