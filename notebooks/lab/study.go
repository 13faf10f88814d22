package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Study measures in each trial what is not a regret: whether an event fails, how often an arm is
// pulled, how far a bound is from a run.
//
// Its table is one of package simulate that has a curve of a single point for each quantity, so
// that it is read, checked and shown as the tables of experiments are.
type Study struct {
	Name   string
	Seed   uint64
	Trials int
	Rounds int      // the length of a run, as the table says it
	What   []string // the quantities
	// Trial measures all quantities, which are finite. Its randomness comes from Seed and the trial's
	// index alone, so that results do not depend on the number of cores. It may end by package check.
	// Finished trials are kept by what the program's packages were built from, so that a study of
	// package main is not kept.
	Trial func(trial int) []float64
}

// Playable is a run of a study of regrets. Its text names its regret in the table.
type Playable interface {
	fmt.Stringer
	Regret(seed uint64) float64
}

// Regrets makes a study measure the regrets of runs. All runs of a trial have one seed, so that
// they meet the same users.
func Regrets[R Playable](s Study, runs []R) *Study {
	for _, r := range runs {
		s.What = append(s.What, r.String())
	}
	s.Trial = func(trial int) (out []float64) {
		for _, r := range runs {
			out = append(out, r.Regret(s.Seed*1000+uint64(trial)))
		}
		return out
	}
	return &s
}

// Worst returns the largest mean regret of runs in a table, its standard error, and which it is.
func Worst[R Playable](t *simulate.Table, runs []R) (regret, se float64, worst R) {
	for _, r := range runs {
		if _, mean, e := check.Try(t.Curve(r.String())).Last(); mean > regret {
			regret, se, worst = mean, e, r
		}
	}
	return regret, se, worst
}

// measured is a finished trial, as a line of a checkpoint has it.
type measured struct {
	Trial  int
	Busy   time.Duration
	Values []float64
}

// identity is the first line of a checkpoint.
func (s *Study) identity() []byte {
	text, err := json.Marshal([]any{s.Name, s.Seed, s.Rounds, s.What, simulate.Build()})
	check.OK(err)
	return text
}

// run measures what the file of finished trials does not have yet, adds it there, and returns the
// table. An empty name means no file.
func (s *Study) run(ctx context.Context, file string) (*simulate.Table, error) {
	start := time.Now()
	done, restored := make([]*measured, s.Trials), 0
	keep := func(measured) error { return nil }
	if file != "" {
		out, old, err := s.open(file)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		for _, m := range old {
			if m.Trial < s.Trials && done[m.Trial] == nil {
				done[m.Trial] = &m
				restored++
			}
		}
		keep = func(m measured) error { return json.NewEncoder(out).Encode(m) }
	}
	var todo []int
	for i, m := range done {
		if m == nil {
			todo = append(todo, i)
		}
	}
	if len(todo) > 0 {
		var lock sync.Mutex
		_, err := simulate.Trials(ctx, len(todo), func(k int) (float64, error) {
			m := measured{Trial: todo[k]}
			begin := time.Now()
			err := s.measure(&m)
			m.Busy = time.Since(begin)
			if err == nil {
				lock.Lock()
				defer lock.Unlock()
				done[m.Trial], err = &m, keep(m)
			}
			return 0, err
		})
		if err != nil {
			return nil, fmt.Errorf("lab: %s: %w", s.Name, err)
		}
	}
	return s.table(done, restored, time.Since(start)), nil
}

// measure runs a trial.
func (s *Study) measure(m *measured) (err error) {
	defer check.Catch(&err)
	m.Values = s.Trial(m.Trial)
	if len(m.Values) != len(s.What) {
		return fmt.Errorf("trial %d has %d numbers, want %d", m.Trial, len(m.Values), len(s.What))
	}
	for i, v := range m.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("trial %d: %s = %v, want a finite number", m.Trial, s.What[i], v)
		}
	}
	return nil
}

// open opens the file of finished trials, and returns those that it has. It drops a last line that
// was cut off.
func (s *Study) open(name string) (*os.File, []measured, error) {
	switch trial := runtime.FuncForPC(reflect.ValueOf(s.Trial).Pointer()).Name(); {
	case strings.HasPrefix(trial, "main."):
		return nil, nil, fmt.Errorf("lab: trials of %s are not kept, as their code (%s) is of package main: put it in another", s.Name, trial)
	case simulate.Build() == "":
		return nil, nil, fmt.Errorf("lab: trials of %s are not kept, as the program's file cannot be read", s.Name)
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var old []measured
	good := 0
	for in := bufio.NewReader(bytes.NewReader(data)); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		if good == 0 {
			if !bytes.Equal(bytes.TrimSpace(line), s.identity()) {
				return nil, nil, fmt.Errorf("lab: %s is of another study, or another program, than %s: move it away", name, s.identity())
			}
		} else {
			var m measured
			if json.Unmarshal(line, &m) != nil || m.Trial < 0 || len(m.Values) != len(s.What) {
				break
			}
			old = append(old, m)
		}
		good += len(line)
	}
	head := data[:good]
	if good == 0 {
		head = append(s.identity(), '\n')
	}
	if err := replace(name, head); err != nil {
		return nil, nil, err
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0o644)
	return out, old, err
}

// table sums the trials up.
func (s *Study) table(done []*measured, restored int, wall time.Duration) *simulate.Table {
	t := &simulate.Table{Provenance: simulate.Provenance{
		Experiment: s.Name, Seed: s.Seed, Trials: s.Trials, Asked: s.Trials, Horizon: s.Rounds, Rounds: s.Rounds,
		Version: simulate.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Workers: runtime.GOMAXPROCS(0), CPUs: runtime.NumCPU(), Date: time.Now().UTC().Truncate(time.Second),
		Wall: wall, Restored: restored,
	}}
	for _, m := range done {
		t.Provenance.Busy += m.Busy
	}
	r := simulate.Result{Grid: []int{s.Rounds}}
	for i, what := range s.What {
		values := make([][]float64, len(done))
		for j, m := range done {
			values[j] = m.Values[i : i+1]
		}
		r.Policies = append(r.Policies, simulate.PolicyResult{Name: what, Regret: values})
	}
	t.Curves = r.Curves()
	return t
}

// RunStudies runs studies one after the other. At scale Paper it keeps finished trials, and writes
// the tables, where Run does.
func RunStudies(ctx context.Context, s cell.Scale, studies ...*Study) (tables []*simulate.Table, err error) {
	var checkpoints, results string
	if s == cell.Paper {
		if checkpoints, results, err = folders(); err != nil {
			return nil, err
		}
	}
	for _, study := range studies {
		file := ""
		if s == cell.Paper {
			file = filepath.Join(checkpoints, study.Name+".jsonl")
		}
		t, err := study.run(ctx, file)
		if err == nil && s == cell.Paper {
			err = save(filepath.Join(results, study.Name+".csv"), t)
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// Quantities lays tables of studies out: a row for each quantity, with its standard error.
func Quantities(caption string, tables ...*simulate.Table) *charts.Table {
	t := charts.NewTable("study", "quantity", "mean", "SE", "worst tenth", "trials")
	t.Caption = caption
	for _, of := range tables {
		for _, c := range of.Curves {
			t.Add(of.Provenance.Experiment, c.Policy, c.Mean[0], c.SE[0], c.Worst[0], c.Trials)
		}
	}
	return t
}

// Measured reports the quantities of a figure's studies under a caption.
func Measured(caption string) func(cell.Scale, []*simulate.Table) (*charts.Table, error) {
	return func(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
		return Quantities(caption, tables...), nil
	}
}
