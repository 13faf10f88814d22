// Package write checks the notebook that writes a learner, a statistic and an environment of one's
// own; what it writes is in package own.
package write

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/own"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var claims = assert.Claims{
	{Statement: "Hopeful pays less than six of eight published learners, and more than two.", Check: raced},
	{Statement: "A reward moves Totals by what the plan says, and is clipped before the noise.", Check: probed},
	{Statement: "Where arms change places, blocks of 100 save Hopeful at least half of its regret.", Check: moved},
	{Statement: "Of 400 logs, the doubly robust interval holds the truth in 92% to 98%.", Check: covered},
}

// Assert checks a statement at the scale of the run and prints the evidence. It exits with status 1
// if the statement does not hold.
func Assert(statement string) { claims.Assert(statement) }

// hopeful is the notebook's policy over the toolkit's blocks, at epsilon = 1.
func hopeful(name string, lengths tally.BlockLengths, remember bool) simulate.Policy {
	blocks := tally.Blocks{Budget: privacy.Budget{Epsilon: 1}, Lengths: lengths, Remember: remember}
	return simulate.Policy{Name: name, Learner: learner.New(own.Hopeful{Boldness: 0.5}, blocks)}
}

func raced(cell.Scale) (string, error) {
	e := &simulate.Experiment{
		Name: "write race", Horizon: 10_000, Trials: 16, Seed: 6,
		Environment: environment.Arms{Means: []float64{0.25, 0.375, 0.5, 0.625, 0.75}},
		Policies:    []simulate.Policy{hopeful("Hopeful", nil, true)},
	}
	var order []lab.Comparison
	for i, p := range []simulate.Policy{
		{Name: "DP-KLUCB", Learner: arms.KLUCB{}.Private(1, 1.2)},
		{Name: "DP-IMED", Learner: arms.IMED{}.Private(1, 2)},
		{Name: "DP-SE", Learner: arms.DPElimination{}.Private(1)},
		{Name: "DP-UCB", Learner: arms.DPUCB{}.Private(1)},
		{Name: "AdaP-UCB", Learner: arms.AdaPUCB{}.Private(1)},
		{Name: "AdaP-KLUCB", Learner: arms.AdaPKLUCB{}.Private(1)},
		{Name: "Lazy-UCB", Learner: arms.LazyUCB{}.Private(1)},
		{Name: "Lazy-DP-TS", Learner: arms.LazyThompson{}.Private(1)},
	} {
		e.Policies = append(e.Policies, p)
		want := 1
		if i < 2 {
			want = -1
		}
		order = append(order, lab.Comparison{A: "Hopeful", B: p.Name, Want: want})
	}
	r := check.Try(e.Run(context.Background()))
	for _, p := range r.Policies {
		check.That(math.Abs(p.Epsilon()-1) < 1e-9, "%s proves epsilon = %v", p.Name, p.Epsilon())
	}
	check.OK(lab.Compare("ε = 1", r.Curves(), order...))
	return fmt.Sprintf("each by 3 standard errors: %d trials of %d rounds at ε = 1; Hopeful pays %.0f", e.Trials, e.Horizon, r.Curves()[0].Final()), nil
}

func probed(cell.Scale) (string, error) {
	c := privacytest.Case[privacy.Means]{
		Of:    own.Totals{Epsilon: 1},
		Setup: privacy.Setup{Horizon: 32, Arms: 2, Slots: 1, Hi: 1}, Format: privacytest.Weights(nil),
	}
	var s privacytest.Sensitivity
	for _, failure := range bandittest.Failures(func(t testing.TB) {
		privacytest.Statistic(t, c)
		s = privacytest.Probe(t, c)
	}) {
		return "", errors.New(failure) // the first
	}
	return fmt.Sprintf("found %.6f, planned %.6f", s.Found, s.Planned), nil
}

func moved(cell.Scale) (string, error) {
	curves := check.Try((&simulate.Experiment{
		Name: "write seasons", Horizon: 40_000, Trials: 16, Seed: 6,
		Environment: own.Seasons{Means: []float64{0.8, 0.6, 0.4, 0.2}, Long: 10_000},
		Policies:    []simulate.Policy{hopeful("doubling", nil, false), hopeful("even", own.Even(100), false)},
	}).Run(context.Background())).Curves()
	doubling, even := curves[0].Final(), curves[1].Final()
	return assert.Holds(even < 0.5*doubling, "regret %.0f over doubling blocks and %.0f over blocks of 100, 16 trials", doubling, even)
}

// covered draws logs of a world whose truth is known: whoever always plays arm 1 earns u on
// average, uniform in [0, 1]. At a true coverage of 95% the share is out of its bounds once in a
// hundred and fifty seeds.
func covered(cell.Scale) (string, error) {
	const logs, rounds, truth = 400, 500, 0.5
	holds := 0
	for i := range logs {
		rng, l := random.New(6, i, "log"), &offpolicy.Log{Arms: 2, Dim: 1, RewardMin: 0, RewardMax: 1}
		for range rounds {
			u, arm, y := rng.Float64(), 0, 0.0
			p := 0.2 + 0.6*u // of arm 0
			if rng.Float64() >= p {
				arm, p = 1, 1-p
			}
			if rng.Float64() < u {
				y = float64(arm)
			}
			l.Contexts, l.Chosen = append(l.Contexts, u), append(l.Chosen, arm)
			l.Rewards, l.Propensities = append(l.Rewards, y), append(l.Propensities, p)
		}
		e := check.Try((&offpolicy.Evaluation{Log: l, Policy: func(_, p []float64) { p[1] = 1 }}).DoublyRobust())
		if e.Low <= truth && truth <= e.High {
			holds++
		}
	}
	share := float64(holds) / logs
	return assert.Holds(share >= 0.92 && share <= 0.98, "in %.1f%% of logs of %d rounds", 100*share, rounds)
}
