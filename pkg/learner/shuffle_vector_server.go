package learner

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorSumServer is the server's half of shuffle LinUCB by vector sums: LinUCB over the sum of what batches released, whose noise it knows the law of. All it does is post-processing. A message
// to it is the sum over a batch of B users.
//
//   - Sound: shift = Ridge + 2 Upsilon, Upsilon_n after n batches. An entry's noise is sub-Gaussian of variance n B tau^2, tau^2 being that of a message in the units of x x^T, so that a
//     symmetric matrix of independent ones has operator norm below Upsilon_n = tau sqrt(n B) sqrt(2 d ln(8 d N/alpha)) after all N batches of a run but for alpha/4 (Tropp 2012, Thm. 4.1: the squares of the entries'
//     matrices sum to d times the identity at most), and that of y x has norm below its own tau sqrt(n B) (sqrt(d) + sqrt(2 ln(4 N/alpha))) (Hsu, Kakade, Zhang 2012). The width by Proposition 4 of Shariff
//     and Sheffet 2018, its regulariser fixed anew each time that n doubles, with a union over these epochs.
//   - Illustrative: shift 2 Gamma, Gamma = sqrt(T d) ln(d/delta)/(4 epsilon sqrt(B)), and beta = sqrt(Gamma) S + R sqrt(d ln((1 + T L^2/Gamma)/alpha)).
//
// With epsilon = +Inf the shift is Ridge, and this is LinUCB that learns once a batch. The broadcast is the ellipsoid. A batch costs O(d^3).
type VectorSumServer struct {
	Noise VectorSum // the devices'

	Alpha     float64 // failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon
	Sigma     float64 // R: the reward's own noise is Sigma-subgaussian; 0 means half the length of the reward range
	ThetaNorm float64 // bound S on |theta|; 0 means 1
	Ridge     float64 // > 0; 0 means 1
	Width     float64 // factor of beta, > 0, for tuned comparisons; 0 means 1. Below 1 no theorem holds

	sumServer
	scale vectorScale
}

var _ Server = (*VectorSumServer)(nil)

// Init validates and allocates.
func (l *VectorSumServer) Init(p bandit.Problem, horizon int) (err error) {
	if err := checkLinear("VectorSumServer", p, horizon); err != nil {
		return err
	}
	if l.scale, err = l.Noise.scale(p); err != nil {
		return err
	}
	t := tuning{l.Alpha, l.Sigma, l.ThetaNorm, l.Ridge, l.Width}
	if err := t.check("VectorSumServer"); err != nil {
		return err
	}
	l.sumServer.init(p, horizon, t, "sums over batches")
	d, batch, batches := float64(p.Dim), float64(l.Noise.Batch), max(1, horizon/l.Noise.Batch)
	switch {
	case l.scale.none:
	case l.Noise.Calibration == privacy.Illustrative:
		noise := portable.Log(d/l.Noise.Budget.Delta) / (l.Noise.Budget.Epsilon * math.Sqrt(batch))
		gamma := noise * math.Sqrt(float64(horizon)*d) / 4
		l.law = sumLaw{matrix: gamma, fixed: true}
	default:
		tau := math.Sqrt(l.scale.proxy() * batch) // of a batch, in levels
		union := portable.Log(float64(batches)) - portable.Log(l.alpha)
		l.law.matrix = tau / l.scale.unit[0] * math.Sqrt(2*d*(portable.Log(8*d)+union))
		l.law.vector = tau / l.scale.unit[packed.Size(p.Dim)] * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+union)))
		l.epochs(batches)
	}
	return nil
}

// Receive takes in the sum over a batch. Its numbers are integers between 0 and the number of bits that the batch sends for a coordinate.
func (l *VectorSumServer) Receive(m Message) error {
	s, batch := &l.scale, float64(l.Noise.Batch)
	if len(m) != s.size {
		return fmt.Errorf("learner: a batch's sum of %d numbers, want %d", len(m), s.size)
	}
	most := s.most * batch
	for i, v := range m {
		if !(v >= 0 && v <= most*(1+1e-12)) || !s.none && v != math.Trunc(v) {
			return fmt.Errorf("learner: number %d of a batch's sum is %v, want an integer in [0, %.0f]", i, v, most)
		}
	}
	mean := float64(vectorSumP * float64(s.bits) * batch)
	for i, v := range m {
		if i == s.corner { // public
			l.sum[i] += float64(batch * l.Noise.Constant * l.Noise.Constant)
			continue
		}
		l.sum[i] += (v-mean)/s.unit[i] - float64(batch*s.shift[i])
	}
	l.count++
	l.stale = true
	return nil
}
