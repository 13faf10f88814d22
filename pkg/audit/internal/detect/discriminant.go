package detect

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// moments holds the means and variances of the outputs in the two worlds.
type moments struct {
	mean, variance [2][]float64
}

func newMoments(worlds [2]Samples) *moments {
	m := new(moments)
	for w, s := range worlds {
		mean, square := make([]float64, s.Width), make([]float64, s.Width)
		n := s.Len()
		for i := range n { // Welford's recurrence
			for j, v := range s.Row(i) {
				d := v - mean[j]
				mean[j] += d / float64(i+1)
				square[j] += float64(d * (v - mean[j]))
			}
		}
		for j := range square {
			square[j] /= float64(max(1, n-1))
		}
		m.mean[w], m.variance[w] = mean, square
	}
	return m
}

func (m *moments) centre(i int) float64 { return (m.mean[0][i] + m.mean[1][i]) / 2 }

func (m *moments) pooled(i int) float64 { return (m.variance[0][i] + m.variance[1][i]) / 2 }

// effect returns the difference of an output's means in standard deviations.
func (m *moments) effect(i int) float64 {
	d := math.Abs(m.mean[1][i] - m.mean[0][i])
	if d == 0 {
		return 0
	}
	return d / math.Sqrt(m.pooled(i))
}

// spread returns a measure of how much an output's variances differ.
func (m *moments) spread(i int) float64 {
	if m.variance[0][i] == m.variance[1][i] {
		return 0
	}
	return math.Abs(portable.Log(m.variance[1][i] / m.variance[0][i]))
}

// linear is a score: a linear combination of outputs.
type linear struct {
	weights   []float64
	shrinkage float64
}

func (l *linear) Of(out []float64) float64 {
	var sum float64
	for i, w := range l.weights {
		sum += float64(w * out[i])
	}
	return sum
}

func (l *linear) String() string {
	if len(l.weights) > 4 {
		return fmt.Sprintf("linear discriminant of %d outputs (shrinkage %.3g)", len(l.weights), l.shrinkage)
	}
	var s strings.Builder
	for i, w := range l.weights {
		if i > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%+.6g out[%d]", w, i)
	}
	return s.String()
}

// covarianceRuns is the largest number of runs in each world, per output, that estimate a
// covariance.
const covarianceRuns = 20000

// discriminants returns Fisher's linear discriminants C^-1 (m1 - m0), the most powerful scores for
// two Gaussians that differ in mean ("The use of multiple measurements in taxonomic problems",
// 1936).
//
// C is the pooled correlation matrix of the outputs, in units of their standard deviations, shrunk
// towards the identity by three amounts. Almost none finds directions without noise, which reused
// noise leaves behind. d/(d+n) guards against overfitting. Full shrinkage treats the outputs as
// independent.
func discriminants(worlds [2]Samples, m *moments) []score {
	var kept []int
	for i := range worlds[0].Width {
		if v := m.pooled(i); v > 0 && !math.IsInf(v, 0) { // coordinate covers constant outputs
			kept = append(kept, i)
		}
	}
	d := len(kept)
	n := min(worlds[0].Len(), max(covarianceRuns, 20*d))
	if d < 2 || n < 2 {
		return nil
	}
	diff, scale := make([]float64, d), make([]float64, d)
	for a, i := range kept {
		scale[a] = 1 / math.Sqrt(m.pooled(i))
		diff[a] = (m.mean[1][i] - m.mean[0][i]) * scale[a]
	}
	standard := mat.NewDense(2*n, d, nil)
	for w := range worlds {
		for i := range n {
			row, out := standard.RawRowView(w*n+i), worlds[w].Row(i)
			for a, j := range kept {
				row[a] = (out[j] - m.mean[w][j]) * scale[a]
			}
		}
	}
	correlation := mat.NewSymDense(d, nil)
	correlation.SymOuterK(1/float64(2*n), standard.T())
	var scores []score
	for _, shrinkage := range []float64{1e-9, float64(d) / float64(d+n), 1} {
		shrunk := mat.NewSymDense(d, nil)
		for a := range d {
			for b := a; b < d; b++ {
				v := float64((1 - shrinkage) * correlation.At(a, b))
				if a == b {
					v += shrinkage
				}
				shrunk.SetSym(a, b, v)
			}
		}
		var factor mat.Cholesky
		if !factor.Factorize(shrunk) {
			continue
		}
		w := mat.NewVecDense(d, nil)
		// A nearly singular C is the purpose of the first amount: the direction is right though its
		// length is not to all digits.
		if err := factor.SolveVecTo(w, mat.NewVecDense(d, diff)); err != nil {
			if _, ill := err.(mat.Condition); !ill {
				continue
			}
		}
		norm := mat.Norm(w, 2)
		if !(norm > 0) || math.IsInf(norm, 0) {
			continue
		}
		l := &linear{make([]float64, worlds[0].Width), shrinkage}
		for a, i := range kept {
			l.weights[i] = w.AtVec(a) / norm * scale[a]
		}
		scores = append(scores, l)
	}
	return scores
}
