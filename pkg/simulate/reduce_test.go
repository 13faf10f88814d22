package simulate

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// played returns the records of all trials of an experiment.
func played(t *testing.T, e *Experiment) (*Prepared, []*Record) {
	t.Helper()
	p, err := e.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	records := make([]*Record, e.Trials)
	for i := range records {
		if records[i], err = p.RunTrial(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	return p, records
}

// Records that went through JSON, in any order and some of them twice, give the result of a run.
func TestReduceEqualsRun(t *testing.T) {
	e := small("")
	e.Pairs = [][2]string{{"greedy", "noisy"}}
	p, records := played(t, e)
	records = append(records, records[1:3]...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for i, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		records[i] = new(Record)
		if err := json.Unmarshal(text, records[i]); err != nil || !reflect.DeepEqual(r, records[i]) {
			t.Fatalf("a record comes back as another, error %v", err)
		}
	}
	got, err := p.Reduce(records)
	if err != nil {
		t.Fatal(err)
	}
	want := mustRun(t, e)
	if published(t, got) != published(t, want) || !reflect.DeepEqual(got.Policies, want.Policies) {
		t.Error("other results than those of Run")
	}
}

// Two records of a trial, of two workers that prepared it apart, have the same bytes but for the
// cost, whose fields come last.
func TestRecordsAreEqualButForTheirCost(t *testing.T) {
	_, a := played(t, small(""))
	_, b := played(t, small(""))
	for i := range a {
		if a[i].Busy <= 0 || a[i].Run == 0 || a[i].After <= 0 {
			t.Errorf("trial %d cost %v, %v, %v", i, a[i].Busy, a[i].Run, a[i].After)
		}
		for _, r := range []*Record{a[i], b[i]} {
			r.Busy, r.Run, r.After = 0, 0, 0
		}
		x, _ := json.Marshal(a[i])
		y, _ := json.Marshal(b[i])
		if string(x) != string(y) {
			t.Errorf("trial %d:\n%s\n%s", i, x, y)
		}
	}
}

func TestReduceRefuses(t *testing.T) {
	for want, change := range map[string]func(r []*Record) []*Record{
		`Experiment is "other", want "toy"`: func(r []*Record) []*Record { r[3].Experiment = "other"; return r },
		"Seed is 0x8, want 0x7":             func(r []*Record) []*Record { r[0].Seed = 8; return r },
		"Horizon is 41, want 40":            func(r []*Record) []*Record { r[1].Horizon = 41; return r },
		"Parameters is":                     func(r []*Record) []*Record { r[2].Parameters = "0"; return r },
		`Version is "v0"`:                   func(r []*Record) []*Record { r[3].Version = "v0"; return r },
		`Program is "x"`:                    func(r []*Record) []*Record { r[3].Program = "x"; return r },
		`Platform is "plan9/mips"`:          func(r []*Record) []*Record { r[3].Platform = "plan9/mips"; return r },
		`Go is "go1"`:                       func(r []*Record) []*Record { r[3].Go = "go1"; return r },
		"records[1] is nil":                 func(r []*Record) []*Record { r[1] = nil; return r },
		"trial 4, want in [0, Trials = 4)":  func(r []*Record) []*Record { r[1].Trial = 4; return r },
		"trial -1 with":                     func(r []*Record) []*Record { r[1].Trial = -1; return r },
		"trial 1 has 1 grid points, want 2": func(r []*Record) []*Record { r[1].Regret[2] = r[1].Regret[2][:1]; return r },
		"two records of trial 2 contradict": func(r []*Record) []*Record {
			other := *r[2]
			other.Regret = slices.Clone(other.Regret)
			other.Regret[0] = []float64{0, 1}
			return append(r, &other)
		},
	} {
		p, records := played(t, small(""))
		if r, err := p.Reduce(change(records)); r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("result %v, error %v, want no result and %q in the error", r, err, want)
		}
	}
}

// Records of another environment or learner are of another experiment, though all names are equal.
func TestReduceRefusesOtherParameters(t *testing.T) {
	p, _ := played(t, small(""))
	for what, change := range map[string]func(*Experiment){
		"environment": func(e *Experiment) { e.Environment = newMatrix(0.1) },
		"learner":     func(e *Experiment) { e.Policies[1] = toyPolicy("noisy", 0.05, 6) },
		"grid":        func(e *Experiment) { e.Grid = []int{11, 40} },
	} {
		e := small("")
		change(e)
		_, records := played(t, e)
		if r, err := p.Reduce(records); r != nil || err == nil || !strings.Contains(err.Error(), "Parameters") {
			t.Errorf("another %s: result %v, error %v", what, r, err)
		}
	}
}

// A result of some trials comes with an error that lists the others.
func TestReduceOfSome(t *testing.T) {
	p, records := played(t, small(""))
	r, err := p.Reduce(slices.Delete(slices.Clone(records), 1, 3))
	var missing *missingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Trials, []int{1, 2}) || !strings.Contains(err.Error(), "2 of 4 trials have no record: 1, 2") {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(r.Finished, []int{0, 3}) || !reflect.DeepEqual(r.Policies[1].Regret[1], records[3].Regret[1]) {
		t.Errorf("finished %v", r.Finished)
	}
	if r, err := p.Reduce(nil); !errors.As(err, &missing) || len(missing.Trials) != 4 || len(r.Finished) != 0 {
		t.Errorf("no records: result %v, error %v", r, err)
	}
	// all records may come from a machine of another kind
	for _, r := range records {
		r.Platform = "plan9/mips"
	}
	if r, err := p.Reduce(records); err != nil || r.Provenance.Platform != "plan9/mips" {
		t.Errorf("another platform: error %v", err)
	}
}

// RunTrial names where a panic came from.
func TestRunTrialFails(t *testing.T) {
	e := small("")
	e.Policies[1] = Policy{"noisy", makes(func() starter {
		return &toyGreedy{hook: func(round int) error {
			if round == 17 {
				panic("boom")
			}
			return nil
		}}
	})}
	p, err := e.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	want := `simulate: experiment "toy": policy "noisy", trial 3, round 17: panic: boom`
	if rec, err := p.RunTrial(t.Context(), 3); rec != nil || !errors.As(err, new(*TrialError)) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("record %v, error %v, want %s", rec, err, want)
	}
	for _, trial := range []int{-1, 4} {
		if rec, err := p.RunTrial(t.Context(), trial); rec != nil || err == nil || !strings.Contains(err.Error(), "want in [0, Trials = 4)") {
			t.Errorf("trial %d: record %v, error %v", trial, rec, err)
		}
	}
}
