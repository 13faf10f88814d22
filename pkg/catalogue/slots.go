package catalogue

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// several lists the private learners of a matroid, on the one that lets any arms be played
// together, as many as the problem has slots. A problem without arms makes New panic.
func several() []Entry {
	entry := func(name string, streaming bool, make func(m matroid.Matroid, epsilon float64) learner.Private[privacy.Means]) Entry {
		return Entry{Name: name, Private: true, Slots: true, Streaming: streaming, For: FixedMeans, New: func(p bandit.Problem, b privacy.Budget) bandit.Learner {
			m, err := matroid.NewUniform(p.Arms, p.Slots)
			if err != nil {
				panic(err)
			}
			return make(m, b.Epsilon)
		}}
	}
	type made = learner.Private[privacy.Means]
	return []Entry{
		entry("DPUCB-MAT", false, func(m matroid.Matroid, e float64) made { return slots.OMM{Matroid: m}.Private(e) }),
		entry("DPTS-MAT", false, func(m matroid.Matroid, e float64) made { return slots.CTS{Matroid: m}.Private(e) }),
		entry("CUCB, tree", true, func(m matroid.Matroid, e float64) made { return slots.OMM{Matroid: m}.OverTree(e) }),
	}
}
