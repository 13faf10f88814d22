package tally

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// largestOf is a query: the largest weight of each arm, Lo for an arm without any.
type largestOf struct{}

func (largestOf) Dim(s privacy.Setup) int { return s.Arms }

func (largestOf) Sensitivity(s privacy.Setup, _ int) privacy.Norms {
	return privacy.Norms{L1: float64(s.Slots) * (s.Hi - s.Lo)}
}

func (largestOf) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	for range s.Arms {
		dst = append(dst, s.Lo)
	}
	for i := range records {
		for j, arm := range records[i].Arms {
			dst[arm] = max(dst[arm], records[i].Y[j])
		}
	}
	return dst, nil
}

// meanWeight is a query: the mean of a batch's weights, of one arm a round.
type meanWeight struct{}

func (meanWeight) Dim(privacy.Setup) int { return 1 }

func (meanWeight) Sensitivity(s privacy.Setup, n int) privacy.Norms {
	return privacy.Norms{L1: (s.Hi - s.Lo) / float64(n)}
}

func (meanWeight) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	sum := 0.0
	for i := range records {
		sum += records[i].Y[0]
	}
	return append(dst, sum/float64(len(records))), nil
}

// typed is a query of which a test sets everything.
type typed struct {
	dim    int
	norms  privacy.Norms
	answer func(records []privacy.Record, dst []float64) ([]float64, error)
}

func (q typed) Dim(privacy.Setup) int                        { return q.dim }
func (q typed) Sensitivity(privacy.Setup, int) privacy.Norms { return q.norms }
func (q typed) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	return q.answer(records, dst)
}

// lengths is the rule of batches of these lengths.
type lengths []int

func (l lengths) Length(i int, _ privacy.Setup) int {
	if i < len(l) {
		return l[i]
	}
	return 0
}

// growing is the rule of batches of 1, 2, 3, ... rounds.
type growing struct{}

func (growing) Length(i int, _ privacy.Setup) int { return i + 1 }

var weighedSetup = privacy.Setup{Arms: 3, Slots: 2, Horizon: 10, Lo: -1, Hi: 2}

// weightsOf returns records of arms 0 and 1, with weights in and beyond [-1, 2].
func weightsOf(n int) (all []privacy.Record) {
	rng := random.New(3, 0, "weights")
	for range n {
		all = append(all, privacy.Record{Arms: []int{0, 1}, Y: []float64{rng.Float64()*4 - 2, rng.Float64()*4 - 2}})
	}
	return all
}

// TestAdditiveAnswers: each batch has the query's answer to its clipped records, and nothing that
// comes after the last batch is answered.
func TestAdditiveAnswers(t *testing.T) {
	a := mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Query: largestOf{}, Lengths: lengths{3, 1, 4}})
	if err := a.Open(weighedSetup); err != nil {
		t.Fatal(err)
	}
	a.Start(privacy.NewNoise(mechanismtest.Source()))
	records, clipped, begin, batch := weightsOf(10), 0, 0, 0
	for i, rec := range records {
		moved, err := a.Add(&rec)
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range rec.Y {
			if y < -1 {
				clipped++
			}
		}
		ends := i == 2 || i == 3 || i == 7
		if moved != ends {
			t.Errorf("record %d: moved %v", i, moved)
		}
		if !ends {
			continue
		}
		batch++
		want := []float64{-1, -1, -1}
		for _, r := range records[begin : i+1] {
			want[0], want[1] = max(want[0], r.Y[0]), max(want[1], r.Y[1])
		}
		n := i + 1 - begin
		got := *a.Release()
		if !slices.Equal(got.Of, want) || got.Batches != batch || got.Records != n || got.Tail != (privacy.Tail{}) || !slices.Equal(got.Played, []int{n, n, 0}) {
			t.Errorf("record %d: %+v, want %v of %d records", i, got, want, n)
		}
		begin = i + 1
	}
	if a.Clipped() != clipped || a.Release().Batches != 3 {
		t.Errorf("%d clipped, want %d; %d batches, want 3", a.Clipped(), clipped, a.Release().Batches)
	}
	if privacy.ClaimOf(a.Opened).Epsilon() != math.Inf(1) {
		t.Error("a finite claim without noise")
	}
}

// TestAdditiveClips: the query sees no weight and no context beyond its bounds.
func TestAdditiveClips(t *testing.T) {
	var seen []privacy.Record
	q := typed{1, privacy.Norms{L1: 1}, func(records []privacy.Record, dst []float64) ([]float64, error) {
		for i := range records {
			seen = append(seen, privacy.Record{X: slices.Clone(records[i].X), Arms: slices.Clone(records[i].Arms), Y: slices.Clone(records[i].Y)})
		}
		return append(dst, 0), nil
	}}
	a := mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: 1}, Query: q})
	if err := a.Open(privacy.Setup{Arms: 3, Slots: 1, Dim: 3, Bound: 2, Horizon: 3, Lo: -1, Hi: 1}); err != nil {
		t.Fatal(err)
	}
	a.Start(privacy.NewNoise(mechanismtest.Source()))
	for _, r := range []privacy.Record{
		{X: []float64{0, 2}, Arms: []int{1}, Y: []float64{1}}, {X: []float64{3e200, 4e200}, Arms: []int{2}, Y: []float64{-1e300}}, {X: []float64{1, 1}, Arms: []int{0}, Y: []float64{7}},
	} {
		if _, err := a.Add(&r); err != nil {
			t.Fatal(err)
		}
	}
	want := "[{X:[0 2] Arms:[1] Y:[1]} {X:[1.2 1.6] Arms:[2] Y:[-1]} {X:[1 1] Arms:[0] Y:[1]}]"
	for i := range seen {
		for j, v := range seen[i].X {
			seen[i].X[j] = math.Round(v*1e12) / 1e12
		}
	}
	if got := fmt.Sprintf("%+v", seen); got != want || a.Clipped() != 3 {
		t.Errorf("the query sees %s, want %s; %d clipped, want 3", got, want, a.Clipped())
	}
	if got := privacy.ClaimOf(a).Neighbours().Record; got != "round's context, arms and weights" {
		t.Errorf("a record is a %s", got)
	}
}

// TestAdditiveNoise: the noise of an answer is for the sensitivity that is stated for as many
// records, in the norm of its law; a norm that is not stated follows from the other.
func TestAdditiveNoise(t *testing.T) {
	approximate := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	mu, err := approximate.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		norms  privacy.Norms
		b      privacy.Budget
		want   float64
		stated string
	}{
		{privacy.Norms{L1: 3}, privacy.Budget{Epsilon: 0.5}, 6, "3 in L1"},
		{privacy.Norms{L2: 3}, privacy.Budget{Epsilon: 0.5}, 12, "6 in L1"},
		{privacy.Norms{L1: 100, L2: 3}, privacy.Budget{Epsilon: 0.5}, 12, "6 in L1"},
		{privacy.Norms{L1: 3}, approximate, 3 / mu, "3 in L2"},
		{privacy.Norms{L2: 3}, approximate, 3 / mu, "3 in L2"},
		{privacy.Norms{L1: 2, L2: 3}, approximate, 2 / mu, "2 in L2"},
	} {
		m, err := Additive{Budget: c.b, Query: typed{4, c.norms, nil}}.Open(weighedSetup)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(*additive).Scale(10); !(math.Abs(got-c.want) <= 1e-12*c.want) {
			t.Errorf("%+v for %v: noise of %v, want %v", c.norms, c.b, got, c.want)
		}
		claim := privacy.ClaimOf(m)
		if !(math.Abs(claim.Epsilon()-c.b.Epsilon) <= 1e-6) || !strings.Contains(claim.String(), c.stated) {
			t.Errorf("%+v for %v: the claim is\n%v\nwant %q", c.norms, c.b, claim, c.stated)
		}
	}
	m, err := Additive{Budget: privacy.Budget{Epsilon: 0.5}, Query: meanWeight{}, Lengths: growing{}}.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 12, Hi: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*additive).Lengths(); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("batches of %v records, want 1 to 4", got)
	}
	for n := range 6 {
		want := 0.0
		if n > 0 && n < 5 {
			want = 2 / float64(n)
		}
		if got := m.(*additive).Scale(n); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("noise of %v for %d records, want %v", got, n, want)
		}
	}
	for records, cases := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 9: 3, 10: 4, privacy.All: 4} {
		plan := privacy.PlanOf(m, records)
		if len(plan.Cases) != cases || cases > 0 && !(math.Abs(plan.Claim().Epsilon()-0.5) < 1e-9) {
			t.Errorf("Plan(%d) has %d cases, want %d, and is worth %v, want 0.5", records, len(plan.Cases), cases, plan.Claim().Epsilon())
		}
	}
}

// TestAdditiveNoAnswer: a query without an answer is an error that names it, and changes nothing.
func TestAdditiveNoAnswer(t *testing.T) {
	fails := errors.New("no idea")
	for want, answer := range map[string]func(records []privacy.Record, dst []float64) ([]float64, error){
		"with NaN as number 1, want finite":  func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, 0, math.NaN()), nil },
		"with -Inf as number 0, want finite": func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, math.Inf(-1), 0), nil },
		"with 1 numbers, want Dim = 2":       func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, 0), nil },
		"with 3 numbers, want Dim = 2":       func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, 0, 0, 0), nil },
		"batch 1 of 2 records: no idea":      func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, 0, 0), fails },
	} {
		q := typed{2, privacy.Norms{L1: 1}, func(records []privacy.Record, dst []float64) ([]float64, error) {
			last := records[len(records)-1].Y[0]
			first := records[0].Y[0]
			for i := range records { // a query may write to what it is shown
				records[i].Y[0], records[i].Arms = 9, nil
			}
			if last == 1 {
				return answer(records, dst)
			}
			return append(dst, first, last), nil
		}}
		a, b := mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: 1}, Query: q, Lengths: EqualRounds(2)}), mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: 1}, Query: q, Lengths: EqualRounds(2)})
		s := privacy.Setup{Arms: 1, Slots: 1, Horizon: 4, Lo: 0, Hi: 1}
		ledger := privacy.NewLedger(mechanismtest.Source())
		if err := errors.Join(a.Open(s), b.Open(s)); err != nil {
			t.Fatal(err)
		}
		a.Start(privacy.NewNoise(ledger))
		b.Start(privacy.NewNoise(mechanismtest.Source()))
		for i, y := range []float64{0.1, 0.2, 0.3, 0.4} {
			if i%2 == 1 && i > 1 {
				for range 3 {
					moved, err := a.Add(&privacy.Record{Arms: []int{0}, Y: []float64{5}})
					if moved || err == nil || !strings.Contains(err.Error(), "tally.typed") || !strings.Contains(err.Error(), want) {
						t.Errorf("moved %v, error %v, want %q", moved, err, want)
					}
				}
				if (a.Clipped() != 0) || fmt.Sprintf("%+v", *a.Release()) != fmt.Sprintf("%+v", *b.Release()) {
					t.Errorf("%s: %d clipped, and %+v, was %+v", want, a.Clipped(), *a.Release(), *b.Release())
				}
			}
			rec := privacy.Record{Arms: []int{0}, Y: []float64{y}}
			_, err1 := a.Add(&rec)
			_, err2 := b.Add(&rec)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprintf("%+v", *a.Release()) != fmt.Sprintf("%+v", *b.Release()) {
			t.Errorf("%s: after it, %+v, want %+v", want, *a.Release(), *b.Release())
		}
		if err := ledger.CheckPlan(a, 4); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAdditiveGrid: on a grid, answers are its multiples, the noise is discrete, the system's, and
// enough for the stated sensitivity and for rounding, and the claim says so.
func TestAdditiveGrid(t *testing.T) {
	s := privacy.Setup{Arms: 3, Slots: 1, Horizon: 40, Lo: 0, Hi: 1}
	const grid = 1. / 8
	for _, b := range []privacy.Budget{{Epsilon: 0.5}, {Epsilon: 0.5, Delta: 1e-5}} {
		a := mechanismtest.Played(Additive{Budget: b, Query: largestOf{}, Lengths: EqualRounds(2), Grid: grid})
		if err := a.Open(s); err != nil {
			t.Fatal(err)
		}
		steps := 8. + 3 // D1/g + d
		want, relative := steps/0.5, 1e-5
		if b.Delta > 0 {
			rho, err := b.ConcentratedRho()
			if err != nil {
				t.Fatal(err)
			}
			steps = 8 + math.Sqrt(3)
			want = steps / math.Sqrt(2*rho)
		}
		got := a.Opened.(*additive).Scale(2) / grid
		if !(got >= want && got <= want*(1+relative)) {
			t.Errorf("%v: noise of %v steps, want %v", b, got, want)
		}
		claim := privacy.ClaimOf(a.Opened)
		if !privacy.PlanOf(a.Opened, 1).Secure() || !(claim.Epsilon() <= 0.5 && claim.Epsilon() > 0.499) || !strings.Contains(claim.String(), "rounded to the grid 0.125") {
			t.Errorf("%v:\n%v", b, claim)
		}
		for _, n := range []*privacy.Noise{nil, privacy.NewNoise(mechanismtest.Source())} {
			a.Start(n)
			odd := 0
			for i := range 40 {
				moved, err := a.Add(&privacy.Record{Arms: []int{i % 3}, Y: []float64{0.3}})
				if err != nil {
					t.Fatal(err)
				}
				if !moved {
					continue
				}
				for _, v := range a.Release().Of {
					if v/grid != math.Trunc(v/grid) {
						t.Errorf("%v: an answer %v, want a multiple of %v", b, v, grid)
					}
					if int(v/grid)%2 != 0 {
						odd++
					}
				}
			}
			if odd == 0 || odd == 60 { // 2^-59 of all runs
				t.Errorf("%v: of 60 numbers %d are odd", b, odd)
			}
			if err := a.Stream.(*additiveRun).Check(); err != nil {
				t.Errorf("%v: %v", b, err)
			}
		}
		rec := privacy.Record{Arms: []int{0}, Y: []float64{0.3}}
		if err := a.Open(privacy.Setup{Arms: 3, Slots: 1, Horizon: 1000, Hi: 1}); err != nil {
			t.Fatal(err)
		}
		a.Start(nil)
		if n := testing.AllocsPerRun(500, func() { _, _ = a.Add(&rec) }); n != 0 {
			t.Errorf("%v: %v allocations a record", b, n)
		}
	}
	a := mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: 1}, Grid: 1, Query: typed{1, privacy.Norms{L1: 1}, func(_ []privacy.Record, dst []float64) ([]float64, error) {
		return append(dst, 1e16), nil
	}}})
	if err := a.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 1, Hi: 1}); err != nil {
		t.Fatal(err)
	}
	a.Start(nil)
	_, err := a.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}})
	expect.Error(t, "a large answer", err, "1e+16", "coarser grid")
}

// TestAdditiveGridMoves: two answers that are as far apart as is stated, and rounded, are no
// further apart than the plan says, in steps and in the norm of its law; and nearly as far.
func TestAdditiveGridMoves(t *testing.T) {
	const grid, dim, runs = 1. / 8, 3, 400
	rng := random.New(5, 0, "answers")
	for _, by := range []float64{1, 1e-3 * grid} { // of each number; the smaller one is next to where rounding changes
		for _, b := range []privacy.Budget{{Epsilon: 0.5}, {Epsilon: 0.5, Delta: 1e-5}} {
			var answer []float64
			q := typed{dim, privacy.Norms{L1: dim * by, L2: math.Sqrt(dim) * by}, func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, answer...), nil }}
			m, err := Additive{Budget: b, Query: q, Grid: grid}.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 1, Hi: 1})
			if err != nil {
				t.Fatal(err)
			}
			release := func(run int) (of []float64) {
				mechanismtest.WithSource(run, func() {
					x := m.Start(nil)
					if _, err := x.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}); err != nil {
						t.Fatal(err)
					}
					of = x.Release().Of
				})
				return of
			}
			most := 0.0
			for run := range runs {
				var from, to []float64
				for range dim {
					v := (float64(rng.IntN(9)) + 0.5) * grid
					from, to = append(from, v-by/2), append(to, v+by/2)
				}
				answer = from
				a := release(run)
				answer = to
				moved := 0.0
				for i, v := range release(run) { // under the same noise
					if d := math.Abs(v-a[i]) / grid; b.Delta == 0 {
						moved += d
					} else {
						moved = math.Hypot(moved, d)
					}
				}
				most = max(most, moved)
			}
			s := privacy.PlanOf(m, privacy.All).Cases[0][0].Sensitivity
			planned := max(s.L1, s.L2)
			if !(most <= planned*(1+1e-9) && most >= planned*0.75) { // rounding may add a step to each number, and adds less to large moves
				t.Errorf("%v, moves by %v: answers move by %v steps, and the plan says %v", b, by, most, planned)
			}
		}
	}
}

// TestAdditiveVariance: the noise, in floating point and on a grid, has the variance of its law,
// within five standard errors of 30,000 numbers: a false alarm in about three of a million seeds.
func TestAdditiveVariance(t *testing.T) {
	const numbers = 30000
	for _, grid := range []float64{0, 1. / 64} {
		for _, b := range []privacy.Budget{{Epsilon: 0.5}, {Epsilon: 0.5, Delta: 1e-5}} {
			q := typed{1, privacy.Norms{L1: 1}, func(_ []privacy.Record, dst []float64) ([]float64, error) { return append(dst, 0.5), nil }}
			m, err := Additive{Budget: b, Query: q, Grid: grid, Lengths: EqualRounds(1)}.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: numbers, Hi: 1})
			if err != nil {
				t.Fatal(err)
			}
			var x privacy.Stream[Answer]
			if grid == 0 {
				x = m.Start(privacy.NewNoise(random.Source(3, 0, "noise")))
			} else {
				mechanismtest.WithSource(3, func() { x = m.Start(nil) })
			}
			sum, want, kurtosis := 0.0, m.(*additive).Scale(1), 3.0
			if want *= want; b.Delta == 0 {
				want, kurtosis = 2*want, 6
			}
			for range numbers {
				if _, err := x.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}); err != nil {
					t.Fatal(err)
				}
				z := x.Release().Of[0] - 0.5
				sum += z * z
			}
			if got := sum / numbers; !(math.Abs(got-want) <= 5*want*math.Sqrt((kurtosis-1)/numbers)) {
				t.Errorf("a grid of %v, %v: noise of variance %v, want %v", grid, b, got, want)
			}
		}
	}
}

func TestAdditiveRefuses(t *testing.T) {
	good, nan, inf := Additive{Budget: privacy.Budget{Epsilon: 1}, Query: meanWeight{}}, math.NaN(), math.Inf(1)
	norms := func(n privacy.Norms) Additive { a := good; a.Query = typed{2, n, nil}; return a }
	with := func(change func(a *Additive)) Additive { a := good; change(&a); return a }
	setup := func(change func(s *privacy.Setup)) privacy.Setup { s := weighedSetup; change(&s); return s }
	for _, c := range []struct {
		of    Additive
		setup privacy.Setup
		words []string
	}{
		{with(func(a *Additive) { a.Budget.Epsilon = 0 }), weighedSetup, []string{"epsilon = 0"}},
		{with(func(a *Additive) { a.Budget.Epsilon = -1 }), weighedSetup, []string{"epsilon = -1"}},
		{with(func(a *Additive) { a.Budget.Delta = 2 }), weighedSetup, []string{"delta = 2"}},
		{with(func(a *Additive) { a.Budget.Epsilon = 1e-320 }), weighedSetup, []string{"want finite and > 0"}},
		{with(func(a *Additive) { a.Query = nil }), weighedSetup, []string{"Additive.Query is nil"}},
		{with(func(a *Additive) { a.Query = (*typed)(nil) }), weighedSetup, []string{"Additive.Query is a *tally.typed that is nil"}},
		{with(func(a *Additive) { a.Query = typed{0, privacy.Norms{L1: 1}, nil} }), weighedSetup, []string{"tally.typed.Dim = 0, want >= 1"}},
		{with(func(a *Additive) { a.Query = typed{1 << 40, privacy.Norms{L1: 1}, nil} }), weighedSetup, []string{"Dim = 1099511627776", "memory"}},
		{norms(privacy.Norms{}), weighedSetup, []string{"L1 = 0 and L2 = 0", "10 records"}},
		{norms(privacy.Norms{LInf: 1}), weighedSetup, []string{"L1 = 0 and L2 = 0"}},
		{norms(privacy.Norms{L1: nan}), weighedSetup, []string{"L1 = NaN"}},
		{norms(privacy.Norms{L1: 1, L2: nan}), weighedSetup, []string{"L2 = NaN"}},
		{norms(privacy.Norms{L1: inf}), weighedSetup, []string{"L1 = +Inf"}},
		{norms(privacy.Norms{L1: -1, L2: 1}), weighedSetup, []string{"L1 = -1"}},
		{with(func(a *Additive) { a.Lengths = EqualRounds(11) }), weighedSetup, []string{"first batch has 11 rounds", "Horizon = 10"}},
		{with(func(a *Additive) { a.Lengths = EqualRounds(0) }), weighedSetup, []string{"first batch has 0 rounds"}},
		{with(func(a *Additive) { a.Lengths = lengths{3, -2} }), weighedSetup, []string{"Length(1) = -2"}},
		{with(func(a *Additive) { a.Lengths = (*growing)(nil) }), weighedSetup, []string{"Additive.Lengths is a *tally.growing that is nil"}},
		{with(func(a *Additive) { a.Lengths = growing{} }), setup(func(s *privacy.Setup) { s.Horizon = 1 << 20 }), []string{"256 different lengths"}},
		{with(func(a *Additive) { a.Lengths = EqualRounds(1) }), setup(func(s *privacy.Setup) { s.Horizon = 1 << 40 }), []string{"over 2097152 batches"}},
		{with(func(a *Additive) { a.Grid = 0.3 }), weighedSetup, []string{"Grid = 0.3", "power of two"}},
		{with(func(a *Additive) { a.Grid = -1 }), weighedSetup, []string{"Grid = -1"}},
		{with(func(a *Additive) { a.Grid, a.Budget.Epsilon = 1, inf }), weighedSetup, []string{"noise of zero"}},
		{with(func(a *Additive) { a.Grid = 0x1p-60 }), weighedSetup, []string{"coarser grid"}},
		{with(func(a *Additive) { a.Grid, a.Budget.Delta = 0x1p-60, 1e-5 }), weighedSetup, []string{"coarser grid"}},
		{good, setup(func(s *privacy.Setup) { s.WarmUp = true }), []string{"WarmUp = true"}},
		{good, setup(func(s *privacy.Setup) { s.Arms = 0 }), []string{"Arms = 0"}},
		{good, setup(func(s *privacy.Setup) { s.Hi = s.Lo }), []string{"Lo = -1"}},
		{good, setup(func(s *privacy.Setup) { s.Dim = 3 }), []string{"Context = 0", "Bound = 0"}},
		{good, setup(func(s *privacy.Setup) { s.Dim, s.Context = 3, -1 }), []string{"Context = -1"}},
		{good, setup(func(s *privacy.Setup) { s.Horizon = 1 << 40 }), []string{"memory"}},
	} {
		_, err := c.of.Open(c.setup)
		expect.Error(t, fmt.Sprintf("%+v, %+v", c.of, c.setup), err, c.words...)
	}
	a := mechanismtest.Played(good)
	if err := a.Open(privacy.Setup{Arms: 1, Slots: 1, Dim: 2, Bound: 1, Horizon: 2, Hi: 1}); err != nil {
		t.Fatal(err)
	}
	a.Start(privacy.NewNoise(mechanismtest.Source()))
	for what, r := range map[string]privacy.Record{
		"0 numbers, want 1":  {Arms: []int{0}, Y: []float64{1}},
		"2 numbers, want 1":  {X: []float64{1, 1}, Arms: []int{0}, Y: []float64{1}},
		"[NaN], want finite": {X: []float64{nan}, Arms: []int{0}, Y: []float64{1}},
		"weight NaN":         {X: []float64{1}, Arms: []int{0}, Y: []float64{nan}},
	} {
		_, err := a.Add(&r)
		expect.Error(t, what, err, what)
	}
}

// TestAdditiveStanding: the claim says that it takes the word of a stranger's query for its
// sensitivity, and of a stranger's rule for the lengths.
func TestAdditiveStanding(t *testing.T) {
	theirs := struct{ meanWeight }{} // a type of no package is not this module's
	rule := struct{ growing }{}
	s := privacy.Setup{Arms: 1, Slots: 1, Horizon: 10, Hi: 1}
	for _, c := range []struct {
		of      Additive
		authors []string
		stands  privacy.Standing
	}{
		{Additive{Query: meanWeight{}, Lengths: EqualRounds(3)}, nil, privacy.Checked},
		{Additive{Query: theirs, Lengths: EqualRounds(3)}, []string{"struct { tally.meanWeight }"}, privacy.Stated},
		{Additive{Query: theirs, Lengths: rule}, []string{"struct { tally.meanWeight }", "struct { tally.growing }"}, privacy.Stated},
	} {
		c.of.Budget = privacy.Budget{Epsilon: 1}
		m, err := c.of.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []privacy.Planner{m, m.Start(privacy.NewNoise(mechanismtest.Source()))} {
			if claim := privacy.ClaimOf(of); claim.Standing() != c.stands || !slices.Equal(claim.Authors(), c.authors) {
				t.Errorf("%T stands as %v by %v, want %v by %v", of, claim.Standing(), claim.Authors(), c.stands, c.authors)
			}
		}
	}
}

// TestEachAnswerIsNoised: in every run the answers to two batches, and each of their numbers, have
// as much noise as any other, and noise of their own. A false alarm: see fresh.Check.
func TestEachAnswerIsNoised(t *testing.T) {
	for i := range 4 {
		of := Additive{Budget: privacy.Budget{Epsilon: 1}, Query: largestOf{}, Lengths: EqualRounds(1)}
		if i%2 == 1 {
			of.Budget.Delta = 1e-5
		}
		if i > 1 {
			of.Grid = 1. / 16
		}
		m, err := of.Open(weighedSetup)
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.Check(func(run int) (row []float64, err error) {
			var x privacy.Stream[Answer]
			mechanismtest.WithSource(run, func() { x = m.Start(privacy.NewNoise(random.Source(29, run, "noise"))) })
			for range 2 {
				if _, err := x.Add(&privacy.Record{Arms: []int{0, 2}, Y: []float64{0, 0.5}}); err != nil {
					return nil, err
				}
				row = append(row, x.Release().Of...)
			}
			return row, nil
		}); err != nil {
			t.Errorf("%+v: %v", of, err)
		}
	}
}

func TestAdditiveDoesNotAllocate(t *testing.T) {
	a := mechanismtest.Played(Additive{Budget: privacy.Budget{Epsilon: 1}, Query: largestOf{}, Lengths: EqualRounds(4)})
	s := weighedSetup
	s.Horizon = 2000
	if err := a.Open(s); err != nil {
		t.Fatal(err)
	}
	a.Start(privacy.NewNoise(mechanismtest.Source()))
	rec := weightsOf(1)[0]
	if n := testing.AllocsPerRun(1000, func() { _, _ = a.Add(&rec) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}
