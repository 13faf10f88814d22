package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// thing has a field of every kind that a state can hold.
type thing struct {
	Name    string
	Rate    float64
	small   int8
	word    uint16
	half    float32
	whole   int
	natural uint
	flags   []bool
	pair    complex128
	single  complex64
	fixed   [3]int32
	rows    [][]float64
	flat    []float64
	best    *float64
	next    *thing
	nobody  *struct{}
	any     any
	says    fmt.Stringer
	by      map[string][]int
	counts  map[int16]thingy
	empty   []int
	none    []struct{}
	step    func(int) int `snapshot:"keep"`
	cache   []int         `snapshot:"keep"`
}

// speech is what a thing says.
type speech struct{ words string }

func (s *speech) String() string { return s.words }

type thingy struct {
	value any
	on    bool
}

// newThing returns one with memory that several fields share.
func newThing(n int) *thing {
	t := &thing{Name: "a thing", Rate: 0.5, small: -3, word: 7, half: 1.5, whole: -n, natural: uint(n), pair: 1 + 2i, single: 3 - 4i, fixed: [3]int32{1, -2, 3}}
	t.flat = make([]float64, 4*n)
	for i := range t.flat {
		t.flat[i] = float64(i) / 3
	}
	for i := range n {
		t.rows = append(t.rows, t.flat[4*i:4*i+4])
		t.flags = append(t.flags, i%3 == 0)
	}
	t.best = &t.flat[5]
	t.next = &thing{Name: "the next", Rate: 0.25, next: t, any: &t.fixed[1], empty: []int{}, none: make([]struct{}, 2, 5)}
	t.nobody = &struct{}{}
	t.says = &speech{"yes"}
	t.any = thingy{value: thingy{value: &t.whole, on: true}}
	t.by = map[string][]int{"a": {n}, "b": nil, "": {}}
	t.next.by = t.by
	t.counts = map[int16]thingy{-1: {value: t.best}, 300: {on: true}}
	t.step = func(x int) int { return x + t.whole }
	return t
}

// TestShared restores a thing with all kinds of fields into another one, and wants what was shared
// to be shared still.
func TestShared(t *testing.T) {
	var w bytes.Buffer
	saved := newThing(6)
	if err := Save(&w, saved); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 6, 9} {
		got := newThing(n)
		got.by["c"], got.cache = []int{1}, []int{n}
		mine, flat := got.best, got.flat
		if err := Load(bytes.NewReader(w.Bytes()), got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.rows, saved.rows) || !reflect.DeepEqual(got.by, saved.by) || !reflect.DeepEqual(got.flags, saved.flags) ||
			got.small != -3 || got.word != 7 || got.half != 1.5 || got.whole != -6 || got.natural != 6 || got.pair != 1+2i || got.single != 3-4i ||
			got.fixed != saved.fixed || got.says.String() != "yes" || got.nobody == nil || got.next.empty == nil || len(got.next.none) != 2 || cap(got.next.none) != 5 {
			t.Errorf("restored into one of %d rows: %+v, want %+v", n, got, saved)
		}
		got.flat[5] = 77
		inner, _ := got.any.(thingy).value.(thingy)
		whole, _ := inner.value.(*int)
		count, _ := got.counts[-1].value.(*float64)
		switch {
		case got.rows[1][1] != 77 || *got.best != 77 || count != got.best:
			t.Errorf("of %d rows: rows, flat and best share no memory", n)
		case got.next.next != got || got.next.any != any(&got.fixed[1]) || whole != &got.whole:
			t.Errorf("of %d rows: pointers into it point elsewhere", n)
		case got.step(1) != 1-6 || got.cache[0] != n:
			t.Errorf("of %d rows: what is kept was not", n)
		case n == 6 && (mine != got.best || &flat[0] != &got.flat[0]):
			t.Errorf("of %d rows: memory that fits was not written into", n)
		}
		if got.by["d"] = []int{}; got.next.by["d"] == nil || len(got.by) != 4 {
			t.Errorf("of %d rows: the maps are two, or have other keys: %v", n, got.by)
		}
	}
}

// node is part of a random graph.
type node struct {
	id    int
	to    []*node
	slots []float64
	at    *float64
	of    map[int]*node
	any   any
	inner struct{ x, y float64 }
}

type couple struct{ a, b *node }

// randomGraph makes a graph in which everything may point to everything.
func randomGraph(rng *rand.Rand) *node {
	all := make([]node, 1+rng.IntN(8)) // in one piece of memory
	nodes := []*node{}
	for i := range all {
		nodes = append(nodes, &all[i], &node{id: 100 + i})
	}
	buf := make([]float64, 20)
	one := func() *node { return nodes[rng.IntN(len(nodes))] }
	for i, n := range nodes {
		n.id += i
		for range rng.IntN(4) {
			n.to = append(n.to, one())
		}
		a := rng.IntN(20)
		b := a + rng.IntN(20-a)
		if n.slots = buf[a:b]; rng.IntN(2) == 0 {
			n.slots = buf[a:b:b] // these overlap, and none is in another
		}
		n.inner.x = rng.Float64()
		switch rng.IntN(3) {
		case 0:
			n.at = &buf[rng.IntN(20)]
		case 1:
			n.at = &one().inner.y
		}
		switch rng.IntN(4) {
		case 0:
			n.any = one()
		case 1:
			n.any = couple{one(), one()}
		case 2:
			n.any = &one().inner
		}
		if rng.IntN(3) == 0 {
			n.of = map[int]*node{rng.IntN(5): one(), 7: nil}
		}
	}
	for i := range buf {
		buf[i] = rng.Float64()
	}
	return one()
}

// TestGraphs restores random graphs into others. The state of the restored one has to be the same,
// which it is only if everything is, and shared as it was.
func TestGraphs(t *testing.T) {
	Register(couple{})
	restored := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		from, to := randomGraph(rng), randomGraph(rng)
		var first, again bytes.Buffer
		if err := Save(&first, from); err != nil {
			t.Fatal(err)
		}
		err := Load(bytes.NewReader(first.Bytes()), to)
		if err != nil {
			if strings.Contains(err.Error(), "part of something larger") {
				continue
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := Save(&again, to); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Fatalf("seed %d: the restored graph is another", seed)
		}
		restored++
	}
	if restored < 200 {
		t.Errorf("%d graphs restored, want >= 200", restored)
	}
}

// TestChangedTypes: a state is refused if a type has other fields now.
func TestChangedTypes(t *testing.T) {
	payload, err := encode(reflect.ValueOf(newThing(3)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ now, then, want string }{
		{"small int8", "smell int8", `had "smell int8" when the state was saved, and has "small int8" there now`},
		{"whole int;", "whole i32;", `had "whole i32"`},
		{"value interface {}; on bool", "value interface {}, on bool", `"value interface {}, on bool"`},
		{"snapshot.thing", "snapshot.thong", "it holds a github.com/dpbandits/dpbandits/pkg/snapshot.thong, which the learner here does not"},
	} {
		old := bytes.Replace(payload, []byte(c.now), []byte(c.then), 1)
		if bytes.Equal(old, payload) {
			t.Fatalf("there is no %q", c.now)
		}
		err := Load(bytes.NewReader(Key(nil).seal(old)), newThing(3))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.then, err, c.want)
		}
	}
}

// TestLeaves finds places in types by their leaves, and back.
func TestLeaves(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[thing](), reflect.TypeFor[node](), reflect.TypeFor[[2][3]thingy](), reflect.TypeFor[float32]()} {
		places := map[uintptr]bool{}
		for leaf := range leaves(typ) {
			at := placeOf(typ, leaf)
			if places[at] || leafAt(typ, at) != leaf || at >= typ.Size() {
				t.Errorf("%v: leaf %d is at %d, where leaf %d is", typ, leaf, at, leafAt(typ, at))
			}
			places[at] = true
		}
	}
	f := reflect.TypeFor[thing]()
	fixed, _ := f.FieldByName("fixed")
	for _, c := range []struct {
		at   uintptr
		typ  reflect.Type
		n    int
		want bool
	}{
		{0, f, 2, true}, {f.Size(), f, 1, true}, {f.Size(), f, 2, false}, {fixed.Offset, reflect.TypeFor[int32](), 3, true},
		{fixed.Offset, reflect.TypeFor[int32](), 4, false}, {fixed.Offset + 4, reflect.TypeFor[[2]int32](), 1, true},
		{f.Size() + fixed.Offset + 4, reflect.TypeFor[int32](), 2, true}, {fixed.Offset + 2, reflect.TypeFor[int32](), 1, false},
		{fixed.Offset, reflect.TypeFor[uint32](), 1, false}, {0, reflect.TypeFor[string](), 1, true}, {8, reflect.TypeFor[string](), 1, false},
		{3 * f.Size(), f, 1, false},
	} {
		if got := holds(f, 2, c.at, c.typ, c.n); got != c.want {
			t.Errorf("%d of %v at %d: %v, want %v", c.n, c.typ, c.at, got, c.want)
		}
	}
}

// TestForged changes states and computes their checksums anew. Load may accept one or refuse it,
// and must not panic nor allocate what is out of proportion.
func TestForged(t *testing.T) {
	payload, err := encode(reflect.ValueOf(newThing(3)))
	if err != nil {
		t.Fatal(err)
	}
	for at := len(payload) / 3; at < len(payload); at++ {
		for _, b := range []byte{0, 1, 2, 5, 255} {
			forged := bytes.Clone(payload)
			forged[at] = b
			open(t, forged)
		}
	}
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	var before, after runtime.MemStats
	accepted := 0
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		forged := bytes.Clone(payload)
		for range 1 + rng.IntN(3) {
			at := len(forged)/3 + rng.IntN(2*len(forged)/3) // the first part is names of types
			switch rng.IntN(5) {
			case 0:
				forged[at] = byte(rng.IntN(256))
			case 1:
				forged[at] ^= 1 << rng.IntN(8)
			case 2:
				forged = append(forged[:at:at], forged[at+1:]...)
			case 3:
				forged = append(binary.AppendUvarint(forged[:at:at], rng.Uint64()>>rng.IntN(64)), forged[at:]...)
			case 4:
				forged[at]++
			}
		}
		runtime.ReadMemStats(&before)
		if open(t, forged) == nil {
			accepted++
		}
		runtime.ReadMemStats(&after)
		if most := uint64(8<<20 + 500*len(forged)); after.TotalAlloc-before.TotalAlloc > most {
			t.Fatalf("forgery %d of %d bytes: %d bytes allocated, want <= %d", i, len(forged), after.TotalAlloc-before.TotalAlloc, most)
		}
	}
	if accepted == 0 || accepted == n {
		t.Errorf("%d of %d forgeries accepted, want some: numbers can be anything", accepted, n)
	}
}

// open loads a payload and saves what comes of it.
func open(t *testing.T, payload []byte) error {
	into := newThing(2)
	err := Load(bytes.NewReader(Key(nil).seal(payload)), into)
	if err == nil {
		if _, err := encode(reflect.ValueOf(into)); err != nil {
			t.Errorf("accepted, and not saved again: %v", err)
		}
	}
	return err
}

func FuzzLoad(f *testing.F) {
	for n := 2; n < 5; n++ {
		payload, err := encode(reflect.ValueOf(newThing(n)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload []byte) { open(t, payload) })
}
