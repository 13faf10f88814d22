// Package notebooktest checks a notebook: how its cells are written, that its exercises check
// themselves, and that its claims fail in code that is broken on purpose.
//
// A claim that broken code can keep says nothing. A package with a test named TestClaims, which has
// a subtest for each claim, such as [Claims], lists its mutations, and calls [Mutations].
package notebooktest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
)

// Answer is the stub and the solution of an exercise. Both are functions of the test's file, the
// stub with "Stub" behind the Name that the notebook has. Wrong has wrong answers, functions of the
// test's file, by the code that makes them wrong.
type Answer struct {
	Name           string
	Stub, Solution any
	Wrong          map[string]any
}

// Exercises sees each stub fail, each solution pass, and each wrong answer fail. It compares their
// text with that of the lesson or of its evidence: the stub stands above %% in a cell that calls
// exercises.Check. The cell below it has, folded, a hint and the solution, and in the lesson at
// least two wrong answers: lines of code, each below a comment that says what it shows. file is the
// test's own.
func Exercises(t *testing.T, set exercise.Set, lesson, file string, answers map[string]Answer) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cells []Cell
	own := 0 // cells of the lesson
	for _, notebook := range Files(t, lesson) {
		cells = append(cells, Cells(t, notebook)...)
		own = cmp.Or(own, len(cells))
	}
	for name := range set {
		a, ok := answers[name]
		if !ok {
			t.Errorf("%s: no answer in this test", name)
			continue
		}
		if err := set.Answer(name, a.Stub); err == nil {
			t.Errorf("%s: the stub passes", name)
		}
		if err := set.Answer(name, a.Solution); err != nil {
			t.Errorf("%s: the solution gives %v", name, err)
		}
		if err := set.Answer(name, 7); err == nil {
			t.Errorf("%s: an answer of another type passes", name)
		}
		call := fmt.Sprintf("exercises.Check(%q, %s)", name, a.Name)
		place := slices.IndexFunc(cells, func(c Cell) bool { return strings.Contains(c.Source, call) })
		if place < 0 || place+1 == len(cells) {
			t.Errorf("%s: no cell of the lesson or its evidence calls %s", name, call)
			continue
		}
		stub, _, _ := strings.Cut(cells[place].Source, "\n\n%%")
		folds := folded(cells[place+1].Source)
		if folds["Hint"] == "" {
			t.Errorf("%s: no hint is folded below the exercise", name)
		}
		for summary := range folds {
			if !slices.Contains([]string{"Hint", "Solution", wrongAnswers}, summary) {
				t.Errorf("%s: %q is folded below the exercise; want Hint, Solution or %s", name, summary, wrongAnswers)
			}
		}
		if wrong := code(folds[wrongAnswers]); place < own || wrong != "" || len(a.Wrong) > 0 {
			a.wrong(t, set, name, wrong, string(source))
		}
		solution := code(folds["Solution"])
		for text, want := range map[string]string{
			strings.Replace(stub, a.Name+"(", a.Name+"Stub(", 1): "stub", solution: "solution",
		} {
			if len(text) < 20 || !strings.Contains(string(source), text) {
				t.Errorf("%s: the notebook's %s is not that of this test:\n%s", name, want, text)
			}
		}
	}
	if len(answers) != len(set) {
		t.Errorf("%d answers to %d exercises", len(answers), len(set))
	}
}

// wrong sees each wrong answer fail. It compares their code with the notebook's list.
func (a Answer) wrong(t *testing.T, set exercise.Set, name, list, source string) {
	t.Helper()
	said, lines := false, map[string]bool{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//") {
			said = true
			continue
		}
		if a.Wrong[line] == nil {
			t.Errorf("%s: the notebook's wrong answer %q is not in this test", name, line)
		}
		if !said {
			t.Errorf("%s: the notebook does not say what the wrong answer %q shows", name, line)
		}
		said, lines[line] = false, true
	}
	if len(lines) < 2 {
		t.Errorf("%s: %d wrong answers in the notebook, want at least two", name, len(lines))
	}
	for line, answer := range a.Wrong {
		if !lines[line] {
			t.Errorf("%s: the notebook does not list the wrong answer %q", name, line)
		}
		if strings.Count(source, line) < 2 { // it names the answer, and is a part of it
			t.Errorf("%s: no function of this test has the code of the wrong answer %q", name, line)
		}
		err := set.Answer(name, answer)
		if err == nil {
			t.Errorf("%s: the wrong answer %q passes", name, line)
		} else if fit := fmt.Sprintf("%T", a.Solution); fmt.Sprintf("%T", answer) != fit {
			t.Errorf("%s: the wrong answer %q is a %T, want a %s", name, line, answer, fit)
		}
	}
}

// wrongAnswers is the summary of what is folded for a teacher.
const wrongAnswers = "Wrong answers"

var fold = regexp.MustCompile(`(?s)<details><summary>([^<]*)</summary>(.*?)</details>`)

// folded returns what is folded in a cell by its summary.
func folded(source string) map[string]string {
	folds := map[string]string{}
	for _, m := range fold.FindAllStringSubmatch(source, -1) {
		folds[m[1]] += m[2]
	}
	return folds
}

// code returns the first listing of a text.
func code(text string) string {
	_, listing, _ := strings.Cut(text, "<pre><code>")
	listing, _, _ = strings.Cut(listing, "\n</code>")
	return html.UnescapeString(listing)
}

// Cell is a cell of a notebook.
type Cell struct {
	ID     string
	Code   bool
	Source string
}

// Parse returns the cells of a notebook, a file in the format of Jupyter (nbformat 4).
func Parse(notebook []byte) (cells []Cell, err error) {
	var nb struct {
		Cells []struct {
			ID     string
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(notebook, &nb); err != nil {
		return nil, fmt.Errorf("notebooktest: %w", err)
	}
	for _, c := range nb.Cells {
		cells = append(cells, Cell{c.ID, c.Kind == "code", strings.Join(c.Source, "")})
	}
	return cells, nil
}

// Files lists the notebook files of a lesson, NN-name.ipynb: the lesson, and what stands behind it,
// evidence/NN-*.ipynb.
func Files(t *testing.T, lesson string) []string {
	t.Helper()
	number, _, _ := strings.Cut(filepath.Base(lesson), "-")
	evidence, err := filepath.Glob(filepath.Join(filepath.Dir(lesson), "evidence", number+"-*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{lesson}, evidence...)
}

// Cells reads a notebook.
func Cells(t *testing.T, notebook string) []Cell {
	t.Helper()
	b, err := os.ReadFile(notebook)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", notebook, err)
	}
	return cells
}

// imports reports whether a cell is the one that imports packages, which is a notebook's first.
func (c Cell) imports() bool { return strings.HasPrefix(c.Source, "%noautoget") }

var assertion = regexp.MustCompile(`\.Assert\("([^"]*)"\)`)

// Asserted checks that a lesson or its evidence asserts each of the claims, which are named as in
// calls of Assert, and no other.
func Asserted(t *testing.T, lesson string, claims []string) {
	t.Helper()
	asserted := map[string]bool{}
	for _, notebook := range Files(t, lesson) {
		for _, c := range Cells(t, notebook) {
			for _, m := range assertion.FindAllStringSubmatch(c.Source, -1) {
				asserted[m[1]] = true
				if !slices.Contains(claims, m[1]) {
					t.Errorf("%s: cell %s asserts %q, which nothing checks", notebook, c.ID, m[1])
				}
			}
		}
	}
	for _, name := range claims {
		if !asserted[name] {
			t.Errorf("neither %s nor its evidence asserts %q", lesson, name)
		}
	}
}
