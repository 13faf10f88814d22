// Package serial writes what a statistic releases as numbers, and reads it back.
//
//   - [Write] and [Read]
//   - [Names] has a name for each number
package serial

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// Write appends to dst all that a statistic shows after a record: whether Add said that the
// release has moved, and every field of the release, as numbers.
//
// A bool is 0 or 1, a slice its length before its elements, a nil one -1, a string its bytes as a
// slice. Equal numbers mean equal releases, and Read makes a release of them. Checks,
// attacks and replays of a policy all read a statistic through this function, so a release has to
// be plain data: a field that is unexported, a pointer, a function, a map, an interface or a
// channel is an error that names it. So is an integer beyond 2^53.
func Write(dst []float64, moved bool, release any) ([]float64, error) {
	v, err := plain(release)
	if err != nil {
		return dst, err
	}
	return write(append(dst, number(moved)), v)
}

// Read writes numbers that Write made of a release of the same type into another, and
// returns moved. It makes all slices anew.
func Read(numbers []float64, release any) (moved bool, err error) {
	v, err := plain(release)
	if err != nil {
		return false, err
	}
	r := reader{numbers: numbers}
	moved = r.next() != 0
	r.read(v)
	if r.short || len(r.numbers) > 0 {
		return false, fmt.Errorf("privacy: %d numbers are not those of a %v", len(numbers), v.Type())
	}
	return moved, nil
}

// Names returns a name for each number that Write makes of a release, such as
// "Means.Of[1].Tail.Root", for messages.
func Names(release any) ([]string, error) {
	v, err := plain(release)
	if err != nil {
		return nil, err
	}
	return names([]string{"moved"}, v, v.Type().Name()), nil
}

// plain returns what a release points to, once its type is known to be plain data.
func plain(release any) (reflect.Value, error) {
	v := reflect.ValueOf(release)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return v, fmt.Errorf("privacy: a release that is %T, want a pointer to plain data, not nil", release)
	}
	v = v.Elem()
	if _, ok := plainTypes.Load(v.Type()); ok {
		return v, nil
	}
	if err := checkPlain(v.Type(), v.Type().String(), map[reflect.Type]bool{}); err != nil {
		return v, err
	}
	plainTypes.Store(v.Type(), true)
	return v, nil
}

var plainTypes sync.Map // types that checkPlain has found plain

// checkPlain reports a part of a type that is not plain data.
func checkPlain(t reflect.Type, path string, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Slice, reflect.Array:
		return checkPlain(t.Elem(), path+"[]", seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return fmt.Errorf("privacy: %s.%s is unexported, and a release is looked at in all its fields: export it, or keep it in the statistic", path, f.Name)
			}
			if err := checkPlain(f.Type, path+"."+f.Name, seen); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("privacy: %s is a %v, want plain data: numbers, bools, strings, and slices, arrays and structs of them", path, t.Kind())
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func write(dst []float64, v reflect.Value) (_ []float64, err error) {
	switch {
	case v.Kind() == reflect.Bool:
		return append(dst, number(v.Bool())), nil
	case v.CanFloat():
		return append(dst, v.Float()), nil
	case v.CanInt():
		x := float64(v.Int())
		if int64(x) != v.Int() || x > 1<<53 || x < -1<<53 {
			return dst, fmt.Errorf("privacy: a release holds the integer %d, want one within 2^53", v.Int())
		}
		return append(dst, x), nil
	case v.CanUint():
		if v.Uint() > 1<<53 {
			return dst, fmt.Errorf("privacy: a release holds the integer %d, want one within 2^53", v.Uint())
		}
		return append(dst, float64(v.Uint())), nil
	case v.Kind() == reflect.String:
		dst = append(dst, float64(v.Len()))
		for _, b := range []byte(v.String()) {
			dst = append(dst, float64(b))
		}
		return dst, nil
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if dst, err = write(dst, v.Field(i)); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case v.Kind() == reflect.Slice && v.IsNil():
		return append(dst, -1), nil
	case v.Kind() == reflect.Slice:
		dst = append(dst, float64(v.Len()))
	}
	for i := range v.Len() {
		if dst, err = write(dst, v.Index(i)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// names appends the names of what write appends.
func names(dst []string, v reflect.Value, path string) []string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			dst = names(dst, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.String:
		dst = append(dst, "len("+path+")")
		for i := range v.Len() {
			dst = append(dst, path+"["+strconv.Itoa(i)+"]")
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			dst = append(dst, "len("+path+")")
		}
		for i := range v.Len() {
			dst = names(dst, v.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
	default:
		dst = append(dst, path)
	}
	return dst
}

// reader reads what write has written.
type reader struct {
	numbers []float64
	short   bool // there were too few
}

func (r *reader) next() float64 {
	if len(r.numbers) == 0 {
		r.short = true
		return 0
	}
	x := r.numbers[0]
	r.numbers = r.numbers[1:]
	return x
}

// length reads a length, of at most as many elements as there are numbers.
func (r *reader) length() int {
	n := r.next()
	if !(n >= -1 && n <= float64(len(r.numbers))) {
		r.short = true
		return 0
	}
	return int(n)
}

func (r *reader) read(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(r.next() != 0)
	case v.CanFloat():
		v.SetFloat(r.next())
	case v.CanInt():
		v.SetInt(int64(r.next()))
	case v.CanUint():
		v.SetUint(uint64(r.next()))
	case v.Kind() == reflect.String:
		b := make([]byte, max(0, r.length()))
		for i := range b {
			b[i] = byte(r.next())
		}
		v.SetString(string(b))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			r.read(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		n := r.length()
		if v.SetZero(); n < 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	default:
		for i := range v.Len() {
			r.read(v.Index(i))
		}
	}
}
