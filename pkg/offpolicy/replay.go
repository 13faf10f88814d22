package offpolicy

import (
	"errors"
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/disjoint"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Replay plays a learner on a log by rejection (Li, Chu, Langford and Wang 2011): each round of the
// log shows its context to the learner, and counts if the learner plays the log's arm. Then the
// learner sees the reward. All other rounds are forgotten, by the learner, too.
//
// If the contexts are drawn independently, and all propensities are equal, the rounds that count
// are distributed as if the learner had played them itself. Where the propensities differ, a
// round that agrees counts with probability (least propensity)/(its propensity) only, which
// restores that (Dudík, Erhan, Langford and Li 2012). A log of n rounds leaves about n
// times the least propensity.
//
// Contexts are made of those of the log as by environment.Labelled: a block of coordinates for each
// arm. A learner must bear that Select is not followed by Update; that is what a rejected round is
// for it.
type Replay struct {
	Log *Log
	// Horizon is the number of rounds that the learner is calibrated for, >= 1. The replay ends when
	// so many have counted, or with the log.
	Horizon int
	// Norm bounds the norm of a context's scaled numbers, > 0; longer ones are shortened to it. It is
	// not used if the log has no contexts.
	Norm     float64
	Scale    []float64 // what each number of a context is divided by, > 0; nil means 1
	Constant float64   // last number of each context, not scaled; 0 means none
	Seed     uint64    // of the learner's choices and noise, and of the rounds that count
}

// Validate returns an error if a field is out of its range.
func (r *Replay) Validate() error {
	if r.Log == nil {
		return errors.New("offpolicy: Replay: field Log is nil")
	}
	if err := r.Log.Validate(); err != nil {
		return err
	}
	if r.Horizon < 1 {
		return fmt.Errorf("offpolicy: Replay: field Horizon = %d, want >= 1", r.Horizon)
	}
	rows := r.shape()
	if err := rows.Validate(); err != nil {
		return fmt.Errorf("offpolicy: Replay: %w", err)
	}
	return nil
}

func (r *Replay) shape() disjoint.Rows {
	return disjoint.Rows{Arms: r.Log.Arms, Dim: r.Log.Dim, Norm: r.Norm, Scale: r.Scale, Constant: r.Constant}
}

// Run plays the learner, and returns its mean reward over the rounds that counted.
//
// The standard error is that of a mean of independent users' rewards. For a learner that changes it
// says how far the mean of the rewards is from that of their expectations in the same rounds, not
// how much another run would differ.
func (r *Replay) Run(l bandit.Learner) (Estimate, error) {
	if err := r.Validate(); err != nil {
		return Estimate{}, err
	}
	rows := r.shape()
	if l == nil {
		return Estimate{}, errors.New("offpolicy: Replay: the learner is nil")
	}
	ready, err := l.Open(rows.Problem(r.Log.RewardMin, r.Log.RewardMax), r.Horizon)
	if err != nil {
		return Estimate{}, fmt.Errorf("offpolicy: Replay: Open: %w", err)
	}
	defer bandit.Close(ready)
	if w, ok := ready.(bandit.Warmer); ok && w.WantsWarmUp() {
		return Estimate{}, errors.New("offpolicy: Replay: the learner wants a warm-up with the rewards of all arms, which a log does not have")
	}
	contexts := rows.Start()
	run := ready.Start(random.New(r.Seed, 0, "learner/"), random.Source(r.Seed, 0, "noise/"))
	defer bandit.Close(run)
	least := 1.0
	for _, p := range r.Log.Propensities {
		least = min(least, p)
	}
	coin := random.New(r.Seed, 0, "replay")
	var (
		view  bandit.View
		arms  []int
		y     = make([]float64, 1)
		terms []float64 // the rewards that counted
		users []int     // and who had them
	)
	for i, logged := range r.Log.Chosen {
		if len(terms) == r.Horizon {
			break
		}
		contexts.Show(&view, len(terms)+1, r.Log.context(i))
		if arms, err = run.Select(&view, arms[:0]); err != nil {
			return Estimate{}, fmt.Errorf("offpolicy: Replay: round %d of the log: %w", i+1, err)
		}
		if len(arms) != 1 || arms[0] < 0 || arms[0] >= r.Log.Arms {
			return Estimate{}, fmt.Errorf("offpolicy: Replay: round %d of the log: the learner plays %v, want one arm in [0, %d)", i+1, arms, r.Log.Arms)
		}
		accept := float64(coin.Float64()*r.Log.Propensities[i]) < least
		if arms[0] != logged || !accept {
			continue
		}
		y[0] = r.Log.Rewards[i]
		if err := run.Update(&view, arms, y); err != nil {
			return Estimate{}, fmt.Errorf("offpolicy: Replay: round %d of the log: %w", i+1, err)
		}
		if terms = append(terms, y[0]); r.Log.Users != nil {
			users = append(users, r.Log.Users[i])
		}
	}
	if len(terms) == 0 {
		return Estimate{}, fmt.Errorf("offpolicy: Replay: no round of %d counted: the learner does not play the log's arms, or the least propensity, %v, is too small", r.Log.Len(), least)
	}
	e := Estimate{Value: centre(terms), Effective: float64(len(terms)), MeanWeight: 1}
	e.finish(terms, users, 0.95)
	return e, nil
}
