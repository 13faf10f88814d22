package mechanism

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// noisy is what the mechanisms share that are handed their noise.
type noisy interface {
	Init() error
	Reset(*privacy.Noise)
	privacy.Planner
}

// TestNothingIsReleasedBeforeInitAndReset: in that order, and again after another Init, whether
// that succeeds or not. A mechanism that has no noise level yet, or that of other settings,
// releases nothing.
func TestNothingIsReleasedBeforeInitAndReset(t *testing.T) {
	laplace := Laplace{Epsilon: 1, Dim: 1, Hi: 1}
	gaussian := VectorGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Dim: 1, Bound: 1}
	response := RandomisedResponse{Epsilon: 1, Choices: 2}
	sparse := SparseVector{Epsilon: 1, Accepted: 9, Sensitivity: 1}
	top := TopK{Budget: privacy.Budget{Epsilon: 1}, K: 1, Candidates: 1, Sensitivity: 1}
	one := make([]float64, 1)
	for name, c := range map[string]struct {
		m       noisy
		release func() error
		spoil   func() // makes Init fail
	}{
		"Laplace":            {laplace, func() error { return laplace.Release(one, one) }, func() { laplace.Hi, laplace.Epsilon = 100, -1 }},
		"VectorGaussian":     {gaussian, func() error { return gaussian.Release(one, one) }, func() { gaussian.Bound, gaussian.Budget.Delta = 100, 0 }},
		"RandomisedResponse": {response, func() error { _, err := response.Respond(0); return err }, func() { response.Choices = 1 }},
		"SparseVector":       {sparse, func() error { _, err := sparse.Above(1, 0); return err }, func() { sparse.Accepted, sparse.Epsilon = 100, math.NaN() }},
		"TopK":               {top, func() error { _, err := top.Choose(one, nil); return err }, func() { top.K = 0 }},
	} {
		noise := privacy.NewNoise(testSource())
		wants(t, name+", before all", c.release(), "before Init and Reset")
		c.m.Reset(noise)
		wants(t, name+", before Init", c.release(), "before Init and Reset")
		if err := c.m.Init(); err != nil {
			t.Fatal(err)
		}
		wants(t, name+", before Reset", c.release(), "before Init and Reset")
		c.m.Reset(noise)
		if err := c.release(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.m.Init(); err != nil {
			t.Fatal(err)
		}
		wants(t, name+", after another Init", c.release(), "before Init and Reset")
		c.spoil()
		if err := c.m.Init(); err == nil {
			t.Errorf("%s: settings meant to be wrong are accepted", name)
		}
		c.m.Reset(noise)
		wants(t, name+", after an Init that failed", c.release(), "before Init and Reset")
		if claim := privacy.ClaimOf(c.m); !math.IsInf(claim.Epsilon(), 1) {
			t.Errorf("%s: claims %v after an Init that failed", name, privacy.ClaimOf(c.m))
		}
	}
	wants(t, "estimate", (RandomisedResponse{Epsilon: 1, Choices: 2}).Estimate(make([]float64, 2), make([]int, 2)), "before Init")
}

// TestAFailedInitTakesNoRow: an accumulator whose second Init fails does not go on with the first
// one's noise and the second one's bound.
func TestAFailedInitTakesNoRow(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	setup := privacy.Setup{Dim: 2, Horizon: 10, Bound: 1, Alpha: 0.1}
	wider := setup
	wider.Bound = 100
	tree, pan, wishart := Gaussian{Budget: b}, Gaussian{Budget: b}, Wishart{Budget: b}
	secure, blt, root, honaker := SecureTree{Budget: b}, BLT{Budget: b}, SquareRoot{Budget: b}, Honaker{Budget: b}
	for name, c := range map[string]struct {
		acc   privacy.Accumulator
		spoil *privacy.Budget
	}{
		"Tree": {Tree{Noise: tree}, &tree.Budget}, "PanPrivateTree": {PanPrivateTree{Noise: pan}, &pan.Budget},
		"Wishart": {Tree{Noise: wishart}, &wishart.Budget}, "SecureTree": {secure, &secure.Budget},
		"BLT": {blt, &blt.Budget}, "SquareRoot": {root, &root.Budget}, "Honaker": {honaker, &honaker.Budget},
	} {
		if err := c.acc.Init(setup); err != nil {
			t.Fatal(err)
		}
		c.acc.Reset(privacy.NewNoise(testSource()))
		c.spoil.Delta = 0
		if err := c.acc.Init(wider); err == nil {
			t.Errorf("%s: delta = 0 is accepted", name)
		}
		wants(t, name, addRow(c.acc, []float64{50, 50}), "before Init")
	}
}
