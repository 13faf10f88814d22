package simulate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Slope is the exponent of a power law y = c x^Value, with its 95% confidence interval [Lo, Hi].
type Slope struct {
	Value, Lo, Hi float64
	LogC          float64 // natural logarithm of c
	R2            float64 // coefficient of determination of the fit on the logarithms
}

// LogLogSlope fits log(mean y[i]) = LogC + Value log x[i] by ordinary least squares, natural
// logarithms; y[i] holds the trials at x[i], at least one each, x[i] > 0 and mean y[i] > 0.
//
// The interval is the classical one of least squares, Value +- t(0.975, n-2) se, where se comes from
// the points' scatter around the line: it holds the noise of the trials and what the power law
// misses alike, and needs n >= 3 points. It takes the points to be independent, so each x[i] should
// have trials of its own (not the grid points of one curve).
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
		mean := stat.Mean(y[i], nil)
		if !(mean > 0) || math.IsInf(mean, 1) {
			return Slope{}, fmt.Errorf("simulate: LogLogSlope: mean of y[%d] = %v, want finite and > 0", i, mean)
		}
		logx[i], logy[i] = math.Log(x[i]), math.Log(mean)
	}
	center := stat.Mean(logx, nil)
	var sxx, rss float64
	for _, v := range logx {
		sxx += (v - center) * (v - center)
	}
	if sxx == 0 {
		return Slope{}, fmt.Errorf("simulate: LogLogSlope: all x are %v, want at least two values", x[0])
	}
	logc, slope := stat.LinearRegression(logx, logy, nil, false)
	for i := range logx {
		r := logy[i] - logc - slope*logx[i]
		rss += r * r
	}
	se := math.Sqrt(rss / float64(n-2) / sxx)
	half := se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 2)}.Quantile(0.975)
	r2 := 1.0 // of a constant y
	if v := stat.Variance(logy, nil) * float64(n-1); v > 0 {
		r2 = 1 - rss/v
	}
	return Slope{Value: slope, Lo: slope - half, Hi: slope + half, LogC: logc, R2: r2}, nil
}
