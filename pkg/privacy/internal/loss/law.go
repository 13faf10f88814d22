package loss

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// law is a law of the privacy loss on a grid. It is exponentially tilted, so that deep tails keep
// their digits: the P-mass at (off+j) h is w[j] e^{scale - theta l}, and w sums to 1.
type law struct {
	h, theta float64
	off      int
	w        []float64
	scale    float64
	inf      float64 // P-mass at +Inf
	err      float64 // tilted mass that wrap-around and truncation may misplace or lose
	shift    float64 // largest error of the losses
}

// normalise scales w to sum to 1, and drops the zeros at its ends.
func (l *law) normalise() {
	lo, hi := 0, len(l.w)
	for lo < hi && l.w[lo] == 0 {
		lo++
	}
	for lo < hi && l.w[hi-1] == 0 {
		hi--
	}
	l.w, l.off = l.w[lo:hi], l.off+lo
	sum := 0.0
	for _, v := range l.w {
		sum += v
	}
	if sum == 0 {
		l.w, l.scale = nil, math.Inf(-1)
		return
	}
	for i := range l.w {
		l.w[i] /= sum
	}
	l.err /= sum
	l.scale += portable.Log(sum)
}

// tilt returns the law under another tilt.
func (l law) tilt(theta float64) law {
	w, change := make([]float64, len(l.w)), theta-l.theta
	top := math.Inf(-1)
	for j, v := range l.w {
		w[j] = math.Inf(-1)
		if v > 0 {
			w[j] = portable.Log(v) + float64(change*float64(l.off+j)*l.h)
			top = math.Max(top, w[j])
		}
	}
	for j := range w {
		w[j] = portable.Exp(w[j] - top)
	}
	l.w, l.theta = w, theta
	l.scale += top
	l.normalise()
	return l
}

// logMoment returns ln E[e^{s L}] of the tilted law.
func (l law) logMoment(s float64) float64 {
	top := math.Max(s*float64(l.off)*l.h, s*float64(l.off+len(l.w)-1)*l.h)
	sum, step, x := 0.0, portable.Exp(s*l.h), 0.0
	for j, v := range l.w {
		// Powers are computed by products, which start afresh before rounding grows.
		if j%64 == 0 || math.Abs(s*l.h) > 0.1 {
			x = portable.Exp(float64(s*float64(l.off+j)*l.h) - top)
		}
		sum += float64(v * x)
		x *= step
	}
	return top + portable.Log(sum)
}

// moments returns the mean and the variance of the tilted law.
func (l law) moments() (mean, variance float64) {
	for j, v := range l.w {
		mean += float64(v * float64(l.off+j) * l.h)
	}
	for j, v := range l.w {
		d := float64(float64(l.off+j)*l.h) - mean
		variance += float64(v * d * d)
	}
	return mean, variance
}

// onto returns a law on the grid of spacing h, above or below l.
func (l law) onto(h float64, upper bool) law {
	if h == l.h {
		return l
	}
	g := newGrid(h, l.theta, float64(l.off)*l.h, float64(l.off+len(l.w))*l.h)
	moved := 0.0
	for j, v := range l.w {
		moved = math.Max(moved, g.add(float64(l.off+j)*l.h, v))
	}
	out := g.law(upper)
	out.scale += l.scale
	out.inf, out.err, out.shift = l.inf, out.err+l.err, l.shift+moved
	return out
}
