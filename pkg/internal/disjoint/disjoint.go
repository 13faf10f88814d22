// Package disjoint shows one vector of features to a linear learner as a context for each arm.
//
//   - [Rows] describes the contexts, and [Contexts] makes them.
package disjoint

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Rows makes contexts for arms that share their features: the context of an arm has a block of
// coordinates for each arm, with the features in its own block and zeros in the others. So a linear
// learner fits a parameter of its own to each arm.
type Rows struct {
	Arms, Dim int       // number of arms, >= 1, and of features, >= 0
	Norm      float64   // bound on the norm of the scaled features, > 0; longer ones are shortened to it
	Scale     []float64 // what each feature is divided by, > 0; nil means 1
	Constant  float64   // last feature of all, not scaled; 0 means none
}

// Validate returns an error if a field is out of its range.
func (r Rows) Validate() error {
	switch {
	case r.Arms < 1:
		return fmt.Errorf("%d arms, want >= 1", r.Arms)
	case r.Dim < 0:
		return fmt.Errorf("field Dim = %d, want >= 0", r.Dim)
	case r.Dim > 0 && !(r.Norm >= 1e-100 && r.Norm <= 1e100):
		return fmt.Errorf("field Norm = %v, want in [1e-100, 1e100]", r.Norm)
	case !(r.Constant >= 0 && r.Constant <= 1e100):
		return fmt.Errorf("field Constant = %v, want in [0, 1e100]", r.Constant)
	case r.Scale != nil && len(r.Scale) != r.Dim:
		return fmt.Errorf("field Scale has %d numbers, want none or Dim = %d", len(r.Scale), r.Dim)
	}
	for i, s := range r.Scale {
		if !(s >= 1e-100 && s <= 1e100) {
			return fmt.Errorf("field Scale[%d] = %v, want in [1e-100, 1e100]", i, s)
		}
	}
	k := float64(r.Arms)
	return size.Check(fmt.Sprintf("contexts of %d arms and %d features for each", r.Arms, r.Dim), k*k*(float64(r.Dim)+1))
}

// Check returns an error unless the numbers are finite, and as many as rows of features have.
func (r Rows) Check(what string, features []float64, rows int) error {
	if float64(len(features)) != float64(rows)*float64(r.Dim) {
		return fmt.Errorf("field %s has %d numbers, want %d rows of Dim = %d", what, len(features), rows, r.Dim)
	}
	for i, x := range features {
		if x-x != 0 {
			return fmt.Errorf("field %s[%d] = %v, want finite", what, i, x)
		}
	}
	return nil
}

// block returns the length of an arm's block.
func (r Rows) block() int {
	if r.Constant > 0 {
		return r.Dim + 1
	}
	return r.Dim
}

// Problem describes the contexts, and rewards between two bounds, to a learner.
func (r Rows) Problem(rewardMin, rewardMax float64) bandit.Problem {
	norm := r.Constant
	if r.Dim > 0 {
		norm = portable.Hypot(r.Norm, r.Constant)
	}
	return bandit.Problem{Arms: r.Arms, Dim: r.Arms * r.block(), Slots: 1, ContextNorm: norm, RewardMin: rewardMin, RewardMax: rewardMax}
}

// Contexts makes the contexts of one trial, in memory of its own.
type Contexts struct {
	rows  Rows
	block int
	x     []float64
}

// Start returns the contexts of a trial. The rows must be valid.
func (r Rows) Start() *Contexts {
	return &Contexts{r, r.block(), make([]float64, r.Arms*r.Arms*r.block())}
}

// Show points v at the contexts of a vector of features.
func (c *Contexts) Show(v *bandit.View, round int, features []float64) {
	r, block, dim := &c.rows, c.block, c.rows.Arms*c.block
	v.Round, v.Arms, v.Dim, v.X, v.Same = round, r.Arms, dim, c.x, false
	if block == 0 {
		return
	}
	first := c.x[:block]
	r.scaled(first, features)
	packed.Shorten(first[:r.Dim], r.Norm)
	if block > r.Dim {
		first[r.Dim] = r.Constant
	}
	for a := 1; a < r.Arms; a++ {
		copy(c.x[a*(dim+block):], first)
	}
}

// scaled divides features by their scale. What overflows becomes the largest number.
func (r Rows) scaled(dst, features []float64) {
	for i, x := range features {
		if r.Scale != nil {
			x = min(max(x/r.Scale[i], -math.MaxFloat64), math.MaxFloat64)
		}
		dst[i] = x
	}
}

// Shortened returns how many rows of features Show shortens.
func (r Rows) Shortened(features []float64) int {
	n, x := 0, make([]float64, r.Dim)
	for i := 0; i < len(features); i += r.Dim {
		r.scaled(x, features[i:i+r.Dim])
		if packed.Norm(x) > r.Norm {
			n++
		}
	}
	return n
}
