package copies_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/dpbandits/dpbandits/pkg/internal/copies"
)

func TestNoted(t *testing.T) {
	type pair struct{ a, b *int }
	x, y := &pair{}, &pair{}
	if copies.Noted(x) {
		t.Error("noted before it was")
	}
	copies.Note(unsafe.Pointer(x), reflect.TypeFor[pair]())
	for v, want := range map[any]bool{x: true, y: false, &x.a: false, &x.b: false, *x: false, (*pair)(nil): false} {
		if copies.Noted(v) != want {
			t.Errorf("%T: noted is %v, want %v", v, !want, want)
		}
	}
	if copies.Noted(nil) {
		t.Error("nil is noted")
	}
}
