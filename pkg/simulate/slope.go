package simulate

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Slope is the exponent of a power law y = c x^Value, with its 95% confidence interval [Lo, Hi].
type Slope struct {
	Value, Lo, Hi float64
	LogC          float64 // natural logarithm of c
	R2            float64 // coefficient of determination of the fit on the logarithms
}

// LogLogSlope fits ln(mean y[i]) = LogC + Value ln x[i] by ordinary least squares. y[i] holds the
// trials at x[i], at least one each. All x[i] and all means of y[i] must be > 0, and n >= 3 points
// are needed.
//
// The interval is the classical one of least squares, Value +- t(0.975, n-2) se, where se comes
// from the points' scatter around the line. It covers both the noise of the trials and the misfit
// of the power law. It assumes independent points, so each x[i] should have trials of its own (not
// the grid points of one curve).
func LogLogSlope(x []float64, y [][]float64) (Slope, error) {
	n := len(x)
	if n < 3 {
		return Slope{}, fmt.Errorf("simulate: LogLogSlope with %d points, want >= 3", n)
	}
	if len(y) != n {
		return Slope{}, fmt.Errorf("simulate: LogLogSlope: len(y) = %d, want len(x) = %d", len(y), n)
	}
	logx, logy := make([]float64, n), make([]float64, n)
	for i := range x {
		if !(x[i] > 0) || math.IsInf(x[i], 1) {
			return Slope{}, fmt.Errorf("simulate: LogLogSlope: x[%d] = %v, want finite and > 0", i, x[i])
		}
		if len(y[i]) == 0 {
			return Slope{}, fmt.Errorf("simulate: LogLogSlope: y[%d] has no trials, want >= 1", i)
		}
		mean, _ := meanStd(y[i])
		if !(mean > 0) || math.IsInf(mean, 1) {
			return Slope{}, fmt.Errorf("simulate: LogLogSlope: mean of y[%d] = %v, want finite and > 0", i, mean)
		}
		logx[i], logy[i] = portable.Log(x[i]), portable.Log(mean)
	}
	center, _ := meanStd(logx)
	level, spread := meanStd(logy)
	var sxx, sxy, rss float64
	for i, v := range logx {
		sxx += float64((v - center) * (v - center))
		sxy += float64((v - center) * (logy[i] - level))
	}
	if sxx == 0 {
		return Slope{}, fmt.Errorf("simulate: LogLogSlope: all x are %v, want at least two values", x[0])
	}
	slope := sxy / sxx
	logc := level - float64(slope*center)
	for i := range logx {
		r := logy[i] - logc - float64(slope*logx[i])
		rss += float64(r * r)
	}
	se := math.Sqrt(rss / float64(n-2) / sxx)
	half := float64(se * portable.StudentQuantile(0.975, float64(n-2)))
	r2 := 1.0 // of a constant y
	if v := spread * spread * float64(n-1); v > 0 {
		r2 = 1 - rss/v
	}
	return Slope{Value: slope, Lo: slope - half, Hi: slope + half, LogC: logc, R2: r2}, nil
}
