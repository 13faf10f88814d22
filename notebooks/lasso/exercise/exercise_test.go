package exercise

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func randomRegretStub(arms int) float64 {
	return 0 // your turn
}

func randomRegret(arms int) float64 {
	rng, sum := random.New(1, 0, "exercise"), 0.0
	for range 100_000 {
		best := math.Inf(-1)
		for range arms {
			best = max(best, rng.NormFloat64())
		}
		sum += best
	}
	return sum / 100_000
}

func softStub(z, alpha float64) float64 {
	return z // your turn
}

func soft(z, alpha float64) float64 {
	return math.Copysign(max(math.Abs(z)-alpha, 0), z)
}

func freshLossStub(n int, below0, below1 float64) float64 {
	return math.Log(below0 / below1) // your turn
}

func freshLoss(n int, below0, below1 float64) float64 {
	return float64(n) * math.Log(below0/below1)
}

func gumbelScaleStub(rho float64, k int, x, y float64) float64 {
	return 0 // your turn
}

func gumbelScale(rho float64, k int, x, y float64) float64 {
	return 2 * 2 * x * y / math.Sqrt(8*rho/float64(k))
}

func episodeRhoStub(k int, pick, mu float64) float64 {
	return 0 // your turn
}

func episodeRho(k int, pick, mu float64) float64 {
	return float64(k)*pick*pick/8 + mu*mu/2
}

func meanScoreStub(theta []float64, r float64, j int) float64 {
	return theta[j] // your turn
}

func meanScore(theta []float64, r float64, j int) (sum float64) {
	for i, v := range theta {
		sum += v * math.Pow(r, math.Abs(float64(i-j)))
	}
	return sum
}

func stepMovesStub(rows int, step, context, reward float64) float64 {
	return 2 * step * reward / float64(rows) // your turn
}

func stepMoves(rows int, step, context, reward float64) float64 {
	return 2 * 2 * step * context * reward / float64(rows)
}

func bitRoundsStub(dim int, epsilon, signal float64) float64 {
	return math.Log(float64(dim)) // your turn
}

func bitRounds(dim int, epsilon, signal float64) float64 {
	contrast := math.Tanh(epsilon / 2)
	return 4 * float64(dim) * math.Log(2*float64(dim)) / math.Pow(contrast*signal, 2)
}

func marginBoundStub(kappa float64) float64 {
	return 1 // your turn
}

func marginBound(kappa float64) float64 {
	return min(1, kappa/math.Sqrt(math.Pi))
}

func deltaFromStub(losses []float64, epsilon float64) float64 {
	return 0 // your turn
}

func deltaFrom(losses []float64, epsilon float64) (sum float64) {
	for _, loss := range losses {
		sum += max(0, 1-math.Exp(epsilon-loss)) / float64(len(losses))
	}
	return sum
}

var answers = map[string]struct {
	function       string
	stub, solution any
}{
	"random arm":           {"randomRegret", randomRegretStub, randomRegret},
	"soft threshold":       {"soft", softStub, soft},
	"fresh thresholds":     {"freshLoss", freshLossStub, freshLoss},
	"noise of a selection": {"gumbelScale", gumbelScaleStub, gumbelScale},
	"cost of an episode":   {"episodeRho", episodeRhoStub, episodeRho},
	"decoy":                {"meanScore", meanScoreStub, meanScore},
	"one step":             {"stepMoves", stepMovesStub, stepMoves},
	"rounds by bits":       {"bitRounds", bitRoundsStub, bitRounds},
	"margin":               {"marginBound", marginBoundStub, marginBound},
	"delta from runs":      {"deltaFrom", deltaFromStub, deltaFrom},
}

// Each stub fails with its hint, each solution passes, and both stand in the notebook as they stand
// here.
func TestExercises(t *testing.T) {
	source, err := os.ReadFile("exercise_test.go")
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
		if err := Answer(name, a.stub); err == nil || !strings.Contains(err.Error(), e.hint) {
			t.Errorf("%s: the stub gives %v, want an error with the hint", name, err)
		}
		if err := Answer(name, a.solution); err != nil {
			t.Errorf("%s: the solution gives %v", name, err)
		}
		if err := Answer(name, 7); err == nil {
			t.Errorf("%s: an answer of another type passes", name)
		}
		call := fmt.Sprintf("exercise.Check(%q, %s)", name, a.function)
		place := -1
		for i, c := range cells {
			if strings.Contains(c, call) {
				place = i
			}
		}
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
			if len(text) < 20 || !strings.Contains(string(source), text) {
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
	toolkit := regexp.MustCompile(`\b(audit|bandit|environment|lasso|learner|mechanism|privacy|simulate)\.`)
	shown, all := 0, 0
	for _, c := range notebook(t) {
		if !strings.HasPrefix(c, "%noautoget") && regexp.MustCompile(`(?m)^(func|type|var|%%)`).MatchString(c) && !strings.Contains(c, "exercise.Check") && !strings.Contains(c, "<details>") {
			all++
			if toolkit.MatchString(c) && !strings.Contains(c, "study.") {
				shown++
			}
		}
	}
	if all < 20 || 3*shown < 2*all {
		t.Errorf("%d of %d code cells use pkg/ and nothing of this folder, want two thirds", shown, all)
	}
}

// notebook returns the sources of the notebook's cells.
func notebook(t *testing.T) (cells []string) {
	t.Helper()
	b, err := os.ReadFile("../../04-private-lasso.ipynb")
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
