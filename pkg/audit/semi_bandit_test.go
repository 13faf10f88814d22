package audit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

var semiProblem = bandit.Problem{Arms: 4, Slots: 2, RewardMin: 0, RewardMax: 1}

// leader plays the two arms with the largest sums of the weights that it saw, under noise of a
// standard deviation. warm: it wants a warm-up; deaf: it takes in nothing else.
type leader struct {
	sigma      float64
	warm, deaf bool
}

// leaderRun is a run of a leader.
type leaderRun struct {
	leader
	noise *rand.Rand
	sums  [4]float64
}

func (l leader) Open(_ bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return l, bandit.CheckHorizon(horizon)
}
func (l leader) WantsWarmUp() bool { return l.warm }
func (l leader) Start(_ *rand.Rand, noise rand.Source) bandit.Run {
	return &leaderRun{leader: l, noise: rand.New(noise)}
}
func (l *leaderRun) WarmUp(y []float64) error { l.add([]int{0, 1, 2, 3}, y); return nil }
func (l *leaderRun) Update(_ *bandit.View, arms []int, y []float64) error {
	if !l.deaf {
		l.add(arms, y)
	}
	return nil
}
func (l *leaderRun) add(arms []int, y []float64) {
	for i, a := range arms {
		l.sums[a] += y[i]
	}
}
func (l *leaderRun) Select(_ *bandit.View, dst []int) ([]int, error) {
	var noisy [4]float64
	for a := range noisy {
		noisy[a] = l.sums[a] + (l.sigma+1e-9)*l.noise.NormFloat64()
	}
	arms := []int{0, 1, 2, 3}
	slices.SortFunc(arms, func(a, b int) int {
		if noisy[a] > noisy[b] {
			return -1
		}
		return 1
	})
	return append(dst, arms[:2]...), nil
}

// semiStreams differ in the weights of all arms in the Round at a place.
func semiStreams(rounds, place int) (worlds [2]audit.Stream) {
	for w := range worlds {
		for t := range rounds {
			r := audit.Round{Rewards: []float64{0, 0, 0, 0}}
			if t == place {
				r.Rewards = [][]float64{{1, 0, 1, 0}, {0, 1, 0, 1}}[w]
			}
			worlds[w] = append(worlds[w], r)
		}
	}
	return worlds
}

// A learner on semi-bandits is caught at any round if it has no noise, and not if it has plenty;
// one that leaks its warm-up and nothing else is caught at round 0 and nowhere else. What is not
// caught has not lost anything: its worlds are equal or far below the claim; at a confidence of
// 0.95, each of these 4 fails for one seed in twenty at worst (the seed is fixed).
func TestSemiBandit(t *testing.T) {
	for _, c := range []struct {
		name     string
		learner  leader
		warmUp   bool
		place    int
		excluded bool
	}{
		{"no noise, round 1", leader{}, false, 0, true},
		{"no noise, round 3", leader{}, false, 2, true},
		{"noise, round 1", leader{sigma: 20}, false, 0, false},
		{"no noise, warm-up", leader{warm: true}, true, 0, true},
		{"no noise, round 1 after a warm-up", leader{warm: true}, true, 1, true},
		{"leaks the warm-up, round 0", leader{warm: true, deaf: true}, true, 0, true},
		{"leaks the warm-up, round 1", leader{warm: true, deaf: true}, true, 1, false},
		{"leaks the warm-up, round 3", leader{warm: true, deaf: true}, true, 3, false},
		{"noise, warm-up", leader{sigma: 20, warm: true}, true, 0, false},
	} {
		a := audit.Learner{
			Name: c.name, Claim: privacy.Budget{Epsilon: 1}, Problem: semiProblem, Worlds: semiStreams(6, c.place), WarmUp: c.warmUp, Runs: 1000,
			Of: c.learner,
		}
		f, err := a.Run(ctx, audit.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() != c.excluded {
			t.Errorf("want excluded = %v\n%v", c.excluded, f)
		}
	}
}

// Proposals of a problem without contexts are neighbouring, and the search finds one at which a
// warm-up leaks.
func TestSearchWarmUp(t *testing.T) {
	a := audit.Learner{Name: "leaks the warm-up", Claim: privacy.Budget{Epsilon: 1}, Problem: semiProblem, WarmUp: true, Runs: 400,
		Of: leader{warm: true, deaf: true},
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			return append(dst, run.(*leaderRun).sums[0]+float64(round))
		}}
	a, err := audit.Search(ctx, a, audit.RandomStreams(semiProblem, 6), 12, audit.Options{Seed: 1, Runs: 40})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(a.Worlds[0][0].Rewards, a.Worlds[1][0].Rewards) {
		t.Error("the streams found differ in another round than 0")
	}
	if f, err := a.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
}

// In one run, round 0 is a canary like others; the transcript is asked for before it, as round -1,
// and after each round.
func TestWarmUpCanaries(t *testing.T) {
	var rounds, scored []int
	a := audit.Learner{Name: "in one run", Claim: privacy.Budget{Epsilon: 1}, Problem: semiProblem, WarmUp: true,
		Of: leader{warm: true},
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			rounds = append(rounds, round)
			return append(dst, run.(*leaderRun).sums[:]...)
		}}
	for range 40 {
		a.Worlds[0] = append(a.Worlds[0], audit.Round{Rewards: []float64{0, 0, 0, 0}})
		a.Worlds[1] = append(a.Worlds[1], audit.Round{Rewards: []float64{1, 1, 1, 1}})
	}
	c, err := a.Canaries(func(round int, arms []int, before, after []float64) float64 {
		scored = append(scored, round)
		if want := 2 * min(round, 1); len(arms) != want {
			t.Errorf("round %d: arms %v, want %d of them", round, arms, want)
		}
		var sum float64
		for i := range before {
			sum += after[i] - before[i]
		}
		return sum - 0.5
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Run(ctx, audit.Options{Seed: 1})
	if err != nil || !f.Excluded() || f.P != 1 {
		t.Errorf("err %v, want all guesses right\n%v", err, f)
	}
	if len(rounds) != 41 || rounds[0] != -1 || rounds[40] != 39 || len(scored) != 40 || scored[0] != 0 {
		t.Errorf("transcripts of rounds %v, scores of %v", rounds, scored)
	}
}

// scribbler writes to the rewards of its warm-up.
type scribbler struct{ leader }

// scribbled is a run of a scribbler.
type scribbled struct{ *leaderRun }

func (l scribbler) Open(_ bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return l, bandit.CheckHorizon(horizon)
}
func (l scribbler) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return scribbled{l.leader.Start(own, noise).(*leaderRun)}
}
func (l scribbled) WarmUp(y []float64) error {
	defer clear(y)
	return l.leaderRun.WarmUp(y)
}

// The streams of one run are those of the next, whatever a learner does to what it is shown.
func TestWarmUpIsACopy(t *testing.T) {
	a := audit.Learner{Name: "scribbler", Claim: privacy.Budget{Epsilon: 1}, Problem: semiProblem, Worlds: semiStreams(6, 0), WarmUp: true, Runs: 400,
		Of: scribbler{leader{warm: true, deaf: true}}}
	if f, err := a.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
	if want := semiStreams(6, 0)[0][0].Rewards; !slices.Equal(a.Worlds[0][0].Rewards, want) {
		t.Errorf("the warm-up's rewards are now %v, want %v", a.Worlds[0][0].Rewards, want)
	}
}

// twice plays an arm twice.
type twice struct{ leader }

// again is a run of a twice.
type again struct{ *leaderRun }

func (l twice) Open(_ bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return l, bandit.CheckHorizon(horizon)
}
func (l twice) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return again{l.leader.Start(own, noise).(*leaderRun)}
}
func (again) Select(_ *bandit.View, dst []int) ([]int, error) { return append(dst, 1, 1), nil }

func TestWarmUpErrors(t *testing.T) {
	for want, change := range map[string]func(*audit.Learner){
		"the learner wants a warm-up: set WarmUp":      func(a *audit.Learner) { a.WarmUp = false },
		"field WarmUp is set, and the learner wants n": func(a *audit.Learner) { a.Of = leader{} },
		"field WarmUp is set, and Problem.Dim = 2":     func(a *audit.Learner) { a.Problem, a.Worlds = problem, streams(4) },
		"Horizon = 2, want >= the streams' 3 rounds":   func(a *audit.Learner) { a.Horizon = 2 },
		"round 1: its Select chose [1 1], want diff":   func(a *audit.Learner) { a.Of = twice{leader{warm: true}} },
		"horizon = 0": func(a *audit.Learner) {
			a.Worlds = semiStreams(1, 0)
		},
	} {
		a := audit.Learner{Name: "l", Claim: privacy.Budget{Epsilon: 1}, Of: leader{warm: true}, Problem: semiProblem, Worlds: semiStreams(4, 0), WarmUp: true, Runs: 40}
		if _, err := a.Run(ctx, audit.Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		a.Horizon = 3
		if _, err := a.Run(ctx, audit.Options{Workers: 1}); err != nil {
			t.Error(err)
		}
		a.Horizon = 0
		change(&a)
		if _, err := a.Run(ctx, audit.Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %q", err, want)
		}
	}
}
