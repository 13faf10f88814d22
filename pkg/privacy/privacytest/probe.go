package privacytest

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/serial"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Sensitivity is the measured cost of one record: mu for Gaussian noise, epsilon for Laplace noise.
type Sensitivity struct {
	Found   float64 // largest over the streams tried
	Planned float64 // cost by the plan
	Where   string  // the worst stream
}

// Probe measures what one record moves in the releases of a linear statistic, and compares the
// plan.
//
// The noise in the releases is B z, where z are the draws and B is a matrix that impulses show. Two
// streams that differ in one record, with the same arms, move the whole transcript by D. That gives
// what an observer can tell. For Gaussian noise it is mu = sqrt(D' (B B')^+ D), infinite if no
// noise gives D; for Laplace noise it is epsilon = |z|_1 for the z with B z = D. This also holds
// for streams that depend on earlier releases, since B is lower triangular.
//
// After any number of records the plan must be at least as large as what is found. For a whole run
// it may exceed that by at most Case.Below: beyond that, noise is wasted.
//
// Long does the same over a hundred records: on streams that are zero, at one end of their range,
// at both in turn, or random, with changes at random places, also by records beyond their bounds.
// On each the noise must enter as on any other.
//
// Of a tally.Additive, [SearchQuery] searches for the batches between which it moves the most.
func Probe[R any](t testing.TB, c Case[R]) (found Sensitivity) {
	t.Helper()
	if !c.plain(t) {
		return found
	}
	if c.Below > 0 {
		say(t, "Case.Below = %v: streams are tried that move the releases by %v of the plan or more", c.Below, 1-c.Below)
	}
	checks := []check{{"Probe", func(fail report) { found = c.probe(fail) }}, {"Long", c.long}}
	if of, ok := any(c.Of).(tally.Additive); ok {
		checks = append(checks, check{"Query", func(fail report) {
			if _, err := SearchQuery(QueryCase{Of: of, Setup: c.Setup}); err != nil {
				fail("%v", err)
			}
		}})
	}
	runAll(t, checks)
	return found
}

// meter measures changes of a statistic's transcript.
type meter[R any] struct {
	linear  *contextual
	base    *transcript // of the records without noise
	change  func(a, b []float64) float64
	planned float64
}

// measure learns how the releases of a statistic depend on the noise.
func (c Case[R]) measure(x privacy.Mechanism[R], records []privacy.Record) (*meter[R], error) {
	run := func(n *privacy.Noise) ([]float64, error) {
		t, err := c.play(x, n, records)
		if err != nil {
			return nil, err
		}
		return t.numbers, nil
	}
	l, err := respond(run)
	if err != nil {
		return nil, c.named(err, x, records)
	}
	m := &meter[R]{linear: l}
	if m.base, err = c.play(x, (&script{}).noise(), records); err != nil {
		return nil, err
	}
	cost, err := l.solver(len(m.base.numbers))
	if err != nil {
		return nil, err
	}
	m.change = func(a, b []float64) float64 {
		if len(a) != len(b) {
			return math.Inf(1) // lengths have no noise
		}
		return cost(difference(a, b))
	}
	m.planned, err = l.worth(privacy.PlanOf(x, privacy.All))
	return m, err
}

// named names the number that an error is about.
func (c Case[R]) named(err error, x privacy.Mechanism[R], records []privacy.Record) error {
	e, ok := err.(*notLinear)
	if !ok {
		return err
	}
	t, err := c.play(x, (&script{}).noise(), records)
	if err != nil {
		return err
	}
	n := 0
	for n < len(t.ends)-1 && t.ends[n] <= e.at {
		n++
	}
	if n > 0 {
		e.at -= t.ends[n-1]
	}
	run := x.Start((&script{}).noise())
	if _, err = c.feed(run, records[:n]); err != nil {
		return err
	}
	names, err := serial.Names(run.Release())
	if err != nil {
		return err
	}
	e.name = fmt.Sprintf("%s after record %d", names[e.at], n)
	return e
}

func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

func (c Case[R]) probe(fail report) (found Sensitivity) {
	x, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return found
	}
	records := c.records(c.Setup, 7)
	m, err := c.measure(x, records)
	if err != nil {
		fail("%v", err)
		return found
	}
	found.Planned = m.planned
	n := len(records)
	changes := make(map[int][][]float64) // by place
	rng := stream(8)
	for _, place := range places(n) {
		for i, pair := range [][2]privacy.Record{
			c.Format.Far(c.Setup, place),
			{c.Format.Record(c.Setup, place, rng), c.Format.Record(c.Setup, place, rng)},
			{c.Format.Record(c.Setup, place, rng), c.Format.Record(c.Setup, place, rng)},
		} {
			var got [2][]float64
			for world := range pair {
				t, err := c.play(x, (&script{}).noise(), replaced(records, place, pair[world]))
				if err != nil {
					fail("%v", err)
					return found
				}
				got[world] = t.numbers
			}
			cost := m.change(got[1], got[0])
			if len(got[0]) == len(got[1]) {
				changes[place] = append(changes[place], difference(got[1], got[0]))
			}
			if cost > found.Found {
				found.Found = cost
				found.Where = fmt.Sprintf("record %d of %d, %s", place+1, n, [...]string{"far apart", "random", "random"}[i])
			}
		}
	}
	if !(found.Found <= found.Planned*(1+1e-9)) {
		fail("%s moves the releases by %.9g in the units of their noise, and the plan says at most %.9g: the sensitivity is more, or the noise less, than planned",
			found.Where, found.Found, found.Planned)
	}
	below := c.Below
	if below == 0 {
		below = 1e-9
	}
	if !(found.Found >= found.Planned*(1-below)) {
		fail("the plan says that a record moves the releases by %.9g in the units of their noise, and none of those tried moves them by more than %.9g (%s): noise is wasted, or set Case.Below",
			found.Planned, found.Found, found.Where)
	}
	c.prefixes(fail, x, m, changes)
	return found
}

// prefixes compares the releases after a few records with the plan for that many.
func (c Case[R]) prefixes(fail report, x privacy.Mechanism[R], m *meter[R], changes map[int][][]float64) {
	n := total(c.Setup)
	for _, k := range []int{1, 2, 3, 5, n / 2, n - 1} {
		if k >= n || k < 1 {
			continue
		}
		planned, err := m.linear.worth(privacy.PlanOf(x, k))
		if err != nil {
			fail("Plan(%d): %v", k, err)
			return
		}
		cost, err := m.linear.solver(m.base.ends[k])
		if err != nil {
			fail("after %d records: %v", k, err)
			return
		}
		for place, all := range changes {
			for _, d := range all {
				if got := cost(d); place < k && !(got <= planned*(1+1e-9)) {
					fail("after %d records, record %d has moved the releases by %.9g in the units of their noise, and Plan(%d) says at most %.9g",
						k, place+1, got, k, planned)
					return
				}
			}
		}
	}
}
