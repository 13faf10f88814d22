package own

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Hopeful plays the arm whose mean could be largest. It allows for Boldness widths of chance in a
// mean; the release itself says how much noise there is.
type Hopeful struct {
	Boldness float64 // > 0
}

func (h Hopeful) Prepare(
	p bandit.Problem, _ int, _ *privacy.Means,
) (learner.Prepared[privacy.Means], error) {
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] {
		return &hopes{h, make([]float64, 4*p.Arms)}
	}), nil
}

// hopes is Hopeful in a run.
type hopes struct {
	Hopeful
	told []float64 // the broadcast: of each arm, mean, width of chance, and Tail
}

func (h *hopes) Learn(r *privacy.Means) ([]float64, error) {
	for a, e := range r.Of {
		chance := h.Boldness / math.Sqrt(float64(e.Count)) // infinite if none is known
		copy(h.told[4*a:], []float64{e.Mean, chance, e.Tail.Root, e.Tail.Linear})
	}
	return h.told, nil
}

func (h *hopes) Act(told []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(told) != 4*v.Arms {
		return dst, fmt.Errorf("own: %d numbers, want %d", len(told), 4*v.Arms)
	}
	best, most, log := 0, math.Inf(-1), math.Log(float64(1+v.Round))
	for a := range v.Arms {
		t := told[4*a : 4*a+4]
		if could := t[0] + (t[1]+t[2])*math.Sqrt(log) + t[3]*log; could > most {
			best, most = a, could
		}
	}
	return append(dst, best), nil
}
