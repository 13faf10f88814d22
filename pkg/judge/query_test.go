package judge_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// best is a query: the largest of a batch's rewards, of which its author states which part of their
// range one record moves it by.
type best struct{ Moves float64 }

func (best) Dim(privacy.Setup) int { return 1 }

func (b best) Sensitivity(s privacy.Setup, _ int) privacy.Norms {
	by := b.Moves * (s.Hi - s.Lo)
	return privacy.Norms{L1: by, L2: by}
}

func (best) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	most := 0.0
	for _, r := range records {
		most = max(most, r.Y[0])
	}
	return append(dst, most), nil
}

// threshold plays arm 1 while the answer is above a half, and else arm 0.
type threshold struct{}

func (threshold) Prepare(bandit.Problem, int, *tally.Answer) (learner.Prepared[tally.Answer], error) {
	return learner.Begins[tally.Answer](func(*rand.Rand) learner.Rule[tally.Answer] { return threshold{} }), nil
}

func (threshold) Learn(r *tally.Answer) ([]float64, error) { return r.Of, nil }

func (threshold) Act(answer []float64, _ *bandit.View, dst []int) ([]int, error) {
	if len(answer) > 0 && answer[0] > 0.5 {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

// TestQuery: the card shows how far a record moves a query's answers, beside what its author
// states, and a query that moves farther than that is found.
func TestQuery(t *testing.T) {
	for moves, want := range map[float64]string{1: "by 1, of 1 that its author states", 0.5: "0.5"} {
		o := short(t)
		o.Worlds = o.Worlds[:1]
		l := learner.New(threshold{}, tally.Additive{Budget: privacy.Budget{Epsilon: 1}, Query: best{moves}, Lengths: tally.EqualRounds(5)})
		c := card(t, l, o)
		found := false
		for _, k := range c.Checks {
			if k.Suite != "privacytest.SearchQuery" {
				continue
			}
			found = true
			if said := strings.Join(append(k.Failures, k.What), "; "); !strings.Contains(said, want) || (len(k.Failures) > 0) != (moves < 1) {
				t.Errorf("moves %v: %q, want %q", moves, said, want)
			}
		}
		if !found {
			t.Errorf("moves %v: no check of the query", moves)
		}
		if right := moves == 1; strings.Contains(c.Verdict(), "is false") == right {
			t.Errorf("moves %v: %s", moves, c.Verdict())
		}
	}
}
