package privacy

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// maxAlternatives is the largest number of alternatives of which a record takes part in one.
const maxAlternatives = 64

// The least and largest loss of events for which a grid of float64 has room.
const (
	leastLoss = 1e-12
	mostLoss  = 1e7
)

// factor is a pair, or the worst of several compositions, that is composed with itself.
type factor struct {
	pair   Pair
	worst  [][]factor // set instead of pair
	times  int
	coarse law // to choose tilts and grids
}

// branches returns the alternatives whose costliest is the cost of an event. Which one a record is
// in is known before any output, so that the worst alternative bounds all.
func branches(e Event) ([]Event, error) {
	var out []Event
	switch e := e.(type) {
	case Parallel:
		for _, part := range e {
			more, err := branches(part)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	default:
		out = []Event{e}
	}
	if len(out) > maxAlternatives {
		return nil, fmt.Errorf("privacy: %d alternatives of which a record takes part in one, want at most %d", len(out), maxAlternatives)
	}
	return out, nil
}

// factoring gathers the pairs of an event: equal events in one power, and Gaussians in one
// Gaussian.
type factoring struct {
	factors []factor
	index   map[member]int
	square  float64 // mu^2 of the Gaussians
}

// member is an event, and how many records a user has in it.
type member struct {
	Event
	records int
}

func factorise(e Event) ([]factor, error) {
	f := factoring{index: map[member]int{}}
	if err := f.add(e, 1, 1); err != nil {
		return nil, err
	}
	if f.square > 0 || len(f.factors) == 0 {
		x, err := GaussianPair(math.Sqrt(f.square))
		if err != nil {
			return nil, err
		}
		f.factors = append(f.factors, factor{pair: x, times: 1})
	}
	for i := range f.factors {
		from, to := f.factors[i].pair.span()
		if far := math.Max(math.Abs(from), math.Abs(to)); far > 0 && !(far >= leastLoss && far <= mostLoss) {
			return nil, fmt.Errorf("privacy: %w: losses of %.4g in %v, want between %g and %g for a grid", ErrUnsupported, far, e, leastLoss, mostLoss)
		}
		f.factors[i].sketch()
	}
	return f.factors, nil
}

// add adds an event that is repeated. A user with several records has them all in each part of a
// composition: the parts' pairs for so many records compose.
func (f *factoring) add(e Event, times, records int) error {
	switch e := e.(type) {
	case Sequence:
		for _, part := range e {
			if err := f.add(part, times, records); err != nil {
				return err
			}
		}
		return nil
	case Repeat:
		if e.Times > math.MaxInt32/times {
			return fmt.Errorf("privacy: an event %d times %d times over, want at most %d in all", e.Times, times, math.MaxInt32)
		}
		return f.add(e.Event, times*e.Times, records)
	case SparseVectorEvent:
		return f.add(e.parts(), times, records)
	case Parallel:
		if records == 1 {
			return f.worst(e, times)
		}
		// The records may be in several branches, but none costs more than the costliest.
		mu, err := GDP{}.Mu(e)
		if err != nil {
			return unsupported(PLD{}.String(), GroupEvent{e, records})
		}
		f.square += float64(float64(times) * squared(float64(records)*mu, 1))
		return nil
	case GroupEvent:
		if e.Contributions > math.MaxInt32/records {
			return fmt.Errorf("privacy: %w: %d times %d records of a user, want at most %d in all", ErrUnsupported, e.Contributions, records, math.MaxInt32)
		}
		return f.add(e.Event, times, records*e.Contributions)
	case GDPEvent:
		if _, ok := e.(LossEvent); !ok {
			f.square += float64(float64(times) * squared(float64(records)*e.GDP(), 1))
			return nil
		}
	}
	key := member{e, records}
	if reflect.ValueOf(e).Comparable() {
		if i, ok := f.index[key]; ok {
			if f.factors[i].times > math.MaxInt32-times {
				return fmt.Errorf("privacy: an event more than %d times, want fewer", math.MaxInt32)
			}
			f.factors[i].times += times
			return nil
		}
		f.index[key] = len(f.factors)
	}
	x, err := pairOf(e)
	if err == nil && records > 1 {
		x, err = x.grouped(records)
	}
	if err != nil {
		return err
	}
	f.factors = append(f.factors, factor{pair: x, times: times})
	return nil
}

// worst adds the pointwise maximum of the curves of several events. Inside a composition an
// adversary may choose the branch by what it has seen, so that the worst fixed branch would not be
// enough.
func (f *factoring) worst(e Parallel, times int) error {
	events, err := branches(e)
	if err != nil {
		return err
	}
	var all [][]factor
	seen := map[Event]bool{}
	for _, part := range events {
		if reflect.ValueOf(part).Comparable() {
			if seen[part] {
				continue
			}
			seen[part] = true
		}
		branch, err := factorise(part)
		if err != nil {
			return err
		}
		all = append(all, branch)
	}
	if len(all) == 1 {
		return f.add(events[0], times, 1)
	}
	f.factors = append(f.factors, factor{worst: all, times: times})
	return nil
}

// pairOf returns the dominating pair of an event that is no composition.
func pairOf(e Event) (Pair, error) {
	switch e := e.(type) {
	case LossEvent:
		x, err := e.Pair()
		if err == nil && len(x.atoms) == 0 && x.part == nil && x.inf == 0 {
			err = errors.New("privacy: an empty pair, want one that a constructor made")
		}
		return x, err
	case LaplaceEvent:
		return LaplacePair(e.Epsilon)
	case ExponentialEvent:
		return BoundedRangePair(e.Epsilon)
	case ResponseEvent:
		return ResponsePair(Budget{e.Epsilon, 0}, e.Choices)
	case DiscreteLaplaceEvent:
		if e.Sensitivity <= maxSteps {
			return DiscreteLaplacePair(e.Sensitivity, e.Scale)
		}
	case DiscreteGaussianEvent:
		if e.Dim == 1 && e.Sensitivity == math.Trunc(e.Sensitivity) && e.Sensitivity <= maxSteps && e.Sigma <= maxSigma {
			return DiscreteGaussianPair(int64(e.Sensitivity), e.Sigma)
		}
	case ApproximateEvent:
		return ResponsePair(e.Budget, 2)
	case ShuffleEvent:
		return shufflePair(e)
	case PureEvent:
		return ResponsePair(Budget{e.PureEpsilon(), 0}, 2)
	}
	if e, ok := e.(PureEvent); ok {
		return ResponsePair(Budget{e.PureEpsilon(), 0}, 2)
	}
	return Pair{}, unsupported(PLD{}.String(), e)
}

// sketch discretises coarsely, well enough to choose a tilt and a grid.
func (f *factor) sketch() {
	if f.worst != nil {
		return
	}
	from, to := f.pair.span()
	if unit := f.pair.unit; f.pair.part == nil && unit > 0 && (to-from)/unit < 1<<19 {
		f.coarse = f.pair.law(unit, true)
		return
	}
	least := 1e-9 * math.Max(math.Abs(from), math.Abs(to))
	if least == 0 {
		least = 1 // without any loss, every grid will do
	}
	h := math.Max((to-from)/2000, least)
	for range 4 { // finer each time, if the loss is a narrow one between rare extremes
		f.coarse = f.pair.law(h, true)
		_, variance := f.coarse.moments()
		if finer := math.Max(math.Sqrt(variance)/30, (to-from)/(1<<19)); finer < h/2 && h > least {
			h = math.Max(finer, least)
			continue
		}
		break
	}
}

// span returns the range of the finite losses, without the tails of a continuous part.
func (x Pair) span() (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	if x.part != nil {
		from, to = x.from, x.to
	}
	if n := len(x.atoms); n > 0 {
		from, to = math.Min(from, x.atoms[0].loss), math.Max(to, x.atoms[n-1].loss)
	}
	if from > to {
		return 0, 0
	}
	return from, to
}

// logMoment returns about ln E[e^{theta L}] of a composition.
func logMoment(factors []factor, theta float64) float64 {
	sum := 0.0
	for _, f := range factors {
		sum += float64(float64(f.times) * f.logMoment(theta))
	}
	return sum
}

func (f factor) logMoment(theta float64) float64 {
	if f.worst == nil {
		return f.coarse.scale + f.coarse.logMoment(theta)
	}
	most := math.Inf(-1)
	for _, branch := range f.worst {
		most = math.Max(most, logMoment(branch, theta))
	}
	return most
}

// deviation returns about the standard deviation of a composition's loss, under a tilt.
func deviation(factors []factor, theta float64) float64 {
	sum := 0.0
	for _, f := range factors {
		d := f.deviation(theta)
		sum += float64(float64(f.times) * d * d)
	}
	return math.Sqrt(sum)
}

func (f factor) deviation(theta float64) float64 {
	if f.worst == nil {
		_, variance := f.coarse.tilt(theta).moments()
		return math.Sqrt(variance)
	}
	most := 0.0
	for _, branch := range f.worst {
		most = math.Max(most, deviation(branch, theta))
	}
	return most
}

// limits returns the largest finite loss of a composition and its probability of an infinite loss,
// without truncated mass.
func limits(factors []factor) (sup, inf float64) {
	for _, f := range factors {
		s, v := f.pair.sup, f.pair.inf
		for _, branch := range f.worst {
			bs, bv := limits(branch)
			s, v = math.Max(s, bs), math.Max(v, bv)
		}
		sup += float64(float64(f.times) * s)
		inf += float64(float64(f.times) * portable.Log1p(-v))
	}
	return sup, -portable.Expm1(inf)
}
