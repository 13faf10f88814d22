package audit

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// Releases returns a Transcript of all that a learner's statistic releases, or its server
// broadcasts.
//
// It is for a run with a method Release, as those of learner.Private have, or Broadcast, as those
// of learner.Local have. Of any other it appends nothing. To keep long runs short, it takes the
// first 8 rounds and then those whose number has at most two binary digits before its zeros. Of a
// slice of numbers it takes the length and the first 4, and of a slice of structures the first 16.
// Of a Release that is a slice of numbers itself, as an external program's is, it takes the first
// 64.
func Releases(p bandit.Problem) func(run bandit.Run, round int, dst []float64) []float64 {
	return func(run bandit.Run, round int, dst []float64) []float64 { return appendReleases(p, run, round, dst) }
}

func appendReleases(p bandit.Problem, run bandit.Run, round int, dst []float64) []float64 {
	if round > 8 && bits.Len(uint(round))-bits.TrailingZeros(uint(round)) > 2 {
		return dst
	}
	for _, name := range []string{"Release", "Broadcast"} {
		if m := reflect.ValueOf(run).MethodByName(name); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
			v := m.Call(nil)[0]
			if all, ok := v.Interface().([]float64); ok && name == "Release" {
				dst = appendPadded(dst, all, shownAlone)
				continue
			}
			dst = appendNumbers(dst, p.Dim+1, v)
		}
	}
	return dst
}

// The numbers of elements that are taken of a slice of structures, of one of numbers, and of one
// that is a release by itself.
const shownStructs, shown, shownAlone = 16, 4, 64

// appendPadded appends the length of a list and its first n numbers, or zeros where it has fewer.
func appendPadded(dst, list []float64, n int) []float64 {
	dst = append(append(dst, float64(len(list))), list[:min(n, len(list))]...)
	return append(dst, make([]float64, n-min(n, len(list)))...)
}

// appendNumbers appends the numbers of a release, as many for every release of a type.
func appendNumbers(dst []float64, dim int, v reflect.Value) []float64 {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return dst
		}
		if sums, ok := v.Interface().(interface {
			Read([]float64)
		}); ok {
			out := make([]float64, packed.Size(dim))
			sums.Read(out)
			return append(dst, out...)
		}
		return appendNumbers(dst, dim, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				dst = appendNumbers(dst, dim, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		dst = append(dst, float64(v.Len()))
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct { // one for each arm
			for i := range min(shownStructs, v.Len()) {
				dst = appendNumbers(dst, dim, v.Index(i))
			}
			return dst
		}
		for i := range shown {
			if i < v.Len() {
				dst = appendNumbers(dst, dim, v.Index(i))
			} else {
				dst = append(dst, 0)
			}
		}
	case reflect.Float64, reflect.Float32:
		if x := v.Float(); x-x == 0 {
			return append(dst, x)
		} else if x > 0 {
			return append(dst, math.MaxFloat32)
		}
		return append(dst, -math.MaxFloat32)
	case reflect.Int, reflect.Int64, reflect.Int32:
		return append(dst, float64(v.Int()))
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	}
	return dst
}
