package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func program(t *testing.T, notebook string) *Program {
	t.Helper()
	f, err := os.Open(notebook)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ids, sources, err := Cells(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Generate(ids, sources)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The program of a page prints and draws the same under WebAssembly as natively, bit for bit: means
// and standard errors over 16 trials, and the states of the learners.
func TestSameNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for WebAssembly")
	}
	// A result is kept until a file changes that the test has looked at: all that go build reads.
	for _, dir := range []string{"..", "../../pkg", "../../notebooks"} {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".go" && err == nil {
				_, err = os.Stat(path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	start := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	for _, c := range []struct {
		notebook  string
		arguments []string
		want      string // in what it prints
	}{
		{"../../notebooks/tools/testdata/compute.ipynb", []string{"race", "epsilon=0.5", "dim=3", "rounds=200", "trials=16"}, "\nstate "},
		{"../../notebooks/00-quickstart.ipynb", []string{"c17", "horizon=1000", "trials=16"}, `"numbers":"`},
	} {
		p, dir := program(t, c.notebook), t.TempDir()
		native, wasm := filepath.Join(dir, "native"), filepath.Join(dir, "page.wasm")
		if err := p.Build(dir, native); err != nil {
			t.Fatal(err)
		}
		if err := p.Build(dir, wasm, "GOOS=js", "GOARCH=wasm"); err != nil {
			t.Fatal(err)
		}
		want := said(t, exec.Command(native, c.arguments...))
		cmd := exec.Command(node, append([]string{start, wasm}, c.arguments...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // there is a limit to it
		if got := said(t, cmd); got != want {
			t.Errorf("%s, %v: under WebAssembly it says\n%.2000s\nand natively\n%.2000s", c.notebook, c.arguments, got, want)
		}
		if !strings.Contains(want, c.want) {
			t.Errorf("%s, %v: no %q in\n%.2000s", c.notebook, c.arguments, c.want, want)
		}
		if other := said(t, exec.Command(native, c.arguments[0])); other == want {
			t.Errorf("%s: the arguments %v change nothing", c.notebook, c.arguments[1:])
		}
	}
}

// said returns what a program prints, but its progress.
func said(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &messages)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "\x1e{\"progress\"") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestControls(t *testing.T) {
	for text, want := range map[string][]Control{
		"a := 1.5 // control: 0.5..2": {{Name: "a", From: 0.5, To: 2, Start: 1.5}},
		"// control: b 1..1_000 log page 10, a 0..1\na, b := 0, cell.Size(5, 100)": {
			{Name: "b", From: 1, To: 1000, Log: true, Whole: true, Start: 10, Notebook: "100"}, {Name: "a", To: 1, Whole: true}},
		"a, b := size() // control: a 1..9 page 2": {{Name: "a", From: 1, To: 9, Whole: true, Start: 2, Notebook: "see its code"}},
	} {
		p, err := Generate([]string{"x"}, []string{"%%\n" + text + "\ncharts.Show(a, b)"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := p.Cells[0].Controls; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		for _, c := range want {
			if set := c.Name + ` = page.Value("` + c.Name + `", ` + c.Name + ")"; !strings.Contains(string(p.Source), set) {
				t.Errorf("%s: no %q in\n%s", text, set, p.Source)
			}
		}
	}
	for text, want := range map[string]string{
		"a := 1 // control: 2..9":              "a starts with 1",
		"a := 0 // control: 0..9 log":          "a starts with 0",
		"a := size() // control: 1..9":         "say with which the page starts",
		"a := 1 // control: b 1..9":            `"b" is none of the variables`,
		"a, b := 1, 2 // control: 1..9":        `"" is none of the variables`,
		"a := 1 // control: 1-9":               "is not of the form",
		"a := 1 // control: 1..x":              "invalid syntax",
		"a := 1\n\n// control: 1..9\nshow(a)":  "is at no assignment",
		"a := 1 // control: a 1..9, a 1..8":    "two controls are called a",
		"a := 1":                               "no cell draws and has a control",
		"a := 1 // control: 1..9\nfunc f() {}": "expected",
	} {
		if _, err := Generate([]string{"x"}, []string{"%%\n" + text + "\ncharts.Show(a)"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", text, err, want)
		}
	}
}

// A method that is declared again replaces the older one, for the cells below it.
func TestMended(t *testing.T) {
	const body, draw = "\ntype T int\n\nfunc (T) F() int { return 1 }\n", "%%\na := 1 // control: 1..9\ncharts.Show(a, T(0).F())"
	mended := "func (t T) F() int { return 2 }\n"
	p, err := Generate([]string{"t", "m", "x"}, []string{body, mended, draw})
	if err != nil || strings.Contains(string(p.Source), "return 1") || !strings.Contains(string(p.Source), "return 2") {
		t.Errorf("error %v, and the program\n%v", err, p)
	}
	const want = "cell x: T.F is declared again below it"
	if _, err := Generate([]string{"t", "x", "m"}, []string{body, draw, mended}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
}

// A program holds what its cells use, and no more.
func TestGenerate(t *testing.T) {
	p, err := Generate([]string{"a", "b", "c", "d"}, []string{
		"%noautoget\nimport (\n\t\"fmt\"\n\t\"math/rand/v2\"\n\tother \"os\"\n)",
		"// s is used.\ntype s[V any] struct{ v V }\nfunc (x *s[V]) show() { fmt.Println(n) }\ntype unused struct{}\nfunc (unused) m() { other.Exit(1) }",
		"var n, m = size() // control: n 1..9 page 2\nfunc size() (int, int) { return 3, 4 }\n%%\nfmt.Println(\"draws nothing\", n)",
		"%%\n(&s[int]{}).show()\ncharts.Show()",
	})
	if err != nil {
		t.Fatal(err)
	}
	source := string(p.Source)
	for _, part := range []string{"func (x *s[V]) show()", "var own_n, m = size()", `var n = page.Value("n", own_n)`, `"d": func()`, `"fmt"`} {
		if !strings.Contains(source, part) {
			t.Errorf("no %q", part)
		}
	}
	for _, part := range []string{"unused", `"os"`, "rand", `"c": func()`} {
		if strings.Contains(source, part) {
			t.Errorf("there is %q", part)
		}
	}
	if t.Failed() {
		t.Log(source)
	}
	if _, err := Generate([]string{"a", "b"}, []string{"var x = 1", "var x = 2"}); err == nil || !strings.Contains(err.Error(), "x is declared a second time") {
		t.Errorf("error %v", err)
	}
}
