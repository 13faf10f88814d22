package suite

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// How far beyond its bounds a record is here. What is clipped after the noise, or on one side only,
// shows it.
const beyond = 100

// soundBeyond audits what happens to a record that is beyond its bounds: it has to be clipped, and
// cost no more than another. An error would be seen as well.
func soundBeyond(e Effort) (items []audit.Item) {
	runs := played(e)
	items = append(items,
		vectorItem("Laplace, beyond its bounds", 1, runs, [2][]float64{{-beyond}, {beyond}}, opened(mechanism.Laplace{Epsilon: 1, Dim: 1, Lo: 0, Hi: 1}.Open())),
		vectorItem("Gaussian, beyond its bounds", Budget.Epsilon, runs, [2][]float64{{beyond, 0}, {-beyond, 0}}, opened(mechanism.VectorGaussian{Budget: Budget, Dim: 2, Bound: 1}.Open())))
	setup := privacy.Setup{Dim: 3, Horizon: 5, Bound: math.Sqrt2, Context: 1, Alpha: 0.1}
	// Clipped, they are (1, 0, 0) and (0, 0, sqrt(2)): nearly as far from each other as rows can
	// be.
	zero := []float64{0, 0, 0}
	rows := [2][][]float64{{{beyond, 0, 0}, zero, zero, zero}, {{0, 0, beyond}, zero, zero, zero}}
	for _, sums := range auditedSums() {
		items = append(items, audit.Accumulator{Name: sums.name + ": beyond its bounds", Of: sums.of, Setup: setup, Rows: rows, Runs: runs})
	}
	problem, worlds := tellTale(4)
	items = append(items, audit.Learner{
		Name: "LinUCB over binary tree: actions, beyond its bounds", Problem: problem, Worlds: audit.Beyond(worlds, 2), Runs: runs,
		Of: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: Budget}}),
	})
	for _, item := range append(locals(e), soundSemiBandits(e)...) {
		l := item.(audit.Learner)
		l.Name += ", beyond its bounds"
		l.Worlds = audit.Beyond(l.Worlds, beyond)
		l.Runs = runs
		items = append(items, l)
	}
	return items
}

// soundLikelihoods audits releases on the exact likelihood ratio, at a delta that is out of reach
// of an audit that counts.
func soundLikelihoods(e Effort) []audit.Item {
	small := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	runs := pick(e, 100_000, 500_000, 2_000_000)
	return []audit.Item{
		likelihoodItem("Laplace, by likelihood", 1, runs, [2][]float64{{0, 0}, {1, 1}}, opened(mechanism.Laplace{Epsilon: 1, Dim: 2, Lo: 0, Hi: 1}.Open())),
		likelihoodItem("Gaussian, by likelihood", small.Epsilon, runs, [2][]float64{{1, 0}, {-1, 0}}, opened(mechanism.VectorGaussian{Budget: small, Dim: 2, Bound: 1}.Open())),
	}
}

// likelihoodItem audits a mechanism that adds noise of one law to values within their bounds.
func likelihoodItem(name string, exact float64, runs int, worlds [2][]float64, of mechanism.Calibrated[mechanism.Vectors]) audit.Item {
	m := of.Start(privacy.NewNoise(rand.NewPCG(1, 1)))
	must(m.Release(make([]float64, len(worlds[0])), worlds[0]))
	drawn := privacy.PlanOf(m, privacy.All).Draws
	density, draws, err := audit.AdditiveDensity([]privacy.Law{drawn[0].Law}, [2][][]float64{{worlds[0]}, {worlds[1]}})
	must(err)
	plain := vectorItem(name, exact, runs, worlds, of).(audit.Mechanism)
	return audit.Likelihood{
		Name: name, Claim: plain.Claim, Curve: plain.Curve, Exact: exact, Outputs: plain.Outputs, Runs: runs,
		Release: plain.Release, Density: density, Draws: draws,
	}
}

// wishartItem audits the one release of a Wishart tree over two rounds, which holds one node's
// noise: over more rounds a node has more noise.
func wishartItem(name string, runs int) audit.Item {
	setup := privacy.Setup{Dim: 2, Horizon: 2, Bound: math.Sqrt2, Context: 1, Alpha: 0.1}
	v, w := far.Rows(setup)
	of := opened(continual.Tree{Noise: continual.Wishart{Budget: Budget, Unshifted: true}}.Open(setup))
	release := func(world int, source rand.Source, out []float64) error {
		t := of.Start(privacy.NewNoise(source))
		if _, err := t.Add(privacy.Row([][]float64{v, w}[world])); err != nil {
			return err
		}
		t.Release().Read(out)
		return nil
	}
	t := of.Start(privacy.NewNoise(rand.NewPCG(1, 1)))
	_, err := t.Add(privacy.Row(v))
	must(err)
	draws := privacy.PlanOf(t, privacy.All).Draws
	node := draws[0].Law // of the one level that a tree of two rounds has: what it drew before is gone
	outer := func(v []float64) [][]float64 { return [][]float64{{v[0] * v[0], v[0] * v[1], v[1] * v[1]}} }
	density, _, err := audit.AdditiveDensity([]privacy.Law{node}, [2][][]float64{outer(v), outer(w)})
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Likelihood{
		Name: name, Claim: claim, Curve: curve, Outputs: 3, Runs: runs,
		Release: release, Density: density, Draws: draws,
	}
}
