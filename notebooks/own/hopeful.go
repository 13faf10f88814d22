package own

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Hopeful plays the arm whose mean could be largest. It allows for Boldness widths of chance in a
// mean; the release itself says how much noise there is.
type Hopeful struct {
	Boldness float64   // > 0
	told     []float64 // the broadcast: of each arm, mean, width of chance, and Tail
}

func (h *Hopeful) Init(p bandit.Problem, _ int, _ *privacy.Means) error {
	h.told = make([]float64, 4*p.Arms)
	return nil
}

func (h *Hopeful) Reset(*rand.Rand) {}

func (h *Hopeful) Learn(r *privacy.Means) ([]float64, error) {
	for a, e := range r.Of {
		told := h.told[4*a : 4*a+4]
		told[0], told[1] = e.Mean, h.Boldness/math.Sqrt(float64(e.Count)) // infinite if none is known
		told[2], told[3] = e.Tail.Root, e.Tail.Linear
	}
	return h.told, nil
}

func (h *Hopeful) Act(told []float64, v *bandit.View, dst []int) ([]int, error) {
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
