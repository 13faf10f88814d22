package charts

import "testing"

// LogLog has two logarithmic axes, and can be drawn.
func TestLogLog(t *testing.T) {
	f := LogLog("squares", "x", "x²", Function("square", []float64{1, 10, 100}, func(x float64) float64 { return x * x }))
	if !f.X.Log || !f.Y.Log || f.Series[0].Y[2] != 10_000 {
		t.Errorf("%+v", f)
	}
	if _, err := f.SVG(); err != nil {
		t.Error(err)
	}
}
