package learner

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Entry is a learner under the name that figures give it, with the constants that its paper
// publishes. Catalogues list them for a race at equal privacy, where all have the same budget.
type Entry struct {
	Name      string
	Private   bool
	Model     privacy.Model // of a private learner
	Linear    bool          // reads contexts
	Streaming bool          // a reward shows in more than one release
	// New makes the learner for a problem. One with pure privacy takes the budget's epsilon and leaves
	// its delta; one that is not private leaves both.
	New func(p bandit.Problem, b privacy.Budget) bandit.Learner
}

// LinearCatalogue lists LinUCB and its private forms, and elimination by core sets, which is for
// arms that stay the same.
func LinearCatalogue() []Entry {
	joint := func(name string, make func(b privacy.Budget) bandit.Learner) Entry {
		return Entry{Name: name, Private: true, Model: privacy.Joint, Linear: true, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			return make(b)
		}}
	}
	return []Entry{
		{Name: "LinUCB", Linear: true, New: func(bandit.Problem, privacy.Budget) bandit.Learner { return New(LinUCB{}, nil) }},
		joint("core set", func(b privacy.Budget) bandit.Learner { return NewCoreSet(privacy.Budget{Epsilon: b.Epsilon}) }),
		joint("core set, published width", func(b privacy.Budget) bandit.Learner { return CoreSetAsPublished(b.Epsilon) }),
		joint("core set, Gaussian", func(b privacy.Budget) bandit.Learner { return NewCoreSet(b) }),
		joint("JDP LinUCB, tree", func(b privacy.Budget) bandit.Learner {
			return New(LinUCB{}, mechanism.Tree{Noise: mechanism.Gaussian{Budget: b}})
		}),
		joint("JDP LinUCB, BLT", func(b privacy.Budget) bandit.Learner { return New(LinUCB{}, mechanism.BLT{Budget: b}) }),
		{Name: "LDP LinUCB", Private: true, Model: privacy.Local, Linear: true, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			noise := LDPNoise{Budget: b}
			return Local{Device: LDPDevice{Noise: noise}, Server: LDPServer{Noise: noise}}
		}},
	}
}

// SlotsCatalogue lists the private learners of a matroid, on the one that lets any arms be played
// together, as many as the problem has slots. A problem without arms makes New panic.
func SlotsCatalogue() []Entry {
	entry := func(name string, streaming bool, make func(m matroid.Matroid, epsilon float64) Private[privacy.Means]) Entry {
		return Entry{Name: name, Private: true, Streaming: streaming, New: func(p bandit.Problem, b privacy.Budget) bandit.Learner {
			m, err := matroid.NewUniform(p.Arms, p.Slots)
			if err != nil {
				panic(err)
			}
			return make(m, b.Epsilon)
		}}
	}
	return []Entry{entry("DPUCB-MAT", false, DPUCBMAT), entry("DPTS-MAT", false, DPTSMAT), entry("CUCB, tree", true, CUCBTree)}
}
