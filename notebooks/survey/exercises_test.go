package survey

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/bits"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text. The notebook's
// rows are those of package study, which is this one.

func trueEpsilonStub(dim, horizon int, epsilon float64) float64 {
	return epsilon // your turn
}

func trueEpsilon(dim, horizon int, epsilon float64) float64 {
	root := math.Sqrt(float64(dim))
	scale := root * math.Log(float64(horizon)) / epsilon
	nodes := bits.Len(uint(horizon - 1)) // floor(log2(T-1)) + 1
	return float64(nodes) * 2 * root / scale
}

func ruleEpsilonStub(r, s1, s2, s3 float64) float64 {
	return 0 // your turn
}

func ruleEpsilon(r, s1, s2, s3 float64) float64 {
	d := 2 * r
	return d/s1 + 2*d/s2 + d/s3
}

func divergenceStub(epsilon, x, y float64) float64 {
	return 0 // your turn
}

func divergence(epsilon, x, y float64) float64 {
	z := max(x, y/(y+(1-y)*math.Exp(epsilon)))
	kl := z*math.Log(z/y) + (1-z)*math.Log((1-z)/(1-y))
	return epsilon*(z-x) + kl
}

func plannedStub(horizon int, logarithm func(float64) float64) float64 {
	return 1 // your turn
}

func planned(horizon int, logarithm func(float64) float64) (share float64) {
	t := float64(horizon)
	log := logarithm(t)
	for i := 1.0; i <= math.Floor(log)-1; i++ {
		share += math.Pow(2*t, i/log) / t
	}
	return share
}

func unbeatenStub(rows []Row) (names []string) {
	for _, r := range rows {
		names = append(names, r.Learner) // your turn
	}
	return names
}

func unbeaten(rows []Row) (names []string) {
	for _, r := range rows {
		if !slices.ContainsFunc(rows, func(o Row) bool {
			return o.Regret+1.5*math.Hypot(o.Within, r.Within) < r.Regret
		}) {
			names = append(names, r.Learner)
		}
	}
	return names
}

var answers = map[string]struct {
	function       string
	stub, solution any
}{
	"printed scale":               {"trueEpsilon", trueEpsilonStub, trueEpsilon},
	"budget of the stopping rule": {"ruleEpsilon", ruleEpsilonStub, ruleEpsilon},
	"divergence":                  {"divergence", divergenceStub, divergence},
	"schedule":                    {"planned", plannedStub, planned},
	"sure winners":                {"unbeaten", unbeatenStub, unbeaten},
}

// Each stub fails with its hint, each solution passes, and both stand in the notebook as they stand
// here.
func TestExercises(t *testing.T) {
	source, err := os.ReadFile("exercises_test.go")
	if err != nil {
		t.Fatal(err)
	}
	cells := notebook(t)
	for name, e := range exercises {
		a, ok := answers[name]
		if !ok {
			t.Errorf("%s: no answer in this test", name)
			continue
		}
		if err := CheckExercise(name, a.stub); err == nil || !strings.Contains(err.Error(), e.hint) {
			t.Errorf("%s: the stub gives %v, want an error with the hint", name, err)
		}
		if err := CheckExercise(name, a.solution); err != nil {
			t.Errorf("%s: the solution gives %v", name, err)
		}
		if err := CheckExercise(name, 7); err == nil {
			t.Errorf("%s: an answer of another type passes", name)
		}
		call := fmt.Sprintf("study.Exercise(%q, %s)", name, a.function)
		place := slices.IndexFunc(cells, func(c string) bool { return strings.Contains(c, call) })
		if place < 0 || place+1 == len(cells) {
			t.Errorf("%s: no cell of the notebook calls %s", name, call)
			continue
		}
		stub, _, _ := strings.Cut(cells[place], "\n\n%%")
		_, solution, _ := strings.Cut(cells[place+1], "<pre><code>")
		solution, _, _ = strings.Cut(html.UnescapeString(solution), "\n</code>")
		for text, want := range map[string]string{
			strings.Replace(stub, a.function+"(", a.function+"Stub(", 1): "stub", solution: "solution",
		} {
			if text = strings.ReplaceAll(text, "study.", ""); len(text) < 20 || !strings.Contains(string(source), text) {
				t.Errorf("%s: the notebook's %s is not that of this test:\n%s", name, want, text)
			}
		}
	}
	if len(answers) != len(exercises) {
		t.Errorf("%d answers to %d exercises", len(answers), len(exercises))
	}
}

// At least two thirds of the code cells that check nothing use the toolkit and no helper of this
// folder.
func TestCellsShowTheToolkit(t *testing.T) {
	toolkit := regexp.MustCompile(`\b(arms|audit|bandit|design|environment|learner|mechanism|online|privacy|simulate)\.`)
	shown, all := 0, 0
	for _, c := range notebook(t) {
		if strings.HasPrefix(c, "%noautoget") || !regexp.MustCompile(`(?m)^(func|type|var|%%)`).MatchString(c) || strings.Contains(c, "study.Exercise") || strings.Contains(c, "<details>") {
			continue
		}
		all++
		if toolkit.MatchString(c) && !strings.Contains(c, "study.") {
			shown++
		}
	}
	if all < 18 || 3*shown < 2*all {
		t.Errorf("%d of %d code cells use pkg/ and nothing of this folder, want two thirds", shown, all)
	}
}

// Every statement that the notebook asserts is one that a check knows, and every check is asserted.
func TestClaims(t *testing.T) {
	asserted := map[string]bool{}
	for _, c := range notebook(t) {
		for _, m := range regexp.MustCompile(`study\.Assert\("([^"]*)"\)`).FindAllStringSubmatch(c, -1) {
			asserted[m[1]] = true
			if claims[m[1]] == nil {
				t.Errorf("the notebook asserts %q, which nothing checks", m[1])
			}
		}
	}
	for statement := range claims {
		if !asserted[statement] {
			t.Errorf("the notebook does not assert %q", statement)
		}
	}
	if _, err := Check("two is three", "smoke"); err == nil {
		t.Error("a statement that nobody knows holds")
	}
}

// notebook returns the sources of the notebook's cells.
func notebook(t *testing.T) (cells []string) {
	t.Helper()
	b, err := os.ReadFile("../05-dp-online-algorithms.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct{ Source []string }
	}
	if err := json.Unmarshal(b, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		cells = append(cells, strings.Join(c.Source, ""))
	}
	return cells
}
