// Package results holds the tables of the paper-scale runs, each with its provenance in its first
// lines.
//
// The trials of jdp-exp2-gap0 and jdp-exp2-gap0.1 took 71 minutes on two cores, at the version that
// their headers name as another one; the tables were written from that run's checkpoint.
//
// survey-imed.csv is what make reproduce prints, by the tables survey-imed-*: the 16 cells of the
// paper of DP-IMED.
//
// The tables of jdp-exp2 were made before a mistake in the research generator of normals was found:
// one of the 256 layers of its ziggurat was accepted where it should be rejected in part, so that
// the variance was 0.14% too small, that of noise and contexts alike. The effect is far below the
// tables' standard errors.
package results

import (
	"embed"
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

//go:embed *
var files embed.FS

// Table returns the committed table of an experiment.
func Table(experiment string) (*simulate.Table, error) {
	f, err := files.Open(experiment + ".csv")
	if err != nil {
		return nil, fmt.Errorf("results: no committed paper-scale run of %q: %w", experiment, err)
	}
	defer f.Close()
	t, err := simulate.ReadCSV(f)
	if err != nil {
		return nil, fmt.Errorf("results: %s.csv: %w", experiment, err)
	}
	return t, nil
}
