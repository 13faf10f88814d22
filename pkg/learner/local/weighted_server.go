package local

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/weighted"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// WeightedServer is the server's half of information-weighted regression with elimination: regret
// of order sqrt(T)/epsilon in the local model for contexts that are drawn independently, whatever
// the eigenvalues of E[x x^T] (Chen, Li, Rakhlin, Simchi-Levi, arXiv 2502.13115). The paper's text
// was not at hand: the widths and what follows are derived here from its abstract. The rate also
// needs that elimination changes the contexts little, which is not proved. Logarithms are natural.
//
// Epochs double. In one of n messages M = (x, y) u^T + noise, u = R x/|R x|, the mean of the
// messages is H = mean of x u^T, and b = mean of y u, each with noise N(0, sigma^2/n). The estimate
//
//	theta = (H^T + kappa R)^-1 b
//
// has, with e = b - H^T theta* - kappa R theta* and A = (H + kappa R^T)^-1, the error
// <x, theta - theta*> = <A x, e>: an identity. The mean of y u and that of u <x, theta*> are of the
// same messages, so e has only the reward's noise, that of the message, and the bias:
// |e| <= beta = lambda (1 + S/4), lambda = s (sqrt(d) + sqrt(2 ln(epochs/alpha)))/sqrt(n),
// s^2 = Sigma^2 + sigma^2 (1 + S^2), for kappa = lambda^2/16 and R of norm 4/lambda at most. This
// holds for any such R. A good one makes A small where contexts are: with C = E[x x^T/|R x|] it is
//
//	R^T R = (C + kappa I)^-1, for which E|A x| = E|R x| = tr((C + kappa I)^-1 C) <= d,
//
// as H = C R^T, A = R^-T (C + kappa I)^-1 and A^T A = (C + kappa I)^-1, if H has no noise. So the
// mean width is at most d beta, of order 1/sqrt(n), and no eigenvalue is in it. Least squares has
// x x^T in place of x u^T. There a direction in which |x| is l has the width
// lambda l/(l^2 + lambda), which is sqrt(lambda)/2 where l^2 = lambda: n^(-1/4).
//
// (C + kappa I)^-1 with kappa = 0 is the L1 Lewis ellipsoid of the contexts, a fixed point. An
// epoch does one step towards it, from the estimate H R^-T of its own C. A step halves the distance
// in the logarithm (Cohen and Peng 2015), and from one epoch to the next kappa halves, so R stays
// within a constant factor if elimination changes the contexts little. That is assumed.
//
// A device plays the arms that are left in turn. Of K arms the widest has at most K times the mean
// width, so a round of the next epoch costs about 4 K d beta at most.
//
// All is post-processing of messages. With epsilon = +Inf there is only the reward's noise. The
// broadcast is R, and for each epoch theta and beta A. It changes when an epoch ends; beyond the
// horizon it does not change.
type WeightedServer struct {
	Budget privacy.Budget // the devices'

	Width float64 // factor of beta, > 0; 0 means 1
	// Alpha is the failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon.
	Alpha float64
	// Sigma is the subgaussian parameter of the reward's own noise; 0 means half the length of the
	// reward range.
	Sigma     float64
	ThetaNorm float64 // bound S on |theta|; 0 means 1
}

// ridge is sqrt(kappa)/lambda. With 1 all widths were up to 2.5 times as large; much less leaves A
// to the noise of H.
const ridge = 0.25

// weightedServer is a WeightedServer for a problem.
type weightedServer struct {
	dim, horizon int
	noise        weightedNoise
	lambda       float64 // of an epoch of one message
	width        float64 // beta/lambda
}

// weightedReceiver is a WeightedServer in one trial.
type weightedReceiver struct {
	*weightedServer
	regression weighted.Regression
	sum        []float64 // of the messages of this epoch
	count      int       // these messages
	length     int       // of this epoch
	left       int       // rounds after this epoch
}

var _ learner.Server = WeightedServer{}

// Open validates, and computes the constants.
func (w WeightedServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := ellipsoid.Check("WeightedServer", p, horizon); err != nil {
		return nil, err
	}
	if err := checks.Tunings("WeightedServer", w.Alpha, checks.Tuned("Width", w.Width, "1"),
		checks.Tuned("Sigma", w.Sigma, "half the reward range"), checks.Tuned("ThetaNorm", w.ThetaNorm, "1")); err != nil {
		return nil, err
	}
	noise, err := weightedScale(p, w.Budget)
	if err != nil {
		return nil, err
	}
	s := &weightedServer{dim: p.Dim, horizon: horizon, noise: noise}
	size := checks.Or(w.ThetaNorm, 1)
	own := portable.Hypot(checks.Or(w.Sigma, (p.RewardMax-p.RewardMin)/2), noise.sigma*portable.Hypot(1, size))
	union := portable.Log(float64(bits.Len(uint(horizon))) / checks.Or(w.Alpha, 1/float64(horizon)))
	s.lambda = own * (math.Sqrt(float64(p.Dim)) + math.Sqrt(2*union))
	s.width = checks.Or(w.Width, 1) * (1 + float64(ridge*size))
	return s, nil
}

// first returns the length of the first epoch: the shortest with lambda <= 1 that has more messages
// than there are dimensions.
func (w *weightedServer) first() int {
	return int(min(max(math.Ceil(w.lambda*w.lambda), float64(2*w.dim)), float64(w.horizon)))
}

// Start begins a run. It makes no random choices.
func (w *weightedServer) Start(*rand.Rand) learner.Receiver {
	d := w.dim
	r := &weightedReceiver{weightedServer: w, length: w.first()}
	r.left = w.horizon - r.length
	epochs := 1
	for n, left := r.length, r.left; left > 0; n, left = 2*n, left-2*n {
		epochs++
	}
	r.sum, r.regression = make([]float64, (d+1)*d), weighted.NewRegression(d, epochs, 1)
	return r
}

// Broadcast returns R, and theta and beta A of each epoch that has ended.
func (w *weightedReceiver) Broadcast() []float64 { return w.regression.Broadcast }

// Receive adds a message to the epoch's sum.
func (w *weightedReceiver) Receive(m learner.Message) error {
	if err := m.Check(len(w.sum), w.noise.bound); err != nil {
		return err
	}
	if w.length == 0 {
		return nil
	}
	for i, v := range m {
		w.sum[i] += v
	}
	if w.count++; w.count == w.length {
		w.end()
	}
	return nil
}

// end ends an epoch: it appends what it has shown to the broadcast, and takes the step of R.
func (w *weightedReceiver) end() {
	n := float64(w.count)
	for i := range w.sum {
		w.sum[i] /= n
	}
	root := ridge * w.lambda // of kappa, for one message
	w.regression.Estimate(w.sum, w.width*(w.lambda/math.Sqrt(n)), root*root/n)
	next := min(2*w.length, w.left)
	if w.count, w.length, w.left = 0, next, w.left-next; next > 0 {
		w.regression.Step(w.sum, root*root/float64(next))
	}
	clear(w.sum)
}
