// Package suite lists the audits of the toolkit: of every mechanism and learner that claims
// privacy, and of fixtures that claim it falsely. `make audit` runs them.
package suite

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/broken"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Effort says how many runs the suite makes of each subject. More runs exclude a larger epsilon.
type Effort int

// The efforts, in runs of a cheap mechanism: 20,000, 100,000 and a million.
const (
	Quick Effort = iota
	Usual
	Thorough
)

// pick returns the number for an effort.
func pick(e Effort, quick, usual, thorough int) int {
	switch e {
	case Quick:
		return quick
	case Thorough:
		return thorough
	}
	return usual
}

// played is the number of runs of an attack that plays a learner, or many rows, and counts: each
// takes some ten times as long as that of a cheap mechanism.
func played(e Effort) int { return pick(e, 20_000, 100_000, 400_000) }

// must panics if a subject of the suite is not as it should be, which is a mistake in the suite.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Options has the seed of the suite, and its confidence: of each broken fixture's verdict, and over
// all sound subjects together.
var Options = audit.Options{Confidence: 0.99, Seed: 2026}

// Budget is what the suite's Gaussian mechanisms are calibrated for.
var Budget = privacy.Budget{Epsilon: 1, Delta: 0.01}

// Items lists the audits of the toolkit's own mechanisms and learners, all of which have to
// keep their claims.
func (e Effort) Items() []audit.Item {
	items := append(soundMechanisms(e), e.Releases()...)
	items = append(append(items, e.Learners()...), lateItem(e))
	items = append(items, soundLocals(e)...)
	items = append(items, soundTallies(e)...)
	items = append(items, soundSemiBandits(e)...)
	items = append(append(items, soundArms(e)...), soundEstimates(e)...)
	items = append(items, soundSparse(e)...)
	items = append(items, soundSurvey(e)...)
	items = append(items, soundLikelihoods(e)...)
	items = append(items, soundBeyond(e)...)
	items = append(items, soundLinear(e)...)
	return append(items, soundRuns(e)...)
}

// opened returns what Open has returned, which has to be well.
func opened[T any](of T, err error) T {
	must(err)
	return of
}

// byLikelihood returns the attack by likelihood. Where there is none, as where noise does not hide
// the worlds from each other at all, it returns the attack by what runs show.
func byLikelihood[A interface {
	audit.Item
	Likelihood() (audit.Likelihood, error)
}](a A) audit.Item {
	item, err := a.Likelihood()
	if err != nil {
		return a
	}
	return item
}

// vectorItem audits a mechanism on two values.
func vectorItem(name string, exact float64, runs int, worlds [2][]float64, of mechanism.Calibrated[mechanism.Vectors]) audit.Item {
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Exact: exact, Outputs: len(worlds[0]), Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			return of.Start(privacy.NewNoise(source)).Release(out, worlds[world])
		},
	}
}

func soundMechanisms(e Effort) []audit.Item {
	runs := pick(e, 20_000, 100_000, 1_000_000)
	return []audit.Item{
		vectorItem("Laplace", 1, runs, [2][]float64{{0}, {1}}, opened(mechanism.Laplace{Epsilon: 1, Dim: 1, Lo: 0, Hi: 1}.Open())),
		vectorItem("Gaussian", Budget.Epsilon, pick(e, 200_000, 500_000, 5_000_000), [2][]float64{{1, 0}, {-1, 0}}, opened(mechanism.VectorGaussian{Budget: Budget, Dim: 2, Bound: 1}.Open())),
		secureItem("secure Laplace", 1, runs, opened(mechanism.SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1}.Open())),
		secureGaussianItem(likely(e)),
		responseItem(runs), sparseVectorItem(pick(e, 600_000, 1_000_000, 5_000_000)), topKItem(pick(e, 200_000, 500_000, 2_000_000)),
	}
}

// secureItem audits a sum of one record, -1 or +1. The noise is the system's and not the suite's:
// these two findings differ from run to run.
func secureItem(name string, exact float64, runs int, of mechanism.Calibrated[mechanism.Secure]) audit.Item {
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Exact: exact * claim.Epsilon, Runs: runs,
		Release: func(world int, _ rand.Source, out []float64) error {
			m := of.Start(nil)
			if err := m.Add([]float64{float64(2*world - 1)}); err != nil {
				return err
			}
			if err := m.Release(out); err != nil {
				return err
			}
			return m.Check()
		},
	}
}

// secureGaussianItem audits such a sum under discrete Gaussian noise by its likelihood: whole
// numbers of steps have the ratio that the Gaussian of their parameter has.
func secureGaussianItem(runs int) audit.Item {
	of := opened(mechanism.SecureGaussian{Budget: Budget, Dim: 1, Bound: 1}.Open())
	plain := secureItem("secure Gaussian", 0, runs, of).(audit.Mechanism)
	law := privacy.GaussianLaw(1, of.(interface{ Scale() float64 }).Scale())
	density, _, err := audit.AdditiveDensity([]privacy.Law{law}, [2][][]float64{{{-1}}, {{1}}})
	must(err)
	return audit.Likelihood{Name: plain.Name, Claim: plain.Claim, Curve: plain.Curve, Runs: runs, Release: plain.Release, Density: density}
}

func responseItem(runs int) audit.Item {
	const epsilon = 1
	of := opened(mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 3}.Open())
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: "randomised response", Claim: claim, Curve: curve, Exact: epsilon, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			m := of.Start(privacy.NewNoise(source))
			answer, err := m.Respond(world)
			out[0] = float64(answer)
			return err
		},
	}
}

// sparseVectorItem asks 41 queries, of which a record lowers the first 40 and raises the last, and
// reports which was accepted, or none. Some four of the 40 come out above by themselves, so that
// "the last" tells much: where the threshold's noise is drawn for each query, or is too small, its
// epsilon is well over the claim, as it is where the queries' noise is too small.
func sparseVectorItem(runs int) audit.Item {
	const epsilon, queries = 1, 41
	of := opened(mechanism.SparseVector{Epsilon: epsilon, Accepted: 1, Sensitivity: 1}.Open())
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: "sparse vector", Claim: claim, Curve: curve, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			m := of.Start(privacy.NewNoise(source))
			for out[0] = 0; out[0] < queries; out[0]++ {
				value, threshold := float64(1-world), 6.0
				if out[0] == queries-1 {
					value, threshold = float64(world), 1
				}
				if above, err := m.Above(value, threshold); above || err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// topScores are those of the two worlds: a record raises the first two and lowers all others. That
// the two are chosen is rare, and tells the most.
var topScores = [2][]float64{{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}

func topKItem(runs int) audit.Item {
	const epsilon = 1
	of := opened(mechanism.TopK{Budget: privacy.Budget{Epsilon: epsilon}, K: 2, Candidates: 12, Sensitivity: 1}.Open())
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: "top-2 of 12 by Gumbel noise", Claim: claim, Curve: curve, Runs: runs, Outputs: 2,
		Release: func(world int, source rand.Source, out []float64) error {
			m := of.Start(privacy.NewNoise(source))
			scores := topScores[world]
			chosen, err := m.Choose(scores, nil)
			for i, c := range chosen {
				out[i] = float64(c)
			}
			return err
		},
	}
}

// sums is an accumulator that claims privacy.
type sums struct {
	name string
	of   privacy.Accumulator
}

// auditedSums are the accumulators that claim privacy.
func auditedSums() []sums {
	return []sums{
		{"binary tree", continual.Tree{Noise: continual.Gaussian{Budget: Budget}}},
		{"pan-private tree", continual.PanPrivateTree{Noise: continual.Gaussian{Budget: Budget}}},
		{"Honaker's tree", continual.Honaker{Budget: Budget}},
		{"square root", continual.SquareRoot{Budget: Budget}},
		{"BLT", continual.BLT{Budget: Budget}},
		{"unbounded", continual.Unbounded{Budget: Budget}},
		{"secure tree", continual.SecureTree{Budget: Budget}},
		{"Gaussian tree as published", continual.Tree{Noise: continual.Gaussian{Budget: Budget, Calibration: privacy.AsPublished}}},
		{"Wishart tree", continual.Tree{Noise: continual.Wishart{Budget: Budget}}},
	}
}

// Releases audits transcripts: all releases of 8 rounds, with the first row replaced by the
// one farthest from it.
func (e Effort) Releases() (items []audit.Item) {
	setup := privacy.Setup{Dim: 3, Horizon: linearRounds + 1, Bound: math.Sqrt2, Context: 1, Alpha: 0.1}
	runs := likely(e)
	for _, of := range auditedSums() {
		a := audit.Accumulator{Name: of.name + ": all releases", Of: of.of, Setup: setup, Runs: runs}
		switch of.name {
		case "Wishart tree": // not linear
			items = append(items, wishartItem(a.Name, runs))
			continue
		case "secure tree": // of noise that no script prescribes
			items = append(items, secureSums(a.Name, setup, runs))
			continue
		case "Gaussian tree as published":
			a.Reads, a.Runs = nodeRounds, faint(e)
		}
		items = append(items, byLikelihood(a))
	}
	return items
}

// soundRuns audits long horizons in a single run, in which every row is a canary: one of two rows
// by the toss of a coin.
func soundRuns(e Effort) (items []audit.Item) {
	horizon := pick(e, 10_000, 100_000, 1_000_000)
	setup := privacy.Setup{Dim: 3, Horizon: horizon, Bound: math.Sqrt2, Context: 1, Alpha: 0.1}
	budget := privacy.Budget{Epsilon: 8, Delta: 1e-9}
	for _, sums := range []sums{
		{"binary tree", continual.Tree{Noise: continual.Gaussian{Budget: budget}}},
		{"BLT", continual.BLT{Budget: budget}},
	} {
		c, err := audit.Accumulator{Name: fmt.Sprintf("%s: one run of %d rows", sums.name, horizon), Exact: budget.Epsilon, Of: sums.of, Setup: setup}.Canaries()
		must(err)
		items = append(items, c)
	}
	return items
}

// tellTale returns the streams that draw the most from the actions of LinUCB: in one dimension with
// the arms +c and -c, whose confidence widths are equal, the action is the sign of the noisy sum
// u~. In the first round both arms are 1 and pay +1 in one world and -1 in the other, which is the
// largest change that a row (x, y) can make, all of it in u. Later rounds have a tiny c and pay
// nothing, so that each release shows its noise and the first round, and nothing else.
func tellTale(rounds int) (bandit.Problem, [2]audit.Stream) {
	var worlds [2]audit.Stream
	for w, reward := range []float64{1, -1} {
		worlds[w] = audit.Stream{{X: []float64{1, 1}, Rewards: []float64{reward, reward}}}
		for len(worlds[w]) < rounds {
			worlds[w] = append(worlds[w], audit.Round{X: []float64{1, -1}, Rewards: []float64{-1, 1}})
		}
	}
	return bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}, worlds
}

// Learners audits the actions that all users but the first one see.
func (e Effort) Learners() (items []audit.Item) {
	const rounds = 16
	runs := played(e)
	problem, worlds := tellTale(rounds)
	item := func(name string, l bandit.Learner) {
		items = append(items, audit.Learner{Name: name + ": actions", Of: l, Problem: problem, Worlds: worlds, Horizon: rounds, Runs: runs})
	}
	for _, sums := range auditedSums() {
		item("LinUCB over "+sums.name, learner.New(linear.UCB{}, sums.of))
	}
	item("LinUCB on a budget", meteredLinUCB())
	return append(items, standardItem(e))
}

// meteredLinUCB returns LinUCB over a tree that ends with its budget.
func meteredLinUCB() learner.Metered {
	return learner.Metered{
		Learner: gaussianLinUCB(),
		Budget:  privacy.Budget{Epsilon: 0.9, Delta: Budget.Delta}, Freeze: true,
	}
}

// delayedLinUCB returns LinUCB over a tree that gets its rewards two rounds late.
func delayedLinUCB() learner.Delayed {
	return learner.Delayed{Learner: gaussianLinUCB(), Most: 2}
}

// gaussianLinUCB returns LinUCB over a tree of Gaussian noise.
func gaussianLinUCB() learner.Private[privacy.Sums] {
	return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: Budget}})
}

// lateItem audits the actions of a learner that gets its rewards two rounds late.
func lateItem(e Effort) audit.Item {
	const rounds = 16
	problem, worlds := tellTale(rounds)
	return audit.Learner{
		Name: "LinUCB with late rewards: actions", Problem: problem, Worlds: worlds, Horizon: rounds, Runs: played(e),
		Of: delayedLinUCB(),
	}
}

// standardItem audits the action of the round whose context is replaced, of a learner that is
// private in the standard sense.
func standardItem(e Effort) audit.Item {
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	right, left := []float64{1, 0, -1, 0}, []float64{-1, 0, 1, 0}
	learn := audit.Round{X: right, Rewards: []float64{1, -1}}
	world := func(last []float64) audit.Stream {
		return audit.Stream{learn, learn, learn, learn, {X: last, Rewards: []float64{0, 0}}}
	}
	return audit.Learner{
		Name: "randomised actions: the own action", Exact: 0.5, Problem: problem, OwnAction: true, Runs: played(e),
		Of:     learner.RandomisedAction{Learner: learner.New(linear.UCB{Sigma: 0.1}, nil), Epsilon: 0.5},
		Worlds: [2]audit.Stream{world(right), world(left)},
	}
}

// Report is the outcome of the suite.
type Report struct{ Broken, Sound audit.Report }

// Attack attacks the fixtures with known bugs, each at the confidence of Options, and mechanisms
// and learners of the toolkit at that confidence over all of them together.
func (e Effort) Attack(ctx context.Context, progress func(audit.Status)) (r Report, err error) {
	o := Options
	o.Progress = progress
	if r.Broken, err = audit.Each(ctx, broken.All(), o); err != nil {
		return r, err
	}
	r.Sound, err = audit.Family(ctx, e.Items(), o)
	return r, err
}

// OK reports that every broken fixture is caught, no sound claim excluded, and no run of a sound
// subject failed.
func (r Report) OK() bool {
	for _, f := range r.Sound.Findings {
		if f.Failure != "" {
			return false
		}
	}
	return r.Broken.Excluded() == len(r.Broken.Findings) && r.Sound.Excluded() == 0
}

// Summary is the line that make audit ends with.
func (r Report) Summary() string {
	return fmt.Sprintf("audit: %d of %d broken caught, %d of %d sound within their claim",
		r.Broken.Excluded(), len(r.Broken.Findings), len(r.Sound.Findings)-r.Sound.Excluded(), len(r.Sound.Findings))
}
