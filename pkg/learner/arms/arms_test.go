package arms_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

type (
	private    = learner.Private[privacy.Means]
	privateRun = *learner.PrivateRun[privacy.Means]
)

// opened returns a learner that knows its problem.
func opened(tb testing.TB, l bandit.Learner, p bandit.Problem, horizon int) bandit.Calibrated {
	tb.Helper()
	ready, err := l.Open(p, horizon)
	if err != nil {
		tb.Fatal(err)
	}
	return ready
}

// run is a run of which each error ends the test.
type run struct {
	bandit.Run
	tb testing.TB
}

// started begins a trial.
func started(tb testing.TB, ready bandit.Calibrated, trial int) run {
	return run{ready.Start(random.New(1, trial, "learner"), random.Source(1, trial, "noise")), tb}
}

func (r run) choose(v *bandit.View, dst []int) []int {
	dst, err := r.Select(v, dst)
	if err != nil {
		r.tb.Fatal(err)
	}
	return dst
}

func (r run) learn(v *bandit.View, arms []int, y []float64) {
	if err := r.Update(v, arms, y); err != nil {
		r.tb.Fatal(err)
	}
}

// maker makes a learner of this package.
type maker struct {
	name    string
	private bool
	random  bool // draws without privacy, too, so that permuting the arms need not permute the choice
	make    func(epsilon float64) private
}

// makers lists the catalogue's learners of this package, and one that takes no epsilon.
var makers = func() (all []maker) {
	for _, e := range catalogue.All() {
		make := func(epsilon float64) private {
			l, _ := e.New(four, privacy.Budget{Epsilon: epsilon, Delta: 1e-5}).(private)
			return l
		}
		if l := make(1); l.Policy != nil && reflect.TypeOf(l.Policy).PkgPath() == reflect.TypeFor[arms.UCB1]().PkgPath() {
			all = append(all, maker{e.Name, e.Private, draws(make(inf)), make})
		}
	}
	return append(all, maker{"Gaussian Thompson", true, true, func(float64) private { return arms.GaussianThompson{}.Private(0.1, 2, 1e-5) }})
}()

// counter counts draws.
type counter struct {
	rand.Source
	n int
}

func (c *counter) Uint64() uint64 {
	c.n++
	return c.Source.Uint64()
}

// draws reports whether a learner draws anything.
func draws(l private) bool {
	own, noise := &counter{Source: random.Source(1, 0, "learner")}, &counter{Source: random.Source(1, 0, "noise")}
	run := expect.Must(l.Open(four, 1000)).Start(rand.New(own), noise)
	for round := range 1000 {
		v := bandit.View{Round: round + 1, Arms: four.Arms}
		if err := run.Update(&v, expect.Must(run.Select(&v, nil)), []float64{1}); err != nil {
			panic(err)
		}
	}
	return own.n+noise.n > 0
}

// TestClaims: a learner claims the epsilon that it was asked for, and a public one nothing.
func TestClaims(t *testing.T) {
	p := bandit.Problem{Arms: 3, Slots: 1, RewardMin: -1, RewardMax: 4}
	for _, m := range makers {
		if m.name == "Gaussian Thompson" || m.name == "DP-TS-UCB" { // whose epsilon follows, or is kept by whole numbers
			continue
		}
		c := privacy.ClaimOf(opened(t, m.make(0.7), p, 1000))
		if got := c.Epsilon(); m.private && math.Abs(got-0.7) > 1e-9 || !m.private && !math.IsInf(got, 1) {
			t.Errorf("%s claims epsilon %v", m.name, got)
		}
		model := privacy.Central
		if m.name == "KL-UCB of bits" {
			model = privacy.Local
		}
		if m.private && (c.Model() != model || c.Asked().Epsilon != 0.7) {
			t.Errorf("%s claims\n%v", m.name, c)
		}
	}
}
