package privacytest_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

var (
	approximate = privacy.Budget{Epsilon: 1, Delta: 1e-5}
	pure        = privacy.Budget{Epsilon: 1}
)

// long is a horizon beyond every doubling phase of a cheap statistic.
const long = 12000

// rows returns a case over rows of dimension 2, whose outer products have the squared norm 2 at
// most.
func rows(make privacy.Accumulator) privacytest.Case[privacy.Sums] {
	return privacytest.Case[privacy.Sums]{
		Of: make, Format: privacytest.Rows(), Long: long,
		Setup: privacy.Setup{Horizon: 17, Dim: 2, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
	}
}

// accumulators are ours, by name.
func accumulators() map[string]privacytest.Case[privacy.Sums] {
	gaussian := continual.Gaussian{Budget: approximate}
	printed := func(padded bool) continual.NodeNoise {
		return continual.Gaussian{Budget: approximate, Calibration: privacy.AsPublished, Padded: padded}
	}
	wishart := continual.Wishart{Budget: approximate}
	all := map[string]privacytest.Case[privacy.Sums]{
		"tree":                rows(continual.Tree{Noise: gaussian}),
		"tree as published":   rows(continual.Tree{Noise: printed(false)}),
		"tree, padded":        rows(continual.Tree{Noise: printed(true)}),
		"tree, Wishart":       rows(continual.Tree{Noise: wishart}),
		"pan-private":         rows(continual.PanPrivateTree{Noise: gaussian}),
		"pan-private, padded": rows(continual.PanPrivateTree{Noise: printed(true)}),
		"Honaker":             rows(continual.Honaker{Budget: approximate}),
		"square root":         rows(continual.SquareRoot{Budget: approximate}),
		"BLT":                 rows(continual.BLT{Budget: approximate}),
		"seldom":              rows(continual.Seldom{Budget: approximate}),
		"unbounded":           rows(continual.Unbounded{Budget: approximate}),
		"unbounded, each row": rows(continual.Unbounded{Budget: approximate, Growth: 1e-9}),
		"secure tree":         rows(continual.SecureTree{Budget: approximate}),
		"exact":               rows(continual.Exact{}),
	}
	change := func(name string, by func(c *privacytest.Case[privacy.Sums])) {
		c := all[name]
		by(&c)
		all[name] = c
	}
	change("exact", func(c *privacytest.Case[privacy.Sums]) { c.Public = true })
	change("tree, Wishart", func(c *privacytest.Case[privacy.Sums]) { c.Nonlinear = true })
	change("secure tree", func(c *privacytest.Case[privacy.Sums]) { c.Nonlinear, c.Long = true, 1000 })
	change("square root", func(c *privacytest.Case[privacy.Sums]) { c.Long = 1500 }) // it is slow
	change("unbounded, each row", func(c *privacytest.Case[privacy.Sums]) { c.Long = 1500 })
	// The row that shows the most is not among those tried.
	change("Honaker", func(c *privacytest.Case[privacy.Sums]) { c.Below = 0.03 })
	// Noise on padded levels hides a row, too, and the plan does not count on it.
	change("tree, padded", func(c *privacytest.Case[privacy.Sums]) { c.Below = 0.6 })
	change("pan-private, padded", func(c *privacytest.Case[privacy.Sums]) { c.Below = 0.6 })
	return all
}

// weights returns a case over weights in [-1, 2], of two arms of five a record.
func weights(make privacy.Tally, warmUp bool) privacytest.Case[privacy.Means] {
	return privacytest.Case[privacy.Means]{
		Of: make, Format: privacytest.Weights(nil), Long: long,
		Setup: privacy.Setup{Horizon: 32, Arms: 5, Slots: 2, Lo: -1, Hi: 2, WarmUp: warmUp},
	}
}

// threes is a rule of block lengths: all are 3.
type threes struct{}

func (threes) Length(int) int { return 3 }

// tallies are ours, by name.
func tallies() map[string]privacytest.Case[privacy.Means] {
	all := make(map[string]privacytest.Case[privacy.Means])
	for name, budget := range map[string]privacy.Budget{"Laplace": pure, "Gaussian": approximate} {
		for start, warmUp := range map[string]bool{"": false, ", warm-up": true} {
			name := name + start
			all["blocks, "+name] = weights(tally.Blocks{Budget: budget}, warmUp)
			all["blocks that remember, "+name] = weights(tally.Blocks{Budget: budget, Remember: true}, warmUp)
			all["blocks as published, "+name] = weights(tally.Blocks{Budget: budget, Calibration: privacy.AsPublished}, warmUp)
			all["batches, "+name] = weights(tally.Batches{Budget: budget, Lengths: tally.Geometric{First: 1, Ratio: 2}}, warmUp)
			all["cumulative batches, "+name] = weights(tally.Batches{Budget: budget, Lengths: tally.Geometric{First: 2, Ratio: 1.5}, Cumulative: true}, warmUp)
			all["tree, "+name] = weights(tally.Tree{Budget: budget}, warmUp)
		}
	}
	all["hybrid"] = weights(tally.Hybrid{Epsilon: pure.Epsilon}, false)
	draws := weights(tally.PosteriorDraws{Variance: 3, First: 2, Delta: 1e-5}, false)
	draws.Below = 0.7 // the worst arm is not played again
	all["posterior draws"] = draws
	// The largest of several draws is not linear. Where there are as many as records, arms that are
	// played go on to another mean, and those that are not keep all others at one draw.
	limited := weights(tally.LimitedDraws{Budget: approximate, Alpha: 1, Draws: 1}, false)
	limited.Below = 0.01 // an epoch has a whole number of observations
	all["limited draws, one"] = limited
	limited = weights(tally.LimitedDraws{Budget: privacy.Budget{Epsilon: 40, Delta: 1e-5}, Alpha: 1, Draws: 300}, false)
	limited.Below = 0.99
	all["limited draws"] = limited
	responses := weights(tally.Response{Epsilon: pure.Epsilon}, false)
	responses.Nonlinear = true
	all["responses"] = responses
	for name, budget := range map[string]privacy.Budget{"Laplace": pure, "Gaussian": approximate} {
		clicks := weights(tally.Cascade{Budget: budget}, false)
		clicks.Setup.Lo, clicks.Setup.Hi = 0, 1
		clicks.Nonlinear = true // a ratio: see TestCascadePrivacy
		all["cascade, "+name] = clicks
	}
	all["blocks of three"] = weights(tally.Blocks{Budget: pure, Lengths: threes{}}, false)
	counts := weights(tally.Counts{}, false)
	counts.Public = true
	all["counts"] = counts
	return all
}

func TestStatistics(t *testing.T) {
	for name, c := range accumulators() {
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
	}
	for name, c := range tallies() {
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
	}
}

func TestProbe(t *testing.T) {
	for name, c := range accumulators() {
		if c.Public || c.Nonlinear {
			continue
		}
		t.Run(name, func(t *testing.T) { privacytest.Probe(t, c) })
		c.Setup.Dim, c.Setup.Context = 3, 0 // the worst rows are another pair
		t.Run(name+", one bound", func(t *testing.T) { privacytest.Probe(t, c) })
	}
	for name, c := range tallies() {
		if c.Public || c.Nonlinear {
			continue
		}
		t.Run(name, func(t *testing.T) { privacytest.Probe(t, c) })
		// Other arms each time: a record is in as many releases, or fewer.
		c.Format, c.Below = privacytest.Weights(func(s privacy.Setup, place int) []int {
			return []int{place * place % s.Arms, (place*place + 2) % s.Arms}
		}), 0.7
		t.Run(name+", rotating", func(t *testing.T) { privacytest.Probe(t, c) })
	}
}

// TestProbeNumbers has two sensitivities from the literature, in standard deviations of the noise.
func TestProbeNumbers(t *testing.T) {
	for _, c := range []struct {
		name string
		make privacy.Accumulator
		want float64
	}{
		{"tree", continual.Tree{Noise: continual.Gaussian{Budget: approximate}}, 2 * math.Sqrt(6)},
		{"BLT", continual.BLT{Budget: approximate}, 3.0876},
	} {
		t.Run(c.name, func(t *testing.T) {
			probed := rows(c.make)
			probed.Setup.Horizon = 64
			found := privacytest.Probe(t, probed)
			x, err := c.make.Open(probed.Setup)
			if err != nil {
				t.Fatal(err)
			}
			sd := x.Plan(privacy.All).Cases[0][0].Law.Scale
			if got := found.Found * sd; math.Abs(got-c.want) > 1e-4 {
				t.Errorf("one row moves the releases by %.6f standard deviations, want %.6f", got, c.want)
			}
			t.Logf("found %.9f, planned %.9f, sd %v, %s", found.Found*sd, found.Planned*sd, sd, found.Where)
		})
	}
}

// clicksAndSkips is a query: how often each arm was clicked, and how often it was skipped. The
// first weight above 1/2 is a click.
type clicksAndSkips struct{}

func (clicksAndSkips) Dim(s privacy.Setup) int { return 2 * s.Arms }

func (clicksAndSkips) Sensitivity(s privacy.Setup, _ int) privacy.Norms {
	return privacy.Norms{L1: float64(s.Slots + 1), L2: math.Sqrt(float64(s.Slots + 1))}
}

func (clicksAndSkips) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	counts := make([]float64, 2*s.Arms)
	for _, r := range records {
		for i, arm := range r.Arms {
			if r.Y[i] > 0.5 {
				counts[2*arm]++
				break
			}
			counts[2*arm+1]++
		}
	}
	return append(dst, counts...), nil
}

// TestClicksAndSkips: a search finds no two neighbours that move clicks and skips by more than
// tally.Cascade has noise for, and some that move them as far.
func TestClicksAndSkips(t *testing.T) {
	for slots := 1; slots <= 5; slots++ {
		for _, budget := range []privacy.Budget{pure, approximate} {
			found := query(t, privacytest.QueryCase{
				Of:    tally.Additive{Budget: budget, Query: clicksAndSkips{}, Lengths: tally.EqualRounds(4)},
				Setup: privacy.Setup{Arms: 6, Slots: slots, Horizon: 8, Hi: 1},
			})
			want := float64(slots + 1)
			if budget.Delta > 0 {
				want = math.Sqrt(want)
			}
			if math.Abs(found.Seen-want) > 1e-9 {
				t.Errorf("%d slots: %v, want %v", slots, found, want)
			}
		}
	}
}

// looked is tally.Blocks over the arms that were looked at, as if what a click hides were public.
type looked struct{ tally.Blocks }

type lookedMechanism struct {
	privacy.Mechanism[privacy.Means]
}

type lookedStream struct {
	privacy.Stream[privacy.Means]
}

func (l looked) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	m, err := l.Blocks.Open(s)
	return lookedMechanism{m}, err
}

func (l lookedMechanism) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	return lookedStream{l.Mechanism.Start(n)}
}

func (l lookedStream) Add(r *privacy.Record) (bool, error) {
	for i, y := range r.Y {
		if y > 0.5 {
			return l.Stream.Add(&privacy.Record{Arms: r.Arms[:i+1], Y: r.Y[:i+1]})
		}
	}
	return l.Stream.Add(r)
}

// TestBlocksOfLooks: that a block is full when enough users have looked at its arm tells who has,
// however large the noise.
func TestBlocksOfLooks(t *testing.T) {
	c := weights(looked{tally.Blocks{Budget: pure}}, false)
	c.Setup.Lo, c.Setup.Hi = 0, 1
	caught(t, "blocks of looks", "Noised", "draws are made", func(t testing.TB) { privacytest.Statistic(t, c) })
}
