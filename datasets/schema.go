package datasets

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Schema says what the columns of a file mean. A column is called by its name in the file's first
// line, or in Header if the file does not name its columns. Columns that the schema does not
// mention are not read.
//
// Bounds have no defaults: how many arms there are and how large a reward can be is public
// knowledge, and must not be looked up in private data.
type Schema struct {
	Contexts []string // columns of numbers
	Arm      string   // column of the arm that was played or, of labelled data, of the class
	Arms     int      // number of arms; 0 means len(Labels)
	Labels   []string // what the column Arm calls arm 0, 1, ...; nil means by these numbers
	Reward   string   // column of the reward; empty means none
	// RewardMin and RewardMax bound a reward, RewardMin < RewardMax. A reward beyond them is an error.
	RewardMin, RewardMax float64
	Propensity           string // column of the probability of playing that arm, in (0, 1]; empty means none
	User                 string // column of the user's id, any text; empty means none

	Comma  rune     // between two fields; 0 means a comma
	Header []string // the columns' names, if the first line does not have them
}

// Row is one row of a file, valid until the next one. What the schema does not mention is zero.
type Row struct {
	Context    []float64
	Arm        int
	Reward     float64
	Propensity float64
	User       string
}

// Validate returns an error if a field is out of its range.
func (s *Schema) Validate() error {
	if err := s.validate(); err != nil {
		return fmt.Errorf("datasets: Schema: %w", err)
	}
	return nil
}

func (s *Schema) validate() error {
	switch {
	case s.Arm == "":
		return errors.New("field Arm is empty, want a column's name")
	case len(s.Labels) == 0 && s.Arms < 1:
		return fmt.Errorf("field Arms = %d, want >= 1, or Labels", s.Arms)
	case s.Labels != nil && s.Arms != 0 && s.Arms != len(s.Labels):
		return fmt.Errorf("field Arms = %d, want 0 or as many as the %d Labels", s.Arms, len(s.Labels))
	case s.Reward != "" && !(s.RewardMin < s.RewardMax && s.RewardMax-s.RewardMin <= math.MaxFloat64):
		return fmt.Errorf("field RewardMin = %v, RewardMax = %v, want finite and RewardMin < RewardMax", s.RewardMin, s.RewardMax)
	}
	for i, label := range s.Labels {
		if label == "" {
			return fmt.Errorf("field Labels[%d] is empty, which is a missing value", i)
		}
		if slices.Index(s.Labels, label) < i {
			return fmt.Errorf("field Labels has %q twice", label)
		}
	}
	seen := map[string]bool{}
	for _, name := range s.columns() {
		switch {
		case name == "":
			return errors.New("field Contexts has an empty name")
		case seen[name]:
			return fmt.Errorf("column %q has two meanings, want one", name)
		}
		seen[name] = true
	}
	return nil
}

// columns lists the columns that are read: those of the context, and then the others.
func (s *Schema) columns() []string {
	list := append(slices.Clone(s.Contexts), s.Arm)
	for _, name := range []string{s.Reward, s.Propensity, s.User} {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// arms returns the number of arms.
func (s *Schema) arms() int { return max(s.Arms, len(s.Labels)) }

// Read reads a CSV file.
func (s *Schema) Read(r io.Reader) (*Table, error) { return s.collect(s.Rows(r), "") }

// ReadFile reads a CSV file by its name, which errors of the file begin with.
func (s *Schema) ReadFile(name string) (*Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	return s.collect(s.rows(f, name+": ", name+":"), name+": ")
}

// Rows reads a CSV file row by row and holds one row at a time, so a file may be larger than the
// memory. After an error there are no more rows. The error names the line and the byte in it where
// the bad field starts, both from 1.
func (s *Schema) Rows(r io.Reader) iter.Seq2[*Row, error] { return s.rows(r, "", "line ") }

// rows reads a CSV file. An error begins with file, or with line and the numbers of its place.
func (s *Schema) rows(r io.Reader, file, line string) iter.Seq2[*Row, error] {
	in := csv.NewReader(skipMark(r))
	in.ReuseRecord, in.FieldsPerRecord = true, -1
	if s.Comma != 0 {
		in.Comma = s.Comma
	}
	next := func() ([]string, error) {
		record, err := in.Read()
		if err != nil && err != io.EOF {
			if bad, ok := err.(*csv.ParseError); ok {
				return nil, fmt.Errorf("%s%d:%d: %w", line, bad.Line, bad.Column, bad.Err)
			}
			return nil, fmt.Errorf("%safter %d bytes: %w", file, in.InputOffset(), err)
		}
		return record, err
	}
	return s.parsed(file, next, func(field int) string {
		n, column := in.FieldPos(field)
		return fmt.Sprintf("%s%d:%d", line, n, column)
	})
}

// RowsOf parses records that come from elsewhere than a CSV file, such as a database. The first
// record has the columns' names, unless Header has them. An error counts the records from 1.
func (s *Schema) RowsOf(records iter.Seq2[[]string, error]) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		pull, stop := iter.Pull2(records)
		defer stop()
		n := 0
		next := func() ([]string, error) {
			record, err, ok := pull()
			if !ok {
				return nil, io.EOF
			}
			n++
			return record, err
		}
		s.parsed("", next, func(int) string { return fmt.Sprintf("record %d", n) })(yield)
	}
}

// parsed parses the records of next, until its io.EOF. at says where a field of the last one is,
// and file begins the error that there is none.
func (s *Schema) parsed(file string, next func() ([]string, error), at func(field int) string) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		if err := s.Validate(); err != nil {
			yield(nil, err)
			return
		}
		p := parser{Schema: s, arm: map[string]int{}}
		for i, label := range s.Labels {
			p.arm[label] = i
		}
		p.row.Context = make([]float64, len(s.Contexts))
		header := s.Header
		if header == nil {
			first, err := next()
			if err == io.EOF {
				err = fmt.Errorf("%sthe file is empty, want a line with the columns' names", file)
			}
			if err != nil {
				yield(nil, fmt.Errorf("datasets: %w", err))
				return
			}
			header = slices.Clone(first)
		}
		if field, err := p.locate(header); err != nil {
			if s.Header == nil {
				err = fmt.Errorf("%s: %w", at(field), err)
			}
			yield(nil, fmt.Errorf("datasets: %w", err))
			return
		}
		for {
			record, err := next()
			if err == io.EOF {
				return
			}
			if err == nil {
				if field, bad := p.parse(record); bad != nil {
					err = fmt.Errorf("%s: %w", at(field), bad)
				}
			}
			if err != nil {
				yield(nil, fmt.Errorf("datasets: %w", err))
				return
			}
			if !yield(&p.row, nil) {
				return
			}
		}
	}
}

// skipMark skips the mark of UTF-8 that some spreadsheets put before the first column's name.
func skipMark(r io.Reader) io.Reader {
	const mark = "\ufeff"
	head := make([]byte, len(mark))
	n, err := io.ReadFull(r, head)
	if err == nil && string(head) == mark {
		return r
	}
	rest := strings.NewReader(string(head[:n]))
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return io.MultiReader(rest, failing{err})
	}
	return io.MultiReader(rest, r)
}

// failing is a reader that has failed.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// parser turns records into rows.
type parser struct {
	*Schema
	arm                              map[string]int // by label
	fields                           int            // of a record
	contexts                         []int          // their fields
	atArm, reward, propensity, other int            // the others' fields; -1 means none
	row                              Row
}

// locate finds the columns in a header. With an error it returns the field to blame.
func (p *parser) locate(header []string) (field int, err error) {
	place := map[string]int{}
	for i, name := range header {
		if first, ok := place[name]; ok && slices.Contains(p.columns(), name) {
			return i, fmt.Errorf("column %q is there twice, as number %d and %d", name, first+1, i+1)
		}
		place[name] = i
	}
	var missing []string
	find := func(name string) int {
		i, ok := place[name]
		switch {
		case name == "":
			return -1
		case !ok:
			missing = append(missing, strconv.Quote(name))
		}
		return i
	}
	for _, name := range p.Contexts {
		p.contexts = append(p.contexts, find(name))
	}
	p.atArm, p.reward, p.propensity, p.other = find(p.Arm), find(p.Reward), find(p.Propensity), find(p.User)
	if p.fields = len(header); missing != nil {
		return 0, fmt.Errorf("no column %s; the columns are %q", strings.Join(missing, ", "), header)
	}
	return 0, nil
}

// parse reads a record into the row. With an error it returns the field to blame.
func (p *parser) parse(record []string) (field int, err error) {
	if len(record) != p.fields {
		return 0, fmt.Errorf("%d fields, want %d as there are columns", len(record), p.fields)
	}
	for i, field := range p.contexts {
		if p.row.Context[i], err = finite(record[field]); err != nil {
			return field, fmt.Errorf("%q = %w", p.Contexts[i], err)
		}
	}
	if p.row.Arm, err = p.armOf(record[p.atArm]); err != nil {
		return p.atArm, fmt.Errorf("%q = %w", p.Arm, err)
	}
	if p.reward >= 0 {
		p.row.Reward, err = finite(record[p.reward])
		if err == nil && !(p.row.Reward >= p.RewardMin && p.row.Reward <= p.RewardMax) {
			err = fmt.Errorf("%v, want a reward in [%v, %v]", p.row.Reward, p.RewardMin, p.RewardMax)
		}
		if err != nil {
			return p.reward, fmt.Errorf("%q = %w", p.Reward, err)
		}
	}
	if p.propensity >= 0 {
		p.row.Propensity, err = finite(record[p.propensity])
		if err == nil && !(p.row.Propensity > 0 && p.row.Propensity <= 1) {
			err = fmt.Errorf("%v, want a probability in (0, 1]", p.row.Propensity)
		}
		if err != nil {
			return p.propensity, fmt.Errorf("%q = %w", p.Propensity, err)
		}
	}
	if p.other >= 0 {
		if p.row.User = record[p.other]; p.row.User == "" {
			return p.other, fmt.Errorf("%q is empty, want a user's id", p.User)
		}
	}
	return 0, nil
}

// finite parses a finite decimal number. 1_000 and 0x10 are numbers in Go; in a table of data they
// are errors.
func finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 || strings.ContainsAny(text, "_xX") {
		return 0, fmt.Errorf("%s, want a finite number", quoted(text))
	}
	return x, nil
}

// armOf parses an arm.
func (p *parser) armOf(text string) (int, error) {
	if p.Labels != nil {
		arm, ok := p.arm[text]
		if !ok {
			return 0, fmt.Errorf("%s, want one of the %d labels, %q to %q", quoted(text), len(p.Labels), p.Labels[0], p.Labels[len(p.Labels)-1])
		}
		return arm, nil
	}
	arm, err := strconv.Atoi(text)
	if err != nil || arm < 0 || arm >= p.Arms {
		return 0, fmt.Errorf("%s, want an integer in [0, %d)", quoted(text), p.Arms)
	}
	return arm, nil
}

// quoted quotes a field, or the first 80 bytes of it.
func quoted(text string) string {
	if len(text) > 80 {
		return strconv.Quote(text[:80]) + "..."
	}
	return strconv.Quote(text)
}
