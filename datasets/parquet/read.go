package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dpbandits/dpbandits/datasets"
)

// ReadFile reads a Parquet file by its name, which its errors begin with.
func ReadFile(name string, s *datasets.Schema) (*datasets.Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	t, err := s.Collect(Rows(f, info.Size(), s))
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	return t, nil
}

// Rows reads a Parquet file of a size row by row. The columns that the schema names are numbers,
// truth values, which become 0 and 1, or text; the schema's Header and Comma do not matter. A value
// that is missing is an error, as is any other that a CSV file may not have. Errors count the names
// of the columns as record 1, as in a CSV file, so that the file's first row is record 2.
func Rows(r io.ReaderAt, size int64, s *datasets.Schema) iter.Seq2[*datasets.Row, error] {
	named := *s
	named.Header = nil
	return named.RowsOf(records(r, size, columns(s)))
}

// columns returns the names of the columns that a schema reads.
func columns(s *datasets.Schema) map[string]bool {
	names := map[string]bool{s.Arm: true, s.Reward: true, s.Propensity: true, s.User: true}
	for _, name := range s.Contexts {
		names[name] = true
	}
	return names
}

// records reads the wanted columns as text.
func records(r io.ReaderAt, size int64, wanted map[string]bool) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		var file *parquet.File
		err := safely(func() (err error) {
			if err := fits(r, size); err != nil {
				return err
			}
			file, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
			return err
		})
		if err != nil {
			yield(nil, err)
			return
		}
		var header []string
		place := map[int]field{} // of a column of the file
		for _, c := range file.Root().Columns() {
			if !wanted[c.Name()] {
				continue
			}
			if err := readable(c); err != nil {
				yield(nil, fmt.Errorf("column %q: %w", c.Name(), err))
				return
			}
			place[c.Index()] = field{len(header), unsigned(c)}
			header = append(header, c.Name())
		}
		if !yield(header, nil) {
			return
		}
		record := make([]string, len(header))
		rows := make([]parquet.Row, 256)
		for _, group := range file.RowGroups() {
			in := group.Rows()
			for {
				var n int
				err := safely(func() (err error) {
					n, err = in.ReadRows(rows)
					return err
				})
				for _, row := range rows[:n] {
					for _, v := range row {
						if f, ok := place[v.Column()]; ok {
							record[f.at] = text(v, f.unsigned)
						}
					}
					if !yield(record, nil) {
						in.Close()
						return
					}
				}
				if err == io.EOF {
					break
				}
				if err == nil && n == 0 {
					err = io.ErrNoProgress
				}
				if err != nil {
					in.Close()
					yield(nil, err)
					return
				}
			}
			if err := in.Close(); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// fits returns an error if the footer of a file, whose length is before the last four bytes, is
// longer than the file: the library would allocate for it.
func fits(r io.ReaderAt, size int64) error {
	var length [4]byte
	if size < 12 {
		return fmt.Errorf("the file has %d bytes, want 12 at least", size)
	}
	if _, err := r.ReadAt(length[:], size-8); err != nil {
		return err
	}
	if n := int64(binary.LittleEndian.Uint32(length[:])); n > size-12 {
		return fmt.Errorf("the file is damaged: a footer of %d bytes in a file of %d", n, size)
	}
	return nil
}

// field is a field of a record.
type field struct {
	at       int
	unsigned bool // of integers without a sign
}

// unsigned reports whether a column has integers without a sign.
func unsigned(c *parquet.Column) bool {
	l := c.Type().LogicalType()
	if l == nil {
		return false
	}
	of, ok := l.Value.(*format.IntType)
	return ok && !of.IsSigned
}

// safely turns a panic, such as of a damaged file, into an error.
func safely(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	return do()
}

// readable reports that a column has a number, a truth value or a text in each row.
func readable(c *parquet.Column) error {
	if !c.Leaf() || c.Repeated() {
		return errors.New("it has a list or a group in a row, want a value")
	}
	switch k := c.Type().Kind(); k {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double, parquet.ByteArray:
	default:
		return fmt.Errorf("it is of type %v, want numbers, truth values or text", c.Type())
	}
	if l := c.Type().LogicalType(); l != nil { // such as a date, which is an integer underneath
		switch l.Value.(type) {
		case nil, *format.StringType, *format.EnumType, *format.IntType:
		default:
			return fmt.Errorf("it is of type %v, want numbers, truth values or text", c.Type())
		}
	}
	return nil
}

// text returns a value as it would be in a CSV file, with all its digits.
func text(v parquet.Value, unsigned bool) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Boolean && v.Boolean():
		return "1"
	case v.Kind() == parquet.Boolean:
		return "0"
	case unsigned && v.Kind() == parquet.Int32:
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	case unsigned && v.Kind() == parquet.Int64:
		return strconv.FormatUint(v.Uint64(), 10)
	case v.Kind() == parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case v.Kind() == parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case v.Kind() == parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'g', -1, 64)
	case v.Kind() == parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return string(v.ByteArray())
}
