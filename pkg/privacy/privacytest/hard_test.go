package privacytest_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// hard is a regression of short episodes, of two steps each.
func hard() episodes.NoisyIHT {
	return episodes.NoisyIHT{Budget: approximate, Calibration: privacy.AsPublished, Sparsity: 2, L1: 0.5, Step: 0.2, Rate: 4,
		Sd: 0.2, Context: 4, Lengths: threeRows{}}
}

// mended is the printed private LASSO with all that its claim needs.
func mended() episodes.ThresholdedLasso {
	return episodes.ThresholdedLasso{Budget: approximate, Sparsity: 1, Reward: 1, Row: 1,
		Repairs: episodes.Repairs{Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true}}
}

func hardCase(make func() episodes.NoisyIHT) privacytest.Case[episodes.SparseTheta] {
	c := privacytest.Case[episodes.SparseTheta]{
		Of:    make(),
		Setup: privacy.Setup{Horizon: 17, Dim: 4, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
		Long:  300, Nonlinear: true,
		Format: sparseFormat[episodes.SparseTheta](math.Inf(1)),
	}
	c.Format.Clips = func(_ privacy.Setup, r *privacy.Record) int {
		far := math.Abs(r.Y[0]) > 0.5*4+0.2*math.Sqrt(2*math.Log(4))
		for _, v := range r.X {
			far = far || math.Abs(v) > 4
		}
		if far {
			return 1
		}
		return 0
	}
	return c
}

func TestHardStatistics(t *testing.T) {
	t.Run("Laplace", func(t *testing.T) { privacytest.Statistic(t, hardCase(hard)) })
	t.Run("Gumbel", func(t *testing.T) {
		privacytest.Statistic(t, hardCase(func() episodes.NoisyIHT {
			h := hard()
			h.Calibration, h.Gumbel, h.Rate = privacy.Sound, true, 2
			return h
		}))
	})
	t.Run("mended LASSO", func(t *testing.T) {
		privacytest.Statistic(t, privacytest.Case[episodes.SparseGram]{
			Of:    mended(),
			Setup: privacy.Setup{Horizon: 17, Dim: 4, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
			Long:  300, Nonlinear: true, Format: func() privacytest.Format[episodes.SparseGram] {
				f := sparseCase(forgetful).Format
				f.Clips = sparseFormat[episodes.SparseGram](1).Clips
				return f
			}(),
		})
	})
}

func TestHardPolicies(t *testing.T) {
	privacytest.Replay(t, privacytest.PolicyCase[episodes.SparseTheta]{
		Policy:    sparse.FLIPHAT{},
		Problem:   contextual,
		Statistic: hard(),
	})
	privacytest.Replay(t, privacytest.PolicyCase[episodes.SparseGram]{
		Policy:    sparse.PrivateThresholdedLasso{},
		Problem:   contextual,
		Statistic: mended(),
	})
}

func TestHardLearners(t *testing.T) {
	h := hard()
	h.Budget = wide
	privacytest.Learner(t, privacytest.LearnerCase{Name: "FLIPHAT", Problem: contextual, Learner: learner.New(sparse.FLIPHAT{}, h)})
	l := mended()
	l.Budget = wide
	privacytest.Learner(t, privacytest.LearnerCase{Name: "mended LASSO", Problem: contextual, Learner: learner.New(sparse.PrivateThresholdedLasso{}, l)})
}
