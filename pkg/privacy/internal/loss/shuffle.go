package loss

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Shuffle returns the pair of n messages in random order, each epsilon-locally private
// (Feldman, McMillan, Talwar, "Hiding among the clones", 2021, Thm. 3.2). Let C ~ Bin(n-1, e^-eps)
// be the number of clones, A ~ Bin(C, 1/2) and D ~ Bern(e^eps/(e^eps+1)). P is the law of (A+D,
// C-A+1-D) and Q that of (A+1-D, C-A+D). The loss at (a, b) is ln (e^eps a + b)/(a + e^eps b).
//
// Fewer clones are worse, since a further one can be simulated. So the values of C are gathered in
// bins, and each bin counts as its lowest value; the truncated tails count as no clones at all. The
// pair remains a dominating one.
func Shuffle(eps float64, users int) (Pair, error) {
	// No clones at all are always a bound, and all that is left at a probability of e^-700.
	if users == 1 || eps > 700 {
		return Response(eps, 0, 2)
	}
	n := float64(min(users, MostShuffled) - 1)
	r := portable.Exp(-eps)
	spread := float64(10 * math.Sqrt(n*r*(1-r)))
	lo, hi := math.Max(0, math.Floor(float64(n*r)-spread-100)), math.Min(n, math.Ceil(float64(n*r)+spread+100))
	mass := Binomial(n, r, lo, hi)

	// Some 2^18 atoms in all.
	each := float64(25*math.Sqrt(hi/4)) + 100
	bins := math.Min(math.Max(8, math.Ceil(float64(1<<18)/each)), hi-lo+1)
	width := int(math.Ceil((hi - lo + 1) / bins))

	x := Pair{sup: eps}
	rest := 1.0 // what is in no bin
	for i := 0; i < len(mass); i += width {
		weight := 0.0
		for _, m := range mass[i:min(i+width, len(mass))] {
			weight += m
		}
		if weight < 1e-40 {
			continue
		}
		rest -= weight
		c := lo + float64(i)
		from, to := math.Max(0, math.Floor(float64(c/2)-float64(12*math.Sqrt(c/4))-50)), math.Min(c, math.Ceil(float64(c/2)+float64(12*math.Sqrt(c/4))+50))
		half := Binomial(c, 0.5, from, to)
		for j, m := range half {
			a := from + float64(j)
			// D = 1, a+1 against c-a; and D = 0, a against c-a+1.
			up, down := a+1, c-a
			x.atoms = append(x.atoms, lossAtom{portable.Log((up + float64(r*down)) / (float64(r*up) + down)), weight * m / (1 + r)})
			up, down = a, c-a+1
			x.atoms = append(x.atoms, lossAtom{portable.Log((up + float64(r*down)) / (float64(r*up) + down)), weight * m * r / (1 + r)})
		}
	}
	// The truncated mass is below 1e-20 at ten standard deviations (Bernstein). The rounding of the
	// sums is added to it.
	tail := math.Max(0, rest) + 1e-20
	x.atoms = append(x.atoms, lossAtom{eps, tail / (1 + r)}, lossAtom{-eps, tail * r / (1 + r)})
	return x.closed(), nil
}

// MostShuffled is the largest number of users that is counted. Fewer users hide less, so bounds for
// this many hold for more.
const MostShuffled = 1e7

// Binomial returns the masses of Bin(n, p) at lo..hi, scaled to sum to 1.
func Binomial(n, p, lo, hi float64) []float64 {
	out := make([]float64, int(hi-lo)+1)
	mode := math.Min(math.Max(lo, math.Floor((n+1)*p)), hi)
	at := int(mode - lo)
	out[at] = 1
	odds := p / (1 - p)
	for j := at + 1; j < len(out); j++ {
		k := lo + float64(j)
		out[j] = out[j-1] * odds * (n - k + 1) / k
	}
	for j := at - 1; j >= 0; j-- {
		k := lo + float64(j)
		out[j] = out[j+1] / odds * (k + 1) / (n - k)
	}
	sum := 0.0
	for _, v := range out {
		sum += v
	}
	for j := range out {
		out[j] /= sum
	}
	return out
}
