package charts

import "math"

// maxPoints is the number of points that a figure keeps of a line, about one in two pixels.
// maxFramePoints is that of a slider's frame.
const (
	maxPoints      = 400
	maxFramePoints = 160
)

// downsample returns a line with at most n points: both ends, and the smallest and the largest Y in
// each of equal parts of the X axis. A band keeps its values at these points. Only lines and steps
// get shorter: a point of a scatter is never dropped in silence.
func (s Series) downsample(n int, logX bool) Series {
	if s.Kind != Line && s.Kind != Step || len(s.X) <= n {
		return s
	}
	keep := extremes(s.X, s.Y, n, logX)
	s.X, s.Y = pick(s.X, keep), pick(s.Y, keep)
	if s.Lo != nil {
		s.Lo, s.Hi = pick(s.Lo, keep), pick(s.Hi, keep)
	}
	if s.Labels != nil {
		s.Labels = pick(s.Labels, keep)
	}
	return s
}

// extremes returns the indices, ascending, of at most n points to keep.
func extremes(x, y []float64, n int, logX bool) []int {
	last := len(x) - 1
	place := func(i int) float64 { return float64(i) / float64(last) }
	if ascending(x) && x[0] < x[last] {
		f := func(v float64) float64 { return v }
		if logX {
			f = math.Log
		}
		from, span := f(x[0]), f(x[last])-f(x[0])
		place = func(i int) float64 { return (f(x[i]) - from) / span }
	}
	parts := (n - 2) / 2
	part := func(i int) int { return min(int(place(i)*float64(parts)), parts-1) }
	keep := []int{0}
	for i := 1; i < last; {
		lo, hi, p := i, i, part(i)
		for ; i < last && part(i) == p; i++ {
			if y[i] < y[lo] {
				lo = i
			}
			if y[i] > y[hi] {
				hi = i
			}
		}
		keep = append(keep, min(lo, hi))
		if lo != hi {
			keep = append(keep, max(lo, hi))
		}
	}
	return append(keep, last)
}

func ascending(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if x[i] < x[i-1] {
			return false
		}
	}
	return true
}

func pick[T any](v []T, keep []int) []T {
	out := make([]T, len(keep))
	for i, k := range keep {
		out[i] = v[k]
	}
	return out
}
