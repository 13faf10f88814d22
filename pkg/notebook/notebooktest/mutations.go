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
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/mutant"
	"github.com/dpbandits/dpbandits/pkg/notebook/assert"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
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
// One program is compiled in which each mutated function has two bodies, and an environment
// variable chooses; a mutation outside of functions has a program of its own. The code is replaced
// for the compiler alone.
func Mutations(t *testing.T, mutations []Mutation, claims []string) {
	t.Helper()
	match(t, mutations, claims)
	if testing.Short() {
		t.Skip("compiles the toolkit and checks every claim")
	}
	switched, alone, err := mutants(checkout(t), mutations)
	if err != nil {
		t.Fatal(err)
	}
	program := build(t, switched)
	for i, m := range mutations {
		t.Run(m.Claim, func(t *testing.T) {
			t.Parallel()
			program := program
			if sources := alone[i]; sources != nil {
				program = build(t, sources)
			}
			cmd := exec.Command(program, "-test.run="+pattern(m.Claim))
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, i+1))
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

// mutants returns sources by their path, with all mutations that are in functions, and by index
// those of the mutations that are not.
func mutants(root string, mutations []Mutation) (switched map[string]string, alone map[int]map[string]string, err error) {
	switched, alone = map[string]string{}, map[int]map[string]string{}
	inserts := map[string]map[int]string{} // by file and offset
	for i, m := range mutations {
		file := filepath.Join(root, m.File)
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		mutant := strings.Replace(string(source), m.Old, m.New, 1)
		name, offset, body, err := bodyAt(mutant, strings.Index(string(source), m.Old))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if body == "" {
			alone[i] = map[string]string{file: mutant}
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
		inserts[file][offset] += fmt.Sprintf("if mutantNow == %d {%s}\n", i+1, body)
	}
	for file, at := range inserts {
		source := switched[file]
		for _, offset := range slices.Backward(slices.Sorted(maps.Keys(at))) {
			source = source[:offset] + at[offset] + source[offset:]
		}
		switched[file] = source
	}
	return switched, alone, nil
}

// bodyAt returns the name of the source's package, and the body of the function that has an offset
// in it, without its braces, and where it starts. The body returns, and is empty if there is no
// such function.
func bodyAt(source string, at int) (name string, start int, body string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", 0, "", err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		start, end := files.Position(f.Body.Lbrace).Offset+1, files.Position(f.Body.Rbrace).Offset
		if start <= at && at < end {
			body = source[start:end]
			if f.Type.Results == nil {
				body += "; return"
			}
			return file.Name.Name, start, body, nil
		}
	}
	return file.Name.Name, 0, "", nil
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
	program, err := mutant.Build(t.Context(), t.TempDir(), "", sources, command...)
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
