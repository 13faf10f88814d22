package detect

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// bins is the ratio of an output that takes many values. The values are cut at quantiles, ever
// finer towards the tails. A value that recurs often, as that of an output without noise does, has
// a bin of its own. Each ratio is reduced by its standard error, which chance may explain.
type bins struct {
	coordinate
	from       []float64 // bin i begins at from[i] and ends at the next; ascending, the first -Inf
	ratios     []float64 // one for each bin
	divergence float64
}

// newBins returns the bins of an output, or nil if it takes only one value. offset is the logarithm
// of the ratio of the worlds' numbers of runs.
func newBins(index int, worlds [2]Samples, offset float64) *bins {
	var sorted [2][]float64
	for w, s := range worlds {
		sorted[w] = make([]float64, 0, s.Len())
		for i := range s.Len() {
			sorted[w] = append(sorted[w], s.Row(i)[index])
		}
		slices.Sort(sorted[w])
	}
	pooled := merge(sorted[0], sorted[1])
	n := len(pooled)
	if n == 0 || pooled[0] == pooled[n-1] {
		return nil
	}
	const fewest, again = 8, 4 // values of the first bin; recurrences that make a value a bin
	b := &bins{coordinate: coordinate{index, worlds[0].name(index)}}
	b.from = append(b.from, math.Inf(-1))
	for rank := fewest; rank <= n/2; rank = rank * 3 / 2 {
		b.from = append(b.from, pooled[rank], pooled[n-rank])
	}
	for i := 0; i < n; {
		end := i + 1
		for end < n && pooled[end] == pooled[i] {
			end++
		}
		if end-i >= again && len(b.from) < 4*maxValues {
			b.from = append(b.from, pooled[i], math.Nextafter(pooled[i], math.Inf(1)))
		}
		i = end
	}
	slices.Sort(b.from)
	b.from = slices.Compact(b.from)
	total := float64(len(sorted[0])) + float64(float64(len(b.from))/2)
	for i := range b.from {
		var count [2]float64
		for w := range sorted {
			count[w] = float64(len(sorted[w]))
			if i+1 < len(b.from) {
				count[w] = float64(sort.SearchFloat64s(sorted[w], b.from[i+1]))
			}
			count[w] -= float64(sort.SearchFloat64s(sorted[w], b.from[i]))
			count[w] += 0.5
		}
		r := portable.Log(count[1]/count[0]) - offset
		chance := math.Sqrt(1/count[0] + 1/count[1])
		r = math.Copysign(max(0, math.Abs(r)-chance), r)
		b.ratios = append(b.ratios, r)
		b.divergence += float64((count[1] - count[0]) / total * r)
	}
	return b
}

// merge returns the numbers of two ascending lists in ascending order.
func merge(a, b []float64) []float64 {
	all := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if cmp.Less(b[0], a[0]) {
			all, b = append(all, b[0]), b[1:]
		} else {
			all, a = append(all, a[0]), a[1:]
		}
	}
	return append(append(all, a...), b...)
}

func (b *bins) Of(out []float64) float64 {
	v := out[b.index]
	lo, hi := 0, len(b.from) // the last bin that begins at v or below
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); b.from[mid] <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return b.ratios[lo]
}

func (b *bins) String() string { return "log-likelihood ratio of " + b.name + ", in bins" }

func (b *bins) apart() float64 { return b.divergence }
