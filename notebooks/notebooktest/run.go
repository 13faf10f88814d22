package notebooktest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// RunCells runs the cells of a lesson and its evidence that call cell.Holds, at smoke scale. Each
// has to pass, and to fail with "does not hold" under each mutation whose Claim is the cell's ID. A
// short test checks only that each has a mutation, that each mutation is of such a cell, and that
// what it replaces is there once.
//
// All cells of a notebook are compiled as one program. It draws nothing.
func RunCells(t *testing.T, lesson string, mutations []Mutation) {
	t.Helper()
	var sources, all []string
	of := map[string]int{} // index of a cell's notebook
	for i, notebook := range Files(t, lesson) {
		source, asserting := assemble(Cells(t, notebook))
		sources, all = append(sources, source), append(all, asserting...)
		for _, id := range asserting {
			if _, twice := of[id]; twice {
				t.Fatalf("%s: cell %s is in another notebook, too", notebook, id)
			}
			of[id] = i
		}
	}
	match(t, mutations, all)
	if testing.Short() {
		t.Skip("compiles the notebooks and runs their assertions")
	}
	switched, number, err := mutants(checkout(t))
	if err != nil {
		t.Fatal(err)
	}
	files, shared := make([]string, len(sources)), make([]string, len(sources))
	for i, source := range sources {
		files[i] = filepath.Join(t.TempDir(), "main.go")
		write(t, files[i], []byte(source))
		shared[i] = compile(t, switched, "build", files[i])
	}
	for _, id := range all {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if out, err := runCell(shared[of[id]], id, 0); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for _, m := range mutations {
		t.Run(m.Claim+", "+m.Name, func(t *testing.T) {
			t.Parallel()
			program, n := shared[of[m.Claim]], number[editOf(m)]
			if n == 0 {
				program = compile(t, alone(t, m), "build", files[of[m.Claim]])
			}
			if out, err := runCell(program, m.Claim, n); err == nil || !strings.Contains(out, "does not hold") {
				t.Errorf("the cell passes although %s: %v\n%s", m.Name, err, out)
			}
		})
	}
}

// runCell runs a cell under a mutation; 0 is none. It takes no trials from cell.Cache, which does
// not know of mutations.
func runCell(program, id string, mutation int) (out string, err error) {
	cmd := exec.Command(program, id)
	cmd.Env = append(os.Environ(), "SCALE=smoke", "DPBANDITS_BATCH=1", fmt.Sprintf("%s=%d", variable, mutation))
	text, err := cmd.CombinedOutput()
	return string(text), err
}

var asserts = regexp.MustCompile(`(?m)^\s*cell\.Holds(?:At)?\(`)

// assemble makes the cells a program that runs the one whose ID is its argument, and lists the
// cells that call cell.Holds or cell.HoldsAt.
func assemble(cells []Cell) (source string, asserting []string) {
	var declared, bodies strings.Builder
	for _, c := range cells {
		if !c.Code {
			continue
		}
		above, below, runs := strings.Cut("\n"+c.Source+"\n", "\n%%\n")
		declared.WriteString(strings.Replace(above, "%noautoget", "", 1) + "\n")
		if runs {
			fmt.Fprintf(&bodies, "case %q:\n%s\n", c.ID, below)
		}
		if asserts.MatchString(below) {
			asserting = append(asserting, c.ID)
		}
	}
	source = fmt.Sprintf("package main\n%s\nfunc main() {\nswitch os.Args[1] {\n%s}\n}\n\nfunc drop(...any) {}\n", declared.String(), bodies.String())
	source = strings.Replace(source, "import (", "import (\n\"os\"\n", 1)
	if drawn := strings.ReplaceAll(source, "charts.Show(", "drop("); drawn != source {
		source = drawn + "\nvar _ = charts.Show\n" // which may be all that is used of charts
	}
	return source, asserting
}
