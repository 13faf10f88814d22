package loss

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Grouped returns the pair that dominates a change of k records, if x dominates that of one.
//
// Additive noise has its own kind of pair, under k times the sensitivity: it moves k times as far
// in one coordinate. A choice of bounded range has k times the range.
//
// Any other pair is raised. Let R(a) be the largest power of a test of level a between P and Q. A
// test of level a on the data has at most the power R(a) after one change, R(R(a)) after two, and
// so on (Dong, Roth, Su, "Gaussian differential privacy", 2022, Thm. 2.14). No smaller bound holds
// for all mechanisms that the pair dominates.
func (x Pair) Grouped(k int) (Pair, error) {
	switch {
	case k == 1:
		return x, nil
	case x.group != nil:
		return x.group(k)
	case x.part != nil:
		return Pair{}, fmt.Errorf("privacy: %w: %d records of a user in a continuous pair without a closed form", ErrUnsupported, k)
	case len(x.atoms) > MaxSteps/k:
		return Pair{}, fmt.Errorf("privacy: %w: %d records of a user in a pair of %d losses, want a product <= %d", ErrUnsupported, k, len(x.atoms), MaxSteps)
	}
	x.inf, x.lost = x.inf+x.lost, 0
	power, out := x, Pair{}
	for none := true; ; power = power.then(power) {
		if k&1 == 1 {
			if none {
				out, none = power, false
			} else {
				out = out.then(power)
			}
		}
		if k >>= 1; k == 0 {
			return out.closed(), nil
		}
	}
}

// then returns the pair whose largest power is R_y(R_x): that of a change that x dominates, and of
// another one after it, which y dominates. Both have atoms alone.
//
// R_x rises by an atom of x, from the largest loss to the least: by p, over a width of q = p
// e^-loss. So the P-masses of x and the Q-masses of y lie side by side on one axis, and where they
// overlap the losses add up. Rounding moves the masses by a relative 2^-52 for each atom, which is
// charged.
func (x Pair) then(y Pair) Pair {
	out := Pair{inf: y.inf, unit: x.unit, sup: x.sup}
	charge := 1 + float64(float64(len(x.atoms)+len(y.atoms)+8)*0x1p-51)
	i, left := len(x.atoms), x.inf // what is left of atom i of x; first its infinite loss
	if left == 0 {
		i--
		left = x.atoms[i].p
	}
	for j := len(y.atoms) - 1; j >= 0; j-- {
		v := y.atoms[j]
		width := v.p * portable.Exp(-v.loss)
		for rest := 1.0; rest > 0; {
			share := rest
			if i > 0 && left < float64(rest*width) {
				share = left / width
			}
			if i == len(x.atoms) {
				out.inf += float64(share * v.p)
			} else {
				out.add(x.atoms[i].loss+v.loss, float64(share*v.p))
			}
			if rest -= share; rest > 0 {
				i--
				left = x.atoms[i].p
			} else {
				left = math.Max(0, left-float64(share*width))
			}
		}
	}
	out.inf = math.Min(1, out.inf*charge)
	for i := range out.atoms {
		out.atoms[i].p *= charge
	}
	return out.closed()
}

// add adds an atom below all others, or to the last one.
func (x *Pair) add(loss, p float64) {
	if x.unit > 0 {
		loss = float64(math.Round(loss/x.unit) * x.unit)
	}
	if n := len(x.atoms); n > 0 && x.atoms[n-1].loss == loss {
		x.atoms[n-1].p += p
		return
	}
	x.atoms = append(x.atoms, lossAtom{loss, p})
}
