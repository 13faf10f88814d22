package judged

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// Every program says all that a reader needs, has a name of its own, and its driver, if it is run.
// No driver is left over.
func TestPrograms(t *testing.T) {
	commit, version := regexp.MustCompile(`^[0-9a-f]{40}$`), regexp.MustCompile(`^\d+(\.\d+)+$`)
	names, used := map[string]bool{}, map[string]bool{"samples.py": true, "ucb.py": true}
	for _, p := range Programs {
		if names[p.Name] {
			t.Errorf("%s: twice", p.Name)
		}
		names[p.Name] = true
		for what, text := range map[string]string{
			"what": p.What, "model": p.Model, "says": p.Says, "released": p.Released, "proves": p.Proves, "finding": p.Finding,
		} {
			if text == "" || text != strings.TrimSpace(text) || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
				t.Errorf("%s: %s is %q, want a line without a full stop at its end", p.Name, what, text)
			}
		}
		if err := p.Claim.Validate(); err != nil || p.Claim.None() {
			t.Errorf("%s: claim %v: %v", p.Name, p.Claim, err)
		}
		if len(p.Lines) == 0 || p.Outputs < 1 || p.Runs < audit.MinRuns {
			t.Errorf("%s: lines %v, %d outputs, %d runs", p.Name, p.Lines, p.Outputs, p.Runs)
		}
		if is := commit; p.library() {
			is = version
			if !is.MatchString(p.Commit) {
				t.Errorf("%s: version %q", p.Name, p.Commit)
			}
		} else if !is.MatchString(p.Commit) || !strings.HasPrefix(p.Repository, "https://github.com/") {
			t.Errorf("%s: %s at %q", p.Name, p.Repository, p.Commit)
		}
		_, err := fs.Stat(drivers, "drivers/"+p.driver())
		if p.Made() == Formulas && err == nil || p.Made() == Run && err != nil {
			t.Errorf("%s: made by %s, and its driver: %v", p.Name, p.Made(), err)
		}
		used[p.driver()] = true
	}
	files, err := fs.ReadDir(drivers, "drivers")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("%s is nobody's driver", f.Name())
		}
	}
}

// The committed table has the rows of the list, in its order, and verdicts that its numbers bear
// out.
func TestCommitted(t *testing.T) {
	rows, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(Programs) {
		t.Errorf("%d rows, want %d", len(rows), len(Programs))
	}
	for i, r := range rows {
		if i < len(Programs) && r.Name != Programs[i].Name {
			t.Fatalf("row %d is %s, want %s", i, r.Name, Programs[i].Name)
		}
		excluded := r.Excluded[0] > r.Claim.Epsilon && r.Excluded[1] > r.Claim.Epsilon
		if excluded != (r.Verdict == Excluded) {
			t.Errorf("%s: %s, and %v of a claim of %v", r.Name, r.Verdict, r.Excluded, r.Claim.Epsilon)
		}
		if r.Runs != r.Program.Runs {
			t.Errorf("%s: %d runs, want %d", r.Name, r.Runs, r.Program.Runs)
		}
	}
}

// What needs no clone agrees with the committed table, in fewer runs: rows by formulas, and those
// of packages that are installed.
func TestRerun(t *testing.T) {
	rows, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Made() == Run && !r.library() {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			at := Place{}
			if r.library() {
				at.Python = python(t)
				if err := exec.Command(at.Python, "-c", "import importlib.metadata as m, sys; m.version(sys.argv[1])", r.Packages[0]).Run(); err != nil {
					t.Skipf("%s is not installed", r.Packages[0])
				}
			}
			f, err := Judge(t.Context(), r.Program, at, 400, 3)
			if err != nil {
				t.Fatal(err)
			}
			// At 99%, a true claim is excluded in one of a hundred; here the seed is fixed.
			if got := f.Verdict(); got != r.Verdict {
				t.Errorf("%s, want %s\n%s", got, r.Verdict, f)
			}
		})
	}
}

// python returns the interpreter of the tests, which has NumPy: that of VENV, as for make judge, or
// of the peers.
func python(t *testing.T) string {
	t.Helper()
	path := filepath.Join("..", "..", ".peers", "bin", "python")
	if venv := os.Getenv("VENV"); venv != "" {
		path = filepath.Join(venv, "bin", "python")
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("Python's packages are not installed: run docker/setup peers, in the repository's root")
	}
	return path
}

// standIn makes a clone with a class of our own in the place of AdaP-TT's, and returns the program
// at its commit. Its first means have Laplace noise of a scale.
func standIn(t *testing.T, scale string) (Program, string) {
	t.Helper()
	clone := t.TempDir()
	source := `
import numpy as np

class AdaPTopTwo:
    def __init__(self, config):
        self.values = np.zeros(config["K"])

    def run(self, bandit):
        for arm in range(len(self.values)):
            self.values[arm] = bandit.pull(arm) + SCALE * np.random.laplace()
        bandit.pull(0)
`
	if err := os.MkdirAll(filepath.Join(clone, "algorithms"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(clone, "algorithms", "adapTT.py")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(source, "SCALE", scale)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "stand-in"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", clone}, arguments...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", arguments, err, out)
		}
	}
	p, err := Named("best-arm")
	if err != nil {
		t.Fatal(err)
	}
	if p.Commit, err = said(t.Context(), "git", "-C", clone, "rev-parse", "HEAD"); err != nil {
		t.Fatal(err)
	}
	return p, clone
}

// A driver plays what is in the clone: a program with too little noise is excluded, one with enough
// is not, and a run made again is the same run.
func TestDriver(t *testing.T) {
	for scale, want := range map[string]string{"1": NotExcluded, "0.1": Excluded} {
		p, clone := standIn(t, scale)
		at := Place{clone, python(t)}
		f, err := Judge(t.Context(), p, at, 1000, 1)
		if err != nil {
			t.Fatal(err)
		}
		if f.Verdict() != want {
			t.Errorf("scale %s: %s, want %s\n%s", scale, f.Verdict(), want, f)
		}
		again, err := Judge(t.Context(), p, at, 1000, 1)
		if err != nil || again.String() != f.String() {
			t.Errorf("scale %s: another run with the same seed: %v\n%swant\n%s", scale, err, again, f)
		}
	}
}

// What is wrong with a clone, a program or an interpreter is said by name.
func TestErrors(t *testing.T) {
	p, clone := standIn(t, "nothing")
	other := p
	other.Commit = strings.Repeat("0", 40)
	for _, c := range []struct {
		p    Program
		at   Place
		runs int
		says string
	}{
		{p, Place{clone, python(t)}, 100, "name 'nothing' is not defined"},
		{other, Place{clone, python(t)}, 100, "want 0000"},
		{p, Place{"", python(t)}, 100, "git clone https://github.com/achraf-azize/DP-BAI"},
		{p, Place{t.TempDir(), python(t)}, 100, "not a git repository"},
		{p, Place{clone, "no-python-of-this-name"}, 100, "no-python-of-this-name"},
		{p, Place{clone, python(t)}, 10, "10 runs, want >= 40"},
	} {
		if _, err := Judge(t.Context(), c.p, c.at, c.runs, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one with %q", err, c.says)
		}
	}
	if _, err := Named("nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("error %v of an unknown program", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Judge(ctx, p, Place{clone, python(t)}, 100, 1); !errors.Is(err, context.Canceled) && err == nil {
		t.Error("no error of a cancelled run")
	}
}

// A table is read as it was written, and a verdict stands only if both runs have it.
func TestTable(t *testing.T) {
	p := Programs[0]
	one := audit.Finding{About: audit.About{Claim: p.Claim}, Epsilon: 3.6189, Runs: 400}
	two := one
	two.Epsilon = 0.5
	for _, c := range []struct {
		second audit.Finding
		want   string
	}{{one, Excluded}, {two, NotRepeated}} {
		r := RowOf(p, [2]audit.Finding{one, c.second})
		if r.Verdict != c.want || r.Excluded[0] != 3.61 {
			t.Errorf("%s, %v, want %s and 3.61", r.Verdict, r.Excluded, c.want)
		}
		table := CSV([]Row{r})
		back, _, err := Read(table)
		if err != nil || len(back) != 1 || !bytes.Equal(CSV(back), table) {
			t.Errorf("read %v (%v) of\n%s", back, err, table)
		}
	}
	for _, bad := range []string{"", "program,what\n", string(CSV(nil)) + strings.Repeat(",", len(header)-1) + "\n"} {
		if _, _, err := Read([]byte(bad)); err == nil {
			t.Errorf("no error of %q", bad)
		}
	}
}

// TestReadme: README says how many programs there are, and of how many the claim is excluded.
func TestReadme(t *testing.T) {
	rows, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	excluded := 0
	for _, r := range rows {
		if r.Verdict == Excluded {
			excluded++
		}
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("Of %d public programs", len(rows)), fmt.Sprintf("[exclude %d claims]", excluded)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README does not say %q", want)
		}
	}
}
