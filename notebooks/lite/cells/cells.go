// Package cells turns a notebook's cells into Go programs, as the kernel GoNB does: declarations
// last from cell to cell, values do not, and what follows %% is the body of main.
package cells

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/decl"
)

// Notebook is what the cells have declared so far. It is saved as JSON.
type Notebook struct {
	Imports      []Import
	Declarations []Declaration
	Env          map[string]string // what %env has set
	Args         []string          // of the next program
	Cells        map[int]string    // source by execution count, for messages
	packages     map[string]string // name by path, of all that can be imported
	draft        bool              // it is read as far as it goes
}

// Import is an import declaration. The name is the one that a cell uses.
type Import struct{ Name, Spec string }

// Declaration is a declaration of one or more names, or a method.
type Declaration struct {
	Names              []string // of a method: type and name, with a point between
	Text               string
	Cell, Line, Column int // where it stands
}

// Program is what a cell asks for.
type Program struct {
	Source  string   // empty where there is nothing to compile
	Run     bool     // it does more than declare
	Imports []string // paths
	Args    []string
	Said    string // what special lines print
	next    *Notebook
}

// New returns a notebook without cells. The packages that it can import are named by their paths.
func New(packages map[string]string) *Notebook {
	return &Notebook{Env: map[string]string{}, Cells: map[int]string{}, packages: packages}
}

// Adopt gives a notebook that was saved the packages that it can import.
func (n *Notebook) Adopt(packages map[string]string) { n.packages = packages }

// Commit makes the declarations of a program last, once it has compiled.
func (n *Notebook) Commit(p *Program) {
	if p.next != nil {
		*n = *p.next
	}
}

// Compose turns a cell into a program. The count is the number that the notebook shows beside it.
func (n *Notebook) Compose(cell string, count int) (*Program, error) {
	n.Cells[count] = cell
	p := &Program{next: n.copy()}
	text, main, err := p.special(cell)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return p, nil
	}
	run, err := p.next.declare(text, count)
	if err != nil {
		return nil, n.explain(err)
	}
	if run == "" {
		run = "func main() {}\n"
	}
	p.Run = main || strings.HasPrefix(run, "//line") || p.next.effects(count)
	p.Args, p.next.Args = p.next.Args, nil
	p.Source, p.Imports, err = p.next.compose(run)
	return p, err
}

func (n *Notebook) copy() *Notebook {
	c := *n
	c.Imports, c.Declarations, c.Args = slices.Clone(n.Imports), slices.Clone(n.Declarations), slices.Clone(n.Args)
	c.Env = map[string]string{}
	for k, v := range n.Env {
		c.Env[k] = v
	}
	return &c
}

// file is the name under which the compiler knows a cell.
func file(count int) string { return fmt.Sprintf("cell [%d]", count) }

// declare takes in the declarations of a cell, and returns its main function, if it has one.
func (n *Notebook) declare(text string, count int) (main string, err error) {
	head := fmt.Sprintf("package main\n//line %s:1:1\n", file(count))
	text = head + text
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || err != nil && !n.draft {
		return "", err
	}
	source := func(from, to token.Pos) string {
		return text[set.PositionFor(from, false).Offset:set.PositionFor(to, false).Offset]
	}
	at := func(d Declaration, from token.Pos) Declaration {
		place := set.Position(from)
		d.Cell, d.Line, d.Column = count, place.Line, place.Column
		return d
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			made := at(Declaration{Names: []string{d.Name.Name}, Text: source(d.Pos(), d.End())}, d.Pos())
			switch name := d.Name.Name; {
			case d.Recv != nil && len(d.Recv.List) == 1:
				made.Names = []string{decl.Receiver(d.Recv.List[0].Type) + "." + name}
			case name == "main":
				main = made.String()
				continue
			case strings.HasPrefix(name, "init_"):
				made.Text = source(d.Pos(), d.Name.Pos()) + "init" + source(d.Name.End(), d.End())
			}
			n.add(made)
		case *ast.GenDecl:
			if d.Tok == token.CONST && d.Lparen.IsValid() { // iota counts in the whole of it
				made := at(Declaration{Text: source(d.Pos(), d.End())}, d.Pos())
				for _, s := range d.Specs {
					made.Names = append(made.Names, decl.Names(s)...)
				}
				n.add(made)
				continue
			}
			for _, s := range d.Specs {
				if i, ok := s.(*ast.ImportSpec); ok {
					if err := n.addImport(i, source(i.Pos(), i.End())); err != nil {
						return "", fmt.Errorf("%s: %w", set.Position(i.Pos()), err)
					}
					continue
				}
				made := at(Declaration{Names: decl.Names(s), Text: d.Tok.String() + " " + source(s.Pos(), s.End())}, s.Pos())
				made.Column = max(1, made.Column-len(d.Tok.String())-1)
				n.add(made)
			}
		}
	}
	return main, nil
}

// String returns the declaration as the program has it, with its place for the compiler.
func (d Declaration) String() string {
	return fmt.Sprintf("//line %s:%d:%d\n%s\n", file(d.Cell), d.Line, d.Column, d.Text)
}

// add puts a declaration in the place of those that have one of its names.
func (n *Notebook) add(d Declaration) {
	n.Declarations = append(slices.DeleteFunc(n.Declarations, func(o Declaration) bool {
		if o.Text == d.Text {
			return true
		}
		return slices.ContainsFunc(o.Names, func(name string) bool { return name != "_" && slices.Contains(d.Names, name) })
	}), d)
}

func (n *Notebook) addImport(i *ast.ImportSpec, spec string) error {
	name, ok := n.packages[path(i)]
	if !ok && path(i) != "unsafe" {
		return fmt.Errorf("this page has no package %s: it has what the notebooks and the toolkit import, and fetches nothing", i.Path.Value)
	}
	if i.Name != nil {
		name = i.Name.Name
	} else if name == "" {
		name = "unsafe"
	}
	n.Imports = append(slices.DeleteFunc(n.Imports, func(o Import) bool {
		return o.Spec == spec || o.Name == name && name != "_" && name != "."
	}), Import{name, spec})
	return nil
}

func path(i *ast.ImportSpec) string {
	p, _ := strconv.Unquote(i.Path.Value) // the parser has checked it
	return p
}

// effects reports whether what a cell declares may do something when a program starts.
func (n *Notebook) effects(count int) bool {
	return slices.ContainsFunc(n.Declarations, func(d Declaration) bool {
		return d.Cell == count && (strings.HasPrefix(d.Text, "var ") && strings.Contains(d.Text, "(") ||
			strings.HasPrefix(d.Text, "func init()"))
	})
}

// compose writes the program of all declarations and a main function, with the imports that it
// uses.
func (n *Notebook) compose(main string) (source string, paths []string, err error) {
	var b strings.Builder
	for _, d := range n.Declarations {
		b.WriteString(d.String())
	}
	b.WriteString(main)
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+b.String(), 0)
	if err != nil {
		return "", nil, err
	}
	used := map[string]bool{}
	for _, i := range f.Unresolved {
		used[i.Name] = true
	}
	var specs []string
	for _, i := range n.Imports {
		if used[i.Name] || i.Name == "_" || i.Name == "." {
			specs = append(specs, i.Spec)
			delete(used, i.Name)
		}
	}
	specs = append(specs, n.missing(f, used)...)
	slices.Sort(specs)
	head := "package main\n"
	if len(specs) > 0 {
		head += "import (\n" + strings.Join(specs, "\n") + "\n)\n"
	}
	h, err := parser.ParseFile(token.NewFileSet(), "", head, parser.ImportsOnly)
	if err != nil {
		return "", nil, err
	}
	for _, i := range h.Imports {
		paths = append(paths, path(i))
	}
	return head + b.String(), paths, nil
}

// missing returns imports of standard packages that the program uses without importing them.
func (n *Notebook) missing(f *ast.File, unresolved map[string]bool) (specs []string) {
	wanted := map[string]bool{}
	ast.Inspect(f, func(node ast.Node) bool {
		if s, ok := node.(*ast.SelectorExpr); ok {
			if i, ok := s.X.(*ast.Ident); ok && unresolved[i.Name] && s.Sel.IsExported() {
				wanted[i.Name] = true
			}
		}
		return true
	})
	for name := range wanted {
		best := ""
		for p, own := range n.packages {
			first, _, _ := strings.Cut(p, "/")
			if own != name || strings.Contains(first, ".") || strings.Contains(p, "internal/") {
				continue
			}
			if best == "" || len(p) < len(best) || len(p) == len(best) && p < best {
				best = p
			}
		}
		if best != "" {
			specs = append(specs, strconv.Quote(best))
		}
	}
	return specs
}

// place is how the parser and the compiler name a line of a cell.
var place = regexp.MustCompile(`^(?:.*/)?cell \[(\d+)\]:(\d+)(?::(\d+))?: (.*)$`)

// Explain returns the compiler's messages with the lines that they are about.
func (n *Notebook) Explain(messages string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(messages)) {
		line = strings.TrimRight(line, "\n")
		m := place.FindStringSubmatch(line)
		if m == nil {
			fmt.Fprintln(&b, line)
			continue
		}
		count, _ := strconv.Atoi(m[1])
		row, _ := strconv.Atoi(m[2])
		fmt.Fprintf(&b, "cell [%d], line %d: %s\n", count, row, m[4])
		if lines := strings.Split(n.Cells[count], "\n"); row >= 1 && row <= len(lines) {
			fmt.Fprintf(&b, "  %4d | %s\n", row, lines[row-1])
		}
	}
	if len(n.Imports)+len(n.Declarations) == 0 && strings.Contains(messages, ": undefined: ") {
		fmt.Fprintln(&b, "Nothing is declared yet: run the cells above first. A page that is opened again starts anew.")
	}
	return b.String()
}

func (n *Notebook) explain(err error) error {
	return errors.New(strings.TrimRight(n.Explain(err.Error()), "\n"))
}

// Env returns the environment that special lines have set for the program.
func (p *Program) Env() map[string]string { return p.next.Env }
