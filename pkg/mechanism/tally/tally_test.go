package tally

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// tallies makes one of each that claims privacy.
func tallies(b privacy.Budget) map[string]*mechanismtest.Player[privacy.Means] {
	pure := privacy.Budget{Epsilon: b.Epsilon}
	all := map[string]*mechanismtest.Player[privacy.Means]{}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		for _, remember := range []bool{false, true} {
			kind := fmt.Sprintf("blocks, %v, remember %v, ", c, remember)
			all[kind+"Laplace"] = mechanismtest.Played(Blocks{Budget: pure, Calibration: c, Remember: remember})
			all[kind+"Gaussian"] = mechanismtest.Played(Blocks{Budget: b, Calibration: c, Remember: remember})
		}
	}
	all["tree, Laplace"], all["tree, Gaussian"] = mechanismtest.Played(Tree{Budget: pure}), mechanismtest.Played(Tree{Budget: b})
	return all
}

// setups of tallies: every arm, some of them, one of one, weights that are shifted and scaled, and
// a warm-up.
var tallySetups = []privacy.Setup{
	{Arms: 3, Slots: 3, Horizon: 40, Lo: 0, Hi: 1},
	{Arms: 5, Slots: 2, Horizon: 100, Lo: -3, Hi: 5},
	{Arms: 1, Slots: 1, Horizon: 1, Lo: 0, Hi: 1},
	{Arms: 5, Slots: 2, Horizon: 60, Lo: 0, Hi: 1, WarmUp: true},
	{Arms: 2, Slots: 2, Horizon: 7, Lo: 0, Hi: 1, WarmUp: true},
}

// shown draws the records of a run: random arms, as many as are allowed or fewer, and weights of
// which some are out of bounds.
func shown(s privacy.Setup, rng *rand.Rand) (arms [][]int, weights [][]float64) {
	n := s.Horizon
	if s.WarmUp {
		n++
	}
	for i := range n {
		k := s.Slots - rng.IntN(2)*rng.IntN(s.Slots+1)
		if s.WarmUp && i == 0 {
			k = s.Arms
		}
		arms = append(arms, rng.Perm(s.Arms)[:k])
		w := make([]float64, k)
		for j := range w {
			w[j] = s.Lo + (s.Hi-s.Lo)*(1.2*rng.Float64()-0.1)
		}
		weights = append(weights, w)
	}
	return arms, weights
}

// estimates returns all estimates.
func estimates(t *mechanismtest.Player[privacy.Means], arms int) (all []privacy.Estimate) {
	for arm := range arms {
		all = append(all, t.Release().Of[arm])
	}
	return all
}

func same[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// run feeds a tally and returns all its estimates after each record.
func run(t *testing.T, tally *mechanismtest.Player[privacy.Means], s privacy.Setup, source rand.Source, arms [][]int, weights [][]float64) (all [][]privacy.Estimate) {
	t.Helper()
	if err := tally.Open(s); err != nil {
		t.Fatal(err)
	}
	tally.Start(privacy.NewNoise(source))
	for i := range arms {
		if _, err := tally.Add(&privacy.Record{Arms: arms[i], Y: weights[i]}); err != nil {
			t.Fatal(err)
		}
		all = append(all, estimates(tally, s.Arms))
	}
	return all
}

// worth derives the epsilon of a tally from the noise on its sums and the most of them that a
// record is in: later ones' and, with a warm-up, the first one's.
func worth(tally *mechanismtest.Player[privacy.Means], s privacy.Setup) float64 {
	var first, later float64
	releases := float64(s.Slots)
	switch m := tally.Opened.(type) {
	case *blocks:
		first, later = m.Scale()
	case *treeTally:
		first, later = m.Scale()
		releases *= math.Floor(math.Log2(float64(s.Horizon))) + 1
	}
	side, arms := s.Hi-s.Lo, float64(s.Arms)
	if !s.WarmUp {
		first = math.Inf(1)
	}
	if later == 0 {
		return math.Inf(1)
	}
	if delta := privacy.ClaimOf(tally).Asked().Delta; delta > 0 {
		return account.GaussianEpsilon(delta, max(math.Sqrt(releases)*side/later, math.Sqrt(arms)*side/first))
	}
	return max(releases*side/later, arms*side/first)
}

// TestTallyLedger: what the noise source drew is what each tally says that its claim rests on,
// after any number of records, of which refused ones draw nothing; one draw more or less, or of
// another scale, is not. An accountant finds the claim's event worth what is claimed, and that is
// what the scales of the noise are worth.
func TestTallyLedger(t *testing.T) {
	for _, b := range []privacy.Budget{{Epsilon: 0.7, Delta: 1e-4}, {Epsilon: math.Inf(1), Delta: 1e-4}} {
		for name, tally := range tallies(b) {
			for _, s := range tallySetups {
				name := fmt.Sprintf("%s, %v, %+v", name, b, s)
				if err := tally.Open(s); err != nil {
					t.Fatal(err)
				}
				claim := privacy.ClaimOf(tally)
				exact, _, err := account.Tightest(claim.Event(), claim.Asked().Delta)
				if err != nil {
					t.Fatal(err)
				}
				if !b.None() && exact != claim.Epsilon() {
					t.Errorf("%s: the event is worth %v, the claim is %v", name, exact, claim.Epsilon())
				}
				if w := worth(tally, s); w != exact { // infinite ones are equal
					expect.Near(t, name+": epsilon by the scales", w, exact, 1e-6)
				}
				for seed := range uint64(2) { // a used one too
					ledger := privacy.NewLedger(random.Source(seed, 0, "noise"))
					tally.Start(privacy.NewNoise(ledger))
					arms, weights := shown(s, rand.New(rand.NewPCG(seed, 1)))
					for i := range arms {
						if err := ledger.Check(privacy.PlanOf(tally, privacy.All).Draws); err != nil {
							t.Fatalf("%s: after %d records: %v", name, i, err)
						}
						if _, err := tally.Add(&privacy.Record{Arms: []int{0}, Y: []float64{math.NaN()}}); err == nil {
							t.Fatalf("%s: NaN is taken", name)
						}
						if _, err := tally.Add(&privacy.Record{Arms: arms[i], Y: weights[i]}); err != nil {
							t.Fatal(err)
						}
					}
					draws := privacy.PlanOf(tally, privacy.All).Draws
					if err := ledger.Check(draws); err != nil {
						t.Fatalf("%s: after all records: %v", name, err)
					}
					for i := range draws {
						if draws[i].Count == 0 {
							continue
						}
						for _, off := range []int{-1, 1} {
							draws[i].Count += off
							if err := ledger.Check(draws); !errors.Is(err, privacy.ErrLedger) {
								t.Errorf("%s: a claim of %d draws more: error %v", name, off, err)
							}
							draws[i].Count -= off
						}
						before := draws[i].Scale
						draws[i].Scale = 0.99*before + 1e-9
						if err := ledger.Check(draws); !errors.Is(err, privacy.ErrLedger) {
							t.Errorf("%s: a claim of another scale: error %v", name, err)
						}
						draws[i].Scale = before
					}
				}
			}
		}
	}
}

// TestTallySpent: nothing before the first record, more as they come, and the claim's event at the
// end.
func TestTallySpent(t *testing.T) {
	b := privacy.Budget{Epsilon: 0.7, Delta: 1e-4}
	for name, tally := range tallies(b) {
		for _, s := range tallySetups {
			if err := tally.Open(s); err != nil {
				t.Fatal(err)
			}
			meter, last, claim := tally, 0.0, privacy.ClaimOf(tally)
			for records := 0; records <= s.Horizon+1; records++ {
				event := privacy.PlanOf(meter, records).Event()
				epsilon := 0.0
				if records > 0 {
					var err error
					if epsilon, _, err = account.Tightest(event, claim.Asked().Delta); err != nil {
						t.Fatal(err)
					}
				} else if event != (account.GaussianEvent{}) {
					t.Errorf("%s, %+v: %v is spent before the first record", name, s, event)
				}
				if epsilon < last*(1-1e-9) || epsilon > claim.Epsilon()*(1+1e-9) {
					t.Errorf("%s, %+v: %v is spent after %d records, %v before, %v is claimed", name, s, epsilon, records, last, claim.Epsilon())
				}
				last = epsilon
			}
			expect.Near(t, name+": spent in the end", last, claim.Epsilon(), 1e-9)
			if fmt.Sprint(privacy.PlanOf(meter, s.Horizon+1).Event()) != fmt.Sprint(claim.Event()) {
				t.Errorf("%s, %+v: %v is spent in the end, the claim says %v", name, s, privacy.PlanOf(meter, s.Horizon+1).Event(), claim.Event())
			}
		}
	}
}

// TestTallySpentWarmUp: the record of the warm-up is in L releases and all later ones in up to K,
// or K times the levels of a tree of theirs.
func TestTallySpentWarmUp(t *testing.T) {
	s := privacy.Setup{Arms: 5, Slots: 2, Horizon: 8, Hi: 1, WarmUp: true}
	laplace := func(parts float64) account.Event { return account.LaplaceEvent{Epsilon: 0.5 / parts} }
	warm, later := account.Repeat{Event: laplace(5), Times: 5}, account.Repeat{Event: laplace(2), Times: 2}
	tree := func(nodes int) account.Event {
		return account.Parallel{warm, account.Repeat{Event: laplace(8), Times: nodes}}
	}
	budget := privacy.Budget{Epsilon: 0.5}
	published := account.Repeat{Event: laplace(2), Times: 5}
	for _, c := range []struct {
		tally *mechanismtest.Player[privacy.Means]
		want  []account.Event // after 1, 2, ... records
	}{
		{mechanismtest.Played(Blocks{Budget: budget}), []account.Event{warm, account.Parallel{warm, later}, account.Parallel{warm, later}}},
		{mechanismtest.Played(Blocks{Budget: budget, Calibration: privacy.AsPublished}), []account.Event{published, account.Parallel{published, later}}},
		{mechanismtest.Played(Tree{Budget: budget}), []account.Event{warm, tree(2), tree(4), tree(4), tree(6), tree(6), tree(6), tree(6), tree(8), tree(8)}},
	} {
		if err := c.tally.Open(s); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := privacy.PlanOf(c.tally, i+1).Event(); !sameEvent(got, want) {
				t.Errorf("%T: %v is spent after %d records, want %v", c.tally, got, i+1, want)
			}
		}
		if want := c.want[len(c.want)-1]; !sameEvent(privacy.ClaimOf(c.tally).Event(), want) {
			t.Errorf("%T claims %v, want %v", c.tally, privacy.ClaimOf(c.tally).Event(), want)
		}
	}
}

// sameEvent compares events, of Laplace noise, to a relative 1e-12.
func sameEvent(a, b account.Event) bool {
	if a, ok := a.(account.LaplaceEvent); ok {
		b, ok := b.(account.LaplaceEvent)
		return ok && math.Abs(a.Epsilon-b.Epsilon) <= 1e-12*b.Epsilon
	}
	switch a := a.(type) {
	case account.Repeat:
		b, ok := b.(account.Repeat)
		return ok && a.Times == b.Times && sameEvent(a.Event, b.Event)
	case account.Parallel:
		b, ok := b.(account.Parallel)
		return ok && slices.EqualFunc(a, b, sameEvent)
	}
	return reflect.DeepEqual(a, b)
}

// TestTallyReset: a run is the same after any other, also one whose warm-up showed other arms.
func TestTallyReset(t *testing.T) {
	for name, tally := range tallies(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		for _, s := range tallySetups {
			arms, weights := shown(s, rand.New(rand.NewPCG(1, 2)))
			arms[0], weights[0] = arms[0][:1], weights[0][:1]
			want := run(t, tally, s, mechanismtest.Source(), arms, weights)
			all := rand.New(rand.NewPCG(3, 4)).Perm(s.Arms)[:s.Slots]
			if s.WarmUp {
				all = rand.New(rand.NewPCG(3, 4)).Perm(s.Arms)
			}
			tally.Start(privacy.NewNoise(random.Source(8, 0, "noise")))
			if _, err := tally.Add(&privacy.Record{Arms: all, Y: make([]float64, len(all))}); err != nil {
				t.Fatal(err)
			}
			tally.Start(privacy.NewNoise(mechanismtest.Source()))
			for i := range arms {
				if _, err := tally.Add(&privacy.Record{Arms: arms[i], Y: weights[i]}); err != nil || !same(want[i], estimates(tally, s.Arms)) {
					t.Fatalf("%s, %+v, record %d: %v, %v, want %v", name, s, i, estimates(tally, s.Arms), err, want[i])
				}
			}
		}
	}
}

// equalBlocks is the rule of blocks of so many observations.
type equalBlocks int

func (n equalBlocks) Length(int) int { return int(n) }

func TestTallyInitRefuses(t *testing.T) {
	good, nan := tallySetups[1], math.NaN()
	for _, c := range []struct {
		budget privacy.Budget
		words  []string
	}{
		{privacy.Budget{Epsilon: 0, Delta: 0.1}, []string{"epsilon = 0", "> 0"}},
		{privacy.Budget{Epsilon: -1, Delta: 0.1}, []string{"epsilon = -1", "> 0"}},
		{privacy.Budget{Epsilon: nan, Delta: 0.1}, []string{"epsilon = NaN", "> 0"}},
	} {
		for name, tally := range tallies(c.budget) {
			expect.Error(t, name, tally.Open(good), c.words...)
		}
	}
	expect.Error(t, "lengths", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1}, Lengths: equalBlocks(0)}).Open(good), "Length(0) = 0", ">= 1")
	expect.Error(t, "epsilon", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1e-200}}).Open(good), "(1e-200, 0)", "scale 1.6e+201", "finite")
	one := privacy.Setup{Arms: 1, Slots: 1, Horizon: 1, Hi: 1}
	expect.Error(t, "a variance that overflows", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1e-154}}).Open(one), "(1e-154, 0)", "scale 1e+154", "twice its square")
	expect.Error(t, "epsilon", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1e200}}).Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 1, Hi: 1e-150}), "(1e+200, 0)", "scale 0", "> 0")
	for _, delta := range []float64{-1, 1, nan} {
		b := mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1, Delta: delta}})
		expect.Error(t, "delta", b.Open(good), fmt.Sprintf("delta = %v", delta), "[0, 1)")
	}
	for _, c := range []privacy.Calibration{privacy.Given, 77} {
		expect.Error(t, "calibration", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1}, Calibration: c}).Open(good), c.String(), "Sound or AsPublished")
	}
	all := tallies(privacy.Budget{Epsilon: 1, Delta: 0.1})
	all["counts"] = mechanismtest.Played(Counts{})
	all["batches"] = mechanismtest.Played(Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: Geometric{First: 1, Ratio: 2}})
	all["round batches"] = mechanismtest.Played(RoundBatches{Budget: privacy.Budget{Epsilon: 1}, Lengths: EqualRounds(5)})
	all["hybrid"], all["responses"] = mechanismtest.Played(Hybrid{Epsilon: 1}), mechanismtest.Played(Response{Epsilon: 1})
	all["draws"] = mechanismtest.Played(PosteriorDraws{Variance: 1, Delta: 0.1})
	all["limited draws"] = mechanismtest.Played(LimitedDraws{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}})
	for name, tally := range all {
		for _, c := range []struct {
			change func(*privacy.Setup)
			words  []string
		}{
			{func(s *privacy.Setup) { s.Arms = 0 }, []string{"Arms = 0", ">= 1"}},
			{func(s *privacy.Setup) { s.Slots = 6 }, []string{"Slots = 6", "Arms = 5"}},
			{func(s *privacy.Setup) { s.Horizon = 0 }, []string{"Horizon = 0", ">= 1"}},
			{func(s *privacy.Setup) { s.Hi = s.Lo }, []string{"Hi = -3", "Lo < Hi"}},
			{func(s *privacy.Setup) { s.Lo = nan }, []string{"Lo = NaN", "Lo < Hi"}},
			{func(s *privacy.Setup) { s.Hi = math.Inf(1) }, []string{"Hi = +Inf", "finite"}},
			{func(s *privacy.Setup) { s.Hi = 1e307 }, []string{"Hi = 1e+307", "finite"}},
		} {
			if err := tally.Open(good); err != nil {
				t.Fatal(err)
			}
			s := good
			c.change(&s)
			expect.Error(t, name, tally.Open(s), c.words...)
		}
	}
}

// TestTallyAddRefuses: a bad record is an error that names what is wrong with it, and changes
// nothing.
func TestTallyAddRefuses(t *testing.T) {
	for _, s := range []privacy.Setup{{Arms: 3, Slots: 2, Horizon: 4, Hi: 1}, {Arms: 3, Slots: 2, Horizon: 3, Hi: 1, WarmUp: true}} {
		all := tallies(privacy.Budget{Epsilon: 1, Delta: 0.1})
		all["counts"] = mechanismtest.Played(Counts{})
		for name, tally := range all {
			if err := tally.Open(s); err != nil {
				t.Fatal(err)
			}
			tally.Start(privacy.NewNoise(mechanismtest.Source()))
			refuse := func(arms []int, weights []float64, words ...string) {
				t.Helper()
				before, clipped, draws := estimates(tally, s.Arms), tally.Clipped(), fmt.Sprint(privacy.PlanOf(tally, privacy.All).Draws)
				released, err := tally.Add(&privacy.Record{Arms: arms, Y: weights})
				expect.Error(t, name, err, words...)
				if released || !same(before, estimates(tally, s.Arms)) || clipped != tally.Clipped() || draws != fmt.Sprint(privacy.PlanOf(tally, privacy.All).Draws) {
					t.Errorf("%s: the record %v, %v was refused and changed something", name, arms, weights)
				}
			}
			var got [][]privacy.Estimate
			for i := range 4 {
				refuse([]int{0, 1}, []float64{0.5}, "2 arms and 1 weights")
				refuse([]int{0}, nil, "1 arms and 0 weights")
				refuse([]int{0, 3}, []float64{0.5, 0.5}, "arm 3", "[0, 3)")
				refuse([]int{-1}, []float64{0.5}, "arm -1", "[0, 3)")
				refuse([]int{2, 2}, []float64{0.5, 0.5}, "arm 2 twice")
				refuse([]int{0, 1}, []float64{0.5, math.NaN()}, "weight NaN of arm 1", "finite")
				refuse([]int{0, 1}, []float64{math.Inf(-1), 7}, "weight -Inf of arm 0", "finite")
				if i > 0 || !s.WarmUp {
					refuse([]int{0, 1, 2}, []float64{0, 0, 0}, "3 arms", "<= 2")
				}
				// the first record may show fewer than all
				if _, err := tally.Add(&privacy.Record{Arms: []int{i % 3}, Y: []float64{3}}); err != nil {
					t.Fatal(err)
				}
				got = append(got, estimates(tally, s.Arms))
			}
			refuse([]int{0}, []float64{0.5}, "beyond the horizon")
			if tally.Clipped() != 4 {
				t.Errorf("%s: %d weights were clipped, want 4", name, tally.Clipped())
			}
			tally.Start(privacy.NewNoise(mechanismtest.Source()))
			for i := range got { // the same run without what was refused
				if _, err := tally.Add(&privacy.Record{Arms: []int{i % 3}, Y: []float64{3}}); err != nil || !same(got[i], estimates(tally, s.Arms)) {
					t.Fatalf("%s: what was refused has changed a later estimate: %v, %v, %v", name, got[i], estimates(tally, s.Arms), err)
				}
			}
		}
	}
}

// TestTallyMetamorphic: the same run again is the same, to the bit, on a used tally and on a new
// one; other names for the arms rename the estimates; weights that are shifted and scaled together
// with their bounds shift and scale them, powers of two to the bit; released says whether an
// estimate of a record's arm has changed, and no other changes.
func TestTallyMetamorphic(t *testing.T) {
	for name, tally := range tallies(privacy.Budget{Epsilon: 0.7, Delta: 1e-4}) {
		for _, s := range tallySetups {
			rng := rand.New(rand.NewPCG(1, 2))
			arms, weights := shown(s, rng)
			source := func() rand.Source { return random.Source(5, 0, "noise") }
			got := run(t, tally, s, source(), arms, weights)
			again := run(t, tally, s, source(), arms, weights)
			names := rng.Perm(s.Arms)
			renamed := make([][]int, len(arms))
			scaled, moved := make([][]float64, len(arms)), make([][]float64, len(arms))
			for i := range arms {
				for j, arm := range arms[i] {
					renamed[i] = append(renamed[i], names[arm])
					scaled[i] = append(scaled[i], 8*weights[i][j])
					moved[i] = append(moved[i], weights[i][j]+3)
				}
			}
			larger, higher := s, s
			larger.Lo, larger.Hi = 8*s.Lo, 8*s.Hi
			higher.Lo, higher.Hi = s.Lo+3, s.Hi+3
			byName := run(t, tally, s, source(), renamed, weights)
			byScale := run(t, tally, larger, source(), arms, scaled)
			byShift := run(t, tally, higher, source(), arms, moved)
			for i := range got {
				if !same(got[i], again[i]) {
					t.Fatalf("%s, %+v: another run of the same: %v, %v", name, s, got[i], again[i])
				}
				for arm, e := range got[i] {
					if e != byName[i][names[arm]] {
						t.Fatalf("%s, %+v: %v of an arm, %v under another name", name, s, e, byName[i][names[arm]])
					}
					if l := byScale[i][arm]; l.Mean != 8*e.Mean || l.Count != e.Count || l.Tail.Linear != 8*e.Tail.Linear || l.Tail.Root != 8*e.Tail.Root {
						t.Fatalf("%s, %+v: %v of an arm, %v of one with eight times the weights", name, s, e, l)
					}
					if h := byShift[i][arm]; e.Count > 0 && (math.Abs(h.Mean-e.Mean-3) > 1e-12*(1+math.Abs(e.Mean)) || h.Count != e.Count || h.Tail != e.Tail) {
						t.Fatalf("%s, %+v: %v of an arm, %v of one with 3 added", name, s, e, h)
					}
				}
			}
			tally.Start(privacy.NewNoise(source()))
			if err := tally.Open(s); err != nil {
				t.Fatal(err)
			}
			tally.Start(privacy.NewNoise(source()))
			for i := range arms {
				before := estimates(tally, s.Arms)
				released, err := tally.Add(&privacy.Record{Arms: arms[i], Y: weights[i]})
				if err != nil {
					t.Fatal(err)
				}
				changed := false
				in := map[int]bool{}
				for _, arm := range arms[i] {
					in[arm] = true
				}
				for arm, e := range estimates(tally, s.Arms) {
					changed = changed || e != before[arm]
					if e != before[arm] && !in[arm] {
						t.Fatalf("%s, %+v: the estimate of arm %d changes with a record of %v", name, s, arm, arms[i])
					}
				}
				if released != changed {
					t.Fatalf("%s, %+v: released is %v, changed %v", name, s, released, changed)
				}
			}
		}
	}
}

// TestTallyAllocs: neither Add nor Release allocates.
func TestTallyAllocs(t *testing.T) {
	all := tallies(privacy.Budget{Epsilon: 0.7, Delta: 1e-4})
	all["counts"] = mechanismtest.Played(Counts{})
	for name, tally := range all {
		if err := tally.Open(privacy.Setup{Arms: 20, Slots: 5, Horizon: 1e6, Hi: 1}); err != nil {
			t.Fatal(err)
		}
		tally.Start(privacy.NewNoise(mechanismtest.Source()))
		record := &privacy.Record{Arms: []int{3, 1, 4, 15, 9}, Y: []float64{0, 1, 2, 0.5, 0.5}}
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := tally.Add(record); err != nil {
				t.Fatal(err)
			}
			for arm := range 20 {
				_ = tally.Release().Of[arm]
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a record", name, n)
		}
	}
}

// TestCounts: exact means.
func TestCounts(t *testing.T) {
	c := mechanismtest.Played(Counts{})
	for _, s := range tallySetups {
		arms, weights := shown(s, rand.New(rand.NewPCG(1, 2)))
		got := run(t, c, s, mechanismtest.Source(), arms, weights)
		sums, counts := make([]float64, s.Arms), make([]int, s.Arms)
		for i := range arms {
			for j, arm := range arms[i] {
				sums[arm] += min(max(weights[i][j], s.Lo), s.Hi)
				counts[arm]++
			}
			for arm, e := range got[i] {
				if e.Count != counts[arm] || e.Tail != (privacy.Tail{}) || counts[arm] > 0 && math.Abs(e.Mean-sums[arm]/float64(counts[arm])) > 1e-12 {
					t.Fatalf("%+v: %v of %d observations that sum to %v", s, e, counts[arm], sums[arm])
				}
			}
		}
		if !math.IsInf(privacy.ClaimOf(c).Epsilon(), 1) || len(privacy.PlanOf(c, privacy.All).Draws) != 0 {
			t.Errorf("claims %v, draws %v", privacy.ClaimOf(c), privacy.PlanOf(c, privacy.All).Draws)
		}
	}
}

// BenchmarkTally times a record of K of L arms, and the reading of all estimates as often as one
// has changed.
func BenchmarkTally(b *testing.B) {
	pure := privacy.Budget{Epsilon: 2}
	for _, c := range []struct {
		name string
		*mechanismtest.Player[privacy.Means]
	}{
		{"counts", mechanismtest.Played(Counts{})}, {"blocks", mechanismtest.Played(Blocks{Budget: pure})}, {"blocks-remember", mechanismtest.Played(Blocks{Budget: pure, Remember: true})},
		{"blocks-gaussian", mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-5}})},
		{"tree", mechanismtest.Played(Tree{Budget: pure})}, {"tree-gaussian", mechanismtest.Played(Tree{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-5}})},
	} {
		for _, size := range []struct{ arms, slots int }{{7, 3}, {100, 17}, {1000, 333}} {
			b.Run(fmt.Sprintf("%s/L=%d/K=%d", c.name, size.arms, size.slots), func(b *testing.B) {
				const horizon = 20_000
				if err := c.Open(privacy.Setup{Arms: size.arms, Slots: size.slots, Horizon: horizon, Hi: 1}); err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 2))
				var arms [16][]int
				for i := range arms {
					arms[i] = rng.Perm(size.arms)[:size.slots]
				}
				weights := make([]float64, size.slots)
				for i := range weights {
					weights[i] = float64(i % 2)
				}
				noise := privacy.NewNoise(mechanismtest.Source())
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if i%horizon == 0 {
						c.Start(noise)
					}
					released, err := c.Add(&privacy.Record{Arms: arms[i%16], Y: weights})
					if err != nil {
						b.Fatal(err)
					}
					if released {
						for arm := range size.arms {
							_ = c.Release().Of[arm]
						}
					}
				}
			})
		}
	}
}
