// Package opaque tells which descriptions do not say all that they do.
//
//   - [Is] asks one
//   - [Foreign] tells whether code is neither the toolkit's nor Go's
package opaque

import "reflect"

// Is reports whether a value has a method Opaque that says that its fields leave open what it does,
// as those of a learner in another program do. Of a private field, whose methods cannot be called,
// it assumes so. A pointer or an interface is not opaque; what is inside may be.
func Is(v reflect.Value) bool {
	type opaque interface{ Opaque() bool }
	switch {
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface || !v.Type().Implements(reflect.TypeFor[opaque]()):
		return false
	case !v.CanInterface():
		return true
	}
	return v.Interface().(opaque).Opaque()
}
