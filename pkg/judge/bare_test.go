package judge

import (
	"math"
	"testing"
)

// TestTellingRuns: over all laws that a claim allows, the runs rarely agree in both worlds by
// accident, and with a tenth fewer they might; a claim that allows too much is not looked at.
func TestTellingRuns(t *testing.T) {
	worst := func(epsilon, delta float64, runs int) (most float64) {
		for i := range 10_001 {
			p := float64(i) / 10_000
			q := math.Max(0, (p-delta)/math.Exp(epsilon))
			most = math.Max(most, bareTried*math.Pow(p*(1-q), float64(runs)))
		}
		return most
	}
	for _, c := range [][2]float64{{0.1, 0}, {0.5, 0.1}, {math.Ln2, 0}, {1, 0}, {1, 0.1}, {1, 1e-5}, {2, 0.01}, {3, 0}} {
		runs := tellingRuns(c[0], c[1])
		if alarm := worst(c[0], c[1], runs); runs > bareRuns || alarm > bareAlarm*(1+1e-9) {
			t.Errorf("eps %v, delta %v: %d runs, by accident with probability %v, want at most %v", c[0], c[1], runs, alarm, bareAlarm)
		}
		if fewer := runs * 9 / 10; worst(c[0], c[1], fewer) < bareAlarm {
			t.Errorf("eps %v, delta %v: %d runs, and %d are enough", c[0], c[1], runs, fewer)
		}
	}
	for _, c := range [][2]float64{{10, 0}, {1, 1}, {math.Inf(1), 0}, {0, 1}} {
		if runs := tellingRuns(c[0], c[1]); runs <= bareRuns {
			t.Errorf("eps %v, delta %v: %d runs, want more than %d", c[0], c[1], runs, bareRuns)
		}
	}
}
