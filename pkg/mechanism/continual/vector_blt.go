package continual

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorBLT releases running sums of vectors under the correlated Gaussian noise of [BLT]: nearly
// the least noise known, at the cost of a few additions a round.
//
// Setup.Bound bounds the Euclidean norm of a vector. The trust model is central; neighbouring
// streams differ in one vector, replaced. The noise is for research.
type VectorBLT struct {
	Budget privacy.Budget // no default; delta > 0
	// Buffers is d, in [1, 16]; 0 means 1 + ceil(ln(horizon)/3.5), which loses at most 0.7%.
	Buffers int
}

var _ privacy.Statistic[Total] = VectorBLT{}

// Open validates, optimises the parameters and calibrates.
func (b VectorBLT) Open(s privacy.Setup) (privacy.Mechanism[Total], error) {
	switch {
	case b.Buffers < 0 || b.Buffers > bltBuffers:
		return nil, fmt.Errorf("mechanism: VectorBLT.Buffers = %d, want in [1, %d], or 0 for 1 + ceil(ln(horizon)/3.5)", b.Buffers, bltBuffers)
	case s.Horizon > bltHorizon:
		return nil, fmt.Errorf("mechanism: VectorBLT over a horizon of %d rounds, want <= %v", s.Horizon, float64(bltHorizon))
	}
	buffers := b.Buffers
	if buffers == 0 {
		buffers = defaultBuffers(max(1, s.Horizon))
	}
	f, err := newVectorFactorised(s, b.Budget, float64(buffers)+2, "buffered linear Toeplitz factorisation: Dvijotham et al. 2024; McMahan, Xu, Zhang 2024",
		func(releases int) (correlation, error) { return newBLTKernel(buffers, releases) })
	if err != nil {
		return nil, err
	}
	return f, nil
}
