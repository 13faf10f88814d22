package catalogue

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The constants of curved: the norm of theta is the one of the published logistic game (Sarmasarkar
// 2026), and the features are those of ExampleKernel in package learner.
const (
	logisticNorm      = 2.5
	kernelFeatures    = 8
	kernelLengthscale = 0.25
)

// curved lists learners for rewards that are not linear in the context: logistic ones, with a theta
// of norm 2.5 at most, and smooth ones on features of contexts of one dimension.
func curved() []Entry {
	sums := func(b privacy.Budget) privacy.Accumulator { return continual.BLT{Budget: b} }
	entry := func(name string, private bool, of Rewards, make func(s privacy.Accumulator) bandit.Learner) Entry {
		e := Entry{Name: name, Private: private, Linear: true, For: of, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			if !private {
				return make(nil)
			}
			return make(sums(b))
		}}
		if private {
			e.Model = privacy.Joint
		}
		if of == SmoothMeans {
			e.Refuses = func(p bandit.Problem) error {
				if p.Dim > 1 {
					return fmt.Errorf("Problem.Dim = %d, want 1: its %d features are for one dimension", p.Dim, kernelFeatures)
				}
				return nil
			}
		}
		return e
	}
	logistic := func(s privacy.Accumulator) bandit.Learner {
		return learner.New(linear.Logistic{ThetaNorm: logisticNorm}, s)
	}
	kernel := func(s privacy.Accumulator) bandit.Learner {
		return learner.Kernel{Learner: learner.New(linear.UCB{}, s), Features: kernelFeatures, Lengthscale: kernelLengthscale}
	}
	return []Entry{
		entry("logistic UCB", false, LogisticMeans, logistic),
		entry("JDP logistic UCB, BLT", true, LogisticMeans, logistic),
		entry("kernel UCB", false, SmoothMeans, kernel),
		entry("JDP kernel UCB, BLT", true, SmoothMeans, kernel),
	}
}
