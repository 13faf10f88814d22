package parquet

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// point is a row of a simulate.Table: what is known of a policy at a round.
type point struct {
	Policy string  `parquet:"policy,dict"`
	Round  int64   `parquet:"round"`
	Mean   float64 `parquet:"mean"`
	SE     float64 `parquet:"se"`
	Q10    float64 `parquet:"q10"`
	Q50    float64 `parquet:"q50"`
	Q90    float64 `parquet:"q90"`
	Trials int64   `parquet:"trials"`
	Worst  float64 `parquet:"worst"`
}

// Provenance is the key of the file's metadata under which WriteTable and WriteResult put where the
// numbers come from: the lines "# key: value" with which a table as CSV begins.
const Provenance = "dpbandits.provenance"

// observation is a row of a simulate.Result: a policy's regret in a trial.
type observation struct {
	Policy string  `parquet:"policy,dict"`
	Trial  int64   `parquet:"trial"`
	Round  int64   `parquet:"round"`
	Regret float64 `parquet:"regret"`
}

// WriteTable writes a table in long form, one row per policy and round, with the columns of
// simulate.Table.WriteCSV. Unlike in CSV each has its type: text for the policy, 64-bit integers
// for rounds and trials, doubles for the rest. A number that is unknown is NaN.
func WriteTable(w io.Writer, t *simulate.Table) error {
	return write(w, t, func(yield func([]point) bool) {
		for _, c := range t.Curves {
			rows := make([]point, len(c.Rounds))
			for g, round := range c.Rounds {
				rows[g] = point{c.Policy, int64(round), c.Mean[g], c.SE[g], c.Q10[g], c.Q50[g], c.Q90[g], int64(c.Trials), c.Worst[g]}
			}
			if !yield(rows) {
				return
			}
		}
	})
}

// WriteResult writes the cumulative regret of every trial in long form, one row per policy, trial
// and round of the grid, with the columns of simulate.Result.WriteCSV and their types.
func WriteResult(w io.Writer, r *simulate.Result) error {
	return write(w, r.Table(), func(yield func([]observation) bool) {
		for _, p := range r.Policies {
			for i, trial := range r.Finished {
				rows := make([]observation, len(r.Grid))
				for g, round := range r.Grid {
					rows[g] = observation{p.Name, int64(trial), int64(round), p.Regret[i][g]}
				}
				if !yield(rows) {
					return
				}
			}
		}
	})
}

// write writes rows, and as metadata the lines with which the table begins as CSV.
func write[Row any](w io.Writer, t *simulate.Table, rows iter.Seq[[]Row]) error {
	var text bytes.Buffer
	if err := t.WriteCSV(&text); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	var head strings.Builder
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "# ") {
			break
		}
		head.WriteString(line)
	}
	out := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Snappy), parquet.KeyValueMetadata(Provenance, head.String()))
	for some := range rows {
		if _, err := out.Write(some); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}
