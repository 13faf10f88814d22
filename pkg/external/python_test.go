package external

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

const client = "python/src/dpbandits_external/__init__.py"

// python returns a Python program that imports the client, or skips the test where there is no
// Python.
func python(tb testing.TB, command ...string) Program {
	tb.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		tb.Skip("python3 is not installed")
	}
	path, err := filepath.Abs("python/src")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Setenv("PYTHONPATH", path)
	tb.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return Program{Command: append([]string{interpreter}, command...)}
}

// write writes a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPythonIsShort: the client is a file of at most 60 lines, none of them long.
func TestPythonIsShort(t *testing.T) {
	text, err := os.ReadFile(client)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 60 {
		t.Errorf("%d lines, want at most 60", n)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 101 {
			t.Errorf("a line of %d letters: %s", len(line)-1, line)
		}
	}
}

// TestPythonReadme: the class on the client's page is that of greedy.py, it learns, and its prints
// do no harm.
func TestPythonReadme(t *testing.T) {
	page, err := os.ReadFile("python/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```python\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("no example on the page")
	}
	if file, err := os.ReadFile("python/greedy.py"); err != nil || string(file) != text {
		t.Errorf("greedy.py is not the example on the page (%v)", err)
	}
	loud := strings.Replace(text, "    def select(self, x):", "    def select(self, x):\n        print('choosing'); import os; os.write(1, b'low down\\n'); os.system('echo lower; cat')\n       ", 1)
	for _, text := range []string{text, loud} {
		e := &simulate.Experiment{
			Name: "python", Environment: environment.Arms{Means: []float64{0.1, 0.9, 0.2}},
			Policies: []simulate.Policy{{Name: "greedy", Learner: python(t, write(t, text))}},
			Horizon:  200, Trials: 2, Seed: 1,
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if regret := r.Curves()[0].Mean; regret[len(regret)-1] > 60 { // an arm at random has 100
			t.Errorf("regret %v, want less than 60", regret[len(regret)-1])
		}
	}
}

// everything uses all that the client offers.
const everything = `
import sys
from dpbandits_external import serve

class Everything:
    def __init__(self, problem, horizon, seed, noise_seed):
        if problem.slots != 2:
            raise ValueError("two slots, please")
        self.t, self.total, self.dim = 0, float(seed % 7), problem.dim
    def select(self, x):
        self.t += 1
        if self.t == 5:
            raise KeyError("round five")
        if self.dim == 0:
            assert x is None
        elif "packed" in sys.argv:
            assert x.shape == (5, 3) and x[1, 2] == 0.5, x
        else:
            assert len(x) == 5 and x[1] == [0, 0, 0.5], x
        return (self.t % 5, (self.t + 1) % 5)
    def update(self, arms, rewards):
        assert arms == [self.t % 5, (self.t + 1) % 5]
        self.total += sum(rewards)
    def release(self):
        return [self.total, self.t]
    if "warm" in sys.argv:
        def warm_up(self, rewards):
            self.total += sum(rewards)

serve(Everything, claim=lambda problem, horizon: dict(epsilon=horizon / 10, model="central"), packed="packed" in sys.argv)
`

// TestPython: the client hands everything over, in both forms, and says in its own words what its
// class refuses.
func TestPython(t *testing.T) {
	file := write(t, everything)
	for _, c := range []struct {
		dim  int
		args []string
	}{{0, nil}, {0, []string{"warm"}}, {3, nil}, {3, []string{"packed"}}} {
		p := python(t, append([]string{file}, c.args...)...)
		problem := bandit.Problem{Arms: 5, Dim: c.dim, Slots: 2, ContextNorm: 1, RewardMax: 1}
		l, err := p.Open(problem, 20)
		if err != nil {
			t.Fatal(err)
		}
		defer bandit.Close(l)
		if claim := privacy.ClaimOf(l); claim.Epsilon() != 2 || claim.Model() != privacy.Central {
			t.Errorf("it claims\n%v", claim)
		}
		warm := len(c.args) > 0 && c.args[0] == "warm"
		if l.(bandit.Warmer).WantsWarmUp() != warm {
			t.Errorf("%v: a warm-up is wanted: %v", c.args, !warm)
		}
		r := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
		total := float64(rand.NewPCG(1, 2).Uint64() >> 11 % 7)
		if warm {
			if err := r.(bandit.Warmed).WarmUp([]float64{1, 1, 1, 1, 1}); err != nil {
				t.Fatal(err)
			}
			total += 5
		}
		v := bandit.View{Arms: 5, Dim: c.dim, X: make([]float64, 5*c.dim)}
		if c.dim > 0 {
			v.X[5] = 0.5
		}
		for v.Round = 1; v.Round <= 4; v.Round++ {
			v.Same = v.Round == 3
			arms, err := r.Select(&v, nil)
			if err == nil {
				err = r.Update(&v, arms, []float64{0.25, 1})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := r.(interface{ Release() []float64 }).Release(); len(got) != 2 || got[0] != total+5 || got[1] != 4 {
			t.Errorf("it has released %v, want %v and 4", got, total+5)
		}
		var e *Error
		if _, err := r.Select(&v, nil); !errors.As(err, &e) || e.Fault != refused || !strings.Contains(e.Got, "KeyError: 'round five'") || !strings.Contains(e.Stderr, "mine.py\", line ") || !strings.Contains(e.Stderr, ": KeyError") {
			t.Errorf("its fifth round: error %v", err)
		}
	}
	var e *Error
	if _, err := python(t, file).Open(bandit.Problem{Arms: 5, Slots: 1, RewardMax: 1}, 20); !errors.As(err, &e) || e.Fault != refused || !strings.Contains(e.Got, "two slots, please") {
		t.Errorf("another problem: error %v", err)
	}
	if _, err := python(t, write(t, "def f(x):\n    return x[1:3\n")).Open(small, 20); !errors.As(err, &e) || !strings.Contains(e.Stderr, "mine.py\", line 2: SyntaxError") {
		t.Errorf("error %v, want the line of the syntax error", err)
	}
	if _, err := python(t, write(t, "import nothing_of_the_kind")).Open(small, 20); !errors.As(err, &e) || e.Fault != crashed || !strings.Contains(e.Stderr, "ModuleNotFoundError") {
		t.Errorf("a script that does not begin: error %v", err)
	}
}
