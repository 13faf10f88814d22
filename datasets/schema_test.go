package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

func logSchema() *Schema {
	return &Schema{
		Contexts: []string{"age", "dose"}, Arm: "arm", Arms: 3,
		Reward: "reward", RewardMin: 0, RewardMax: 1, Propensity: "p", User: "who",
	}
}

const goodLog = `who,age,dose,note,arm,reward,p
ann,0.5,1e-3,"says ""hi"", twice",0,1,0.5
bob,-2,0.25,,2,0,0.25
ann,7,+3,"two
lines",1,0.5,1
`

func TestSchemaReads(t *testing.T) {
	want := &Table{
		Arms: 3, Dim: 2, RewardMin: 0, RewardMax: 1,
		Contexts: []float64{0.5, 1e-3, -2, 0.25, 7, 3}, Chosen: []int{0, 2, 1},
		Rewards: []float64{1, 0, 0.5}, Propensities: []float64{0.5, 0.25, 1},
		Users: []int{0, 1, 0}, UserIDs: []string{"ann", "bob"},
	}
	records := func() iter.Seq2[[]string, error] {
		return func(yield func([]string, error) bool) {
			for _, r := range [][]string{
				{"p", "reward", "arm", "dose", "age", "who"}, {"0.5", "1", "0", "1e-3", "0.5", "ann"},
				{"0.25", "0", "2", "0.25", "-2", "bob"}, {"1", "0.5", "1", "3", "7", "ann"},
			} {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	for name, read := range map[string]func() (*Table, error){
		"as it is":     func() (*Table, error) { return logSchema().Read(strings.NewReader(goodLog)) },
		"byte by byte": func() (*Table, error) { return logSchema().Read(iotest.OneByteReader(strings.NewReader(goodLog))) },
		"marked":       func() (*Table, error) { return logSchema().Read(strings.NewReader("\ufeff" + goodLog)) },
		"CR LF": func() (*Table, error) {
			return logSchema().Read(strings.NewReader(strings.ReplaceAll(goodLog, "\n", "\r\n")))
		},
		"with semicolon": func() (*Table, error) {
			s := logSchema()
			s.Comma = ';'
			return s.Read(strings.NewReader(strings.NewReplacer(`", `, `", `, ",", ";").Replace(goodLog)))
		},
		"without header": func() (*Table, error) {
			s := logSchema()
			head, rest, _ := strings.Cut(goodLog, "\n")
			s.Header = strings.Split(head, ",")
			return s.Read(strings.NewReader(rest))
		},
		"labels": func() (*Table, error) {
			s := logSchema()
			s.Arms, s.Labels = 0, []string{"none", "low", "high"}
			return s.Read(strings.NewReader(strings.NewReplacer(",0,1,", ",none,1,", ",2,0,", ",high,0,", ",1,0.5", ",low,0.5").Replace(goodLog)))
		},
		"other order": func() (*Table, error) { s := logSchema(); return s.Collect(s.RowsOf(records())) },
	} {
		got, err := read()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if n := want.Len(); n != 3 || !reflect.DeepEqual(want.Records(), []int{2, 1}) {
		t.Errorf("%d rows, records %v", n, want.Records())
	}
	bare, err := (&Schema{Contexts: []string{"age"}, Arm: "arm", Arms: 3}).Read(strings.NewReader(goodLog))
	if err != nil || !reflect.DeepEqual(bare, &Table{Arms: 3, Dim: 1, Contexts: []float64{0.5, -2, 7}, Chosen: []int{0, 2, 1}}) {
		t.Errorf("labelled data: %+v, %v", bare, err)
	}
}

// The rows that are left are each user's first, in their order.
func TestAtMost(t *testing.T) {
	s := logSchema()
	all, err := s.Read(strings.NewReader(goodLog))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(goodLog, "ann,7")
	want, err := s.Read(strings.NewReader(head))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]*Table{1: want, 2: all, 3: all} {
		if got, err := all.AtMost(k); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("k = %d: %+v, %v, want %+v", k, got, err, want)
		}
	}
	if _, err := all.AtMost(0); err == nil || !strings.Contains(err.Error(), "k = 0") {
		t.Errorf("error %v", err)
	}
	all.Users = nil
	if _, err := all.AtMost(1); err == nil || !strings.Contains(err.Error(), "without users") {
		t.Errorf("error %v", err)
	}
}

// TestSchemaNamesBrokenRows: each kind of broken file has an error with the line and the byte where
// the bad field starts.
func TestSchemaNamesBrokenRows(t *testing.T) {
	row := func(line string) string { // in place of the second row, line 3
		lines := strings.Split(goodLog, "\n")
		lines[2] = line
		return strings.Join(lines, "\n")
	}
	for _, c := range []struct{ what, file, want string }{
		{"too few fields", row("bob,-2,0.25,,2,0"), `line 3:1: 6 fields, want 7 as there are columns`},
		{"too many fields", row("bob,-2,0.25,,2,0,0.25,9"), `line 3:1: 8 fields, want 7`},
		{"not a number", row("bob,-2,high,,2,0,0.25"), `line 3:8: "dose" = "high", want a finite number`},
		{"an underscore", row("bob,1_0,0.25,,2,0,0.25"), `line 3:5: "age" = "1_0", want a finite number`},
		{"a hexadecimal number", row("bob,-2,0x1p-2,,2,0,0.25"), `line 3:8: "dose" = "0x1p-2", want a finite number`},
		{"a hexadecimal number with an underscore", row("bob,-2,-0X_1p4,,2,0,0.25"), `line 3:8: "dose" = "-0X_1p4"`},
		{"an arm with an underscore", row("bob,-2,0.25,,0_2,0,0.25"), `line 3:14: "arm" = "0_2"`},
		{"no number", row("bob,,0.25,,2,0,0.25"), `line 3:5: "age" = "", want a finite number`},
		{"a space", row("bob,-2, 0.25,,2,0,0.25"), `line 3:8: "dose" = " 0.25"`},
		{"NaN", row("bob,NaN,0.25,,2,0,0.25"), `line 3:5: "age" = "NaN", want a finite number`},
		{"Inf", row("bob,-2,-Inf,,2,0,0.25"), `line 3:8: "dose" = "-Inf", want a finite number`},
		{"too large a number", row("bob,-2,1e999,,2,0,0.25"), `line 3:8: "dose" = "1e999"`},
		{"a decimal comma", row("bob,-2,\"0,25\",,2,0,0.25"), `line 3:8: "dose" = "0,25"`},
		{"an arm that is no integer", row("bob,-2,0.25,,2.0,0,0.25"), `line 3:14: "arm" = "2.0", want an integer in [0, 3)`},
		{"an arm too large", row("bob,-2,0.25,,3,0,0.25"), `line 3:14: "arm" = "3", want an integer in [0, 3)`},
		{"a negative arm", row("bob,-2,0.25,,-1,0,0.25"), `line 3:14: "arm" = "-1"`},
		{"no arm", row("bob,-2,0.25,,,0,0.25"), `line 3:14: "arm" = ""`},
		{"a reward too large", row("bob,-2,0.25,,2,1.5,0.25"), `line 3:16: "reward" = 1.5, want a reward in [0, 1]`},
		{"a reward too small", row("bob,-2,0.25,,2,-0.1,0.25"), `line 3:16: "reward" = -0.1`},
		{"no reward", row("bob,-2,0.25,,2,NA,0.25"), `line 3:16: "reward" = "NA", want a finite number`},
		{"a propensity of 0", row("bob,-2,0.25,,2,0,0"), `line 3:18: "p" = 0, want a probability in (0, 1]`},
		{"a propensity above 1", row("bob,-2,0.25,,2,0,1.01"), `line 3:18: "p" = 1.01, want a probability`},
		{"a negative propensity", row("bob,-2,0.25,,2,0,-0.5"), `line 3:18: "p" = -0.5`},
		{"a propensity of NaN", row("bob,-2,0.25,,2,0,nan"), `line 3:18: "p" = "nan"`},
		{"nobody", row(",-2,0.25,,2,0,0.25"), `line 3:1: "who" is empty, want a user's id`},
		{"a quote too many", row(`bob,-2,0.25,a"b,2,0,0.25`), `line 3:14: bare " in non-quoted-field`},
		{"a quote too few", row(`bob,-2,0.25,"ab,2,0,0.25`), `extraneous or missing " in quoted-field`},
		{"after a field of two lines", goodLog + "cy,1,2,,9,0,1\n", `line 6:9: "arm" = "9"`},
		{"a long field", row("bob,-2," + strings.Repeat("x", 1000) + ",,2,0,0.25"), `"dose" = "` + strings.Repeat("x", 80) + `"..., want`},
		{"nothing", "", "the file is empty, want a line with the columns' names"},
		{"blank lines", "\n\n", "the file is empty"},
		{"no rows", "who,age,dose,note,arm,reward,p\n", "the file has no rows"},
		{"missing columns", "who,age,arm,p\nann,1,2,0.5\n", `line 1:1: no column "dose", "reward"; the columns are ["who" "age" "arm" "p"]`},
		{"a column twice", "who,age,dose,age,arm,reward,p\n", `line 1:14: column "age" is there twice, as number 2 and 4`},
	} {
		_, err := logSchema().Read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "datasets: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q in it", c.what, err, c.want)
		}
	}
	s := logSchema()
	s.Arms, s.Labels = 0, []string{"0", "1", "two"}
	if _, err := s.Read(strings.NewReader(goodLog)); err == nil || !strings.Contains(err.Error(), `line 3:14: "arm" = "2", want one of the 3 labels, "0" to "two"`) {
		t.Errorf("an unknown label: %v", err)
	}
	s = logSchema()
	s.Header = []string{"who"}
	if _, err := s.Read(strings.NewReader(goodLog)); err == nil || !strings.Contains(err.Error(), `datasets: no column "age", "dose"`) {
		t.Errorf("a header without the columns: %v", err)
	}
	s = logSchema()
	s.Comma = '"'
	if _, err := s.Read(strings.NewReader(goodLog)); err == nil || !strings.Contains(err.Error(), "invalid field or comment delimiter") {
		t.Errorf("a quote between fields: %v", err)
	}
	broken := errors.New("the disk is gone")
	if _, err := logSchema().Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader that fails at once: %v", err)
	}
	if _, err := logSchema().Read(io.MultiReader(strings.NewReader(goodLog), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a reader that fails later: %v", err)
	}
}

// Errors of a file begin with its name, and those of records with their number.
func TestSchemaNamesTheSource(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(name, []byte("age,arm\n1,0\nx,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Schema{Contexts: []string{"age"}, Arm: "arm", Arms: 2}
	if _, err := s.ReadFile(name); err == nil || err.Error() != fmt.Sprintf(`datasets: %s:3:1: "age" = "x", want a finite number`, name) {
		t.Errorf("error %v", err)
	}
	for file, want := range map[string]string{
		"":                 "the file is empty, want a line with the columns' names",
		"age,arm\n":        "the file has no rows",
		"age,arm\n\"1,0\n": `extraneous or missing " in quoted-field`,
	} {
		if err := os.WriteFile(name, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadFile(name); err == nil || !strings.HasPrefix(err.Error(), "datasets: "+name+":") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want the file's name and %q", err, want)
		}
	}
	if _, err := s.ReadFile(filepath.Dir(name)); err == nil || !strings.HasPrefix(err.Error(), "datasets: "+filepath.Dir(name)+": after 0 bytes") {
		t.Errorf("a folder: error %v", err)
	}
	if _, err := s.ReadFile(name + ".gone"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	broken := errors.New("the database is gone")
	for want, last := range map[string][]string{`record 3: "arm" = "7"`: {"1", "7"}, "record 3: 1 fields": {"1"}, broken.Error(): nil} {
		records := func(yield func([]string, error) bool) {
			for _, r := range [][]string{{"age", "arm"}, {"1", "0"}} {
				if !yield(r, nil) {
					return
				}
			}
			if last == nil {
				yield(nil, broken)
			} else {
				yield(last, nil)
			}
		}
		if _, err := s.Collect(s.RowsOf(records)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// Rows come one by one: what is wrong further down is not read.
func TestSchemaStreams(t *testing.T) {
	n := 0
	for row, err := range logSchema().Rows(io.MultiReader(strings.NewReader(goodLog), iotest.ErrReader(errors.New("too far")))) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			if row.User != "ann" || row.Context[0] != 7 || row.Arm != 1 || row.Reward != 0.5 || row.Propensity != 1 {
				t.Errorf("row %+v", row)
			}
			break
		}
	}
	if n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}

func TestSchemaRefuses(t *testing.T) {
	for want, change := range map[string]func(*Schema){
		"Arm is empty":                     func(s *Schema) { s.Arm = "" },
		"Arms = 0, want >= 1, or Labels":   func(s *Schema) { s.Arms = 0 },
		"Arms = 3, want 0 or as many":      func(s *Schema) { s.Labels = []string{"a"} },
		`Labels has "a" twice`:             func(s *Schema) { s.Labels = []string{"a", "b", "a"} },
		"Labels[1] is empty":               func(s *Schema) { s.Arms, s.Labels = 0, []string{"a", ""} },
		"want >= 1":                        func(s *Schema) { s.Arms, s.Labels = 0, []string{} },
		"RewardMin = 1, RewardMax = 1":     func(s *Schema) { s.RewardMin = 1 },
		"Contexts has an empty name":       func(s *Schema) { s.Contexts[1] = "" },
		`column "age" has two meanings`:    func(s *Schema) { s.Contexts[1] = "age" },
		`column "reward" has two meanings`: func(s *Schema) { s.Contexts[1] = "reward" },
	} {
		s := logSchema()
		change(s)
		if _, err := s.Read(strings.NewReader(goodLog)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "datasets: Schema: ") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// FuzzSchema: whatever the bytes are, there is a table within the schema's bounds or an error.
func FuzzSchema(f *testing.F) {
	f.Add([]byte(goodLog))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(goodLog, "\n", "\r\n")))
	f.Add([]byte("who,age,dose,arm,reward,p\n\"a\"\"\",0x1p-2,1_0,00,-0,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := logSchema().Read(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "datasets: ") {
				t.Errorf("error %v", err)
			}
			return
		}
		if n := table.Len(); n < 1 || len(table.Contexts) != 2*n || len(table.Users) != n {
			t.Errorf("%+v", table)
		}
		if err := table.Log().Validate(); err != nil {
			t.Error(err)
		}
	})
}

// table makes a CSV file of n rows: a user, five contexts, an arm, a reward, a propensity.
func table(n int) []byte {
	var b bytes.Buffer
	b.WriteString("who,a,b,c,d,e,arm,reward,p\n")
	for i := range n {
		fmt.Fprintf(&b, "u%d", i%50000)
		for j := range 5 {
			b.WriteString("," + strconv.FormatFloat(float64((i*7919+j*104729)%1000003)/1000003, 'g', 8, 64))
		}
		fmt.Fprintf(&b, ",%d,%d,0.1\n", i%10, i%2)
	}
	return b.Bytes()
}

func benchSchema() *Schema {
	return &Schema{Contexts: strings.Split("abcde", ""), Arm: "arm", Arms: 10, Reward: "reward", RewardMax: 1, Propensity: "p", User: "who"}
}

func BenchmarkReadCSV(b *testing.B) {
	data := table(1_000_000)
	b.SetBytes(int64(len(data)))
	b.ResetTimer()
	for range b.N {
		if _, err := benchSchema().Read(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
