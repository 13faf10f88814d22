package snapshot

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// kept reports that a field is not saved, because it says so or is blank.
func kept(f reflect.StructField) bool { return f.Tag.Get("snapshot") == "keep" || f.Name == "_" }

// leaves returns how many leaves a type has: basic values and references, in the order of memory.
// The place of something inside something larger is given by the leaves before it, which is the
// same on all machines.
func leaves(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return 0
		}
		return t.Len() * leaves(t.Elem())
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			n += leaves(t.Field(i).Type)
		}
		return n
	}
	return 1
}

// basic reports that a value of a kind is its bytes.
func basic(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
}

// refers reports whether a value of a type may hold references, strings among them, or fields that
// are not saved.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); kept(f) || refers(f.Type) {
				return true
			}
		}
		return false
	}
	return !basic(t.Kind())
}

// height is by how many structs and arrays a type is above its leaves.
func height(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Array:
		return 1 + height(t.Elem())
	case reflect.Struct:
		h := 0
		for i := range t.NumField() {
			h = max(h, height(t.Field(i).Type))
		}
		return 1 + h
	}
	return 0
}

// strip returns the type of the elements of an array, of arrays or not.
func strip(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// holds reports whether n values of type t have, so many bytes from their beginning, m values of
// type u.
func holds(t reflect.Type, n int, at uintptr, u reflect.Type, m int) bool {
	want, size := strip(u), uintptr(m)*u.Size()
	room := uintptr(n) * t.Size()
	for {
		if at > room || size > room-at {
			return false
		}
		if t = strip(t); t == want {
			return at%t.Size() == 0
		}
		if t.Kind() != reflect.Struct || t.Size() == 0 {
			return false
		}
		at %= t.Size()
		inside := false
		for i := range t.NumField() {
			if f := t.Field(i); f.Type.Size() > 0 && at >= f.Offset && at < f.Offset+f.Type.Size() {
				t, at, room, inside = f.Type, at-f.Offset, f.Type.Size(), true
				break
			}
		}
		if !inside {
			return false
		}
	}
}

// leafAt returns the number of leaves of values of type t before a place in them, in bytes.
func leafAt(t reflect.Type, at uintptr) (n int) {
	for at > 0 {
		e := strip(t)
		n += int(at/e.Size()) * leaves(e)
		if at %= e.Size(); at == 0 {
			break
		}
		for i := range e.NumField() {
			f := e.Field(i)
			if at < f.Offset+f.Type.Size() {
				t, at = f.Type, at-min(at, f.Offset)
				break
			}
			n += leaves(f.Type)
		}
	}
	return n
}

// placeOf is the inverse of leafAt, for a leaf of n values of type t.
func placeOf(t reflect.Type, leaf int) (at uintptr) {
	for leaf > 0 {
		e := strip(t)
		at += uintptr(leaf/leaves(e)) * e.Size()
		if leaf %= leaves(e); leaf == 0 {
			break
		}
		for i := range e.NumField() {
			f := e.Field(i)
			if n := leaves(f.Type); leaf < n {
				t, at = f.Type, at+f.Offset
				break
			} else {
				leaf -= n
			}
		}
	}
	return at
}

// nameOf names a type in full.
func nameOf(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + nameOf(t.Elem())
	case reflect.Slice:
		return "[]" + nameOf(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + nameOf(t.Elem())
	case reflect.Map:
		return "map[" + nameOf(t.Key()) + "]" + nameOf(t.Elem())
	case reflect.Struct:
		return "struct{" + describe(t) + "}"
	}
	return t.String()
}

// describe says what a named type is made of: its fields, or the type below it.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		fields := make([]string, t.NumField())
		for i := range fields {
			f := t.Field(i)
			fields[i] = f.Name + " " + nameOf(f.Type)
			if kept(f) {
				fields[i] += " (kept)"
			}
		}
		return strings.Join(fields, "; ")
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + nameOf(t.Elem())
	case reflect.Pointer, reflect.Slice:
		return t.Kind().String() + " of " + nameOf(t.Elem())
	case reflect.Map:
		return "map from " + nameOf(t.Key()) + " to " + nameOf(t.Elem())
	}
	return t.Kind().String()
}

// differ says where two descriptions of a type differ.
func differ(name, saved, here string) error {
	a, b := strings.Split(saved, "; "), strings.Split(here, "; ")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Errorf("snapshot: the type %s has a field %q that it did not have when the state was saved", name, b[i])
		case i >= len(b):
			return fmt.Errorf("snapshot: the type %s had a field %q when the state was saved, and has it no more", name, a[i])
		case a[i] != b[i]:
			return fmt.Errorf("snapshot: the type %s had %q when the state was saved, and has %q there now", name, a[i], b[i])
		}
	}
	return nil
}

// parts adds to a list the types that a value of type t consists of, without what it refers to.
func parts(t reflect.Type, seen map[reflect.Type]bool, list []reflect.Type) []reflect.Type {
	if seen[t] {
		return list
	}
	seen[t] = true
	list = append(list, t)
	switch t.Kind() {
	case reflect.Array:
		list = parts(t.Elem(), seen, list)
	case reflect.Struct:
		for i := range t.NumField() {
			list = parts(t.Field(i).Type, seen, list)
		}
	}
	return list
}

// known maps the names of types to the types. It has all that can be reached from those given
// without a look at values; nil stands for a name that two types have.
type known map[string]reflect.Type

func (k known) add(t reflect.Type) {
	name := nameOf(t)
	if old, ok := k[name]; ok {
		if old != t {
			k[name] = nil
		}
		return
	}
	k[name] = t
	if t.Kind() != reflect.Pointer {
		k.add(reflect.PointerTo(t))
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		k.add(t.Elem())
	case reflect.Map:
		k.add(t.Key())
		k.add(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			k.add(t.Field(i).Type)
		}
	}
}
