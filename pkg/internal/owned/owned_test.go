package owned_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/owned"
)

var errTest = errors.New("a test")

type inner struct {
	n    int
	list []float64
}

type outer struct {
	A, b  *inner // the same
	any   any
	table map[string]*inner
	ring  *outer
	pair  [2][]int
	err   error
	typ   reflect.Type
	by    func() int
	self  []any
}

func TestCopy(t *testing.T) {
	in := &inner{3, make([]float64, 1, 4)}
	x := &outer{A: in, b: in, any: inner{n: 4, list: []float64{5}}, table: map[string]*inner{"a": in}, pair: [2][]int{{1}, nil},
		err: errTest, typ: reflect.TypeFor[int](), by: func() int { return 7 }}
	x.ring, x.self = x, []any{nil, x}
	y := owned.Copy[any](x).(*outer)
	if y == x || y.A == in || y.A != y.b || y.table["a"] != y.A || y.ring != y || y.self[1] != any(y) {
		t.Fatal("pointers do not lead within the copy")
	}
	if y.err != errTest || y.typ != x.typ || y.by() != 7 || y.pair[1] != nil || cap(y.A.list) != 4 {
		t.Errorf("%+v", y)
	}
	y.A.n, y.A.list[0], y.pair[0][0] = 9, 9, 9
	y.any.(inner).list[0] = 9
	y.table["b"] = nil
	if in.n != 3 || in.list[0] != 0 || x.pair[0][0] != 1 || x.any.(inner).list[0] != 5 || len(x.table) != 1 {
		t.Errorf("a change of the copy changes the original: %+v", x)
	}
	if owned.Copy[error](nil) != nil || owned.Copy[any](nil) != nil {
		t.Error("nil has a copy")
	}
}
