package privacytest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// wide is a budget at which an attack of a few thousand runs sees something.
var wide = privacy.Budget{Epsilon: 2, Delta: 1e-2}

// learners are ours, by name.
func learners() map[string]privacytest.LearnerCase {
	over := func(s privacy.Accumulator) bandit.Learner { return learner.New(linear.UCB{}, s) }
	ldp := local.LDPNoise{Budget: wide}
	mat := func(l bandit.Learner) privacytest.LearnerCase {
		return privacytest.LearnerCase{Learner: l, Problem: arms, Long: long}
	}
	lin := func(l bandit.Learner) privacytest.LearnerCase {
		return privacytest.LearnerCase{Learner: l, Problem: contextual}
	}
	all := map[string]privacytest.LearnerCase{
		"LinUCB over a tree":        lin(over(continual.Tree{Noise: continual.Gaussian{Budget: wide}})),
		"LinUCB over BLT":           lin(over(continual.BLT{Budget: wide})),
		"LinUCB over a secure tree": lin(over(continual.SecureTree{Budget: wide})),
		"randomised actions":        lin(learner.RandomisedAction{Learner: over(continual.BLT{Budget: wide}), Epsilon: 1}),
		"LinUCB on features":        lin(learner.Kernel{Learner: over(continual.BLT{Budget: wide}), Features: 4}),
		"LDP":                       lin(learner.Local{Device: local.LDPDevice{Noise: ldp}, Server: local.LDPServer{Noise: ldp}}),
		"amplified":                 lin(local.AmplifiedNoise{Budget: wide, Batch: 20}.Learner()),
		"DPUCB-MAT":                 mat(slots.OMM{Matroid: uniform()}.Private(2)),
		"DPUCB-MAT, published":      mat(slots.OMM{Matroid: uniform()}.AsPublished(2)),
		"DPTS-MAT":                  mat(slots.CTS{Matroid: uniform()}.Private(2)),
		"CUCB over trees":           mat(slots.OMM{Matroid: uniform()}.OverTree(2)),
		"metered":                   mat(learner.Metered{Learner: slots.OMM{Matroid: uniform()}.OverTree(2), Budget: privacy.Budget{Epsilon: 1}, Freeze: true}),
	}
	for name, c := range all {
		c.Name = name
		all[name] = c
	}
	return all
}

func TestLearners(t *testing.T) {
	for name, c := range learners() {
		if testing.Short() && name == "DPUCB-MAT, published" {
			continue // as DPUCB-MAT, but for the noise of round 0
		}
		t.Run(name, func(t *testing.T) { privacytest.Learner(t, c) })
	}
}

// faint is node noise too small by 10, which it says, and divides what a row moves by 10 to match.
type faint struct{ continual.Gaussian }

func (f faint) Open(s privacy.Setup) (continual.Nodes, error) {
	nodes, err := f.Gaussian.Open(s)
	return &faintNodes{nodes}, err
}

type faintNodes struct{ continual.Nodes }

func (f *faintNodes) Drawer() continual.Drawer { return f }

func (f *faintNodes) Draw(n *privacy.Noise, dst []float64) {
	law := f.Plan(0).Draws[0].Law
	n.SymmetricGaussian(dst, law.Dim, law.Scale)
}

func (f *faintNodes) Plan(nodes int) privacy.Plan {
	p := f.Nodes.Plan(nodes)
	p.Draws[0].Scale /= 10
	for _, c := range p.Cases {
		for i := range c {
			c[i].Law = p.Draws[0].Law
			c[i].Sensitivity.L2 /= 10
		}
	}
	return p.HeldBy(f)
}

// broken is a private learner with one method replaced.
type broken struct {
	learner.Private[privacy.Means]
	counts, steals, inherits bool
}

// opened is what a learner opens to.
type opened interface {
	bandit.Warmer
	privacy.Planner
}

// brokenReady is a broken for a problem.
type brokenReady struct {
	opened
	of     broken
	rounds *int // of all runs
}

// brokenRun is a run of a broken.
type brokenRun struct {
	*learner.PrivateRun[privacy.Means]
	*brokenReady
}

func (b broken) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := b.Private.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	if b.inherits {
		return &struct{ opened }{ready.(opened)}, nil
	}
	return &brokenReady{ready.(opened), b, new(int)}, nil
}

func (b *brokenReady) Plan(records int) privacy.Plan { return b.opened.Plan(records).HeldBy(b) }

func (b *brokenReady) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	run := &brokenRun{b.opened.Start(own, noise).(*learner.PrivateRun[privacy.Means]), b}
	if b.of.steals {
		noise.Uint64()
	}
	return run
}

func (b *brokenRun) Plan(records int) privacy.Plan { return b.PrivateRun.Plan(records).HeldBy(b) }

func (b *brokenRun) WantsWarmUp() bool { return b.PrivateRun.WantsWarmUp() }

func (b *brokenRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if *b.rounds++; b.of.counts && *b.rounds > long+10 {
		return append(dst, 0, 1), nil
	}
	return b.PrivateRun.Select(v, dst)
}

func TestBrokenLearnersAreCaught(t *testing.T) {
	for _, c := range []struct {
		what, check, words string
		broken             privacytest.LearnerCase
	}{
		{"noise too small by 10", "Attack", "the claim is false", privacytest.LearnerCase{Problem: contextual, Learner: learner.New(linear.UCB{}, privacy.Accumulator(continual.Tree{Noise: faint{continual.Gaussian{Budget: wide}}}))}},
		{"a count of the rounds of all runs", "Runs", "share nothing that changes", privacytest.LearnerCase{Problem: arms, Long: long, Learner: broken{Private: slots.OMM{Matroid: uniform()}.Private(2), counts: true}}},
		{"noise past the ledger", "Ledger", "past privacy.Noise", privacytest.LearnerCase{Problem: arms, Learner: broken{Private: slots.OMM{Matroid: uniform()}.Private(2), steals: true}}},
		{"a claim that is inherited", "Plan", "HeldBy", privacytest.LearnerCase{Problem: arms, Learner: broken{Private: slots.OMM{Matroid: uniform()}.Private(2), inherits: true}}},
	} {
		c.broken.Name = c.what
		caught(t, c.what, c.check, c.words, func(t testing.TB) { privacytest.Learner(t, c.broken) })
	}
	// The probe finds it without a run under noise.
	c := rows(continual.Tree{Noise: faint{continual.Gaussian{Budget: wide}}})
	caught(t, "noise too small by 10", "Probe", "the sensitivity is more", func(t testing.TB) {
		if found := privacytest.Probe(t, c); math.Abs(found.Found/found.Planned-10) > 1e-6 {
			t.Fatalf("found %v, planned %v, want ten times as much", found.Found, found.Planned)
		}
	})
}
