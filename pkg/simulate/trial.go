package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TrialError says where and why a trial failed.
type TrialError struct {
	Experiment string
	Policy     string // empty if the environment failed
	Trial      int    // from 0
	Round      int    // from 1; 0 means before the first round, or in a warm-up
	Err        error  // the run's, or what it panicked with
}

// Error names the experiment, the policy, the trial and the round.
func (e *TrialError) Error() string {
	who := "environment"
	if e.Policy != "" {
		who = fmt.Sprintf("policy %q", e.Policy)
	}
	return fmt.Sprintf("simulate: experiment %q: %s, trial %d, round %d: %v", e.Experiment, who, e.Trial, e.Round, e.Err)
}

// Unwrap returns Err.
func (e *TrialError) Unwrap() error { return e.Err }

// trialError is a TrialError as JSON.
type trialError struct {
	Experiment string `json:"experiment"`
	Policy     string `json:"policy"`
	Trial      int    `json:"trial"`
	Round      int    `json:"round"`
	Err        string `json:"error"`
	Stack      string `json:"stack,omitempty"` // of a panic
}

// MarshalJSON keeps the text of Err, and the stack of a panic.
func (e *TrialError) MarshalJSON() ([]byte, error) {
	data := trialError{Experiment: e.Experiment, Policy: e.Policy, Trial: e.Trial, Round: e.Round, Err: fmt.Sprint(e.Err)}
	if p := (*panicError)(nil); errors.As(e.Err, &p) {
		data.Stack = string(p.Stack)
	}
	return json.Marshal(data)
}

// UnmarshalJSON reads what MarshalJSON wrote. Err has its text only.
func (e *TrialError) UnmarshalJSON(text []byte) error {
	var data trialError
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	*e = TrialError{Experiment: data.Experiment, Policy: data.Policy, Trial: data.Trial, Round: data.Round, Err: errors.New(data.Err)}
	return nil
}

// panicError is a panic that was recovered in a learner or an environment.
type panicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the goroutine, for debugging
	where string
}

// Error returns the text of the panic, the function that panicked and its caller.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v%s", e.Value, e.where) }

// Unwrap returns the value of the panic if that is an error, else nil.
func (e *panicError) Unwrap() error { err, _ := e.Value.(error); return err }

func newPanicError(value any) *panicError { return &panicError{value, debug.Stack(), panicked()} }

// panicked returns which function panicked, and which one called it. A deferred function has to
// call it while the panic lasts.
func panicked() (where string) {
	pc := make([]uintptr, 32)
	frames, below, join := runtime.CallersFrames(pc[:runtime.Callers(0, pc)]), false, ", in "
	for calls := 0; calls < 2; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			below = true
		case below && !strings.HasPrefix(f.Function, "runtime."):
			where += fmt.Sprintf("%s%s (%s:%d)", join, path.Base(f.Function), path.Base(f.File), f.Line)
			join, calls = ", called by ", calls+1
		}
		if !more {
			break
		}
	}
	return where
}

// seat is a policy in a trial.
type seat struct {
	learner bandit.Calibrated
	run     bandit.Run
	ledger  *privacy.Ledger // of its noise
	rewards *rand.Rand
	arms    []int
	y       []float64
	sum     float64 // cumulative expected regret
	jumped  bool    // rounds were fast-forwarded
}

// The round loop checks the context and reports its progress once a chunk of rounds. Chunks double
// in length, up to maxChunk, as long as they take less than chunkTime.
const (
	maxChunk  = 4096
	chunkTime = 20 * time.Millisecond
)

// runTrial plays one trial, and leaves its cost to the caller. It calls tick with the number of
// rounds played since its last call. The error is ctx's or a *TrialError.
func (e *Prepared) runTrial(ctx context.Context, trial int, tick func(rounds int)) (rec *Record, err error) {
	at, round := -1, 0 // the policy whose code runs (-1: the environment) and the round, for errors
	turn := -1         // the policy whose turn it is (-1: none's)
	fail := func(err error) *TrialError {
		t := &TrialError{Experiment: e.Name, Trial: trial, Round: round, Err: err}
		switch {
		case at >= 0:
			t.Policy = e.Policies[at].Name
		case turn >= 0:
			t.Err = fmt.Errorf("given the arms of policy %q: %w", e.Policies[turn].Name, err)
		}
		return t
	}
	defer func() {
		if r := recover(); r != nil {
			rec, err = nil, fail(newPanicError(r))
		}
	}()

	problem := e.world.Problem()
	env := e.world.Start(random.New(e.Seed, trial, "contexts"))
	if env == nil {
		return nil, fail(errors.New("its Start returned nil"))
	}
	seats := make([]seat, len(e.Policies))
	defer func() {
		for _, s := range seats {
			_ = bandit.Close(s.run) // of a trial that has failed; the others are closed by now
		}
	}()
	rec = &Record{Origin: e.origin, Trial: trial, Regret: make([][]float64, len(seats)), Warnings: make([][]bandit.Warning, len(seats))}
	for i, p := range e.Policies {
		at = i
		s := &seats[i]
		s.learner = e.learners[i]
		s.rewards = random.New(e.Seed, trial, "rewards")
		s.arms = make([]int, 0, problem.Slots)
		s.y = make([]float64, problem.Slots)
		s.ledger = privacy.NewLedger(random.Source(e.Seed, trial, "noise/"+p.Name))
		if s.run = s.learner.Start(random.New(e.Seed, trial, "learner/"+p.Name), s.ledger); s.run == nil {
			return nil, fail(errors.New("Start returned nil"))
		}
		if wantsWarmUp(s.learner) {
			at = -1
			y := make([]float64, problem.Arms)
			env.Pull(random.New(e.Seed, trial, "warm-up"), allArms(problem.Arms), y)
			at = i
			if err := warmUp(s.run, y); err != nil {
				return nil, fail(fmt.Errorf("in WarmUp: %w", err))
			}
		}
		rec.Regret[i] = make([]float64, len(e.grid))
	}

	var view bandit.View
	rounds, point := e.rounds(), 0
	chunk, ticked, since := 1, 0, time.Now()
	if e.FastForward {
		of, ok := env.(sums)
		if !ok {
			return nil, fail(fmt.Errorf("its instance, a %T, draws no sums of rewards, which its world says it does", env))
		}
		for i := range seats {
			at = i
			if err := e.forward(ctx, of, &seats[i], &round, rec.Regret[i]); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				return nil, fail(err)
			}
			tick(rounds*(i+1)/len(seats) - ticked)
			ticked = rounds * (i + 1) / len(seats)
		}
	}
	for round = ticked + 1; round <= rounds; round++ {
		at, turn = -1, -1
		env.Next(&view)
		for i := range seats {
			s := &seats[i]
			at, turn = i, i
			if s.arms, err = s.run.Select(&view, s.arms[:0]); err != nil {
				return nil, fail(err)
			}
			if bad := checkArms(s.arms, problem.Slots, view.Arms); bad >= 0 {
				return nil, fail(armsError(s.arms, bad, problem.Slots, view.Arms))
			}
			at = -1
			env.Pull(s.rewards, s.arms, s.y)
			s.sum += env.Regret(s.arms)
			at = i
			if err := s.run.Update(&view, s.arms, s.y); err != nil {
				return nil, fail(err)
			}
		}
		if round == e.grid[point] {
			at, turn = -1, -1
			for i := range seats {
				if sum := seats[i].sum; math.IsNaN(sum) || math.IsInf(sum, 0) {
					return nil, fail(fmt.Errorf("cumulative regret of policy %q = %v, want finite", e.Policies[i].Name, sum))
				}
				rec.Regret[i][point] = seats[i].sum
			}
			point++
		}
		if round-ticked >= chunk {
			tick(round - ticked)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			now := time.Now()
			if now.Sub(since) < chunkTime {
				chunk = min(2*chunk, maxChunk)
			} else {
				chunk = max(chunk/2, 1)
			}
			ticked, since = round, now
		}
	}
	tick(rounds - ticked)
	round = rounds
	for i := range seats {
		at, turn = i, i
		if err := bandit.Close(seats[i].run); err != nil {
			return nil, fail(err)
		}
		unchecked, err := seats[i].check(e.claims[i], rounds)
		if err != nil {
			return nil, fail(err)
		}
		rec.Warnings[i] = append(bandit.Warnings(seats[i].run), unchecked...)
		if seats[i].jumped {
			rec.Warnings[i] = append(rec.Warnings[i], bandit.Warning{What: fastForwarded, Count: 1})
		}
	}
	return rec, nil
}

// wantsWarmUp reports whether a learner's runs want a round 0.
func wantsWarmUp(l bandit.Calibrated) bool {
	w, ok := l.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// warmUp gives a run its round 0.
func warmUp(run bandit.Run, y []float64) error {
	w, ok := run.(bandit.Warmed)
	if !ok {
		return fmt.Errorf("a %T takes in no round 0, which its learner wants", run)
	}
	return w.WarmUp(y)
}

func allArms(n int) []int {
	arms := make([]int, n)
	for i := range arms {
		arms[i] = i
	}
	return arms
}

// check compares the noise drawn in the trial with the learner's plan, or warns of a claim, nil for
// none, that cannot be compared. It can if the plan lists draws, or draws nothing from the trial's
// source. The run's plan counts if it has one, as it knows what was drawn. A run that draws noise
// from the operating system keeps its own ledger and has a method Check.
func (s *seat) check(claim *privacy.Claim, rounds int) (unchecked []bandit.Warning, err error) {
	var of any = s.run
	if _, ok := of.(privacy.Planner); !ok {
		of = s.learner
	}
	planner, ok := of.(privacy.Planner)
	if p := privacy.PlanOf(of, privacy.All); ok && (p.Draws != nil || p.Secure()) {
		if wantsWarmUp(s.learner) {
			rounds++ // round 0 is a record, too
		}
		err = s.ledger.CheckPlan(planner, rounds)
	} else if claim != nil && !math.IsInf(claim.Epsilon(), 1) {
		unchecked = []bandit.Warning{{What: "trials whose privacy claim was not compared with the noise drawn: the learner's plan lists no Draws", Count: 1}}
	}
	if l, ok := s.run.(interface{ Check() error }); ok {
		err = errors.Join(err, l.Check())
	}
	return unchecked, err
}

// checkArms returns the index of the first arm outside [0, n), len(arms) if the number of arms is
// wrong, and -1 if all is well.
func checkArms(arms []int, slots, n int) int {
	if len(arms) != slots {
		return len(arms)
	}
	for i, a := range arms {
		if uint(a) >= uint(n) {
			return i
		}
	}
	return -1
}

func armsError(arms []int, bad, slots, n int) error {
	if bad == len(arms) {
		return fmt.Errorf("its Select chose %d arms, want Slots = %d", len(arms), slots)
	}
	return fmt.Errorf("its Select chose arm %d, want in [0, %d)", arms[bad], n)
}
