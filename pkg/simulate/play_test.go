package simulate

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A trial that is played by hand has the regret of the experiment's first trial, for a learner
// that draws nothing; and every round is visited.
func TestPlay(t *testing.T) {
	e := toyExperiment()
	e.Policies = []Policy{toyPolicy("greedy", 0, 0)}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	env, rounds, regret := toyArms{}, 0, 0.0
	visit := func(r *Round) {
		if rounds++; r.Round != rounds {
			t.Fatalf("round %d is visited as number %d", r.Round, rounds)
		}
		regret += r.Trial.Regret(r.Played)
	}
	if err := Play(env, toyLearner{}, e.Horizon, e.Seed, visit); err != nil {
		t.Fatal(err)
	}
	if want, _ := r.Final("greedy"); rounds != e.Horizon || regret != want[0] {
		t.Errorf("regret %v in %d rounds, want %v in %d", regret, rounds, want[0], e.Horizon)
	}
	fails := makes(func() starter {
		return &toyGreedy{hook: func(round int) error {
			if round == 5 {
				return errors.New("no more")
			}
			return nil
		}}
	})
	rounds = 0
	if err := Play(env, fails, 10, 1, visit); err == nil || !strings.Contains(err.Error(), "round 5: no more") || rounds != 4 {
		t.Errorf("error %v after %d rounds, want one of round 5 after 4", err, rounds)
	}
	if err := Play(env, fails, 0, 1, visit); err == nil || !strings.Contains(err.Error(), "horizon must be at least 1") {
		t.Errorf("no rounds: error %v", err)
	}
	if err := Play(nil, fails, 10, 1, visit); err == nil || !strings.Contains(err.Error(), "the environment is nil") {
		t.Errorf("no environment: error %v", err)
	}
}

// A sweep has the curves that each experiment has alone, and its errors.
func TestSweep(t *testing.T) {
	at := func(epsilon float64) *Experiment {
		e := toyExperiment()
		e.Policies = []Policy{toyPolicy("greedy", epsilon, 0)}
		return e
	}
	curves, err := Sweep(context.Background(), []float64{0, 0.5}, at)
	if err != nil || len(curves) != 2 {
		t.Fatalf("%d runs, error %v", len(curves), err)
	}
	for i, epsilon := range []float64{0, 0.5} {
		r, err := at(epsilon).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		last := len(r.Grid) - 1
		if got, want := curves[i][0].Mean[last], r.Curves()[0].Mean[last]; got != want {
			t.Errorf("epsilon = %v: regret %v, want %v", epsilon, got, want)
		}
	}
	bad := func(float64) *Experiment { return &Experiment{Name: "bad"} }
	if _, err := Sweep(context.Background(), []float64{1}, bad); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("error %v, want one that names the experiment", err)
	}
}
