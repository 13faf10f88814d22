package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

var ctx = context.Background()

// laplace counts one record under the noise for an epsilon.
func laplace(epsilon float64) audit.Mechanism {
	return audit.Mechanism{
		Name: fmt.Sprintf("Laplace, epsilon = %g", epsilon), Claim: privacy.Budget{Epsilon: epsilon}, Exact: epsilon,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			out[0] += float64(world)
			return nil
		},
	}
}

// gaussian is a Gaussian of dimension 3 with the largest mu for a budget; the outputs move by (1,
// -2, 2)/3.
func gaussian(b privacy.Budget) audit.Mechanism {
	mu, err := b.GaussianMu()
	if err != nil {
		panic(err)
	}
	return audit.Mechanism{
		Name: "Gaussian, " + b.String(), Claim: b, Exact: b.Epsilon, Outputs: 3,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, 1/mu)
			out[0] += float64(world) / 3
			out[1] -= float64(world) * 2 / 3
			out[2] += float64(world) * 2 / 3
			return nil
		},
	}
}

// scalar is a Gaussian of dimension 1 with the largest mu for a budget.
func scalar(b privacy.Budget) audit.Mechanism {
	m := gaussian(b)
	mu, _ := b.GaussianMu()
	m.Name, m.Outputs = "scalar "+m.Name, 1
	m.Release = func(world int, source rand.Source, out []float64) error {
		privacy.NewNoise(source).Gaussian(out, 1/mu)
		out[0] += float64(world)
		return nil
	}
	return m
}

// response is a randomised response among a number of choices.
func response(epsilon float64, choices int) audit.Mechanism {
	return audit.Mechanism{
		Name: fmt.Sprintf("response, epsilon = %g, %d choices", epsilon, choices), Claim: privacy.Budget{Epsilon: epsilon}, Exact: epsilon,
		Release: func(world int, source rand.Source, out []float64) error {
			out[0] = float64(privacy.NewNoise(source).Response(world*(choices-1), choices, epsilon))
			return nil
		},
	}
}

// An audit reports at least four fifths of the exact epsilon. The seed is fixed; over 40 other
// seeds all audits did, the Gaussian's with epsilon 3 excepted, of which 39 of 40 did. The one with
// delta = 1e-4 did in 7 of 8 at 2,500,000 runs; a tenth of that delta takes five times as many.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		m    audit.Mechanism
		runs int
	}{
		{laplace(1), 20000},
		{laplace(0.2), 200000},
		{laplace(4), 60000},
		{response(1, 2), 20000},
		{response(1, 10), 30000},
		{response(3, 4), 20000},
		{gaussian(privacy.Budget{Epsilon: 1, Delta: 0.01}), 200000},
		{gaussian(privacy.Budget{Epsilon: 3, Delta: 0.01}), 100000},
		{scalar(privacy.Budget{Epsilon: 1, Delta: 1e-4}), 3000000},
	} {
		if testing.Short() && c.runs > 1000000 {
			continue
		}
		f, err := c.m.Run(ctx, audit.Options{Seed: 1, Runs: c.runs})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d runs, epsilon >= %.3f, %s", f.Name, f.Runs, f.Epsilon, f.Event)
		if f.Epsilon < 0.8*f.Exact || f.Epsilon > f.Exact {
			t.Errorf("audited epsilon = %.3f, want in [0.8, 1] of the exact one\n%v", f.Epsilon, f)
		}
		if f.Excluded() {
			t.Errorf("a true claim excluded\n%v", f)
		}
	}
}

// coins are many coins that have nothing to do with the world, and a claim next to 0: what is
// learned from the runs is noise.
func coins() audit.Mechanism {
	return audit.Mechanism{
		Name: "coins", Claim: privacy.Budget{Epsilon: 1e-6}, Outputs: 150,
		Release: func(_ int, source rand.Source, out []float64) error {
			for i := range out {
				out[i] = float64(source.Uint64() & 1)
			}
			return nil
		},
	}
}

// The true epsilon is excluded in at most alpha of the audits: 300 small ones of each mechanism at
// alpha = 0.1, of which a test that errs as often as it may excludes more than 50 with probability
// 1e-4. A test that chose its event on the runs that it tests it on excludes the claim of the coins
// in 108.
func TestValidity(t *testing.T) {
	const alpha = 0.1
	audits := 300
	if testing.Short() {
		audits = 100
	}
	most := 0.0
	for b := (distuv.Binomial{N: float64(audits), P: alpha}); b.CDF(most) < 1-1e-4; {
		most++
	}
	for _, m := range []audit.Mechanism{laplace(1), response(1, 2), response(0.5, 10), gaussian(privacy.Budget{Epsilon: 1, Delta: 0.01}), coins()} {
		wrong := 0
		for seed := range uint64(audits) {
			f, err := m.Run(ctx, audit.Options{Seed: seed, Runs: 400, Confidence: 1 - alpha})
			if err != nil {
				t.Fatal(err)
			}
			if f.Excluded() {
				wrong++
			}
		}
		t.Logf("%s: %d of %d excluded", m.Name, wrong, audits)
		if float64(wrong) > most {
			t.Errorf("%s: the true epsilon excluded in %d of %d audits at alpha = %v, want <= %v", m.Name, wrong, audits, alpha, most)
		}
	}
}

// Structure that each kind of candidate is for.
func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		outputs int
		release func(world int, n *privacy.Noise, out []float64)
		word    string // of the event
	}{
		"constant":   {1, func(w int, _ *privacy.Noise, out []float64) { out[0] = float64(w) }, "out[0]"},
		"spread":     {1, func(w int, n *privacy.Noise, out []float64) { n.Gaussian(out, float64(1+9*w)) }, "|out[0]"},
		"set":        {1, func(w int, n *privacy.Noise, out []float64) { out[0] = float64(2*n.Response(0, 3, 0) + w) }, "in {"},
		"difference": {2, func(w int, n *privacy.Noise, out []float64) { n.Laplace(out[:1], 1000); out[1] = out[0] + float64(w) }, "out[1]"},
		"kept noise": {6, func(w int, n *privacy.Noise, out []float64) {
			n.Gaussian(out[:3], 100)
			for i := range 3 {
				out[3+i] = out[i] + float64(w*i)
			}
		}, "linear discriminant of 6"},
	} {
		m := audit.Mechanism{Name: name, Claim: privacy.Budget{Epsilon: 3}, Outputs: c.outputs, Runs: 2000,
			Release: func(world int, source rand.Source, out []float64) error {
				c.release(world, privacy.NewNoise(source), out)
				return nil
			}}
		f, err := m.Run(ctx, audit.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !f.Excluded() || !strings.Contains(f.Event, c.word) {
			t.Errorf("want excluded, by an event with %q\n%v", c.word, f)
		}
	}
}

// Two worlds that do not differ: nothing is excluded, and no number of runs would.
func TestNothing(t *testing.T) {
	m := laplace(1)
	m.Release = func(_ int, source rand.Source, out []float64) error {
		privacy.NewNoise(source).Laplace(out, 1)
		return nil
	}
	f, err := m.Run(ctx, audit.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if f.Epsilon > 0.1 || !math.IsInf(f.Needed, 1) || f.Verdict() != "not excluded" {
		t.Errorf("want epsilon near 0, Needed = +Inf, not excluded\n%v", f)
	}
}

// Findings are functions of the seed, not of the workers, and no run is lost.
func TestWorkers(t *testing.T) {
	var want audit.Finding
	for _, workers := range []int{1, 2, 7} {
		var mu sync.Mutex
		count := 0
		m := gaussian(privacy.Budget{Epsilon: 1, Delta: 0.01})
		release := m.Release
		m.Release = func(world int, source rand.Source, out []float64) error {
			mu.Lock()
			count++
			mu.Unlock()
			return release(world, source, out)
		}
		var last audit.Status
		reports := 0
		f, err := m.Run(ctx, audit.Options{Seed: 5, Runs: 3001, Workers: workers, Progress: func(s audit.Status) { last = s; reports++ }})
		if err != nil {
			t.Fatal(err)
		}
		if count != 6002 {
			t.Errorf("%d workers: %d runs, want 6002", workers, count)
		}
		if !last.Finished || last.Done != 6002 || last.Total != 6002 || reports < 2 {
			t.Errorf("%d workers: %d reports, the last %+v, want all of 6002 done", workers, reports, last)
		}
		if workers == 1 {
			want = f
		} else if !reflect.DeepEqual(f, want) {
			t.Errorf("%d workers found\n%vone found\n%v", workers, f, want)
		}
	}
	other, err := gaussian(privacy.Budget{Epsilon: 1, Delta: 0.01}).Run(ctx, audit.Options{Seed: 6, Runs: 3001})
	if err != nil || other.P == want.P {
		t.Errorf("another seed found P = %v too (err %v), want other numbers", other.P, err)
	}
}

func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(ctx)
		m := laplace(1)
		release := m.Release
		var once sync.Once
		m.Release = func(world int, source rand.Source, out []float64) error {
			once.Do(cancel)
			return release(world, source, out)
		}
		f, err := m.Run(ctx, audit.Options{Workers: workers})
		if !errors.Is(err, context.Canceled) || f.Tested != 0 {
			t.Errorf("%d workers: finding %v, err %v, want none and context.Canceled", workers, f.Tested, err)
		}
	}
}

// Errors name the value and the bound, and the run that failed, whatever the workers.
func TestErrors(t *testing.T) {
	bad := errors.New("bad luck")
	for _, c := range []struct {
		change func(*audit.Mechanism, *audit.Options)
		want   string
	}{
		{func(m *audit.Mechanism, _ *audit.Options) { m.Name = " " }, "Name is empty"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Claim.Epsilon = 0 }, "epsilon = 0, want > 0"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Claim.Epsilon = math.NaN() }, "epsilon = NaN, want > 0"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Claim.Epsilon = math.Inf(1) }, "epsilon = +Inf, want finite"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Claim.Delta = 1 }, "delta = 1, want in [0, 1)"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Exact = math.NaN() }, "Exact = NaN, want >= 0"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Release = nil }, "Release is nil"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Outputs = -1 }, "Outputs = -1, want >= 1"},
		{func(m *audit.Mechanism, _ *audit.Options) { m.Runs = 39 }, "Runs = 39, want >= 40"},
		{func(_ *audit.Mechanism, o *audit.Options) { o.Runs = -1 }, "Options.Runs = -1, want >= 0"},
		{func(_ *audit.Mechanism, o *audit.Options) { o.Confidence = 1 }, "Options.Confidence = 1, want in [0.5, 1)"},
		{func(_ *audit.Mechanism, o *audit.Options) { o.Workers = -2 }, "Options.Workers = -2, want >= 0"},
		{func(m *audit.Mechanism, _ *audit.Options) {
			m.Outputs = 2
			m.Release = func(world int, _ rand.Source, out []float64) error { out[0] = 1; return nil }
		}, "run 0 in world 0: out[1] = NaN, want a finite number"},
		{func(m *audit.Mechanism, _ *audit.Options) {
			m.Release = func(world int, _ rand.Source, out []float64) error {
				out[0] = math.Inf(1)
				return nil
			}
		}, "run 0 in world 0: out[0] = +Inf"},
		{func(m *audit.Mechanism, _ *audit.Options) {
			m.Release = func(int, rand.Source, []float64) error { return bad }
		}, "run 0 in world 0: bad luck"},
		{func(m *audit.Mechanism, _ *audit.Options) {
			m.Curve = []privacy.Budget{{Epsilon: 0, Delta: 0.1}, {Epsilon: -1, Delta: 0.1}}
		}, "Curve[1] = (-1, 0.1), want a finite epsilon >= 0"},
		{func(m *audit.Mechanism, _ *audit.Options) {
			m.Release = func(int, rand.Source, []float64) error { panic("oh") }
		}, "run 0 in world 0: panic: oh"},
	} {
		for _, workers := range []int{1, 4} {
			m, o := laplace(1), audit.Options{Workers: workers}
			c.change(&m, &o)
			_, err := m.Run(ctx, o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v, want %q", err, c.want)
			}
			if c.want == "run 0 in world 0: bad luck" && !errors.Is(err, bad) {
				t.Errorf("err = %v does not wrap the run's", err)
			}
		}
	}
}

func TestReport(t *testing.T) {
	broken := laplace(2)
	broken.Name, broken.Claim.Epsilon = "broken", 1
	items := []audit.Item{laplace(1), broken, response(1, 2)}
	r, err := audit.Family(ctx, items, audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Excluded() != 1 || !r.Findings[1].Excluded() {
		t.Errorf("want the second claim excluded\n%v", r)
	}
	for _, f := range r.Findings {
		if want := 1 - 0.01/3; math.Abs(f.Confidence-want) > 1e-12 {
			t.Errorf("%s: confidence %v in a family of three, want %v", f.Name, f.Confidence, want)
		}
	}
	for _, want := range []string{"subject", "broken", "excluded", "1 of 3 claims excluded, at 99% confidence over all"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("the table lacks %q:\n%v", want, r)
		}
	}
	each, err := audit.Each(ctx, items[:2], audit.Options{Seed: 1})
	if err != nil || each.Findings[0].Confidence != 0.99 {
		t.Errorf("each: err %v, confidence %v, want 0.99", err, each.Findings[0].Confidence)
	}
	for want, items := range map[string][]audit.Item{
		"no items":              nil,
		"items[0] is nil":       {nil},
		"has the name":          {laplace(1), laplace(1)},
		"epsilon = 0, want > 0": {audit.Mechanism{Name: "x"}},
	} {
		if _, err := audit.Family(ctx, items, audit.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %q", err, want)
		}
	}
}
