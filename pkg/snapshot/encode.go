package snapshot

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"
)

// encoder writes what walks meet.
type encoder struct {
	graph *graph
	buf   []byte
	types []reflect.Type // by number
	ids   map[reflect.Type]int
}

// encode returns the state of a learner:
//
//	the types: their names, and what they are made of
//	the regions: type, number of values, and path of each; then the maps
//	where the learner is
//	what is in the regions and in the maps
//
// Numbers that count something are varints, and all other numbers have a fixed size; the low byte
// is first.
func encode(root reflect.Value) (state []byte, err error) {
	defer catch(&err)
	g := discover(root)
	e := &encoder{graph: g, ids: map[reflect.Type]int{}}
	e.count(len(g.regions))
	for _, r := range g.regions {
		e.count(e.id(r.typ))
		e.count(r.n)
		e.text(r.path.String())
	}
	e.count(len(g.tables))
	for _, t := range g.tables {
		e.count(e.id(t.value.Type()))
		e.count(t.value.Len())
		e.text(t.path.String())
	}
	e.pointer(root.UnsafePointer())
	for _, r := range g.regions {
		each(r.typ, r.ptr, r.n, place{path: r.path}, e.item)
	}
	for _, t := range g.tables {
		for _, x := range t.entries() {
			e.buf = append(e.buf, x.order...)
			each(t.value.Type().Elem(), x.value, 1, place{path: t.path, boxed: 1}, e.item)
		}
	}
	head := &encoder{}
	names := map[string]bool{}
	head.count(len(e.types))
	for _, t := range e.types {
		name := nameOf(t)
		if names[name] {
			fail(&path{step: name}, "two types of this name cannot be saved")
		}
		names[name] = true
		head.text(name)
		head.text(describe(t))
	}
	return append(head.buf, e.buf...), nil
}

// id returns the number of a type. What the type consists of gets numbers, too.
func (e *encoder) id(t reflect.Type) int {
	if _, ok := e.ids[t]; !ok {
		for _, p := range parts(t, map[reflect.Type]bool{}, nil) {
			if _, ok := e.ids[p]; !ok {
				e.ids[p] = len(e.types)
				e.types = append(e.types, p)
			}
		}
	}
	return e.ids[t]
}

func (e *encoder) count(n int)   { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }
func (e *encoder) word(u uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, u) }
func (e *encoder) half(u uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, u) }
func (e *encoder) text(s string) { e.count(len(s)); e.buf = append(e.buf, s...) }

func (e *encoder) truth(is bool) {
	if is {
		e.count(1)
	} else {
		e.count(0)
	}
}

// pointer writes where an address is: 0 for nil, else the number of the region plus 1, and the
// leaves before it.
func (e *encoder) pointer(p unsafe.Pointer) {
	if p == nil {
		e.count(0)
		return
	}
	r, at := e.graph.find(p)
	e.count(r.order + 1)
	e.count(leafAt(r.typ, at))
}

// item writes an item.
func (e *encoder) item(i item) {
	if i.kept && i.typ.Kind() != reflect.Func {
		return
	}
	switch k := i.typ.Kind(); k {
	case reflect.String:
		e.text(*(*string)(i.ptr))
	case reflect.Pointer:
		e.to(*(*unsafe.Pointer)(i.ptr), i.typ.Elem())
	case reflect.Slice:
		s := (*sliceHeader)(i.ptr)
		switch {
		case s.data == nil:
			e.count(0)
		case s.cap == 0 || i.typ.Elem().Size() == 0:
			e.count(1)
			e.count(s.len)
			e.count(s.cap)
		default:
			e.count(2)
			e.count(s.len)
			e.count(s.cap)
			e.pointer(s.data)
		}
	case reflect.Interface:
		v := i.value().Elem()
		if !v.IsValid() {
			e.count(0)
			return
		}
		e.count(e.id(v.Type()) + 1)
		if v.Kind() == reflect.Pointer {
			e.to(v.UnsafePointer(), v.Type().Elem())
			return
		}
		each(v.Type(), box(v), 1, place{i.path, false, false, i.boxed + 1}, e.item)
	case reflect.Map:
		if v := i.value(); v.IsNil() {
			e.count(0)
		} else {
			e.count(e.graph.tableOf[v.UnsafePointer()] + 1)
		}
	case reflect.Func:
		e.truth(!i.value().IsNil())
	default:
		if basic(k) {
			e.run(i)
		}
	}
}

// to writes a pointer to a value of a type. One to nothing is nil or not.
func (e *encoder) to(p unsafe.Pointer, t reflect.Type) {
	if t.Size() > 0 {
		e.pointer(p)
	} else {
		e.truth(p != nil)
	}
}

// run writes basic values.
func (e *encoder) run(i item) {
	switch i.typ.Kind() {
	case reflect.Bool:
		for _, b := range unsafe.Slice((*bool)(i.ptr), i.n) {
			e.truth(b)
		}
	case reflect.Int8, reflect.Uint8:
		e.buf = append(e.buf, unsafe.Slice((*byte)(i.ptr), i.n)...)
	case reflect.Int16, reflect.Uint16:
		for _, u := range unsafe.Slice((*uint16)(i.ptr), i.n) {
			e.buf = binary.LittleEndian.AppendUint16(e.buf, u)
		}
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		for _, u := range unsafe.Slice((*uint32)(i.ptr), i.n) {
			e.half(u)
		}
	case reflect.Int:
		for _, n := range unsafe.Slice((*int)(i.ptr), i.n) {
			e.word(uint64(n))
		}
	case reflect.Uint:
		for _, n := range unsafe.Slice((*uint)(i.ptr), i.n) {
			e.word(uint64(n))
		}
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		for _, u := range unsafe.Slice((*uint64)(i.ptr), i.n) {
			e.word(u)
		}
	case reflect.Complex64:
		for _, c := range unsafe.Slice((*complex64)(i.ptr), i.n) {
			e.half(math.Float32bits(real(c)))
			e.half(math.Float32bits(imag(c)))
		}
	case reflect.Complex128:
		for _, c := range unsafe.Slice((*complex128)(i.ptr), i.n) {
			e.word(math.Float64bits(real(c)))
			e.word(math.Float64bits(imag(c)))
		}
	}
}
