package catalogue

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// lists lists the learners of cascading bandits (Kveton, Szepesvari, Wen, Ashkan 2015), without
// privacy and over noisy clicks and skips.
//
// They refuse problems with one slot: a list of one is an arm, and the learners of several have
// half the noise there.
func lists() []Entry {
	entry := func(name string, private bool, policy func(m matroid.Matroid) learner.Policy[privacy.Means]) Entry {
		return Entry{Name: name, Private: private, Slots: true, For: Clicks, New: func(p bandit.Problem, b privacy.Budget) bandit.Learner {
			m, err := matroid.NewUniform(p.Arms, p.Slots)
			if err != nil {
				panic(err)
			}
			if b = (privacy.Budget{Epsilon: b.Epsilon}); !private {
				b.Epsilon = math.Inf(1)
			}
			return learner.New(policy(m), tally.Cascade{Budget: b})
		}, Refuses: func(p bandit.Problem) error {
			if p.Slots < 2 {
				return fmt.Errorf("Problem.Slots = %d, want >= 2: it is for lists", p.Slots)
			}
			return nil
		}}
	}
	ucb := func(m matroid.Matroid) learner.Policy[privacy.Means] {
		return slots.OMM{Matroid: m, Explore: 1.5, LogT: true}
	}
	kl := func(m matroid.Matroid) learner.Policy[privacy.Means] { return slots.KLOSM{Matroid: m, LogLog: 3} }
	return []Entry{
		entry("CascadeUCB1", false, ucb), entry("CascadeKL-UCB", false, kl),
		entry("DP-CascadeUCB1", true, ucb), entry("DP-CascadeKL-UCB", true, kl),
	}
}
