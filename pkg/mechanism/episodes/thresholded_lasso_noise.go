package episodes

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/degrees"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Repairs chooses which defects of the printed algorithm are mended. The zero value mends none.
type Repairs struct {
	// Sensitivity: the noise is for coefficients that one record moves by 1. No smaller bound than 2
	// C_theta holds: with collinear columns, one replaced row of a thousand moves 0.97 from one
	// coefficient to another. Mended, coefficients are clipped to [-C_theta, C_theta] and xi grows by
	// 2 C_theta.
	Sensitivity bool
	// Threshold: each query has a fresh noisy threshold. So answers below, which sparse vector does
	// not pay for, leak: by 0.03 each in a stream that claims 0.2. Mended, a threshold lasts until a
	// query is above it.
	Threshold bool
	// Screen: S_0 is not private, and decides which queries are asked. Mended, all d are.
	Screen bool
	// Bound: rows are not clipped to the bound L~ that the noise is for. Mended, they are.
	Bound bool
	// Freedom: k has delta_n where its logarithm belongs, and grows with d for matrices on S. Mended,
	// k = p + 28 ln(4/delta_n)/eps_n^2 (Sheffet 2015), and a budget for which eps_n >= 1 is refused.
	Freedom bool
	// Split: the parts' budgets add up to more than the whole. Mended, each part has half of it.
	Split bool
	// TwoSided: a negative coefficient is never above. Mended, |w_j| is asked for.
	TwoSided bool
	// Gamma: ln((1-delta)/eps) is negative at eps >= 1, and with it the threshold, which all pass.
	// Mended, it is ln((1-delta)/delta).
	Gamma bool
}

// wanting returns what is missing of the repairs that the privacy needs.
func (r Repairs) wanting() (why []string) {
	for _, defect := range []struct {
		mended bool
		why    string
	}{
		{r.Sensitivity, "one record moves a LASSO coefficient by more than the 1 that the noise is for"},
		{r.Threshold, "a fresh threshold for each query leaks with each answer below"},
		{r.Screen, "S_0 is not private, and decides which queries are asked"},
		{r.Bound, "rows are not clipped to the bound that the Wishart noise is for"},
	} {
		if !defect.mended {
			why = append(why, defect.why)
		}
	}
	return why
}

// calibrate computes the levels of the noise from the formulas that are printed, or mended.
func (t *thresholdedLasso) calibrate(as *ThresholdedLasso, horizon int) error {
	s0 := float64(as.Sparsity)
	spread := 1 + 4*as.Reward*as.Context*math.Sqrt(s0)/(as.Compatibility*as.Compatibility)
	t.most = int(min(float64(t.dim), math.Ceil(s0+math.Sqrt(spread))))
	t.threshold = -as.Norm
	logs := math.Sqrt(portable.Log(float64(max(t.dim, 2))) * portable.Log(float64(max(horizon, 3))))
	if as.Budget.None() {
		t.threshold = float64(t.threshold/logs) - 1
		return nil
	}
	b, r := as.Budget, as.Repairs
	if r.Split {
		b = privacy.Budget{Epsilon: b.Epsilon / 2, Delta: b.Delta / 2}
	}
	episodes := math.Max(1, math.Ceil(portable.Log2(float64(horizon))))
	delta1 := b.Delta / (2 * episodes)
	log1 := -portable.Log(delta1)
	xi := math.Sqrt(32*log1) * math.Sqrt(8*spread*log1) / (b.Epsilon / (2 * episodes * log1))
	if r.Split {
		var err error
		if xi, err = b.Calibrate(account.PLD{}, func(scale float64) account.Event {
			return account.SparseVectorEvent{Epsilon: 2 / scale, Accepted: t.most * t.episodes}
		}); err != nil {
			return err
		}
	}
	if r.Sensitivity {
		xi *= 2 * as.Norm
	}
	ratio := (1 - as.Budget.Delta) / as.Budget.Epsilon
	if r.Gamma {
		ratio = (1 - as.Budget.Delta) / as.Budget.Delta
	}
	t.threshold = float64((float64(xi*portable.Log(ratio))-as.Norm)/logs) - 1
	node := b.AdvancedNode(int(episodes))
	if r.Split {
		node = b.AdvancedNode(t.releases())
	}
	d := float64(t.dim)
	beyond := d * portable.Log(8*d/node.Delta) * (2 / node.Delta) / (node.Epsilon * node.Epsilon)
	if r.Freedom {
		if !(node.Epsilon < 1) {
			return fmt.Errorf("mechanism: ThresholdedLasso: Wishart noise for %v needs epsilon = %.4g a node, want < 1: the theorem proves nothing beyond it", as.Budget, node.Epsilon)
		}
		beyond = degrees.Wishart(node) + float64(t.most+1)
	}
	if !(beyond <= 1e15 && xi > 1e-150 && xi < 1e150) {
		return fmt.Errorf("mechanism: ThresholdedLasso: %.3g degrees of freedom and noise of scale %.3g for %v, want <= 1e15 and in [1e-150, 1e150]", beyond, xi, as.Budget)
	}
	t.xi, t.samplers = xi, make([]*random.Wishart, t.most+2)
	for order := 2; order < len(t.samplers); order++ {
		w, err := random.NewWishart(order, max(t.dim+1, int(math.Ceil(beyond))), float64(as.Row*as.Row)+float64(as.Reward*as.Reward))
		if err != nil {
			return err
		}
		t.samplers[order] = w
	}
	return nil
}

// releases returns how many nodes show a record: one a level as they fill up, and one of those that
// are released again at the beginning of each episode.
func (t *thresholdedLasso) releases() int { return t.levels + t.episodes }
