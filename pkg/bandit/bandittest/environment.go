package bandittest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// EnvironmentOptions says from which checks an environment is exempt. The zero value runs all
// checks.
type EnvironmentOptions struct {
	Seed   uint64 // of all streams
	Rounds int    // rounds played in each check, >= 1; 0 means 200

	// UnboundedRewards means that rewards may leave [RewardMin, RewardMax], as Gaussian ones do.
	UnboundedRewards bool
	// RegretIsNotMean means that regret need not be a difference of the mean rewards of Pull, as with
	// an adversary. By default, differences of regret are compared with differences of averages over
	// pulls.
	RegretIsNotMean bool
	// Hindsight means that the sums of regret, over the rounds so far, are never negative for a choice
	// that stays, and 0 for some, instead of the regret of each round. Regret is then not a mean.
	Hindsight bool
	// Sets appends a random feasible set of arms to dst. nil means that any Slots different arms are
	// feasible.
	Sets func(r *rand.Rand, v *bandit.View, dst []int) []int
}

// Environment checks that an environment keeps the promises of bandit.Environment:
//
//   - it opens, and its problem is valid and does not change
//   - opening and playing it leave the description as it was
//   - views are well formed and within ContextNorm, and View.Same is set only if the contexts are
//     those of the last round
//   - equal streams give equal contexts and rewards, in trials one after the other or beside each
//     other, of one world or of two
//   - pulls change neither later contexts nor later rewards
//   - rewards are within their range
//   - regret is never negative, is 0 for some choice, and agrees with the means of the rewards, or
//     is so in sum for choices that stay, in hindsight
//   - without contexts, all arms may be pulled before round 1, which does not change later rounds
//   - a round allocates nothing
func Environment(t testing.TB, env bandit.Environment, options ...EnvironmentOptions) {
	t.Helper()
	var o EnvironmentOptions
	if len(options) > 0 {
		o = options[0]
	}
	if o.Rounds == 0 {
		o.Rounds = 200
	}
	world, err := bandit.OpenWorld(env)
	if err != nil {
		t.Errorf("Open: %v", err)
		return
	}
	e := envSuite{o, env, world}
	runAll(t, []check{
		{"Problem", e.problem},
		{"View", e.view},
		{"Reproducible", e.reproducible},
		{"Oblivious", e.oblivious},
		{"Rewards", e.rewards},
		{"Regret", e.regret},
		{"RegretIsMean", e.regretIsMean},
		{"WarmUp", e.warmUp},
		{"Allocations", e.allocations},
	})
}

type envSuite struct {
	EnvironmentOptions
	env   bandit.Environment
	world bandit.World
}

// start returns a trial, and its problem.
func (s envSuite) start() (bandit.Instance, bandit.Problem) {
	return s.world.Start(stream(s.Seed, contexts)), s.world.Problem()
}

// arms draws a feasible choice.
func (s envSuite) arms(r *rand.Rand, p bandit.Problem, v *bandit.View) []int {
	if s.Sets != nil {
		return s.Sets(r, v, nil)
	}
	return pick(r, v.Arms, p.Slots, nil)
}

func (s envSuite) problem() error {
	before := fmt.Sprintf("%#v", s.env)
	env, p := s.start()
	s.transcript(env, p)
	if q := s.world.Problem(); q != p {
		return fmt.Errorf("Problem() = %+v after a trial, %+v before", q, p)
	}
	if again, err := bandit.OpenWorld(s.env); err != nil {
		return fmt.Errorf("Open after a trial: %w", err)
	} else if q := again.Problem(); q != p {
		return fmt.Errorf("Problem() = %+v when opened again, %+v before", q, p)
	}
	if after := fmt.Sprintf("%#v", s.env); after != before {
		return fmt.Errorf("Open or a trial changed the environment from %s to %s", before, after)
	}
	return nil
}

func (s envSuite) view() error {
	env, p := s.start()
	var v, last bandit.View
	for round := 1; round <= 2*s.Rounds; round++ {
		if round == s.Rounds+1 { // another trial
			env = s.world.Start(stream(s.Seed+1, contexts))
			last = bandit.View{}
		}
		round := (round-1)%s.Rounds + 1
		env.Next(&v)
		switch {
		case v.Same && (round == 1 || v.Arms != last.Arms || v.Dim != last.Dim || !sameBits(v.X, last.X)):
			return fmt.Errorf("round %d: View.Same, and the contexts are not those of the round before", round)
		case v.Round != round:
			return fmt.Errorf("View.Round = %d, want %d", v.Round, round)
		case v.Arms < p.Slots || v.Arms > p.Arms:
			return fmt.Errorf("round %d: View.Arms = %d, want in [Slots = %d, Arms = %d]", round, v.Arms, p.Slots, p.Arms)
		case v.Dim != p.Dim:
			return fmt.Errorf("round %d: View.Dim = %d, want %d", round, v.Dim, p.Dim)
		case len(v.X) != v.Arms*v.Dim:
			return fmt.Errorf("round %d: len(View.X) = %d, want Arms x Dim = %d", round, len(v.X), v.Arms*v.Dim)
		}
		for arm := range v.Arms {
			sum := 0.0
			for _, x := range v.Row(arm) {
				sum += float64(x * x)
			}
			if norm := math.Sqrt(sum); p.Dim > 0 && !(norm <= p.ContextNorm*(1+1e-9)) {
				return fmt.Errorf("round %d: the context of arm %d has norm %v, want <= ContextNorm = %v", round, arm, norm, p.ContextNorm)
			}
		}
		last = v
		last.X = slices.Clone(v.X)
	}
	return nil
}

// transcript returns all that an environment shows for random choices: contexts, rewards and
// regret.
func (s envSuite) transcript(env bandit.Instance, p bandit.Problem) (seen []float64) {
	r, draw := stream(s.Seed, rewards), stream(s.Seed, choice)
	y := make([]float64, p.Slots)
	var v bandit.View
	for range s.Rounds {
		env.Next(&v)
		arms := s.arms(draw, p, &v)
		env.Pull(r, arms, y)
		seen = append(append(append(seen, v.X...), y...), env.Regret(arms))
	}
	return seen
}

func (s envSuite) reproducible() error {
	env, p := s.start()
	first := s.transcript(env, p)
	again, err := bandit.OpenWorld(s.env)
	if err != nil {
		return err
	}
	if !sameBits(first, s.transcript(again.Start(stream(s.Seed, contexts)), p)) {
		return fmt.Errorf("opened again, with the same streams, it shows other contexts, rewards or regret")
	}
	late, _ := s.start()
	other := s.world.Start(stream(s.Seed+1, contexts))
	twin, _ := s.start()
	s.transcript(other, p)
	if !sameBits(first, s.transcript(late, p)) || !sameBits(first, s.transcript(twin, p)) {
		return fmt.Errorf("a trial with the same streams shows other contexts, rewards or regret after another trial; they share something")
	}
	return nil
}

// oblivious plays twins: one is pulled once a round, the other not at all or by two learners with
// other arms. Contexts must always agree, rewards and regret whenever the arms are the same.
func (s envSuite) oblivious() error {
	a, p := s.start()
	b, _ := s.start()
	ra, rb, crowd := stream(s.Seed, rewards), stream(s.Seed, rewards), stream(s.Seed+1, rewards)
	drawA, drawB := stream(s.Seed, choice), stream(s.Seed+1, choice)
	ya, yb := make([]float64, p.Slots), make([]float64, p.Slots)
	var va, vb bandit.View
	for round := 1; round <= s.Rounds; round++ {
		a.Next(&va)
		b.Next(&vb)
		if !sameBits(va.X, vb.X) || va.Arms != vb.Arms {
			return fmt.Errorf("round %d: what was pulled before changed the contexts", round)
		}
		same := s.arms(drawA, p, &va)
		other := s.arms(drawB, p, &va)
		for range round % 3 { // others pull from b in the same round
			b.Pull(crowd, other, yb)
			b.Regret(other)
		}
		if round%4 == 0 { // other arms, same stream
			a.Pull(ra, same, ya)
			b.Pull(rb, other, yb)
			if ra.Uint64() != rb.Uint64() {
				return fmt.Errorf("round %d: pulling %v and %v took different numbers of draws, want the same whatever the arms", round, same, other)
			}
			continue
		}
		a.Pull(ra, same, ya)
		b.Pull(rb, same, yb)
		if !sameBits(ya, yb) {
			return fmt.Errorf("round %d: what was pulled before changed the rewards of arms %v from %v to %v", round, same, ya, yb)
		}
		if x, y := a.Regret(same), b.Regret(same); x != y {
			return fmt.Errorf("round %d: what was pulled before changed the regret of arms %v from %v to %v", round, same, x, y)
		}
		if !sameBits(va.X, vb.X) {
			return fmt.Errorf("round %d: a pull changed the contexts of its round", round)
		}
	}
	return nil
}

// checkRewards reports a reward that no pull may return.
func (s envSuite) checkRewards(p bandit.Problem, arms []int, y []float64) error {
	for i, y := range y {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return fmt.Errorf("the reward of arm %d = %v, want finite", arms[i], y)
		}
		if !s.UnboundedRewards && (y < p.RewardMin || y > p.RewardMax) {
			return fmt.Errorf("the reward of arm %d = %v, want in [%v, %v]", arms[i], y, p.RewardMin, p.RewardMax)
		}
	}
	return nil
}

func (s envSuite) rewards() error {
	env, p := s.start()
	r, draw := stream(s.Seed, rewards), stream(s.Seed, choice)
	y := make([]float64, p.Slots)
	var v bandit.View
	for round := 1; round <= s.Rounds; round++ {
		env.Next(&v)
		arms := s.arms(draw, p, &v)
		for i := range y {
			y[i] = math.NaN() // must be overwritten
		}
		asked := slices.Clone(arms)
		env.Pull(r, arms, y)
		if !slices.Equal(arms, asked) {
			return fmt.Errorf("round %d: Pull changed its arms from %v to %v", round, asked, arms)
		}
		if err := s.checkRewards(p, arms, y); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// warmUp pulls all arms before round 1, as for a bandit.Warmer.
func (s envSuite) warmUp() error {
	env, p := s.start()
	if p.Dim > 0 {
		return nil
	}
	twin, _ := s.start()
	y, again := make([]float64, p.Arms), make([]float64, p.Arms)
	arms := allArms(p.Arms)
	for seed := s.Seed; seed < s.Seed+3; seed++ { // of several learners
		for i := range y {
			y[i] = math.NaN()
		}
		env.Pull(stream(seed, warmUp), arms, y)
		if err := s.checkRewards(p, arms, y); err != nil {
			return fmt.Errorf("before round 1: %w", err)
		}
		env.Pull(stream(seed, warmUp), arms, again)
		if !sameBits(y, again) {
			return fmt.Errorf("before round 1: two pulls of all arms from the same stream give %v and %v", y, again)
		}
	}
	if !sameBits(s.transcript(env, p), s.transcript(twin, p)) {
		return fmt.Errorf("what was pulled before round 1 changed contexts, rewards or regret of the rounds")
	}
	return nil
}

// maxSets bounds the number of sets that regret enumerates in a round.
const maxSets = 5000

// hindsight checks the sums of regret of each arm that stays.
func (s envSuite) hindsight() error {
	env, p := s.start()
	if p.Slots != 1 {
		return fmt.Errorf("EnvironmentOptions.Hindsight with Slots = %d, want 1", p.Slots)
	}
	sums, tol := make([]float64, p.Arms), 1e-9*span(p)*float64(s.Rounds)
	var v bandit.View
	for round := 1; round <= s.Rounds; round++ {
		env.Next(&v)
		if v.Arms != p.Arms {
			return fmt.Errorf("round %d: %d arms, want %d in hindsight", round, v.Arms, p.Arms)
		}
		for arm := range sums {
			sums[arm] += env.Regret([]int{arm})
		}
		if least := slices.Min(sums); !(math.Abs(least) <= tol) {
			return fmt.Errorf("round %d: the least regret of an arm that stays = %v, want 0", round, least)
		}
	}
	return nil
}

func (s envSuite) regret() error {
	if s.Hindsight {
		return s.hindsight()
	}
	env, p := s.start()
	draw := stream(s.Seed, choice)
	tol := 1e-9 * span(p) * float64(p.Slots)
	var v bandit.View
	for round := 1; round <= s.Rounds; round++ {
		env.Next(&v)
		ask := func(arms []int) (float64, error) {
			r := env.Regret(arms)
			if !(r >= -tol) || math.IsInf(r, 1) {
				return r, fmt.Errorf("round %d: the regret of arms %v = %v, want finite and >= 0", round, arms, r)
			}
			return r, nil
		}
		if s.Sets != nil || sets(v.Arms, p.Slots) > maxSets {
			for range 20 {
				if _, err := ask(s.arms(draw, p, &v)); err != nil {
					return err
				}
			}
			continue
		}
		least := math.Inf(1)
		arms := make([]int, p.Slots)
		for i := range arms {
			arms[i] = i
		}
		for more := true; more; more = nextSet(arms, v.Arms) {
			r, err := ask(arms)
			if err != nil {
				return err
			}
			least = min(least, r)
		}
		if least > tol {
			return fmt.Errorf("round %d: the least regret of all choices = %v, want 0", round, least)
		}
	}
	return nil
}

// sets returns the number of subsets of k out of n, or maxSets+1 if there are more than maxSets.
func sets(n, k int) int {
	c := 1
	for i := 1; i <= min(k, n-k); i++ {
		if c = c * (n - i + 1) / i; c > maxSets {
			return maxSets + 1
		}
	}
	return c
}

// nextSet advances arms to the next subset of [0, n) in lexical order. It returns false after the
// last.
func nextSet(arms []int, n int) bool {
	k := len(arms)
	for i := k - 1; i >= 0; i-- {
		if arms[i] < n-k+i {
			arms[i]++
			for j := i + 1; j < k; j++ {
				arms[j] = arms[j-1] + 1
			}
			return true
		}
	}
	return false
}

// regretIsMean compares the difference of regret with that of average rewards over 4000 pulls each,
// for 5 pairs of choices in each of 3 rounds. It fails beyond 6 standard errors: for one seed in
// 10^7 if the averages are normal.
func (s envSuite) regretIsMean() error {
	if s.RegretIsNotMean || s.Hindsight {
		return nil
	}
	const pairs, pulls, z = 5, 4000, 6
	env, p := s.start()
	r, draw := stream(s.Seed, rewards), stream(s.Seed, choice)
	y := make([]float64, p.Slots)
	average := func(arms []int) (mean, variance float64) {
		var sum, sq float64
		var shift float64 // the first value, against cancellation
		for n := range pulls {
			env.Pull(r, arms, y)
			total := 0.0
			for _, y := range y {
				total += y
			}
			if n == 0 {
				shift = total
			}
			sum += total - shift
			sq += float64((total - shift) * (total - shift))
		}
		mean = sum / pulls
		return mean + shift, max(float64(sq/pulls)-float64(mean*mean), 0) / pulls
	}
	var v bandit.View
	for round := 1; round <= s.Rounds; round++ {
		env.Next(&v)
		if round != 1 && round != (s.Rounds+1)/2 && round != s.Rounds {
			continue
		}
		for range pairs {
			a, b := s.arms(draw, p, &v), s.arms(draw, p, &v)
			ma, va := average(a)
			mb, vb := average(b)
			got, want := env.Regret(b)-env.Regret(a), ma-mb
			if se := math.Sqrt(va + vb); math.Abs(got-want) > float64(z*se)+float64(1e-9*span(p)*float64(p.Slots)) {
				return fmt.Errorf("round %d: the regret of arms %v less that of %v = %v, but their average rewards differ by %v (standard error %v)", round, b, a, got, want, se)
			}
		}
	}
	return nil
}

func (s envSuite) allocations() error {
	env, p := s.start()
	r := stream(s.Seed, rewards)
	y := make([]float64, p.Slots)
	var v bandit.View
	env.Next(&v)
	arms := s.arms(stream(s.Seed, choice), p, &v)
	batch := func() {
		for range s.Rounds {
			env.Next(&v)
			env.Pull(r, arms, y)
			env.Regret(arms)
		}
	}
	batch()
	if n := testing.AllocsPerRun(3, batch); n > 0 {
		return fmt.Errorf("%v allocations in %d rounds of Next, Pull and Regret, want 0", n, s.Rounds)
	}
	return nil
}
