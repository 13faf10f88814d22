// Package expect says what tests want of numbers and errors.
package expect

import (
	"math"
	"strings"
	"testing"
)

// Near fails unless got is want within a relative error.
func Near(t testing.TB, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s = %v, want %v within a relative %v", what, got, want, relative)
	}
}

// Error fails unless err names all the words.
func Error(t testing.TB, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one that names %q", what, words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: error %q does not name %q", what, err, w)
		}
	}
}

// Must returns a value that cannot fail.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
