package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	lib "github.com/parquet-go/parquet-go"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/datasets/parquet"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// visit is a row of a file with all kinds of columns that can be read, and some that cannot.
type visit struct {
	Who    string    `parquet:"who,dict"`
	Age    *float64  `parquet:"age,optional"`
	Dose   float32   `parquet:"dose"`
	Arm    int32     `parquet:"arm"`
	Cured  bool      `parquet:"cured"`
	P      float64   `parquet:"p"`
	Visits int64     `parquet:"visits"`
	When   time.Time `parquet:"when"`
	Notes  []string  `parquet:"notes,list"`
	Code   [4]byte   `parquet:"code"`
}

func age(x float64) *float64 { return &x }

func visits() []visit {
	return []visit{
		{Who: "ann", Age: age(0.1), Dose: 0.1, Arm: 0, Cured: true, P: 0.5, Visits: 7},
		{Who: "bob", Age: age(-2), Dose: 3, Arm: 2, P: 0.25, Visits: -1, Notes: []string{"a", "b"}},
		{Who: "ann", Age: age(1e-300), Dose: 1, Arm: 1, P: 1},
	}
}

// file writes rows into a file, in two groups if there are more than two.
func file(t *testing.T, rows []visit) string {
	t.Helper()
	var b bytes.Buffer
	w := lib.NewGenericWriter[visit](&b, lib.MaxRowsPerRowGroup(max(2, int64(len(rows)+1)/2)))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "visits.parquet")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func schema() *datasets.Schema {
	return &datasets.Schema{Contexts: []string{"dose", "age", "visits"}, Arm: "arm", Arms: 3, Reward: "cured", RewardMax: 1, Propensity: "p", User: "who"}
}

func TestRead(t *testing.T) {
	got, err := parquet.ReadFile(file(t, visits()), schema())
	want := &datasets.Table{
		Arms: 3, Dim: 3, RewardMax: 1, Contexts: []float64{float64(float32(0.1)), 0.1, 7, 3, -2, -1, 1, 1e-300, 0},
		Chosen: []int{0, 2, 1}, Rewards: []float64{1, 0, 0}, Propensities: []float64{0.5, 0.25, 1}, Users: []int{0, 1, 0}, UserIDs: []string{"ann", "bob"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	many := make([]visit, 1000)
	for i := range many {
		many[i] = visit{Who: "ann", Age: age(float64(i)), P: 1}
	}
	got, err = parquet.ReadFile(file(t, many), schema())
	if err != nil || got.Len() != 1000 || got.Contexts[3*999+1] != 999 {
		t.Errorf("%d rows, %v", got.Len(), err)
	}
}

// Integers without a sign are read as such: the largest are not negative.
func TestReadUnsigned(t *testing.T) {
	type row struct {
		Small uint32 `parquet:"small"`
		Large uint64 `parquet:"large"`
		Who   uint64 `parquet:"who"`
		Arm   uint8  `parquet:"arm"`
	}
	var b bytes.Buffer
	if err := lib.Write(&b, []row{{math.MaxUint32, 1 << 63, math.MaxUint64, 200}}); err != nil {
		t.Fatal(err)
	}
	s := &datasets.Schema{Contexts: []string{"small", "large"}, Arm: "arm", Arms: 256, User: "who"}
	got, err := s.Collect(parquet.Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), s))
	want := &datasets.Table{
		Arms: 256, Dim: 2, Contexts: []float64{math.MaxUint32, 1 << 63}, Chosen: []int{200}, Users: []int{0}, UserIDs: []string{"18446744073709551615"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for want, change := range map[string]func(s *datasets.Schema, rows []visit){
		`record 3: "arm" = "3", want an integer in [0, 3)`:       func(_ *datasets.Schema, rows []visit) { rows[1].Arm = 3 },
		`record 4: "age" = "", want a finite number`:             func(_ *datasets.Schema, rows []visit) { rows[2].Age = nil },
		`record 2: "age" = "NaN", want a finite number`:          func(_ *datasets.Schema, rows []visit) { rows[0].Age = age(math.NaN()) },
		`record 2: "p" = 0, want a probability`:                  func(_ *datasets.Schema, rows []visit) { rows[0].P = 0 },
		`no column "weight"; the columns are ["who" "age"`:       func(s *datasets.Schema, _ []visit) { s.Contexts[2] = "weight" },
		`"who" = "ann", want a finite number`:                    func(s *datasets.Schema, _ []visit) { s.Contexts[2], s.User = "who", "" },
		`column "when": it is of type TIMESTAMP`:                 func(s *datasets.Schema, _ []visit) { s.Contexts[2] = "when" },
		`column "notes": it has a list or a group in a row`:      func(s *datasets.Schema, _ []visit) { s.Contexts[2] = "notes" },
		`column "code": it is of type FIXED_LEN_BYTE_ARRAY(4), `: func(s *datasets.Schema, _ []visit) { s.Contexts[2] = "code" },
		`Schema: field Arm is empty`:                             func(s *datasets.Schema, _ []visit) { s.Arm = "" },
	} {
		s, rows := schema(), visits()
		change(s, rows)
		name := file(t, rows)
		if _, err := parquet.ReadFile(name, s); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "parquet: "+name) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if _, err := parquet.ReadFile("gone.parquet", schema()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := parquet.ReadFile(file(t, nil), schema()); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("error %v", err)
	}
}

// A file that was cut off or damaged is an error or other numbers, and never a panic.
func TestReadDamaged(t *testing.T) {
	data, err := os.ReadFile(file(t, visits()))
	if err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) error {
		for _, err := range parquet.Rows(bytes.NewReader(data), int64(len(data)), schema()) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(data); err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if read(data[:n]) == nil {
			t.Errorf("no error from %d of %d bytes", n, len(data))
		}
	}
	// A length of 4 GB must not be allocated.
	long := bytes.Clone(data)
	copy(long[len(long)-8:], "\xff\xff\xff\xff")
	if err := read(long); err == nil || !strings.Contains(err.Error(), fmt.Sprint("a footer of 4294967295 bytes in a file of ", len(data))) {
		t.Errorf("error %v", err)
	}
	for i := 0; i < len(data); i += 3 {
		spoilt := bytes.Clone(data)
		spoilt[i] ^= 0x55
		read(spoilt)
	}
}

// sample is a table with everything a table may have: a text to quote, warnings, a claim, and a
// NaN.
func sample(t testing.TB) *simulate.Table {
	t.Helper()
	table := sampleResult(t).Table()
	table.Curves[1].Worst[0] = math.NaN()
	return table
}

func sampleResult(t testing.TB) *simulate.Result {
	t.Helper()
	e := &simulate.Experiment{
		Name: "sample", Horizon: 100, Trials: 2, Seed: 1, Grid: []int{10},
		Environment: environment.TwoContexts{Dim: 2},
		Policies: []simulate.Policy{
			{Name: `Lin, "UCB"`, Learner: learner.New(linear.UCB{}, nil)},
			{Name: "größer", Learner: learner.New(linear.UCB{Width: 3}, nil)},
		},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open opens what was written, and wants the lines in it with which csv begins.
func open(t *testing.T, written []byte, csv func(io.Writer) error, columns string) *lib.File {
	t.Helper()
	f, err := lib.OpenFile(bytes.NewReader(written), int64(len(written)))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := csv(&text); err != nil {
		t.Fatal(err)
	}
	provenance, _ := f.Lookup(parquet.Provenance)
	if !strings.HasPrefix(text.String(), provenance+columns) || !strings.Contains(provenance, "# experiment: sample\n") {
		t.Errorf("provenance %q", provenance)
	}
	return f
}

// What WriteTable wrote reads as the curves of the table, and has its provenance.
func TestWriteTable(t *testing.T) {
	table := sample(t)
	var b bytes.Buffer
	if err := parquet.WriteTable(&b, table); err != nil {
		t.Fatal(err)
	}
	f := open(t, b.Bytes(), table.WriteCSV, "policy,round,")
	var kinds []string
	for _, c := range f.Root().Columns() {
		kinds = append(kinds, fmt.Sprint(c.Name(), " ", c.Type().Kind()))
	}
	want := "policy BYTE_ARRAY, round INT64, mean DOUBLE, se DOUBLE, q10 DOUBLE, q50 DOUBLE, q90 DOUBLE, trials INT64, worst DOUBLE"
	if got := strings.Join(kinds, ", "); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	s := &datasets.Schema{Contexts: []string{"round", "mean", "se", "q10", "q50", "q90", "trials"}, Arm: "policy", Labels: []string{`Lin, "UCB"`, "größer"}}
	i := 0
	for row, err := range parquet.Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), s) {
		if err != nil {
			t.Fatal(err)
		}
		c, g := table.Curves[i/2], i%2
		if want := []float64{float64(c.Rounds[g]), c.Mean[g], c.SE[g], c.Q10[g], c.Q50[g], c.Q90[g], 2}; row.Arm != i/2 || !reflect.DeepEqual(row.Context, want) {
			t.Errorf("row %d: %+v, want %v", i, row, want)
		}
		i++
	}
	if i != 4 {
		t.Errorf("%d rows, want 4", i)
	}
	if err := parquet.WriteTable(failing{}, table); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

// What WriteResult wrote reads as the regret of each trial, and has the result's provenance.
func TestWriteResult(t *testing.T) {
	r := sampleResult(t)
	var b bytes.Buffer
	if err := parquet.WriteResult(&b, r); err != nil {
		t.Fatal(err)
	}
	open(t, b.Bytes(), r.WriteCSV, "policy,trial,")
	s := &datasets.Schema{Contexts: []string{"trial", "round", "regret"}, Arm: "policy", Labels: []string{`Lin, "UCB"`, "größer"}}
	i := 0
	for row, err := range parquet.Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), s) {
		if err != nil {
			t.Fatal(err)
		}
		policy, trial, g := i/4, i/2%2, i%2
		if want := []float64{float64(trial), float64(r.Grid[g]), r.Policies[policy].Regret[trial][g]}; row.Arm != policy || !reflect.DeepEqual(row.Context, want) {
			t.Errorf("row %d: %+v, want policy %d and %v", i, row, policy, want)
		}
		i++
	}
	if i != 8 {
		t.Errorf("%d rows, want 8", i)
	}
	if err := parquet.WriteResult(failing{}, r); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestForPandas reads what pandas wrote and writes the sample for it, where
// notebooks/tools/test_tables.py says.
func TestForPandas(t *testing.T) {
	folder := os.Getenv("DPBANDITS_TABLES")
	if folder == "" {
		t.Skip("for notebooks/tools/test_tables.py")
	}
	for _, name := range []string{"snappy.parquet", "zstd.parquet"} {
		s := &datasets.Schema{
			Contexts: []string{"age", "dose"}, Arm: "arm", Labels: []string{"none", "low"}, Reward: "cured", RewardMax: 1, Propensity: "p", User: "who",
		}
		got, err := parquet.ReadFile(filepath.Join(folder, name), s)
		want := &datasets.Table{
			Arms: 2, Dim: 2, RewardMax: 1, Contexts: []float64{40, 0.5, 50, 0.25, 60, 1e-300}, Chosen: []int{1, 0, 1},
			Rewards: []float64{1, 0, 1}, Propensities: []float64{0.5, 0.25, 1}, Users: []int{0, 1, 0}, UserIDs: []string{"7", "8"},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	table, result := sample(t), sampleResult(t)
	for name, write := range map[string]func(io.Writer) error{
		"sample.csv":     table.WriteCSV,
		"sample.parquet": func(w io.Writer) error { return parquet.WriteTable(w, table) },
		"trials.csv":     result.WriteCSV,
		"trials.parquet": func(w io.Writer) error { return parquet.WriteResult(w, result) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A file, as pandas or another program writes it, by the same schema as one of CSV.
func ExampleReadFile() {
	type flower struct {
		Length  float64 `parquet:"length"`
		Species string  `parquet:"species"`
	}
	folder, err := os.MkdirTemp("", "flowers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "flowers.parquet")
	if err := lib.WriteFile(name, []flower{{4.1, "round"}, {6.2, "long"}}); err != nil {
		log.Fatal(err)
	}
	data, err := parquet.ReadFile(name, &datasets.Schema{Contexts: []string{"length"}, Arm: "species", Labels: []string{"round", "long"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Contexts, data.Chosen)
	// Output:
	// [4.1 6.2] [0 1]
}

// A result as a file for other programs: pandas.read_parquet("race.parquet").
func ExampleWriteTable() {
	e := &simulate.Experiment{
		Name: "race", Horizon: 1000, Trials: 2, Seed: 1,
		Environment: environment.TwoContexts{Dim: 2},
		Policies:    []simulate.Policy{{Name: "LinUCB", Learner: learner.New(linear.UCB{}, nil)}},
	}
	result, err := e.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer // or os.Create("race.parquet")
	if err := parquet.WriteTable(&file, result.Table()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q ... %q\n", file.Bytes()[:4], file.Bytes()[file.Len()-4:])
	// Output:
	// "PAR1" ... "PAR1"
}

func BenchmarkReadParquet(b *testing.B) {
	rows := make([]visit, 1_000_000)
	for i := range rows {
		rows[i] = visit{Who: fmt.Sprint("u", i%50000), Age: age(float64((i*7919)%1000003) / 1000003), Dose: float32(i), Arm: int32(i % 3), P: 0.1, Visits: int64(i)}
	}
	var buf bytes.Buffer
	w := lib.NewGenericWriter[visit](&buf)
	if _, err := w.Write(rows); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		s := schema()
		if _, err := s.Collect(parquet.Rows(bytes.NewReader(buf.Bytes()), int64(buf.Len()), s)); err != nil {
			b.Fatal(err)
		}
	}
}
