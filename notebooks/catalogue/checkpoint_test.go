package catalogue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Each experiment's checkpoint serves the same experiment again: what describes its parameters does
// not change from one run to the next, whatever a run writes to, and is short. With -short it
// leaves out the LASSO's, whose calibrations take 20 seconds.
func TestCheckpointsServeAgain(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range Figures {
		if f.Experiments == nil || testing.Short() && strings.HasPrefix(f.Name, "lasso-") {
			continue
		}
		first, again := f.Experiments(cell.Smoke), f.Experiments(cell.Smoke)
		for i, e := range first {
			if seen[e.Name] {
				continue
			}
			seen[e.Name] = true
			path := filepath.Join(t.TempDir(), "checkpoint")
			for _, e := range []*simulate.Experiment{e, again[i], e} {
				e.Rounds, e.Grid, e.Trials, e.Checkpoint = min(50, e.Horizon), nil, 1, path
			}
			if _, err := e.Run(t.Context()); err != nil {
				t.Error(err)
				continue
			}
			for _, e := range []*simulate.Experiment{again[i], e} {
				if r, err := e.Run(t.Context()); err != nil || r.Provenance.Restored != 1 {
					t.Errorf("experiment %q: error %v, want none and its trial restored", e.Name, err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if head, _, _ := strings.Cut(string(data), "\n"); len(head) > 20_000+2000*len(e.Policies) {
				t.Errorf("experiment %q: %d bytes describe %d policies", e.Name, len(head), len(e.Policies))
			} else {
				t.Logf("%s: %d bytes describe %d policies", e.Name, len(head), len(e.Policies))
			}
		}
	}
}
