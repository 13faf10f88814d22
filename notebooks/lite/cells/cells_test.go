package cells

import (
	"encoding/json"
	"go/importer"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

var packages = map[string]string{"fmt": "fmt", "os": "os", "flag": "flag", "math/rand/v2": "rand", "crypto/rand": "rand", "example.org/m/deep": "deep"}

// run composes the cells one after the other, and returns the program of the last.
func run(t *testing.T, n *Notebook, cells ...string) *Program {
	t.Helper()
	var p *Program
	for i, c := range cells {
		var err error
		if p, err = n.Compose(c, i+1); err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
		n.Commit(p)
	}
	if p.Source != "" {
		if _, err := parser.ParseFile(token.NewFileSet(), "", p.Source, 0); err != nil {
			t.Fatalf("%v\n%s", err, p.Source)
		}
	}
	return p
}

func TestDeclarationsLast(t *testing.T) {
	p := run(t, New(packages),
		"import (\n\t\"fmt\"\n\t\"os\"\n\tother \"example.org/m/deep\"\n)",
		"type t[V any] struct{ v V }\nfunc (x *t[V]) show() { fmt.Println(x.v) }\nvar a, b = 1, 2",
		"const (\n\tzero = iota\n\tone\n)\nfunc init_a() { fmt.Println(a) }",
		"func (x *t[V]) show() { fmt.Println(\"second\") }\nvar b = 3",
		"%%\n(&t[int]{1}).show()\nfmt.Println(b, one)")
	for _, want := range []string{"import (\n\"fmt\"\n)", `"second"`, "var b = 3", "one\n)", "func init() { fmt.Println(a) }", "//line cell [5]:1:1\nfunc main() {"} {
		if !strings.Contains(p.Source, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, not := range []string{"fmt.Println(x.v)", "a, b = 1, 2", "other", `"os"`} {
		if strings.Contains(p.Source, not) {
			t.Errorf("there is %q", not)
		}
	}
	if t.Failed() {
		t.Log(p.Source)
	}
}

// A cell that did not compile leaves no declarations.
func TestCommit(t *testing.T) {
	n := New(packages)
	if _, err := n.Compose("var x = y", 1); err != nil {
		t.Fatal(err)
	}
	if p := run(t, n, "%%\nprintln(1)"); strings.Contains(p.Source, "var x") {
		t.Error("a declaration lasts that was not committed")
	}
}

func TestSpecialLines(t *testing.T) {
	n := New(packages)
	p := run(t, n, "%noautoget", "%env A b\n%args -x 1\n", "//gonb:%%\nfmt.Println(os.Args)")
	if got := strings.Join(p.Args, " "); got != "-x 1" || p.Env()["A"] != "b" || !p.Run || !strings.Contains(p.Source, `"fmt"`) || !strings.Contains(p.Source, `"flag"`) {
		t.Errorf("arguments %q, environment %v, program\n%s", got, p.Env(), p.Source)
	}
	if p := run(t, n, "%% \"a b\" c\nfmt.Println()"); len(p.Args) != 2 || p.Args[0] != "a b" {
		t.Errorf("arguments %q", p.Args)
	}
	if p := run(t, n, "func f() {}\n%exec f"); !strings.Contains(p.Source, "func main() { f() }") {
		t.Errorf("program\n%s", p.Source)
	}
	if p := run(t, n, "%ls"); !strings.Contains(p.Said, "func f() {}") || p.Source != "" {
		t.Errorf("it says %q", p.Said)
	}
	if p := run(t, n, "%rm f", "%ls"); strings.Contains(p.Said, "func f() {}") {
		t.Errorf("it says %q", p.Said)
	}
	if p := run(t, n, "%%\nprintln(`\n\t% 2`)"); p == nil || !strings.Contains(p.Source, "\t% 2") {
		t.Error("an indented line of a text is none of GoNB's")
	}
	for cell, want := range map[string]string{
		"!ls":                      "a page has no shell",
		"%test":                    "programs, not tests",
		"%nothing":                 "none of GoNB's",
		"%%bash\nls":               "none of GoNB's",
		"%env A":                   "wants a name and a value",
		"%%\n%%\n":                 "this one has two",
		"%exec":                    "names no function",
		"import \"no/such\"":       `no package "no/such"`,
		"%%\nfmt.Println(\n":       "cell [1], line",
		"func f() {\n\treturn 1 +": "cell [1], line 2",
	} {
		if _, err := New(packages).Compose(cell, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", cell, err, want)
		}
	}
}

// What only declares is compiled and not run, unless a variable is computed.
func TestRun(t *testing.T) {
	for cell, want := range map[string]bool{
		"type t int\nfunc f() {}": false, "var x = 1": false, "var x = f()\nfunc f() int { return 1 }": true,
		"func main() {}": true, "func init_x() {}": true,
	} {
		if p := run(t, New(packages), cell); p.Run != want {
			t.Errorf("%q: it runs is %v, want %v", cell, p.Run, want)
		}
	}
}

func TestExplain(t *testing.T) {
	n := New(packages)
	run(t, n, "var a int\nvar b int")
	const want = "cell [1], line 2: undefined: b\n     2 | var b int\nmore\n"
	if got := n.Explain("/checkout/cell [1]:2:5: undefined: b\nmore"); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	n = New(packages)
	n.Cells[1] = "f()"
	const first = "cell [1], line 1: undefined: f\n     1 | f()\n" +
		"Nothing is declared yet: run the cells above first. A page that is opened again starts anew.\n"
	if got := n.Explain("/checkout/cell [1]:1:1: undefined: f"); got != first {
		t.Errorf("of a cell that is run first it says %q, want %q", got, first)
	}
}

// A notebook is saved as JSON when its worker is stopped.
func TestSaved(t *testing.T) {
	n := New(packages)
	run(t, n, "import \"fmt\"\nfunc f() { fmt.Println() }\n%env A b")
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	var again Notebook
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	again.Adopt(packages)
	if p := run(t, &again, "%%\nf()"); !strings.Contains(p.Source, "func f() { fmt.Println() }") || p.Env()["A"] != "b" {
		t.Errorf("environment %v, program\n%s", p.Env(), p.Source)
	}
}

func TestHelp(t *testing.T) {
	n := New(packages)
	run(t, n, "import (\n\t\"fmt\"\n\t\"os\"\n)\ntype Pair struct{ left, Right int }\nfunc (p *Pair) Sum() int { return p.left + p.Right }\nvar pair Pair")
	from := importer.Default()
	for cell, want := range map[string]string{
		"%%\nfmt.Printl|":                   "Println",
		"%%\nfmt.Printl|n(1)":               "Println",
		"%%\nif true {\n\tpair.|":           "Right Sum left",
		"%%\npa|":                           "pair panic",
		"func f(argument int) {\n\targ|\n}": "argument",
		"%%\nlocal := pair\nlocal.S|\n)":    "Sum",
		"%%\nnobody.x|":                     "",
	} {
		at := strings.Index(cell, "|")
		h := n.Help(cell[:at]+cell[at+1:], at, from)
		if got := strings.Join(h.Names, " "); got != want {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
	if h := n.Help("%%\npair.Sum()", 9, from); h.Text != "func (*main.Pair).Sum() int" {
		t.Errorf("help says %q", h.Text)
	}
}
