package simulate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Table is a result in the form in which it is published: a curve for each policy and each pair of
// the experiment, the warnings, the claims and the provenance. As CSV it has one row per policy and
// round, below lines "# key: value":
//
//	# experiment: quickstart
//	# seed: 7
//	# run-date: 2026-01-31T12:00:00Z
//	# claim: "linucb" "model       joint differential privacy\n..."
//	# warning: "linucb" 12 "clipped rows"
//	policy,round,mean,se,q10,q50,q90,trials,worst
//	linucb,1,0.25,0.01,0.1,0.24,0.4,100,0.5
//
// Older tables have no last column, which is read as NaN.
//
// Keys that start with "run-" describe the run (date, workers, time). Without those lines, the
// bytes depend only on the experiment, the toolkit's version and the platform.
type Table struct {
	Provenance Provenance
	Claims     map[string]string           // by policy: its promise, as privacy.Claim prints it
	Warnings   map[string][]bandit.Warning // by policy, summed over trials
	Curves     []Curve
}

// Table returns the result in the form in which it is published.
func (r *Result) Table() *Table {
	t := newTable()
	t.Provenance, t.Curves = r.Provenance, r.Curves()
	for _, pair := range r.Pairs {
		// prepare has checked that these policies exist
		if c, err := r.Paired(pair[0], pair[1]); err == nil {
			t.Curves = append(t.Curves, c)
		}
	}
	for _, p := range r.Policies {
		if p.Claim != nil {
			t.Claims[p.Name] = p.Claim.String()
		}
		if len(p.Warnings) > 0 {
			t.Warnings[p.Name] = p.Warnings
		}
	}
	return t
}

func newTable() *Table {
	return &Table{Claims: make(map[string]string), Warnings: make(map[string][]bandit.Warning)}
}

// Curve returns the curve of one policy, or of a pair by the name "a - b".
func (t *Table) Curve(policy string) (Curve, error) {
	for _, c := range t.Curves {
		if c.Policy == policy {
			return c, nil
		}
	}
	return Curve{}, fmt.Errorf("simulate: table %q has no policy %q", t.Provenance.Experiment, policy)
}

// Final returns a policy's mean regret at the last round, and its standard error.
func (t *Table) Final(policy string) (mean, se float64, err error) {
	c, err := t.Curve(policy)
	if err != nil {
		return 0, 0, err
	}
	last := len(c.Mean) - 1
	return c.Mean[last], c.SE[last], nil
}

var columns = []string{"policy", "round", "mean", "se", "q10", "q50", "q90", "trials", "worst"}

// header lists the lines of the provenance: each key with a pointer to its field, for writing and
// reading.
func (p *Provenance) header() []field {
	return []field{
		{"experiment", &p.Experiment},
		{"seed", &p.Seed},
		{"trials", &p.Trials},
		{"trials-asked", &p.Asked},
		{"horizon", &p.Horizon},
		{"rounds", &p.Rounds},
		{"fingerprint", &p.Fingerprint},
		{"version", &p.Version},
		{"go", &p.Go},
		{"platform", &p.Platform},
		{"run-workers", &p.Workers},
		{"run-cpus", &p.CPUs},
		{"run-date", &p.Date},
		{"run-wall", &p.Wall},
		{"run-busy", &p.Busy},
		{"run-rounds-per-second", &p.RoundsPerSecond},
		{"run-trials-restored", &p.Restored},
		{"run-other-versions", &p.OtherVersions},
	}
}

type field struct {
	key   string
	value any // pointer
}

func (f field) format() string {
	switch v := f.value.(type) {
	case *string:
		return quote(*v)
	case *int:
		return strconv.Itoa(*v)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *float64:
		return formatFloat(*v)
	case *time.Duration:
		return v.String()
	case *time.Time:
		return v.Format(time.RFC3339)
	case *[]string:
		return strings.Join(*v, " ")
	}
	panic("unreachable")
}

func (f field) parse(s string) (err error) {
	switch v := f.value.(type) {
	case *string:
		*v, err = unquote(s)
	case *int:
		*v, err = strconv.Atoi(s)
	case *uint64:
		*v, err = strconv.ParseUint(s, 10, 64)
	case *float64:
		*v, err = strconv.ParseFloat(s, 64)
	case *time.Duration:
		*v, err = time.ParseDuration(s)
	case *time.Time:
		*v, err = time.Parse(time.RFC3339, s)
	case *[]string:
		*v = strings.Fields(s)
		if len(*v) == 0 {
			*v = nil
		}
	}
	return err
}

// quote quotes a string that a line could not hold as it is.
func quote(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` || strings.TrimSpace(s) != s {
		return q
	}
	return s
}

func unquote(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		return strconv.Unquote(s)
	}
	return s, nil
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// WriteCSV writes the table as CSV. Floats are written so that they read back bit by bit.
func (t *Table) WriteCSV(w io.Writer) error {
	return t.write(w, columns, func(row func(...string)) {
		for _, c := range t.Curves {
			for g, round := range c.Rounds {
				row(c.Policy, strconv.Itoa(round), formatFloat(c.Mean[g]), formatFloat(c.SE[g]),
					formatFloat(c.Q10[g]), formatFloat(c.Q50[g]), formatFloat(c.Q90[g]), strconv.Itoa(c.Trials), formatFloat(c.Worst[g]))
			}
		}
	})
}

// WriteCSV writes the cumulative regret of every trial as CSV in long form, one row per policy,
// trial and round of the grid, below the lines "# key: value" of a [Table]:
//
//	policy,trial,round,regret
//	linucb,0,1,0.25
//
// Means and bands of your own come from these rows: in pandas, groupby(["policy", "round"]). Write
// the Table for the curves as they are published.
func (r *Result) WriteCSV(w io.Writer) error {
	return r.Table().write(w, []string{"policy", "trial", "round", "regret"}, func(row func(...string)) {
		for _, p := range r.Policies {
			for i, trial := range r.Finished {
				for g, round := range r.Grid {
					row(p.Name, strconv.Itoa(trial), strconv.Itoa(round), formatFloat(p.Regret[i][g]))
				}
			}
		}
	})
}

// write writes the table's lines "# key: value", a header and rows.
func (t *Table) write(w io.Writer, header []string, each func(row func(...string))) error {
	out := bufio.NewWriter(w)
	p := t.Provenance
	for _, f := range p.header() {
		if value := f.format(); value != "" {
			fmt.Fprintf(out, "# %s: %s\n", f.key, value)
		}
	}
	for _, c := range t.Curves {
		if claim, ok := t.Claims[c.Policy]; ok {
			fmt.Fprintf(out, "# claim: %q %q\n", c.Policy, claim)
		}
		for _, w := range t.Warnings[c.Policy] {
			fmt.Fprintf(out, "# warning: %q %d %q\n", c.Policy, w.Count, w.What)
		}
	}
	rows := csv.NewWriter(out)
	rows.Write(header)
	each(func(row ...string) { rows.Write(row) })
	rows.Flush()
	return errors.Join(rows.Error(), out.Flush())
}

// ReadCSV reads a table that WriteCSV wrote. It skips lines with unknown keys.
func ReadCSV(r io.Reader) (*Table, error) {
	t := newTable()
	fields := make(map[string]field)
	for _, f := range t.Provenance.header() {
		fields[f.key] = f
	}
	in := bufio.NewReader(r)
	n := 0 // lines read
	for ; ; n++ {
		if next, err := in.Peek(2); err != nil || string(next) != "# " {
			break
		}
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("simulate: line %d: %w", n+1, noEOF(err))
		}
		key, value, _ := strings.Cut(strings.TrimRight(line[2:], "\r\n"), ": ")
		if err := t.parse(fields, key, value); err != nil {
			return nil, fmt.Errorf("simulate: line %d: %s: %w", n+1, key, err)
		}
	}
	rows := csv.NewReader(in)
	head, err := rows.Read() // the other rows have as many fields
	if err == nil && len(head) != len(columns) && len(head) != len(columns)-1 {
		err = csv.ErrFieldCount
	}
	if err != nil {
		return nil, fmt.Errorf("simulate: line %d: %w", n+1, noEOF(err))
	}
	for i, name := range head {
		if name != columns[i] {
			return nil, fmt.Errorf("simulate: line %d: column %d is %q, want %q", n+1, i+1, name, columns[i])
		}
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("simulate: after line %d: %w", n, err)
		}
		if err := t.add(row); err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("simulate: line %d: %w", n+line, err)
		}
	}
}

// parse reads a header line into the table.
func (t *Table) parse(fields map[string]field, key, value string) error {
	var policy, claim string
	var w bandit.Warning
	switch key {
	case "claim":
		if _, err := fmt.Sscanf(value, "%q %q", &policy, &claim); err != nil {
			return err
		}
		t.Claims[policy] = claim
	case "warning":
		if _, err := fmt.Sscanf(value, "%q %d %q", &policy, &w.Count, &w.What); err != nil {
			return err
		}
		t.Warnings[policy] = append(t.Warnings[policy], w)
	default:
		if f, ok := fields[key]; ok {
			return f.parse(value)
		}
	}
	return nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// add appends a row to its policy's curve.
func (t *Table) add(row []string) error {
	round, err := strconv.Atoi(row[1])
	if err != nil {
		return err
	}
	trials, err := strconv.Atoi(row[7])
	if err != nil {
		return err
	}
	worst := math.NaN()
	if len(row) == len(columns) {
		if worst, err = strconv.ParseFloat(row[8], 64); err != nil {
			return err
		}
	}
	var x [5]float64
	for i := range x {
		if x[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
			return err
		}
	}
	if n := len(t.Curves); n == 0 || t.Curves[n-1].Policy != row[0] {
		if _, err := t.Curve(row[0]); err == nil {
			return fmt.Errorf("policy %q: its rows are not together", row[0])
		}
		t.Curves = append(t.Curves, Curve{Policy: row[0], Trials: trials})
	}
	c := &t.Curves[len(t.Curves)-1]
	if k := len(c.Rounds); k > 0 && round <= c.Rounds[k-1] {
		return fmt.Errorf("policy %q: round %d after round %d, want increasing", row[0], round, c.Rounds[k-1])
	}
	if trials != c.Trials {
		return fmt.Errorf("policy %q: trials = %d, want %d as in its first row", row[0], trials, c.Trials)
	}
	c.Rounds = append(c.Rounds, round)
	c.Mean, c.SE = append(c.Mean, x[0]), append(c.SE, x[1])
	c.Q10, c.Q50, c.Q90 = append(c.Q10, x[2]), append(c.Q50, x[3]), append(c.Q90, x[4])
	c.Worst = append(c.Worst, worst)
	return nil
}
