// Package decl names what the declarations of a notebook's cell declare.
package decl

import "go/ast"

// Names returns the names that a specification of types, variables or constants declares.
func Names(s ast.Spec) (list []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			list = append(list, n.Name)
		}
	}
	return list
}

// Receiver returns the name of the type of a method's receiver, and "?" if e names none.
func Receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return Receiver(e.X)
	case *ast.ParenExpr:
		return Receiver(e.X)
	case *ast.IndexExpr:
		return Receiver(e.X)
	case *ast.IndexListExpr:
		return Receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
