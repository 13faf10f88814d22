package episodes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// flipHat is the setting of FLIPHAT's paper, but for the calibration.
func flipHat(epsilon float64) NoisyIHT {
	return NoisyIHT{Budget: privacy.Budget{Epsilon: epsilon, Delta: 0.01}, Sparsity: 10, L1: 3.75}
}

// Without noise, an estimate is what iterative hard thresholding gives on the clipped rows.
func TestNoisyIHTWithoutNoise(t *testing.T) {
	const d, horizon = 5, 40
	rows := sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, d)
	h := initialised[*noisyIHTRun](t, NoisyIHT{Budget: narrow, Sparsity: 2, L1: 1.2, Step: 0.2, Rate: 1, Sd: 0.3, Context: 1.5}, d, horizon,
		privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) }))
	start := 0
	for i := range rows {
		moved, err := h.Add(&rows[i])
		if err != nil {
			t.Fatal(err)
		}
		if !moved {
			continue
		}
		n := i + 1 - start
		bound := 1.2*1.5 + 0.3*math.Sqrt(2*math.Log(1+float64(n)))
		theta := make([]float64, d)
		for range int(math.Log(1 + float64(n)*1.44)) {
			step := make([]float64, d)
			for _, rec := range rows[start : i+1] {
				r := math.Max(-bound, math.Min(bound, rec.Y[0]))
				for j, v := range rec.X {
					r -= theta[j] * math.Max(-1.5, math.Min(1.5, v))
				}
				for j, v := range rec.X {
					step[j] += 0.4 / float64(n) * r * math.Max(-1.5, math.Min(1.5, v))
				}
			}
			size := make([]float64, d)
			for j := range theta {
				theta[j] += step[j]
				size[j] = math.Abs(theta[j])
			}
			slices.Sort(size)
			for j, v := range theta {
				if math.Abs(v) < size[d-2] {
					theta[j] = 0
				}
			}
			theta = nearestInBall(theta, 1.2)
		}
		got := make([]float64, d)
		for a, j := range h.Release().Support {
			got[j] = h.Release().Theta[a]
		}
		for j := range theta {
			expect.Near(t, "theta", got[j], theta[j], 1e-9)
		}
		start = i + 1
	}
	if e := h.Release().Episode; e != len(h.Ends()) || e < 5 {
		t.Errorf("%d episodes in %d rounds, want %d", e, horizon, len(h.Ends()))
	}
}

// nearestInBall finds the projection on an L1 ball by bisection on the shift.
func nearestInBall(theta []float64, radius float64) []float64 {
	at := func(shift float64) (out []float64, sum float64) {
		for _, v := range theta {
			v = math.Copysign(math.Max(0, math.Abs(v)-shift), v)
			out, sum = append(out, v), sum+math.Abs(v)
		}
		return out, sum
	}
	out, sum := at(0)
	if sum <= radius {
		return out
	}
	low, high := 0.0, sum
	for range 200 {
		middle := low + (high-low)/2
		if out, sum = at(middle); sum > radius {
			low = middle
		} else {
			high = middle
		}
	}
	return out
}

// Replacing a record moves no coordinate of a step by more than lambda, and the worst pair of
// records moves one by just that.
func TestNoisyIHTSensitivity(t *testing.T) {
	const d, n = 4, 8
	h := initialised[*noisyIHTRun](t, NoisyIHT{Budget: narrow, Sparsity: 2, L1: 0.7, Context: 1.3, Lengths: Growing{Least: n}}, d, 100, privacy.NewNoise(rand.NewPCG(1, 1)))
	rng := rand.New(rand.NewPCG(5, 1))
	p := h.levels[0]
	record := func(far float64) privacy.Record {
		x := make([]float64, d)
		for j := range x {
			x[j] = far * rng.NormFloat64()
		}
		return privacy.Record{X: x, Y: []float64{far * 5 * rng.NormFloat64()}}
	}
	for _, first := range []bool{true, false} {
		lambda, most := p.later.lambda, 0.0
		if first {
			lambda = p.first.lambda
		}
		move := func(a, b privacy.Record, theta []float64) float64 {
			var at [2][]float64
			for w, rec := range []privacy.Record{a, b} {
				h = h.noisyIHT.Start(h.noise).(*noisyIHTRun)
				for range n - 1 {
					if _, err := h.Add(&privacy.Record{X: []float64{1, -1, 0.5, 0.3}, Y: []float64{0.4}}); err != nil {
						t.Fatal(err)
					}
				}
				y := math.Max(-p.reward, math.Min(p.reward, rec.Y[0]))
				h.rewards = append(h.rewards, y)
				for _, v := range rec.X {
					h.rows = append(h.rows, math.Max(-1.3, math.Min(1.3, v)))
				}
				copy(h.theta, theta)
				h.descend(first)
				at[w] = slices.Clone(h.theta)
			}
			var far float64
			for j := range at[0] {
				far = math.Max(far, math.Abs(at[0][j]-at[1][j]))
			}
			return far
		}
		for range 300 {
			theta := make([]float64, d)
			if !first {
				for j := range theta {
					theta[j] = rng.NormFloat64()
				}
				theta = nearestInBall(theta, 0.7)
			}
			most = math.Max(most, move(record(1), record(30), theta))
		}
		if most > lambda*(1+1e-12) {
			t.Errorf("first %v: a record moves a coordinate by %v, want <= lambda = %v", first, most, lambda)
		}
		theta := []float64{0, 0.7, 0, 0}
		if first {
			theta[1] = 0
		}
		a := privacy.Record{X: []float64{9, -9, 0, 0}, Y: []float64{1e9}}
		b := privacy.Record{X: []float64{-9, -9, 0, 0}, Y: []float64{1e9}}
		if worst := move(a, b, theta); math.Abs(worst/lambda-1) > 1e-12 {
			t.Errorf("first %v: the worst records move a coordinate by %v, want lambda = %v", first, worst, lambda)
		}
	}
}

// Exact accounting of the peeling of one step allows the noise of the published lemma at the
// nominal epsilon that an independent program found.
func TestPeelingScale(t *testing.T) {
	for _, c := range []struct{ epsilon, nominal float64 }{{1, 1.797}, {5, 6.172}, {10, 10.481}} {
		if testing.Short() && c.epsilon > 1 {
			break // each takes a second
		}
		scale, err := peelingScale(privacy.Budget{Epsilon: c.epsilon, Delta: 0.01}, 10)
		if err != nil {
			t.Fatal(err)
		}
		expect.Near(t, "nominal epsilon", 2*math.Sqrt(30*math.Log(100))/scale, c.nominal, 0.002)
	}
}

func TestNoisyIHTClaims(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(h *NoisyIHT)
		least, most  float64
		conditionHas string
	}{
		"sound":     {func(*NoisyIHT) {}, 0.999, 1 + 1e-6, "clipped"},
		"gumbel":    {func(h *NoisyIHT) { h.Gumbel = true }, 0.999, 1 + 1e-6, "clipped"},
		"published": {func(h *NoisyIHT) { h.Calibration = privacy.AsPublished }, 0.4, 0.5, "clipped"},
		"no steps":  {func(h *NoisyIHT) { h.Rate = 1e-3 }, 0, 0, ""},
		"public":    {func(h *NoisyIHT) { h.Calibration, h.Unclipped = privacy.AsPublished, true }, math.Inf(1), math.Inf(1), ""},
		"no noise":  {func(h *NoisyIHT) { h.Budget.Epsilon = math.Inf(1) }, math.Inf(1), math.Inf(1), ""},
	} {
		h := flipHat(1)
		c.change(&h)
		claim := privacy.ClaimOf(initialised[*noisyIHTRun](t, h, 400, 40000, nil))
		if e := claim.Epsilon(); !(e >= c.least && e <= c.most) || !strings.Contains(claim.String(), c.conditionHas) {
			t.Errorf("%s: %v, want epsilon in [%v, %v]", name, claim, c.least, c.most)
		}
	}
	if claim := privacy.ClaimOf(initialised[*noisyIHTRun](t, NoisyIHT{Budget: narrow, Sparsity: 1, L1: 1, Rate: 0.3, Calibration: privacy.AsPublished, Unclipped: true}, 3, 100, nil)); !strings.Contains(claim.String(), "not clipped moves") {
		t.Errorf("the public constants' claim does not say why it is empty: %v", claim)
	}
}

// An attacker who replaces a record by the worst one finds no more than what is claimed of the
// sound calibrations, and more than any epsilon of the public one. At 99% confidence, one seed in
// fifty would fail one of the first two falsely.
func TestNoisyIHTAudit(t *testing.T) {
	const d, n = 3, 64
	budget := privacy.Budget{Epsilon: 1, Delta: 0.01}
	for name, c := range map[string]struct {
		h      NoisyIHT
		caught bool
	}{
		"sound":  {NoisyIHT{}, false},
		"gumbel": {NoisyIHT{Gumbel: true}, false},
		"public": {NoisyIHT{Calibration: privacy.AsPublished, Unclipped: true}, true},
	} {
		c.h.Budget, c.h.Sparsity, c.h.L1, c.h.Step, c.h.Lengths = budget, 1, 3.75, 0.1, Growing{Least: n}
		opened, err := c.h.Open(privacy.Setup{Dim: d + 1, Horizon: n + 1})
		if err != nil {
			t.Fatal(err)
		}
		release := func(world int, source rand.Source, out []float64) error {
			h := opened.Start(privacy.NewNoise(source))
			row := privacy.Record{X: []float64{0, 0, 0}, Y: []float64{0}}
			for range n - 1 {
				if _, err := h.Add(&row); err != nil {
					return err
				}
			}
			far := []float64{1000, -1000}[world]
			if _, err := h.Add(&privacy.Record{X: []float64{far, far, far}, Y: []float64{1000}}); err != nil {
				return err
			}
			out[0], out[1] = float64(h.Release().Support[0]), h.Release().Theta[0]
			return nil
		}
		runs := 20000
		if c.caught {
			runs = 2000
		}
		f, err := audit.Mechanism{Name: name, Claim: budget, Exact: math.Inf(1), Outputs: 2, Runs: runs, Release: release}.Run(context.Background(), audit.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: epsilon >= %.3g", name, f.Epsilon)
		if f.Excluded() != c.caught {
			t.Errorf("%s: excluded %v, want %v\n%v", name, f.Excluded(), c.caught, f)
		}
	}
}

func TestNoisyIHTRefuses(t *testing.T) {
	for words, change := range map[string]func(h *NoisyIHT, s *privacy.Setup){
		"Sparsity = 5, want in [1, d = 4]": func(h *NoisyIHT, _ *privacy.Setup) { h.Sparsity = 5 },
		"L1 = 0":                           func(h *NoisyIHT, _ *privacy.Setup) { h.L1 = 0 },
		"Step = -1":                        func(h *NoisyIHT, _ *privacy.Setup) { h.Step = -1 },
		"Context = NaN":                    func(h *NoisyIHT, _ *privacy.Setup) { h.Context = math.NaN() },
		"Calibration = Given":              func(h *NoisyIHT, _ *privacy.Setup) { h.Calibration = privacy.Given },
		"AsPublished of Gumbel":            func(h *NoisyIHT, _ *privacy.Setup) { h.Calibration, h.Gumbel = privacy.AsPublished, true },
		"Sound of Unclipped contexts":      func(h *NoisyIHT, _ *privacy.Setup) { h.Unclipped = true },
		"Horizon = 1, want more than":      func(_ *NoisyIHT, s *privacy.Setup) { s.Horizon = 1 },
		"steps in an episode":              func(h *NoisyIHT, _ *privacy.Setup) { h.Rate = 1e6 },
		"delta":                            func(h *NoisyIHT, _ *privacy.Setup) { h.Budget.Delta = 0 },
	} {
		h, s := NoisyIHT{Budget: narrow, Sparsity: 2, L1: 1}, privacy.Setup{Dim: 5, Horizon: 50}
		change(&h, &s)
		if _, err := h.Open(s); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}

// The projection ends in the ball whatever the noise is: beside noise of 2^53 radii the radius
// vanishes.
func TestProjectEndsInTheBall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for scale := 1e-50; scale < 1e150; scale *= 37 {
		for _, radius := range []float64{1e-50, 1, 3.75, 1e50} {
			theta, support := make([]float64, 6), []int{4, 1, 3, 0}
			for _, j := range support {
				theta[j] = rng.NormFloat64() * scale
			}
			theta[1] = theta[4] // a tie
			before := slices.Clone(theta)
			project(theta, support, radius)
			var sum, was float64
			for j, v := range theta {
				sum, was = sum+math.Abs(v), was+math.Abs(before[j])
				if v*before[j] < 0 || math.Abs(v) > math.Abs(before[j]) {
					t.Errorf("at scale %g and radius %g, %v became %v", scale, radius, before, theta)
				}
			}
			if !(sum <= radius*(1+1e-12)) || !(sum >= min(radius, was)*(1-1e-12)) {
				t.Errorf("at scale %g, a norm of %g became %g in the ball of radius %g", scale, was, sum, radius)
			}
		}
	}
}

// If contexts were clipped, a step under the public constants would cost many times the epsilon
// asked for: what an independent program found, to the accuracy of R, which grows with the episode.
func TestPublicConstants(t *testing.T) {
	for _, c := range []struct{ asked, want float64 }{{1, 6.9}, {5, 48.5}, {10, 99}} {
		h := flipHat(c.asked)
		h.Calibration, h.Unclipped = privacy.AsPublished, true
		at := initialised[*noisyIHTRun](t, h, 400, 40000, nil).levels[8] // of 256 rows
		if at.steps != 1 {
			t.Fatalf("%d steps, want 1", at.steps)
		}
		ratio := at.first.lambda / at.first.choice
		epsilon, err := account.PLD{}.Epsilon(account.Sequence{
			account.Repeat{Event: noisyMaximum{2 * ratio}, Times: 10},
			account.Repeat{Event: account.LaplaceEvent{Epsilon: ratio}, Times: 10},
		}, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		expect.Near(t, "true epsilon", epsilon/c.want, 1, 0.05)
	}
}
