package judge_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// phased plays all arms in turn and releases the noisy means of each phase, as a program does: it
// says what it claims, and nobody can count its noise.
type phased struct {
	Phase int     // rounds of each arm in a phase
	Scale float64 // of the noise, in units of what is right
	Stop  int     // the round from which on there is no noise; 0 means never
	Later bool    // nothing is told before the first release
	Bare  int     // rounds that are multiples of it have no noise; 0 means none
}

type openPhased struct {
	phased
	bandit.Problem
}

type phasedRun struct {
	*openPhased
	noise  *rand.Rand
	rounds int
	sums   []float64
	public []float64
}

func (p phased) Open(of bandit.Problem, _ int) (bandit.Calibrated, error) {
	if of.Dim > 0 || of.Slots > 1 {
		return nil, errors.ErrUnsupported
	}
	return &openPhased{p, of}, nil
}

func (p *openPhased) Plan(int) privacy.Plan {
	b := privacy.Budget{Epsilon: 1}
	return privacy.Plan{
		Model: privacy.Joint, Neighbours: privacy.ReplaceRound, Scope: privacy.OtherOutputs, Calibration: privacy.Given, Asked: b,
		Cases: [][]privacy.Release{{{Own: account.ApproximateEvent{Epsilon: b.Epsilon, Delta: b.Delta}}}}, Source: "a test",
	}.AssertedBy("a test").HeldBy(p)
}

func (p *openPhased) Start(_ *rand.Rand, noise rand.Source) bandit.Run {
	r := &phasedRun{openPhased: p, noise: rand.New(noise), sums: make([]float64, p.Arms)}
	if !p.Later {
		r.public = make([]float64, p.Arms)
	}
	return r
}

func (r *phasedRun) Select(_ *bandit.View, dst []int) ([]int, error) {
	return append(dst, r.rounds%r.Arms), nil
}

func (r *phasedRun) Update(_ *bandit.View, arms []int, y []float64) error {
	r.rounds++
	r.sums[arms[0]] += (min(max(y[0], r.RewardMin), r.RewardMax) - r.RewardMin) / (r.RewardMax - r.RewardMin)
	if r.rounds%(r.Phase*r.Arms) == 0 {
		r.public = append(r.public[:0], r.sums...)
		clear(r.sums)
		for a := range r.public {
			u := r.noise.Float64() - 0.5
			x := r.Scale * math.Copysign(math.Log(1-2*math.Abs(u)), u)
			if r.Stop > 0 && r.rounds >= r.Stop || r.Bare > 0 && r.rounds%r.Bare == 0 {
				x = 0
			}
			r.public[a] = (r.public[a] + x) / float64(r.Phase)
		}
	}
	return nil
}

func (r *phasedRun) Release() []float64 { return slices.Clone(r.public) }

// TestFollowsReleases: attacks reach the releases of a learner that waits long for them, and later
// ones. A true claim falls with probability at most 1% a card; seeds are fixed.
func TestFollowsReleases(t *testing.T) {
	for _, c := range []struct {
		name   string
		l      phased
		isTrue bool
	}{
		{"right", phased{Phase: 300, Scale: 1}, true},
		{"right, and told late", phased{Phase: 300, Scale: 1, Later: true}, true},
		{"right, in short phases", phased{Phase: 2, Scale: 1}, true},
		{"half the noise in long phases", phased{Phase: 300, Scale: 0.5}, false},
		{"half the noise, told late", phased{Phase: 300, Scale: 0.5, Later: true}, false},
		{"no noise from round 31 on", phased{Phase: 1, Scale: 1, Stop: 31}, false},
		{"no noise from round 31 on, in phases", phased{Phase: 10, Scale: 1, Stop: 31}, false},
		{"no noise in rounds 128, 256, ...", phased{Phase: 1, Scale: 1, Bare: 128}, false},
		{"no noise from round 400 on", phased{Phase: 50, Scale: 1, Stop: 400}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := short(t)
			o.Only = []string{"attacks"}
			card := card(t, c.l, o)
			if said := !strings.Contains(card.Verdict(), "is false"); said != c.isTrue {
				t.Errorf("verdict %q, want the claim %v", card.Verdict(), c.isTrue)
			}
			if card.Silent {
				t.Error("the card says that nothing is released")
			}
			if best := card.Attacks[0]; c.isTrue && best.Excluded < 0.5*best.Claimed {
				t.Errorf("verdict %q, want at least half of a true claim", card.Verdict())
			}
		})
	}
}

// TestBare: a number that is released without noise is found in whatever round it is, and the user
// whom it shows. It falsely accuses a true claim with probability at most 1e-3; seeds are fixed.
func TestBare(t *testing.T) {
	for want, l := range map[string]phased{
		"":                          {Phase: 1, Scale: 1},
		" after round 100 ":         {Phase: 1, Scale: 1, Bare: 100},
		"if user 100 gave another ": {Phase: 1, Scale: 1, Bare: 100},
		" after round 900 ":         {Phase: 300, Scale: 1, Bare: 450},
		" after round 1 ":           {Phase: 1, Scale: 1, Bare: 1},
	} {
		o := short(t)
		o.Only = []string{"checks"}
		var said []string
		card := card(t, l, o)
		if isFalse := strings.Contains(card.Verdict(), "is false: a number"); isFalse != (want != "") {
			t.Errorf("%+v: verdict %q", l, card.Verdict())
		}
		for _, k := range card.Checks {
			if strings.HasPrefix(k.What, "adds noise") {
				said = append(said, "looked")
				said = append(said, k.Failures...)
			}
		}
		if text := strings.Join(said, "\n"); !strings.HasPrefix(text, "looked") || !strings.Contains(text, want) || (want == "") != (text == "looked") {
			t.Errorf("%+v: %q, want %q", l, text, want)
		}
	}
}

// TestReleasesNothing: the card names a learner that tells what it releases, and releases nothing.
func TestReleasesNothing(t *testing.T) {
	o := short(t)
	o.Only = []string{"attacks"}
	if text := card(t, phased{Phase: 1 << 20, Scale: 1}, o).String(); !strings.Contains(text, "nothing new is released in 4096 rounds") {
		t.Errorf("the card does not say that nothing is released:\n%s", text)
	}
}
