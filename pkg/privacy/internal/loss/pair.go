// Package loss composes laws of the privacy loss of pairs of distributions, with all numerical
// errors charged.
//
//   - [Pair]: of output distributions; [Gaussian], [Laplace], [Response] and others make one
//   - [Composition]: of pairs, each a [Factor]; it bounds epsilon and delta from both sides
package loss

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// ErrUnsupported is errors.ErrUnsupported, in words about a loss that cannot be computed.
var ErrUnsupported error = unsupported{}

type unsupported struct{}

func (unsupported) Error() string        { return "the accountant cannot treat this event" }
func (unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

// Pair is a pair (P, Q) of output distributions, stored as the law of its privacy loss ln(P/Q)
// under P. Only a constructor makes a valid one.
//
// The law has atoms, a continuous part and a mass at infinity (Zhu, Dong, Wang, "Optimal accounting
// of differential privacy via characteristic function", 2022, Def. 7). The curve of the pair is
// H(x) = E_P[(1 - x e^-L)+], which is delta at epsilon = ln x.
type Pair struct {
	atoms []lossAtom // finite losses, ascending
	inf   float64    // P-mass at loss +Inf
	// lost is P-mass that was truncated: at infinity in an upper bound, nowhere in a lower one.
	lost float64
	// part makes the continuous part, for one goroutine; nil if there is none.
	part func() lossPart
	from float64 // the continuous part lies in (from, to), up to its tails
	to   float64
	unit float64 // every atom is a multiple of it; 0 if there is no such unit
	sup  float64 // the largest finite loss, or +Inf if there is none
	// group returns the pair of k records where a closed form is known; nil if there is none.
	group func(k int) (Pair, error)
}

// A discrete pair has as many atoms as its noise has integers; these limit them.
const (
	MaxSteps = 1 << 22
	MaxSigma = 1e5
)

type lossAtom struct{ loss, p float64 }

// lossPart returns the mass p of the continuous part on (a, b) under P, and share = q e^a/p for its
// mass q under Q: the mean of e^{a-L} under P on (a, b). rel bounds the relative error of p, and
// off the error of share. If only p is wanted, a may be -Inf or b +Inf.
type lossPart func(a, b float64) (p, share, rel, off float64)

// Gaussian returns the pair N(mu, 1) and N(0, 1). The loss is N(mu^2/2, mu^2) under P and
// N(-mu^2/2, mu^2) under Q.
func Gaussian(mu float64) (Pair, error) {
	if !(mu >= 0) || math.IsInf(mu, 1) {
		return Pair{}, fmt.Errorf("privacy: mu = %v, want finite and >= 0", mu)
	}
	if mu == 0 {
		return Discrete([]float64{1}, []float64{1})
	}
	return Pair{part: func() lossPart { return normalLoss(mu) }, from: mu * (float64(mu/2) - 14), to: mu * (float64(mu/2) + 14), sup: math.Inf(1),
		group: func(k int) (Pair, error) { return Gaussian(float64(k) * mu) }}, nil
}

func normalLoss(mu float64) lossPart {
	under, over := newNormalTails(), newNormalTails() // of P and of Q
	return func(a, b float64) (p, share, rel, off float64) {
		p, rel = under.mass(a/mu-float64(mu/2), b/mu-float64(mu/2))
		if mu < 20 {
			q, e := over.mass(a/mu+float64(mu/2), b/mu+float64(mu/2))
			share = q / p * portable.Exp(a)
			return p, share, rel, share * (rel + e + float64(4e-16*(1+math.Abs(a))))
		}
		// q may underflow. On a width w that is small next to mu the density is e^{c l}, up to a factor
		// whose exponent is at most w^2/(8 mu^2).
		w, c := b-a, 0.5-(a+b)/2/(mu*mu)
		for _, pole := range []float64{0, 1} {
			if math.Abs(c-pole) < 1e-9 {
				c = pole + 1e-9
			}
		}
		share = c / (c - 1) * portable.Expm1((c-1)*w) / portable.Expm1(c*w)
		return p, share, rel, float64(w*portable.Expm1(w*w/(4*mu*mu))) + float64(1e-8*w*w) + float64(4e-16*(1+math.Abs(c)+1/math.Abs(c)))
	}
}

// Laplace returns the pair of Laplace laws of scale 1/epsilon about 0 and about 1. Under P the
// losses epsilon and -epsilon have masses 1/2 and e^-epsilon/2, and the losses l between them the
// density e^{(l-epsilon)/2}/4.
func Laplace(epsilon float64) (Pair, error) {
	if err := finiteEpsilon(epsilon); err != nil {
		return Pair{}, err
	}
	part := func(a, b float64) (p, share, rel, off float64) {
		from, to := math.Max(a, -epsilon), math.Min(b, epsilon)
		if from >= to {
			return 0, 0, 0, 0
		}
		half := float64((to - from) / 2)
		rel = 4e-16 * (2 + epsilon + (math.Abs(from)+math.Abs(to))/(to-from))
		return portable.Exp((from-epsilon)/2) * portable.Expm1(half) / 2, portable.Exp(a - from - half), rel, 4e-16 * (1 + math.Abs(a) + math.Abs(from))
	}
	return Pair{
		atoms: []lossAtom{{-epsilon, portable.Exp(-epsilon) / 2}, {epsilon, 0.5}},
		part:  func() lossPart { return part }, from: -epsilon, to: epsilon, unit: epsilon, sup: epsilon,
		group: func(k int) (Pair, error) { return Laplace(float64(k) * epsilon) },
	}, nil
}

// Response returns the pair of randomised response among choices, for two different true
// answers. With 2 choices it dominates every (epsilon, delta)-private release; delta is the mass of
// an infinite loss (Kairouz, Oh, Viswanath, "The composition theorem for differential privacy",
// 2015, Thm. 3.3).
func Response(epsilon, delta float64, choices int) (Pair, error) {
	if !(delta >= 0 && delta < 1) {
		return Pair{}, fmt.Errorf("privacy: delta = %v, want in [0, 1)", delta)
	}
	if err := finiteEpsilon(epsilon); err != nil {
		return Pair{}, err
	}
	if choices < 2 {
		return Pair{}, fmt.Errorf("privacy: %d choices, want at least 2", choices)
	}
	r := portable.Exp(-epsilon)
	z := (1 - delta) / (1 + float64(float64(choices-1)*r))
	return Pair{
		atoms: []lossAtom{{-epsilon, z * r}, {0, z * r * float64(choices-2)}, {epsilon, z}},
		inf:   delta, unit: epsilon, sup: epsilon,
	}.closed(), nil
}

// DiscreteLaplace returns the pair of laws P(z) ~ e^{-|z|/scale} on the integers, about 0 and
// about sensitivity.
func DiscreteLaplace(sensitivity int64, scale float64) (Pair, error) {
	if sensitivity < 0 || sensitivity > MaxSteps {
		return Pair{}, fmt.Errorf("privacy: sensitivity = %d, want in [0, %d]", sensitivity, MaxSteps)
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return Pair{}, fmt.Errorf("privacy: scale = %v, want finite and > 0", scale)
	}
	if sensitivity == 0 {
		return Discrete([]float64{1}, []float64{1})
	}
	d, r := float64(sensitivity), portable.Exp(-1/scale)
	one := -portable.Expm1(-1/scale) / (1 + r) // the mass of 0
	x := Pair{unit: 1 / scale, sup: d / scale, group: func(k int) (Pair, error) {
		if int64(k) > MaxSteps/sensitivity {
			return Pair{}, fmt.Errorf("privacy: sensitivity = %d for each of %d records, want at most %d in all: %w", sensitivity, k, MaxSteps, ErrUnsupported)
		}
		return DiscreteLaplace(int64(k)*sensitivity, scale)
	}}
	if sensitivity%2 == 0 {
		x.unit *= 2
	}
	x.atoms = append(x.atoms, lossAtom{d / scale, 1 / (1 + r)}, lossAtom{-d / scale, portable.Exp(-d/scale) / (1 + r)})
	for z := 1.0; z < d; z++ {
		x.atoms = append(x.atoms, lossAtom{(d - float64(2*z)) / scale, one * portable.Exp(-z/scale)})
	}
	return x.closed(), nil
}

// DiscreteGaussian returns the pair of laws P(z) ~ e^{-z^2/(2 sigma^2)} on the integers, about
// 0 and about sensitivity.
func DiscreteGaussian(sensitivity int64, sigma float64) (Pair, error) {
	if sensitivity < 0 || sensitivity > MaxSteps {
		return Pair{}, fmt.Errorf("privacy: sensitivity = %d, want in [0, %d]", sensitivity, MaxSteps)
	}
	if !(sigma > 0 && sigma <= MaxSigma) {
		return Pair{}, fmt.Errorf("privacy: sigma = %v, want in (0, %v]", sigma, MaxSigma)
	}
	d, v := float64(sensitivity), float64(sigma*sigma)
	x := Pair{unit: d / (2 * v), sup: math.Inf(1), group: func(k int) (Pair, error) {
		if sensitivity > 0 && int64(k) > MaxSteps/sensitivity {
			return Pair{}, fmt.Errorf("privacy: sensitivity = %d for each of %d records, want at most %d in all: %w", sensitivity, k, MaxSteps, ErrUnsupported)
		}
		return DiscreteGaussian(int64(k)*sensitivity, sigma)
	}}
	if sensitivity%2 == 0 {
		x.unit *= 2
	}
	if sensitivity == 0 {
		x.sup = 0
	}
	reach := math.Ceil(14*sigma) + 1
	sum := 0.0
	for z := -reach; z <= reach; z++ {
		p := portable.Exp(-z * z / (2 * v))
		sum += p
		x.atoms = append(x.atoms, lossAtom{d * (d - float64(2*z)) / (2 * v), p})
	}
	for i := range x.atoms {
		x.atoms[i].p /= sum
	}
	// There are two tails, each at most its first term times a geometric sum of ratio e^{-reach/v}.
	x.lost = 2 * portable.Exp(-(reach+1)*(reach+1)/(2*v)) / -portable.Expm1(-reach/v) / sum
	return x.closed(), nil
}

func finiteEpsilon(epsilon float64) error {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("privacy: epsilon = %v, want finite and > 0", epsilon)
	}
	return nil
}

// normalTails computes masses of the standard normal law. It remembers the last tails, as cells
// side by side share an end.
type normalTails struct {
	at, tail [3]float64
	next     int
}

func newNormalTails() *normalTails {
	nan := math.NaN()
	return &normalTails{at: [3]float64{nan, nan, nan}}
}

// above returns 1 - Phi(x).
func (t *normalTails) above(x float64) float64 {
	for i, at := range t.at {
		if at == x {
			return t.tail[i]
		}
	}
	tail := float64(0.5 * portable.Erfc(x/math.Sqrt2))
	t.at[t.next], t.tail[t.next] = x, tail
	t.next = (t.next + 1) % len(t.at)
	return tail
}

// mass returns Phi(b) - Phi(a) and a bound on its relative error. It computes from the tail that
// has less mass.
func (t *normalTails) mass(a, b float64) (mass, rel float64) {
	if a+b < 0 {
		a, b = -b, -a
	}
	// At large arguments erfc loses a^2 units in the last place.
	tail := t.above(a)
	if mass = tail - t.above(b); mass <= 0 {
		return 0, 0
	}
	x := math.Max(a, 0)
	return mass, 4e-16 * (2 + float64(x*x)) * tail / mass
}

// Valid reports whether a constructor made the pair.
func (x Pair) Valid() bool { return len(x.atoms) > 0 || x.part != nil || x.inf != 0 }

// But returns the pair with an infinite loss of probability tail, for one without.
func (x Pair) But(tail float64) Pair {
	of := x.part
	x.part = func() lossPart {
		part := of()
		return func(a, b float64) (p, share, rel, off float64) {
			p, share, rel, off = part(a, b)
			return p * (1 - tail), share, rel + 4e-16, off
		}
	}
	x.inf = tail
	return x
}

// With returns the pair with that of k records.
func (x Pair) With(group func(k int) (Pair, error)) Pair {
	x.group = group
	return x
}

// closed returns the pair with sorted atoms, equal losses merged, and the largest loss set.
func (x Pair) closed() Pair {
	slices.SortFunc(x.atoms, func(a, b lossAtom) int { return cmp.Compare(a.loss, b.loss) })
	n := 0
	for _, a := range x.atoms {
		switch {
		case a.p == 0:
		case n > 0 && x.atoms[n-1].loss == a.loss:
			x.atoms[n-1].p += a.p
		default:
			x.atoms[n] = a
			n++
		}
	}
	x.atoms = x.atoms[:n]
	if n > 0 && !math.IsInf(x.sup, 1) {
		x.sup = x.atoms[n-1].loss
	}
	return x
}
