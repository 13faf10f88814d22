package describe

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func ruleA() {}
func ruleB() {}

// parts has a field of each kind.
type parts struct {
	F       float64
	I       int8
	U       uint
	B       bool
	S       string
	C       complex128
	List    []float64
	Array   [2]int
	Map     map[string]int
	Any     any
	Pointer *parts
	Rule    func()
	Chan    chan int
	private int
	lock    sync.Mutex
	counter atomic.Int64
	rng     *rand.PCG
}

func lines(v any) []string {
	lines, _ := Value(v)
	return lines
}

// All changes of a parameter change the description, to another each, and name their field.
func TestParametersTellChanges(t *testing.T) {
	x := 3
	long := func(last float64) []float64 {
		l := make([]float64, 100)
		l[99] = last
		return l
	}
	changes := map[string][]any{
		"F":       {&parts{F: 0.1}, &parts{F: 0.2}, &parts{F: math.Nextafter(0.2, 1)}, &parts{F: math.Inf(1)}, &parts{F: math.NaN()}},
		"I":       {&parts{I: -1}},
		"U":       {&parts{U: math.MaxUint}},
		"B":       {&parts{B: true}},
		"S":       {&parts{S: "a"}, &parts{S: "b\nI = 1"}},
		"C":       {&parts{C: 1i}},
		"List":    {&parts{List: []float64{}}, &parts{List: []float64{0}}, &parts{List: []float64{0, 0}}, &parts{List: []float64{0, 1}}, &parts{List: long(0)}, &parts{List: long(1)}},
		"Array":   {&parts{Array: [2]int{0, 1}}, &parts{Array: [2]int{1, 0}}},
		"Map":     {&parts{Map: map[string]int{}}, &parts{Map: map[string]int{"a": 1, "b": 2}}, &parts{Map: map[string]int{"a": 2, "b": 1}}},
		"Any":     {&parts{Any: 1}, &parts{Any: 1.0}, &parts{Any: parts{}}, &parts{Any: &parts{}}, &parts{Any: parts{F: 1}}, &parts{Any: []parts{{F: 1}}}, &parts{Any: []any{nil}}},
		"Pointer": {&parts{Pointer: &parts{}}, &parts{Pointer: &parts{F: 1}}, &parts{Pointer: &parts{F: 2}}},
		"Rule":    {&parts{Rule: ruleA}, &parts{Rule: ruleB}, &parts{Rule: func() { x++ }}},
		"Chan":    {&parts{Chan: make(chan int)}},
		"private": {&parts{private: 1}, &parts{private: 2}},
		"rng":     {&parts{rng: rand.NewPCG(1, 1)}, &parts{rng: rand.NewPCG(1, 2)}},
	}
	seen := map[string]string{strings.Join(lines(&parts{}), "\n"): "nothing"}
	for field, values := range changes {
		for i, v := range values {
			got := lines(v)
			text := strings.Join(got, "\n")
			if before, ok := seen[text]; ok {
				t.Errorf("%s, value %d: described as %s:\n%s", field, i, before, text)
			}
			seen[text] = field
			if !slices.Equal(got, lines(v)) {
				t.Errorf("%s, value %d: another description the second time", field, i)
			}
			for _, other := range [][]string{lines(&parts{}), lines(&parts{F: 7, private: 7})} {
				if how := Difference(got, other); how == "" || how != Difference(got, other) {
					t.Errorf("%s, value %d: difference %q", field, i, how)
				}
			}
			if how := Difference(lines(&parts{}), got); !strings.HasPrefix(how, field) || !strings.HasSuffix(how, "in the experiment, and not in the file") {
				t.Errorf("%s, value %d: difference %q", field, i, how)
			}
		}
	}
	if how := Difference(lines(&parts{F: 0.1}), lines(&parts{F: 0.2})); how != "F is 0.1 in the file and 0.2 in the experiment" {
		t.Errorf("difference %q", how)
	}
}

// What is no parameter is not described, a value that contains itself ends, and shared values are
// told once.
func TestParametersEnd(t *testing.T) {
	p := &parts{}
	p.lock.Lock()
	p.counter.Add(1)
	if got := lines(p); !slices.Equal(got, lines(&parts{})) {
		t.Errorf("locks and counters are described: %q", got)
	}
	p.lock.Unlock()
	p.Pointer = p
	p.Any = []any{p}
	if got := lines(p); len(got) > 10 {
		t.Errorf("a cycle is described as %q", got)
	}
	q := &parts{F: 1}
	for range 64 { // 2^64 ways through it
		q = &parts{Pointer: q, Any: q}
	}
	if got := lines(q); len(got) > 400 {
		t.Errorf("shared values are described in %d lines", len(got))
	}
	if got := lines(nil); len(got) == 0 {
		t.Error("nil is not described")
	}
}

// elsewhere is a value of this module whose fields do not say what it does.
type elsewhere struct{ Version string }

func (e elsewhere) Opaque() bool { return e.Version == "" }

// TestOpaque: a value that says that its text leaves open what it does is not described in full, be
// it in a field of another, or in a private one.
func TestOpaque(t *testing.T) {
	type wrapper struct {
		Learner any
		Sure    *elsewhere
		private elsewhere
	}
	for _, c := range []struct {
		v   any
		all bool
	}{
		{elsewhere{}, false}, {elsewhere{Version: "1"}, true}, {wrapper{Learner: elsewhere{}}, false},
		{wrapper{Sure: &elsewhere{}}, false}, {wrapper{Learner: elsewhere{Version: "1"}, Sure: &elsewhere{Version: "2"}}, true},
		{wrapper{private: elsewhere{Version: "1"}}, false}, {wrapper{}, true},
	} {
		if got, by := Value(c.v); (by.Open == "") != c.all {
			t.Errorf("%q says all: %v, want %v", got, by.Open == "", c.all)
		}
	}
}

// What code a value leaves open is told by its fields' types and functions.
func TestOpenCode(t *testing.T) {
	if got := packageOf("example.org/a.b/c.(*T).F"); got != "example.org/a.b/c" {
		t.Errorf("package %q", got)
	}
	for i, v := range []any{
		struct{ F func(error, error) bool }{errors.Is},
		struct{ F func() }{nil},
		struct{ F []any }{[]any{1, "a", elsewhere{"1"}}},
	} {
		if _, by := Value(v); by.Open != "" {
			t.Errorf("value %d is not described by its fields: %s", i, by.Open)
		}
	}
	if _, by := Value(struct{ F any }{slices.Values([]int{1})}); by.Open == "" {
		t.Error("a closure is described by its fields")
	}
}
