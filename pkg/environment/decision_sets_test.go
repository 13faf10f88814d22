package environment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestConformance(t *testing.T) {
	for _, e := range []DecisionSets{
		{Dim: 5}, {Dim: 5, Gap: 0.1, Reward: Gaussian}, {Dim: 4, Fixed: true}, {Dim: 4, Gap: 0.1, Fixed: true, Reward: Gaussian},
		{Dim: 3, Gap: 1.2, Arms: 7}, {Dim: 2, Arms: 1}, {Dim: 2, Arms: 9, Gap: 0.5}, {Dim: 6, Arms: 4, Top: 1},
	} {
		t.Run(fmt.Sprintf("%+v", e)[:40], func(t *testing.T) {
			bandittest.Environment(t, e,
				bandittest.EnvironmentOptions{Seed: 1, UnboundedRewards: e.Reward == Gaussian})
		})
	}
}

// sample plays rounds and returns the environment's heights <x, theta>, computed here: of the
// optimal arms, of the others, the place of the optimal arm, and for the others the first
// coordinate of the direction around the axis.
func sample(t *testing.T, e DecisionSets, rounds int) (best, others []float64, places []int, around []float64) {
	t.Helper()
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
	theta, top := Theta(trial), e.defaultTop()
	frame := make([]float64, e.Dim) // a unit vector across theta
	frame[0] = 1
	for range 2 {
		dot := inner(frame, theta)
		for i := range frame {
			frame[i] -= dot * theta[i]
		}
	}
	norm := math.Sqrt(inner(frame, frame))
	var v bandit.View
	for range rounds {
		trial.Next(&v)
		found := -1
		for a := range v.Arms {
			x := v.Row(a)
			if n := math.Sqrt(inner(x, x)); math.Abs(n-1) > 1e-9 {
				t.Fatalf("an arm of norm %v, want 1", n)
			}
			height := inner(x, theta)
			if regret := trial.Regret([]int{a}); math.Abs(regret-(top-height)) > 1e-9 {
				t.Fatalf("regret %v of an arm of height %v, want %v", regret, height, top-height)
			}
			if trial.Regret([]int{a}) == 0 && found < 0 && math.Abs(height-top) < 1e-9 {
				found = a
				best = append(best, height)
				places = append(places, a)
				continue
			}
			if height > top-e.Gap+1e-12 || height < -top-1e-12 {
				t.Fatalf("an arm of height %v, want in [%v, %v]", height, -top, top-e.Gap)
			}
			others = append(others, height)
			around = append(around, inner(x, frame)/norm/math.Sqrt(1-height*height))
		}
		if found < 0 {
			t.Fatal("no arm of height Top")
		}
	}
	return best, others, places, around
}

func inner(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// kolmogorov compares a sample with the law of density proportional to density on [lo, hi]. sqrt(n)
// D is over 2.2 with probability 1.2e-4.
func kolmogorov(t *testing.T, what string, sample []float64, lo, hi float64, density func(float64) float64) {
	t.Helper()
	// The distribution at 2001 points, each panel by a rule that is exact to rounding for these
	// densities.
	const panels = 2000
	cdf := make([]float64, panels+1)
	for i := range panels {
		a, b := lo+(hi-lo)*float64(i)/panels, lo+(hi-lo)*float64(i+1)/panels
		cdf[i+1] = cdf[i] + quad.Fixed(density, a, b, 5, quad.Legendre{}, 0)
	}
	counts := make([]float64, panels+1) // of values below the point
	for _, v := range sample {
		counts[min(max(int(math.Ceil((v-lo)/(hi-lo)*panels)), 0), panels)]++
	}
	n := float64(len(sample))
	var below, worst float64
	for i := range counts {
		below += counts[i]
		worst = math.Max(worst, math.Abs(below/n-cdf[i]/cdf[panels]))
	}
	if d := math.Sqrt(n) * worst; d > 2.2 {
		t.Errorf("%s: %d values, sqrt(n) D = %v, want <= 2.2", what, len(sample), d)
	}
}

// TestLaw checks, for the rejection path and for the narrow one: heights of the arms that are not
// optimal have density (1-t^2)^((d-3)/2) on the band; the direction around the axis is uniform, so
// that its first coordinate has density (1-t^2)^((d-4)/2); places of the optimal arm are uniform
// (chi-square, 5 standard deviations). About 16 tests of false-alarm rate 1e-4: 2e-3 in all over
// seeds; the seed is fixed.
func TestLaw(t *testing.T) {
	for _, e := range []DecisionSets{
		{Dim: 5}, {Dim: 5, Gap: 0.1}, {Dim: 5, Gap: 0.7}, // Hi = 0.05: narrow
		{Dim: 3, Gap: 0.1}, {Dim: 3, Gap: 1.4}, {Dim: 16, Gap: 0.1, Arms: 10}, {Dim: 16, Gap: 0.5, Arms: 10}, {Dim: 4, Gap: 0.6, Top: 1},
	} {
		t.Run(fmt.Sprintf("d=%d,gap=%v,top=%v", e.Dim, e.Gap, e.Top), func(t *testing.T) {
			rounds := 40000 / e.Problem().Arms
			best, others, places, around := sample(t, e, rounds)
			if len(best) != rounds || len(others) != rounds*(e.Problem().Arms-1) {
				t.Fatalf("%d optimal arms and %d others in %d rounds", len(best), len(others), rounds)
			}
			top := e.defaultTop()
			power := func(p float64) func(float64) float64 {
				return func(t float64) float64 { return math.Pow(1-t*t, p) }
			}
			kolmogorov(t, "heights", others, -top, top-e.Gap, power(float64(e.Dim-3)/2))
			if e.Dim >= 4 {
				kolmogorov(t, "directions", around, -1, 1, power(float64(e.Dim-4)/2))
			} else { // an angle: the arcsine law, through its angle
				for i, c := range around {
					around[i] = math.Acos(math.Min(1, math.Max(-1, c)))
				}
				kolmogorov(t, "directions", around, 0, math.Pi, func(float64) float64 { return 1 })
			}
			counts, want := make([]float64, e.Problem().Arms), make([]float64, e.Problem().Arms)
			for _, p := range places {
				counts[p]++
			}
			for i := range want {
				want[i] = float64(rounds) / float64(len(want))
			}
			if k := float64(len(want) - 1); stat.ChiSquare(counts, want) > k+5*math.Sqrt(2*k) {
				t.Errorf("the places of the optimal arm: %v", counts)
			}
		})
	}
}

// TestTwoDimensions: the component across the axis is a single normal there, which may be tiny, and
// the arms have unit norm to rounding none the less.
func TestTwoDimensions(t *testing.T) {
	e := DecisionSets{Dim: 2, Arms: 50, Gap: 1.2}
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
	var v bandit.View
	worst := 0.0
	for range 20000 {
		trial.Next(&v)
		for a := range v.Arms {
			worst = math.Max(worst, math.Abs(math.Hypot(v.Row(a)[0], v.Row(a)[1])-1))
		}
	}
	if worst > 1e-8 {
		t.Errorf("an arm's norm is off by %v, want <= 1e-8", worst)
	}
}

// TestNarrowIsRejection: bands just above and just below the switch between the two ways of drawing
// have the same law but for the band's own change of 1e-3. Means and mean squares of the heights
// agree to 5 standard errors.
func TestNarrowIsRejection(t *testing.T) {
	_, wide, _, _ := sample(t, DecisionSets{Dim: 6, Arms: 20, Gap: 0.375}, 2000)
	_, narrow, _, _ := sample(t, DecisionSets{Dim: 6, Arms: 20, Gap: 0.375 + 1e-9}, 2000)
	for power := 1.0; power <= 4; power++ {
		moment := func(sample []float64) (mean, variance float64) {
			m := make([]float64, len(sample))
			for i, v := range sample {
				m[i] = math.Pow(v, power)
			}
			return stat.MeanVariance(m, nil)
		}
		a, va := moment(wide)
		b, vb := moment(narrow)
		if se := math.Sqrt((va + vb) / float64(len(wide))); math.Abs(a-b) > 5*se {
			t.Errorf("moment %v: %v by rejection, %v by heights, standard error %v", power, a, b, se)
		}
	}
}

// TestRewards compares the mean and the variance of rewards with <x, theta>, and theirs, in 200
// rounds of 500 pulls: each mean to 5 standard errors (1e-4 false alarms over seeds; the seed is
// fixed).
func TestRewards(t *testing.T) {
	for _, law := range []Reward{Signs, Gaussian} {
		e := DecisionSets{Dim: 3, Reward: law}
		trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
		rewards := random.New(1, 0, "rewards")
		var v bandit.View
		var y [1]float64
		for range 200 {
			trial.Next(&v)
			mean := inner(v.Row(4), Theta(trial))
			variance := 1.0
			if law == Signs {
				variance = 1 - mean*mean
			}
			var sum float64
			for range 500 {
				trial.Pull(rewards, []int{4}, y[:])
				if law == Signs && y[0] != 1 && y[0] != -1 {
					t.Fatalf("reward %v, want +1 or -1", y[0])
				}
				sum += y[0]
			}
			if z := (sum/500 - mean) / math.Sqrt(variance/500); math.Abs(z) > 5 {
				t.Errorf("law %d: average reward %v of an arm of mean %v: %.1f standard errors", law, sum/500, mean, z)
			}
		}
	}
}

func TestDecisionSetsRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e     DecisionSets
		words []string
	}{
		{DecisionSets{Dim: 1}, []string{"Dim = 1", ">= 2"}},
		{DecisionSets{}, []string{"Dim = 0", ">= 2"}},
		{DecisionSets{Dim: 3, Arms: -1}, []string{"Arms = -1", ">= 0"}},
		{DecisionSets{Dim: 3, Top: 1.1}, []string{"Top = 1.1", "(0, 1]"}},
		{DecisionSets{Dim: 3, Top: -0.1}, []string{"Top = -0.1", "(0, 1]"}},
		{DecisionSets{Dim: 3, Top: nan}, []string{"Top = NaN", "(0, 1]"}},
		{DecisionSets{Dim: 3, Gap: -0.1}, []string{"Gap = -0.1", "1.5"}},
		{DecisionSets{Dim: 3, Gap: 1.5}, []string{"Gap = 1.5", "[0, 2 Top = 1.5)"}},
		{DecisionSets{Dim: 3, Gap: nan}, []string{"Gap = NaN", "1.5"}},
		{DecisionSets{Dim: 3, Reward: 7}, []string{"Reward = 7", "Signs or Gaussian"}},
	} {
		err := refusal(c.e)
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%+v: error %v, want one that names %q", c.e, err, w)
			}
		}
	}
	for _, e := range []DecisionSets{{Dim: 2}, {Dim: 3, Arms: 1, Gap: 1.49, Top: 0.75}, {Dim: 64, Top: 1}} {
		if err := refusal(e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
		if p := e.Problem(); e.Arms == 0 && p.Arms != e.Dim*e.Dim {
			t.Errorf("%+v: %d arms, want d^2", e, p.Arms)
		}
	}
}

// refusal returns the error of opening an environment.
func refusal(e bandit.Environment) error {
	_, err := e.Open()
	return err
}
