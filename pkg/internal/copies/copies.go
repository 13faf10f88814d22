// Package copies remembers what was saved to a state or restored from one, and so may exist several
// times.
//
//   - [Note] remembers a value and [Noted] tells whether it was noted.
package copies

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

type key struct {
	at  weak.Pointer[byte] // does not keep the value alive
	typ reflect.Type
}

var (
	noted sync.Map
	some  atomic.Bool // there are any
)

// Note remembers the value of a type at an address.
func Note(at unsafe.Pointer, t reflect.Type) {
	noted.Store(key{weak.Make((*byte)(at)), t}, true)
	some.Store(true)
}

// Noted reports whether what x points to was noted.
func Noted(x any) bool {
	if !some.Load() {
		return false
	}
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return false
	}
	_, ok := noted.Load(key{weak.Make((*byte)(v.UnsafePointer())), v.Type().Elem()})
	return ok
}
