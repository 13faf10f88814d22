package linear_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// LinUCB without privacy and under joint differential privacy, on the same contexts: nothing but
// the sums differs.
func ExampleUCB() {
	const horizon = 20000
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	env := environment.DecisionSets{Dim: 3, Gap: 0.1}
	for _, sums := range []privacy.Accumulator{continual.Exact{}, continual.Tree{Noise: noise}} {
		l, regret := learner.New(linear.UCB{}, sums), 0.0
		err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { regret += r.Trial.Regret(r.Played) })
		if err != nil {
			log.Fatal(err)
		}
		claim, err := learner.ClaimOf(l, env.Problem(), horizon)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("epsilon = %.4g: regret %.0f in %d rounds\n", claim.Epsilon(), regret, horizon)
	}
	// Output:
	// epsilon = +Inf: regret 11 in 20000 rounds
	// epsilon = 1: regret 547 in 20000 rounds
}

// Logistic UCB in the game of its rewards: the claim is that of the sums.
func ExampleLogistic() {
	const horizon = 10000
	env, policy := environment.Logistic{Norm: 2.5}, linear.Logistic{ThetaNorm: 2.5}
	for _, sums := range []privacy.Accumulator{continual.Exact{}, continual.BLT{Budget: privacy.Budget{Epsilon: 4, Delta: 0.02}}} {
		l, regret := learner.New(policy, sums), 0.0
		err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { regret += r.Trial.Regret(r.Played) })
		if err != nil {
			log.Fatal(err)
		}
		claim, err := learner.ClaimOf(l, env.Problem(), horizon)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("epsilon = %.4g: regret %.0f in %d rounds\n", claim.Epsilon(), regret, horizon)
	}
	// Output:
	// epsilon = +Inf: regret 38 in 10000 rounds
	// epsilon = 4: regret 177 in 10000 rounds
}

// perturbed plays the arm whose estimate is best, under noise of its own for each.
type perturbed struct {
	linear.UCB
	Scale float64 // of the noise, in LinUCB's widths, >= 0
}

// Prepare validates.
func (l perturbed) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	if !(l.Scale >= 0 && l.Scale < 1e9) {
		return nil, fmt.Errorf("perturbed.Scale = %v, want in [0, 1e9)", l.Scale)
	}
	return linear.ByIndex(l.UCB, p, horizon, r, l)
}

// Index returns what an arm is chosen by.
func (l perturbed) Index(k linear.Known) float64 {
	return k.Mean + l.Scale*k.Width*random.Normal(k.Own)
}

// A policy of your own, by its index, over the same sums as LinUCB's.
func ExampleByIndex() {
	const horizon = 20000
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	env, regret := environment.DecisionSets{Dim: 3, Gap: 0.1}, 0.0
	l := learner.New(perturbed{Scale: 0.01}, continual.Tree{Noise: noise})
	err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { regret += r.Trial.Regret(r.Played) })
	if err != nil {
		log.Fatal(err)
	}
	claim, err := learner.ClaimOf(l, env.Problem(), horizon)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("epsilon = %.4g: regret %.0f in %d rounds\n", claim.Epsilon(), regret, horizon)
	// Output:
	// epsilon = 1: regret 600 in 20000 rounds
}

// LinUCB for public contexts: the claim is about rewards alone. Noise that is correlated between
// the few releases costs less than fresh noise for each phase.
func ExampleUCB_AdaCOFUL() {
	const horizon = 20000
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	correlated := learner.New(linear.UCB{}, privacy.Accumulator(continual.PublicContexts{Budget: budget, Buffers: 3}))
	env := environment.DecisionSets{Dim: 3, Gap: 0.1}
	for _, l := range []learner.Private[privacy.Sums]{linear.UCB{}.AdaCOFUL(budget), correlated} {
		regret := 0.0
		err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { regret += r.Trial.Regret(r.Played) })
		if err != nil {
			log.Fatal(err)
		}
		claim, err := learner.ClaimOf(l, env.Problem(), horizon)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("epsilon = %.4g, %v: regret %.0f\n", claim.Epsilon(), claim.Neighbours(), regret)
	}
	// Output:
	// epsilon = 1, replace one round's weights: regret 181
	// epsilon = 1, replace one round's weights: regret 98
}
