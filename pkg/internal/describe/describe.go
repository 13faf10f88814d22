//go:build !page

package describe

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/opaque"
)

// Value describes an environment, or a learner: a line for its type, then
// one for each field that is not zero, such as "Sums.Noise.Budget.Epsilon = 1". It follows pointers
// and interfaces, and includes private fields, which in a fresh value hold what its constructor was
// given (a matroid has no other fields). Of a list of more than 16 elements it gives the
// length and a hash.
//
// It cannot see what a function does: it gives the name of a declared function, and of a closure
// only that it is there. Locks and counters (packages sync and sync/atomic) are not parameters.
//
// It also returns what the description leaves to code.
func Value(v any) (lines []string, by Code) {
	d := describer{seen: make(map[place]string), Code: Code{Packages: make(map[string]bool)}}
	d.add("type", fmt.Sprintf("%T", v))
	d.value("", reflect.ValueOf(v))
	return d.lines, d.Code
}

type describer struct {
	lines []string
	seen  map[place]string // the paths of what pointers, slices and maps hold
	Code
}

// leave notes why a value at a path is not described, if it is the first.
func (d *describer) leave(path, why string) {
	if d.Open == "" {
		d.Open = why
		if path != "" {
			d.Open = "field " + path + ": " + why
		}
	}
}

// typed notes the package of a type, and those of its type arguments.
func (d *describer) typed(path string, t reflect.Type) {
	from := []string{t.PkgPath()}
	if _, arguments, ok := strings.Cut(t.Name(), "["); ok {
		for name := range strings.FieldsFuncSeq(arguments, punctuates) {
			if dot := strings.LastIndexByte(name, '.'); dot > 0 {
				from = append(from, strings.TrimLeft(name[:dot], "."))
			}
		}
	}
	for _, name := range from {
		if name == "" {
			continue
		}
		d.Packages[name] = true
		if opaque.Foreign(name) {
			d.leave(path, fmt.Sprintf("%v is a type of the program's own, and its fields do not say what its code does", t))
		}
	}
}

// punctuates reports whether a rune ends a name among the arguments of a generic type.
func punctuates(r rune) bool { return strings.ContainsRune(" []{}(),;*", r) }

// place is somewhere in memory, seen as a type.
type place struct {
	at uintptr
	n  int
	t  reflect.Type
}

const longList = 16

func (d *describer) add(path, text string) {
	d.lines = append(d.lines, cmp.Or(path, "value")+" = "+text)
}

func (d *describer) value(path string, v reflect.Value) {
	if v.IsValid() {
		d.typed(path, v.Type())
		if opaque.Is(v) {
			d.leave(path, fmt.Sprintf("the fields of %v do not say all that it does", v.Type()))
		}
	}
	switch v.Kind() {
	case reflect.Func:
		name := function(v)
		d.add(path, name)
		d.function(path, name)
	case reflect.Interface:
		if v.IsNil() {
			d.add(path, "nil")
			return
		}
		if v.Elem().Kind() != reflect.Pointer {
			d.add(path, v.Elem().Type().String())
		}
		d.value(path, v.Elem())
	case reflect.Pointer:
		if path != "" { // the whole's type is told
			d.add(path, v.Type().String())
		}
		if v.IsNil() {
			d.add(path, "nil")
		} else if d.first(path, v, 0) {
			d.value(path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !v.Field(i).IsZero() && !running(f.Type) {
				d.value(strings.TrimPrefix(path+"."+f.Name, "."), v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || d.first(path, v, v.Len()) {
			d.list(path, v)
		}
	case reflect.Array:
		d.list(path, v)
	case reflect.Map:
		if v.Len() == 0 || d.first(path, v, 0) {
			d.dictionary(path, v)
		}
	default:
		d.add(path, string(appendBasic(nil, v)))
	}
}

// basic tells whether values of a kind hold no others.
func basic(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

// appendBasic appends a value that holds no others.
func appendBasic(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return append(b, strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())...)
	case reflect.String:
		return strconv.AppendQuote(b, v.String())
	}
	return append(b, v.Kind().String()...) // an address, a channel, nothing
}

// first reports whether v points to something that is met for the first time. If not, it adds where
// that was met before.
func (d *describer) first(path string, v reflect.Value, n int) bool {
	at := place{v.Pointer(), n, v.Type()}
	if before, ok := d.seen[at]; ok && v.Type().Elem().Size() > 0 {
		d.add(path, "the same as "+cmp.Or(before, "the whole"))
		return false
	}
	d.seen[at] = path
	return true
}

func (d *describer) list(path string, v reflect.Value) {
	d.add(path, fmt.Sprintf("%v of length %d", v.Type(), v.Len()))
	of := v.Type().Elem().Kind()
	whole := of >= reflect.Int && of <= reflect.Uint64 // such as a matroid's classes: on one line
	if v.Len() <= longList && !whole {
		for i := range v.Len() {
			d.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
		return
	}
	d.typed(path, v.Type().Elem())
	line := len(d.lines)
	if v.Len() <= longList {
		for i := range v.Len() {
			d.lines[line-1] += ", " + string(appendBasic(nil, v.Index(i)))
		}
		return
	}
	sum := fnv.New128a()
	var b []byte
	for i := range v.Len() {
		if basic(of) {
			b = append(appendBasic(b[:0], v.Index(i)), '\n')
		} else {
			d.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			b = append(b[:0], strings.Join(d.lines[line:], "\n")+"\n"...)
			d.lines = d.lines[:line]
		}
		sum.Write(b)
	}
	d.lines[line-1] += fmt.Sprintf(", hash %x", sum.Sum(nil)[:8])
}

func (d *describer) dictionary(path string, v reflect.Value) {
	d.add(path, fmt.Sprintf("%v of length %d", v.Type(), v.Len()))
	keys := make(map[string]reflect.Value)
	for it := v.MapRange(); it.Next(); {
		key := describer{seen: make(map[place]string), Code: Code{Packages: d.Packages}}
		key.value("key", it.Key())
		if key.Open != "" {
			d.leave(path, key.Open)
		}
		keys[strings.TrimPrefix(strings.Join(key.lines, ", "), "key = ")] = it.Value()
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		d.value(fmt.Sprintf("%s[%s]", path, key), keys[key])
	}
}

// function notes the package of a function.
func (d *describer) function(path, name string) {
	switch from := packageOf(name); {
	case name == "nil":
	case name == closure:
		d.leave(path, "it holds a closure, of which nothing says what it computes with")
	case opaque.Foreign(from):
		d.leave(path, "function "+name+" is the program's own")
	default:
		d.Packages[from] = true
	}
}

// function returns the name of a declared function. Closures get no name, as it would change with
// the code around them.
func function(v reflect.Value) string {
	if v.IsNil() {
		return "nil"
	}
	name := runtime.FuncForPC(v.Pointer()).Name()
	if base := name[strings.LastIndexByte(name, '/')+1:]; strings.Count(base, ".") > 1 || strings.HasSuffix(base, "-fm") {
		return closure
	}
	return name
}

const closure = "a closure"

// packageOf returns the path of the package of a declared function: "a.b/c" of "a.b/c.F".
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// running reports whether a type belongs to locks and counters, whose state is not a parameter.
func running(t reflect.Type) bool { return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" }

// Difference names the first difference between the descriptions in a file and of an experiment. It
// returns "" if there is none.
func Difference(file, experiment []string) string {
	for i := range max(len(file), len(experiment)) {
		switch {
		case i >= len(file):
			return experiment[i] + " in the experiment, and not in the file"
		case i >= len(experiment):
			return file[i] + " in the file, and not in the experiment"
		case file[i] == experiment[i]:
			continue
		}
		path, was, _ := strings.Cut(file[i], " = ")
		other, is, _ := strings.Cut(experiment[i], " = ")
		switch {
		case path == other:
			return fmt.Sprintf("%s is %s in the file and %s in the experiment", path, was, is)
		case !hasPath(experiment, path):
			return file[i] + " in the file, and not in the experiment"
		default:
			return experiment[i] + " in the experiment, and not in the file"
		}
	}
	return ""
}

func hasPath(lines []string, path string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, path+" = ") })
}
