package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// Help is what an editor shows at a place of a cell.
type Help struct {
	Names      []string // what may stand there
	Start, End int      // what they replace, in bytes
	Text       string   // what stands there
}

// here takes the place of the word at the cursor.
const here = "goCompletionHere"

var (
	wordBefore = regexp.MustCompile(`[\pL_][\pL_\pN]*$`)
	wordAfter  = regexp.MustCompile(`^[\pL_\pN]*`)
)

// Paths lists the packages that help with a cell may ask the importer for.
func (n *Notebook) Paths(cell string) (paths []string) {
	c, _ := n.sketch(cell, 0)
	for _, i := range c.Imports {
		if m := quoted.FindStringSubmatch(i.Spec); m != nil {
			paths = append(paths, m[1])
		}
	}
	return paths
}

var quoted = regexp.MustCompile(`"([^"]+)"`)

// sketch takes in a cell as far as it can be read.
func (n *Notebook) sketch(cell string, count int) (*Notebook, string) {
	p := &Program{next: n.copy()}
	text, _, err := p.special(cell)
	if err != nil {
		return p.next, ""
	}
	p.next.draft = true
	main, _ := p.next.declare(text, count)
	return p.next, main
}

// Help returns what may stand at a place of a cell, and what stands there. The importer reads the
// packages.
func (n *Notebook) Help(cell string, at int, importer types.Importer) Help {
	at = min(max(at, 0), len(cell))
	before, after := wordBefore.FindString(cell[:at]), wordAfter.FindString(cell[at:])
	h := Help{Start: at - len(before), End: at}
	word := before + after
	marked := cell[:h.Start] + here + cell[at+len(after):]
	next, main := n.sketch(marked, 0)
	if main == "" {
		main = "func main() {}"
	}
	var b strings.Builder
	b.WriteString("package main\n")
	for _, i := range next.Imports {
		fmt.Fprintf(&b, "import %s\n", i.Spec)
	}
	for _, d := range next.Declarations {
		b.WriteString(d.Text + "\n")
	}
	b.WriteString(main)
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", b.String(), parser.SkipObjectResolution)
	if f == nil {
		return h
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{}}
	config := types.Config{Importer: importer, Error: func(error) {}}
	own, _ := config.Check("main", set, []*ast.File{f}, info)
	var objects []types.Object
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if node.Sel.Name == here {
				objects = selected(info, node.X, own)
				return false
			}
		case *ast.Ident:
			if node.Name == here && objects == nil {
				objects = visible(info, own, node.Pos())
			}
		}
		return true
	})
	for _, o := range objects {
		if strings.HasPrefix(o.Name(), before) && o.Name() != here && o.Name() != "main" {
			h.Names = append(h.Names, o.Name())
		}
		if o.Name() == word {
			h.Text = types.ObjectString(o, func(p *types.Package) string { return p.Name() })
		}
	}
	slices.Sort(h.Names)
	h.Names = slices.Compact(h.Names)
	return h
}

// selected lists what may follow the point after an expression.
func selected(info *types.Info, x ast.Expr, own *types.Package) (list []types.Object) {
	if i, ok := x.(*ast.Ident); ok {
		if p, ok := info.Uses[i].(*types.PkgName); ok {
			scope := p.Imported().Scope()
			for _, name := range scope.Names() {
				if token.IsExported(name) {
					list = append(list, scope.Lookup(name))
				}
			}
			return list
		}
	}
	t := info.Types[x].Type
	if t == nil {
		return nil
	}
	ours := func(o types.Object) bool { return o.Exported() || o.Pkg() == own }
	pointer := t
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		pointer = types.NewPointer(t)
	}
	methods := types.NewMethodSet(pointer)
	for i := range methods.Len() {
		if o := methods.At(i).Obj(); ours(o) {
			list = append(list, o)
		}
	}
	return append(list, fields(t, ours, map[types.Type]bool{})...)
}

// fields lists the fields of a struct, and of those that it embeds.
func fields(t types.Type, ours func(types.Object) bool, seen map[types.Type]bool) (list []types.Object) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return nil
	}
	seen[t] = true
	for i := range s.NumFields() {
		f := s.Field(i)
		if ours(f) {
			list = append(list, f)
		}
		if f.Embedded() {
			list = append(list, fields(f.Type(), ours, seen)...)
		}
	}
	return list
}

// visible lists what a name may mean at a place.
func visible(info *types.Info, own *types.Package, at token.Pos) (list []types.Object) {
	inner := own.Scope()
	for _, s := range info.Scopes {
		if s.Contains(at) && (inner == own.Scope() || inner.Contains(s.Pos()) && s.End() <= inner.End()) {
			inner = s
		}
	}
	for s := inner; s != nil; s = s.Parent() {
		for _, name := range s.Names() {
			if _, o := inner.LookupParent(name, at); o != nil {
				list = append(list, o)
			}
		}
	}
	return list
}
