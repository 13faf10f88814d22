package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/decl"
)

const module = "github.com/dpbandits/dpbandits/"

// Cell is a cell that the page can run.
type Cell struct {
	ID       string    `json:"id"`
	Controls []Control `json:"controls"`
	body     string
	uses     map[string]bool
}

// Program is a notebook as one Go program.
type Program struct {
	Cells  []*Cell
	Source []byte
}

// chunk is a declaration of one or more names, or a method of a type.
type chunk struct {
	names    []string
	receiver string
	method   string
	mends    []*Cell // what ran the method that this one replaces
	text     string
	uses     map[string]bool
	controls []Control // at its variables
}

// Cells reads the source of a notebook's code cells, by id and in order.
func Cells(notebook io.Reader) (ids, sources []string, err error) {
	var nb struct {
		Cells []struct {
			ID     string          `json:"id"`
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.NewDecoder(notebook).Decode(&nb); err != nil {
		return nil, nil, fmt.Errorf("the notebook: %w", err)
	}
	for _, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		var lines []string
		var text string
		if json.Unmarshal(c.Source, &lines) == nil {
			text = strings.Join(lines, "")
		} else if err := json.Unmarshal(c.Source, &text); err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", c.ID, err)
		}
		ids, sources = append(ids, c.ID), append(sources, text)
	}
	return ids, sources, nil
}

// notebook collects the declarations of cells, and their bodies.
type notebook struct {
	imports  map[string]string // specification by name
	declared map[string]*chunk
	methods  map[string][]*chunk // by type
	order    []*chunk
	cells    []*Cell
}

// Generate makes a program of the cells that draw and have controls: in the cell itself, or at a
// variable outside of it that it uses. What these cells do not use is left out.
func Generate(ids, sources []string) (*Program, error) {
	nb := &notebook{imports: map[string]string{}, declared: map[string]*chunk{}, methods: map[string][]*chunk{}}
	for i, source := range sources {
		if err := nb.read(ids[i], source); err != nil {
			return nil, fmt.Errorf("cell %s: %w", ids[i], err)
		}
	}
	p := &Program{}
	used := map[*chunk]bool{}
	for _, c := range nb.cells {
		reached, draws := map[*chunk]bool{}, strings.Contains(c.body, "charts.Show(")
		nb.reach(c.uses, reached)
		for _, d := range nb.order {
			if reached[d] {
				c.Controls = append(c.Controls, d.controls...)
				draws = draws || strings.Contains(d.text, "charts.Show(")
			}
		}
		if len(c.Controls) == 0 || !draws {
			continue
		}
		for d := range reached {
			if slices.Contains(d.mends, c) {
				return nil, fmt.Errorf("cell %s: %s.%s is declared again below it, which a page cannot show", c.ID, d.receiver, d.method)
			}
		}
		for i, control := range c.Controls {
			if slices.ContainsFunc(c.Controls[:i], func(o Control) bool { return o.Name == control.Name }) {
				return nil, fmt.Errorf("cell %s: two controls are called %s", c.ID, control.Name)
			}
		}
		p.Cells = append(p.Cells, c)
		maps.Copy(used, reached)
	}
	if len(p.Cells) == 0 {
		return nil, errors.New("no cell draws and has a control")
	}
	var err error
	p.Source, err = nb.write(p.Cells, used)
	return p, err
}

// read takes in one cell. What follows %% is the body of a function, the rest are declarations.
func (nb *notebook) read(id, source string) error {
	var declarations, body strings.Builder
	to := &declarations
	for line := range strings.Lines(source) {
		switch {
		case strings.HasPrefix(line, "%%"):
			to = &body
		case !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "!"):
			to.WriteString(line)
		}
	}
	if err := nb.declare(declarations.String()); err != nil {
		return err
	}
	if to == &declarations {
		return nil
	}
	const head, foot = "package main\nfunc _() {\n", "\n}\n"
	text := head + body.String() + foot
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return err
	}
	c := &Cell{ID: id, uses: names(f)}
	marks, err := marked(set, f)
	if err != nil {
		return err
	}
	var edits []edit
	for _, m := range marks {
		for _, v := range m.controls {
			edits = append(edits, edit{set.Position(m.node.End()).Offset, fmt.Sprintf("; %s = page.Value(%[1]q, %[1]s)", v.Name)})
		}
		c.Controls = append(c.Controls, m.controls...)
	}
	c.body = strings.TrimSuffix(apply(text, edits)[len(head):], foot)
	nb.cells = append(nb.cells, c)
	return nil
}

// declare takes in the declarations of a cell.
func (nb *notebook) declare(text string) error {
	text = "package main\n" + text
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return err
	}
	marks, err := marked(set, f)
	if err != nil {
		return err
	}
	source := func(n ast.Node) string { return text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset] }
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c := &chunk{names: []string{d.Name.Name}, text: source(d), uses: names(d)}
			if d.Recv != nil {
				c.names, c.receiver, c.method = nil, decl.Receiver(d.Recv.List[0].Type), d.Name.Name
			}
			if err := nb.add(c); err != nil {
				return err
			}
		case *ast.GenDecl:
			if d.Tok == token.CONST && d.Lparen.IsValid() { // iota counts in the whole of it
				c := &chunk{text: source(d), uses: names(d)}
				for _, s := range d.Specs {
					c.names = append(c.names, decl.Names(s)...)
				}
				if err := nb.add(c); err != nil {
					return err
				}
				continue
			}
			for _, s := range d.Specs {
				if i, ok := s.(*ast.ImportSpec); ok {
					nb.imports[importName(i)] = source(i)
					continue
				}
				c := &chunk{names: decl.Names(s), uses: names(s), text: d.Tok.String() + " " + source(s)}
				for _, m := range marks {
					if m.node == s {
						c.controls = m.controls
						c.text = d.Tok.String() + " " + controlled(source(s), m.controls)
					}
				}
				if err := nb.add(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (nb *notebook) add(c *chunk) error {
	for _, n := range c.names {
		if n == "_" {
			continue
		}
		if nb.declared[n] != nil {
			return fmt.Errorf("%s is declared a second time, which a page cannot have", n)
		}
		nb.declared[n] = c
	}
	if c.receiver != "" {
		older := func(o *chunk) bool { return o.receiver == c.receiver && o.method == c.method }
		if slices.ContainsFunc(nb.order, older) {
			c.mends = slices.Clone(nb.cells)
			nb.order = slices.DeleteFunc(nb.order, older)
		}
		nb.methods[c.receiver] = append(slices.DeleteFunc(nb.methods[c.receiver], older), c)
	}
	nb.order = append(nb.order, c)
	return nil
}

// reach adds the declarations that the names need, with what these need.
func (nb *notebook) reach(uses map[string]bool, reached map[*chunk]bool) {
	for name := range uses {
		for _, c := range append([]*chunk{nb.declared[name]}, nb.methods[name]...) {
			if c != nil && !reached[c] {
				reached[c] = true
				nb.reach(c.uses, reached)
			}
		}
	}
}

// write puts the program together.
func (nb *notebook) write(cells []*Cell, used map[*chunk]bool) ([]byte, error) {
	var b strings.Builder
	for _, c := range nb.order {
		if used[c] {
			b.WriteString(c.text + "\n\n")
		}
	}
	b.WriteString("func main() {\npage.Run(map[string]func(){\n")
	for _, c := range cells {
		fmt.Fprintf(&b, "%q: func() {\n%s\n},\n", c.ID, c.body)
	}
	b.WriteString("})\n}\n")

	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+b.String(), 0)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, i := range f.Unresolved {
		if spec, ok := nb.imports[i.Name]; ok && !slices.Contains(imports, spec) {
			imports = append(imports, spec)
		}
	}
	slices.Sort(imports)
	head := "//go:build page\n\npackage main\n\nimport (\n" + strings.Join(imports, "\n") + "\n\n" + strconv.Quote(module+"notebooks/page") + "\n)\n\n"
	return format.Source([]byte(head + b.String()))
}

// names lists all identifiers below a node.
func names(n ast.Node) map[string]bool {
	list := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok {
			list[i.Name] = true
		}
		return true
	})
	return list
}

// importName returns the name of an imported package, which is the last element of its path that is
// no version.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	elements := strings.Split(strings.Trim(i.Path.Value, "\""), "/")
	last := elements[len(elements)-1]
	if len(elements) > 1 && regexp.MustCompile(`^v\d+$`).MatchString(last) {
		last = elements[len(elements)-2]
	}
	return last
}

// edit inserts a text.
type edit struct {
	at   int
	text string
}

func apply(text string, edits []edit) string {
	for _, e := range slices.Backward(edits) {
		text = text[:e.at] + e.text + text[e.at:]
	}
	return text
}
