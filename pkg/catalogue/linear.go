package catalogue

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// contextual lists LinUCB and its private forms, elimination by core sets, which is for arms that
// stay the same, and regression in the local model.
func contextual() []Entry {
	joint := func(name string, make func(b privacy.Budget) bandit.Learner) Entry {
		return Entry{Name: name, Private: true, Model: privacy.Joint, Linear: true, For: LinearMeans, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			return make(b)
		}}
	}
	same := func(e Entry) Entry {
		e.Same = true
		return e
	}
	return []Entry{
		{Name: "LinUCB", Linear: true, For: LinearMeans, New: func(bandit.Problem, privacy.Budget) bandit.Learner { return learner.New(linear.UCB{}, nil) }},
		same(joint("core set", func(b privacy.Budget) bandit.Learner {
			return linear.CoreSet{}.Private(privacy.Budget{Epsilon: b.Epsilon})
		})),
		same(joint("core set, published width", func(b privacy.Budget) bandit.Learner { return linear.CoreSet{}.AsPublished(b.Epsilon) })),
		same(joint("core set, Gaussian", func(b privacy.Budget) bandit.Learner { return linear.CoreSet{}.Private(b) })),
		joint("JDP LinUCB, tree", func(b privacy.Budget) bandit.Learner {
			return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: b}})
		}),
		joint("JDP LinUCB, BLT", func(b privacy.Budget) bandit.Learner { return learner.New(linear.UCB{}, continual.BLT{Budget: b}) }),
		joint("JDP LinUCB, Unbounded", func(b privacy.Budget) bandit.Learner {
			return learner.New(linear.UCB{}, continual.Unbounded{Budget: b})
		}),
		{Name: "LDP LinUCB", Private: true, Model: privacy.Local, Linear: true, For: LinearMeans, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			noise := local.LDPNoise{Budget: b}
			return learner.Local{Device: local.LDPDevice{Noise: noise}, Server: local.LDPServer{Noise: noise}}
		}},
		{Name: "LDP weighted regression", Private: true, Model: privacy.Local, Linear: true, For: LinearMeans, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			return learner.Local{Device: local.WeightedDevice{Budget: b}, Server: local.WeightedServer{Budget: b}}
		}},
	}
}
