package learner_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// narrow asks for a statistic of weights in a tenth of the rewards' range.
type narrow struct{ arms.SequentialHalving }

func (n narrow) Ask(p bandit.Problem, s *privacy.Setup) error {
	s.Lo, s.Hi = 0.45, 0.55
	return n.SequentialHalving.Ask(p, s)
}

// TestSumsGoAroundNothing: weights that the statistic would clip one by one do not come as sums.
func TestSumsGoAroundNothing(t *testing.T) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	v := &bandit.View{Round: 1, Arms: 2}
	run := func(of learner.Policy[privacy.Means]) *learner.PrivateRun[privacy.Means] {
		ready, err := learner.New(of, tally.Batches{Budget: privacy.Budget{Epsilon: 1}}).Open(p, 200)
		if err != nil {
			t.Fatal(err)
		}
		return ready.Start(random.New(1, 0, "learner"), random.Source(1, 0, "noise")).(*learner.PrivateRun[privacy.Means])
	}
	if len(run(arms.SequentialHalving{}).Ahead(v, 100, nil)) == 0 {
		t.Error("a learner of rewards as they are does not look ahead")
	}
	if plays := run(narrow{}).Ahead(v, 100, nil); len(plays) > 0 {
		t.Errorf("weights of [0.45, 0.55] are to come as sums: %v", plays)
	}
	if err := run(narrow{}).UpdateSums(v, []bandit.Plays{{Arm: 0, Times: 2, Sum: 1}}); err == nil {
		t.Error("they come as sums")
	}
}

// sticky encodes each record as the first one.
type sticky struct{ arms.SequentialHalving }

type stickyRule struct {
	learner.Rule[privacy.Means]
	first []float64
}

func (s sticky) Prepare(p bandit.Problem, horizon int, r *privacy.Means) (learner.Prepared[privacy.Means], error) {
	inner, err := s.SequentialHalving.Prepare(p, horizon, r)
	return learner.Begins[privacy.Means](func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &stickyRule{Rule: inner.Begin(own)}
	}), err
}

func (sticky) Encodes() {}

func (s *stickyRule) Encode(_ []float64, r *privacy.Record) error {
	if s.first == nil {
		s.first = []float64{r.Y[0]}
	}
	r.Y = s.first
	return nil
}

// silent is sticky, and its policy does not say so.
type silent struct{ arms.SequentialHalving }

func (s silent) Prepare(p bandit.Problem, horizon int, r *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return sticky(s).Prepare(p, horizon, r)
}

// TestEncoder: sums would go around an encoder, too; and its author vouches for it.
func TestEncoder(t *testing.T) {
	start := func(of learner.Policy[privacy.Means]) (*learner.PrivateRun[privacy.Means], privacy.Claim) {
		ready, err := learner.New(of, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}}).Open(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, 200)
		if err != nil {
			t.Fatal(err)
		}
		run := ready.Start(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
		return run.(*learner.PrivateRun[privacy.Means]), privacy.ClaimOf(ready)
	}
	v := &bandit.View{Round: 1, Arms: 2}
	run, _ := start(sticky{})
	if err := run.UpdateSums(v, []bandit.Plays{{Arm: 0, Times: 2, Sum: 1}}); err == nil {
		t.Error("an encoder's records come as sums")
	}
	run, _ = start(silent{})
	if _, err := run.Select(v, nil); err == nil {
		t.Error("a rule encodes, and its policy does not say so")
	}
}
