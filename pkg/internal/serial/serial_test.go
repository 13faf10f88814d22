package serial_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/serial"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// everything has all kinds of plain data.
type everything struct {
	Flag  bool
	N     int
	Small uint8
	Word  string
	Nil   []float64
	None  []int
	Rows  [][]float32
	Pair  [2]struct{ A, B float64 }
	Tail  privacy.Tail
}

func TestWrite(t *testing.T) {
	r := &everything{true, -3, 200, "né", nil, []int{}, [][]float32{{1}, nil}, [2]struct{ A, B float64 }{{1, math.Inf(1)}, {0, -2}}, privacy.Tail{Root: 3}}
	got, err := serial.Write([]float64{7}, true, r)
	want := []float64{7, 1, 1, -3, 200, 3, 'n', 0xc3, 0xa9, -1, 0, 2, 1, 1, -1, 1, math.Inf(1), 0, -2, 3, 0}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	names, err := serial.Names(r)
	if err != nil || len(names) != len(want)-1 || names[12] != "everything.Rows[0][0]" || names[18] != "everything.Tail.Root" {
		t.Errorf("names %q, %v", names, err)
	}
	var back everything
	if moved, err := serial.Read(got[1:], &back); err != nil || !moved || !reflect.DeepEqual(&back, r) {
		t.Errorf("%+v, %v, %v, want %+v", back, moved, err, r)
	}
	for _, numbers := range [][]float64{nil, got[1 : len(got)-1], append(slices.Clone(got[1:]), 0), {0, 0, 0, 0, math.NaN()}, {0, 0, 0, 0, 1e18}} {
		if _, err := serial.Read(numbers, &back); err == nil {
			t.Errorf("%v is taken for an everything", numbers)
		}
	}
	nan := &privacy.Sums{Packed: []float64{math.NaN()}}
	if got, err := serial.Write(nil, false, nan); err != nil || !math.IsNaN(got[2]) {
		t.Errorf("%v, %v, want NaN among them", got, err)
	}
}

// TestWriteRefuses: what could carry more than is seen is refused by its name, also where it is
// nil or in an empty slice.
func TestWriteRefuses(t *testing.T) {
	type hidden struct{ mean float64 }
	for words, release := range map[string]any{
		"hidden.mean is unexported":             &hidden{mean: 1},
		".Of[].mean is unexported":              &struct{ Of []hidden }{},
		".hidden is unexported":                 &struct{ hidden }{},
		".Read is a func":                       &struct{ Read func() }{},
		".At is a ptr":                          &struct{ At *float64 }{},
		".By is a map":                          &struct{ By map[string]int }{},
		".Any is a interface":                   &struct{ Any any }{},
		".C[] is a chan":                        &struct{ C [2]chan int }{},
		".Z is a complex128":                    &struct{ Z complex128 }{},
		".P is a uintptr":                       &struct{ P uintptr }{},
		"the integer 9007199254740993":          &struct{ N int }{1<<53 + 1},
		"the integer 18446744073709551615":      &struct{ N uint64 }{math.MaxUint64},
		"want a pointer to plain data, not nil": (*privacy.Sums)(nil),
		"a release that is float64":             3.0,
	} {
		if _, err := serial.Write(nil, false, release); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%T: %v, want %q", release, err, words)
		}
	}
}
