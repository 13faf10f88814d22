package judged

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/audit"
)

// File is the name of the committed table.
const File = "public-programs.csv"

// The verdicts of a row.
const (
	Excluded    = "excluded"     // by both runs
	NotExcluded = "not excluded" // by neither
	Leaks       = "floating point leaks"
	NotRepeated = "not repeated" // by one of the two
)

// Row is a line of the table.
type Row struct {
	Program
	Runs     int        // in each world
	Excluded [2]float64 // largest epsilon excluded by each of the two seeds, rounded down
	Verdict  string
}

// RowOf returns the row of a program's two findings.
func RowOf(p Program, f [2]audit.Finding) Row {
	r := Row{Program: p, Runs: f[0].Runs, Verdict: f[0].Verdict()}
	for i := range f {
		r.Excluded[i] = down(f[i].Epsilon)
	}
	if f[1].Verdict() != r.Verdict {
		r.Verdict = NotRepeated
	}
	return r
}

// down rounds to three digits, towards 0.
func down(x float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 2)
	return must(strconv.ParseFloat(strconv.FormatFloat(math.Floor(x/unit)*unit, 'g', 3, 64), 64))
}

func must(x float64, err error) float64 {
	if err != nil {
		panic(err) // of a number that was just written
	}
	return x
}

var header = []string{
	"program", "what", "repository", "commit", "lines", "made", "model", "says", "epsilon", "delta", "released",
	"runs", "excluded seed 1", "excluded seed 2", "verdict", "proves", "finding",
}

// fields returns a row's cells, in the header's order.
func (r Row) fields() []string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return []string{
		r.Name, r.What, r.Repository, r.Commit, strings.Join(r.Lines, " "), r.Made(), r.Model, r.Says,
		number(r.Claim.Epsilon), number(r.Claim.Delta), r.Released, strconv.Itoa(r.Runs),
		number(r.Excluded[0]), number(r.Excluded[1]), r.Verdict, r.Proves, r.Finding,
	}
}

// String returns the row as a short report, one fact a line.
func (r Row) String() string {
	var b strings.Builder
	for i, cell := range r.fields() {
		fmt.Fprintf(&b, "%-16s %s\n", header[i], cell)
	}
	return b.String()
}

// CSV writes rows as the committed table, with their provenance in the first lines.
func CSV(rows []Row) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# what: public programs of private bandits, attacked by make judge\n# confidence: %v for each seed\n", Confidence)
	w := csv.NewWriter(&b)
	_ = w.Write(header) // a buffer takes everything
	for _, r := range rows {
		_ = w.Write(r.fields())
	}
	w.Flush()
	return b.Bytes()
}

// Committed returns the rows of the committed table. It is an error if the table says anything of a
// program that the list does not.
func Committed() ([]Row, error) {
	text, err := results.File(File)
	if err != nil {
		return nil, err
	}
	rows, lines, err := Read(text)
	if err != nil {
		return nil, err
	}
	for n, r := range rows {
		for i, want := range r.fields() {
			if lines[n][i] != want {
				return nil, fmt.Errorf("judged: %s: %s: %s is %q, and the list has %q", File, r.Name, header[i], lines[n][i], want)
			}
		}
	}
	return rows, nil
}

// Read returns the rows of a table, with what the list says of their programs, and the table's
// lines.
func Read(text []byte) (rows []Row, lines [][]string, err error) {
	c := csv.NewReader(bytes.NewReader(text))
	c.Comment = '#'
	all, err := c.ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("judged: %s: %w", File, err)
	}
	if len(all) == 0 || !slices.Equal(all[0], header) {
		return nil, nil, fmt.Errorf("judged: %s: its header is not %v", File, header)
	}
	for _, line := range all[1:] {
		p, err := Named(line[0])
		if err != nil {
			return nil, nil, fmt.Errorf("judged: %s: %w", File, err)
		}
		r := Row{Program: p, Verdict: line[14]}
		if r.Runs, err = strconv.Atoi(line[11]); err != nil {
			return nil, nil, fmt.Errorf("judged: %s: %s: runs: %w", File, p.Name, err)
		}
		for i := range r.Excluded {
			if r.Excluded[i], err = strconv.ParseFloat(line[12+i], 64); err != nil {
				return nil, nil, fmt.Errorf("judged: %s: %s: %w", File, p.Name, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, all[1:], nil
}
