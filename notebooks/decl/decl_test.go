package decl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	const src = `package p
type a[T any] int
var b, c = 1, 2
func (x a[T]) m() {}
func (x *(a[T])) m2() {}
func (x *e[S, T]) m3() {}`
	f, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			got = append(got, Names(d.Specs[0])...)
		case *ast.FuncDecl:
			got = append(got, Receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
		}
	}
	if want := []string{"a", "b", "c", "a.m", "a.m2", "e.m3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
