package continual

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestSeldomNumbers holds the numbers of Seldom's comment.
func TestSeldomNumbers(t *testing.T) {
	for _, c := range []struct {
		rows, releases int
		sd             float64
	}{{1_000, 30, 2.15}, {100_000, 51, 2.32}, {49_999_999, 79, 2.46}} {
		m := expect.Must(Seldom{Budget: budget}.Open(privacy.Setup{Dim: 6, Horizon: c.rows + 1, Bound: math.Sqrt2, Alpha: 0.1})).(*seldom)
		t.Logf("%d rows: %d releases, %v", c.rows, len(m.ends), m.MaxSD())
		if len(m.ends) != c.releases {
			t.Errorf("%d rows: %d releases, want %d", c.rows, len(m.ends), c.releases)
		}
		expect.Near(t, "the largest standard deviation", m.MaxSD(), c.sd, 3e-3)
		expect.Near(t, "epsilon", privacy.ClaimOf(m).Epsilon(), 1, 1e-6)
	}
}

// TestSeldomAgainstItsMatrix compares the streaming noise, exactly and not by sampling, with dense
// algebra: B C is the lower triangular matrix of ones over the releases.
func TestSeldomAgainstItsMatrix(t *testing.T) {
	for _, c := range []struct {
		horizon int
		growth  float64
	}{{2, 0}, {3, 0}, {300, 0.02}, {100_000, 0}, {100_000, 1}} {
		const dim = 24 // 300 numbers in a release
		s := privacy.Setup{Dim: dim, Horizon: c.horizon, Bound: 1, Alpha: 0.1}
		m := expect.Must(Seldom{Budget: budget, Growth: c.growth}.Open(s)).(*seldom)
		n, drawn := len(m.ends), 0
		run := m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) {
			clear(dst)
			dst[drawn] = 1
			drawn++
		}))
		b, at := mat.NewDense(n, n, nil), 0
		zero := privacy.Row(make([]float64, dim))
		for row := 1; row < c.horizon; row++ {
			moved := expect.Must(run.Add(zero))
			if moved != (at < n && m.ends[at] == row) {
				t.Fatalf("%+v: moved is %v after %d rows, want releases after %v", c, moved, row, m.ends)
			}
			if moved {
				b.SetRow(at, run.Release().Packed[:n])
				at++
			}
		}
		var inverse, dense mat.Dense
		if err := inverse.Inverse(b); err != nil {
			t.Fatal(err)
		}
		dense.Mul(&inverse, ones(n))
		for k, end := range m.ends {
			sensitive(t, dense.Slice(0, k+1, 0, k+1), m.plan(end, 0).Cases[0][0].Sensitivity.L2/m.sensitivity())
			if k+1 < n && m.plan(m.ends[k+1]-1, 0).Cases[0][0].Sensitivity != m.plan(end, 0).Cases[0][0].Sensitivity {
				t.Errorf("%+v: the plan grows before a release", c)
			}
		}
		wide(t, b, m.factorised)
		operator, _ := symmetricUpsilon(privacy.Setup{Dim: dim, Horizon: n, Alpha: 0.1}, m.sd*m.widest)
		expect.Near(t, "the spread", m.like.Spread.High, operator, 1e-12)
	}
}

func TestSeldomRefuses(t *testing.T) {
	s := privacy.Setup{Dim: 2, Horizon: 100, Bound: 1, Alpha: 0.1}
	for _, growth := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
		expect.Error(t, "growth", mechanismtest.Played(Seldom{Budget: budget, Growth: growth}).Open(s), "Seldom.Growth = ", "want in (0, 1]")
	}
	expect.Error(t, "buffers", mechanismtest.Played(Seldom{Budget: budget, Buffers: 17}).Open(s), "Seldom.Buffers = 17", "want in [1, 16]")
}

// TestSeldomDoesNotAllocate: a round, Add and Release, in the steady state.
func TestSeldomDoesNotAllocate(t *testing.T) {
	allocatesNothing(t, "seldom", mechanismtest.Played(Seldom{Budget: budget}))
}
