// Package judged holds public programs of private bandits, or of their parts, beside what an audit
// of ours finds of them.
//
// [Programs] says of each what it claims, what its code proves when it is read, and where. A small
// driver in Python, in the folder drivers, plays a program in two neighbouring worlds and collects
// what it releases. [Judge] attacks these samples. The table of all programs is
// notebooks/results/public-programs.csv. To make a row again:
//
//	make judge PROGRAM=mab-dpse CLONE=path/to/its/checkout
//
// Some programs want packages of Python beside NumPy, as their entries say. VENV=path names an
// environment that has them.
//
// None of the programs' code is here. A clone has to be at the commit that its row names. Its code
// runs as your own program, with all your rights: read it first.
//
// How to read the table. Excluded is the largest epsilon that the evidence excludes at the claimed
// delta, with 99% confidence for each run of an audit, by two runs with different seeds. The table
// has two runs of each program, so that less than one of all is expected to exclude a true claim by
// chance; none is called excluded that both runs do not exclude. What is not excluded may be
// private, or the attack weak. Where a row is made by formulas, the program was not run: its noise
// was drawn by the toolkit, by the formulas that were read in its code.
//
// Most of these programs draw the figures of a paper, and were never meant to protect anybody. A
// finding is about the code at that commit, with the parameters of its row. It is not about the
// theorem of its paper.
package judged

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Confidence is that of each run of an audit.
const Confidence = 0.99

// Seeds are those of the two runs of a row.
var Seeds = [2]uint64{1, 2}

// How a row is made.
const (
	Run      = "run"      // the program was run
	Formulas = "formulas" // the toolkit drew its noise, by the program's formulas
)

// Program is a public program, or the part of one that a row is about.
type Program struct {
	Name       string // of its driver, too
	What       string // in words
	Repository string
	Commit     string   // or the version of a package
	Lines      []string // where the finding is, as file:first-last

	Model    string         // trust model and neighbours
	Says     string         // where it claims what it claims
	Claim    privacy.Budget // no default
	Released string         // what the driver collects of a run

	Outputs int // numbers that a run releases
	Runs    int // in each world
	// Density is that of what is released, for an audit that asks for more than runs can count. nil
	// means that the audit counts.
	Density func() (audit.Density, error)
	// Release draws what the program would, by its formulas. nil means that the program is run.
	Release func(world int, source rand.Source, out []float64) error

	Packages []string // of Python, beside NumPy
	Proves   string   // what the code proves when it is read
	Finding  string
}

// Made returns Run or Formulas.
func (p Program) Made() string {
	if p.Release != nil {
		return Formulas
	}
	return Run
}

// library reports whether the program is a package of Python, which has no clone.
func (p Program) library() bool { return strings.HasPrefix(p.Repository, "https://pypi.org/") }

// Named returns the program of a name.
func Named(name string) (Program, error) {
	for _, p := range Programs {
		if p.Name == name {
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("judged: no program is called %q", name)
}

// Place says where a program is and what runs it.
type Place struct {
	Clone  string // the program's checkout; not used for packages and formulas
	Python string // the interpreter, with what the program imports
}

// Judge attacks a program once and returns what it found. If runs is 0, it makes the number of the
// program's row.
func Judge(ctx context.Context, p Program, at Place, runs int, seed uint64) (audit.Finding, error) {
	if runs == 0 {
		runs = p.Runs
	}
	if runs < audit.MinRuns {
		return audit.Finding{}, fmt.Errorf("judged: %s: %d runs, want >= %d", p.Name, runs, audit.MinRuns)
	}
	release := p.Release
	if release == nil {
		s, err := collect(ctx, p, at, runs, seed)
		if err != nil {
			return audit.Finding{}, fmt.Errorf("judged: %s: %w", p.Name, err)
		}
		release = s.release
	}
	// Samples are read in the order in which they were collected: one worker.
	o := audit.Options{Confidence: Confidence, Seed: seed, Workers: 1}
	if p.Density == nil {
		return audit.Mechanism{Name: p.Name, Claim: p.Claim, Outputs: p.Outputs, Runs: runs, Release: release}.Run(ctx, o)
	}
	d, err := p.Density()
	if err != nil {
		return audit.Finding{}, fmt.Errorf("judged: %s: %w", p.Name, err)
	}
	return audit.Likelihood{Name: p.Name, Claim: p.Claim, Outputs: p.Outputs, Runs: runs, Release: release, Density: d}.Run(ctx, o)
}

// samples are what a driver collected: the runs of each world, one after the other.
type samples struct {
	mu      sync.Mutex
	outputs int
	left    [2][]float64
}

// release hands out the next run of a world.
func (s *samples) release(world int, _ rand.Source, out []float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left[world]) < s.outputs {
		return errors.New("no more runs were collected")
	}
	copy(out, s.left[world][:s.outputs])
	s.left[world] = s.left[world][s.outputs:]
	return nil
}

//go:embed drivers/*.py
var drivers embed.FS

// collect runs a program's driver.
func collect(ctx context.Context, p Program, at Place, runs int, seed uint64) (*samples, error) {
	clone, err := checked(ctx, p, at)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "judged-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	sources, err := fs.Sub(drivers, "drivers")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, sources); err != nil {
		return nil, err
	}
	python, err := exec.LookPath(at.Python)
	if err != nil {
		return nil, err
	}
	if python, err = filepath.Abs(python); err != nil { // as it runs in another folder
		return nil, err
	}
	c := exec.CommandContext(ctx, python, p.driver(), clone, fmt.Sprint(runs), fmt.Sprint(seed))
	// A program may write files where it runs, and threads would wait for each other.
	c.Dir, c.WaitDelay = folder, 10*time.Second
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MPLBACKEND=agg")
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.driver(), err, lastLine(complaints.String()))
	}
	all := make([]float64, out.Len()/8)
	if want := 2 * runs * p.Outputs; len(all) != want || out.Len()%8 != 0 {
		return nil, fmt.Errorf("%s wrote %d bytes, want %d numbers of 8", p.driver(), out.Len(), want)
	}
	for i := range all {
		all[i] = math.Float64frombits(binary.LittleEndian.Uint64(out.Bytes()[8*i:]))
	}
	return &samples{outputs: p.Outputs, left: [2][]float64{all[:len(all)/2], all[len(all)/2:]}}, nil
}

// driver returns the name of the program's driver.
func (p Program) driver() string { return strings.ReplaceAll(p.Name, "-", "_") + ".py" }

// checked returns the absolute path of a clone that is at its row's commit. A package has to be
// installed in its row's version, and has no clone.
func checked(ctx context.Context, p Program, at Place) (string, error) {
	if p.library() {
		name := p.Repository[strings.LastIndex(p.Repository, "/")+1:]
		version, err := said(ctx, at.Python, "-c", "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))", name)
		if err != nil {
			return "", fmt.Errorf("%s is not installed beside %s: %w", name, at.Python, err)
		}
		if version != p.Commit {
			return "", fmt.Errorf("%s %s is installed, want %s", name, version, p.Commit)
		}
		return "-", nil
	}
	if at.Clone == "" {
		return "", fmt.Errorf("no clone: git clone %s, and git checkout %s in it", p.Repository, p.Commit)
	}
	clone, err := filepath.Abs(at.Clone)
	if err != nil {
		return "", err
	}
	head, err := said(ctx, "git", "-C", clone, "rev-parse", "HEAD")
	if err != nil {
		return "", fmt.Errorf("%s: %w", clone, err)
	}
	if head != p.Commit {
		return "", fmt.Errorf("%s is at %s, want %s", clone, head, p.Commit)
	}
	return clone, nil
}

// said returns what a command prints, in one line.
func said(ctx context.Context, name string, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, name, arguments...)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, lastLine(complaints.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndex(s, "\n")+1:]
}
