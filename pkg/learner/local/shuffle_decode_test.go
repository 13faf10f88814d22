package local

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestVectorSumDecoded: the server's sum of x x^T and y x is unbiased, with no more variance than
// its bound: 500 batches of 20, 27 entries, 5 standard errors (false alarm 2e-5; the seed is
// fixed). A public corner is exact.
func TestVectorSumDecoded(t *testing.T) {
	const batches, batch = 500, 20
	p := bandit.Problem{Arms: 2, Dim: 3, Slots: 1, ContextNorm: 1.3, RewardMin: -1, RewardMax: 2}
	for _, n := range []VectorSum{{}, {Constant: 0.6}} {
		n.Budget, n.Batch = privacy.Budget{Epsilon: 1, Delta: 0.1}, batch
		device, err := VectorSumDevice{Noise: n}.Open(p, 1000)
		if err != nil {
			t.Fatal(err)
		}
		server, err := VectorSumServer{Noise: n}.Open(p, 1000)
		if err != nil {
			t.Fatal(err)
		}
		noise := privacy.NewNoise(random.Source(1, 0, "noise"))
		d, s, bits := device.Start(), server.Start(nil).(*vectorSumReceiver), learner.BitSum{}.Start(batch, noise)
		x, y := []float64{0.9, -0.4, 0.6}, -0.8
		for range batches * batch {
			m, err := d.Report(nil, x, y, noise, nil)
			if err == nil {
				err = bits.Collect(m, s)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var want []float64
		for i, v := range x {
			for _, w := range x[:i+1] {
				want = append(want, v*w)
			}
		}
		for _, v := range x {
			want = append(want, y*v)
		}
		for i, w := range want {
			off := s.sum[i] - batches*batch*w
			sd := math.Sqrt(batches*batch*s.scale.proxy()) / s.scale.unit[i]
			if math.Abs(off) > 5*sd || i == s.scale.corner && math.Abs(off) > 1e-6 {
				t.Errorf("constant %v, entry %d: the sum is off by %v, its noise has standard deviation %v", n.Constant, i, off, sd)
			}
		}
	}
}
