// Package value writes descriptions as text, and reads them back: learners, environments,
// experiments.
//
//   - [Go] writes a value as Go source that makes it again
//   - [JSON] and [Read] write it as JSON, with its types, and read it
//   - [Foreign] names the types that belong neither to the toolkit nor to Go
//   - [Register] lets Read make values of a type
//
// A description is made of numbers, strings, slices, and structures of exported fields, so that its
// text is all there is to it. A function, a channel, a map or an unexported field that is set is an
// error with the path of its field: nobody can see what it does, or where it leads. A type that is
// made by a function, as matroids are, has a method GoString with the call, and, to be read, the
// methods of package encoding/json.
package value

import (
	"fmt"
	"go/format"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/opaque"
)

// Go returns Go source that makes v again: an expression, in gofmt's form, with the names of
// packages. Fields that are zero are left out.
func Go(v any) (string, error) {
	var b strings.Builder
	if err := writeTyped(&b, reflect.ValueOf(v), "value"); err != nil {
		return "", err
	}
	const head = "package p\n\nvar _ = "
	text, err := format.Source([]byte(head + b.String() + "\n"))
	if err != nil {
		return "", fmt.Errorf("value: %w in %s", err, b.String())
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), head), "\n"), nil
}

// Foreign returns the names of the types in v that belong neither to the toolkit nor to Go's own
// library, with the path of a field that holds one. What they do is not in v's text. So it is with
// a value that has a method Opaque and says true.
func Foreign(v any) []string {
	var found []string
	seen := map[string]bool{}
	walk(reflect.ValueOf(v), "value", func(path string, v reflect.Value) {
		t := v.Type()
		name := t.String()
		mine := !opaque.Foreign(t.PkgPath()) && !opaque.Is(v)
		if _, arguments, generic := strings.Cut(name, "["); generic && t.Name() != "" {
			for _, a := range argument.FindAllStringSubmatch(arguments, -1) {
				mine = mine && !opaque.Foreign(a[1])
			}
		}
		if mine || seen[name] {
			return
		}
		seen[name] = true
		found = append(found, fmt.Sprintf("%s is a %s", path, name))
	})
	return found
}

// walk visits all values that v is made of, of a list of plain ones the first.
func walk(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	if !v.IsValid() {
		return
	}
	visit(path, v)
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice, reflect.Array:
		if v.Len() > 0 && plain(v.Type().Elem().Kind()) {
			visit(path, v.Index(0))
			return
		}
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// plain tells whether values of a kind hold no others.
func plain(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}

var (
	packagePath = regexp.MustCompile(`(?:[\w.~-]+/)+|\bmain\.`)
	argument    = regexp.MustCompile(`([\w./~-]+)\.\w+`)
)

// typeName returns the name of a type with the names, and not the paths, of packages; that of a
// program's own type has none.
func typeName(t reflect.Type) string {
	return packagePath.ReplaceAllString(t.String(), "")
}

// write writes a value as a Go expression.
func write(b *strings.Builder, v reflect.Value, path string) error {
	if !v.IsValid() {
		b.WriteString("nil")
		return nil
	}
	if g, ok := made(v); ok {
		b.WriteString(g)
		return nil
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return nil
		}
		return writeTyped(b, v.Elem(), path)
	case reflect.Struct:
		b.WriteString(typeName(t) + "{")
		for i, first := 0, true; i < v.NumField(); i++ {
			f := t.Field(i)
			if v.Field(i).IsZero() {
				continue
			}
			if !f.IsExported() {
				return fmt.Errorf("value: %s.%s, of a %v, is set and not exported: a description has exported fields only", path, f.Name, t)
			}
			if !first {
				b.WriteString(", ")
			}
			first = false
			b.WriteString(f.Name + ": ")
			if err := write(b, v.Field(i), path+"."+f.Name); err != nil {
				return err
			}
		}
		b.WriteString("}")
		return nil
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			b.WriteString("nil")
			return nil
		}
		b.WriteString(typeName(t) + "{")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := write(b, v.Index(i), path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
		b.WriteString("}")
		return nil
	}
	text, err := number(v, path)
	if err != nil {
		return err
	}
	if t.PkgPath() != "" || v.Kind() == reflect.Float32 && strings.HasPrefix(text, "math.") {
		text = typeName(t) + "(" + text + ")"
	}
	b.WriteString(text)
	return nil
}

// writeTyped writes a value where nothing else gives its type, as write does, but a number with a
// type that Go would not take it to have.
func writeTyped(b *strings.Builder, v reflect.Value, path string) error {
	var of reflect.Type // of an untyped constant
	text, err := number(v, path)
	switch {
	case err != nil:
	case v.Kind() == reflect.Bool:
		of = reflect.TypeFor[bool]()
	case v.Kind() == reflect.String:
		of = reflect.TypeFor[string]()
	case strings.ContainsAny(text, ".e"):
		of = reflect.TypeFor[float64]()
	default:
		of = reflect.TypeFor[int]()
	}
	if of == nil || v.Type() == of || v.Type().PkgPath() != "" {
		return write(b, v, path)
	}
	b.WriteString(typeName(v.Type()) + "(" + text + ")")
	return nil
}

// made returns the call that makes a value which is not made by its fields.
func made(v reflect.Value) (string, bool) {
	if v.Kind() == reflect.Interface || !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	g, ok := v.Interface().(fmt.GoStringer)
	if !ok || inherits[fmt.GoStringer](v.Type()) {
		return "", false
	}
	return g.GoString(), true
}

// inherits tells whether a type has the method of I from a field that it embeds: what such a method
// says is not about the other fields.
func inherits[I any](t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	i := reflect.TypeFor[I]()
	for n := range t.NumField() {
		f := t.Field(n)
		if f.Anonymous && (f.Type.Implements(i) || reflect.PointerTo(f.Type).Implements(i)) {
			return true
		}
	}
	return false
}

// number returns a number, a string or a truth value as a literal.
func number(v reflect.Value, path string) (string, error) {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	case reflect.String:
		return strconv.Quote(v.String()), nil
	case reflect.Float64, reflect.Float32:
		switch x := v.Float(); {
		case math.IsNaN(x):
			return "math.NaN()", nil
		case math.IsInf(x, 1):
			return "math.Inf(1)", nil
		case math.IsInf(x, -1):
			return "math.Inf(-1)", nil
		case x == 0 && math.Signbit(x):
			return "math.Copysign(0, -1)", nil
		default:
			return strconv.FormatFloat(x, 'g', -1, v.Type().Bits()), nil
		}
	}
	what := "is a " + v.Kind().String()
	switch v.Kind() {
	case reflect.Func:
		what = "is a function, of which nobody can see what it does"
	case reflect.Pointer:
		what = fmt.Sprintf("is a pointer, a %v: a description holds values", v.Type())
	}
	return "", fmt.Errorf("value: %s %s", path, what)
}
