package suite

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
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

// exactly returns the epsilon of an event at delta.
func exactly(e account.Event, delta float64) float64 {
	if delta == 0 {
		epsilon, err := account.Pure{}.Epsilon(e, 0)
		must(err)
		return epsilon
	}
	epsilon, _, err := account.Tightest(e, delta)
	must(err)
	return epsilon
}

// nodeRounds are rounds after which a tree shows a node of its own: all hold the first row, and no
// other node does.
var nodeRounds = []int{1, 2, 4, 8}

// faint is the number of runs of an attack by likelihood on a hundredth of epsilon.
func faint(e Effort) int { return pick(e, 120_000, 500_000, 1_000_000) }

// likely is that of other attacks by likelihood on learners and sums.
func likely(e Effort) int { return pick(e, 20_000, 50_000, 200_000) }

// nodes attacks what a tree releases after nodeRounds, by the law of a node's noise. rows are the
// worlds' rows; play runs a world and shows each release.
func nodes(name string, of any, runs int, node privacy.Law, rows [2][][]float64,
	play func(world int, source rand.Source, each func(round int, s *privacy.Sums)) error) audit.Likelihood {
	var values [2][][]float64
	size := 0
	for w := range rows {
		size = packed.Size(len(rows[w][0]))
		sum := make([]float64, size)
		for t, row := range rows[w] {
			packed.AddOuter(sum, row)
			if slices.Contains(nodeRounds, t+1) {
				values[w] = append(values[w], slices.Clone(sum))
			}
		}
	}
	density, _, err := audit.AdditiveDensity(slices.Repeat([]privacy.Law{node}, len(values[0])), values)
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Likelihood{
		Name: name, Claim: claim, Curve: curve, Runs: runs, Outputs: size * len(values[0]), Density: density,
		Release: func(world int, source rand.Source, out []float64) error {
			return play(world, source, func(t int, s *privacy.Sums) {
				if slices.Contains(nodeRounds, t) {
					out = out[copy(out, s.Packed):]
				}
			})
		},
	}
}

// secureLaw returns the law of a node of a secure tree. Whole numbers of steps have the ratio of
// likelihoods that the Gaussian of their parameter has.
func secureLaw(s privacy.Setup) privacy.Law {
	of := opened(continual.SecureTree{Budget: Budget}.Open(s))
	return privacy.SymmetricGaussianLaw(s.Dim, of.(interface{ SD() float64 }).SD())
}

// secureSums attacks all releases of a secure tree, whose noise is the system's and no script's.
func secureSums(name string, s privacy.Setup, runs int) audit.Item {
	v, w := far.Rows(s)
	rows := [2][][]float64{{v}, {w}}
	for world := range rows {
		for len(rows[world]) < linearRounds {
			rows[world] = append(rows[world], make([]float64, s.Dim))
		}
	}
	of := opened(continual.SecureTree{Budget: Budget}.Open(s))
	return nodes(name, of, runs, secureLaw(s), rows, func(world int, _ rand.Source, each func(int, *privacy.Sums)) error {
		run := of.Start(nil)
		for t, row := range rows[world] {
			if _, err := run.Add(privacy.Row(row)); err != nil {
				return err
			}
			each(t+1, run.Release())
		}
		return run.(interface{ Check() error }).Check()
	})
}

// nodesOfLinUCB attacks the releases of LinUCB over a tree whose noise has no script.
func nodesOfLinUCB(name string, runs int, tree privacy.Accumulator, law func(l bandit.Calibrated) privacy.Law) audit.Item {
	problem, worlds := tellTale(linearRounds)
	s := stage{problem, worlds}
	l := opened(learner.New(linear.UCB{}, tree).Open(problem, linearRounds+1))
	var rows [2][][]float64
	for w, stream := range worlds {
		for _, r := range stream {
			rows[w] = append(rows[w], []float64{r.X[0], r.Rewards[0]})
		}
	}
	return nodes(name, l, runs, law(l), rows, func(world int, source rand.Source, each func(int, *privacy.Sums)) error {
		run := start(l, source).(*learner.PrivateRun[privacy.Sums])
		err := s.rounds(run, world, linearRounds, func(t int) error {
			each(t, run.Release())
			return nil
		})
		return errors.Join(err, run.Check())
	})
}

// linearRounds is the number of rounds whose releases are attacked.
const linearRounds = 8

// soundLinear audits all releases of learners over running sums.
func soundLinear(e Effort) (items []audit.Item) {
	runs := likely(e)
	problem, worlds := tellTale(linearRounds)
	add := func(name string, of bandit.Learner, s stage, runs int) {
		items = append(items, opened(s.attack(name+": releases, by likelihood", of, runs)))
	}
	for _, of := range auditedSums() {
		name := "LinUCB over " + of.name
		switch of.name {
		case "Wishart tree": // not linear
			items = append(items, nodesOfLinUCB(name+": releases, by likelihood", runs,
				continual.Tree{Noise: continual.Wishart{Budget: Budget, Unshifted: true}},
				func(l bandit.Calibrated) privacy.Law { return privacy.PlanOf(l, privacy.All).Cases[0][0].Law }))
		case "secure tree":
			items = append(items, nodesOfLinUCB(name+": releases, by likelihood", runs, of.of, func(bandit.Calibrated) privacy.Law {
				return secureLaw(privacy.Setup{Dim: problem.Dim + 1, Horizon: linearRounds + 1, Bound: math.Sqrt2, Context: 1, Alpha: 0.1})
			}))
		case "Gaussian tree as published":
			add(name, learner.New(linear.UCB{}, of.of), stage{problem, worlds}, faint(e))
		default:
			add(name, learner.New(linear.UCB{}, of.of), stage{problem, worlds}, runs)
		}
	}
	add("logistic UCB over a binary tree", learner.New(linear.Logistic{ThetaNorm: 0.1}, continual.Tree{Noise: continual.Gaussian{Budget: Budget}}), tellLogistic(linearRounds), runs)
	add("weighted regression over batches", learner.New(linear.Weighted{}, continual.VectorBatches{Budget: Budget}), tellWeighted(linearRounds), runs)
	add("LinUCB over BLT, released seldom", learner.New(linear.UCB{}, privacy.Accumulator(continual.Seldom{Budget: Budget})), stage{problem, worlds}, runs)
	add("AdaC-OFUL", linear.UCB{}.AdaCOFUL(Budget), stage{problem, worlds}, runs)
	correlated := continual.PublicContexts{Budget: Budget, Buffers: 2}
	add("AdaC-OFUL, correlated noise", learner.New(linear.UCB{}, privacy.Accumulator(correlated)), stage{problem, worlds}, runs)
	delayed := delayedLinUCB()
	late, far := tellTale(linearRounds + delayed.Most)
	add("LinUCB on a budget", meteredLinUCB(), stage{problem, worlds}, runs)
	add("LinUCB with late rewards", delayed, stage{late, far}, runs)
	same := stage{problem: problem}
	for w := range same.worlds { // a features' row would depend on the arm
		for t := range linearRounds {
			y := 0.0
			if t == 0 {
				y = float64(1 - 2*w)
			}
			same.worlds[w] = append(same.worlds[w], audit.Round{X: []float64{1, 1}, Rewards: []float64{y, y}})
		}
	}
	add("LinUCB on random features", learner.Kernel{Learner: gaussianLinUCB(), Features: 4}, same, runs)
	add("Gaussian Thompson sampling", arms.GaussianThompson{}.Private(1, 1, Budget.Delta), unplayed(linearRounds), runs)
	one := oneArm(0)
	add("CUCB over trees", slots.OMM{Matroid: opened(matroid.NewUniform(one.problem.Arms, one.problem.Slots))}.OverTree(Budget.Epsilon), one, runs)
	return items
}

// tellLogistic is the stage of a logistic learner, whose first reward is the highest in one world
// and the lowest in the other, at the longest context. Later contexts are 0: their rows, whose
// weights depend on releases, are the same whatever these are.
func tellLogistic(rounds int) stage {
	s := stage{problem: bandit.Problem{Arms: 1, Dim: 1, Slots: 1, ContextNorm: 1, RewardMax: 1}}
	for w := range s.worlds {
		s.worlds[w] = audit.Stream{{X: []float64{1}, Rewards: []float64{float64(w)}}}
		for len(s.worlds[w]) < rounds {
			s.worlds[w] = append(s.worlds[w], audit.Round{X: []float64{0}, Rewards: []float64{0}})
		}
	}
	return s
}

// tellWeighted is the stage of weighted regression in the plane, whose first context is opposite to
// that of the other world. Its message, whose longer part is the reward's, then has about the
// opposite sign. Later contexts are 0, as in tellLogistic.
func tellWeighted(rounds int) stage {
	s := stage{problem: bandit.Problem{Arms: 1, Dim: 2, Slots: 1, ContextNorm: 1, RewardMax: 3}}
	for w := range s.worlds {
		s.worlds[w] = audit.Stream{{X: []float64{float64(1 - 2*w), 0}, Rewards: []float64{3}}}
		for len(s.worlds[w]) < rounds {
			s.worlds[w] = append(s.worlds[w], audit.Round{X: []float64{0, 0}, Rewards: []float64{0}})
		}
	}
	return s
}

// unplayed is the stage of as many arms as rounds, each of which is played once if a learner begins
// with those it has not seen. The first reward is 0 or 1 and all others are 0.
func unplayed(rounds int) stage {
	s := stage{problem: bandit.Problem{Arms: rounds, Slots: 1, RewardMax: 1}}
	for w := range s.worlds {
		for t := range rounds {
			y := 0.0
			if t == 0 {
				y = float64(w)
			}
			s.worlds[w] = append(s.worlds[w], audit.Round{Rewards: slices.Repeat([]float64{y}, rounds)})
		}
	}
	return s
}
