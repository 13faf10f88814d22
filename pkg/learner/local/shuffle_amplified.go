package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// AmplifiedNoise is the noise of shuffle LinUCB by amplification (Chowdhury and Zhou, "Shuffle
// private linear contextual bandits", 2022). The messages are those of LDP LinUCB with less noise,
// because a trusted shuffler mixes a batch of B of them before the server sees any. Logarithms are
// natural.
//
//   - Sound: the least Gaussian noise for which the local guarantee or the amplified one
//     ([privacy.Budget.AmplifiedMu]), whichever is better, is within the budget. If amplification
//     does not help, as with B = 20 at any usual budget, this is the noise of LDP LinUCB; the claim
//     is then the local one and says so.
//   - AsPublished: s = 6 sqrt(2 ln(2.5 B/delta))/(epsilon sqrt(B)), the constants of the proof. The
//     proof assumes an epsilon so small that a batch of 20 has none. The claim is what this noise
//     gives.
//
// MatrixSD and VectorSD give the noise of Sound other standard deviations, as in LDPNoise.
//
// Trust model: shuffle if amplification is claimed, else local. In the plain shuffle model the
// server sees all messages in random order. A trusted aggregator that shows the server nothing but
// their sum would do much better: a batch's sum under N(0, B s^2) hides one user as a single
// release under sqrt(B) s does. But that is trust in an aggregator, not in a shuffler; VectorSum
// makes a shuffler into one.
type AmplifiedNoise struct {
	Budget      privacy.Budget // of a user, in the shuffle model; no default; delta > 0
	Calibration privacy.Calibration
	Batch       int // B >= 1, messages shuffled together
	// as in LDPNoise
	MatrixSD, VectorSD, Constant float64
}

// local returns the same noise as that of LDP LinUCB with another budget. The printed formulas are
// those of the local model at epsilon sqrt(B) and delta/B.
func (a AmplifiedNoise) local() (LDPNoise, error) {
	n := LDPNoise{Budget: a.Budget, Calibration: a.Calibration, MatrixSD: a.MatrixSD, VectorSD: a.VectorSD, Constant: a.Constant}
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
		mu, err := a.Budget.AmplifiedMu(a.Batch)
		if err != nil {
			return n, err
		}
		n.Budget.Epsilon = max(a.Budget.Epsilon, account.GaussianEpsilon(a.Budget.Delta, mu))
	case privacy.AsPublished:
		n.Budget = privacy.Budget{Epsilon: a.Budget.Epsilon * math.Sqrt(b), Delta: a.Budget.Delta / b}
	default:
		return n, fmt.Errorf("learner: AmplifiedNoise.Calibration = %v, want Sound or AsPublished", a.Calibration)
	}
	return n, nil
}

// Amplification compares Gaussian messages with and without a shuffler, at a budget and a batch
// size.
type Amplification struct {
	SD      float64 // the noise's standard deviation over its sensitivity: 1/mu
	Epsilon float64 // what is claimed for it, at the budget's delta
	Local   float64 // what it is worth without a shuffler
	// Without is the standard deviation over the sensitivity that the budget requires without a
	// shuffler. If Sound, SD is at most that.
	Without float64
	Helps   bool // the claim is the shuffle model's, and not the local one
}

// Amplification returns how much noise a problem gets and what it gives, with a shuffler and
// without.
func (a AmplifiedNoise) Amplification(p bandit.Problem) (out Amplification, err error) {
	n, err := a.local()
	if err != nil {
		return out, err
	}
	s, err := n.scale(p)
	if err != nil {
		return out, err
	}
	mu, err := a.Budget.GaussianMu()
	if err != nil {
		return out, err
	}
	out = Amplification{SD: 1 / s.mu, Without: 1 / mu, Local: account.GaussianEpsilon(a.Budget.Delta, s.mu)}
	plan := a.plan(s, a.Batch)
	out.Epsilon = plan.HeldBy(a).Claim().Epsilon()
	out.Helps = plan.Model == privacy.Shuffled
	return out, nil
}

// plan returns what a message in a batch shows of its user, as much as by itself unless shuffling
// is proved to amplify.
func (a AmplifiedNoise) plan(s ldpScale, batch int) privacy.Plan {
	p := s.plan(a.Budget, "Chowdhury and Zhou 2022, messages of Zheng et al. 2020; mu-GDP (Dong, Roth, Su 2022)", batch)
	if _, amplified := p.HeldBy(a).Event().(account.ApproximateEvent); amplified {
		p.Source = "Chowdhury and Zhou 2022; amplification by shuffling of Feldman, McMillan, Talwar 2021, Thm. 3.2, for Gaussian messages that are nearly pure (privacy.Budget.AmplifiedMu)"
		return shuffled(p, "an honest shuffler, and nobody sees a message before it has shuffled the batch",
			fmt.Sprintf("all %d users of a batch follow the protocol; f of them who do not leave it as if batches were of %d - f", batch, batch))
	}
	if batch > 1 {
		p.Conditions = append(p.Conditions, fmt.Sprintf("none on the shuffler: for batches of %d of these messages no amplification is proved", batch))
	}
	return p
}

// AmplifiedDevice is the devices' half of shuffle LinUCB by amplification: LDPDevice with
// AmplifiedNoise.
type AmplifiedDevice struct {
	Noise AmplifiedNoise
	// Policy chooses the arm from the server's broadcast. It has to be the server's policy; nil means
	// LinUCB{}.
	Policy learner.Policy[privacy.Sums]
}

// amplifiedDevice is an AmplifiedDevice for a problem.
type amplifiedDevice struct {
	ldpDevice
	noise AmplifiedNoise
}

var (
	_ learner.Device         = AmplifiedDevice{}
	_ learner.ShufflePlanner = (*amplifiedDevice)(nil)
)

// Open validates and calibrates the noise.
func (a AmplifiedDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	noise, err := a.Noise.local()
	if err != nil {
		return nil, err
	}
	d, err := LDPDevice{Noise: noise, Policy: a.Policy}.open(p, horizon)
	if err != nil {
		return nil, err
	}
	d.plan = a.Noise.plan(d.scale, 1)
	return &amplifiedDevice{d, a.Noise}, nil
}

// Plan returns what a message shows of its user without a shuffler.
func (a *amplifiedDevice) Plan(int) privacy.Plan { return a.plan.HeldBy(a).Trusts(a.encodes) }

// ShuffledPlan returns what a message shows in a batch of Noise.Batch messages, shuffled by
// Uniform. That is as much as by itself unless shuffling is proved to amplify.
func (a *amplifiedDevice) ShuffledPlan(s learner.Shuffler, batch int) (privacy.Plan, error) {
	if err := checkShuffler[learner.Uniform]("AmplifiedNoise", a.noise.Batch, s, batch); err != nil {
		return privacy.Plan{}, err
	}
	return a.noise.plan(a.scale, batch).HeldBy(a).Trusts(a.encodes), nil
}

// Learner returns shuffle LinUCB by amplification. To tune it, replace its Server, an
// AmplifiedServer.
func (n AmplifiedNoise) Learner() learner.Local {
	return learner.Local{Device: AmplifiedDevice{Noise: n}, Server: AmplifiedServer{Noise: n}, Batch: n.Batch}
}
