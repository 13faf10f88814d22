package lasso

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// What a study of the assumptions measures.
const (
	PhiPrinted = "φ² as printed"      // Definition 1, by the covariance: exact for a support
	PhiCone    = "φ² with x'Mx"       // what the LASSO needs
	Tilt       = "tilt"               // P(A) - P(-A) of an event: 0 if the law is symmetric
	Along      = "balance along θ"    // the C_b that the arm in the middle needs, in the direction of theta
	Across     = "balance across θ"   // and in the others
	PrintedB   = "balance as printed" // the C_b that Assumption 4 needs as it is printed
	Entry      = "largest |x_j|"
)

// An Assumed environment is one whose assumptions are measured.
type Assumed struct {
	Name string
	environment.Sparse
}

// AssumedOn lists the environments of the notebooks on private LASSO bandits, and the first of them
// with a margin, which is not symmetric.
var AssumedOn = []Assumed{
	{"independent", environment.Sparse{}},
	{"AR1", environment.Sparse{Dim: 40, Design: environment.Autoregressive, Correlation: 0.7, Leading: true}},
	{"equi-correlated", environment.Sparse{Dim: 40, Design: environment.Equicorrelated, Correlation: 0.7, Leading: true}},
	{"spherical", environment.Sparse{Dim: 40, Design: environment.Spherical, Leading: true}},
	{"FLIPHAT", environment.Sparse{Arms: 3, Dim: 400, Design: environment.Autoregressive, Correlation: 0.1, Noise: 0.1, Raw: true}},
	{"margin", environment.Sparse{Margin: 0.3}},
}

// Covariance returns E[x x'] of a context, without a margin and without clipping.
func (a Assumed) Covariance() *mat.SymDense {
	d := a.Problem().Dim
	m := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			switch {
			case i == j:
				m.SetSym(i, j, 1)
			case a.Design == environment.Autoregressive:
				m.SetSym(i, j, math.Pow(a.Correlation, float64(j-i)))
			case a.Design == environment.Equicorrelated:
				m.SetSym(i, j, a.Correlation)
			}
		}
	}
	return m
}

// study measures the assumptions of Section 2.1.
//
// Compatibility is exact: the covariance is known, and each trial draws a support. Balance is by
// the contexts of so many rounds. Arms are exchangeable and independent, so that one permutation
// stands for all, and the condition is on order statistics: with x_(i) the context of the i-th
// lowest mean, C_b (E x_(1) x_(1)' + E x_(K) x_(K)') - E x_(i) x_(i)' has to be positive. In units
// of the covariance it is diagonal, in the direction of theta and across, for all these designs.
// For normal contexts C_b = 1/2 exactly, across.
func (a Assumed) study(s cell.Scale) *lab.Study {
	rounds := cell.Pick(s, 50, 500, 500)
	return &lab.Study{
		Name: "lasso-assumptions-" + a.Name, Seed: 2406, Trials: cell.Pick(s, 2, 10, 160), Rounds: rounds,
		What:  []string{PhiPrinted, PhiCone, Tilt, Along, Across, PrintedB, Entry},
		Trial: func(trial int) []float64 { return a.measure(rounds, trial) },
	}
}

func (a Assumed) measure(rounds, trial int) []float64 {
	world := check.Try(bandit.OpenWorld(a.Sparse))
	p := world.Problem()
	round := world.Start(random.New(2406, trial, "contexts"))
	theta := mat.NewVecDense(p.Dim, environment.Theta(round))
	var support []int
	for j := range p.Dim {
		if theta.AtVec(j) != 0 {
			support = append(support, j)
		}
	}
	m := a.Covariance()
	var weighted mat.VecDense // Sigma theta
	weighted.MulVec(m, theta)
	variance := mat.Dot(&weighted, theta)

	// By rank of the mean: the sums of (<x, theta>^2 / variance), and of |x - its projection|^2 in
	// units of what it is for any one arm.
	along, across := make([]float64, p.Arms), make([]float64, p.Arms)
	type placed struct{ mean, rest float64 }
	ranks := make([]placed, p.Arms)
	var v bandit.View
	var rest mat.VecDense
	tilt, entry := 0.0, 0.0
	for range rounds {
		round.Next(&v)
		for arm := range v.Arms {
			x := mat.NewVecDense(p.Dim, v.Row(arm))
			entry = max(entry, mat.Norm(x, math.Inf(1)))
			mean := mat.Dot(x, theta)
			rest.AddScaledVec(x, -mean/variance, &weighted)
			ranks[arm] = placed{mean, mat.Dot(&rest, &rest)}
		}
		slices.SortFunc(ranks, func(a, b placed) int { return cmp.Compare(a.mean, b.mean) })
		for i, r := range ranks {
			along[i] += r.mean * r.mean / variance / float64(rounds)
			across[i] += r.rest / float64(rounds)
		}
		switch top, bottom := ranks[p.Arms-1].mean, ranks[0].mean; {
		case top > -bottom:
			tilt += 1 / float64(rounds)
		case top < -bottom:
			tilt -= 1 / float64(rounds)
		}
	}
	ends := func(of []float64) float64 { return of[0] + of[p.Arms-1] }
	// The ranks in the middle need the most across theta, the next to the ends along it.
	between := (across[(p.Arms-1)/2] + across[p.Arms/2]) / 2
	middle := (along[1] + along[p.Arms-2]) / 2
	printed := max(along[p.Arms-1]/ends(along), across[p.Arms-1]/ends(across))
	return []float64{Compatibility(m, support, 0), Compatibility(m, support, 3), tilt, middle / ends(along),
		between / ends(across), printed, entry}
}

func assumptions(s cell.Scale) (all []*lab.Study) {
	for _, a := range AssumedOn {
		all = append(all, a.study(s))
	}
	return all
}

// FromMeasured returns s-bar of Section 2.1 with a measured phi^2, for so many coordinates that
// matter, and bounds on rewards and on entries of contexts.
func FromMeasured(phi2, reward, context float64) float64 {
	return 1 + 4*reward*context*math.Sqrt(Sparsity)/phi2
}

var assumptionsCaption = fmt.Sprintf("Section 2.1, measured: compatibility by the covariance, the others by contexts; %d coordinates matter", Sparsity)
