package mechanism

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestStopping: where DP-NAS stops on signs of mean mu, and how often its estimate is within 20% of
// mu, against numbers of an independent program with 2000 trials, within three standard errors of
// the difference and what those numbers are rounded by. 2000 trials are made if DPBANDITS_FULL is
// set, else 100. Of ten comparisons, one fails for one of 37 seeds; the seed is fixed.
func TestStopping(t *testing.T) {
	trials := 100
	if os.Getenv("DPBANDITS_FULL") != "" {
		trials = 2000
	}
	for _, c := range []struct {
		name     string
		rule     Stopping
		mu       float64
		stops    float64
		se       float64 // of stops, as given or, where a few of 2000 stop at 8192, not 16384, from their share
		accuracy float64
	}{
		{"mended", Stopping{Epsilon: 1}, 0.3, 22416, 22, 1},
		{"as printed", Stopping{Epsilon: 1, Calibration: privacy.AsPublished}, 0.3, 22416, 22, 0.015},
		{"doubling", Stopping{Epsilon: 1, Doubling: true}, 0.3, 16343, 13, 1},
		{"epsilon = 0.1", Stopping{Epsilon: 0.1}, 0.3, 40968, 37, 1},
		{"mu = 0.5, as printed", Stopping{Epsilon: 1, Calibration: privacy.AsPublished}, 0.5, 7935, 7, 0.024},
	} {
		rule := c.rule
		rule.Alpha, rule.Beta = 0.2, 0.1
		opened, err := rule.Open(privacy.Setup{Horizon: 1 << 20, Bound: 1})
		if err != nil {
			t.Fatal(err)
		}
		var sum, square float64
		close := 0
		record := &privacy.Record{Y: make([]float64, 1)}
		for trial := range trials {
			run := opened.Start(privacy.NewNoise(random.Source(5, trial, "noise")))
			signs := random.New(5, trial, "signs")
			for !run.Release().Done {
				record.Y[0] = random.Rademacher(signs, c.mu)
				if _, err := run.Add(record); err != nil {
					t.Fatal(err)
				}
			}
			s := run.Release()
			if !s.Reached {
				t.Fatalf("%s: trial %d was ended by the horizon", c.name, trial)
			}
			n := float64(s.Count)
			sum += n
			square += n * n
			if math.Abs(s.Mean-c.mu) <= 0.2*c.mu {
				close++
			}
		}
		n := float64(trials)
		mean, accuracy := sum/n, float64(close)/n
		se := math.Sqrt(max(0, square/n-mean*mean) / (n - 1))
		t.Logf("%s: stops at %.0f (%.1f), want %.0f; accuracy %.4f, want %.3f", c.name, mean, se, c.stops, accuracy, c.accuracy)
		if bound := 3*math.Hypot(se, c.se) + 1; math.Abs(mean-c.stops) > bound {
			t.Errorf("%s: stops at %.0f, want %.0f up to %.0f", c.name, mean, c.stops, bound)
		}
		p := c.accuracy
		if bound := 3*math.Sqrt(p*(1-p)*(1/n+1.0/2000)) + 0.0005; math.Abs(accuracy-p) > bound {
			t.Errorf("%s: accuracy %.4f, want %.4f up to %.4f", c.name, accuracy, p, bound)
		}
	}
}

// TestStoppingPlan: the three shares of epsilon add up, by the plan's own releases.
func TestStoppingPlan(t *testing.T) {
	s := mechanismtest.Played(Stopping{Epsilon: 0.6, Alpha: 0.5, Beta: 0.1})
	if err := s.Open(privacy.Setup{Horizon: 100, Bound: 3}); err != nil {
		t.Fatal(err)
	}
	if compare, final := s.Opened.(*stopping).Scales(); math.Abs(compare-60) > 1e-9 || math.Abs(final-20) > 1e-9 {
		t.Errorf("scales %v and %v, want 60 and 20", compare, final)
	}
	if claim := privacy.ClaimOf(s); math.Abs(claim.Epsilon()-0.6) > 1e-9 {
		t.Errorf("epsilon = %v, want 0.6\n%v", claim.Epsilon(), claim)
	}
	// without the estimate, half is spent; without the comparisons, too
	for i := range 2 {
		p := s.Plan(privacy.All)
		p.Cases = [][]privacy.Release{p.Cases[0][i : i+1]}
		if epsilon := p.HeldBy(s).Claim().Epsilon(); math.Abs(epsilon-0.3) > 1e-9 {
			t.Errorf("release %d costs %v, want 0.3", i, epsilon)
		}
	}
}

// TestStoppingEnds: a mean of 0 is ended by the horizon; without noise the rule is that of the
// formula; numbers are clipped.
func TestStoppingEnds(t *testing.T) {
	rule := Stopping{Epsilon: math.Inf(1), Alpha: 0.5, Beta: 0.1}
	s := mechanismtest.Played(rule)
	run := func(x func(t int) float64) Stopped {
		t.Helper()
		if err := s.Open(privacy.Setup{Horizon: 400, Bound: 1}); err != nil {
			t.Fatal(err)
		}
		s.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
		for i := range 400 {
			done := s.Release().Done
			if moved, err := s.Add(&privacy.Record{Y: []float64{x(i + 1)}}); err != nil || moved != (!done && s.Release().Done) {
				t.Fatal(moved, err)
			}
		}
		return *s.Release()
	}
	if got := run(func(t int) float64 { return float64(t%2*2 - 1) }); got.Reached || !got.Done || got.Mean != 0 || got.Count != 400 {
		t.Errorf("a mean of 0: %+v", got)
	}
	first := 0
	for n := 1; first == 0; n++ {
		if float64(n) >= 3*math.Sqrt(2*float64(n)*math.Log(16*float64(n)*float64(n)/0.1)) {
			first = n
		}
	}
	if got := run(func(int) float64 { return -7 }); !got.Reached || got.Mean != -1 || got.Count != first || s.Clipped() != 400 {
		t.Errorf("numbers that are -1 once clipped: %+v with %d clipped, want a stop at %d", got, s.Clipped(), first)
	}
	for _, most := range []int{400, first - 1} { // by Run, which may be ended by the horizon
		got, err := rule.Run(1, most, privacy.NewNoise(random.Source(1, 0, "noise")), func() float64 { return -7 })
		if err != nil || got.Reached != (most == 400) || got.Count != min(first, most) {
			t.Errorf("Run: %+v, %v, want a stop at %d", got, err, min(first, most))
		}
	}
	if _, err := rule.Run(1, 0, privacy.NewNoise(random.Source(1, 0, "noise")), func() float64 { return 1 }); err == nil {
		t.Error("Run of no numbers")
	}
	if _, err := rule.Run(1, 10, privacy.NewNoise(random.Source(1, 0, "noise")), math.NaN); err == nil {
		t.Error("Run of NaN")
	}
	rule.Doubling = true
	s = mechanismtest.Played(rule)
	if got := run(func(int) float64 { return 1 }); !got.Reached || got.Count != 256 {
		t.Errorf("doubling: %+v, want a stop at 256", got)
	}
	s = mechanismtest.Played(Stopping{Epsilon: 1, Alpha: 0.1, Beta: 0.1})
	if err := s.Open(privacy.Setup{Horizon: 1000, Bound: 1}); err != nil {
		t.Fatal(err)
	}
	s.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	r := &privacy.Record{Y: []float64{0.5}}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a number, want 0", n)
	}
}

func TestStoppingRefuses(t *testing.T) {
	nan := math.NaN()
	good := privacy.Setup{Horizon: 10, Bound: 1}
	for _, c := range []struct {
		rule  Stopping
		setup privacy.Setup
		want  string
	}{
		{Stopping{Alpha: 0.1, Beta: 0.1}, good, "epsilon = 0"},
		{Stopping{Epsilon: 1, Beta: 0.1}, good, "Alpha = 0, want in (0, 1)"},
		{Stopping{Epsilon: 1, Alpha: 1, Beta: 0.1}, good, "Alpha = 1"},
		{Stopping{Epsilon: 1, Alpha: nan, Beta: 0.1}, good, "Alpha = NaN"},
		{Stopping{Epsilon: 1, Alpha: 0.1, Beta: 1}, good, "Beta = 1, want in (0, 1)"},
		{Stopping{Epsilon: 1, Alpha: 0.1, Beta: -1}, good, "Beta = -1"},
		{Stopping{Epsilon: 1, Alpha: 0.1, Beta: 0.1, Calibration: 5}, good, "Calibration(5)"},
		{Stopping{Epsilon: 1, Alpha: 0.1, Beta: 0.1}, privacy.Setup{Bound: 1}, "Horizon = 0, want >= 1: a mean of 0 never stops"},
		{Stopping{Epsilon: 1, Alpha: 0.1, Beta: 0.1}, privacy.Setup{Horizon: 1}, "Bound = 0"},
	} {
		if _, err := c.rule.Open(c.setup); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func BenchmarkStopping(b *testing.B) {
	s := mechanismtest.Played(Stopping{Epsilon: 1, Alpha: 0.01, Beta: 0.1})
	if err := s.Open(privacy.Setup{Horizon: 1 << 40, Bound: 1}); err != nil {
		b.Fatal(err)
	}
	s.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	b.ReportAllocs()
	r := &privacy.Record{Y: []float64{0}}
	for b.Loop() {
		if _, err := s.Add(r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestStoppingIsShown: whoever writes to the release does not make an ended rule go on, which would
// release another estimate that nobody has paid for.
func TestStoppingIsShown(t *testing.T) {
	s := mechanismtest.Played(Stopping{Epsilon: 1, Alpha: 0.5, Beta: 0.1})
	if err := s.Open(privacy.Setup{Horizon: 20000, Bound: 1}); err != nil {
		t.Fatal(err)
	}
	ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
	s.Start(privacy.NewNoise(ledger))
	estimates := 0
	for range 20000 {
		moved, err := s.Add(&privacy.Record{Y: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		if moved {
			estimates++
		}
		*s.Release() = Stopped{}
	}
	if r := s.Release(); estimates != 1 || !r.Reached || r.Count > 10000 {
		t.Errorf("%d estimates, the last is %+v, want one that is reached early", estimates, *r)
	}
	if err := ledger.CheckPlan(s, privacy.All); err != nil {
		t.Error(err)
	}
}
