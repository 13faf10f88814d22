package snapshot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// restore puts a state into a learner. It first reads the state into fresh memory, which makes a
// second learner, without the functions that are kept; then finds which memory of that one
// corresponds to which of the learner; and when all is checked, writes. Memory of the state that
// corresponds to none of the learner becomes the learner's.
func restore(payload []byte, root reflect.Value) (err error) {
	defer catch(&err)
	to := discover(root)
	d := decode(payload, to)
	sameTuning(d.graph.root, root, start(root))
	g := &graft{from: d.graph, to: to, funcs: d.funcs, memory: map[*region]*region{}, taken: map[*region]bool{}, tables: map[unsafe.Pointer]reflect.Value{}}
	g.meet(d.graph.root.UnsafePointer(), root.UnsafePointer())
	if len(g.memory) == 0 {
		fail(start(root), "it is part of something larger in the state, or here")
	}
	for len(g.queue) > 0 {
		r := g.queue[0]
		g.queue = g.queue[1:]
		g.pairs(r.typ, r.n, r.ptr, g.memory[r].ptr, place{path: r.path}, g.match)
	}
	for _, r := range g.from.regions {
		if here := g.memory[r]; here != nil {
			g.pairs(r.typ, r.n, r.ptr, here.ptr, place{path: r.path}, g.check)
		} else {
			each(r.typ, r.ptr, r.n, place{path: r.path}, g.alone)
		}
	}
	for _, r := range g.from.regions {
		here := r
		if g.memory[r] != nil {
			here = g.memory[r]
		}
		g.write(r.typ, r.n, r.ptr, here.ptr)
	}
	for _, t := range g.from.tables {
		g.writeTable(t.value)
	}
	return nil
}

// graft writes one learner's state into another.
type graft struct {
	from, to *graph
	funcs    map[unsafe.Pointer]bool
	memory   map[*region]*region // of from, and what corresponds to it in to
	taken    map[*region]bool
	tables   map[unsafe.Pointer]reflect.Value // the same for maps, by their addresses
	queue    []*region
}

// pairs visits the items of two pieces of memory of the same type.
func (g *graft) pairs(t reflect.Type, n int, a, b unsafe.Pointer, at place, visit func(a, b item)) {
	each(t, a, n, at, func(i item) {
		j := i
		j.ptr = unsafe.Add(b, uintptr(i.ptr)-uintptr(a))
		visit(i, j)
	})
}

// meet notes that two addresses correspond, if the memory there is alike.
func (g *graft) meet(p, q unsafe.Pointer) {
	r, at := g.from.find(p)
	s, here := g.to.find(q)
	if r == nil || s == nil || g.memory[r] != nil || g.taken[s] || r.typ != s.typ || r.n != s.n || at != here {
		return
	}
	g.memory[r], g.taken[s] = s, true
	g.queue = append(g.queue, r)
}

// match finds what corresponds to each other behind two references.
func (g *graft) match(a, b item) {
	if a.kept {
		return
	}
	switch a.typ.Kind() {
	case reflect.Pointer:
		g.meet(*(*unsafe.Pointer)(a.ptr), *(*unsafe.Pointer)(b.ptr))
	case reflect.Slice:
		g.meet((*sliceHeader)(a.ptr).data, (*sliceHeader)(b.ptr).data)
	case reflect.Interface:
		g.inside(a, b, g.match)
		if v, w := a.value().Elem(), b.value().Elem(); v.IsValid() && w.IsValid() && v.Type() == w.Type() && v.Kind() == reflect.Pointer {
			g.meet(v.UnsafePointer(), w.UnsafePointer())
		}
	case reflect.Map:
		v, w := a.value(), b.value()
		if v.IsNil() || w.IsNil() {
			return
		}
		if _, done := g.tables[v.UnsafePointer()]; done {
			return
		}
		for _, other := range g.tables {
			if other.UnsafePointer() == w.UnsafePointer() {
				return
			}
		}
		g.tables[v.UnsafePointer()] = w
		for _, e := range (table{v, a.path}).entries() {
			if x := w.MapIndex(reflect.NewAt(v.Type().Key(), e.key).Elem()); x.IsValid() {
				g.pairs(x.Type(), 1, e.value, box(x), place{path: a.path, boxed: 1}, g.match)
			}
		}
	}
}

// inside visits the items of two values of one type, which are no pointers, in two interfaces.
func (g *graft) inside(a, b item, visit func(a, b item)) {
	v, w := a.value().Elem(), b.value().Elem()
	if v.IsValid() && w.IsValid() && v.Type() == w.Type() && v.Kind() != reflect.Pointer {
		g.pairs(v.Type(), 1, box(v), box(w), place{a.path, false, false, a.boxed + 1}, visit)
	}
}

// check compares what cannot be restored, or must not change.
func (g *graft) check(a, b item) {
	switch t := a.typ; {
	case t.Kind() == reflect.Func:
		both(a.path, "function", g.funcs[a.ptr], !b.value().IsNil())
	case a.kept:
	case fixed[t]:
		v, w := a.value(), b.value()
		for k := range t.NumField() {
			if x, y := v.Field(k).Interface(), w.Field(k).Interface(); x != y {
				fail(a.path, "%s = %v in the state, and %v here", t.Field(k).Name, x, y)
			}
		}
	case t == reflect.TypeFor[*privacy.Ledger]():
		both(a.path, "ledger", !a.value().IsNil(), !b.value().IsNil())
	case t == reflect.TypeFor[rand.Source]():
		if v, w := a.value().Elem(), b.value().Elem(); v.IsValid() != w.IsValid() || v.IsValid() && v.Type() != w.Type() {
			fail(a.path, "a stream of type %T in the state, and %T here", a.value().Interface(), b.value().Interface())
		}
	case t.Kind() == reflect.Interface:
		g.inside(a, b, g.check)
	}
}

// alone refuses what would have to be kept, in memory of the state that the learner does not have.
func (g *graft) alone(i item) {
	if g.funcs[i.ptr] || i.kept && i.typ.Kind() != reflect.Func {
		fail(i.path, "it is not saved, and the learner here has none there: was it Reset?")
	}
}

// both refuses what is there on one side alone.
func both(at *path, what string, saved, here bool) {
	switch {
	case saved && !here:
		fail(at, "a %s in the state, and none here", what)
	case here && !saved:
		fail(at, "no %s in the state, and one here", what)
	}
}

// moved returns where what is at an address of the state is afterwards.
func (g *graft) moved(p unsafe.Pointer) unsafe.Pointer {
	r, at := g.from.find(p)
	if r == nil || g.memory[r] == nil {
		return p // nil, or new
	}
	return unsafe.Add(g.memory[r].ptr, at)
}

// write writes values of the state to where they are to be, which may be where they are. It leaves
// alone what is right already, as others may share it.
func (g *graft) write(t reflect.Type, n int, from, to unsafe.Pointer) {
	g.pairs(t, n, from, to, place{}, func(a, b item) {
		if a.kept {
			return
		}
		switch k := a.typ.Kind(); k {
		case reflect.String:
			if x, y := (*string)(a.ptr), (*string)(b.ptr); *x != *y {
				*y = *x
			}
		case reflect.Pointer:
			p, q := *(*unsafe.Pointer)(a.ptr), (*unsafe.Pointer)(b.ptr)
			if p = g.moved(p); p != *q && (a.typ.Elem().Size() > 0 || (p == nil) != (*q == nil)) {
				*q = p
			}
		case reflect.Slice:
			s, q := *(*sliceHeader)(a.ptr), (*sliceHeader)(b.ptr)
			if s.cap > 0 && a.typ.Elem().Size() > 0 {
				s.data = g.moved(s.data)
			}
			if s != *q {
				*q = s
			}
		case reflect.Interface:
			g.writeInterface(a, b)
		case reflect.Map:
			if v := g.movedTable(a.value()); v.UnsafePointer() != b.value().UnsafePointer() {
				b.value().Set(v)
			}
		default:
			size := uintptr(a.n) * a.typ.Size()
			if x, y := unsafe.Slice((*byte)(a.ptr), size), unsafe.Slice((*byte)(b.ptr), size); basic(k) && !bytes.Equal(x, y) {
				copy(y, x)
			}
		}
	})
}

// writeInterface writes what an interface holds.
func (g *graft) writeInterface(a, b item) {
	v, w := a.value().Elem(), b.value().Elem()
	same := v.IsValid() && w.IsValid() && v.Type() == w.Type()
	switch {
	case !v.IsValid():
		b.value().SetZero()
	case v.Kind() == reflect.Pointer:
		e := v.Type().Elem()
		if p := g.moved(v.UnsafePointer()); !same || e.Size() > 0 && p != w.UnsafePointer() || v.IsNil() != w.IsNil() {
			b.value().Set(reflect.NewAt(e, p).Convert(v.Type()))
		}
	default:
		p := box(v)
		if !refers(v.Type()) {
			size := v.Type().Size()
			if same && bytes.Equal(unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(box(w)), size)) {
				return
			}
		}
		g.write(v.Type(), 1, p, p)
		b.value().Set(reflect.NewAt(v.Type(), p).Elem())
	}
}

// movedTable returns the map that a map of the state becomes.
func (g *graft) movedTable(v reflect.Value) reflect.Value {
	if w, ok := g.tables[v.UnsafePointer()]; ok && !v.IsNil() {
		return w
	}
	return v
}

// writeTable writes a map.
func (g *graft) writeTable(v reflect.Value) {
	w, list := g.movedTable(v), table{value: v}.entries()
	w.Clear()
	for _, e := range list {
		g.write(v.Type().Elem(), 1, e.value, e.value)
		w.SetMapIndex(reflect.NewAt(v.Type().Key(), e.key).Elem(), reflect.NewAt(v.Type().Elem(), e.value).Elem())
	}
}

// sameTuning compares what exported fields lead to, in the state and in a learner.
func sameTuning(saved, here reflect.Value, at *path) {
	seen := map[[2]unsafe.Pointer]bool{}
	var same func(a, b reflect.Value, at *path)
	differ := func(at *path, a, b any) { fail(at, "the tuning is %v in the state, and %v here", a, b) }
	same = func(a, b reflect.Value, at *path) {
		switch a.Kind() {
		case reflect.Pointer, reflect.Interface:
			if a.IsNil() || b.IsNil() {
				if a.IsNil() != b.IsNil() {
					differ(at, a, b)
				}
				return
			}
			if a.Kind() == reflect.Pointer {
				k := [2]unsafe.Pointer{a.UnsafePointer(), b.UnsafePointer()}
				if seen[k] {
					return
				}
				seen[k] = true
			}
			if a, b = a.Elem(), b.Elem(); a.Type() != b.Type() {
				differ(at, a.Type(), b.Type())
			}
			same(a, b, at)
		case reflect.Struct:
			for i := range a.NumField() {
				f := a.Type().Field(i)
				if (f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct) && !kept(f) && f.Tag.Get("snapshot") != "state" {
					same(a.Field(i), b.Field(i), at.field(f.Name))
				}
			}
		case reflect.Slice, reflect.Array:
			if a.Len() != b.Len() {
				differ(at, fmt.Sprintf("%d elements", a.Len()), b.Len())
			}
			for i := range a.Len() {
				same(a.Index(i), b.Index(i), at.index(i))
			}
		case reflect.Map:
			if a.Len() != b.Len() {
				differ(at, fmt.Sprintf("%d elements", a.Len()), b.Len())
			}
			for k, x := range a.Seq2() {
				y := b.MapIndex(k)
				if !y.IsValid() {
					differ(at, fmt.Sprintf("the key %v", k), "no such one")
				}
				same(x, y, at)
			}
		case reflect.String:
			if a.String() != b.String() {
				differ(at, a, b)
			}
		default:
			if !basic(a.Kind()) {
				return
			}
			x, y := box(a), box(b)
			if !bytes.Equal(unsafe.Slice((*byte)(x), a.Type().Size()), unsafe.Slice((*byte)(y), a.Type().Size())) {
				differ(at, a, b)
			}
		}
	}
	same(saved, here, at)
}
