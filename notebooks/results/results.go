// Package results holds the tables of the paper-scale runs, each with its provenance in its first
// lines.
//
// A table's version is the commit that made it. Those of jdp-exp3 were rebased since: 94a1872 is
// 610e327 here, with the same change, and b13600c is 79b432f.
//
// survey-imed.csv is what make reproduce prints, by the tables survey-imed-*: the 16 cells of the
// paper of DP-IMED. ldp-Table1.csv is that of the local paper's Table 1, seed 2024, made by
// 290da5f.
//
// scorecard.csv is what package scorecard makes of the tables: printed numbers beside ours.
// public-programs.csv is what package judged found of public programs.
package results

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

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

// File returns a file of this folder.
func File(name string) ([]byte, error) { return files.ReadFile(name) }
