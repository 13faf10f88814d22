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

// shown is an attack on all that a learner's statistic releases. The releases are linear in the
// noise, so that the likelihood of the two worlds is known exactly, and so is the loss, which no
// attack on these releases exceeds.
type shown struct {
	name    string
	problem bandit.Problem
	worlds  [2]audit.Stream
	of      bandit.Learner
	twin    twin
	late    int // rounds after which the learner releases what its twin does
	most    int // rounds of the twin that are attacked; 0 means all
}

// twin is a learner that releases what another one does, and draws noise of one's own.
type twin struct {
	bandit.Learner
	noise **privacy.Noise // of the next runs; nil means each run's own
}

// over returns a learner's twin.
func over[R any](l learner.Private[R]) twin {
	noise := new(*privacy.Noise)
	l.Statistic = scripted[R]{l.Statistic, noise}
	return twin{l, noise}
}

// scripted is a statistic whose runs draw from the noise of a twin.
type scripted[R any] struct {
	privacy.Statistic[R]
	noise **privacy.Noise
}

// Open opens the statistic.
func (s scripted[R]) Open(setup privacy.Setup) (privacy.Mechanism[R], error) {
	m, err := s.Statistic.Open(setup)
	return scriptedMechanism[R]{m, s.noise}, err
}

// scriptedMechanism is a scripted for a setup.
type scriptedMechanism[R any] struct {
	privacy.Mechanism[R]
	noise **privacy.Noise
}

// Start begins a run.
func (m scriptedMechanism[R]) Start(n *privacy.Noise) privacy.Stream[R] {
	if *m.noise != nil {
		n = *m.noise
	}
	return m.Mechanism.Start(n)
}

// start begins a run whose learner's own choices are the same each time.
func start(l bandit.Calibrated, noise rand.Source) bandit.Run {
	return l.Start(rand.New(rand.NewPCG(1, 1)), noise)
}

// rounds plays a world, and calls each after each round.
func (s shown) rounds(run bandit.Run, world, rounds int, each func(t int) error) error {
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

// play plays a world, and appends what is released after more than so many rounds.
func (s shown) play(run bandit.Run, world, after, rounds int, dst []float64) ([]float64, error) {
	err := s.rounds(run, world, rounds, func(t int) (err error) {
		if t > after {
			dst, err = run.(interface {
				Released([]float64) ([]float64, error)
			}).Released(dst)
		}
		return err
	})
	return dst, err
}

// item returns the audit, or an error if the releases are not linear in noise that audit.LinearOf
// knows.
func (s shown) item(runs int) (audit.Item, error) {
	horizon := len(s.worlds[0]) + 1
	rounds := s.most
	if rounds == 0 {
		rounds = len(s.worlds[0]) - s.late
	}
	of := opened(s.twin.Open(s.problem, horizon))
	release := func(world int, noise *privacy.Noise, dst []float64) ([]float64, error) {
		*s.twin.noise = noise
		return s.play(start(of, rand.NewPCG(1, 1)), world, 0, rounds, dst)
	}
	first, err := release(0, privacy.NewNoise(rand.NewPCG(1, 1)), nil)
	if err != nil {
		return nil, err
	}
	linear, err := audit.LinearOf(len(first), func(world int, noise *privacy.Noise, out []float64) error {
		_, err := release(world, noise, out[:0])
		return err
	})
	if err != nil {
		return nil, err
	}
	l := opened(s.of.Open(s.problem, horizon))
	claim, curve := audit.Claimed(privacy.ClaimOf(l))
	draws := linear.Draws
	if s.late > 0 || s.most > 0 { // the learner also draws for rounds that its twin does not play
		draws = nil
	}
	return audit.Likelihood{
		Name: s.name, Claim: claim, Curve: curve, Exact: exactly(linear.Event, claim.Delta), Runs: runs,
		Outputs: len(first), Density: linear.Density, Draws: draws,
		Release: func(world int, source rand.Source, out []float64) error {
			_, err := s.play(start(l, source), world, s.late, s.late+rounds, out[:0])
			return err
		},
	}, nil
}

// oneArm attacks the estimates of a single arm, of which one reward is 0 or 1 and all others 0.
func oneArm(name string, replaced int, of func(p bandit.Problem) learner.Private[privacy.Means]) shown {
	s := shown{name: name, problem: bandit.Problem{Arms: 1, Slots: 1, RewardMax: 1}}
	for w := range s.worlds {
		s.worlds[w] = make(audit.Stream, linearRounds)
		for t := range s.worlds[w] {
			s.worlds[w][t].Rewards = []float64{0}
		}
		s.worlds[w][replaced].Rewards[0] = float64(w)
	}
	l := of(s.problem)
	s.of, s.twin = l, over(l)
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

// scored attacks the releases of a secure tree by the ratio of likelihoods that its twin, a tree of
// Gaussian noise, would have.
func scored(s shown, runs int) audit.Item {
	s.name += ": releases, by their ratio"
	secure := s.of
	s.of, s.twin = gaussianLinUCB(), over(gaussianLinUCB())
	item, err := s.item(runs)
	must(err)
	like := item.(audit.Likelihood)
	l := opened(secure.Open(s.problem, len(s.worlds[0])+1))
	claim, curve := audit.Claimed(privacy.ClaimOf(l))
	return audit.Mechanism{
		Name: s.name, Claim: claim, Curve: curve, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			got, err := s.play(start(l, source), world, 0, len(s.worlds[world]), nil)
			if err == nil && len(got) != like.Outputs {
				err = fmt.Errorf("suite: %d numbers are released, want %d as of the twin", len(got), like.Outputs)
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
	s := shown{problem: problem, worlds: worlds}
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
	add := func(s shown) {
		n := runs
		if strings.Contains(s.name, "as published") {
			n *= 10 // of a hundredth of epsilon, which is cheap to see in no other way
		}
		s.name += ": releases, by likelihood"
		item, err := s.item(n)
		must(err)
		items = append(items, item)
	}
	for _, of := range auditedSums() {
		switch of.name {
		case "Wishart tree": // not linear
			items = append(items, wishartLinUCB(runs))
			continue
		}
		l := learner.New(learner.LinUCB{}, of.of)
		s := shown{name: "LinUCB over " + of.name, problem: problem, worlds: worlds, of: l, twin: over(l)}
		if of.name == "secure tree" { // its noise is whole numbers of the system's, and no script's
			items = append(items, scored(s, pick(e, 60_000, 100_000, 1_000_000)))
			continue
		}
		add(s)
	}
	delayed := delayedLinUCB()
	metered := opened(meteredLinUCB().Open(problem, linearRounds+1)).(*learner.MeteredCalibrated)
	add(shown{
		name: "LinUCB on a budget", problem: problem, worlds: worlds, of: meteredLinUCB(), twin: over(gaussianLinUCB()), most: metered.Paid(),
	})
	late, far := tellTale(linearRounds + delayed.Most)
	add(shown{
		name: "LinUCB with late rewards", problem: late, worlds: far, of: delayed, twin: over(gaussianLinUCB()), late: delayed.Most,
	})
	add(oneArm("Gaussian Thompson sampling", 0, func(bandit.Problem) learner.Private[privacy.Means] {
		return arms.NewGaussianThompson(1, 1, Budget.Delta)
	}))
	add(oneArm("CUCB over trees", 0, func(p bandit.Problem) learner.Private[privacy.Means] {
		m, err := matroid.NewUniform(p.Arms, p.Slots)
		must(err)
		return learner.CUCBTree(m, Budget.Epsilon)
	}))
	return append(items,
		prefixSums("vector tree, Laplace", runs, mechanism.VectorTree{Budget: privacy.Budget{Epsilon: 1}}),
		prefixSums("square root of vectors", runs, mechanism.VectorSquareRoot{Budget: Budget}),
		prefixSums("BLT of vectors", runs, mechanism.VectorBLT{Budget: Budget}))
}
