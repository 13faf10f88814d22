package snapshot

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// path says how something was found, from the learner on.
type path struct {
	up   *path
	step string
	at   int // the index, where step is empty
}

// start returns the path of the learner: its type, without the types that one is made for.
func start(root reflect.Value) *path {
	name, _, _ := strings.Cut(root.Type().Elem().String(), "[")
	return &path{step: name}
}

func (p *path) field(name string) *path { return &path{p, "." + name, 0} }
func (p *path) index(i int) *path       { return &path{p, "", i} }

func (p *path) String() string {
	var steps []string
	for ; p != nil; p = p.up {
		if p.step == "" {
			steps = append(steps, fmt.Sprintf("[%d]", p.at))
		} else {
			steps = append(steps, p.step)
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// failure is the panic of a walk that cannot go on.
type failure struct{ err error }

// fail ends a walk. catch makes an error of it.
func fail(p *path, format string, args ...any) {
	panic(failure{fmt.Errorf("snapshot: %v: %s", p, fmt.Sprintf(format, args...))})
}

// catch is to be deferred. It recovers from fail.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// place is where a walk is.
type place struct {
	path     *path
	exported bool // in a field that is exported
	kept     bool // in a field that is not saved
	boxed    int  // in so many values, not pointers, that interfaces or maps hold
}

// item is what a walk meets: a run of basic values of one type, a reference, a field that is not
// saved, or a struct of a fixed type, before its fields.
type item struct {
	place
	typ reflect.Type
	ptr unsafe.Pointer
	n   int
}

func (i item) value() reflect.Value { return reflect.NewAt(i.typ, i.ptr).Elem() }

// fixed are types whose values do not change after Init.
var fixed = map[reflect.Type]bool{
	reflect.TypeFor[bandit.Problem](): true,
	reflect.TypeFor[privacy.Setup]():  true,
}

// each visits the items of n values of a type, in the order of memory.
func each(t reflect.Type, p unsafe.Pointer, n int, at place, visit func(item)) {
	for t.Kind() == reflect.Array {
		t, n = t.Elem(), n*t.Len()
	}
	if basic(t.Kind()) {
		if n > 0 {
			visit(item{at, t, p, n})
		}
		return
	}
	up := at.path
	for i := range n {
		q := unsafe.Add(p, uintptr(i)*t.Size())
		if n > 1 {
			at.path = up.index(i)
		}
		if t.Kind() != reflect.Struct {
			visit(item{at, t, q, 1})
			continue
		}
		if fixed[t] {
			visit(item{at, t, q, 1})
		}
		for k := range t.NumField() {
			f := t.Field(k)
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			in := place{at.path.field(f.Name), f.IsExported(), kept(f), at.boxed}
			if r := unsafe.Add(q, f.Offset); in.kept {
				visit(item{in, f.Type, r, 1})
			} else {
				each(f.Type, r, 1, in, visit)
			}
		}
	}
}

// box copies a value to where it has an address.
func box(v reflect.Value) unsafe.Pointer {
	b := reflect.New(v.Type())
	b.Elem().Set(v)
	return b.UnsafePointer()
}

// sliceHeader is what a slice is.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// region is memory that values of one type fill. Regions do not overlap.
type region struct {
	typ   reflect.Type
	n     int
	ptr   unsafe.Pointer
	path  *path
	order int // in the list of what was found
}

func (r *region) from() uintptr { return uintptr(r.ptr) }
func (r *region) to() uintptr   { return uintptr(r.ptr) + uintptr(r.n)*r.typ.Size() }

// table is a map.
type table struct {
	value reflect.Value
	path  *path
}

// entry is an element of a map, its parts copied to where they have addresses.
type entry struct {
	key, value unsafe.Pointer
	order      []byte
}

// entries returns the elements of a map in an order that depends on the keys alone.
func (t table) entries() []entry {
	key := t.value.Type().Key()
	list := make([]entry, 0, t.value.Len())
	for k, v := range t.value.Seq2() {
		e := entry{key: box(k), value: box(v)}
		var w encoder
		each(key, e.key, 1, place{path: t.path, boxed: 1}, w.item)
		e.order = w.buf
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.order, b.order) })
	return list
}

// graph is the memory that a learner reaches.
type graph struct {
	root    reflect.Value // the pointer to the learner
	regions []*region     // in the order of their discovery
	sorted  []*region     // by address
	tables  []table
	tableOf map[unsafe.Pointer]int // by the map's address, from 0
	types   []reflect.Type         // in interfaces
}

// discover walks the memory of a learner.
func discover(root reflect.Value) *graph {
	g := &graph{root: root, tableOf: map[unsafe.Pointer]int{}}
	type key struct {
		ptr unsafe.Pointer
		typ reflect.Type
	}
	var found []*region
	most := map[key]int{} // values at an address
	add := func(p unsafe.Pointer, t reflect.Type, n int, at *path) {
		if k := (key{p, t}); n > most[k] {
			most[k] = n
			found = append(found, &region{t, n, p, at, len(found)})
		}
	}
	seen := map[reflect.Type]bool{}
	var visit func(item)
	visit = func(i item) {
		if i.kept {
			if i.boxed > 0 {
				fail(i.path, "a field that is not saved, in a value that an interface or a map holds; it must hold a pointer")
			}
			return
		}
		switch i.typ.Kind() {
		case reflect.Pointer:
			if p := *(*unsafe.Pointer)(i.ptr); p != nil && i.typ.Elem().Size() > 0 {
				add(p, i.typ.Elem(), 1, i.path)
			}
		case reflect.Slice:
			if s := (*sliceHeader)(i.ptr); s.cap > 0 && i.typ.Elem().Size() > 0 {
				add(s.data, i.typ.Elem(), s.cap, i.path)
			}
		case reflect.Interface:
			v := i.value().Elem()
			if !v.IsValid() {
				return
			}
			t := v.Type()
			if !seen[t] {
				seen[t] = true
				g.types = append(g.types, t)
			}
			switch t.Kind() {
			case reflect.Pointer:
				if p := v.UnsafePointer(); p != nil && t.Elem().Size() > 0 {
					add(p, t.Elem(), 1, i.path)
				}
			case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
				fail(i.path, "a %v in an interface cannot be saved", t)
			default:
				each(t, box(v), 1, place{i.path, false, false, deeper(i.place)}, visit)
			}
		case reflect.Map:
			v := i.value()
			if v.IsNil() {
				return
			}
			if k := v.Type().Key(); k.Kind() != reflect.String && refers(k) {
				fail(i.path, "a map with keys of type %v cannot be saved", k)
			}
			if _, ok := g.tableOf[v.UnsafePointer()]; ok {
				return
			}
			g.tableOf[v.UnsafePointer()] = len(g.tables)
			t := table{v, i.path}
			g.tables = append(g.tables, t)
			for n, e := range t.entries() {
				each(v.Type().Elem(), e.value, 1, place{i.path.index(n), false, false, deeper(i.place)}, visit)
			}
		case reflect.Func:
			if !i.value().IsNil() && (!i.exported || i.boxed > 0) {
				fail(i.path, "a function cannot be saved: give the field the tag `snapshot:\"keep\"` if it captures no state of its own")
			}
		case reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
			if !i.value().IsZero() {
				fail(i.path, "a %v cannot be saved", i.typ)
			}
		}
	}
	add(root.UnsafePointer(), root.Type().Elem(), 1, start(root))
	for k := 0; k < len(found); k++ {
		if r := found[k]; refers(r.typ) {
			each(r.typ, r.ptr, r.n, place{path: r.path}, visit)
		}
	}
	g.merge(found)
	return g
}

// deepest bounds how deep values in interfaces may be nested.
const deepest = 100

// deeper returns the depth of a value that an interface or a map holds.
func deeper(at place) int {
	if at.boxed >= deepest {
		fail(at.path, "values in interfaces nested more than %d deep", deepest)
	}
	return at.boxed + 1
}

// merge makes regions of what was found, so that what overlaps is in one.
func (g *graph) merge(found []*region) {
	slices.SortFunc(found, func(a, b *region) int {
		return cmp.Or(cmp.Compare(a.from(), b.from()), cmp.Compare(b.to(), a.to()),
			cmp.Compare(height(b.typ), height(a.typ)), cmp.Compare(a.order, b.order))
	})
	var last *region
	for _, r := range found {
		switch {
		case last == nil || r.from() >= last.to():
			last = r
			g.regions = append(g.regions, r)
			continue
		case holds(last.typ, last.n, r.from()-last.from(), r.typ, r.n):
		case r.typ == last.typ && (r.from()-last.from())%r.typ.Size() == 0:
			last.n = int((r.to() - last.from()) / r.typ.Size())
		default:
			fail(r.path, "its memory, of type %v, is in that of %v, of type %v", r.typ, last.path, last.typ)
		}
		if r.order < last.order {
			last.order, last.path = r.order, r.path
		}
	}
	g.sorted = slices.Clone(g.regions)
	slices.SortFunc(g.regions, func(a, b *region) int { return cmp.Compare(a.order, b.order) })
	for i, r := range g.regions {
		r.order = i
	}
}

// find returns the region of an address, and how far in it that is. There may be none.
func (g *graph) find(p unsafe.Pointer) (r *region, at uintptr) {
	i, exact := slices.BinarySearchFunc(g.sorted, uintptr(p), func(r *region, p uintptr) int { return cmp.Compare(r.from(), p) })
	if !exact {
		i--
	}
	if i < 0 || uintptr(p) >= g.sorted[i].to() {
		return nil, 0
	}
	return g.sorted[i], uintptr(p) - g.sorted[i].from()
}
