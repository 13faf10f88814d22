// Package owned copies what a wrapper is given, so that nobody else holds what it wraps.
//
//   - [Copy] returns a deep copy.
package owned

import (
	"reflect"
	"unsafe"
)

// Copy returns a deep copy of x: it reads unexported fields, too, and follows pointers, interfaces,
// slices and maps. What x holds in several places, the copy does. Functions, channels, errors and
// types are shared. A pointer into the middle of something else becomes one to a copy of its own.
func Copy[T any](x T) T {
	c := copier{pointers: map[pointer]reflect.Value{}, slices: map[pointer]reflect.Value{}}
	var y T
	c.copy(reflect.ValueOf(&y).Elem(), reflect.ValueOf(&x).Elem())
	return y
}

type pointer struct {
	at  unsafe.Pointer
	typ reflect.Type
}

type copier struct {
	pointers, slices map[pointer]reflect.Value // copies, by what they are of
}

var shared = []reflect.Type{reflect.TypeFor[error](), reflect.TypeFor[reflect.Type]()}

// copy copies src to dst, which is of the same type. Both can be addressed and set.
func (c *copier) copy(dst, src reflect.Value) {
	t := src.Type()
	switch t.Kind() {
	case reflect.Pointer:
		for _, s := range shared {
			if t.Implements(s) {
				dst.Set(src)
				return
			}
		}
		if src.IsNil() {
			return
		}
		at := pointer{src.UnsafePointer(), t}
		made, ok := c.pointers[at]
		if !ok {
			made = reflect.New(t.Elem())
			c.pointers[at] = made
			c.copy(made.Elem(), src.Elem())
		}
		dst.Set(made.Convert(t))
	case reflect.Interface:
		if src.IsNil() {
			return
		}
		from, to := reflect.New(src.Elem().Type()).Elem(), reflect.New(src.Elem().Type()).Elem()
		from.Set(src.Elem())
		c.copy(to, from)
		dst.Set(to)
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		at := pointer{src.UnsafePointer(), t}
		made, ok := c.slices[at]
		if !ok || made.Cap() < src.Cap() {
			made = reflect.MakeSlice(t, src.Cap(), src.Cap())
			c.slices[at] = made
			all := src.Slice3(0, src.Cap(), src.Cap())
			for i := range all.Len() {
				c.copy(made.Index(i), all.Index(i))
			}
		}
		dst.Set(made.Slice3(0, src.Len(), src.Cap()))
	case reflect.Map:
		if src.IsNil() {
			return
		}
		at := pointer{src.UnsafePointer(), t}
		made, ok := c.pointers[at]
		if !ok {
			made = reflect.MakeMapWithSize(t, src.Len())
			c.pointers[at] = made
			for iter := src.MapRange(); iter.Next(); {
				made.SetMapIndex(c.one(iter.Key()), c.one(iter.Value()))
			}
		}
		dst.Set(made)
	case reflect.Array:
		for i := range t.Len() {
			c.copy(dst.Index(i), src.Index(i))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			c.copy(open(dst.Field(i)), open(src.Field(i)))
		}
	default:
		dst.Set(src)
	}
}

// one returns a copy of a value that cannot be addressed.
func (c *copier) one(v reflect.Value) reflect.Value {
	from, to := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	from.Set(v)
	c.copy(to, from)
	return to
}

// open returns a field that can be read and set, also if it is unexported.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}
