package mechanism

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

func TestRandomisedResponse(t *testing.T) {
	for i, c := range []struct {
		epsilon float64
		choices int
		users   int // contributions
	}{{1, 2, 1}, {0.1, 5, 1}, {3, 4, 1}, {2, 3, 2}} {
		r := shots(RandomisedResponse{Epsilon: c.epsilon, Choices: c.choices,
			Neighbours: privacy.Neighbours{Relation: privacy.Replace, Record: "user's answer", Contributions: c.users}})
		if err := r.Open(); err != nil {
			t.Fatal(err)
		}
		noise, ledger := seeded(100 + i)
		r.Start(noise)
		each := c.epsilon / float64(c.users)
		const n = 100_000
		for truth := range c.choices {
			counts, p := make([]int, c.choices), make([]float64, c.choices)
			for range n {
				answer, err := r.run.Respond(truth)
				if err != nil {
					t.Fatal(err)
				}
				counts[answer]++
			}
			for j := range p {
				p[j] = 1 / (math.Exp(each) + float64(c.choices-1))
			}
			p[truth] *= math.Exp(each)
			expect.Near(t, "Keep", r.run.Keep(), p[truth], 1e-14)
			if v := chiSquare(counts, p); v < rareAlarm {
				t.Errorf("epsilon %v, truth %d of %d: %v, p = %.2g", c.epsilon, truth, c.choices, counts, v)
			}
			// Of the expected counts the estimate is the truth; of these, near it.
			expected, estimate := make([]int, c.choices), make([]float64, c.choices)
			for j := range expected {
				expected[j] = int(math.Round(p[j] * 1e12))
			}
			if err := r.run.Estimate(estimate, expected); err != nil {
				t.Fatal(err)
			}
			for j, e := range estimate {
				want := 0.0
				if j == truth {
					want = 1e12
				}
				if math.Abs(e-want) > 1e3 {
					t.Errorf("estimate %d is %v, want %v", j, e, want)
				}
			}
		}
		for _, bad := range []int{-1, c.choices} {
			if _, err := r.run.Respond(bad); err == nil {
				t.Errorf("the answer %d of %d is taken", bad, c.choices)
			}
		}
		if r.run.Estimate(make([]float64, 1), make([]int, c.choices)) == nil {
			t.Error("estimates of another length")
		}
		balanced(t, ledger, r)
		claims(t, privacy.ClaimOf(r), c.epsilon)
		if privacy.ClaimOf(r).Model() != privacy.Local {
			t.Errorf("model %v, want local", privacy.ClaimOf(r).Model())
		}
		if a := testing.AllocsPerRun(100, func() { _, _ = r.run.Respond(1) }); a != 0 {
			t.Errorf("%v allocations an answer", a)
		}
	}
	r := shots(RandomisedResponse{Epsilon: math.Inf(1), Choices: 3})
	if err := r.Open(); err != nil {
		t.Fatal(err)
	}
	noise, _ := seeded(199)
	r.Start(noise)
	for range 1000 {
		if answer, _ := r.run.Respond(2); answer != 2 {
			t.Fatal("epsilon = +Inf is not the truth")
		}
	}
}
