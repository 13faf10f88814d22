package charts

import "math"

// span is the range of an axis and the distance of its ticks; step is 0 on a log axis.
type span struct{ from, to, step float64 }

// span returns the range of the axis: its Range, or round numbers around the data of all frames. If
// single points are drawn, the ends of a log axis keep some distance from them.
func (a Axis) span(data [2]float64, points bool) span {
	lo, hi := data[0], data[1]
	if a.Range != [2]float64{} {
		lo, hi = a.Range[0], a.Range[1]
	}
	if a.Log {
		if a.Range == [2]float64{} {
			lo, hi = logEnds(lo, hi)
			if points && data[0] < 1.2*lo {
				lo /= 1.5
			}
			if points && data[1] > hi/1.2 {
				hi *= 1.5
			}
		}
		return span{lo, hi, 0}
	}
	if lo == hi {
		pad := math.Abs(lo) / 2
		if pad == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
	}
	step := niceStep(hi-lo, 9)
	if a.Range == [2]float64{} {
		if lo > 0 && lo < 0.4*hi { // nearly from zero: from zero
			lo = 0
		}
		step = niceStep(hi-lo, 9)
		lo, hi = math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	}
	return span{lo, hi, step}
}

// logEnds returns the ends of a log axis around data: powers of ten or, at an end where that would
// leave over an eighth of the axis empty, 2 or 5 times one.
func logEnds(lo, hi float64) (from, to float64) {
	down, up := math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
	if down == up {
		up++
	}
	from, to = math.Pow(10, down), math.Pow(10, up)
	eighth := math.Pow(10, (up-down)/8)
	for _, m := range []float64{2, 5} {
		if end := m * math.Pow(10, down); end <= lo*(1+1e-9) && m > eighth {
			from = end
		}
	}
	for _, m := range []float64{2, 5} {
		if end := math.Pow(10, up) / m; end >= hi*(1-1e-9) && end >= 2*from && m > eighth {
			to = end
		}
	}
	return from, to
}

// rounding returns a function that rounds numbers on the axis. Nobody reads numbers off a hidden
// axis: there it keeps what moves a point by about a quarter of a pixel, and shortens the page.
func (s span) rounding(a Axis) func([]float64) []float64 {
	if !a.Hidden || a.Log {
		return func(v []float64) []float64 { return v }
	}
	unit := math.Pow(10, math.Ceil(math.Log10(2000/(s.to-s.from))))
	return func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(v))
		for i := range v {
			out[i] = math.Round(v[i]*unit) / unit
		}
		return out
	}
}

// niceStep returns 1, 2 or 5 times a power of ten, such that it cuts the width into at most so many
// parts, 9 or fewer.
func niceStep(width, most float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(width/min(5, most))))
	for _, m := range []float64{1, 2, 5} {
		if width/(m*p) <= most {
			return m * p
		}
	}
	return 10 * p
}
