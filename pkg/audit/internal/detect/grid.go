package detect

import (
	"math"
	"slices"
	"strconv"
)

// Grid rounds each output to a multiple of a power of two. The step is fixed before the runs that
// test an event, is the same in both worlds, and leaves some 4,000 multiples within the spread of
// the output. So rounded outputs tell what the outputs of the mechanism in real numbers tell, up to
// 2^-12 of the noise, and nothing of the low bits that floating-point noise lacks.
type Grid []float64

const (
	gridBits = 12
	gridRuns = 1000 // that measure an output's spread
)

// NewGrid returns the grid for outputs like those of the choosing runs. The spread is the lesser
// one of the worlds, as measured by the median deviation from the median, or by the standard
// deviation if that is 0. An output that is constant in both worlds is not rounded.
func NewGrid(worlds [2]Samples) Grid {
	g := make(Grid, worlds[0].Width)
	few := [2]Samples{}
	for w, s := range worlds {
		few[w] = s.Slice(0, min(gridRuns, s.Len()))
	}
	m := newMoments(few)
	var column []float64
	middle := func() float64 {
		slices.Sort(column)
		return column[len(column)/2]
	}
	for i := range g {
		for w, s := range few {
			column = column[:0]
			for r := range s.Len() {
				column = append(column, s.Row(r)[i])
			}
			centre := middle()
			for r := range column {
				column[r] = math.Abs(column[r] - centre)
			}
			spread := middle()
			if spread == 0 {
				spread = math.Sqrt(m.variance[w][i])
			}
			if spread > 0 && !math.IsInf(spread, 0) {
				if step := math.Ldexp(1, math.Ilogb(spread)-gridBits); g[i] == 0 || step < g[i] {
					g[i] = step
				}
			}
		}
	}
	return g
}

// Round writes the rounded numbers of a run to dst.
func (g Grid) Round(dst, out []float64) {
	for i, step := range g {
		dst[i] = out[i]
		if v := float64(math.RoundToEven(out[i]/step) * step); step > 0 && v-v == 0 {
			dst[i] = v
		}
	}
}

// String says which steps there are.
func (g Grid) String() string {
	least, most := math.Inf(1), 0.0
	for _, step := range g {
		if step > 0 {
			least, most = min(least, step), max(most, step)
		}
	}
	switch {
	case most == 0:
		return ""
	case least == most:
		return "multiples of 2^" + power(most)
	}
	return "multiples of 2^" + power(least) + " to 2^" + power(most) + ", each output's own"
}

func power(step float64) string { return strconv.Itoa(math.Ilogb(step)) }
