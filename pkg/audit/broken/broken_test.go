package broken

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Every fixture's claim is excluded at 99% confidence, and its true epsilon is not. The seed is
// fixed; of 40 other seeds, each caught all of the last ten. With -short the fixtures that need a
// million runs are left out.
func TestCaught(t *testing.T) {
	items := All()
	if len(items) != 70 {
		t.Fatalf("%d fixtures, want 70", len(items))
	}
	for _, item := range items {
		start := time.Now()
		if m, ok := item.(audit.Mechanism); ok && testing.Short() && m.Runs >= 1_000_000 {
			continue
		}
		f, err := item.Run(context.Background(), audit.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d runs in %v: epsilon >= %.3g, claimed %.3g, exact %.3g; p = %.3g, q = %.3g, needs %.3g; %s", f.Name, f.Runs, time.Since(start).Round(time.Millisecond), f.Epsilon, f.Claim.Epsilon, f.Exact, f.P, f.Q, f.Needed, f.Event)
		if !f.Excluded() {
			t.Errorf("not caught\n%v", f)
		}
		if f.Exact <= f.Claim.Epsilon || f.Epsilon > f.Exact {
			t.Errorf("exact epsilon = %v, want above the claimed %v and the audited %v", f.Exact, f.Claim.Epsilon, f.Epsilon)
		}
		if f.Confidence != 0.99 || f.Origin == "" {
			t.Errorf("confidence = %v, origin = %q, want 0.99 and an origin", f.Confidence, f.Origin)
		}
		if float64(f.Runs) < 1.2*f.Needed {
			t.Errorf("%s: %d runs, %v needed: another seed may miss it", f.Name, f.Runs, f.Needed)
		}
	}
}

// The repaired twin of a fixture keeps its claim: what an audit catches is the bug. Of other seeds,
// one in a hundred would exclude one of the twelve falsely.
func TestRepaired(t *testing.T) {
	half := halfSensitivity()
	half.Claim.Epsilon = half.Exact
	arms := initOfAllArms()
	arms.Claim.Epsilon = arms.Exact
	classic, pair := classicGaussian(), pairAsOne()
	classic.Claim.Epsilon, pair.Claim.Epsilon = classic.Exact, pair.Exact
	shared := sharedNoise()
	shared.Release = func(world int, source rand.Source, out []float64) error {
		privacy.NewNoise(source).Laplace(out, 3)
		out[0] += float64(world)
		return nil
	}
	// The true curve, the true epsilon, delta counted twice, and records within their bounds.
	twice, coin, block, value := budgetTwice(), wrongCoin(), notCleared(), noisyMaxValue()
	twice.Claim.Epsilon, coin.Claim.Epsilon, block.Claim.Epsilon, value.Claim.Epsilon = twice.Exact, coin.Exact, block.Exact, value.Exact
	mu, err := budgetTwice().Claim.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	if twice.Curve, err = audit.CurveOf(account.GaussianEvent{Mu: math.Sqrt2 * mu}); err != nil {
		t.Fatal(err)
	}
	halved := halvedSymmetric()
	halved.Claim, halved.Curve = twice.Claim, twice.Curve
	all := showsAllTwice()
	all.Claim.Delta = 1 - (1-all.Claim.Delta)*(1-all.Claim.Delta)
	r, err := audit.Family(context.Background(), []audit.Item{half, arms, classic, pair, shared, twice, coin, block, value, halved, all, FreshVectors()}, audit.Options{Seed: 2, Runs: 50000})
	if err != nil {
		t.Fatal(err)
	}
	if r.Excluded() != 0 {
		t.Errorf("a true claim excluded\n%v", r)
	}
}

// Golden values of the exact epsilons.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		m    audit.Mechanism
		want float64
		tol  float64
	}{
		{halfSensitivity(), 2, 0},
		{freshThreshold(), 3.035, 0.001},
		{pairAsOne(), 27, 0.1},
		{initOfAllArms(), 14.0 / 3, 1e-12},
		{wishartBeyondOne(), math.Inf(1), 0},
		{budgetTwice(), 1.465, 0.001},
		{wrongCoin(), 1.8620, 0.0001},
		{notCleared(), 2, 0},
		{noCutoff(), 8.347, 0.001},
		{noisyMaxValue(), 3, 0},
	} {
		if d := math.Abs(c.m.Exact - c.want); d > c.tol {
			t.Errorf("%s: exact epsilon = %v, want %v", c.m.Name, c.m.Exact, c.want)
		}
	}
	g := classicGaussian()
	if delta := account.GaussianDelta(10, 1/(math.Sqrt(2*math.Log(12.5))/10)); math.Abs(delta-0.406) > 5e-4 || math.Abs(account.GaussianDelta(g.Exact, 10/math.Sqrt(2*math.Log(12.5)))-0.1) > 1e-9 {
		t.Errorf("the classic Gaussian's delta at 10 is %v, want 0.406; exact epsilon = %v", delta, g.Exact)
	}
}

// Bugs in how often noise is drawn are on the ledger as well: there the noise source contradicts
// what a right mechanism would have drawn.
func TestLedger(t *testing.T) {
	sd := math.Sqrt(math.Log(3)) * math.Log(25)
	peeling := 2 * math.Sqrt(6*portable.Log(1e5))
	for _, c := range []struct {
		m       audit.Mechanism
		claimed privacy.Draws
	}{
		{sharedNoise(), privacy.Draws{Law: privacy.LaplaceLaw(3, 3), Count: 1}},
		{keptNoise(), privacy.Draws{Law: privacy.SymmetricGaussianLaw(2, sd), Count: 3}},
		{reusedNoise(), privacy.Draws{Law: privacy.LaplaceLaw(1, 2), Count: 2}},
		{lowBits(), privacy.Draws{Law: privacy.LaplaceLaw(1, 1), Count: 1}},
		{sharedVectors(), privacy.Draws{Law: privacy.LaplaceLaw(4, peeling), Count: 3}},
	} {
		ledger := privacy.NewLedger(rand.NewPCG(1, 2))
		if err := c.m.Release(0, ledger, make([]float64, max(1, c.m.Outputs))); err != nil {
			t.Fatal(err)
		}
		if err := ledger.Check([]privacy.Draws{c.claimed}); !errors.Is(err, privacy.ErrLedger) {
			t.Errorf("%s: the ledger holds %v, and passes it for %v", c.m.Name, ledger.Drawn(), c.claimed)
		}
	}
}
