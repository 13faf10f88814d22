package audit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// A run that fails, in whatever way, is an output: it tells the worlds apart as others do, and what
// was set before it counts. The findings do not depend on the workers.
func TestFailures(t *testing.T) {
	bad := errors.New("bad luck")
	for name, fail := range map[string]func(out []float64) error{
		"error":      func([]float64) error { return bad },
		"panic":      func([]float64) error { panic(bad) },
		"not finite": func(out []float64) error { out[1] = math.Inf(1); return nil },
	} {
		m := audit.Mechanism{
			Name: name, Claim: privacy.Budget{Epsilon: 1}, Outputs: 2, Runs: 2000,
			Release: func(world int, source rand.Source, out []float64) error {
				privacy.NewNoise(source).Laplace(out, 1)
				if out[0] > 4*float64(1-world) { // half of the runs in world 1, and 1 in 109 in world 0
					return fail(out)
				}
				return nil
			},
		}
		var want audit.Finding
		for _, workers := range []int{1, 3} {
			f, err := m.Run(ctx, audit.Options{Seed: 1, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if !f.Excluded() || f.Failed[1] < 900 || f.Failed[1] > 1100 || f.Failed[0] > 50 || f.Failed[0] == 0 {
				t.Errorf("%s: want excluded, by failures in world 1\n%v", name, f)
			}
			if !strings.Contains(f.Event, "failed") && !strings.Contains(f.Event, "out[0]") {
				t.Errorf("%s: the event is %q", name, f.Event)
			}
			if !strings.Contains(f.String(), "failed     ") {
				t.Errorf("%s: the report does not say that runs failed\n%v", name, f)
			}
			if workers == 1 {
				want = f
			} else if !reflect.DeepEqual(f, want) {
				t.Errorf("%s: %d workers found\n%vone found\n%v", name, workers, f, want)
			}
		}
	}
	// Failures that have nothing to do with the world exclude nothing.
	m := laplace(1)
	release := m.Release
	m.Release = func(world int, source rand.Source, out []float64) error {
		if source.Uint64()%2 == 0 {
			return bad
		}
		return release(world, source, out)
	}
	f, err := m.Run(ctx, audit.Options{Seed: 1})
	if err != nil || f.Excluded() || f.Epsilon < 0.5 {
		t.Errorf("err %v, want an epsilon near 1 and not excluded\n%v", err, f)
	}
}

// quitter is a learner that fails at a reward above 1.
type quitter struct{}

// Open accepts any problem.
func (q quitter) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return q }), nil
}
func (quitter) Select(v *bandit.View, dst []int) ([]int, error) { return append(dst, 0), nil }
func (quitter) Update(v *bandit.View, arms []int, y []float64) error {
	if y[0] > 1 {
		return errors.New("reward above 1")
	}
	return nil
}

// A learner that fails in one world is caught, in whichever that is.
func TestLearnerFailures(t *testing.T) {
	worlds := audit.Beyond(streams(4), 3)
	for range 2 {
		worlds[0], worlds[1] = worlds[1], worlds[0]
		a := audit.Learner{Name: "quitter", Claim: privacy.Budget{Epsilon: 1}, Problem: problem, Worlds: worlds, Runs: 400, Of: quitter{}}
		f, err := a.Run(ctx, audit.Options{Seed: 1})
		if err != nil || !f.Excluded() || f.Failure != "round 2: reward above 1" {
			t.Errorf("err %v, failure %q, want excluded\n%v", err, f.Failure, f)
		}
	}
}

// Two outputs, each of which shows all with probability delta, show all with twice that: the union
// of two events is beyond the claim, and neither of them is. So is the largest of many outputs, of
// which one, any of them, is far off with probability delta.
func TestUnions(t *testing.T) {
	const delta = 0.02
	for _, c := range []struct {
		name    string
		outputs int
		shown   func(world int, out []float64, rng *rand.Rand)
	}{
		{"shown twice", 2, func(world int, out []float64, rng *rand.Rand) {
			for i := range out {
				if rng.Float64() < delta {
					out[i] = float64(world)
				}
			}
		}},
		{"far off", 60, func(world int, out []float64, rng *rand.Rand) {
			if rng.Float64() < 3*delta {
				out[rng.IntN(len(out))] += 30 * float64(world)
			}
		}},
	} {
		for seed := range uint64(3) {
			f, err := audit.Mechanism{
				Name: c.name, Claim: privacy.Budget{Epsilon: 1, Delta: delta}, Outputs: c.outputs, Runs: 40000 / (1 + c.outputs/20),
				Release: func(world int, source rand.Source, out []float64) error {
					privacy.NewNoise(source).Laplace(out, 2)
					c.shown(world, out, rand.New(source))
					return nil
				},
			}.Run(ctx, audit.Options{Seed: seed})
			if err != nil || !f.Excluded() {
				t.Errorf("%s: err %v, want excluded\n%v", c.name, err, f)
			}
		}
	}
}

// A claim's curve is tested as a whole: where the budget is spent twice, at delta = 1e-5, its
// middle is contradicted by an eightieth of the runs that its point takes. The seed is fixed; of 40
// other seeds, all were caught.
func TestCurve(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	twice := scalar(b)
	mu := must(b.GaussianMu())
	twice.Release = func(world int, source rand.Source, out []float64) error {
		privacy.NewNoise(source).Gaussian(out, 1/(math.Sqrt2*mu))
		out[0] += float64(world)
		return nil
	}
	curve := must(audit.CurveOf(account.GaussianEvent{Mu: mu}))
	for _, c := range [][]privacy.Budget{nil, curve} {
		twice.Curve = c
		f, err := twice.Run(ctx, audit.Options{Seed: 1, Runs: 40000})
		if err != nil {
			t.Fatal(err)
		}
		report := audit.Report{Findings: []audit.Finding{f}}.String()
		if c != nil && (!strings.Contains(report, "excluded (at epsilon = ") || !strings.Contains(f.String(), "curve      delta >= ")) {
			t.Errorf("the reports do not say which point is contradicted\n%v%v", report, f)
		}
		if f.Excluded() != (c != nil) || f.Epsilon > account.GaussianEpsilon(b.Delta, math.Sqrt2*mu) {
			t.Errorf("want excluded = %v\n%v", c != nil, f)
		}
		if exact := account.GaussianDelta(f.At.Epsilon, math.Sqrt2*mu); f.Delta > exact {
			t.Errorf("delta >= %v at epsilon = %v, but %v is exact", f.Delta, f.At.Epsilon, exact)
		}
	}
	// The right noise keeps its curve, and the curve keeps the point of the claim.
	sound := scalar(b)
	sound.Curve = curve
	wrong := 0
	for seed := range uint64(300) { // more than 50 with probability 1e-4, see TestValidity
		f, err := sound.Run(ctx, audit.Options{Seed: seed, Runs: 400, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() {
			wrong++
		}
	}
	t.Logf("%d of 300 true curves excluded", wrong)
	if wrong > 50 {
		t.Errorf("a true curve excluded in %d of 300 audits at alpha = 0.1", wrong)
	}
}

// Curves fall, and lie on the exact ones.
func TestCurveOf(t *testing.T) {
	for _, e := range []account.Event{account.GaussianEvent{Mu: 0.3}, account.GaussianEvent{Mu: 5}, account.LaplaceEvent{Epsilon: 1}, account.ApproximateEvent{Epsilon: 1, Delta: 0.01}} {
		curve, err := audit.CurveOf(e)
		if err != nil || len(curve) < 20 || curve[0].Epsilon != 0 {
			t.Fatalf("%v: err %v, curve %v, want some points from epsilon = 0 on", e, err, curve)
		}
		for i, p := range curve {
			if i > 0 && (p.Delta > curve[i-1].Delta || p.Epsilon <= curve[i-1].Epsilon) {
				t.Errorf("%v: %v after %v, want a falling curve", e, p, curve[i-1])
			}
			exact := -1.0
			switch e := e.(type) {
			case account.GaussianEvent:
				exact = account.GaussianDelta(p.Epsilon, e.Mu)
			case account.LaplaceEvent:
				exact = max(0, 1-math.Exp((p.Epsilon-e.Epsilon)/2))
			}
			if exact >= 0 && math.Abs(p.Delta-exact) > 1e-4*exact+1e-9 {
				t.Errorf("%v: delta = %v at epsilon = %v, want %v", e, p.Delta, p.Epsilon, exact)
			}
		}
	}
	for _, e := range []account.Event{nil, account.GaussianEvent{Mu: -1}} {
		if _, err := audit.CurveOf(e); err == nil {
			t.Errorf("%v: no error", e)
		}
	}
}

// totaller sums up rewards under noise, and clips the sum, and not the rewards, to what it can be.
type totaller struct{}

// total is a run of a totaller.
type total struct{ sum float64 }

// Open accepts any problem.
func (totaller) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(_ *rand.Rand, noise rand.Source) bandit.Run {
		var z [1]float64
		privacy.NewNoise(noise).Laplace(z[:], 2)
		return &total{z[0]}
	}), nil
}
func (q *total) Select(v *bandit.View, dst []int) ([]int, error) {
	if min(max(q.sum, -4), 4) > 0 {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}
func (q *total) Update(v *bandit.View, arms []int, y []float64) error { q.sum += y[0]; return nil }

// Proposed streams leave their bounds now and then, in the round that differs and nowhere else. A
// learner that clips too late, and keeps its claim of epsilon = 1 on all others, is caught by them.
func TestSearchBeyond(t *testing.T) {
	propose := audit.RandomStreams(problem, 6)
	far := 0
	for seed := range 200 {
		p, q := propose(random.New(1, seed, "test"))
		outside := 0
		for i := range p {
			if math.Abs(p[i].Rewards[0]) > 1 || math.Abs(q[i].Rewards[0]) > 1 {
				outside++
				if reflect.DeepEqual(p[i], q[i]) {
					t.Fatalf("seed %d: round %d is beyond its bounds, and does not differ", seed, i)
				}
			}
		}
		if outside > 1 {
			t.Fatalf("seed %d: %d rounds beyond their bounds", seed, outside)
		}
		far += outside
	}
	if far < 20 || far > 80 { // 50 expected, standard deviation 6
		t.Errorf("%d of 200 proposals are beyond their bounds, want about 50", far)
	}
	a := audit.Learner{
		Name: "clips too late", Claim: privacy.Budget{Epsilon: 1}, Problem: problem, Runs: 4000,
		Of: totaller{},
	}
	found, err := audit.Search(ctx, a, propose, 40, audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := found.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
}
