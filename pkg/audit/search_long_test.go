package audit_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/broken"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// From no streams at all, the search over long ones finds a leak that begins in round 65, and one
// that a single large reward shows in the next round. Streams of 8 rounds do not show the first.
// The seeds are fixed.
func TestSearchLong(t *testing.T) {
	leaks := map[string]bool{"win-stay on a raw reward": false, "a memory from round 65 on": true}
	for _, item := range broken.All() {
		a, _ := item.(audit.Learner)
		late, here := leaks[a.Name]
		if !here {
			continue
		}
		a.Worlds = [2]audit.Stream{}
		a.Horizon = 96
		found, err := audit.Search(ctx, a, audit.LongStreams(a.Problem, 96, 1), 60, audit.Options{Seed: 1, Runs: 40})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := found.Run(ctx, audit.Options{Seed: 1}); err != nil || f.Epsilon < 2.5 {
			t.Errorf("%s: err %v, want at least half of what its own streams show\n%v", a.Name, err, f)
		}
		if found, err = audit.Search(ctx, a, audit.RandomStreams(a.Problem, 8), 60, audit.Options{Seed: 1, Runs: 40}); err != nil {
			t.Fatal(err)
		}
		if f, err := found.Run(ctx, audit.Options{Seed: 1}); late && (err != nil || f.Excluded()) {
			t.Errorf("%s: err %v: 8 rounds show it: the case does not test long ones\n%v", a.Name, err, f)
		}
		delete(leaks, a.Name)
	}
	if len(leaks) > 0 {
		t.Errorf("not among the broken learners: %v", leaks)
	}
}

// Proposals are neighbouring: they differ in at least one round, and in no more than a user
// contributes to. What a proposal does not change is within its bounds.
func TestLongStreams(t *testing.T) {
	for _, contributions := range []int{1, 5} {
		for seed := range 400 {
			p, q := audit.LongStreams(problem, 40, contributions)(random.New(1, seed, "test"))
			differ := 0
			for i := range p {
				for j := range p[i].Rewards {
					if p[i].Rewards[j] != q[i].Rewards[j] {
						differ++
						break
					}
				}
			}
			if len(p) != len(q) || len(p) < 4 || len(p) > 40 || differ > contributions {
				t.Fatalf("seed %d: %d and %d rounds, %d differ in rewards, want <= %d", seed, len(p), len(q), differ, contributions)
			}
		}
	}
}

// The releases of a tree over three rounds are its sums, as many numbers in each round, and of a
// learner that has no statistic there are none.
func TestReleases(t *testing.T) {
	l := learner.New(linear.UCB{}, continual.Exact{})
	run := runtest.Run(t, l, problem, 10, random.New(1, 1, "own"), random.Source(1, 1, "noise"))
	first := audit.Releases(problem)(run.Run, 1, nil)
	v := bandit.View{Round: 1, Arms: problem.Arms, Dim: problem.Dim, X: make([]float64, problem.Arms*problem.Dim)}
	for i := range v.X {
		v.X[i] = 0.5
	}
	arms := run.Select(&v, nil)
	run.Update(&v, arms, []float64{1})
	second := audit.Releases(problem)(run.Run, 2, nil)
	if len(first) == 0 || len(first) != len(second) {
		t.Fatalf("%d and then %d numbers, want the same number, above 0", len(first), len(second))
	}
	same := true
	for i := range first {
		same = same && first[i] == second[i]
	}
	if same {
		t.Error("a record changes no number of the releases")
	}
	if got := audit.Releases(problem)(run.Run, 11, nil); len(got) != 0 {
		t.Errorf("round 11: %d numbers, want none", len(got))
	}
	if got := audit.Releases(problem)(quitter{}, 1, nil); len(got) != 0 {
		t.Errorf("a learner without a statistic releases %v", got)
	}
}
