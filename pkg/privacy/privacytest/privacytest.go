// Package privacytest checks that a type keeps the promises of package privacy. Call its functions
// from a test, for types of this toolkit or of your own:
//
//   - [Statistic] checks a [privacy.Statistic]: that nothing leaves without noise, records beyond
//     their bounds, bad records, a second run, ledger, plan. [Case] describes it.
//   - [Probe] measures what one record moves in a linear statistic, exactly, and compares the plan.
//     It returns a [Sensitivity].
//   - [SearchQuery] searches for the batches between which a tally.Query moves the most, and
//     compares what its author states. See [QueryCase].
//   - [Choice] measures the noise of something that chooses, whatever its law.
//   - [Device] does both for a learner.Device, whatever the broadcasts are. See [DeviceCase].
//   - [Replay] checks that a learner.Policy chooses by releases and view, and remembers no view.
//     See [PolicyCase].
//   - [Learner] checks a bandit.Learner with a plan: ledger, a second run, and a short attack. See
//     [LearnerCase].
//
// A [Format] says how to feed a statistic. [Rows] is that of sums, [Weights] that of means, and
// [Rounds] that of answers; write one for records of your own. All of a release
// is looked at, as numbers. Read [Case] first.
//
// None of this proves a type private. The probe comes nearest: it is exact for the streams that it
// tries. No check sees data that leaves in ways that no release or choice shows, such as a file.
package privacytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// report records that something is wrong.
type report func(format string, args ...any)

// check is a part of a suite.
type check struct {
	name string
	run  func(fail report)
}

// runAll runs the checks, as subtests if t supports them. A panic counts as a failure.
func runAll(t testing.TB, checks []check) {
	t.Helper()
	for _, c := range checks {
		if tt, ok := t.(*testing.T); ok {
			tt.Run(c.name, func(t *testing.T) { safely(c.run, t.Errorf) })
			continue
		}
		safely(c.run, func(format string, args ...any) { t.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...)) })
	}
}

// say writes what is not checked into the log of a test.
func say(t testing.TB, format string, args ...any) {
	if t, ok := t.(*testing.T); ok {
		t.Helper()
		t.Logf(format, args...)
	}
}

// most is how many failures of a check are reported in full.
const most = 4

func safely(run func(report), fail report) {
	failures := 0
	defer func() {
		if r := recover(); r != nil {
			fail("panic: %v\n%s", r, debug.Stack())
		}
		if failures > most {
			fail("and %d failures more", failures-most)
		}
	}()
	run(func(format string, args ...any) {
		if failures++; failures <= most {
			fail(format, args...)
		}
	})
}

// stream returns one of the independent streams of the suite.
func stream(name uint64) *rand.Rand { return rand.New(source(name)) }

func source(name uint64) rand.Source { return rand.NewPCG(0x5eed, name) }

// same reports whether two slices are equal bit by bit, so that NaN equals itself.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

func finite(v float64) bool { return v-v == 0 }

// beyond lists factors by which numbers exceed their bounds.
var beyond = []float64{1.5, 1e3, 1e100, 1e155, 1e300}

// times returns factor times unit, or the largest finite number if that overflows.
func times(factor, unit float64) float64 { return min(factor*unit, math.MaxFloat64) }
