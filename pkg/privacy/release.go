package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/amplified"
)

// Laws returns the laws of all noise of a release: of its threshold, of itself and of its parts.
func (r *Release) Laws() (all []Law) {
	if r.Threshold != (Law{}) {
		all = append(all, r.Threshold)
	}
	if r.Law != (Law{}) {
		all = append(all, r.Law)
	}
	for _, p := range r.Parts {
		all = append(all, p.Law)
	}
	return all
}

// event returns the event of a release, for one record.
func (r *Release) event(asked Budget) (account.Event, error) {
	if !(r.Joint >= 0) || r.Times < 0 {
		return nil, fmt.Errorf("a release that a record moves by %v, %d times: want none negative", r.Joint, r.Times)
	}
	for _, p := range append([]Part{{r.Law, r.Sensitivity}}, r.Parts...) {
		if n := p.Sensitivity; !(n.L1 >= 0 && n.L2 >= 0 && n.LInf >= 0) {
			return nil, fmt.Errorf("a sensitivity of %+v, want none negative", n)
		}
	}
	var own account.Event
	if r.Own != nil {
		var err error
		if own, err = r.repeated(r.Own); err != nil {
			return nil, err
		}
	} else if r.Law == (Law{}) {
		return nil, fmt.Errorf("a release without noise")
	}
	for _, law := range r.Laws() {
		if !(law.Scale > 0 && !math.IsInf(law.Scale, 1) && law.Kind != "") {
			return nil, fmt.Errorf("%v hides no record", law)
		}
	}
	if own != nil {
		return own, nil
	}
	for _, part := range r.Parts {
		if law := part.Law; law.family() != r.Law.family() || !law.vector() {
			return nil, fmt.Errorf("a release under both %v and %v: want two releases", r.Law, law)
		}
	}
	if r.Joint > 0 && !r.Law.vector() {
		return nil, fmt.Errorf("a release under %v with Joint = %v, want 0", r.Law, r.Joint)
	}
	if r.Threshold != (Law{}) {
		return r.compared()
	}
	law, s := r.Law, r.Sensitivity
	switch law.Kind {
	case kindGaussian, kindSymmetricGaussian:
		mu, err := r.moves()
		if err != nil {
			return nil, err
		}
		if r.by == trust.Order && r.batch > 1 && r.times() == 1 {
			return shuffled(mu, r.batch, asked)
		}
		return checked(account.GaussianEvent{Mu: math.Sqrt(float64(r.times())) * mu})
	case kindDiscreteGaussian:
		rho, err := r.moves()
		if err != nil {
			return nil, err
		}
		dim := law.Dim
		for _, p := range r.Parts {
			dim += p.Law.Dim
		}
		return r.repeated(account.DiscreteGaussianEvent{Dim: dim, Sensitivity: rho * law.Scale, Sigma: law.Scale})
	case kindLaplace:
		epsilon, err := r.moves()
		if err != nil {
			return nil, err
		}
		return r.repeated(account.LaplaceEvent{Epsilon: epsilon})
	case kindDiscreteLaplace:
		if !(s.L1 <= 1<<62) {
			return nil, fmt.Errorf("a sensitivity of %v under %v, want <= 2^62", s.L1, law)
		}
		return r.repeated(account.DiscreteLaplaceEvent{Sensitivity: int64(math.Ceil(s.L1)), Scale: law.Scale})
	case kindGumbel:
		return r.repeated(account.ExponentialEvent{Epsilon: r.spread() * s.LInf / law.Scale})
	case kindResponse:
		return r.repeated(account.ResponseEvent{Epsilon: law.Scale, Choices: int(law.Shape)})
	case kindBinomial:
		trials := math.Floor(law.Shape)
		if r.by == trust.Sum { // the noise of all messages adds up
			trials *= float64(max(1, r.batch))
		}
		if !(trials <= 1<<53 && s.LInf <= 1<<53) {
			return nil, fmt.Errorf("a sensitivity of %v under %v trials of %v, want <= 2^53", s.LInf, trials, law)
		}
		e, err := account.BinomialEvent{Trials: int64(trials), P: law.Scale,
			Coordinates: law.Dim, Most: int(math.Ceil(s.LInf)), Norm: s.L2}.Tightest(asked.Delta)
		if err != nil {
			return nil, err
		}
		return r.repeated(e)
	case kindWishart:
		return r.wishart(asked)
	}
	return nil, fmt.Errorf("no accountant knows noise that is %v", law)
}

// family returns the kind of law as far as the parts of a release go.
func (l Law) family() string {
	if l.Kind == kindSymmetricGaussian {
		return kindGaussian
	}
	return l.Kind
}

// vector reports whether a release may have parts under the law: whether changes of parts that are
// counted in units of their scales add up to one number.
func (l Law) vector() bool {
	switch l.family() {
	case kindGaussian, kindDiscreteGaussian, kindLaplace:
		return true
	}
	return false
}

// moves returns the change of the whole vector in units of its scales: the sum over its parts under
// Laplace noise, and otherwise the root of the sum of squares. Joint, if given, has to be at least
// the change of each part, and takes the place of the sum.
func (r *Release) moves() (float64, error) {
	share := func(p Part) float64 {
		if p.Law.Kind == kindLaplace {
			return p.Sensitivity.L1 / p.Law.Scale
		}
		return p.Sensitivity.L2 / p.Law.Scale
	}
	total := share(Part{r.Law, r.Sensitivity})
	most := total
	for _, p := range r.Parts {
		s := share(p)
		most = math.Max(most, s)
		if r.Law.Kind == kindLaplace {
			total += s
		} else {
			total = portable.Hypot(total, s)
		}
	}
	const rounding = 1e-9
	switch {
	case r.Joint == 0:
		return total, nil
	case !(r.Joint >= most*(1-rounding) && r.Joint <= total*(1+rounding)):
		return 0, fmt.Errorf("a release with Joint = %v of parts that move by up to %v, together by %v: want a value between", r.Joint, most, total)
	}
	return r.Joint, nil
}

func (r *Release) times() int { return max(1, r.Times) }

// repeated returns the event of r.Times releases, each of which costs e.
func (r *Release) repeated(e account.Event) (account.Event, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if r.times() == 1 {
		return e, nil
	}
	return account.Repeat{Event: e, Times: r.times()}, nil
}

// shuffled returns the event of a Gaussian message in a shuffled batch. It is the message's own
// event where shuffling gains nothing.
func shuffled(mu float64, batch int, asked Budget) (account.Event, error) {
	local := account.GaussianEvent{Mu: mu}
	if err := local.Validate(); err != nil || asked.Delta == 0 {
		return local, err
	}
	alone := account.GaussianEpsilon(asked.Delta, mu)
	epsilon := amplified.MixedEpsilon(asked.Delta, mu, batch)
	switch {
	case epsilon == 0: // it holds at every larger epsilon, too, and an event's has to be positive
		epsilon = min(asked.Epsilon, 1e-9*alone)
	case epsilon > asked.Epsilon && amplified.MixedDelta(asked.Epsilon, mu, batch) <= asked.Delta:
		epsilon = asked.Epsilon // the bisection stopped within its last digit
	}
	if !(epsilon < alone*(1-1e-6)) {
		return local, nil
	}
	return account.ApproximateEvent{Epsilon: epsilon, Delta: asked.Delta}, nil
}

func checked(e account.Event) (account.Event, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e, nil
}

// spread returns the change of the difference of two scores, or queries, in units of the
// sensitivity.
func (r *Release) spread() float64 {
	if r.Monotone {
		return 1
	}
	return 2
}

// compared returns the event of AboveThreshold: the costs of the threshold and of the query add up.
func (r *Release) compared() (account.Event, error) {
	if r.Threshold.Kind != kindLaplace || r.Law.Kind != kindLaplace || len(r.Parts) > 0 || r.Joint > 0 {
		return nil, fmt.Errorf("comparisons of %v under %v with parts %v, want Laplace noise on a threshold and on queries, and no parts", r.Law, r.Threshold, r.Parts)
	}
	share := 1/r.Threshold.Scale + r.spread()/r.Law.Scale
	return checked(account.SparseVectorEvent{Epsilon: r.Sensitivity.LInf * share, Accepted: r.times()})
}

// wishart returns the event of Gram matrices under Wishart noise.
func (r *Release) wishart(asked Budget) (account.Event, error) {
	law := r.Law
	if !(r.Sensitivity.L2 <= law.Scale*(1+1e-9)) {
		return nil, fmt.Errorf("a row of squared norm %v under %v", r.Sensitivity.L2, law)
	}
	e, err := account.WishartEvent{Nodes: r.times()}.Tightest(asked.Delta, func(delta float64) float64 {
		return math.Sqrt(28 * portable.Log(4/delta) / (law.Shape - float64(law.Dim)))
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}
