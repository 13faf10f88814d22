package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/value"
)

// Check is a suite of checks that was run on the learner, as a test of its author would.
type Check struct {
	Suite string `json:"suite"` // the function that a test calls, such as "bandittest.Learner"
	What  string `json:"what"`
	World string `json:"world"`
	// Failures says what is not kept, each with the name of the check, what was seen and what is
	// wanted. None means that all is kept.
	Failures []string `json:"failures,omitempty"`
}

// check runs the suites, in the first world of each dimension.
func (j *judging) check(context.Context) error {
	seen := map[int]bool{}
	for _, p := range j.places {
		if seen[p.problem.Dim] {
			continue
		}
		seen[p.problem.Dim] = true
		j.suite(Check{"bandittest.Learner", "keeps the promises of a learner", p.Name, nil}, func(t testing.TB) {
			bandittest.Learner(t, j.learner, p.env, bandittest.LearnerOptions{
				Seed: j.Seed, Rounds: 60, IgnoresContexts: p.problem.Dim > 0 && j.opens(withoutContexts(p.problem), 300), Anytime: j.opens(p.problem, 0),
			})
		})
		j.suite(Check{"judge.Learner", "plays a long run again as before", p.Name, nil}, func(t testing.TB) { j.again(t, p) })
		if p.claim.Held() && p.claim.Standing() != privacy.Asserted {
			long := 4_000 // rounds, after which any learner of the catalogue has released something
			j.suite(Check{"privacytest.Learner", "draws the noise of its plan, each run anew", p.Name, nil}, func(t testing.TB) {
				privacytest.Learner(t, privacytest.LearnerCase{Name: "judge", Learner: j.learner, Problem: p.problem, Long: long, Attack: 400})
			})
		}
		if p.claim.Held() && p.claim.Standing() == privacy.Asserted && !j.slow() {
			j.suite(Check{"judge.Learner", "draws its noise from the source that Start is given", p.Name, nil}, func(t testing.TB) { j.draws(t, p) })
		}
		if p.claim.Held() && p.claim.Standing() == privacy.Asserted && len(seen) == 1 {
			j.suite(Check{"judge.Learner", "adds noise to each number that it releases", p.Name, nil}, j.bare)
		}
		switch l := j.learner.(type) {
		case learner.Private[privacy.Sums]:
			halves(j, p, l, privacytest.Rows())
		case learner.Private[privacy.Means]:
			halves(j, p, l, privacytest.Weights(nil))
		case learner.Private[tally.Answer]:
			j.query(p, l)
		}
	}
	return nil
}

// again plays a run as long as the races twice, with the same seeds. What differs may start late. A
// program has to release the same again, too, and equally many numbers each time.
func (j *judging) again(t testing.TB, p place) {
	var first [][]int
	var released [][]float64
	look := told(p.problem)
	for play := range 2 {
		round := 0
		err := j.play(p, j.horizon(), random.Source(j.Seed, 0, "noise"), func(run bandit.Run, arms []int) {
			var numbers []float64
			if j.slow() {
				numbers, _ = look(run)
			}
			switch {
			case play == 0:
				first, released = append(first, slices.Clone(arms)), append(released, numbers)
				if n := len(released[0]); len(numbers) != n {
					t.Fatalf("ReleaseLength: it releases %d numbers after round 1, and %d after round %d, want equally many each time, such as zeros before there are any", n, len(numbers), round+1)
				}
			case round < len(first) && !slices.Equal(first[round], arms):
				t.Fatalf("Deterministic: with the same seeds, it plays the arms %v in round %d, and %v when played again", first[round], round+1, arms)
			case round < len(first) && !slices.Equal(released[round], numbers):
				t.Fatalf("DeterministicReleases: with the same seeds, it releases %.6g after round %d, and %.6g when played again: draw all noise from noise_seed",
					released[round][:min(4, len(released[round]))], round+1, numbers[:min(4, len(numbers))])
			}
			round++
		})
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// draws plays a run on a ledger. A plan that somebody asserts lists no draws to compare with, but a
// run that draws nothing has no noise that could be audited, or none that is fresh.
func (j *judging) draws(t testing.TB, p place) {
	ledger := privacy.NewLedger(random.Source(j.Seed, 0, "noise"))
	if err := j.play(p, j.horizon(), ledger, func(bandit.Run, []int) {}); err != nil {
		t.Fatalf("%v", err)
	}
	if len(ledger.Drawn()) == 0 {
		t.Errorf("%d rounds and a claim of epsilon = %.3g, and no noise: draw it by privacy.NewNoise(noise), of the noise that Start is given", j.horizon(), p.claim.Epsilon())
	}
}

// play plays a run of so many rounds, with a round 0 if the learner wants one, and shows the run
// and its arms after each.
func (j *judging) play(p place, rounds int, noise rand.Source, visit func(run bandit.Run, arms []int)) error {
	world, err := bandit.OpenWorld(p.env)
	if err != nil {
		return err
	}
	l, err := j.learner.Open(p.problem, max(rounds, j.horizon()))
	if err != nil {
		return err
	}
	defer bandit.Close(l)
	run := l.Start(random.New(j.Seed, 0, "learner"), noise)
	defer bandit.Close(run)
	trial, rewards := world.Start(random.New(j.Seed, 0, "contexts")), random.New(j.Seed, 0, "rewards")
	if w, ok := l.(bandit.Warmer); ok && w.WantsWarmUp() {
		if err := warm(run, trial, p.problem); err != nil {
			return fmt.Errorf("round 0: %w", err)
		}
	}
	var v bandit.View
	var arms []int
	y := make([]float64, p.problem.Slots)
	for range rounds {
		trial.Next(&v)
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			return fmt.Errorf("round %d: Select: %w", v.Round, err)
		}
		trial.Pull(rewards, arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			return fmt.Errorf("round %d: Update: %w", v.Round, err)
		}
		visit(run, arms)
	}
	return nil
}

// withoutContexts returns a problem without its contexts.
func withoutContexts(p bandit.Problem) bandit.Problem {
	p.Dim, p.ContextNorm = 0, 0
	return p
}

func (j *judging) opens(p bandit.Problem, horizon int) bool {
	l, err := j.learner.Open(p, horizon)
	if err == nil {
		bandit.Close(l)
	}
	return err == nil
}

// halves checks the parts of a private learner that are its author's own.
func halves[R any](j *judging, p place, l learner.Private[R], format privacytest.Format[R]) {
	if l.Statistic != nil && len(value.Foreign(l.Policy)) > 0 {
		j.suite(Check{"privacytest.Replay", "chooses by releases and view alone", p.Name, nil}, func(t testing.TB) {
			privacytest.Replay(t, privacytest.PolicyCase[R]{Policy: l.Policy, Statistic: l.Statistic, Problem: p.problem, Rounds: 200})
		})
	}
	if l.Statistic == nil || len(value.Foreign(l.Statistic)) == 0 {
		return
	}
	setup := privacy.Setup{
		Horizon: 32, Alpha: 1. / 32, Dim: p.problem.Dim + 1, Context: p.problem.ContextNorm, Bound: p.problem.ContextNorm + p.problem.RewardBound(),
		Arms: p.problem.Arms, Slots: p.problem.Slots, Lo: p.problem.RewardMin, Hi: p.problem.RewardMax,
	}
	check := Check{"privacytest.Statistic", "releases what its plan says, and nothing else", p.Name, nil}
	linear := failures(func(t testing.TB) {
		c := privacytest.Case[R]{Of: l.Statistic, Setup: setup, Format: format}
		privacytest.Statistic(t, c)
		privacytest.Probe(t, c)
	})
	other := failures(func(t testing.TB) {
		privacytest.Statistic(t, privacytest.Case[R]{Of: l.Statistic, Setup: setup, Format: format, Nonlinear: true})
	})
	if check.Failures = linear; len(other) < len(linear) {
		check.Failures = other
	}
	j.card.Checks = append(j.card.Checks, check)
}

// query measures how far one record moves the answers of a query, whose author states the most.
func (j *judging) query(p place, l learner.Private[tally.Answer]) {
	of, ok := l.Statistic.(tally.Additive)
	if !ok {
		return
	}
	c := Check{"privacytest.SearchQuery", "states how far a record moves the answers of its query", p.Name, nil}
	s, err := l.Setup(p.problem, j.horizon())
	if err == nil {
		var moved privacytest.Moved
		if moved, err = privacytest.SearchQuery(privacytest.QueryCase{Of: of, Setup: s}); err == nil {
			c.What = fmt.Sprintf("a record moves the answers by %.4g, of %.4g that its author states", moved.Seen, moved.Stated)
		}
	}
	if err != nil {
		c.Failures = []string{firstLine(err.Error())}
	}
	j.card.Checks = append(j.card.Checks, c)
}

// suite runs a suite and writes it on the card. Of a program that broke down, the card says that
// once, and nothing more is checked: whatever else fails may follow from it.
func (j *judging) suite(c Check, run func(t testing.TB)) {
	if j.card.broke() {
		return
	}
	c.Failures = failures(run)
	for _, f := range c.Failures {
		word := broke(f)
		if !j.slow() || word == "" {
			continue
		}
		_, told, _ := strings.Cut(f, "external: ")
		j.card.Checks = append(j.card.Checks, Check{"external.Program", "plays to the end", c.World, []string{"the program " + word + ": " + told}})
		return
	}
	for _, f := range c.Failures {
		if j.slow() && strings.HasPrefix(f, "Deterministic: ") { // what else fails may follow from this
			c.Failures = []string{"Deterministic: its runs cannot be repeated: with the same seeds, and the same rounds, it plays other arms"}
		}
	}
	j.card.Checks = append(j.card.Checks, c)
}

// broke says in words how a program broke down, if that is the failure, and is empty otherwise.
func broke(failure string) string {
	_, told, ok := strings.Cut(failure, "external: ")
	switch {
	case !ok:
		return ""
	case strings.Contains(told, "no answer within"):
		return "hung"
	case strings.Contains(told, "it ended with"):
		return "crashed"
	case strings.Contains(told, ": it says "):
		return "raised an error"
	}
	return "did not answer as it has to"
}

// failures runs a suite and returns the first line of each complaint.
func failures(run func(t testing.TB)) (list []string) {
	for _, f := range bandittest.Failures(run) {
		list = append(list, firstLine(f))
	}
	return list
}

// firstLine leaves out the stack of a panic.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
