package snapshot

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"
)

// decoder reads a state into memory of its own.
type decoder struct {
	data  []byte
	room  uint64 // bytes that may still be allocated
	at    *path
	types []reflect.Type
	graph *graph
	funcs map[unsafe.Pointer]bool // where functions would be
}

// decode reads a state that has nothing to do with the memory of target, and knows its types alone.
func decode(data []byte, target *graph) *decoder {
	d := &decoder{
		data: data, room: 1<<20 + 64*uint64(len(data)), at: &path{step: "the state"},
		graph: &graph{tableOf: map[unsafe.Pointer]int{}}, funcs: map[unsafe.Pointer]bool{},
	}
	d.readTypes(target)
	var found []*region
	for k := range d.count() {
		t, n := d.typ(), d.count()
		at := &path{step: d.text()}
		d.at = at
		if t.Size() == 0 || n == 0 {
			d.bad("%d values of type %v", n, t)
		}
		d.allocate(n, t)
		// a region's number is its order, and stays so: fresh memory does not overlap
		found = append(found, &region{t, n, reflect.MakeSlice(reflect.SliceOf(t), n, n).UnsafePointer(), at, k})
	}
	d.graph.merge(found)
	lengths := []int{}
	for k := range d.count() {
		t, n := d.typ(), d.count()
		at := &path{step: d.text()}
		d.at = at
		if t.Kind() != reflect.Map || t.Key().Kind() != reflect.String && refers(t.Key()) {
			d.bad("a map of type %v", t)
		}
		d.allocate(1, t)
		m := table{reflect.MakeMap(t), at}
		d.graph.tables = append(d.graph.tables, m)
		d.graph.tableOf[m.value.UnsafePointer()] = k
		lengths = append(lengths, n)
	}
	of := target.root.Type().Elem()
	d.graph.root = reflect.NewAt(of, d.array(of, 1))
	if d.graph.root.IsNil() {
		d.bad("there is no learner in it")
	}
	for _, r := range d.graph.regions {
		d.at = r.path
		each(r.typ, r.ptr, r.n, place{path: r.path}, d.item)
	}
	for k, m := range d.graph.tables {
		d.at = m.path
		t := m.value.Type()
		for range lengths[k] {
			d.allocate(1, t.Key())
			d.allocate(1, t.Elem())
			key, value := reflect.New(t.Key()), reflect.New(t.Elem())
			each(t.Key(), key.UnsafePointer(), 1, place{path: m.path, boxed: 1}, d.item)
			each(t.Elem(), value.UnsafePointer(), 1, place{path: m.path, boxed: 1}, d.item)
			m.value.SetMapIndex(key.Elem(), value.Elem())
		}
	}
	if len(d.data) > 0 {
		d.bad("%d bytes are left over", len(d.data))
	}
	return d
}

// readTypes reads the types of the state, and checks that they are still what they were.
func (d *decoder) readTypes(target *graph) {
	here := known{}
	here.add(target.root.Type())
	registering.Lock()
	for _, t := range registered {
		here.add(t)
	}
	registering.Unlock()
	for _, r := range target.regions {
		here.add(r.typ)
	}
	for _, t := range target.types {
		here.add(t)
	}
	for range d.count() {
		name, saved := d.text(), d.text()
		t, ok := here[name]
		switch {
		case !ok:
			d.bad("it holds a %s, which the learner here does not: see Register", name)
		case t == nil:
			d.bad("there are two types with the name %s here", name)
		}
		if now := describe(t); now != saved {
			panic(failure{differ(name, saved, now)})
		}
		d.types = append(d.types, t)
	}
}

func (d *decoder) bad(format string, args ...any) { fail(d.at, format, args...) }

// take takes the next n bytes.
func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.data) {
		d.bad("it ends early: %d bytes are left, want %d", len(d.data), n)
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

// count reads a number that is not negative.
func (d *decoder) count() int {
	u, n := binary.Uvarint(d.data)
	if n <= 0 || u > math.MaxInt {
		d.bad("a count that is no number, or too large")
	}
	d.data = d.data[n:]
	return int(u)
}

func (d *decoder) text() string { return string(d.take(d.count())) }

func (d *decoder) truth() bool {
	b := d.take(1)[0]
	if b > 1 {
		d.bad("a truth value of %d", b)
	}
	return b == 1
}

func (d *decoder) typ() reflect.Type {
	n := d.count()
	if n >= len(d.types) {
		d.bad("type %d of %d", n, len(d.types))
	}
	return d.types[n]
}

// allocate counts memory for n values, and refuses what is out of proportion to the state.
func (d *decoder) allocate(n int, t reflect.Type) {
	if size := uint64(t.Size()); size > 0 && uint64(n) > d.room/size {
		d.bad("%d values of type %v are more than a state of this length can hold", n, t)
	}
	d.room -= uint64(n) * uint64(t.Size())
}

// array reads where n values of a type are: the number of a region plus 1, and the leaves before
// them.
func (d *decoder) array(t reflect.Type, n int) unsafe.Pointer {
	id := d.count()
	if id == 0 {
		return nil
	}
	leaf := d.count()
	if id > len(d.graph.regions) {
		d.bad("region %d of %d", id-1, len(d.graph.regions))
	}
	r := d.graph.regions[id-1]
	if per := leaves(r.typ); leaf/per >= r.n {
		d.bad("leaf %d of %d", leaf, r.n*per)
	}
	at := placeOf(r.typ, leaf)
	if uint64(n) > uint64(r.n)*uint64(r.typ.Size())/uint64(t.Size()) || !holds(r.typ, r.n, at, t, n) {
		d.bad("%d values of type %v in memory of %d of type %v", n, t, r.n, r.typ)
	}
	return unsafe.Add(r.ptr, at)
}

// to reads a pointer to a value of a type. One to nothing is nil or not.
func (d *decoder) to(t reflect.Type) unsafe.Pointer {
	if t.Size() > 0 {
		return d.array(t, 1)
	}
	if !d.truth() {
		return nil
	}
	return reflect.New(t).UnsafePointer()
}

// item reads an item.
func (d *decoder) item(i item) {
	if i.kept && i.typ.Kind() != reflect.Func {
		return
	}
	d.at = i.path
	switch k := i.typ.Kind(); k {
	case reflect.String:
		*(*string)(i.ptr) = d.text()
	case reflect.Pointer:
		*(*unsafe.Pointer)(i.ptr) = d.to(i.typ.Elem())
	case reflect.Slice:
		d.slice(i)
	case reflect.Interface:
		d.dynamic(i)
	case reflect.Map:
		n := d.count()
		if n == 0 {
			return
		}
		if n > len(d.graph.tables) || d.graph.tables[n-1].value.Type() != i.typ {
			d.bad("map %d of %d, or of another type than %v", n-1, len(d.graph.tables), i.typ)
		}
		i.value().Set(d.graph.tables[n-1].value)
	case reflect.Func:
		if d.truth() {
			d.funcs[i.ptr] = true
		}
	default:
		if basic(k) {
			d.run(i)
		}
	}
}

func (d *decoder) slice(i item) {
	t := i.typ.Elem()
	s := sliceHeader{}
	switch kind := d.count(); kind {
	case 0:
		return
	case 1:
		s.len, s.cap = d.count(), d.count()
		if s.len > s.cap || s.cap > 0 && t.Size() > 0 {
			d.bad("a slice of length %d and capacity %d without memory", s.len, s.cap)
		}
		i.value().Set(reflect.MakeSlice(i.typ, s.len, s.cap))
	case 2:
		s.len, s.cap = d.count(), d.count()
		if s.len > s.cap || s.cap == 0 || t.Size() == 0 {
			d.bad("a slice of length %d and capacity %d in memory", s.len, s.cap)
		}
		if s.data = d.array(t, s.cap); s.data == nil {
			d.bad("a slice without memory")
		}
		*(*sliceHeader)(i.ptr) = s
	default:
		d.bad("a slice of kind %d", kind)
	}
}

// dynamic reads what an interface holds.
func (d *decoder) dynamic(i item) {
	n := d.count()
	if n == 0 {
		return
	}
	if n > len(d.types) {
		d.bad("type %d of %d", n-1, len(d.types))
	}
	t := d.types[n-1]
	if !t.Implements(i.typ) {
		d.bad("a %v, which is no %v", t, i.typ)
	}
	switch t.Kind() {
	case reflect.Pointer:
		i.value().Set(reflect.NewAt(t.Elem(), d.to(t.Elem())).Convert(t))
	case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Interface:
		d.bad("a %v in an interface", t)
	default:
		d.allocate(1, t)
		b := reflect.New(t)
		each(t, b.UnsafePointer(), 1, place{i.path, false, false, deeper(i.place)}, d.item)
		i.value().Set(b.Elem())
	}
}

// run reads basic values.
func (d *decoder) run(i item) {
	size := int(i.typ.Size())
	switch i.typ.Kind() {
	case reflect.Int, reflect.Uint:
		size = 8
	case reflect.Bool:
		dst := unsafe.Slice((*bool)(i.ptr), i.n)
		for k := range dst {
			dst[k] = d.truth()
		}
		return
	}
	if i.n > len(d.data)/size {
		d.bad("it ends early: %d bytes are left for %d values of %v", len(d.data), i.n, i.typ)
	}
	b := d.take(i.n * size)
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(b[8*k:]) }
	half := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
	switch i.typ.Kind() {
	case reflect.Int8, reflect.Uint8:
		copy(unsafe.Slice((*byte)(i.ptr), i.n), b)
	case reflect.Int16, reflect.Uint16:
		dst := unsafe.Slice((*uint16)(i.ptr), i.n)
		for k := range dst {
			dst[k] = binary.LittleEndian.Uint16(b[2*k:])
		}
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		dst := unsafe.Slice((*uint32)(i.ptr), i.n)
		for k := range dst {
			dst[k] = half(k)
		}
	case reflect.Int:
		dst := unsafe.Slice((*int)(i.ptr), i.n)
		for k := range dst {
			if dst[k] = int(word(k)); int64(dst[k]) != int64(word(k)) {
				d.bad("%d is too large for an int of this machine", int64(word(k)))
			}
		}
	case reflect.Uint:
		dst := unsafe.Slice((*uint)(i.ptr), i.n)
		for k := range dst {
			if dst[k] = uint(word(k)); uint64(dst[k]) != word(k) {
				d.bad("%d is too large for a uint of this machine", word(k))
			}
		}
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		dst := unsafe.Slice((*uint64)(i.ptr), i.n)
		for k := range dst {
			dst[k] = word(k)
		}
	case reflect.Complex64:
		dst := unsafe.Slice((*complex64)(i.ptr), i.n)
		for k := range dst {
			dst[k] = complex(math.Float32frombits(half(2*k)), math.Float32frombits(half(2*k+1)))
		}
	case reflect.Complex128:
		dst := unsafe.Slice((*complex128)(i.ptr), i.n)
		for k := range dst {
			dst[k] = complex(math.Float64frombits(word(2*k)), math.Float64frombits(word(2*k+1)))
		}
	}
}
