package learner

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AmplifiedNoise is the noise of shuffle LinUCB by amplification (Chowdhury and Zhou, "Shuffle private linear contextual bandits", 2022): the messages of LDP LinUCB,
// under less noise, as a trusted shuffler mixes a batch of B of them before the server sees any.
//
//   - Sound: the least Gaussian noise for which the better of two guarantees is within the budget, the local one and the amplified one (privacy.AmplifiedDelta). Where amplification does not help,
//     as with B = 20 at any usual budget, this is the noise of LDP LinUCB, and the claim is the local one and says so.
//   - AsPublished: s = 6 sqrt(2 ln(2.5 B/delta))/(epsilon sqrt(B)), the constants of the proof. It assumes an epsilon so small that a batch of 20 has none; what it buys is claimed.
//   - Illustrative: s = sqrt(ln(2.5 B/delta))/(epsilon sqrt(B)), the matrix symmetrised by (Z + Z^T)/2, as in a public script: not private to any useful degree, as the claim says.
//
// Trust model: shuffle if amplification is what is claimed, else local. The plain shuffle model shows the server all messages, in random order. An aggregator that is trusted to show it
// their sum and nothing else would do much better: a batch's sum under N(0, B s^2) hides one user as a single release under sqrt(B) s does. But that is trust
// in an aggregator, not in a shuffler; VectorSum is how a shuffler can be made one.
type AmplifiedNoise struct {
	Budget      privacy.Budget // of a user, in the shuffle model; no default; delta > 0
	Calibration privacy.Calibration
	Batch       int     // B >= 1, messages shuffled together
	Constant    float64 // as in LDPNoise
}

// local returns the noise as that of LDP LinUCB with another budget: the printed formulas are those of the local model at epsilon sqrt(B) and delta/B.
func (a AmplifiedNoise) local() (LDPNoise, error) {
	n := LDPNoise{Budget: a.Budget, Calibration: a.Calibration, Constant: a.Constant}
	if err := a.Budget.Approximate(); err != nil {
		return n, err
	}
	if a.Batch < 1 {
		return n, fmt.Errorf("learner: AmplifiedNoise.Batch = %d, want >= 1", a.Batch)
	}
	if a.Budget.None() {
		return n, nil
	}
	b := float64(a.Batch)
	switch a.Calibration {
	case privacy.Sound:
		mu, err := privacy.AmplifiedMu(a.Budget, a.Batch)
		if err != nil {
			return n, err
		}
		n.Budget.Epsilon = max(a.Budget.Epsilon, privacy.GaussianEpsilon(a.Budget.Delta, mu))
	case privacy.AsPublished, privacy.Illustrative:
		n.Budget = privacy.Budget{Epsilon: a.Budget.Epsilon * math.Sqrt(b), Delta: a.Budget.Delta / b}
	default:
		return n, fmt.Errorf("learner: AmplifiedNoise.Calibration = %v, want Sound, AsPublished or Illustrative", a.Calibration)
	}
	return n, nil
}

// Amplification is what shuffling makes of Gaussian messages about unit changes, at a budget and a batch size.
type Amplification struct {
	SD      float64 // the noise's standard deviation over its sensitivity: 1/mu
	Epsilon float64 // what is claimed for it, at the budget's delta
	Local   float64 // what it is worth without a shuffler
	// Without is the standard deviation, over the sensitivity, that the budget takes without a shuffler. SD is never above it if Sound.
	Without float64
	Helps   bool // the claim is the shuffle model's, and not the local one
}

// Amplification returns what the noise is and buys on a problem, with amplification and without.
func (a AmplifiedNoise) Amplification(p bandit.Problem) (out Amplification, err error) {
	n, err := a.local()
	if err != nil {
		return out, err
	}
	s, err := n.scale(p)
	if err != nil {
		return out, err
	}
	mu, err := privacy.GaussianMu(a.Budget)
	if err != nil {
		return out, err
	}
	out = Amplification{SD: 1 / s.mu, Without: 1 / mu, Local: privacy.GaussianEpsilon(a.Budget.Delta, s.mu)}
	out.Epsilon, out.Helps = a.worth(s.mu)
	return out, nil
}

// worth returns the epsilon that is proved for messages of mu.
func (a AmplifiedNoise) worth(mu float64) (epsilon float64, amplified bool) {
	local := privacy.GaussianEpsilon(a.Budget.Delta, mu)
	epsilon = privacy.AmplifiedEpsilon(a.Budget.Delta, mu, a.Batch)
	if a.Calibration == privacy.Sound && epsilon > a.Budget.Epsilon && privacy.AmplifiedDelta(a.Budget.Epsilon, mu, a.Batch) <= a.Budget.Delta {
		epsilon = a.Budget.Epsilon // bisection's last digit
	}
	if !(epsilon < local*(1-1e-6)) {
		return local, false
	}
	return epsilon, true
}

// AmplifiedDevice is the devices' half of shuffle LinUCB by amplification: LDPDevice under AmplifiedNoise. Set Noise, and nothing in LDPDevice.
type AmplifiedDevice struct {
	Noise AmplifiedNoise

	LDPDevice
}

var (
	_ Device          = (*AmplifiedDevice)(nil)
	_ ShuffleClaimer  = (*AmplifiedDevice)(nil)
	_ ShufflerChecker = (*AmplifiedDevice)(nil)
)

// Init validates and calibrates.
func (a *AmplifiedDevice) Init(p bandit.Problem, horizon int) (err error) {
	if a.LDPDevice.Noise, err = a.Noise.local(); err != nil {
		return err
	}
	return a.LDPDevice.Init(p, horizon)
}

// Claim returns what a message's noise buys without a shuffler.
func (a *AmplifiedDevice) Claim() privacy.Claim {
	return localClaim(a.Noise.Budget, a.Noise.Calibration, a.scale.mu, a.scale.constant,
		"Chowdhury and Zhou 2022, messages of Zheng et al. 2020; accounted by mu-GDP (Dong, Roth, Su 2022) in the local model: nothing here rests on shuffling")
}

// ShuffleClaim returns what a message is worth in a shuffled batch: the local claim, if shuffling is not proved to add to that.
func (a *AmplifiedDevice) ShuffleClaim(batch int) (privacy.Claim, error) {
	c := a.Claim()
	if err := a.checkBatch(batch); err != nil {
		return c, err
	}
	epsilon, amplified := a.Noise.worth(a.scale.mu)
	if !amplified {
		c.Conditions = append(c.Conditions, fmt.Sprintf("none on the shuffler: for batches of %d of these messages no amplification is proved", batch))
		return c, nil
	}
	c.Model, c.Epsilon = privacy.Shuffled, epsilon
	c.Event = privacy.ApproximateEvent{Budget: privacy.Budget{Epsilon: epsilon, Delta: a.Noise.Budget.Delta}}
	c.Conditions = append(c.Conditions,
		"an honest shuffler, and nobody sees a message before it has shuffled the batch",
		fmt.Sprintf("all %d users of a batch follow the protocol; f of them who do not leave it as if batches were of %d - f", batch, batch))
	c.Source = "Chowdhury and Zhou 2022; amplification by shuffling of Feldman, McMillan, Talwar 2021, Thm. 3.2, for Gaussian messages that are nearly pure (privacy.AmplifiedDelta)"
	return c, nil
}

func (a *AmplifiedDevice) checkBatch(batch int) error {
	if batch != a.Noise.Batch {
		return fmt.Errorf("learner: batches of %d messages, want AmplifiedNoise.Batch = %d", batch, a.Noise.Batch)
	}
	return nil
}

// CheckShuffler wants batches of Noise.Batch, shuffled by Uniform.
func (a *AmplifiedDevice) CheckShuffler(s Shuffler, batch int) error {
	if err := a.checkBatch(batch); err != nil || batch == 1 {
		return err
	}
	if _, ok := s.(*Uniform); !ok {
		return fmt.Errorf("learner: AmplifiedDevice with a shuffler of type %T, want *Uniform", s)
	}
	return nil
}

// NewShuffleAmplified returns shuffle LinUCB by amplification. Its tuning is that of the server, an *AmplifiedServer.
func NewShuffleAmplified(n AmplifiedNoise) *Local {
	return &Local{Device: &AmplifiedDevice{Noise: n}, Server: &AmplifiedServer{Noise: n}, Batch: n.Batch}
}
