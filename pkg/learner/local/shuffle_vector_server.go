package local

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorSumServer is the server's half of shuffle LinUCB by vector sums: LinUCB over the sum of
// what batches released, whose noise has a known law. All it does is post-processing. Each message
// that it receives is the sum over a batch of B users. Logarithms are natural.
//
// The shift is Ridge + 2 Upsilon_n after n of N batches. An entry's noise is sub-Gaussian of
// variance n B tau^2, where tau^2 is that of one message in the units of x x^T. A symmetric matrix
// of independent such entries has operator norm below Upsilon_n = tau sqrt(n B) sqrt(2 d ln(8 d
// N/alpha)) after all N batches of a run, except with probability alpha/4 (Tropp 2012, Thm. 4.1:
// the squares of the entries' matrices sum to at most d times the identity). The noise on y x has
// norm below its own tau sqrt(n B) (sqrt(d) + sqrt(2 ln(4 N/alpha))) (Hsu, Kakade, Zhang 2012). The
// width is that of Proposition 4 of Shariff and Sheffet 2018. Its regulariser is fixed anew each
// time that n doubles, with a union bound over these epochs.
//
// With epsilon = +Inf the shift is Ridge, and this is LinUCB that learns once a batch. The
// broadcast is the ellipsoid. A batch costs O(d^3).
type VectorSumServer struct {
	Noise  VectorSum                    // the devices'
	Policy learner.Policy[privacy.Sums] // learns from the sums; nil means LinUCB{}
	Ridge  float64                      // > 0; 0 means 1
}

// vectorSumServer is a VectorSumServer for a problem.
type vectorSumServer struct {
	sums
	scale vectorScale
}

// vectorSumReceiver is a VectorSumServer in one trial.
type vectorSumReceiver struct {
	sumReceiver
	scale *vectorScale
}

var _ learner.Server = VectorSumServer{}

// Open validates, and computes the law of the noise.
func (l VectorSumServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := ellipsoid.Check("VectorSumServer", p, horizon); err != nil {
		return nil, err
	}
	policy, data, alpha, err := askPolicy("VectorSumServer", p, horizon, l.Policy, l.Ridge)
	if err != nil {
		return nil, err
	}
	scale, err := l.Noise.scale(data)
	if err != nil {
		return nil, err
	}
	law := sumLaw{ridge: checks.Or(l.Ridge, 1)}
	d, batch, batches := float64(p.Dim), float64(l.Noise.Batch), max(1, horizon/l.Noise.Batch)
	if !scale.none {
		tau := math.Sqrt(scale.proxy() * batch) // of a batch, in levels
		union := portable.Log(float64(batches)) - portable.Log(alpha)
		law.matrix = tau / scale.unit[0] * math.Sqrt(2*d*(portable.Log(8*d)+union))
		law.vector = tau / scale.unit[packed.Size(p.Dim)] * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+union)))
		law.epochs = bits.Len(uint(batches))
	}
	shared, err := newSums(p, horizon, policy, law)
	if err != nil {
		return nil, err
	}
	return &vectorSumServer{shared, scale}, nil
}

// Start begins a run.
func (l *vectorSumServer) Start(own *rand.Rand) learner.Receiver {
	return &vectorSumReceiver{l.start(own), &l.scale}
}

// Receive takes in the sum over a batch. Its numbers are integers between 0 and the number of bits
// that the batch sends for a coordinate.
func (l *vectorSumReceiver) Receive(m learner.Message) error {
	s, batch := l.scale, float64(l.scale.Batch)
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
			l.sum[i] += float64(batch * s.Constant * s.Constant)
			continue
		}
		l.sum[i] += (v-mean)/s.unit[i] - float64(batch*s.shift[i])
	}
	l.count++
	l.stale = true
	return nil
}
