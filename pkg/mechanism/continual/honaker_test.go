package continual

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// nodeMatrix returns C of the binary tree over n rows, a row for each finished node in the order in
// which they are finished, the leaves first.
func nodeMatrix(n int) *mat.Dense {
	c := mat.NewDense(n+finished(n), n, nil)
	node := 0
	for last := 1; last <= n; last++ {
		for size := 1; last%size == 0 && size <= last; size *= 2 {
			for row := last - size; row < last; row++ {
				c.Set(node, row, 1)
			}
			node++
		}
	}
	return c
}

// TestHonakerAgainstLeastSquares: the streaming estimates sum to the prefixes, B C = A; their
// largest variance is rowNorm's; a row moves them by as much as the claim and the plan say; and the
// estimate of the node over rows 1..2^i is that of least squares from all nodes below it, which has
// the variance 1^T (C^T C)^-1 1.
func TestHonakerAgainstLeastSquares(t *testing.T) {
	for _, horizon := range []int{2, 3, 4, 8, 9, 100, 256, 257, 400} {
		if testing.Short() && horizon > 256 {
			continue // the cube of it, twenty times; 8 and 9 are on either side of a power, too
		}
		n := horizon - 1
		h := mechanismtest.Played(Honaker{Budget: budget})
		b, f := impulses(t, h, horizon, n+finished(n))
		c := nodeMatrix(n)
		var product mat.Dense
		product.Mul(b, c)
		if e := distance(&product, ones(n)); e > 1e-12 {
			t.Errorf("horizon %d: B C differs from A by %v", horizon, e)
		}
		wide(t, b, f)
		for rows := 1; rows <= n; rows += 1 + n/20 {
			shows(t, b.Slice(0, rows, 0, rows+finished(rows)), privacy.PlanOf(h.Opened, rows).Event().(account.GaussianEvent).Mu*f.sd/f.sensitivity())
		}
		shows(t, b, privacy.ClaimOf(h.Opened).Event().(account.GaussianEvent).Mu*f.sd/f.sensitivity())
		for rows := 1; rows <= n; rows *= 2 {
			nodes := nodeMatrix(rows)
			var gram, x mat.Dense
			gram.Mul(nodes.T(), nodes)
			all := mat.NewDense(rows, 1, nil)
			for i := range rows {
				all.Set(i, 0, 1)
			}
			if err := x.Solve(&gram, all); err != nil {
				t.Fatal(err)
			}
			norm := mat.Norm(b.RowView(rows-1), 2)
			expect.Near(t, "the variance of the node over the first rows", norm*norm, mat.Sum(&x), 1e-12)
		}
	}
}

// shows compares the plan with the most that a row moves the releases in units of their noise, the
// largest root of D^T (B B^T)^-1 D over the columns D of A.
func shows(t *testing.T, b mat.Matrix, planned float64) {
	t.Helper()
	n, _ := b.Dims()
	var covariance mat.SymDense
	covariance.SymOuterK(1, mat.DenseCopyOf(b))
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		t.Fatal("the releases' noise is singular")
	}
	var x mat.Dense
	if err := factor.SolveTo(&x, ones(n)); err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for j := range n {
		most = max(most, mat.Dot(ones(n).ColView(j), x.ColView(j)))
	}
	expect.Near(t, fmt.Sprintf("what %d releases show", n), planned, math.Sqrt(most), 1e-9)
}

// TestHonakerRowNorm compares the largest variance with that of an enumeration of all prefixes, and
// its recursion.
func TestHonakerRowNorm(t *testing.T) {
	b := newBelow(1 << 20)
	v := 1.0
	for i, own := range b.own {
		expect.Near(t, "v_i", own, v, 1e-15)
		if i < 20 {
			v = 2 * v / (1 + 2*v)
		}
	}
	most := 0.0
	for n := 1; n <= 5000; n++ {
		b := newBelow(n)
		most = max(most, b.variance(n))
		expect.Near(t, "the largest variance", b.rowNorm()*b.rowNorm(), most, 1e-14)
	}
}
