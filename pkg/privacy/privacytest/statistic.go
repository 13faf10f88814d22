package privacytest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/serial"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Case is a statistic to be checked by Statistic and Probe.
type Case[R any] struct {
	Of     privacy.Statistic[R] // the description, which the suite opens
	Setup  privacy.Setup        // for short runs: a horizon of 8 to 64 is enough
	Format Format[R]            // Rows(), Weights(nil), or one of your own

	// Long is the horizon of the runs that are played side by side, and of the longest one of Noised.
	// It should be long enough for each phase of the statistic: what it does later is not seen. 0 means
	// Setup.Horizon.
	Long int
	// Public is set for a statistic without privacy, which must claim nothing.
	Public bool
	// Nonlinear is set if noise and data do not add up, or if the noise is neither Gaussian nor
	// Laplace. Then changes are not compared with the plan, and the sensitivities are as their author
	// states them; a test's log says so. It fails to set it for a statistic that can be measured.
	Nonlinear bool
	// Below is the share of the plan by which Probe may find less. 0 means 1e-9, 1 allows anything. It
	// never lets a statistic move more than its plan.
	Below float64
}

// Statistic checks a statistic:
//
//   - Release: the release is plain data, all of which is looked at.
//   - Repeat: a run shows the same numbers again after runs on other data, also of a mechanism that
//     is opened anew. So nothing is kept outside of the run.
//   - Noised: under noise so large that it drowns any record in rounding, all streams of the same
//     arms draw the same noise and show the same numbers, and Add returns the same. So what is
//     shown without noise depends on public numbers and earlier releases alone.
//   - OutOfRange: a record beyond its bounds is never refused for its size. It is clipped and
//     counted, and the releases change by no more than the plan says.
//   - Refused: a record that is not finite, of a wrong shape, or beyond the horizon is an error
//     that names the value and what is wanted, and changes nothing.
//   - Apart: two runs of one mechanism share nothing. A long run beside and after others, on other
//     data, equals that of a mechanism of its own under equal noise, bit for bit.
//   - Ledger: after any number of records the noise drawn is the noise claimed. Reading a release
//     again shows the same and draws nothing.
//   - Plan: the statistic holds a plan of finite sensitivities, worth what was asked for, which
//     does not shrink as records come.
//   - Neighbours: the plan is about records that are replaced; of a user with several, as many move
//     the releases by no more than it says.
func Statistic[R any](t testing.TB, c Case[R]) {
	t.Helper()
	c.Long = max(c.Long, c.Setup.Horizon)
	if !c.plain(t) {
		return
	}
	if c.Nonlinear {
		say(t, "Case.Nonlinear is set: sensitivities are not measured, but as their author states them")
	}
	runAll(t, []check{
		{"Repeat", c.repeat}, {"Noised", func(fail report) { c.noised(t, fail) }}, {"OutOfRange", c.outOfRange},
		{"Refused", c.refused}, {"Apart", c.apart}, {"Ledger", c.ledger}, {"Plan", c.plan}, {"Neighbours", c.neighbours},
	})
}

// plain checks that releases can be read, which all other checks need.
func (c Case[R]) plain(t testing.TB) (ok bool) {
	t.Helper()
	runAll(t, []check{{"Release", func(fail report) {
		if _, err := serial.Write(nil, false, new(R)); err != nil {
			fail("%v", err)
			return
		}
		ok = true
	}}})
	return ok
}

// open returns the statistic's mechanism for a setup.
func (c Case[R]) open(s privacy.Setup) (privacy.Mechanism[R], error) {
	if c.Of == nil {
		return nil, fmt.Errorf("Case.Of is nil, want a statistic")
	}
	x, err := c.Of.Open(s)
	if err != nil {
		return nil, fmt.Errorf("the Open that the case asks for: %w", err)
	}
	return x, nil
}

// total returns the number of records that a setup takes.
func total(s privacy.Setup) int {
	if s.WarmUp {
		return s.Horizon + 1
	}
	return s.Horizon
}

// records returns random records within their bounds, for a whole run.
func (c Case[R]) records(s privacy.Setup, seed uint64) []privacy.Record {
	rng := stream(seed)
	all := make([]privacy.Record, total(s))
	for place := range all {
		all[place] = c.Format.Record(s, place, rng)
	}
	return all
}

// numbers appends all numbers of a release. Whether they can be read is checked first of all.
func (c Case[R]) numbers(x privacy.Stream[R], dst []float64) []float64 {
	dst, err := serial.Write(dst, false, x.Release())
	if err != nil {
		panic(err)
	}
	return dst
}

// transcript is all that a run shows: its first release, and that after each record.
type transcript struct {
	numbers []float64
	ends    []int // after so many records, the transcript has so many numbers
}

// play makes a run and returns its transcript.
func (c Case[R]) play(of privacy.Mechanism[R], noise *privacy.Noise, records []privacy.Record) (*transcript, error) {
	return c.feed(of.Start(noise), records)
}

// feed hands records to a run that begins, and returns its transcript.
func (c Case[R]) feed(x privacy.Stream[R], records []privacy.Record) (*transcript, error) {
	t := &transcript{numbers: c.numbers(x, nil)}
	t.ends = append(t.ends, len(t.numbers))
	for place := range records {
		r := clone(&records[place])
		if c.Format.Contexts != nil {
			r.X = c.Format.Contexts(place)
		}
		moved, err := x.Add(&r)
		if err != nil {
			return nil, fmt.Errorf("record %d of %d: %w", place+1, len(records), err)
		}
		if t.numbers, err = serial.Write(t.numbers, moved, x.Release()); err != nil {
			return nil, fmt.Errorf("record %d of %d: %w", place+1, len(records), err)
		}
		t.ends = append(t.ends, len(t.numbers))
	}
	return t, nil
}

// differ describes the first number in which two transcripts differ, "" if there is none. A run of
// x made the second of them, from records under noise.
func (c Case[R]) differ(a, b *transcript, x privacy.Mechanism[R], noise *privacy.Noise, records []privacy.Record) string {
	for n, end := range b.ends {
		begin := 0
		if n > 0 {
			begin = b.ends[n-1]
		}
		there, here := a.numbers[begin:min(a.ends[n], len(a.numbers))], b.numbers[begin:end]
		if same(there, here) {
			continue
		}
		i := 0
		for i < min(len(there), len(here))-1 && same(there[i:i+1], here[i:i+1]) {
			i++
		}
		run := x.Start(noise)
		if _, err := c.feed(run, records[:n]); err != nil {
			return err.Error()
		}
		names, err := serial.Names(run.Release())
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s is %v after record %d of %d, and %v", names[i], here[i], n, len(records), there[i])
	}
	return ""
}

func clone(r *privacy.Record) privacy.Record {
	return privacy.Record{X: slices.Clone(r.X), Arms: slices.Clone(r.Arms), Y: slices.Clone(r.Y)}
}

// replaced returns the records with r at a place.
func replaced(records []privacy.Record, place int, r privacy.Record) []privacy.Record {
	all := slices.Clone(records)
	all[place] = r
	return all
}

// secure reports whether the noise is the system's. If it is, no run can be repeated.
func secure(x privacy.Planner) bool {
	return privacy.PlanOf(x, privacy.All).Secure()
}

// places returns some places of a run: the first ones, one in the middle, the last ones.
func places(n int) (some []int) {
	for _, place := range []int{0, 1, 2, n / 2, n - 2, n - 1} {
		if place >= 0 && place < n && !slices.Contains(some, place) {
			some = append(some, place)
		}
	}
	return some
}

// extreme calls visit with records beyond their bounds: in each number in turn, and in all at once.
func extreme(r privacy.Record, unit float64, visit func(what string, r privacy.Record)) {
	n := len(r.X) + len(r.Y)
	at := func(r *privacy.Record, i int) *float64 {
		if i < len(r.X) {
			return &r.X[i]
		}
		return &r.Y[i-len(r.X)]
	}
	for i := range n + 1 {
		for _, factor := range beyond {
			for _, sign := range []float64{1, -1} {
				big, v := clone(&r), sign*times(factor, unit)
				what := fmt.Sprintf("all numbers %v", v)
				if i < n {
					*at(&big, i), what = v, fmt.Sprintf("number %d of (x, y) %v", i, v)
				} else {
					for j := range n {
						*at(&big, j) = v
					}
				}
				visit(what, big)
			}
		}
	}
}

func (c Case[R]) outOfRange(fail report) {
	x, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	records := c.records(c.Setup, 2)
	var m *meter[R]
	if !c.Public && !secure(x) {
		m, err = c.measure(x, records)
		switch {
		case err != nil && !c.Nonlinear:
			fail("%v: fix that, or set Case.Nonlinear", err)
			return
		case err == nil && c.Nonlinear:
			fail("Case.Nonlinear is set, and noise and data add up: clear it, so that changes are compared with the plan")
		}
	}
	unit := max(c.Setup.Bound, math.Abs(c.Setup.Lo), math.Abs(c.Setup.Hi))
	for _, place := range places(len(records)) {
		extreme(records[place], unit, func(what string, r privacy.Record) {
			what = fmt.Sprintf("record %d of %d with %s", place+1, len(records), what)
			stream := replaced(records, place, r)
			run := x.Start((&script{}).noise())
			got, err := c.feed(run, stream)
			switch {
			case err != nil:
				fail("%s is refused: %v: clip it to its bounds and count it", what, err)
				return
			case slices.ContainsFunc(got.numbers, func(v float64) bool { return !finite(v) }):
				fail("%s makes a release that is not finite: clip it to its bounds", what)
				return
			}
			if want := c.Format.Clips(c.Setup, &r); run.Clipped() != want {
				fail("%s: Clipped() = %d, want %d: count what is clipped", what, run.Clipped(), want)
			}
			if m == nil {
				return
			}
			if cost := m.change(got.numbers, m.base.numbers); !(cost <= m.planned*(1+1e-9)) {
				fail("%s moves the releases by %.6g in the units of their noise, and the plan says at most %.6g: clip it to its bounds",
					what, cost, m.planned)
			}
		})
	}
}

func (c Case[R]) refused(fail report) {
	records := c.records(c.Setup, 3)
	of, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	ledgers := [2]*privacy.Ledger{privacy.NewLedger(source(4)), privacy.NewLedger(source(4))}
	plain, x := of.Start(privacy.NewNoise(ledgers[0])), of.Start(privacy.NewNoise(ledgers[1]))
	repeatable := !secure(of)
	for place := range records {
		if slices.Contains(places(len(records)), place) {
			before := c.numbers(x, nil)
			for what, r := range c.bad(place, records[place]) {
				moved, err := x.Add(&r)
				switch {
				case err == nil:
					fail("record %d with %s is taken: refuse it", place+1, what)
				case !strings.Contains(err.Error(), "want") || strings.Contains(what, "Inf") && !strings.Contains(err.Error(), "Inf") ||
					strings.Contains(what, "NaN") && !strings.Contains(err.Error(), "NaN"):
					fail("record %d with %s: error %q, want one that names the value and what is wanted", place+1, what, err)
				}
				if moved {
					fail("record %d with %s is refused, and Add says that the release has moved", place+1, what)
				}
			}
			if after := c.numbers(x, nil); !same(before, after) {
				fail("a record that is refused at place %d changes the release: leave the state as it was", place+1)
			}
		}
		a, b := clone(&records[place]), clone(&records[place])
		if _, err := plain.Add(&a); err != nil {
			fail("record %d: %v", place+1, err)
			return
		}
		if _, err := x.Add(&b); err != nil {
			fail("record %d, after records that were refused: %v: leave the state as it was", place+1, err)
			return
		}
		if repeatable && !same(c.numbers(plain, nil), c.numbers(x, nil)) {
			fail("release %d is another after records that were refused: leave state and noise as they were", place+1)
			return
		}
	}
	if plain.Clipped() != x.Clipped() || !slices.Equal(drawn(plain), drawn(x)) || !slices.Equal(ledgers[0].Drawn(), ledgers[1].Drawn()) {
		fail("records that were refused count: clipped %d, want %d; draws %v, want %v", x.Clipped(), plain.Clipped(), drawn(x), drawn(plain))
	}
	if c.Public {
		return // there is no horizon
	}
	before := c.numbers(x, nil)
	r := clone(&records[len(records)-1])
	if _, err := x.Add(&r); err == nil || !strings.Contains(err.Error(), fmt.Sprint(c.Setup.Horizon)) {
		fail("a record beyond the horizon of %d: error %v, want one that names the horizon: nobody has paid for it", c.Setup.Horizon, err)
	} else if !same(before, c.numbers(x, nil)) {
		fail("a record beyond the horizon of %d changes the release", c.Setup.Horizon)
	}
}

// bad returns records that must be refused, by what is wrong with them.
func (c Case[R]) bad(place int, good privacy.Record) map[string]privacy.Record {
	all := make(map[string]privacy.Record)
	for i, r := range c.Format.Malformed(c.Setup, place) {
		all[fmt.Sprintf("%d numbers x, arms %v and %d rewards (malformed, %d)", len(r.X), r.Arms, len(r.Y), i)] = r
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range good.X {
			r := clone(&good)
			r.X[i] = v
			all[fmt.Sprintf("%v as number %d of x", v, i)] = r
		}
		for i := range good.Y {
			r := clone(&good)
			r.Y[i] = v
			all[fmt.Sprintf("%v as number %d of y", v, i)] = r
		}
	}
	return all
}

func (c Case[R]) apart(fail report) {
	s := c.Setup
	s.Horizon = c.Long
	shared, err := c.open(s)
	if err != nil {
		fail("%v", err)
		return
	}
	alone, _ := c.open(s)
	repeatable := !secure(shared)
	records := c.records(s, 5)
	others := make([]privacy.Record, len(records))
	for i := range records {
		others[i] = scaled(records[i], -0.5)
		scale(others[i].Y, -6)
	}
	for i, n := range []int{len(records), 5} {
		if _, err := c.play(shared, privacy.NewNoise(source(uint64(10+i))), others[:min(n, len(others))]); err != nil {
			fail("run %d: %v", i+1, err)
			return
		}
	}
	used, beside, fresh := shared.Start(privacy.NewNoise(source(12))), shared.Start(privacy.NewNoise(source(13))), alone.Start(privacy.NewNoise(source(12)))
	var a, b []float64
	for place := range records {
		r, same0 := clone(&records[place]), clone(&records[place])
		if _, err := beside.Add(&others[place]); err != nil {
			fail("a run beside another, record %d: %v", place+1, err)
			return
		}
		moved, err := used.Add(&r)
		if err != nil {
			fail("a run after others, record %d: %v", place+1, err)
			return
		}
		other, err := fresh.Add(&same0)
		if err != nil {
			fail("a run of a new mechanism, record %d: %v", place+1, err)
			return
		}
		if a, b = c.numbers(used, a[:0]), c.numbers(fresh, b[:0]); moved != other || repeatable && !same(a, b) {
			fail("beside another run, and after one of %d records, release %d is another than that of a mechanism of its own under the same noise: keep in a run all that changes",
				len(records), place+1)
			return
		}
	}
	if used.Clipped() != fresh.Clipped() || !slices.Equal(drawn(used), drawn(fresh)) {
		fail("beside another run, Clipped() = %d and Plan(All).Draws = %v, those of a mechanism of its own are %d and %v: keep in a run all that changes",
			used.Clipped(), drawn(used), fresh.Clipped(), drawn(fresh))
	}
}

// drawn returns the draws that x says have been made.
func drawn(x privacy.Planner) []privacy.Draws { return privacy.PlanOf(x, privacy.All).Draws }

func (c Case[R]) ledger(fail report) {
	of, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	records := c.records(c.Setup, 6)
	for _, n := range []int{len(records), 0, 1, 2, 3, 7, len(records) - 1, len(records)} {
		if n > len(records) || n < 0 {
			continue
		}
		ledger := privacy.NewLedger(source(uint64(20 + n)))
		x := of.Start(privacy.NewNoise(ledger))
		for place := range n {
			r := clone(&records[place])
			if _, err := x.Add(&r); err != nil {
				fail("record %d: %v", place+1, err)
				return
			}
			before := slices.Clone(ledger.Drawn())
			if first, again := c.numbers(x, nil), c.numbers(x, nil); !same(first, again) {
				fail("release %d read again shows other numbers: draw noise when records come", place+1)
			}
			if !slices.Equal(before, ledger.Drawn()) {
				fail("reading release %d draws noise: draw it when records come", place+1)
			}
		}
		if err := ledger.CheckPlan(x, n); err != nil {
			fail("after %d records: %v", n, err)
		}
		system, ok := x.(interface{ Check() error })
		switch {
		case ok:
			if err := system.Check(); err != nil {
				fail("after %d records: Check: %v", n, err)
			}
		case secure(x):
			fail("the noise is the system's, and there is no method Check that compares it with the plan")
		case !c.Public && n == len(records) && len(ledger.Drawn()) == 0:
			fail("%d records and no noise: draw all of it from the privacy.Noise that Start is given", n)
		}
	}
}

func (c Case[R]) plan(fail report) {
	x, err := c.open(c.Setup)
	if err != nil {
		fail("%v", err)
		return
	}
	claim := privacy.ClaimOf(x)
	if c.Public {
		if claim.Held() || !math.IsInf(claim.Epsilon(), 1) {
			fail("a statistic that is public claims\n%v", claim)
		}
		return
	}
	if !claim.Held() {
		fail("nothing is claimed: %v: return a plan.HeldBy(receiver) in Plan", claim.Event())
		return
	}
	if none := privacy.PlanOf(x, 0).Claim(); none.Epsilon() != 0 {
		fail("Plan(0) is worth epsilon = %v, want 0: there is no record", none.Epsilon())
	}
	checkPlan(fail, x, claim, total(c.Setup))
}

// checkPlan checks a plan that is held: its sensitivities, and that its cost never shrinks.
func checkPlan(fail report, x privacy.Planner, claim privacy.Claim, records int) {
	asked := claim.Asked()
	switch epsilon := claim.Epsilon(); {
	case math.IsNaN(epsilon) || math.IsInf(epsilon, 1):
		fail("the plan is worth epsilon = %v: %v", epsilon, claim.Event())
	case claim.Calibration() == privacy.Sound && !(epsilon <= asked.Epsilon*(1+1e-6)):
		fail("the plan is worth epsilon = %v and %v was asked for: add noise", epsilon, asked.Epsilon)
	}
	for i, releases := range claim.Plan().Cases {
		for j, r := range releases {
			s := r.Sensitivity
			if !(s.L1 >= 0 && finite(s.L1) && s.L2 >= 0 && finite(s.L2) && s.LInf >= 0 && finite(s.LInf)) {
				fail("case %d, release %d has the sensitivity %+v, want finite norms", i, j, s)
			}
			for _, law := range r.Laws() {
				if !(law.Scale >= 0 && finite(law.Scale)) {
					fail("case %d, release %d has noise that is %v, want a finite scale", i, j, law)
				}
			}
		}
	}
	last, at := 0.0, 0
	var before account.Event // the cost takes time to compute
	for _, n := range []int{0, 1, 2, 3, 5, records / 2, records - 1, records, privacy.All} {
		if n < at {
			continue
		}
		plan := privacy.PlanOf(x, n)
		if !plan.Held() {
			fail("Plan(%d) is not held: %v", n, plan.Event())
			return
		}
		event := plan.Event()
		if reflect.DeepEqual(event, before) {
			at = n
			continue
		}
		before = event
		epsilon := plan.Claim().Epsilon()
		if !(epsilon >= last*(1-1e-9)) {
			fail("Plan(%d) is worth epsilon = %v and Plan(%d) %v: what was released stays released", n, epsilon, at, last)
		}
		if n == privacy.All && epsilon > last*(1+1e-9) {
			fail("Plan(All) is worth epsilon = %v, and Plan(%d), of all records that there can be, %v", epsilon, at, last)
		}
		last, at = epsilon, n
	}
}
