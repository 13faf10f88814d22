package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Exposed is the event of a record that no noise hides. Its epsilon is +Inf.
type Exposed struct{ Why string }

func (e Exposed) String() string { return "exposed: " + e.Why }

// PureEpsilon returns +Inf.
func (Exposed) PureEpsilon() float64 { return math.Inf(1) }

// Validate always returns an error: no accountant has a finite bound.
func (e Exposed) Validate() error { return fmt.Errorf("privacy: %s", e) }

// event returns the event of a release, for one record.
func (r Release) event(asked Budget) (Event, error) {
	e, err := r.shows(asked)
	if err != nil {
		return nil, err
	}
	if n := r.Sensitivity; !(n.L1 >= 0 && n.L2 >= 0 && n.LInf >= 0) || r.Times < 0 || r.Sum < 0 {
		return nil, fmt.Errorf("a release of %+v, %d times, under %d draws: want none negative", n, r.Times, r.Sum)
	}
	return e, nil
}

// shows is event without a look at numbers that the law does not use.
func (r Release) shows(asked Budget) (Event, error) {
	if r.Own != nil {
		return r.repeated(r.Own)
	}
	if len(r.Laws) == 0 {
		return nil, fmt.Errorf("a release without noise")
	}
	for i, law := range r.Laws {
		helper := i > 0 && (law.Kind == kindRounding || law.Kind == kindShuffle)
		if !helper && !(law.Scale > 0 && !math.IsInf(law.Scale, 1)) {
			return nil, fmt.Errorf("%v hides no record", law)
		}
		if !helper && law.family() != r.Laws[0].family() {
			return nil, fmt.Errorf("a release under both %v and %v", r.Laws[0], law)
		}
	}
	law, s := r.Laws[0], r.Sensitivity
	if r.Compared {
		return r.compared()
	}
	batch := r.shuffled()
	switch law.Kind {
	case kindGaussian, kindSymmetricGaussian:
		mu := s.L2 / law.Scale
		if batch > 1 && r.times() == 1 {
			return amplified(mu, batch, asked)
		}
		return checked(GaussianEvent{math.Sqrt(float64(r.times())) * mu})
	case kindDiscreteGaussian:
		return r.repeated(DiscreteGaussianEvent{Dim: law.Dim, Sensitivity: s.L2, Sigma: law.Scale})
	case kindLaplace:
		return r.repeated(LaplaceEvent{s.L1 / law.Scale})
	case kindDiscreteLaplace:
		if !(s.L1 <= 1<<62) {
			return nil, fmt.Errorf("a sensitivity of %v under %v, want <= 2^62", s.L1, law)
		}
		return r.repeated(DiscreteLaplaceEvent{Sensitivity: int64(math.Ceil(s.L1)), Scale: law.Scale})
	case kindGumbel:
		return r.repeated(ExponentialEvent{r.spread() * s.LInf / law.Scale})
	case kindResponse:
		if batch > 1 {
			return r.repeated(ShuffleEvent{Local: law.Scale, Users: batch})
		}
		return r.repeated(ResponseEvent{Epsilon: law.Scale, Choices: int(law.Shape)})
	case kindBinomial:
		trials := math.Floor(law.Shape) * float64(max(1, r.Sum))
		if !(trials <= 1<<53 && s.LInf <= 1<<53) {
			return nil, fmt.Errorf("a sensitivity of %v under %v trials of %v, want <= 2^53", s.LInf, trials, law)
		}
		e, err := TightestTail(asked.Delta, BinomialEvent{Trials: int64(trials), P: law.Scale,
			Coordinates: law.Dim, Most: int(math.Ceil(s.LInf)), Norm: s.L2})
		if err != nil {
			return nil, err
		}
		return r.repeated(e)
	case kindWishart:
		return r.wishart(asked)
	}
	return nil, fmt.Errorf("no accountant knows noise that is %v", law)
}

// family returns the kind of law as far as a release under several laws goes.
func (l Law) family() string {
	if l.Kind == kindSymmetricGaussian {
		return kindGaussian
	}
	return l.Kind
}

func (r Release) times() int { return max(1, r.Times) }

// repeated returns the event of r.Times releases, each of which costs e.
func (r Release) repeated(e Event) (Event, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if r.times() == 1 {
		return e, nil
	}
	return Repeat{e, r.times()}, nil
}

// amplified returns the event of a Gaussian message in a shuffled batch. It is the message's own
// event where shuffling gains nothing.
func amplified(mu float64, batch int, asked Budget) (Event, error) {
	local := GaussianEvent{mu}
	if err := local.Validate(); err != nil || asked.Delta == 0 {
		return local, err
	}
	alone := GaussianEpsilon(asked.Delta, mu)
	epsilon := AmplifiedEpsilon(asked.Delta, mu, batch)
	switch {
	case epsilon == 0: // it holds at every larger epsilon, too, and an event's has to be positive
		epsilon = min(asked.Epsilon, 1e-9*alone)
	case epsilon > asked.Epsilon && AmplifiedDelta(asked.Epsilon, mu, batch) <= asked.Delta:
		epsilon = asked.Epsilon // the bisection stopped within its last digit
	}
	if !(epsilon < alone*(1-1e-6)) {
		return local, nil
	}
	return ApproximateEvent{Budget{epsilon, asked.Delta}}, nil
}

func checked(e Event) (Event, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e, nil
}

// spread returns the change of the difference of two scores, or queries, in units of the
// sensitivity.
func (r Release) spread() float64 {
	if r.Monotone {
		return 1
	}
	return 2
}

// compared returns the event of AboveThreshold: the costs of the threshold and of the query add up.
func (r Release) compared() (Event, error) {
	if len(r.Laws) != 2 || r.Laws[0].Kind != kindLaplace || r.Laws[1].Kind != kindLaplace {
		return nil, fmt.Errorf("comparisons under %v, want Laplace noise on a threshold and on queries", r.Laws)
	}
	share := 1/r.Laws[0].Scale + r.spread()/r.Laws[1].Scale
	return checked(SparseVectorEvent{Epsilon: r.Sensitivity.LInf * share, Accepted: r.times()})
}

// shuffled returns the size of the batch that the record's message is shuffled in, or 0 if none.
func (r Release) shuffled() int {
	for _, l := range r.Laws[1:] {
		if l.Kind == kindShuffle {
			return l.Dim
		}
	}
	return 0
}

// wishart returns the event of Gram matrices under Wishart noise. It splits delta between the nodes
// and their composition such that epsilon is the least.
func (r Release) wishart(asked Budget) (Event, error) {
	law := r.Laws[0]
	if !(r.Sensitivity.L2 <= law.Scale*(1+1e-9)) {
		return nil, fmt.Errorf("a row of squared norm %v under %v", r.Sensitivity.L2, law)
	}
	nodes := float64(r.times())
	best, least := WishartEvent{Nodes: r.times()}, math.Inf(1)
	middle, low, high := 0.5, 1e-9, 1-1e-9
	// A grid over the share of delta that the composition gets, then finer grids around the best
	// share.
	for range 6 {
		step := float64((high - low) / 16)
		for i := range 17 {
			share := low + float64(step*float64(i))
			node := Budget{Delta: -portable.Expm1(portable.Log1p(-(1-share)*asked.Delta) / nodes)}
			node.Epsilon = math.Sqrt(28 * portable.Log(4/node.Delta) / (law.Shape - float64(law.Dim)))
			epsilon := branch{guarantee(node).times(nodes), WishartEvent{node, best.Nodes}}.at(asked.Delta)
			if best.Node.Epsilon == 0 || node.Epsilon < 1 && epsilon < least {
				best.Node, least, middle = node, epsilon, share
			}
		}
		low, high = math.Max(low, middle-step), math.Min(high, middle+step)
	}
	return checked(best)
}
