package mechanism

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestSparseVectorLedger: the ledger shows one threshold noise for each acceptance, one more while
// a run is open, and one query noise a query.
func TestSparseVectorLedger(t *testing.T) {
	s := shots(SparseVector{Epsilon: 3, Accepted: 3, Sensitivity: 1})
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	noise, ledger := seeded(200)
	s.Start(noise)
	threshold, query := s.run.Scales()
	// Each run has epsilon 1, split 1 : 2^(2/3).
	expect.Near(t, "the threshold's scale", threshold, 1+math.Pow(2, 2.0/3), 1e-14)
	expect.Near(t, "a query's scale", query, 2*(1+math.Pow(2, -2.0/3)), 1e-14)
	expect.Near(t, "epsilon_1 + epsilon_2", 1/threshold+2/query, 1, 1e-14)
	queries := 0
	for run := 1; run <= 3; run++ {
		for range 50 {
			if above, err := s.run.Above(-1e6, 0); err != nil || above {
				t.Fatal(above, err)
			}
			queries++
			if got := count(ledger, privacy.LaplaceLaw(1, threshold)); got != run {
				t.Fatalf("run %d: %d threshold noises after %d queries, want one a run", run, got, queries)
			}
		}
		if s.run.Left() != 4-run {
			t.Errorf("run %d: %d left", run, s.run.Left())
		}
		if above, err := s.run.Above(1e6, 0); err != nil || !above {
			t.Fatal(above, err)
		}
		queries++
		if got := count(ledger, privacy.LaplaceLaw(1, query)); got != queries {
			t.Fatalf("%d query noises for %d queries", got, queries)
		}
		balanced(t, ledger, s)
	}
	if _, err := s.run.Above(0, 0); !errors.Is(err, account.ErrSpent) {
		t.Errorf("after 3 acceptances: %v, want ErrSpent", err)
	}
	balanced(t, ledger, s) // a refusal draws nothing
	claims(t, privacy.ClaimOf(s), 3)
	if e := privacy.ClaimOf(s).Event().(account.SparseVectorEvent); math.Abs(e.Epsilon-1) > 1e-12 || e.Accepted != 3 {
		t.Errorf("event %v", e)
	}
	s.Start(noise)
	for _, bad := range [][2]float64{{math.NaN(), 0}, {0, math.NaN()}, {math.Inf(1), 0}, {0, math.Inf(-1)}} {
		if _, err := s.run.Above(bad[0], bad[1]); err == nil {
			t.Errorf("value %v, threshold %v is answered", bad[0], bad[1])
		}
	}
	if d := privacy.PlanOf(s, privacy.All).Draws; d[0].Count != 0 || d[1].Count != 0 {
		t.Errorf("refused queries drew %v", d)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = s.run.Above(-1e6, 0) }); n != 0 {
		t.Errorf("%v allocations a query", n)
	}
}

func count(l *privacy.Ledger, law privacy.Law) int {
	for _, d := range l.Drawn() {
		if d.Law == law {
			return d.Count
		}
	}
	return 0
}

func TestSparseVectorScales(t *testing.T) {
	add := privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: 1}
	twice := privacy.Neighbours{Relation: privacy.Replace, Record: "row", Contributions: 2}
	for _, c := range []struct {
		s                SparseVector
		threshold, query float64
	}{
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: 1, Monotone: true, Neighbours: add}, 2, 2},
		{SparseVector{Epsilon: 1, Accepted: 5, Sensitivity: 3, Monotone: true, Neighbours: add}, 30, 30},
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: 1, Neighbours: add}, 2.5874011, 3.2599210},
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: 1, Neighbours: twice}, 5.1748021, 6.5198421},
	} {
		opened, err := c.s.Open()
		if err != nil {
			t.Fatal(err)
		}
		threshold, query := opened.Start(nil).Scales()
		expect.Near(t, "threshold", threshold, c.threshold, 1e-7)
		expect.Near(t, "query", query, c.query, 1e-7)
	}
}

// TestSparseVectorPatterns: how many answers come before the first above, against exact
// probabilities: given the threshold's noise rho the answers are independent, so that they are
// integrals over rho. The pattern shows the threshold noise that consecutive answers share: with a
// fresh one for each query the answers would be independent.
func TestSparseVectorPatterns(t *testing.T) {
	values := []float64{-3, 1, -1, 0, 2} // against the threshold 0; a sixth cell for none above
	s := shots(SparseVector{Epsilon: 2, Accepted: 1, Sensitivity: 1})
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	noise, _ := seeded(201)
	const n = 200_000
	counts := make([]int, len(values)+1)
	for range n {
		s.Start(noise)
		first := len(values)
		for i, v := range values {
			if above, err := s.run.Above(v, 0); err != nil {
				t.Fatal(err)
			} else if above {
				first = i
				break
			}
		}
		counts[first]++
	}
	threshold, query := s.run.Scales()
	rho, nu := distuv.Laplace{Scale: threshold}, distuv.Laplace{Scale: query}
	probability := func(shared bool) []float64 {
		p := make([]float64, len(counts))
		product := 1.0
		for i := range p {
			integrand := func(r float64) float64 {
				below := rho.Prob(r)
				for j := range min(i, len(values)) {
					below *= nu.CDF(r - values[j])
				}
				if i < len(values) {
					below *= nu.Survival(r - values[i])
				}
				return below
			}
			if shared {
				p[i] = pieces(integrand, threshold)
				continue
			}
			alone := 1.0
			if i < len(values) {
				alone = pieces(func(r float64) float64 { return rho.Prob(r) * nu.Survival(r-values[i]) }, threshold)
			}
			p[i] = product * alone
			product *= 1 - alone
		}
		return p
	}
	p := probability(true)
	var sum float64
	for _, v := range p {
		sum += v
	}
	expect.Near(t, "the sum of the exact probabilities", sum, 1, 1e-9)
	if v := chiSquare(counts, p); v < rareAlarm {
		t.Errorf("first acceptances %v, expected %v of %d, p = %.2g", counts, p, n, v)
	}
	if v := chiSquare(counts, probability(false)); v > rareAlarm {
		t.Errorf("the test does not tell a shared threshold noise from a fresh one, p = %.2g", v)
	}
}

// pieces integrates f, smooth between the kinks at the integers, over 30 scales either way.
func pieces(f func(float64) float64, scale float64) float64 {
	var sum float64
	end := math.Ceil(30 * scale)
	for r := -end; r < end; r++ {
		sum += quad.Fixed(f, r, r+1, 20, quad.Legendre{}, 0)
	}
	return sum
}
