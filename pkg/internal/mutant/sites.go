package mutant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Site is a place in the code that can be spoiled.
type Site struct {
	Name  string // function, and what is drawn there or what a sensitivity is made of
	Place string // file and line, from the module's root
	Kinds []string
	at    token.Pos
}

// A Module is the code of the toolkit, read and typed.
type Module struct {
	Sites []Site

	root     string
	path     string // of the module
	files    *token.FileSet
	packages map[string]*unit // by import path
	edits    map[string][]edit
}

// unit is a package.
type unit struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Export                             string

	syntax []*ast.File
	info   *types.Info
	above  map[ast.Node]ast.Node
}

// edit inserts text into a file.
type edit struct {
	offset int
	text   string
	closes bool // what is open there comes first
}

// spoiled reports whether a package's draws are sites: those of all that claims something. The
// noise itself, attacks, fixtures and tools are not.
func (m *Module) spoiled(path string) bool {
	for _, not := range []string{"audit", "privacy", "internal", "random", "cmd", "notebook", "cluster"} {
		if p := m.path + "/pkg/" + not; path == p || strings.HasPrefix(path, p+"/") {
			return false
		}
	}
	return true
}

// Read reads the packages below pkg/ of the module in root, and finds what can be spoiled.
func Read(ctx context.Context, root string) (*Module, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	m := &Module{root: root, files: token.NewFileSet(), packages: map[string]*unit{}, edits: map[string][]edit{}}
	list := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Export,Module", "./pkg/...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("mutant: go list: %w", err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			unit
			Module *struct {
				Path string
				Main bool
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && strings.HasPrefix(p.ImportPath, p.Module.Path+"/pkg/") { // not what pkg/cmd imports
			m.path = p.Module.Path
			m.packages[p.ImportPath] = &p.unit
		}
	}
	look := importer.ForCompiler(m.files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("mutant: no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for _, path := range slices.Sorted(maps.Keys(m.packages)) {
		u := m.packages[path]
		if err := m.parse(u); err != nil {
			return nil, err
		}
		if !m.spoiled(path) {
			continue
		}
		u.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		if _, err := (&types.Config{Importer: look}).Check(path, m.files, u.syntax, u.info); err != nil {
			return nil, err
		}
		if err := m.draws(u); err != nil {
			return nil, err
		}
		m.sensitivities(u)
	}
	for i, s := range m.Sites {
		at := m.files.Position(s.at)
		file, err := filepath.Rel(root, at.Filename)
		if err != nil {
			return nil, err
		}
		m.Sites[i].Place = fmt.Sprintf("%s:%d", filepath.ToSlash(file), at.Line)
	}
	return m, nil
}

// parse reads a package but for its tests.
func (m *Module) parse(u *unit) error {
	u.above = map[ast.Node]ast.Node{}
	for _, name := range u.GoFiles {
		f, err := parser.ParseFile(m.files, filepath.Join(u.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		u.syntax = append(u.syntax, f)
		var path []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				path = path[:len(path)-1]
				return true
			}
			if len(path) > 0 {
				u.above[n] = path[len(path)-1]
			}
			path = append(path, n)
			return true
		})
	}
	return nil
}

// site adds a site and returns its number.
func (m *Module) site(at token.Pos, name string, kinds ...string) int {
	m.Sites = append(m.Sites, Site{Name: name, Kinds: kinds, at: at})
	return len(m.Sites) - 1
}

// insert inserts text before a position.
func (m *Module) insert(at token.Pos, text string) {
	p := m.files.Position(at)
	m.edits[p.Filename] = append(m.edits[p.Filename], edit{offset: p.Offset, text: text})
}

// wrap puts text before and after an expression.
func (m *Module) wrap(n ast.Node, before, after string) {
	m.insert(n.Pos(), before)
	p := m.files.Position(n.End())
	m.edits[p.Filename] = append(m.edits[p.Filename], edit{p.Offset, after, true})
}

// text returns the source of an expression.
func (m *Module) text(n ast.Node) string { return types.ExprString(n.(ast.Expr)) }

// function returns the function that a node is in, and its name.
func (u *unit) function(n ast.Node) (*ast.FuncDecl, string) {
	for ; n != nil; n = u.above[n] {
		if f, ok := n.(*ast.FuncDecl); ok {
			name := f.Name.Name
			if f.Recv != nil {
				name = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + name
			}
			return f, name
		}
	}
	return nil, "init"
}

// privacyType reports whether a type is one of package privacy, or points to it.
func (m *Module) privacyType(t types.Type, name string) bool {
	if t == nil {
		return false
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == m.path+"/pkg/privacy" && n.Obj().Name() == name
}

// drawKinds are the mutations of what a method of privacy.Noise draws. Round is not among them:
// rounding is without bias, and no plan counts on it.
var drawKinds = map[string][]string{
	"Response": {"halve", "later", "skip", "skip2", "reuse"},
	"Shuffle":  {"halve", "later", "skip", "skip2", "reuse"},
	"Round":    nil,
	"System":   nil,
	"Source":   nil,
}

// numberKinds are the mutations of a draw of numbers.
var numberKinds = []string{"halve", "later", "skip", "skip2", "part", "reuse", "repeat"}

// draws finds the calls of privacy.Noise's methods.
func (m *Module) draws(u *unit) error {
	var err error
	for _, f := range u.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || u.info.Selections[s] == nil || !m.privacyType(u.info.Selections[s].Recv(), "Noise") {
				return true
			}
			method := s.Sel.Name
			kinds, special := drawKinds[method]
			if special && kinds == nil {
				return true
			}
			call, ok := u.above[s].(*ast.CallExpr)
			if !ok || call.Fun != s {
				err = fmt.Errorf("mutant: %v: a draw that is not a call of the method", m.files.Position(s.Pos()))
				return false
			}
			_, in := u.function(s)
			name := in + " draws " + method
			switch method {
			case "Response":
				id := m.site(call.Pos(), name, kinds...)
				m.wrap(call, fmt.Sprintf("mutantact.Response(%d, %s, %s, %s, ", id, m.text(s.X), m.text(call.Args[0]), m.text(call.Args[1])), ")")
			case "Shuffle":
				id := m.site(call.Pos(), name, kinds...)
				m.wrap(call, fmt.Sprintf("mutantact.Order(%d, %s, %s, func() { ", id, m.text(s.X), m.text(call.Args[0])), " })")
			default:
				spoil := "Numbers"
				if method == "SymmetricGaussian" || method == "Wishart" {
					spoil = "Matrix"
				}
				id := m.site(call.Pos(), name, numberKinds...)
				m.wrap(call, "", fmt.Sprintf("; mutantact.%s(%d, %s, %s)", spoil, id, m.text(s.X), m.text(call.Args[0])))
			}
			return true
		})
	}
	return err
}

// sensitivities finds the numbers in privacy.Norms, and in fields named Sensitivity or Joint, and
// what they are made of.
func (m *Module) sensitivities(u *unit) {
	s := &sources{Module: m, unit: u, done: map[string]bool{}, scales: map[types.Object]bool{}}
	s.each(func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && strings.HasSuffix(types.ExprString(c.Fun), "Law") {
			for _, a := range c.Args {
				if sel, ok := a.(*ast.SelectorExpr); ok {
					s.scales[u.info.Uses[sel.Sel]] = true
				}
			}
		}
	})
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			norms := m.privacyType(u.info.TypeOf(n), "Norms")
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				key, ok := kv.Key.(*ast.Ident)
				if ok && (norms && s.used(n, key.Name) || key.Name == "Sensitivity" || key.Name == "Joint") {
					s.stated(kv.Value, key.Name)
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				sel, ok := l.(*ast.SelectorExpr)
				if ok && u.info.Selections[sel] != nil && m.privacyType(u.info.Selections[sel].Recv(), "Norms") && len(n.Lhs) == len(n.Rhs) {
					s.stated(n.Rhs[i], sel.Sel.Name)
				}
			}
		}
	})
}

// sources finds what sensitivities of a package are made of.
type sources struct {
	*Module
	*unit
	done   map[string]bool       // what has been made a site
	scales map[types.Object]bool // fields that are the scale of a law
}

// used reports whether the law of a release uses a norm, as far as the literal shows its law.
func (s *sources) used(norms *ast.CompositeLit, norm string) bool {
	kv, ok := s.above[norms].(*ast.KeyValueExpr)
	if !ok {
		return true
	}
	release, ok := s.above[kv].(*ast.CompositeLit)
	if !ok {
		return true
	}
	for _, e := range release.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || types.ExprString(kv.Key) != "Law" {
			continue
		}
		call, ok := kv.Value.(*ast.CallExpr)
		if !ok {
			return true
		}
		law := types.ExprString(call.Fun)
		switch {
		case strings.Contains(law, "Gaussian"), strings.Contains(law, "Wishart"):
			return norm == "L2"
		case strings.Contains(law, "Laplace"):
			return norm != "L2"
		}
	}
	return true
}

// half makes a site of expressions, which are all halved together.
func (s *sources) half(key, name string, all ...ast.Expr) {
	all = slices.DeleteFunc(all, func(e ast.Expr) bool { return s.number(e) == "" })
	if len(all) == 0 || s.done[key] {
		return
	}
	s.done[key] = true
	id := s.site(all[0].Pos(), name, "shrink")
	for _, e := range all {
		s.wrap(e, fmt.Sprintf("mutantact.Half[%s](%d, ", s.number(e), id), ")")
	}
}

// number returns the name of the type that an expression has as a number, or "".
func (s *sources) number(e ast.Expr) string {
	t, ok := s.info.TypeOf(e).(*types.Basic)
	if !ok {
		return ""
	}
	switch t.Kind() {
	case types.Float64, types.UntypedFloat, types.UntypedInt:
		return "float64"
	case types.Int, types.Int64:
		return t.Name()
	}
	return ""
}

// stated makes sites of the value of a sensitivity, and of what it is made of. The first changes
// the plan alone, the others also the noise that is computed from the same.
func (s *sources) stated(e ast.Expr, field string) {
	if s.number(e) == "" {
		return
	}
	_, in := s.function(e)
	s.half(fmt.Sprint("value ", e.Pos()), fmt.Sprintf("%s states %s: %s", in, field, s.text(e)), e)
	s.parts(e)
}

// parts makes sites of the factors and terms of an expression: fields, local variables and calls.
// It does not look at what divides, or is taken away, and not at counts.
func (s *sources) parts(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		s.parts(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.MUL, token.ADD:
			s.parts(e.X)
			s.parts(e.Y)
		case token.QUO:
			s.parts(e.X)
		}
	case *ast.CallExpr:
		if tv := s.info.Types[e.Fun]; tv.IsType() || s.text(e.Fun) == "math.Sqrt" {
			s.parts(e.Args[0])
		} else if f := s.called(e); f != nil {
			s.calls(f)
		}
	case *ast.SelectorExpr:
		if sel := s.info.Selections[e]; sel != nil && sel.Kind() == types.FieldVal && !s.scales[sel.Obj()] {
			s.field(e, sel.Obj())
		}
	case *ast.Ident:
		if v, ok := s.info.Uses[e].(*types.Var); ok && s.number(e) == "float64" {
			s.variable(e, v)
		}
	}
}

// called returns the function or method of this package that a call calls, if it returns a number.
func (s *sources) called(c *ast.CallExpr) types.Object {
	if s.number(c) != "float64" {
		return nil
	}
	id, ok := c.Fun.(*ast.Ident)
	if sel, is := c.Fun.(*ast.SelectorExpr); is {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	f, ok := s.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != s.ImportPath {
		return nil
	}
	return f
}

// calls makes a site of all calls of a function.
func (s *sources) calls(f types.Object) {
	var all []ast.Expr
	s.each(func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && s.called(c) == f {
			all = append(all, c)
		}
	})
	s.half(fmt.Sprint("call ", f.Pos()), "every "+f.Name()+"()", all...)
}

// each visits all nodes of the package.
func (s *sources) each(visit func(ast.Node)) {
	for _, f := range s.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				visit(n)
			}
			return true
		})
	}
}

// field makes a site of what a field of this package is set to, or, if nothing sets it, of what is
// read of it in the same function.
func (s *sources) field(e *ast.SelectorExpr, f types.Object) {
	var all []ast.Expr
	if f.Pkg() != nil && f.Pkg().Path() == s.ImportPath {
		s.each(func(n ast.Node) {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if sel, ok := l.(*ast.SelectorExpr); ok && s.info.Uses[sel.Sel] == f && len(n.Lhs) == len(n.Rhs) {
						all = append(all, n.Rhs[i])
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && s.info.Uses[key] == f {
					all = append(all, n.Value)
				}
			}
		})
	}
	if len(all) > 0 {
		s.half(fmt.Sprint("field ", f.Pos()), "what "+s.text(e)+" is set to", all...)
		for _, v := range all {
			if id, ok := v.(*ast.Ident); ok {
				s.parts(id)
			}
		}
		return
	}
	in, name := s.function(e)
	if in == nil || s.number(e) != "float64" {
		return
	}
	ast.Inspect(in, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && s.info.Uses[sel.Sel] == f && s.text(sel) == s.text(e) && s.read(sel) {
			all = append(all, sel)
		}
		return true
	})
	s.half(fmt.Sprint("read ", in.Pos(), s.text(e)), fmt.Sprintf("%s reads %s", name, s.text(e)), all...)
}

// read reports whether an expression is read, not written or pointed to.
func (s *sources) read(e ast.Expr) bool {
	switch p := s.above[e].(type) {
	case *ast.AssignStmt:
		return !slices.Contains(p.Lhs, e)
	case *ast.IncDecStmt:
		return false
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.KeyValueExpr:
		return p.Value == e
	}
	return true
}

// variable makes a site of what a local variable is set to, and of what that is made of.
func (s *sources) variable(e *ast.Ident, v *types.Var) {
	var all []ast.Expr
	in, name := s.function(e)
	key := fmt.Sprint("variable ", v.Pos())
	if in == nil || s.done[key] {
		return
	}
	ast.Inspect(in, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
			for i, l := range a.Lhs {
				if id, ok := l.(*ast.Ident); ok && (s.info.Defs[id] == v || s.info.Uses[id] == v) {
					all = append(all, a.Rhs[i])
				}
			}
		}
		return true
	})
	s.half(key, fmt.Sprintf("%s sets %s", name, v.Name()), all...)
	for _, a := range all {
		s.parts(a)
	}
}

// A Mutation is a site and a kind of mutation.
type Mutation struct {
	Site int
	Kind string
}

// Mutations lists all mutations.
func (m *Module) Mutations() (all []Mutation) {
	for i, s := range m.Sites {
		for _, k := range s.Kinds {
			all = append(all, Mutation{i, k})
		}
	}
	return all
}

// Sources returns the files of the module that differ once every site can be spoiled, every seed
// changed, and every ledger silenced.
func (m *Module) Sources() (map[string]string, error) {
	edits := maps.Clone(m.edits)
	for path, u := range m.packages {
		if strings.HasPrefix(path, m.path+"/pkg/internal/") {
			continue
		}
		for _, name := range slices.Concat(u.GoFiles, u.TestGoFiles, u.XTestGoFiles) {
			file := filepath.Join(u.Dir, name)
			more, err := m.seeds(file)
			if err != nil {
				return nil, err
			}
			edits[file] = slices.Concat(edits[file], more)
		}
	}
	sources := map[string]string{}
	for file, list := range edits {
		if len(list) == 0 {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		changed, err := m.apply(string(source), list)
		if err != nil {
			return nil, fmt.Errorf("mutant: %s: %w", file, err)
		}
		sources[file] = changed
	}
	return sources, nil
}

// apply inserts text into a source, and imports what the text calls.
func (m *Module) apply(source string, list []edit) (string, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", source, parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	list = append(list, edit{offset: files.Position(f.Name.End()).Offset, text: "; import mutantact \"" + m.path + "/pkg/internal/mutant/act\""})
	slices.SortStableFunc(list, func(a, b edit) int {
		if a.offset == b.offset && a.closes != b.closes {
			if a.closes {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.offset, b.offset)
	})
	var b strings.Builder
	at := 0
	for _, e := range list {
		b.WriteString(source[at:e.offset])
		b.WriteString(e.text)
		at = e.offset
	}
	b.WriteString(source[at:])
	return b.String(), nil
}

// seeds wraps the first argument of every rand.NewPCG, and lets the ledger's checks be silenced.
func (m *Module) seeds(file string) (list []edit, err error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	rand := ""
	for _, i := range f.Imports {
		if i.Path.Value == `"math/rand/v2"` {
			if rand = "rand"; i.Name != nil {
				rand = i.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && rand != "" && len(n.Args) == 2 && types.ExprString(s) == rand+".NewPCG" {
				list = append(list, edit{offset: offset(n.Args[0].Pos()), text: "mutantact.Seed("}, edit{offset(n.Args[0].End()), ")", true})
			}
		case *ast.FuncDecl:
			if n.Recv != nil && types.ExprString(n.Recv.List[0].Type) == "*Ledger" && strings.HasPrefix(n.Name.Name, "Check") && f.Name.Name == "privacy" {
				list = append(list, edit{offset: offset(n.Body.Lbrace) + 1, text: "if mutantact.Blinded() { return nil }; "})
			}
		}
		return true
	})
	return list, nil
}
