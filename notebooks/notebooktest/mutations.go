package notebooktest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/cmd/overlay"
)

// Mutation replaces Old by New in a File of the checkout. Name says what is broken, and Claim is
// the subtest that has to fail by it.
type Mutation = struct{ Claim, Name, File, Old, New string }

// Claims checks every claim of a notebook at smoke scale, in a subtest; with -short, those that do
// not take long.
func Claims(t *testing.T, claims assert.Claims, long ...string) {
	t.Helper()
	for _, name := range long {
		if !slices.Contains(claims.Names(), name) {
			t.Errorf("no claim %q", name)
		}
	}
	for _, name := range claims.Names() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && slices.Contains(long, name) {
				t.Skip("takes long")
			}
			statement, evidence, err := claims.Check(name, cell.Smoke)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s\n%s", statement, evidence)
		})
	}
}

// match checks that each claim has a mutation and each mutation a claim, and that what a mutation
// replaces is there, once.
func match(t *testing.T, mutations []Mutation, claims []string) {
	t.Helper()
	for _, c := range claims {
		if !slices.ContainsFunc(mutations, func(m Mutation) bool { return m.Claim == c }) {
			t.Errorf("no mutation for %q", c)
		}
	}
	for _, m := range mutations {
		if !slices.Contains(claims, m.Claim) {
			t.Errorf("a mutation, %s, for %q, which claims nothing", m.Name, m.Claim)
		}
		source, err := os.ReadFile(filepath.Join(checkout(t), m.File))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.Old); n != 1 {
			t.Errorf("%s: %q stands %d times in %s, want once", m.Claim, m.Old, n, m.File)
		}
	}
}

// Mutations sees each claim fail under its mutation, with an error that says "does not hold". Every
// claim of the list needs a mutation, every mutation is for one of them, and what it replaces must
// be there once; a short test checks only that.
//
// One program is compiled in which a mutated function has a body for each mutation, and an
// environment variable chooses; a mutation outside of functions has a program of its own. All
// notebooks' mutations are in it, so that the toolkit is compiled once for all notebooks. The code
// is replaced for the compiler alone.
func Mutations(t *testing.T, mutations []Mutation, claims []string) {
	t.Helper()
	match(t, mutations, claims)
	if testing.Short() {
		t.Skip("compiles the toolkit and checks every claim")
	}
	switched, number, err := mutants(checkout(t))
	if err != nil {
		t.Fatal(err)
	}
	shared := build(t, switched)
	for _, m := range mutations {
		t.Run(m.Claim, func(t *testing.T) {
			t.Parallel()
			program, n := shared, number[editOf(m)]
			if n == 0 {
				program = build(t, alone(t, m))
			}
			cmd := exec.Command(program, "-test.run="+pattern(m.Claim))
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, n))
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "does not hold") {
				t.Errorf("the claim holds although %s:\n%s", m.Name, out)
			}
		})
	}
}

// pattern selects the subtest of a claim. A slash in its name is a level of subtests to the flag.
func pattern(claim string) string {
	p := "^TestClaims$"
	for _, part := range strings.Split(strings.ReplaceAll(claim, " ", "_"), "/") {
		p += "/^" + regexp.QuoteMeta(part) + "$"
	}
	return p
}

// checkout returns the directory of the sources.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := cell.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// variable names the environment variable that holds the number of a mutation, from 1; no number
// means none.
const variable = "DPBANDITS_MUTANT"

// edit is what a mutation does to a file of the checkout.
type edit struct{ file, old, new string }

func editOf(m Mutation) edit { return edit{m.File, m.Old, m.New} }

// edits lists what the mutations of all notebooks do, each once, as the sources of their tests say.
func edits(root string) (all []edit, err error) {
	var files []string
	for _, pattern := range []string{"notebooks/*/*_test.go", "notebooks/*/*/*_test.go"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok || !isMutations(list.Type) {
				return true
			}
			for _, element := range list.Elts {
				m, _ := element.(*ast.CompositeLit)
				if m == nil || len(m.Elts) != 5 {
					continue
				}
				var text [3]string // stays empty for what is no literal
				for i, e := range m.Elts[2:] {
					if s, ok := e.(*ast.BasicLit); ok {
						text[i], _ = strconv.Unquote(s.Value)
					}
				}
				if e := (edit{text[0], text[1], text[2]}); !slices.Contains(all, e) {
					all = append(all, e)
				}
			}
			return true
		})
	}
	return all, nil
}

// isMutations tells whether an expression is []notebooktest.Mutation.
func isMutations(e ast.Expr) bool {
	list, ok := e.(*ast.ArrayType)
	if !ok {
		return false
	}
	of, ok := list.Elt.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Mutation"
}

// mutants returns sources by their path, with the mutations of all notebooks that are in functions,
// and the numbers of these.
func mutants(root string) (switched map[string]string, number map[edit]int, err error) {
	all, err := edits(root)
	if err != nil {
		return nil, nil, err
	}
	switched, number = map[string]string{}, map[edit]int{}
	inserts := map[string]map[int]string{} // by file and offset
	for i, e := range all {
		file := filepath.Join(root, e.file)
		source, err := os.ReadFile(file)
		if err != nil || strings.Count(string(source), e.old) != 1 {
			continue // which the test of its notebook says
		}
		mutant := strings.Replace(string(source), e.old, e.new, 1)
		name, offset, body, err := bodyAt(mutant, strings.Index(string(source), e.old))
		if err != nil {
			return nil, nil, fmt.Errorf("%s, with %q: %w", e.file, e.new, err)
		}
		if body == "" {
			continue
		}
		if inserts[file] == nil {
			inserts[file] = map[int]string{}
			switched[file] = string(source)
			switched[filepath.Join(filepath.Dir(file), "mutant_switch.go")] = fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
)

var mutantNow, _ = strconv.Atoi(os.Getenv(%q))
`, name, variable)
		}
		number[e] = i + 1
		inserts[file][offset] += fmt.Sprintf("if mutantNow == %d {%s}\n", i+1, body)
	}
	for file, at := range inserts {
		source := switched[file]
		for _, offset := range slices.Backward(slices.Sorted(maps.Keys(at))) {
			source = source[:offset] + at[offset] + source[offset:]
		}
		switched[file] = source
	}
	return switched, number, nil
}

// alone returns the mutated file by its path.
func alone(t *testing.T, m Mutation) map[string]string {
	t.Helper()
	file := filepath.Join(checkout(t), m.File)
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{file: strings.Replace(string(source), m.Old, m.New, 1)}
}

// bodyAt returns the name of the source's package, and the body of the outermost function that has
// an offset in it, without its braces, and where it starts. The body returns, and is empty if there
// is no such function.
func bodyAt(source string, at int) (name string, start int, body string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", 0, "", err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var of *ast.FuncType
		var block *ast.BlockStmt
		switch f := n.(type) {
		case *ast.FuncDecl:
			of, block = f.Type, f.Body
		case *ast.FuncLit:
			of, block = f.Type, f.Body
		}
		if block == nil || body != "" {
			return body == ""
		}
		from, end := files.Position(block.Lbrace).Offset+1, files.Position(block.Rbrace).Offset
		if from <= at && at < end {
			start, body = from, source[from:end]
			if of.Results == nil {
				body += "; return"
			}
		}
		return body == ""
	})
	return file.Name.Name, start, body, nil
}

// build compiles the tests of the package in the working directory with other sources, and returns
// the program's path.
func build(t *testing.T, sources map[string]string) string {
	t.Helper()
	return compile(t, sources, "test", "-c", "-vet=off", ".")
}

// compile has a command of go, whose last argument is what it compiles, do so with other sources.
// It returns the program's path.
func compile(t *testing.T, sources map[string]string, command ...string) string {
	t.Helper()
	program, err := overlay.Build(t.Context(), t.TempDir(), "", sources, command...)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
