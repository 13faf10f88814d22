package judge

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/random"
)

const (
	bareRounds = 10_000 // in which releases without noise are looked for
	barePilots = 4      // runs on a stream, to find them
	bareTried  = 5      // numbers that are looked at closely
	bareRuns   = 200    // on a stream, at most; a claim that wants more may hardly add noise
	bareAlarm  = 1e-3   // probability that a true claim is called false
)

// bare looks at every number that a run releases, in runs with other noise each, on two streams.
// One that is the same in all runs on a stream, and another in all on the other, is followed from
// one stream to the other, until two remain that differ in one user. Where it is then the same in
// all runs on the one, and another in all on the other, it has no noise, and the claim is false.
//
// There is one arm a slot, so that no choice makes runs differ. A learner that wants more is not
// looked at.
func (j *judging) bare(t testing.TB) {
	stages := j.stages()
	i := slices.IndexFunc(stages, func(s stage) bool { return s.problem.Arms == s.problem.Slots })
	confirm := tellingRuns(float64(j.card.Claim.Epsilon), j.card.Claim.Delta)
	if i < 0 || confirm > bareRuns {
		return
	}
	b := &baring{judging: j, stage: stages[i], look: told(stages[i].problem), horizon: min(j.horizon(), bareRounds)}
	for w := range b.streams {
		b.streams[w] = b.stage.streams(b.horizon)[0]
		chance(b.stage.problem, b.streams[w], random.New(j.Seed, w, "judge/bare/rewards"))
	}
	left, err := b.suspects()
	for _, at := range left[:min(len(left), bareTried)] {
		var user int
		var values [2]float64
		if user, values, err = b.neighbours(at, confirm); err != nil {
			break
		}
		if user >= 0 {
			which := "a number"
			if j.slow() { // whose list has nothing else
				which = fmt.Sprintf("number %d", at.place+1)
			}
			j.card.Bare = fmt.Sprintf("%s of what it releases after round %d is %.6g whatever its noise is, and %.6g if user %d gave another reward: it has none",
				which, at.round, values[0], values[1], user+1)
			t.Fatalf("EachRelease: %s", j.card.Bare)
		}
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// tellingRuns returns how many runs on each stream tell a number without noise from one of a true
// claim. One that is x with probability p in one world is so with q >= (p - delta)/e^eps in the
// other; all runs of the one say x, and none of the other, with probability (p (1 - q))^runs. It is
// more than bareRuns if no number of them is enough.
func tellingRuns(epsilon, delta float64) int {
	p := min(1, (portable.Exp(epsilon)+delta)/2) // the worst
	q := max(0, float64((p-delta)*portable.Exp(-epsilon)))
	runs := portable.Log(bareAlarm/bareTried) / portable.Log(float64(p*(1-q)))
	if !(runs > 0 && runs <= bareRuns) {
		return bareRuns + 1
	}
	return int(math.Ceil(runs))
}

// baring is the search for numbers without noise.
type baring struct {
	*judging
	stage   stage
	look    func(bandit.Run) ([]float64, bool)
	horizon int
	streams [2]audit.Stream
}

// suspect is a number of a round's release.
type suspect struct{ round, place int }

// play returns what a run releases in each round up to one, on the stream that has the first users
// of one stream and the others of the other.
func (b *baring) play(users, rounds, run int) (releases [][]float64, err error) {
	stream := slices.Concat(b.streams[1][:min(users, rounds)], b.streams[0][min(users, rounds):rounds])
	noise := random.Source(b.Seed, run, fmt.Sprintf("judge/bare/%d", users))
	err = b.through(b.stage, stream, b.horizon, noise, func(run bandit.Run, _ int) {
		numbers, _ := b.look(run)
		releases = append(releases, numbers)
	})
	return releases, err
}

// suspects returns what is the same in each pilot on a stream, and another on the other stream.
func (b *baring) suspects() (left []suspect, err error) {
	var first [2][][]float64
	for run := range barePilots {
		for w, users := range [2]int{0, b.horizon} {
			now, err := b.play(users, b.horizon, run)
			if err != nil {
				return nil, err
			}
			if run == 0 {
				first[w] = now
				continue
			}
			left = slices.DeleteFunc(left, func(at suspect) bool {
				return at.place >= len(now[at.round]) || now[at.round][at.place] != first[w][at.round][at.place]
			})
		}
		if run == 0 {
			for round, numbers := range first[0] {
				for i := range min(len(numbers), len(first[1][round])) {
					if numbers[i] != first[1][round][i] {
						left = append(left, suspect{round, i})
					}
				}
			}
		}
		if len(left) == 0 {
			break
		}
	}
	return left, nil
}

// neighbours looks for the user at whom a suspect changes, and confirms that nothing else changes
// it. It returns -1 if there is noise.
func (b *baring) neighbours(at suspect, confirm int) (user int, values [2]float64, err error) {
	// constant returns what the suspect is in all runs, if it is the same.
	constant := func(users, from, runs int) (x float64, same bool, err error) {
		for run := from; run < from+runs; run++ {
			now, err := b.play(users, at.round, run)
			if err != nil {
				return 0, false, err
			}
			if at.place >= len(now[at.round]) || run > from && now[at.round][at.place] != x {
				return 0, false, nil
			}
			x = now[at.round][at.place]
		}
		return x, true, nil
	}
	low, high := 0, at.round // at low it is what it is at 0, at high it is not
	begin, same, err := constant(low, 0, barePilots)
	for err == nil && same && high-low > 1 {
		var x float64
		if x, same, err = constant((low+high)/2, 0, barePilots); x == begin {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	for w, users := range [2]int{low, high} {
		if err == nil && same {
			values[w], same, err = constant(users, barePilots, confirm)
		}
	}
	if err != nil || !same || values[0] == values[1] {
		return -1, values, err
	}
	return low, values, nil
}
