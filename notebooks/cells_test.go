// Package notebooks checks how the cells of the notebooks are written, and counts what they are
// made of.
package notebooks

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

const (
	module = "github.com/dpbandits/dpbandits/"
	// shared are the folders below notebooks/ that do not belong to one paper. What they hold does not
	// hide an experiment.
	shared = "cell lab exercise exercises"
)

// TestCellsShowTheToolkit counts the cells of each notebook that draw. A cell draws from a
// committed table, or it computes what it draws. Of those that compute, at least four fifths are
// built of packages in pkg/ and a named parameter, in view: in the cell itself or in a cell whose
// declarations it uses. A paper's own folder helps with committed tables, with checks, and with
// words and measures of what the cell has computed, but plays nothing.
func TestCellsShowTheToolkit(t *testing.T) {
	each(t, all(t), func(t *testing.T, path string) {
		nb := read(t, path)
		var committed, computed, built int
		for _, c := range nb.cells {
			helpers, reads := nb.helpers(t, c)
			if len(helpers) > 0 && !reads && !c.checks() {
				t.Errorf("cell %s hides what it does behind %s", c.ID, strings.Join(helpers, ", "))
			}
			switch {
			case !c.uses("charts", "Show") || c.checks():
			case reads:
				committed++
			default:
				computed++
				if pkg, named := nb.inView(c, map[*codeCell]bool{}); pkg && named && len(helpers) == 0 {
					built++
				} else {
					t.Logf("cell %s: of packages in pkg/: %v; with a named parameter: %v", c.ID, pkg, named)
				}
			}
		}
		t.Logf("%d cells draw committed tables, %d what they compute, %d of these in view", committed, computed, built)
		if 5*built < 4*computed {
			t.Errorf("%d of %d cells that compute what they draw show how, want four fifths", built, computed)
		}
	})
}

// TestPlain: a function that makes an experiment, or uses one that does, is no plain helper.
func TestPlain(t *testing.T) {
	list := declarations(t, "jdp")
	for name, want := range map[string]bool{"Streaming": false, "FigureStreaming": false, "MustBars": false} {
		if d, ok := list[name]; !ok || d.plain != want {
			t.Errorf("jdp.%s: declared %v, plain %v, want %v", name, ok, d.plain, want)
		}
	}
	for path, want := range map[string]bool{
		"math": false, module + "charts": false, module + "notebooks/cell": false,
		module + "pkg/learner": true, module + "notebooks/lab": true, module + "pkg/simulate": true,
	} {
		if plays(path, "F") != want {
			t.Errorf("%s.F may play: %v, want %v", path, !want, want)
		}
	}
	if plays(module+"pkg/simulate", "Curve") {
		t.Error("a curve plays")
	}
}

// running is how many lines of code a cell that runs something has at most, by the number of the
// lesson. A lesson that is not here has the limit of all cells.
var running = map[string]int{"01": 15, "02": 15, "05": 15, "06": 15}

func TestCellsAreShort(t *testing.T) {
	each(t, all(t), func(t *testing.T, path string) {
		number, _, _ := strings.Cut(filepath.Base(path), "-")
		notebooktest.Short(t, path, cmp.Or(running[number], 30))
	})
}

// statements begin the names of tables of theorems beside runs, of which no notebook says how long
// they took.
var statements = []string{"ldp-events", "ldp-rates-", "ldp-sqrt", "mat-table1-", "jdp-pulls", "jdp-rates", "jdp-joint"}

// TestRunTimes: the runs at the paper's size took as long as the notebooks say, in minutes of one
// core.
func TestRunTimes(t *testing.T) {
	for of, minutes := range map[string]float64{"jdp": 20 * 60, "ldp": 13, "mat": 15} {
		paths, err := filepath.Glob("results/" + of + "-*.csv")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no tables of %s: %v", of, err)
		}
		busy := 0.0
		for _, path := range paths {
			if filepath.Base(path) == "ldp-Table1.csv" { // a report, which has no provenance
				continue
			}
			if slices.ContainsFunc(statements, func(begin string) bool { return strings.HasPrefix(filepath.Base(path), begin) }) {
				continue
			}
			busy += lab.MustTable(strings.TrimSuffix(filepath.Base(path), ".csv")).Provenance.Busy.Minutes()
		}
		if math.Abs(busy/minutes-1) > 0.05 {
			t.Errorf("%s: %.1f minutes, and its notebook says %.0f", of, busy, minutes)
		}
	}
}

func TestCellsAreFormatted(t *testing.T) { each(t, all(t), notebooktest.Formatted) }

// lessons lists the lessons.
func lessons(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	return paths
}

// all lists every notebook: the lessons, and the evidence behind each.
func all(t *testing.T) (paths []string) {
	t.Helper()
	for _, lesson := range lessons(t) {
		paths = append(paths, notebooktest.Files(t, lesson)...)
	}
	return paths
}

// each runs a test on each of some notebooks.
func each(t *testing.T, paths []string, test func(t *testing.T, path string)) {
	t.Helper()
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) { test(t, path) })
	}
}

// notebook is the code of a notebook.
type notebook struct {
	cells    []*codeCell
	imports  map[string]string // path by name
	declared map[string]*codeCell
}

// codeCell is a cell with what it names.
type codeCell struct {
	ID        string
	selectors map[[2]string]bool // package name and what is taken from it
	names     map[string]bool    // all other identifiers
	parameter bool               // a name is given a value
}

// read parses a notebook.
func read(t *testing.T, path string) *notebook {
	t.Helper()
	nb := &notebook{imports: map[string]string{}, declared: map[string]*codeCell{}}
	for _, raw := range notebooktest.Cells(t, path) {
		if !raw.Code {
			continue
		}
		c := &codeCell{ID: raw.ID, selectors: map[[2]string]bool{}, names: map[string]bool{}}
		nb.cells = append(nb.cells, c)
		f := parse(t, raw)
		maps.Copy(nb.imports, imports(f))
		for _, name := range declared(f) {
			nb.declared[name] = c
		}
		names(f, c.selectors, c.names)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				c.parameter = c.parameter || n.Tok == token.DEFINE && slices.ContainsFunc(n.Rhs, value)
			case *ast.ValueSpec:
				c.parameter = c.parameter || slices.ContainsFunc(n.Values, value)
			case *ast.Field: // of a function: whoever calls it names the value
				c.parameter = c.parameter || len(n.Names) > 0
			}
			return true
		})
	}
	return nb
}

// parse parses a cell of code. What follows %% in it is the body of a function.
func parse(t *testing.T, c notebooktest.Cell) *ast.File {
	t.Helper()
	source := "package cell\n"
	body := false
	for line := range strings.Lines(c.Source) {
		switch {
		case strings.HasPrefix(line, "%%"):
			source, body = source+"\nfunc _() {\n", true
		case !strings.HasPrefix(line, "%"):
			source += line
		}
	}
	if body {
		source += "\n}\n"
	}
	f, err := parser.ParseFile(token.NewFileSet(), c.ID, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("cell %s: %v", c.ID, err)
	}
	return f
}

// value reports whether an expression has a number, or a text, that a reader may change.
func value(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.BasicLit)
		found = found || ok
		return !found
	})
	return found
}

// declared lists the names that a file declares.
func declared(f *ast.File) (list []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			list = append(list, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list = append(list, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						list = append(list, n.Name)
					}
				}
			}
		}
	}
	return list
}

// names collects the selectors x.y of names x, and the other identifiers below a node.
func names(below ast.Node, selectors map[[2]string]bool, others map[string]bool) {
	ast.Inspect(below, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				selectors[[2]string{x.Name, n.Sel.Name}] = true
				others[x.Name] = true
				return false
			}
		case *ast.Ident:
			others[n.Name] = true
		}
		return true
	})
}

func (c *codeCell) uses(pkg, name string) bool { return c.selectors[[2]string{pkg, name}] }

// checks reports whether a cell checks a claim or an exercise.
func (c *codeCell) checks() bool {
	for s := range c.selectors {
		if s[1] == "Assert" || s[1] == "Check" {
			return true
		}
	}
	return false
}

// study returns the folder of a paper that a name of an import means, or "".
func (nb *notebook) study(name string) string {
	folder, ok := strings.CutPrefix(nb.imports[name], module+"notebooks/")
	if !ok || slices.Contains(strings.Fields(shared), filepath.Base(folder)) {
		return ""
	}
	return folder
}

// helpers lists what a cell takes from a paper's folder besides plain data, and reports whether the
// cell reads committed tables.
func (nb *notebook) helpers(t *testing.T, c *codeCell) (list []string, reads bool) {
	reads = c.uses("lab", "MustTable")
	for s := range c.selectors {
		if folder := nb.study(s[0]); folder != "" {
			d := declarations(t, folder)[s[1]]
			reads = reads || d.reads
			if !d.data && !d.plain {
				list = append(list, s[0]+"."+s[1])
			}
		}
	}
	slices.Sort(list)
	return list, reads
}

// inView reports whether a cell, with the cells whose declarations it uses, builds on pkg/, and
// whether a parameter has a name there.
func (nb *notebook) inView(c *codeCell, seen map[*codeCell]bool) (pkg, named bool) {
	if seen[c] {
		return false, false
	}
	seen[c] = true
	named = c.parameter
	for s := range c.selectors {
		path := nb.imports[s[0]]
		pkg = pkg || strings.HasPrefix(path, module+"pkg/") || path == module+"notebooks/cell" // which hides nothing
	}
	for name := range c.names {
		if d := nb.declared[name]; d != nil {
			p, n := nb.inView(d, seen)
			pkg, named = pkg || p, named || n
		}
	}
	return pkg, named
}

// declaration is a function, variable or constant of a paper's folder.
type declaration struct {
	names map[string]bool // what it uses
	data  bool            // a variable or constant, such as published numbers and lists of names
	reads bool            // a function that leads to a committed table
	plain bool            // a function that plays nothing: it uses of pkg/ but curves
}

var known = map[string]map[string]declaration{}

// plays reports whether a name of an imported package may play, draw noise, or lead to what does.
func plays(path, name string) bool {
	ours, ok := strings.CutPrefix(path, module)
	if !ok {
		return false
	}
	switch ours {
	case "charts", "notebooks/assert", "notebooks/cell", "notebooks/check", "notebooks/exercise":
		return false
	}
	return ours != "pkg/simulate" || name != "Curve"
}

// imports returns the paths of a file's imports, by name.
func imports(f *ast.File) map[string]string {
	paths := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		name := p[strings.LastIndex(p, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		paths[name] = p
	}
	return paths
}

// declarations parses a folder.
func declarations(t *testing.T, folder string) map[string]declaration {
	t.Helper()
	if k := known[folder]; k != nil {
		return k
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	list := map[string]declaration{}
	known[folder] = list
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imported := imports(f)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				for _, name := range declared(&ast.File{Decls: []ast.Decl{d}}) {
					list[name] = declaration{data: !ok}
				}
				continue
			}
			d := declaration{names: map[string]bool{}, plain: true}
			selectors := map[[2]string]bool{}
			names(fn, selectors, d.names)
			for s := range selectors {
				d.plain = d.plain && !plays(imported[s[0]], s[1])
				d.reads = d.reads || s[1] == "MustTable" || s[1] == "MustTables" || s[1] == "MustReport" || s[1] == "Committed" || s[0] == "results"
			}
			list[fn.Name.Name] = d
		}
	}
	for again := true; again; {
		again = false
		for name, d := range list {
			for n := range d.names {
				of, ok := list[n]
				if of.reads && !d.reads {
					d.reads, again = true, true
				}
				if d.plain && ok && !of.data && !of.plain {
					d.plain, again = false, true
				}
				list[name] = d
			}
		}
	}
	return list
}
