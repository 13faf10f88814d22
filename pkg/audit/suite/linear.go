package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// start begins a run whose learner's own choices are the same each time.
func start(l bandit.Calibrated, noise rand.Source) bandit.Run {
	return l.Start(rand.New(rand.NewPCG(1, 1)), noise)
}

// stage is a problem and two streams of it.
type stage struct {
	problem bandit.Problem
	worlds  [2]audit.Stream
}

// rounds plays a world, and calls each after each round.
func (s stage) rounds(run bandit.Run, world, rounds int, each func(t int) error) error {
	y := make([]float64, s.problem.Slots)
	var chosen []int
	for i, round := range s.worlds[world][:rounds] {
		v := bandit.View{Round: i + 1, Arms: s.problem.Arms, Dim: s.problem.Dim, X: round.X}
		var err error
		if chosen, err = run.Select(&v, chosen[:0]); err != nil {
			return err
		}
		for j, arm := range chosen {
			y[j] = round.Rewards[arm]
		}
		if err := run.Update(&v, chosen, y); err != nil {
			return err
		}
		if err := each(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// attack attacks all that a learner releases, by its likelihood.
func (s stage) attack(name string, of bandit.Learner, runs int) (audit.Likelihood, error) {
	return audit.Learner{
		Name: name, Of: of, Problem: s.problem, Horizon: len(s.worlds[0]) + 1, Worlds: s.worlds, Runs: runs,
	}.Likelihood()
}

// oneArm is the stage of a single arm, of which one reward is 0 or 1 and all others 0.
func oneArm(replaced int) stage {
	s := stage{problem: bandit.Problem{Arms: 1, Slots: 1, RewardMax: 1}}
	for w := range s.worlds {
		s.worlds[w] = make(audit.Stream, linearRounds)
		for t := range s.worlds[w] {
			s.worlds[w][t].Rewards = []float64{0}
		}
		s.worlds[w][replaced].Rewards[0] = float64(w)
	}
	return s
}

// prefixSums attacks the releases of five vectors in the plane, as prefixSumItem does.
func prefixSums(name string, runs int, statistic privacy.Statistic[mechanism.Total]) audit.Item {
	plain := prefixSumItem(name, runs, statistic).(audit.Mechanism)
	of := opened(statistic.Open(prefixSetup))
	linear, err := audit.LinearOf(plain.Outputs, func(world int, noise *privacy.Noise, out []float64) error {
		return addPrefixes(of.Start(noise), world, out)
	})
	must(err)
	return audit.Likelihood{
		Name: name + ", by likelihood", Claim: plain.Claim, Curve: plain.Curve, Exact: exactly(linear.Event, plain.Claim.Delta), Runs: runs,
		Outputs: plain.Outputs, Release: plain.Release, Density: linear.Density, Draws: linear.Draws,
	}
}

// exactly returns the epsilon of an event at delta.
func exactly(e privacy.Event, delta float64) float64 {
	if delta == 0 {
		epsilon, err := privacy.Pure{}.Epsilon(e, 0)
		must(err)
		return epsilon
	}
	epsilon, _, err := privacy.Tightest(e, delta)
	must(err)
	return epsilon
}

// secureLinUCB attacks the releases of LinUCB over a secure tree, whose noise is whole numbers of
// the system's and no script's. It goes by the ratio of likelihoods of a tree of Gaussian noise.
func secureLinUCB(s stage, of bandit.Learner, runs int) audit.Item {
	like := opened(s.attack("Gaussian tree", gaussianLinUCB(), runs))
	l := opened(of.Open(s.problem, len(s.worlds[0])+1))
	claim, curve := audit.Claimed(privacy.ClaimOf(l))
	return audit.Mechanism{
		Name: "LinUCB over secure tree: releases, by their ratio", Claim: claim, Curve: curve, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			run, got := start(l, source).(*learner.PrivateRun[privacy.Sums]), make([]float64, 0, like.Outputs)
			err := s.rounds(run, world, len(s.worlds[world]), func(int) (err error) {
				got, err = run.Released(got)
				return err
			})
			if err == nil && len(got) != like.Outputs {
				err = fmt.Errorf("suite: %d numbers are released, want %d as of a Gaussian tree", len(got), like.Outputs)
			}
			if err == nil {
				out[0] = like.Density(1, got) - like.Density(0, got)
			}
			return err
		},
	}
}

// wishartLinUCB attacks the releases of LinUCB over a Wishart tree after rounds 1, 2, 4 and 8, each
// of which has the noise of one node, and all of which hold the first row. No others hold more of
// it.
func wishartLinUCB(runs int) audit.Item {
	problem, worlds := tellTale(linearRounds)
	l := opened(learner.New(learner.LinUCB{}, mechanism.Tree{Noise: mechanism.Wishart{Budget: Budget, Unshifted: true}}).Open(problem, linearRounds+1))
	s := stage{problem, worlds}
	var values [2][][]float64
	for w, stream := range worlds {
		sum := make([]float64, 3)
		for i, r := range stream {
			x, y := r.X[0], r.Rewards[0]
			for j, v := range []float64{x * x, x * y, y * y} {
				sum[j] += v
			}
			if t := i + 1; t&(t-1) == 0 {
				values[w] = append(values[w], slices.Clone(sum))
			}
		}
	}
	node := privacy.PlanOf(l, privacy.All).Cases[0][0].Law
	density, _, err := audit.AdditiveDensity(slices.Repeat([]privacy.Law{node}, len(values[0])), values)
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(l))
	return audit.Likelihood{
		Name: "LinUCB over Wishart tree: releases, by likelihood", Claim: claim, Curve: curve, Runs: runs,
		Outputs: 3 * len(values[0]), Density: density,
		Release: func(world int, source rand.Source, out []float64) error {
			run, at := start(l, source), 0
			return s.rounds(run, world, linearRounds, func(t int) error {
				if t&(t-1) == 0 {
					run.(*learner.PrivateRun[privacy.Sums]).Release().Read(out[at : at+3])
					at += 3
				}
				return nil
			})
		},
	}
}

// linearRounds is the number of rounds whose releases are attacked.
const linearRounds = 8

// soundLinear audits all releases of learners over running sums.
func soundLinear(e Effort) (items []audit.Item) {
	runs := pick(e, 20_000, 50_000, 200_000)
	problem, worlds := tellTale(linearRounds)
	add := func(name string, of bandit.Learner, s stage) {
		n := runs
		if strings.Contains(name, "as published") {
			n *= 10 // of a hundredth of epsilon, which is cheap to see in no other way
		}
		items = append(items, opened(s.attack(name+": releases, by likelihood", of, n)))
	}
	for _, of := range auditedSums() {
		l := learner.New(learner.LinUCB{}, of.of)
		switch of.name {
		case "Wishart tree": // not linear
			items = append(items, wishartLinUCB(runs))
		case "secure tree":
			items = append(items, secureLinUCB(stage{problem, worlds}, l, pick(e, 60_000, 100_000, 1_000_000)))
		default:
			add("LinUCB over "+of.name, l, stage{problem, worlds})
		}
	}
	delayed := delayedLinUCB()
	late, far := tellTale(linearRounds + delayed.Most)
	add("LinUCB on a budget", meteredLinUCB(), stage{problem, worlds})
	add("LinUCB with late rewards", delayed, stage{late, far})
	add("Gaussian Thompson sampling", arms.NewGaussianThompson(1, 1, Budget.Delta), oneArm(0))
	one := oneArm(0)
	add("CUCB over trees", learner.CUCBTree(opened(matroid.NewUniform(one.problem.Arms, one.problem.Slots)), Budget.Epsilon), one)
	return append(items,
		prefixSums("vector tree, Laplace", runs, mechanism.VectorTree{Budget: privacy.Budget{Epsilon: 1}}),
		prefixSums("square root of vectors", runs, mechanism.VectorSquareRoot{Budget: Budget}),
		prefixSums("BLT of vectors", runs, mechanism.VectorBLT{Budget: Budget}))
}
