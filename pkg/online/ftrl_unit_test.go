package online

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestFTRLPredicts: predictions by hand. With eta = 1/2 the leader is -L/4 inside the ball.
func TestFTRLPredicts(t *testing.T) {
	l := start(t, FTRL{Gradient: 2, Radius: 3, Rate: 0.5}, 2, 10)
	for i, want := range [][]float64{{0, 0}, {-0.75, 0}, {-0.75, -0.75}, {-1.5, -0.75}, {-3, 0}} {
		for j, v := range l.Predict() {
			if math.Abs(v-want[j]) > 1e-15 {
				t.Errorf("round %d: %v, want %v", i+1, l.Predict(), want)
			}
		}
		update(t, l, [][]float64{{2, 0}, {0, 50}, {2, 0}, {6, -2}, {0, 0}}[i])
		if i == 3 { // another run, to the end of the ball
			l = start(t, FTRL{Gradient: 2, Radius: 3, Rate: 0.5}, 2, 10)
			for range 9 {
				update(t, l, []float64{2, 0})
			}
		}
	}
}

// kept is a learner that keeps the last run that was begun of it.
type kept struct {
	Learner
	ready Calibrated
	run   Run
}

func (k *kept) Open(dim, horizon int) (Calibrated, error) {
	ready, err := k.Learner.Open(dim, horizon)
	k.ready = ready
	return Starts(func(own *rand.Rand, noise rand.Source) Run {
		k.run = ready.Start(own, noise)
		return k.run
	}), err
}

// TestFTRLPlan: a game's noise is that of its plan, which is worth what was asked for.
func TestFTRLPlan(t *testing.T) {
	for name, over := range sums {
		s, err := NewDrift(3, 100, 0.2, random.New(1, 0, "losses"))
		if err != nil {
			t.Fatal(err)
		}
		ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
		if name == "Laplace" {
			over = continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Padded: true}
		}
		k := &kept{Learner: FTRL{Gradient: 1, Sums: over}}
		if _, err := Regret(k, s, 100, nil, ledger); err != nil {
			t.Fatal(err)
		}
		l := k.run.(*ftrlRun)
		if err := ledger.CheckPlan(l, 100); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		claim := privacy.ClaimOf(k.ready)
		switch epsilon := claim.Epsilon(); {
		case name == "none" && claim.Held():
			t.Errorf("the exact sum claims %v", claim)
		case name == "as printed" && math.Abs(epsilon-14/math.Log(100)) > 1e-6:
			t.Errorf("as printed: epsilon = %v, want %v", epsilon, 14/math.Log(100))
		case name != "none" && name != "as printed" && !(epsilon <= 1+1e-6):
			t.Errorf("%s: epsilon = %v, want 1", name, epsilon)
		}
		if name == "none" {
			continue
		}
		before := slices.Clone(l.Predict())
		if err := l.Update([]float64{1, 0, 0}); err == nil || !strings.Contains(err.Error(), "horizon of 100 rounds") {
			t.Errorf("%s: a loss beyond the horizon: %v", name, err)
		}
		if !slices.Equal(before, l.Predict()) || l.Clipped() != 0 {
			t.Errorf("%s: a loss beyond the horizon counts", name)
		}
	}
}

// TestFTRLRepeats: with the same noise anew, a run is the same; on goes the noise, another.
func TestFTRLRepeats(t *testing.T) {
	ready := open(t, FTRL{Gradient: 1, Sums: continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Padded: true}}, 2, 20)
	run := func(noise rand.Source) []float64 {
		l := ready.Start(nil, noise)
		var all []float64
		for range 20 {
			all = append(all, l.Predict()...)
			update(t, l, []float64{0.5, 3})
		}
		if l.Clipped() != 20 {
			t.Errorf("%d losses clipped, want 20", l.Clipped())
		}
		return all
	}
	first := run(random.Source(4, 0, "noise"))
	noise := random.Source(4, 0, "noise")
	if again := run(noise); !slices.Equal(first, again) {
		t.Error("the same noise gives another run")
	}
	if other := run(noise); slices.Equal(first, other) {
		t.Error("another run repeats the noise")
	}
}

// TestFTPL: the perturbed leader is on the sphere, against L + Z, and its regret is about that of
// the theory. With fresh noise it moves even if nothing happens.
func TestFTPL(t *testing.T) {
	const rounds = 2000
	for _, dim := range []int{1, 2, 10} {
		for _, fresh := range []bool{false, true} {
			mean, _ := overRoot(t, rounds, 20, func(trial int) ([]float64, error) {
				s, err := NewDrift(dim, rounds, 0.2, random.New(2, trial, "losses"))
				if err != nil {
					return nil, err
				}
				return Regret(FTPL{Gradient: 1, Fresh: fresh}, s, rounds, random.New(2, trial, "own"), nil)
			})
			t.Logf("N = %d, fresh = %v: %.2f", dim, fresh, mean)
			if !(mean > 0 && mean < 2) {
				t.Errorf("N = %d, fresh = %v: regret/sqrt T = %.2f, want in (0, 2)", dim, fresh, mean)
			}
		}
	}
	l := open(t, FTPL{Gradient: 2, Radius: 3, Scale: 1e-9}, 2, 10).Start(rand.New(rand.NewPCG(1, 1)), nil)
	update(t, l, []float64{0, 7})
	if got := l.Predict(); math.Abs(got[0]) > 1e-6 || math.Abs(got[1]+3) > 1e-6 || l.Clipped() != 1 {
		t.Errorf("after one loss (0, 7): %v with %d clipped, want (0, -3) with 1", got, l.Clipped())
	}
	if err := l.Update([]float64{math.NaN(), 0}); !errors.Is(err, errGradient) {
		t.Errorf("a NaN: %v", err)
	}
	still := open(t, FTPL{Gradient: 1, Fresh: true}, 3, 10).Start(rand.New(rand.NewPCG(1, 1)), nil)
	before := slices.Clone(still.Predict())
	update(t, still, []float64{0, 0, 0})
	if slices.Equal(before, still.Predict()) {
		t.Error("fresh noise that does not move")
	}
	if n := testing.AllocsPerRun(100, func() { update(t, still, before) }); n != 0 {
		t.Errorf("%v allocations a round, want 0", n)
	}
}

// TestLinear: the best point in hindsight is what the search finds, too.
func TestLinear(t *testing.T) {
	s, err := NewDrift(3, 500, 0.2, random.New(1, 0, "losses"))
	if err != nil {
		t.Fatal(err)
	}
	u, loss, gap, err := bestPoint(s, 400)
	if err != nil || gap != 0 {
		t.Fatal(gap, err)
	}
	v, other, _, err := bestPoint(struct{ Stream }{s}, 400)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(loss-other) > 1e-6*math.Abs(loss) || math.Abs(u[0]-v[0]) > 1e-3 {
		t.Errorf("%v with %v, the search finds %v with %v", u, loss, v, other)
	}
	for range 2 { // as an adversary it tells the same losses, in each game from the first on
		l := FTRL{Gradient: 1}
		stream, err := Regret(l, s, 400, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		game, err := Against(l, s, 3, 400, nil, nil)
		if err != nil || math.Abs(game[399]-stream[399]) > 1e-9 {
			t.Errorf("a regret of %v against an adversary, of %v on the stream, %v", game[399], stream[399], err)
		}
	}
	for _, c := range []struct {
		dim, rounds int
		drift       float64
		want        string
	}{{0, 1, 0.2, "dimension 0"}, {1, 0, 0.2, "0 losses"}, {1, 1, math.NaN(), "a drift of NaN"}, {1, 1, 1.5, "a drift of 1.5"}, {1 << 30, 1 << 30, 0, "losses of dimension"}} {
		if _, err := NewDrift(c.dim, c.rounds, c.drift, random.New(1, 0, "losses")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// loud is an adversary whose losses are too long.
type loud struct{}

func (l loud) Start(int, int) (Game, error) { return l, nil }

func (loud) Next(_, dst []float64) { dst[0] += 5 }

func TestAgainst(t *testing.T) {
	curve, err := Against(FTRL{Gradient: 1}, Orthogonal{}, 1, 9, nil, nil) // the line has nothing orthogonal
	if err != nil || len(curve) != 9 {
		t.Error(curve, err)
	}
	if _, err := Against(FTRL{Gradient: 1}, loud{}, 2, 9, nil, nil); err == nil || !strings.Contains(err.Error(), "want at most 1") {
		t.Errorf("losses beyond the ball: %v", err)
	}
	if _, err := Against(FTRL{Gradient: 1, Radius: 2, Rate: 1e6}, Orthogonal{}, 2, 9, nil, nil); err == nil || !strings.Contains(err.Error(), "a prediction of norm") {
		t.Errorf("predictions beyond the ball: %v", err)
	}
	short, err := NewDrift(2, 5, 0, random.New(1, 0, "losses"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Against(FTRL{Gradient: 1}, short, 2, 9, nil, nil); err == nil || !strings.Contains(err.Error(), "5 losses of dimension 2") {
		t.Errorf("a stream that is too short: %v", err)
	}
	if _, err := Against(FTRL{Gradient: 1}, Orthogonal{}, 2, 0, nil, nil); !errors.Is(err, errHorizon) {
		t.Errorf("no rounds: %v", err)
	}
}
