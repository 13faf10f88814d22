package simulate

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// laplaceGreedy plays the arm with the larger noisy sum, with fresh noise a round. Its faults are
// those that a ledger is there for.
type laplaceGreedy struct {
	lazy   bool // keeps its noise between rounds
	quiet  bool // draws less noise than it says
	tenth  bool // draws a tenth of the noise that its plan has, and says so
	sneaky bool // takes a number past privacy.Noise

	source rand.Source
	noise  *privacy.Noise
	sum, z [2]float64
	rounds int
}

func (l *laplaceGreedy) start(_ *rand.Rand, noise rand.Source) {
	l.source, l.noise = noise, privacy.NewNoise(noise)
}

func (l *laplaceGreedy) Select(v *bandit.View, dst []int) ([]int, error) {
	scale := 5.0
	if l.quiet {
		scale = 1
	}
	if l.tenth {
		scale /= 10
	}
	if l.rounds++; !l.lazy || l.rounds == 1 {
		l.noise.Laplace(l.z[:], scale)
	}
	if l.sneaky && l.rounds == 7 {
		l.source.Uint64()
	}
	if l.sum[1]+l.z[1] > l.sum[0]+l.z[0] {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

func (l *laplaceGreedy) Update(_ *bandit.View, arms []int, y []float64) error {
	l.sum[arms[0]] += y[0]
	return nil
}

func (l *laplaceGreedy) Plan(int) privacy.Plan {
	law := privacy.LaplaceLaw(2, 5)
	if l.tenth {
		law.Scale /= 10
	}
	return privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: 1}, Cases: [][]privacy.Release{{{
		Law: privacy.LaplaceLaw(2, 5), Sensitivity: privacy.Norms{L1: 5},
	}}}, Draws: []privacy.Draws{{Law: law, Count: l.rounds}}}.HeldBy(l)
}

// TestLedgerMeetsClaim: a trial whose noise is not what the claim rests on is an error that says
// which draws differ.
func TestLedgerMeetsClaim(t *testing.T) {
	for _, c := range []struct {
		name    string
		learner laplaceGreedy
		words   []string
	}{
		{"honest", laplaceGreedy{}, nil},
		{"lazy", laplaceGreedy{lazy: true}, []string{"1 draws", "Laplace of dimension 2, scale 5", "claimed 50"}},
		{"quiet", laplaceGreedy{quiet: true}, []string{"50 draws", "scale 1", "claimed 0", "no draws", "claimed 50"}},
		{"a tenth of the noise, and says so", laplaceGreedy{tenth: true}, []string{"Laplace of dimension 2, scale 0.5", "the noise of no release of the plan"}},
		{"sneaky", laplaceGreedy{sneaky: true}, []string{"1 words", "past privacy.Noise"}},
	} {
		e := toyExperiment()
		e.Horizon, e.Rounds, e.Grid = 50, 50, nil
		e.Policies = []Policy{{c.name, makes(func() starter { l := c.learner; return &l })}}
		_, err := e.Run(context.Background())
		if c.words == nil {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if !errors.Is(err, privacy.ErrLedger) {
			t.Errorf("%s: error %v, want one that wraps privacy.ErrLedger", c.name, err)
			continue
		}
		for _, w := range append(c.words, "policy \""+c.name+"\"", "trial 0") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %q does not name %q", c.name, err, w)
			}
		}
	}
}

// costly is an event that takes an accountant long: calls counts how often one is asked.
type costly struct{ calls *atomic.Int64 }

func (costly) String() string  { return "costly" }
func (costly) Validate() error { return nil }
func (c costly) PureEpsilon() float64 {
	c.calls.Add(1)
	return 1
}

// accounted is a learner with such an event. It may leave its draws out of its plan.
type accounted struct {
	laplaceGreedy
	event  costly
	silent bool
}

func (l *accounted) Plan(records int) privacy.Plan {
	p := l.laplaceGreedy.Plan(records)
	if p.Cases[0][0].Own = l.event; l.silent {
		p.Draws = nil
	}
	return p.HeldBy(l)
}

// TestClaimsAreLazy: a run asks no accountant if its results are not asked for the claim, and once
// for all trials if they are, or if a trial has to know.
func TestClaimsAreLazy(t *testing.T) {
	for _, silent := range []bool{false, true} {
		once, twice := new(atomic.Int64), new(atomic.Int64)
		privacy.ClaimOf(&accounted{event: costly{once}}).Epsilon()
		e := toyExperiment()
		e.Trials, e.Policies = 5, []Policy{{"costly", makes(func() starter { return &accounted{event: costly{twice}, silent: silent} })}}
		r, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if silent {
			want = once.Load()
		}
		if n := twice.Load(); once.Load() == 0 || n != want {
			t.Errorf("silent %v: a run of 5 trials asks %d times, want %d of %d for a claim", silent, n, want, once.Load())
		}
		if r.Policies[0].Epsilon() != 1 || r.Policies[0].Claim.Epsilon() != 1 || twice.Load() != once.Load() {
			t.Errorf("silent %v: epsilon = %v, asked for %d times, want 1 and %d", silent, r.Policies[0].Epsilon(), twice.Load(), once.Load())
		}
	}
}

// TestSystemNoiseIsChecked: a learner that has the ledger of its noise itself is asked for it, too.
func TestSystemNoiseIsChecked(t *testing.T) {
	for _, found := range []error{nil, privacy.ErrLedger} {
		e := toyExperiment()
		e.Policies = []Policy{{"system", makes(func() starter { return &systemNoise{found: found} })}}
		if _, err := e.Run(context.Background()); !errors.Is(err, found) {
			t.Errorf("the learner finds %v, the trial %v", found, err)
		}
	}
}

type systemNoise struct {
	toyGreedy
	found error
}

func (s *systemNoise) Check() error { return s.found }

// TestUncheckedClaimWarns: a finite claim without Draws passes with a warning, an infinite one
// without.
func TestUncheckedClaimWarns(t *testing.T) {
	e := toyExperiment()
	e.Policies = []Policy{{"claims", makes(func() starter { return new(claims) })}, {"none", makes(func() starter { return new(noClaim) })}}
	r := mustRun(t, e)
	count := func(p PolicyResult) int {
		for _, w := range p.Warnings {
			if strings.Contains(w.What, "lists no Draws") {
				return w.Count
			}
		}
		return 0
	}
	if n := count(r.Policies[0]); n != e.Trials {
		t.Errorf("%d trials warn that the claim was not checked, want all %d", n, e.Trials)
	}
	if n := count(r.Policies[1]); n != 0 {
		t.Errorf("%d trials warn of a learner that claims nothing, want none", n)
	}
}

type noClaim struct{ toyGreedy }

func (l *noClaim) Plan(int) privacy.Plan {
	return privacy.Plan{Neighbours: privacy.ReplaceRound, Cases: [][]privacy.Release{{{}}}}.HeldBy(l)
}
