package sweep

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// WriteCSV writes the curves of all points as one table, a row per policy and round, with a column
// for each parameter:
//
//	# sweep: coins epsilon=0.1,1
//	# version: v1.2.3
//	# go: go1.26.0
//	# platform: linux/amd64
//	# claim: "coins epsilon=0.1" "dpucb" "model       central differential privacy\n..."
//	# warning: "coins epsilon=0.1" "dpucb" 12 "clipped rewards"
//	experiment,epsilon,policy,round,mean,se,q10,q50,q90,worst,trials
//	coins epsilon=0.1,0.1,dpucb,1,0.2,0.01,0.1,0.2,0.3,0.4,200
//
// Its bytes depend on the sweep and the program alone. results are by point, as Run and Merge
// return them; a point without a finished trial has no rows.
func (s *Sweep) WriteCSV(w io.Writer, results []*simulate.Result) error {
	if len(results) != len(s.Points) {
		return fmt.Errorf("sweep: %d results, want one for each of %d points", len(results), len(s.Points))
	}
	out := bufio.NewWriter(w)
	tables := make([]*simulate.Table, len(results))
	for k, r := range results {
		tables[k] = r.Table()
	}
	p := tables[0].Provenance
	fmt.Fprintf(out, "# sweep: %s\n# version: %s\n# go: %s\n# platform: %s\n", strings.Join(s.Args, " "), p.Version, p.Go, p.Platform)
	for k, t := range tables {
		for _, c := range t.Curves {
			if claim, ok := t.Claims[c.Policy]; ok {
				fmt.Fprintf(out, "# claim: %q %q %q\n", s.Points[k].Name, c.Policy, claim)
			}
			for _, warning := range t.Warnings[c.Policy] {
				fmt.Fprintf(out, "# warning: %q %q %d %q\n", s.Points[k].Name, c.Policy, warning.Count, warning.What)
			}
		}
	}
	rows := csv.NewWriter(out)
	row := []string{"experiment"}
	for _, p := range s.entry.Parameters {
		row = append(row, p.Name)
	}
	rows.Write(append(row, "policy", "round", "mean", "se", "q10", "q50", "q90", "worst", "trials"))
	for k, t := range tables {
		row := []string{s.Points[k].Name}
		for _, p := range s.entry.Parameters {
			row = append(row, format(s.Points[k].Values[p.Name]))
		}
		for _, c := range t.Curves {
			if c.Trials == 0 {
				continue
			}
			for g, round := range c.Rounds {
				line := append(row[:len(row):len(row)], c.Policy, strconv.Itoa(round))
				for _, column := range [][]float64{c.Mean, c.SE, c.Q10, c.Q50, c.Q90, c.Worst} {
					line = append(line, format(column[g]))
				}
				rows.Write(append(line, strconv.Itoa(c.Trials)))
			}
		}
	}
	rows.Flush()
	return errors.Join(rows.Error(), out.Flush())
}
