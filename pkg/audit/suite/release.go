package suite

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// releaseHorizon is the horizon that the learners of armReleases are made for.
const releaseHorizon = 100_000

// armReleases audits what a learner of arms releases, and not only what it plays: an attacker who
// sees the estimate itself finds more. There are two arms, orthogonal ones if Linear. The two
// worlds differ in the reward of round 1, 0 or 1; all other rewards are 0.
type armReleases struct {
	Name   string
	New    func(p bandit.Problem) learner.Private[privacy.Means]
	Linear bool
	// Streaming attacks the first four estimates of a single arm. It is for a learner that shows a
	// reward in more than one release. Otherwise the attack is on the first estimate of the arm that
	// round 1 plays alone, whose law it reads off the learner's plan.
	Streaming bool
	// Runs returns how often to play in each world, for plays of so many rounds; nil means 10,000.
	Runs func(rounds int) int
}

func (r armReleases) problem() bandit.Problem {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: 0, RewardMax: 1}
	if r.Linear {
		p.Dim, p.ContextNorm = 2, 1
	}
	return p
}

func (r armReleases) runs(rounds int) int {
	if r.Runs == nil {
		return 10_000
	}
	return r.Runs(rounds)
}

// first plays until the arm of round 1 has an estimate, and returns the round and the estimate. The
// reward of round 1 is given, the others are 0.
func (r armReleases) first(l bandit.Calibrated, reward float64, noise rand.Source) (int, privacy.Estimate, error) {
	p := r.problem()
	run, ok := l.Start(rand.New(rand.NewPCG(1, 1)), noise).(meansRun)
	if !ok {
		return 0, privacy.Estimate{}, fmt.Errorf("suite: %s: a run that releases no means", r.Name)
	}
	chosen, y, arm := make([]int, 0, 1), []float64{reward}, 0
	v := bandit.View{Arms: p.Arms, Dim: p.Dim, X: []float64{1, 0, 0, 1}[:p.Arms*p.Dim]}
	for t := 1; t <= releaseHorizon; t++ {
		v.Round = t
		var err error
		if chosen, err = run.Select(&v, chosen[:0]); err == nil {
			err = run.Update(&v, chosen, y)
		}
		if err != nil {
			return t, privacy.Estimate{}, err
		}
		if t == 1 {
			arm = chosen[0]
		}
		if y[0] = 0; run.Release().Of[arm].Count > 0 {
			return t, run.Release().Of[arm], nil
		}
	}
	return 0, privacy.Estimate{}, fmt.Errorf("suite: %s: no estimate of arm %d in %d rounds", r.Name, arm, releaseHorizon)
}

// Item returns the audit. It plays once, to see when the first estimate is there.
func (r armReleases) Item() (audit.Item, error) {
	if r.Streaming {
		// A tree shows its first reward the most often. The third is the first one that the hybrid
		// mechanism shows in full: in a node of a tree, and in the sum of four.
		var best audit.Likelihood
		for _, replaced := range []int{0, 2} {
			s := oneArm(replaced)
			item, err := s.attack(r.Name, r.New(s.problem), r.runs(linearRounds))
			if err != nil {
				return r.stream(), nil
			}
			if item.Exact > best.Exact {
				best = item
			}
		}
		return best, nil
	}
	p := r.problem()
	l, err := r.New(p).Open(p, releaseHorizon)
	if err != nil {
		return nil, err
	}
	first, _, err := r.first(l, 0, rand.NewPCG(1, 2))
	if err != nil {
		return nil, err
	}
	plan := privacy.PlanOf(l, first)
	density, _, err := audit.AdditiveDensity([]privacy.Law{plan.Cases[0][0].Law}, [2][][]float64{{{0}}, {{1}}})
	if err != nil {
		return nil, err
	}
	_, curve := audit.Claimed(privacy.ClaimOf(l))
	return audit.Likelihood{
		Name: r.Name, Claim: plan.Asked, Curve: curve, Density: density, Runs: r.runs(first),
		Release: func(world int, source rand.Source, out []float64) error {
			_, e, err := r.first(l, float64(world), source)
			out[0] = e.Mean * float64(e.Count)
			return err
		},
	}, nil
}

// stream attacks the first four estimates of a single arm, whose third reward differs. That is the
// first one which the hybrid mechanism shows in full: in a node of a tree, and in the sum of four;
// the first reward is in one sum alone, and costs half of epsilon. What the third and the fourth
// estimate add to the sum of two is read as Laplace noise tells it best.
func (r armReleases) stream() audit.Item {
	var worlds [2]audit.Stream
	for w := range worlds {
		worlds[w] = make(audit.Stream, 4)
		for t := range worlds[w] {
			worlds[w][t] = audit.Round{Rewards: []float64{0}}
		}
		worlds[w][2].Rewards = []float64{float64(w)}
	}
	p := r.problem()
	p.Arms = 1
	return audit.Learner{
		Name: r.Name, Problem: p, Worlds: worlds, NoActions: true,
		Of: told{r.New(p)}, Runs: r.runs(len(worlds[0])),
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			t := run.(*toldRun)
			switch sum := float64(float64(round) * t.Release().Of[0].Mean); round {
			case 2:
				t.two = sum
			case 3, 4:
				dst = append(dst, tellLaplace(sum-t.two))
			}
			return dst
		},
	}
}

// meansRun is a run that releases estimates.
type meansRun = *learner.PrivateRun[privacy.Means]

// told is a learner whose runs remember the sum of their first two rewards, as it was released.
type told struct{ learner.Private[privacy.Means] }

// Open opens the learner.
func (t told) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	l, err := t.Private.Open(p, horizon)
	return &toldOf{l}, err
}

// toldOf is a told for a problem.
type toldOf struct{ bandit.Calibrated }

// Plan returns the learner's.
func (t *toldOf) Plan(records int) privacy.Plan {
	return privacy.PlanOf(t.Calibrated, records).HeldBy(t)
}

// Start begins a run.
func (t *toldOf) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &toldRun{meansRun: t.Calibrated.Start(own, noise).(meansRun)}
}

// toldRun is a run that remembers.
type toldRun struct {
	meansRun
	two float64
}

// entryItem audits what a learner of a catalogue releases, at a budget: estimates by armReleases,
// sums by firstRow. runs is as in armReleases. The audit is nil where neither fits the learner, as
// one that releases draws, or it is not private.
func entryItem(name string, e catalogue.Entry, b privacy.Budget, runs func(rounds int) int) (audit.Item, error) {
	if !e.Private {
		return nil, nil
	}
	r := armReleases{Name: name, Linear: e.Linear, Streaming: e.Streaming, Runs: runs,
		New: func(p bandit.Problem) learner.Private[privacy.Means] {
			return e.New(p, b).(learner.Private[privacy.Means])
		}}
	switch l := e.New(r.problem(), b).(type) {
	case learner.Private[privacy.Means]:
		if _, draws := l.Statistic.(tally.LimitedDraws); draws {
			return nil, nil
		}
		return r.Item()
	case learner.Private[privacy.Sums]:
		return firstRow(name, r.runs(1), l.Statistic)
	}
	return nil, nil
}

// firstRow audits the noisy sum of a single row in two dimensions, the first release that a linear
// learner reads. The two rows are as far apart as rows can be. There is none where contexts are
// public.
func firstRow(name string, runs int, statistic privacy.Accumulator) (audit.Item, error) {
	setup := privacy.Setup{Horizon: 2, Dim: 3, Bound: math.Sqrt2, Context: 1, Alpha: 0.01, Lo: -1, Hi: 1}
	of, err := statistic.Open(setup)
	if err != nil {
		return nil, err
	}
	plan := privacy.PlanOf(of, 1)
	if plan.Neighbours.PublicContexts() { // two rows differ in their contexts
		return nil, nil
	}
	var rows [2][]float64
	rows[0], rows[1] = far.Rows(setup)
	var values [2][][]float64
	for w, row := range rows {
		var packed []float64
		for i, v := range row {
			for _, u := range row[:i+1] {
				packed = append(packed, u*v)
			}
		}
		values[w] = [][]float64{packed}
	}
	density, _, err := audit.AdditiveDensity([]privacy.Law{plan.Cases[0][0].Law}, values)
	if err != nil {
		return nil, err
	}
	_, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Likelihood{
		Name: name, Claim: plan.Asked, Curve: curve, Density: density, Runs: runs, Outputs: 6,
		Release: func(world int, source rand.Source, out []float64) error {
			sums := of.Start(privacy.NewNoise(source))
			_, err := sums.Add(privacy.Row(rows[world]))
			sums.Release().Read(out)
			return err
		},
	}, nil
}
