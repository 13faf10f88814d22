// Package bandittest checks that an environment or a learner keeps the promises of package bandit,
// as testing/fstest does for file systems.
//
//   - [Environment] checks a bandit.Environment; [EnvironmentOptions] exempts it from checks
//   - [Learner] checks a bandit.Learner; [LearnerOptions] exempts it from checks or adds some
//
// Call them from a test of the implementation; each promise is a subtest. The checks count
// allocations, so the calling test must not be parallel (testing.AllocsPerRun panics in parallel
// tests).
package bandittest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// check is a promise: its name and the function that tests it.
type check struct {
	name string
	run  func() error
}

// runAll runs the checks, as subtests if t is a *testing.T.
func runAll(t testing.TB, checks []check) {
	t.Helper()
	for _, c := range checks {
		if tt, ok := t.(*testing.T); ok {
			tt.Run(c.name, func(t *testing.T) {
				if err := safely(c.run); err != nil {
					t.Error(err)
				}
			})
			continue
		}
		if err := safely(c.run); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// safely turns a panic into an error.
func safely(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return run()
}

// stream returns one of the independent streams of a seed.
func stream(seed, name uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, name)) }

// Names of streams.
const (
	contexts = 1 + iota
	rewards
	own
	noise
	choice
	warmUp
)

func allArms(n int) []int {
	arms := make([]int, n)
	for i := range arms {
		arms[i] = i
	}
	return arms
}

// pick appends n different arms of [0, arms) to dst, drawn at random.
func pick(r *rand.Rand, arms, n int, dst []int) []int {
	dst = append(dst, r.Perm(arms)[:n]...)
	slices.Sort(dst)
	return dst
}

// sameBits reports whether two slices are equal bit by bit, so that NaN equals itself.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// span is the length of the problem's range of rewards.
func span(p bandit.Problem) float64 { return p.RewardMax - p.RewardMin }
