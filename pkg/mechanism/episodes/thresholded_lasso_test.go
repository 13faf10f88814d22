package episodes

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// allRepairs mends all that is printed.
var allRepairs = Repairs{Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true, TwoSided: true, Gamma: true}

func thresholded(t testing.TB, b privacy.Budget, r Repairs, dim, horizon int, n *privacy.Noise) *thresholdedLassoRun {
	t.Helper()
	l := ThresholdedLasso{Budget: b, Sparsity: min(5, dim), Reward: 1.5, Row: 3.8, Repairs: r}
	return initialised[*thresholdedLassoRun](t, l, dim, horizon, n)
}

// The printed formulas give the numbers that an independent calculation found.
func TestThresholdedLassoFormulas(t *testing.T) {
	spread := 1 + 4*1.5*math.Sqrt(5)/0.25
	for _, c := range []struct{ epsilon, xi, gamma float64 }{{1, 7.3e5, -0.27}, {10, 7.3e4, -2780}} {
		l := thresholded(t, privacy.Budget{Epsilon: c.epsilon, Delta: 1e-5}, Repairs{}, 100, 16000, nil)
		expect.Near(t, "xi", l.xi/c.xi, 1, 0.01)
		expect.Near(t, "Gamma", l.threshold/math.Sqrt(spread)/c.gamma, 1, 0.25)
		if l.most != 13 {
			t.Errorf("%d coordinates, want 5 + sqrt(54.7), rounded up", l.most)
		}
	}
	if l := thresholded(t, narrow, Repairs{Gamma: true}, 100, 16000, nil); !(l.threshold > 0) {
		t.Errorf("the mended threshold is %v, want > 0", l.threshold)
	}
}

// A release is the sum of the rows so far on the support, and the noise of as many nodes as the
// number of rows has ones. Where the support stays, the noise of a node stays.
func TestThresholdedLassoTree(t *testing.T) {
	const d, horizon = 6, 200
	rows := sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, d)
	var unit float64
	noise := privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
		clear(dst)
		if law.Kind == "Wishart" {
			unit++
			for i := range dst {
				dst[i] = 1 + 1e-6*unit
			}
		}
	})
	l := thresholded(t, narrow, Repairs{TwoSided: true}, d, horizon, noise)
	var before float64
	for i := range rows {
		moved, err := l.Add(&rows[i])
		if err != nil {
			t.Fatal(err)
		}
		if moved != (i+1 < horizon) {
			t.Fatalf("row %d moved the release: %v", i, moved)
		}
		r := l.Release()
		if len(r.Support) == 0 || !moved {
			continue
		}
		for a, j := range r.Support {
			sum := 0.0
			for _, rec := range rows[:i+1] {
				sum += rec.X[j] * rec.Y[0]
			}
			ones := 0
			for n := i + 1; n > 0; n &= n - 1 {
				ones++
			}
			expect.Near(t, "X'y", r.Cross[a]-sum, float64(ones), 1e-2)
			expect.Near(t, "X'X", r.Gram[packed.Size(a)], grams(rows[:i+1], j, r.Support[0])+float64(ones), 1e-2)
		}
		if i%2 == 0 && (i+2)&(i+1) != 0 { // only the node of a single row is new
			sum := 0.0
			for _, rec := range rows[:i+1] {
				sum += rec.X[r.Support[0]] * rec.Y[0]
			}
			expect.Near(t, "the older nodes' noise", r.Cross[0]-sum-1-1e-6*unit, before, 1e-9)
		}
		before = r.Cross[0]
		for _, rec := range rows[:i+1] {
			before -= rec.X[r.Support[0]] * rec.Y[0]
		}
	}
	if s := l.Release().Support; !slices.Contains(s, 0) || !slices.Contains(s, 1) {
		t.Errorf("support %v, want 0 and 1 in it", s)
	}
}

func grams(rows []privacy.Record, a, b int) (sum float64) {
	for _, rec := range rows {
		sum += rec.X[a] * rec.X[b]
	}
	return sum
}

// As printed, a threshold is drawn for each query; mended, for each coordinate that is above, and
// once more at most for each episode.
func TestThresholdedLassoThresholds(t *testing.T) {
	const d, horizon = 30, 300
	rows := sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, d)
	above := 0
	for _, mended := range []bool{false, true} {
		l := thresholded(t, narrow, Repairs{Threshold: mended, Screen: true}, d, horizon, privacy.NewNoise(rand.NewPCG(4, 1)))
		for i := range rows {
			if _, err := l.Add(&rows[i]); err != nil {
				t.Fatal(err)
			}
			if (i+2)&(i+1) == 0 {
				above += len(l.Release().Support)
			}
		}
		if !mended && l.redrawn != l.queries || mended && !(l.redrawn < l.queries && l.redrawn <= above+l.episodes) {
			t.Errorf("mended %v: %d thresholds for %d queries", mended, l.redrawn, l.queries)
		}
		above = 0
	}
}

// Whatever epsilon is, the support holds coordinates of S_0 alone, which no noise hides: with many
// rows, none that does not matter.
func TestThresholdedLassoScreen(t *testing.T) {
	const d, horizon = 40, 5000
	rows := sparseRows(rand.New(rand.NewPCG(9, 1)), horizon, d)
	chosen := 0
	for seed := range uint64(20) {
		l := thresholded(t, privacy.Budget{Epsilon: 0.1, Delta: 1e-5}, Repairs{}, d, horizon, privacy.NewNoise(rand.NewPCG(seed, 1)))
		for i := range rows {
			if _, err := l.Add(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		for _, j := range l.Release().Support {
			chosen++
			if j > 1 {
				t.Errorf("coordinate %d was chosen, want 0 and 1 only", j)
			}
		}
	}
	if chosen < 5 || chosen > 35 { // 40 coins, heads about every second time
		t.Errorf("%d of 40 were chosen", chosen)
	}
}

// Each repair that the privacy needs is wanted for a finite claim, and its lack is named. All
// together prove what was asked for.
func TestThresholdedLassoClaims(t *testing.T) {
	for words, change := range map[string]func(r *Repairs){
		"LASSO coefficient": func(r *Repairs) { r.Sensitivity = false },
		"fresh threshold":   func(r *Repairs) { r.Threshold = false },
		"S_0":               func(r *Repairs) { r.Screen = false },
		"not clipped":       func(r *Repairs) { r.Bound = false },
	} {
		r := allRepairs
		change(&r)
		if c := privacy.ClaimOf(thresholded(t, narrow, r, 100, 16000, nil)); !math.IsInf(c.Epsilon(), 1) || !strings.Contains(c.String(), words) {
			t.Errorf("the claim is %v, want +Inf, and %q", c, words)
		}
	}
	if c := privacy.ClaimOf(thresholded(t, narrow, Repairs{}, 100, 16000, nil)); strings.Count(c.Event().String(), ";") != 3 {
		t.Errorf("four reasons are wanted in %v", c)
	}
	for _, epsilon := range []float64{0.5, 1, 10} {
		b := privacy.Budget{Epsilon: epsilon, Delta: 1e-5}
		c := privacy.ClaimOf(thresholded(t, b, allRepairs, 100, 16000, nil))
		if !(c.Epsilon() <= epsilon && c.Epsilon() > epsilon/2) {
			t.Errorf("epsilon = %v is proved, want (%v, %v]", c.Epsilon(), epsilon/2, epsilon)
		}
		r := allRepairs
		r.Split = false // both parts get the whole
		if c := privacy.ClaimOf(thresholded(t, b, r, 100, 16000, nil)); !(c.Epsilon() > 0) {
			t.Errorf("without Split: %v", c)
		}
	}
}

func TestThresholdedLassoRefuses(t *testing.T) {
	for words, change := range map[string]func(l *ThresholdedLasso){
		"Sparsity = 9, want in [1, d = 8]": func(l *ThresholdedLasso) { l.Sparsity = 9 },
		"Row = 0":                          func(l *ThresholdedLasso) { l.Row = 0 },
		"Compatibility = NaN":              func(l *ThresholdedLasso) { l.Compatibility = math.NaN() },
		"want < 1":                         func(l *ThresholdedLasso) { l.Repairs, l.Budget.Epsilon = allRepairs, 1000 },
		"delta":                            func(l *ThresholdedLasso) { l.Budget.Delta = 0 },
	} {
		l := ThresholdedLasso{Budget: narrow, Sparsity: 2, Reward: 1, Row: 2}
		change(&l)
		if _, err := l.Open(privacy.Setup{Dim: 9, Horizon: 50}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}
