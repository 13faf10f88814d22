package judge_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// thompson plays the best arm by a parameter drawn from LinUCB's ellipsoid.
type thompson struct {
	linear.UCB
	Scale float64 // standard deviations of a draw
}

func (t thompson) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	ready, err := t.UCB.Prepare(p, horizon, r)
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return &thompsonRule{ready.Begin(own), t.Scale, own, make([]float64, p.Dim), mat.NewSymDense(p.Dim, nil)}
	}), err
}

type thompsonRule struct {
	learner.Rule[privacy.Sums]
	scale   float64
	own     *rand.Rand
	draw    []float64
	inverse *mat.SymDense
}

func (t *thompsonRule) Act(ellipsoid []float64, v *bandit.View, dst []int) ([]int, error) {
	d, at := v.Dim, v.Dim
	for i := range d {
		t.draw[i] = t.scale * t.own.NormFloat64()
		for k := range i + 1 {
			t.inverse.SetSym(i, k, ellipsoid[at])
			at++
		}
	}
	var c mat.Cholesky
	if !c.Factorize(t.inverse) {
		return dst, errors.New("V^-1 is not positive definite")
	}
	var l mat.TriDense
	c.LTo(&l)
	theta := mat.NewVecDense(d, nil)
	theta.MulVec(&l, mat.NewVecDense(d, t.draw))
	floats.Add(theta.RawVector().Data, ellipsoid[:d])
	best, most := 0, math.Inf(-1)
	for a := range v.Arms {
		if mean := floats.Dot(v.Row(a), theta.RawVector().Data); mean > most {
			best, most = a, mean
		}
	}
	return append(dst, best), nil
}

// TestThompson: the card of a variant that somebody writes, Thompson sampling over BLT. Its audit
// finds at least .85 of its claim, and nobody has written an attack.
func TestThompson(t *testing.T) {
	c := card(t, learner.New(thompson{Scale: 0.5}, continual.BLT{Budget: budget}), short(t))
	if a := c.Attacks[0]; a.False || a.Excluded < 0.85*a.Claimed {
		t.Errorf("%s, want at least .85 of the claim, and no more than it", c.Verdict())
	}
	if c.Claim.Epsilon != 1 || len(c.Races) != 1 || c.Races[0].Private != 2 {
		t.Errorf("claim %+v and races %+v, want epsilon 1, and a race with one private rival", c.Claim, c.Races)
	}
	var failures []string
	for _, k := range c.Checks {
		failures = append(failures, k.Failures...)
	}
	for _, forgotten := range []string{"BadContexts", "Allocations"} {
		if !strings.Contains(strings.Join(failures, "\n"), forgotten) {
			t.Errorf("failures %q, want %s, which the policy forgets", failures, forgotten)
		}
	}
}
