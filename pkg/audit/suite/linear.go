package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

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
	fresh   func() bandit.Learner
	// twin makes a learner that releases the same, and returns what resets its statistic with noise of
	// one's own.
	twin func() (l bandit.Learner, reset func(*privacy.Noise))
	late int // rounds after which the learner releases what its twin does
	most int // rounds of the twin that are attacked; 0 means all
}

// over returns a learner as its own twin.
func over[R any](p *learner.Private[R]) (bandit.Learner, func(*privacy.Noise)) {
	return p, func(n *privacy.Noise) { p.Statistic.Reset(n) }
}

// rounds plays a world, and calls each after each round.
func (s shown) rounds(l bandit.Learner, world, rounds int, each func(t int) error) error {
	y := make([]float64, s.problem.Slots)
	var chosen []int
	for i, round := range s.worlds[world][:rounds] {
		v := bandit.View{Round: i + 1, Arms: s.problem.Arms, Dim: s.problem.Dim, X: round.X}
		chosen = l.Select(&v, chosen[:0])
		for j, arm := range chosen {
			y[j] = round.Rewards[arm]
		}
		l.Update(&v, chosen, y)
		if err := l.Err(); err != nil {
			return err
		}
		if err := each(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// play plays a world, and appends what is released after more than so many rounds.
func (s shown) play(l bandit.Learner, world, after, rounds int, dst []float64) ([]float64, error) {
	err := s.rounds(l, world, rounds, func(t int) (err error) {
		if t > after {
			dst, err = l.(interface {
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
	twin, reset := s.twin()
	must(twin.Init(s.problem, horizon))
	scripted := func(world int, noise *privacy.Noise, dst []float64) ([]float64, error) {
		twin.Reset(rand.New(rand.NewPCG(1, 1)), rand.NewPCG(1, 1))
		reset(noise)
		return s.play(twin, world, 0, rounds, dst)
	}
	first, err := scripted(0, privacy.NewNoise(rand.NewPCG(1, 1)), nil)
	if err != nil {
		return nil, err
	}
	linear, err := audit.LinearOf(len(first), func(world int, noise *privacy.Noise, out []float64) error {
		_, err := scripted(world, noise, out[:0])
		return err
	})
	if err != nil {
		return nil, err
	}
	start := func() any {
		l := s.fresh()
		must(l.Init(s.problem, horizon))
		return l
	}
	claim, curve := audit.Claimed(privacy.ClaimOf(start()))
	pool := sync.Pool{New: start}
	draws := linear.Draws
	if s.late > 0 || s.most > 0 { // the learner also draws for rounds that its twin does not play
		draws = nil
	}
	return audit.Likelihood{
		Name: s.name, Claim: claim, Curve: curve, Exact: exactly(linear.Event, claim.Delta), Runs: runs,
		Outputs: len(first), Density: linear.Density, Draws: draws,
		Release: func(world int, source rand.Source, out []float64) error {
			l := pool.Get().(bandit.Learner)
			defer pool.Put(l)
			l.Reset(rand.New(rand.NewPCG(1, 1)), source)
			_, err := s.play(l, world, s.late, s.late+rounds, out[:0])
			return err
		},
	}, nil
}

// oneArm attacks the estimates of a single arm, of which one reward is 0 or 1 and all others 0.
func oneArm(name string, replaced int, fresh func(p bandit.Problem) *learner.Private[privacy.Means]) shown {
	s := shown{name: name, problem: bandit.Problem{Arms: 1, Slots: 1, RewardMax: 1}}
	for w := range s.worlds {
		s.worlds[w] = make(audit.Stream, linearRounds)
		for t := range s.worlds[w] {
			s.worlds[w][t].Rewards = []float64{0}
		}
		s.worlds[w][replaced].Rewards[0] = float64(w)
	}
	s.fresh = func() bandit.Learner { return fresh(s.problem) }
	s.twin = func() (bandit.Learner, func(*privacy.Noise)) { return over(fresh(s.problem)) }
	return s
}

// prefixSums attacks the releases of five vectors in the plane, as prefixSumItem does.
func prefixSums(name string, runs int, fresh func() privacy.Statistic[mechanism.Total]) audit.Item {
	plain := prefixSumItem(name, runs, fresh).(audit.Mechanism)
	m := fresh()
	must(m.Init(prefixSetup))
	linear, err := audit.LinearOf(plain.Outputs, func(world int, noise *privacy.Noise, out []float64) error {
		m.Reset(noise)
		return addPrefixes(m, world, out)
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
	fresh := s.fresh
	s.fresh = func() bandit.Learner {
		return learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: Budget}})
	}
	s.twin = func() (bandit.Learner, func(*privacy.Noise)) {
		return over(s.fresh().(*learner.Private[privacy.Sums]))
	}
	item, err := s.item(runs)
	must(err)
	twin := item.(audit.Likelihood)
	start := func() any {
		l := fresh()
		must(l.Init(s.problem, len(s.worlds[0])+1))
		return l
	}
	claim, curve := audit.Claimed(privacy.ClaimOf(start()))
	pool := sync.Pool{New: start}
	return audit.Mechanism{
		Name: s.name, Claim: claim, Curve: curve, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			l := pool.Get().(bandit.Learner)
			defer pool.Put(l)
			l.Reset(rand.New(rand.NewPCG(1, 1)), source)
			got, err := s.play(l, world, 0, len(s.worlds[world]), nil)
			if err == nil && len(got) != twin.Outputs {
				err = fmt.Errorf("suite: %d numbers are released, want %d as of the twin", len(got), twin.Outputs)
			}
			if err == nil {
				out[0] = twin.Density(1, got) - twin.Density(0, got)
			}
			return err
		},
	}
}

// wishartLinUCB attacks the releases of LinUCB over a Wishart tree after rounds 1, 2, 4 and 8, each of
// which has the noise of one node, and all of which hold the first row. No others hold more of it.
func wishartLinUCB(runs int) audit.Item {
	problem, worlds := tellTale(linearRounds)
	start := func() *learner.Private[privacy.Sums] {
		l := learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: &mechanism.Wishart{Budget: Budget, Unshifted: true}})
		must(l.Init(problem, linearRounds+1))
		return l
	}
	s := shown{problem: problem, worlds: worlds}
	powers := func(l *learner.Private[privacy.Sums], world int, out []float64) error {
		at := 0
		return s.rounds(l, world, linearRounds, func(t int) error {
			if t&(t-1) == 0 {
				l.Statistic.Release().Read(out[at : at+3])
				at += 3
			}
			return nil
		})
	}
	l := start()
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
	pool := sync.Pool{New: func() any { return start() }}
	return audit.Likelihood{
		Name: "LinUCB over Wishart tree: releases, by likelihood", Claim: claim, Curve: curve, Runs: runs,
		Outputs: 3 * len(values[0]), Density: density,
		Release: func(world int, source rand.Source, out []float64) error {
			l := pool.Get().(*learner.Private[privacy.Sums])
			defer pool.Put(l)
			l.Reset(rand.New(rand.NewPCG(1, 1)), source)
			return powers(l, world, out)
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
		fresh := func() *learner.Private[privacy.Sums] { return learner.New(&learner.LinUCB{}, of.make()) }
		s := shown{
			name: "LinUCB over " + of.name, problem: problem, worlds: worlds,
			fresh: func() bandit.Learner { return fresh() },
			twin:  func() (bandit.Learner, func(*privacy.Noise)) { return over(fresh()) },
		}
		if of.name == "secure tree" { // its noise is whole numbers of the system's, and no script's
			items = append(items, scored(s, pick(e, 20_000, 100_000, 1_000_000)))
			continue
		}
		add(s)
	}
	metered, delayed := meteredLinUCB(), delayedLinUCB()
	must(metered.Init(problem, linearRounds+1))
	tree := func() (bandit.Learner, func(*privacy.Noise)) {
		return over(learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: Budget}}))
	}
	add(shown{
		name: "LinUCB on a budget", problem: problem, worlds: worlds, twin: tree, most: metered.Paid(),
		fresh: func() bandit.Learner { return meteredLinUCB() },
	})
	late, far := tellTale(linearRounds + delayed.Most)
	add(shown{
		name: "LinUCB with late rewards", problem: late, worlds: far, twin: tree, late: delayed.Most,
		fresh: func() bandit.Learner { return delayedLinUCB() },
	})
	add(oneArm("Gaussian Thompson sampling", 0, func(bandit.Problem) *learner.Private[privacy.Means] {
		return arms.NewGaussianThompson(1, 1, Budget.Delta)
	}))
	add(oneArm("CUCB over trees", 0, func(p bandit.Problem) *learner.Private[privacy.Means] {
		m, err := matroid.NewUniform(p.Arms, p.Slots)
		must(err)
		return learner.CUCBTree(m, Budget.Epsilon)
	}))
	pure := privacy.Budget{Epsilon: 1}
	return append(items,
		prefixSums("vector tree, Laplace", runs, func() privacy.Statistic[mechanism.Total] { return &mechanism.VectorTree{Budget: pure} }),
		prefixSums("square root of vectors", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorSquareRoot{Budget: Budget}
		}),
		prefixSums("BLT of vectors", runs, func() privacy.Statistic[mechanism.Total] { return &mechanism.VectorBLT{Budget: Budget} }))
}
