package simulate

import (
	"path/filepath"
	"strings"
	"testing"
)

// matrix is an environment with a parameter.
type matrix struct {
	toyArms
	Gap []float64
}

func newMatrix(gap float64) matrix { return matrix{Gap: []float64{gap, 0}} }

// A checkpoint of other parameters, under the same names and the same Fingerprint, is refused with
// the field that differs; one of more policies serves fewer, compared by name.
func TestCheckpointOfOtherParameters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	make := func() *Experiment {
		e := small(path)
		e.Environment = newMatrix(0.1)
		return e
	}
	mustRun(t, make())
	for want, change := range map[string]func(*Experiment){
		"the environment differ: Gap[0] is 0.1 in the file and 0.2 in the experiment": func(e *Experiment) {
			e.Environment = newMatrix(0.2)
		},
		"the environment differ: type is simulate.matrix in the file and simulate.toyArms in the experiment": func(e *Experiment) {
			e.Environment = toyArms{}
		},
		`policy "greedy" differ: Epsilon is 0.05 in the file and 0.06 in the experiment`: func(e *Experiment) {
			e.Policies = []Policy{e.Policies[1], toyPolicy("greedy", 0.06, 0)}
		},
		`policy "greedy" differ: Noise = 1 in the experiment, and not in the file`: func(e *Experiment) {
			e.Policies[0] = toyPolicy("greedy", 0.05, 1)
		},
	} {
		e := make()
		change(e)
		r, err := e.Run(t.Context())
		if r != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("result %v, error %v, want no result and an error that names the file and has %q", r, err, want)
		}
	}
	e := make()
	e.Policies = []Policy{e.Policies[2], e.Policies[0]}
	if r := mustRun(t, e); r.Provenance.Restored != e.Trials {
		t.Errorf("%d trials restored, want %d", r.Provenance.Restored, e.Trials)
	}
}
