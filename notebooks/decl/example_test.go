package decl_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"log"

	"github.com/dpbandits/dpbandits/notebooks/decl"
)

// The name of a receiver's type is found below its pointer and its type parameters.
func ExampleReceiver() {
	for _, s := range []string{"own", "*own", "*own[T]"} {
		e, err := parser.ParseExpr(s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s, decl.Receiver(e))
	}
	fmt.Println(decl.Names(&ast.TypeSpec{Name: ast.NewIdent("greedy")}))
	// Output:
	// own own
	// *own own
	// *own[T] own
	// [greedy]
}
