package learner

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
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

	estimate
	scale      vectorScale
	confidence confidence
	horizon    int
	contexts   float64 // L
	alpha      float64
	logBatches float64 // ln N
	sum        []float64
	work       []float64
	batches    int
	stale      bool
	floored    int
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
	if err := (tuning{l.Alpha, l.Sigma, l.ThetaNorm, l.Ridge, l.Width}).check("VectorSumServer"); err != nil {
		return err
	}
	d, batches := p.Dim, max(1, horizon/l.Noise.Batch)
	l.horizon, l.contexts, l.alpha = horizon, p.ContextNorm, or(l.Alpha, 1/float64(horizon))
	l.logBatches = math.Log(float64(batches))
	l.confidence = confidence{d, or(l.Sigma, (p.RewardMax-p.RewardMin)/2), or(l.ThetaNorm, 1), 2 * math.Log(2/l.alpha)}
	if l.Noise.Calibration == privacy.Sound && !l.scale.none {
		l.confidence.twoLog += 2 * math.Log(float64(bits.Len(uint(batches)))) // epochs
	}
	l.sum, l.work = make([]float64, l.scale.size), make([]float64, l.scale.size)
	l.estimate.init(d)
	return nil
}

// Reset forgets the messages. VectorSumServer makes no random choices.
func (l *VectorSumServer) Reset(*rand.Rand) {
	clear(l.sum)
	l.batches, l.floored, l.stale = 0, 0, true
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
	mean := vectorSumP * float64(s.bits) * batch
	for i, v := range m {
		if i == s.corner { // public
			l.sum[i] += batch * l.Noise.Constant * l.Noise.Constant
			continue
		}
		l.sum[i] += (v-mean)/s.unit[i] - batch*s.shift[i]
	}
	l.batches++
	l.stale = true
	return nil
}

// Broadcast returns the ellipsoid for the next round.
func (l *VectorSumServer) Broadcast() []float64 {
	if l.stale {
		l.refresh()
	}
	return l.numbers
}

func (l *VectorSumServer) refresh() {
	shift, fixed, bounds := l.regulariser()
	copy(l.work, l.sum)
	for i, p := 0, 0; i < l.dim; i, p = i+1, p+i+2 {
		l.work[p] += shift
	}
	floored, err := l.solve(l.work, bounds.RhoMin)
	if floored {
		l.floored++
	}
	l.stale = false
	if err != nil {
		return // the ellipsoid of the round before
	}
	l.bound()
	if l.Noise.Calibration == privacy.Illustrative && !l.scale.none {
		gamma := bounds.RhoMin
		l.width[0] = math.Sqrt(gamma)*l.confidence.thetaNorm +
			l.confidence.sigma*math.Sqrt(float64(l.dim)*math.Log((1+float64(l.horizon)*l.contexts*l.contexts/gamma)/l.alpha))
	} else {
		l.width[0] = l.confidence.beta(l.logDet, float64(l.dim)*math.Log(fixed), &bounds)
	}
	l.width[0] *= or(l.Width, 1)
}

// regulariser returns the multiple of the identity that is added to the sum, the bounds that hold for it with the noise, and a
// lower bound of rho_min that is the same for all numbers of batches with as many bits.
func (l *VectorSumServer) regulariser() (shift, fixed float64, b privacy.Bounds) {
	d, ridge := float64(l.dim), or(l.Ridge, 1)
	switch {
	case l.scale.none:
		return ridge, ridge, privacy.Bounds{RhoMin: ridge, RhoMax: ridge}
	case l.Noise.Calibration == privacy.Illustrative:
		noise := math.Log(d/l.Noise.Budget.Delta) / (l.Noise.Budget.Epsilon * math.Sqrt(float64(l.Noise.Batch)))
		gamma := noise * math.Sqrt(float64(l.horizon)*d) / 4
		return 2 * gamma, gamma, privacy.Bounds{RhoMin: gamma, RhoMax: 3 * gamma}
	}
	n := max(l.batches, 1)
	tau := math.Sqrt(l.scale.proxy() * float64(l.Noise.Batch)) // of a batch, in levels
	union := l.logBatches - math.Log(l.alpha)
	upsilon := tau / l.scale.unit[0] * math.Sqrt(2*d*(math.Log(8*d)+union))
	perturbation := tau / l.scale.unit[packed.Size(l.dim)] * (math.Sqrt(d) + math.Sqrt(2*(math.Log(4)+union)))
	root := math.Sqrt(float64(n))
	b = privacy.Bounds{RhoMin: ridge + upsilon*root, RhoMax: ridge + 3*upsilon*root}
	b.Gamma = perturbation * root / math.Sqrt(b.RhoMin)
	epoch := uint(1) << (bits.Len(uint(n)) - 1)
	return ridge + 2*upsilon*root, ridge + upsilon*math.Sqrt(float64(epoch)), b
}

// Confidence returns the centre and the width of the confidence set for the next round.
func (l *VectorSumServer) Confidence() (theta []float64, beta float64) {
	l.Broadcast()
	return append([]float64(nil), l.theta...), l.width[0]
}

// Warnings counts repaired sums.
func (l *VectorSumServer) Warnings() []bandit.Warning {
	if l.floored == 0 {
		return nil
	}
	return []bandit.Warning{{What: "sums over batches not positive definite, eigenvalues floored at rho_min", Count: l.floored}}
}
