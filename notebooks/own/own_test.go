package own

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var (
	ctx    = context.Background()
	approx = privacy.Budget{Epsilon: 1, Delta: 0.01}
	sure   = audit.Options{Confidence: 1 - 1e-6, Seed: 1} // excludes a true claim once in a million

	tree   = continual.Tree{Noise: continual.Gaussian{Budget: approx}}
	greedy = learner.New(Greedy{Explore: 0.01}, tree)
)

// TestGreedyRaces: over the same private sums, Greedy has at most three times LinUCB's regret, and
// little of it in the second half. On 20 other seeds the ratio is 1.8, its standard deviation 0.3:
// a false alarm, beyond four of them, is one in ten thousand.
func TestGreedyRaces(t *testing.T) {
	race := simulate.Experiment{Name: "greedy", Horizon: 20_000, Trials: 10, Seed: 1, Grid: []int{10_000},
		Environment: environment.DecisionSets{Dim: 3, Gap: 0.1},
		Policies:    []simulate.Policy{{Name: "greedy", Learner: greedy}, {Name: "LinUCB", Learner: learner.New(linear.UCB{}, tree)}}}
	r, own, toolkit := run(t, race)
	if !(own[1] < 3*toolkit[1] && own[1]-own[0] < own[0]/2) {
		t.Errorf("regret %v after 10,000 and 20,000 rounds, and %v of LinUCB", own, toolkit)
	}
	c := r.Policies[0].Claim
	if c.Model() != privacy.Joint || c.Asked() != approx || !(c.Epsilon() <= 1 && c.Epsilon() > 0.999) {
		t.Errorf("claims\n%v", c)
	}
}

// TestGreedyAudited: in one dimension later users, of arms c and -c, see the sign of the noisy
// sum, which shows the first user's reward.
func TestGreedyAudited(t *testing.T) {
	f, err := audit.Learner{Name: "greedy", Of: greedy, Runs: 50_000,
		Problem: bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		Worlds:  [2]audit.Stream{stream(8, 1, 1), stream(8, -1, 1)}}.Run(ctx, sure)
	verdict(t, f, err, approx, 0.3)
}

// TestGreedy: it keeps the promises of a learner, chooses by broadcast and view, and a short attack
// excludes no claim, a false alarm once in ten thousand.
func TestGreedy(t *testing.T) {
	sets := environment.DecisionSets{Dim: 3, Gap: 0.1}
	bandittest.Learner(t, greedy, sets, bandittest.LearnerOptions{})
	privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{
		Policy: Greedy{Explore: 0.5}, Problem: sets.Problem(),
	})
	privacytest.Learner(t, privacytest.LearnerCase{Name: "greedy", Learner: greedy, Problem: sets.Problem()})
}

// TestHopeful: it keeps the promises of a learner, chooses by broadcast and view, and a short
// attack excludes no claim, a false alarm once in ten thousand.
func TestHopeful(t *testing.T) {
	hopeful := learner.New(Hopeful{Boldness: 0.5}, Totals{Epsilon: 1})
	problem := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
	bandittest.Learner(t, hopeful, environment.Arms{Means: []float64{0.2, 0.8, 0.5}}, bandittest.LearnerOptions{})
	privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{
		Policy: Hopeful{Boldness: 0.5}, Problem: problem,
	})
	privacytest.Learner(t, privacytest.LearnerCase{Name: "hopeful", Learner: hopeful, Problem: problem})
}

// TestTotals: it keeps the promises of a statistic, and a reward moves it by what the plan says.
func TestTotals(t *testing.T) {
	c := privacytest.Case[privacy.Means]{
		Of:    Totals{Epsilon: 1},
		Setup: privacy.Setup{Horizon: 16, Arms: 2, Slots: 1, Hi: 1}, Format: privacytest.Weights(nil),
	}
	privacytest.Statistic(t, c)
	privacytest.Probe(t, c)
}

func TestSeasons(t *testing.T) {
	bandittest.Environment(t, Seasons{Means: []float64{0.2, 0.8, 0.5}, Long: 30})
}

// run returns the result of a race, and the mean regrets of its two learners.
func run(t *testing.T, race simulate.Experiment) (r *simulate.Result, own, toolkit []float64) {
	t.Helper()
	r, err := race.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Curves()[0].Mean, r.Curves()[1].Mean
}

// stream returns rounds that pay nothing, but for the first. Both arms of that have the context x,
// later ones +x/1000 and -x/1000.
func stream(rounds int, first, x float64) audit.Stream {
	s := make(audit.Stream, rounds)
	for i := range s {
		s[i].Rewards, s[i].X = []float64{0, 0}, []float64{x / 1000, -x / 1000}
	}
	s[0].Rewards, s[0].X = []float64{first, first}, []float64{x, x}
	return s
}

// verdict fails if the claim is not the one wanted, if it is excluded, a false alarm once in a
// million, or if the attack saw too little: least is five standard deviations below its mean.
func verdict(t *testing.T, f audit.Finding, err error, want privacy.Budget, least float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Claim; !(c.Epsilon <= want.Epsilon && c.Epsilon > 0.999*want.Epsilon && c.Delta == want.Delta) {
		t.Errorf("claims %v, want %v", c, want)
	}
	if f.Excluded() || f.Epsilon < least {
		t.Errorf("epsilon >= %.3g is seen of %v, want >= %v\n%v", f.Epsilon, f.Claim, least, f)
	}
}

// TestStated: a claim says that its epsilon is what the author of Totals states, also where a
// learner of the toolkit reads them, and proves it where the statistic is the toolkit's.
func TestStated(t *testing.T) {
	problem := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
	for _, c := range []struct {
		statistic privacy.Tally
		want      privacy.Standing
		authors   int
	}{{Totals{Epsilon: 1}, privacy.Stated, 1}, {tally.Blocks{Budget: privacy.Budget{Epsilon: 1}}, privacy.Checked, 0}} {
		ready, err := learner.New(Hopeful{}, c.statistic).Open(problem, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := privacy.ClaimOf(ready); got.Standing() != c.want || len(got.Authors()) != c.authors {
			t.Errorf("%T: %v by %v, want %v by %d\n%v", c.statistic, got.Standing(), got.Authors(), c.want, c.authors, got)
		}
	}
}
