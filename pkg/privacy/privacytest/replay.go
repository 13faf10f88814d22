package privacytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/serial"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// PolicyCase is a policy to be checked by Replay.
type PolicyCase[R any] struct {
	Policy    learner.Policy[R]
	Statistic privacy.Statistic[R] // what the policy reads; nil means the exact statistic
	Problem   bandit.Problem
	Rounds    int // rounds of a run, of which later ones are not seen; 0 means 600
}

// Replay checks that a policy's arms are a function of releases, the view and its own stream. A run
// of a learner is recorded, by records of which some are beyond their bounds.
//
//   - Earlier: a new policy that is given the releases and views of a run within bounds plays the
//     same, though another run, with records beyond them, has been played since. So nothing
//     outlives a run.
//   - OtherMachine: a policy that has never learnt, and is given a copy of the broadcast, plays the
//     same arms. So the two halves can be two machines.
//   - Releases: a new policy that is given the releases, copied number by number, and the
//     views plays and broadcasts the same. So nothing else reaches it.
//   - Memory: a new policy that is given the releases, and other views in about half of the rounds,
//     plays the same in the other half, encodes records the same and broadcasts the same. A policy
//     that remembers a view, or a record, would carry one user's data to another, past the
//     statistic and its noise.
//
// What a rule that is a learner.Explainer shows of its choices has to be the same, too.
//
// A random policy must make as many draws in a round whatever it sees, and none in Learn. Otherwise
// Replay reports that it remembers.
func Replay[R any](t testing.TB, c PolicyCase[R]) {
	t.Helper()
	if c.Rounds == 0 {
		c.Rounds = 600
	}
	runAll(t, []check{{"Earlier", c.earlier}, {"OtherMachine", c.otherMachine}, {"Releases", c.releases}, {"Memory", c.memory}})
}

// replayed is a policy that is observed as it plays.
type replayed[R any] struct {
	learner.Policy[R]
	remote bool // another rule acts on copies
	seed   uint64
	*replayedRun[R]
}

// replayedRun is what is seen of the run of a policy.
type replayedRun[R any] struct {
	rule, other learner.Rule[R]    // the other one acts on copies
	views       []bandit.View      // by round
	arms        [][]int            // what the policy chose, by round
	shown       [][]bandit.Insight // what it chose by, by round, if it shows that
	elsewhere   [][]int            // what the remote policy chose
	records     []encoded          // by round
	releases    [][]float64        // that of Prepare, and those of Learn
	before      []int              // how many of these came before a round
	broadcasts  [][]float64
}

// Encodes says that rules encode: a replayed one does, and hands on what the policy's own says.
func (p replayed[R]) Encodes() {}

func (p replayed[R]) Ask(problem bandit.Problem, s *privacy.Setup) error {
	if a, ok := p.Policy.(learner.Asker); ok {
		return a.Ask(problem, s)
	}
	return nil
}

// keep writes down a release.
func (p *replayedRun[R]) keep(r *R) error {
	numbers, err := serial.Write(nil, true, r)
	p.releases = append(p.releases, numbers)
	return err
}

func (p replayed[R]) Prepare(problem bandit.Problem, horizon int, r *R) (learner.Prepared[R], error) {
	if err := p.keep(r); err != nil {
		return nil, err
	}
	prepared, err := p.Policy.Prepare(problem, horizon, r)
	return learner.Begins[R](func(*rand.Rand) learner.Rule[R] {
		if p.rule = prepared.Begin(stream(p.seed)); p.remote {
			p.other = prepared.Begin(stream(p.seed))
		}
		return p.replayedRun
	}), err
}

func (p *replayedRun[R]) Learn(r *R) ([]float64, error) {
	if err := p.keep(r); err != nil {
		return nil, err
	}
	broadcast, err := p.rule.Learn(r)
	p.broadcasts = append(p.broadcasts, slices.Clone(broadcast))
	return broadcast, err
}

// encoded is a record and what the rule made of it.
type encoded struct{ of, made privacy.Record }

// copied returns a record with memory of its own.
func copied(r *privacy.Record) privacy.Record {
	return privacy.Record{X: slices.Clone(r.X), Arms: slices.Clone(r.Arms), Y: slices.Clone(r.Y)}
}

// encode has a rule encode a copy of a record, if it is a learner.Encoder.
func encode(rule any, broadcast []float64, of privacy.Record) (encoded, error) {
	r := copied(&of)
	e, ok := rule.(learner.Encoder)
	if !ok {
		return encoded{of, r}, nil
	}
	err := e.Encode(broadcast, &r)
	return encoded{of, copied(&r)}, err
}

// Encode passes on how the rule encodes records.
func (p *replayedRun[R]) Encode(broadcast []float64, r *privacy.Record) error {
	e, err := encode(p.rule, broadcast, copied(r))
	p.records = append(p.records, e)
	*r = e.made
	return err
}

// Length passes on the lengths of batches that the rule sets.
func (p *replayedRun[R]) Length(arm, i int) int {
	if rule, ok := p.rule.(interface{ Length(arm, i int) int }); ok {
		return rule.Length(arm, i)
	}
	return 1
}

func (p *replayedRun[R]) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	seen := *v
	seen.X = slices.Clone(v.X)
	p.views, p.before = append(p.views, seen), append(p.before, len(p.releases))
	n := len(dst)
	dst, err := p.rule.Act(broadcast, v, dst)
	if err != nil {
		return dst, err
	}
	p.arms = append(p.arms, slices.Clone(dst[n:]))
	shown, err := shows(p.rule, broadcast, v)
	if err != nil {
		return dst, err
	}
	p.shown = append(p.shown, shown)
	if p.other != nil {
		seen.X = slices.Clone(v.X)
		arms, err := p.other.Act(slices.Clone(broadcast), &seen, nil)
		if err != nil {
			return dst, fmt.Errorf("on another machine: %w", err)
		}
		p.elsewhere = append(p.elsewhere, arms)
	}
	return dst, nil
}

// shows returns what a rule chooses by, nil if it does not show that.
func shows(rule any, broadcast []float64, v *bandit.View) ([]bandit.Insight, error) {
	if e, ok := rule.(learner.Explainer); ok {
		return e.Explain(broadcast, v, nil)
	}
	return nil, nil
}

// alike reports whether two insights have the same numbers, where a NaN is one.
func alike(a, b bandit.Insight) bool {
	equal := func(x, y float64) bool { return x == y || x != x && y != y }
	return equal(a.Index, b.Index) && equal(a.Estimate, b.Estimate) && equal(a.Width, b.Width)
}

// contexts writes random contexts of norms at most bound.
func contexts(rng *rand.Rand, x []float64, dim int, bound float64) {
	for len(x) > 0 && dim > 0 {
		norm := 0.0
		for i := range dim {
			x[i] = random.Normal(rng)
			norm = portable.Hypot(norm, x[i])
		}
		scale(x[:dim], bound*rng.Float64()/norm)
		x = x[dim:]
	}
}

// record plays the rounds and returns what the policy was given and did. If fixed is set, all
// rounds have the contexts of round 1, and views say so. If beyond is, some rewards are beyond
// their bounds.
func (c PolicyCase[R]) record(p replayed[R], fixed, beyond bool) error {
	l, err := learner.New[R](p, c.Statistic).Open(c.Problem, c.Rounds)
	if err != nil {
		return err
	}
	run := l.Start(stream(0), source(30))
	rng := stream(31)
	y := make([]float64, c.Problem.Arms)
	width := c.Problem.RewardMax - c.Problem.RewardMin
	reward := func() float64 {
		y := c.Problem.RewardMin + float64(width*rng.Float64())
		if rng.IntN(8) == 0 && beyond {
			y += width
		}
		return y
	}
	if wantsWarmUp(l) {
		for i := range y {
			y[i] = reward()
		}
		if err := run.(bandit.Warmed).WarmUp(y); err != nil {
			return err
		}
	}
	v := bandit.View{Arms: c.Problem.Arms, Dim: c.Problem.Dim, X: make([]float64, c.Problem.Arms*c.Problem.Dim)}
	var arms []int
	for v.Round = 1; v.Round <= c.Rounds; v.Round++ {
		v.Same = fixed && v.Round > 1
		if !fixed || v.Round == 1 {
			contexts(rng, v.X, v.Dim, c.Problem.ContextNorm)
		}
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			return err
		}
		for i := range arms {
			y[i] = reward()
		}
		if err := run.Update(&v, arms, y[:len(arms)]); err != nil {
			return err
		}
	}
	return nil
}

// again gives a new policy the releases and views of a run, but other views in the rounds that keep
// refuses, and reports the first broadcast or choice that differs.
func (c PolicyCase[R]) again(p replayed[R], keep func(round int) bool) (difference string, err error) {
	var first R
	if _, err := serial.Read(p.releases[0], &first); err != nil {
		return "", err
	}
	prepared, err := c.Policy.Prepare(c.Problem, c.Rounds, &first)
	if err != nil {
		return "", err
	}
	fresh := prepared.Begin(stream(p.seed))
	other := stream(34)
	var broadcast []float64
	told := 1
	for round, seen := range p.views {
		for ; told < p.before[round]; told++ {
			r := new(R)
			if _, err := serial.Read(p.releases[told], r); err != nil {
				return "", err
			}
			if broadcast, err = fresh.Learn(r); err != nil {
				return "", err
			}
			if !same(broadcast, p.broadcasts[told-1]) {
				return fmt.Sprintf("broadcast %d, before round %d, is another", told, round+1), nil
			}
		}
		v := seen
		v.X = slices.Clone(seen.X)
		if !keep(round + 1) {
			contexts(other, v.X, v.Dim, c.Problem.ContextNorm)
			v.Same = false
		}
		v.Same = v.Same && keep(round)
		arms, err := fresh.Act(broadcast, &v, nil)
		if err != nil {
			return "", err
		}
		record := p.records[round].of
		if !keep(round + 1) {
			record = copied(&record)
			contexts(other, record.X, v.Dim, c.Problem.ContextNorm)
		}
		e, err := encode(fresh, broadcast, record)
		if err != nil {
			return "", err
		}
		if made := p.records[round].made; keep(round+1) && !(same(e.made.X, made.X) && same(e.made.Y, made.Y)) {
			return fmt.Sprintf("round %d: the record %v is encoded in place of %v", round+1, e.made, made), nil
		}
		if keep(round+1) && !slices.Equal(arms, p.arms[round]) {
			return fmt.Sprintf("round %d: %v is played in place of %v", round+1, arms, p.arms[round]), nil
		}
		if !keep(round + 1) {
			continue
		}
		shown, err := shows(fresh, broadcast, &v)
		if err != nil {
			return "", err
		}
		if !slices.EqualFunc(shown, p.shown[round], alike) {
			return fmt.Sprintf("round %d: %v is shown in place of %v", round+1, shown, p.shown[round]), nil
		}
	}
	return "", nil
}

// always keeps the views of all rounds.
func always(int) bool { return true }

func (c PolicyCase[R]) earlier(fail report) {
	var runs [2]replayed[R]
	for i, beyond := range []bool{false, true} {
		runs[i] = replayed[R]{c.Policy, false, 35, new(replayedRun[R])}
		if err := c.record(runs[i], false, beyond); err != nil {
			fail("%v", err)
			return
		}
	}
	switch difference, err := c.again(runs[0], always); {
	case err != nil:
		fail("%v", err)
	case difference != "":
		fail("%s by a new policy that is given the releases and views of a run, after another run: let nothing outlive a run", difference)
	}
}

func (c PolicyCase[R]) otherMachine(fail report) {
	for _, fixed := range []bool{false, true} {
		p := replayed[R]{c.Policy, true, 32, new(replayedRun[R])}
		if err := c.record(p, fixed, true); err != nil {
			fail("%v", err)
			return
		}
		for i, arms := range p.arms {
			if !slices.Equal(arms, p.elsewhere[i]) {
				fail("round %d: %v is played, and %v by a policy that has not learnt and reads a copy of the broadcast: put all that Act needs into the broadcast, and read it there",
					i+1, arms, p.elsewhere[i])
				break
			}
		}
	}
}

// replays plays recorded runs again, some times each.
func (c PolicyCase[R]) replays(fail report, times int, keep func(rng *rand.Rand) func(round int) bool, advice string) {
	for _, fixed := range []bool{false, true} {
		p := replayed[R]{c.Policy, false, 33, new(replayedRun[R])}
		if err := c.record(p, fixed, true); err != nil {
			fail("%v", err)
			return
		}
		for i := range times {
			difference, err := c.again(p, keep(stream(uint64(90+i))))
			if err != nil {
				fail("%v", err)
				return
			}
			if difference != "" {
				fail("%s by a new policy that is given %s", difference, advice)
				break
			}
		}
	}
}

func (c PolicyCase[R]) releases(fail report) {
	all := func(*rand.Rand) func(int) bool { return always }
	c.replays(fail, 1, all, "the same releases and views: learn from releases alone, and choose by broadcast, view and own stream alone")
}

func (c PolicyCase[R]) memory(fail report) {
	half := func(rng *rand.Rand) func(int) bool {
		kept := make([]bool, c.Rounds+1)
		for i := range kept {
			kept[i] = i == 0 || rng.IntN(2) == 0
		}
		return func(round int) bool { return kept[round] }
	}
	c.replays(fail, 6, half, "the same releases, and other views in other rounds: remember no view")
}
