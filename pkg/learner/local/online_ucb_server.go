package local

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/online"
)

// OnlineServer is the server's half of OnlineUCB (LDP, Algorithm 1, lines 13, 14 and 17 to 19). An
// online learner predicts theta_t before each message (x~, y~), and then gets the gradient at
// theta_t of the loss
//
//	l_t(theta) = (<x~, theta> - y~)^2 - |theta|_Sigma^2 + Delta^2 |theta|^2,
//	g_t = 2 x~ (<x~, theta_t> - y~) - 2 Sigma theta_t + 2 Delta^2 theta_t,
//
// with Sigma the covariance of the privacy noise on x~. That noise biases the square by
// +|theta|_Sigma^2, which the second term removes. (In print the square has the constant theta_t in
// the place of theta; the gradient is right.) The confidence set is made of the online learner's
// predictions (Lemma 3.3). It is the ellipsoid of
//
//	V~ = Ridge I + sum x~ x~^T,   u~ = sum <theta_t, x~> x~.
//
// Delta^2 is a ridge on the loss, for contexts whose Gram matrix may have no eigenvalue above a
// threshold. AsPublished, the device makes it by the additional noise zeta on x~, which costs
// variance; Sound adds the last term above, which has the same mean.
//
// No rate is claimed for the unfavourable case. The proof in the paper bounds |eta_t| by sigma
// sqrt(2 ln(2T/alpha)) for noise in d dimensions, where it is about sigma (sqrt(d) + sqrt(2
// ln(T/alpha))), and its ellipsoid lacks S^2 on the right-hand side. With fixed contexts, the Gram
// matrix of the arms that a good learner plays has rank one, which is never the favourable case.
//
// All is post-processing of messages. With epsilon = +Inf it is Online LinUCB (LDP, Algorithm 4;
// Abbasi-Yadkori, Pál, Szepesvári 2012). The broadcast is the ellipsoid, followed by the Delta that
// the devices need. A round costs O(d^2) and what the online learner costs.
type OnlineServer struct {
	Noise OnlineNoise // the devices'

	// Online is the online learner. nil means Maler, as in the paper. If the curvature of the losses is
	// known, Descent does as well and runs faster.
	Online Predictor
	Radius float64 // D of the predictions; 0 means ThetaNorm
	// Gradient is the norm that gradients are clipped to, > 0. 0 means, if AsPublished, G of Corollary
	// C.1 with C = 1. Else it means 2 X (X D + B + sigma) + 2 (sigma^2 + Delta^2) D, with X^2 = L^2 +
	// n sigma^2 and n the number of noisy coordinates of x~; this clips few gradients.
	Gradient float64

	DeltaSquared float64 // Delta^2, in [0, 1e6]
	// DeltaPower sets DeltaSquared to horizon^-DeltaPower, as the paper does where it counts on no
	// eigenvalue, see PublishedDelta; 0 means that it does not.
	DeltaPower float64
	LambdaMin  float64   // least eigenvalue of E[x x^T] that TheoryWidth may count on; 0: none
	Rule       WidthRule // of the confidence set
	Width      float64   // factor of beta, > 0; 0 means 1

	// Alpha is the failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon.
	Alpha float64
	// Sigma is R, the subgaussian parameter of the reward's own noise; 0 means half the length of the
	// reward range.
	Sigma     float64
	ThetaNorm float64 // bound S on |theta|; 0 means 1
	Ridge     float64 // of V~, > 0; 0 means 1, the paper's V_0 = I
	// Truth is theta*, which OracleWidth alone needs.
	Truth []float64
}

// onlineServer is an OnlineServer for a problem.
type onlineServer struct {
	tuning  OnlineServer
	scale   onlineScale
	theory  onlineTheory
	predict online.Calibrated
}

// OnlineReceiver is an [OnlineServer] in one trial.
type OnlineReceiver struct {
	tuning OnlineServer

	estimate ellipsoid.Estimate
	scale    onlineScale
	predict  online.Run
	theory   onlineTheory
	deltas   float64 // 2 Delta^2 of the gradient
	sum      []float64
	work     []float64
	row      []float64 // x~
	gradient []float64
	count    int
	squares  float64 // sum of <theta_t, x~>^2
	misses   float64 // sum of <theta_t - theta*, x~>^2
	floored  int
	flat     []float64 // the broadcast
}

var _ learner.Server = OnlineServer{}

// WidthRule says how OnlineServer computes the width beta of its confidence set.
type WidthRule int

const (
	// ScaledWidth is LinUCB's width in closed form: sqrt(Ridge) S + R sqrt(d ln((1 + t
	// L^2/Ridge)/alpha)). No theorem says that it holds for predictions. With noise of sigma = 0.5 the
	// sets need about four times that width (Width = 4), and Width < 1 may lock a learner onto a wrong
	// arm.
	ScaledWidth WidthRule = iota
	// TheoryWidth is sqrt(S^2 Ridge + M_t + K_t) of Lemma 3.3 with gamma = 1. M_t bounds Maler's
	// regret and K_t the predictions' distance from theta*, by Lemma 3.5, Theorem C.2 and Lemma H.6,
	// or by the trivial bound on the distance. At T = 20,000 and delta = 0.1, for rewards in [0, 1],
	// it is about 5,000 at epsilon = 1 and 500 at epsilon = 10 (2.3e6 and 4.5e3 by the paper's bounds
	// alone). The learner then explores uniformly for ever.
	TheoryWidth
	// OracleWidth is the least width that a proof by Lemma 3.3 could use: sqrt(S^2 Ridge + sum <x~,
	// theta_t - theta*>^2 - the least-squares residual). It knows theta*, so it is for study only.
	OracleWidth
)

// String returns the name of the rule.
func (w WidthRule) String() string {
	switch w {
	case ScaledWidth:
		return "ScaledWidth"
	case TheoryWidth:
		return "TheoryWidth"
	case OracleWidth:
		return "OracleWidth"
	}
	return fmt.Sprintf("WidthRule(%d)", int(w))
}

// Open validates, and computes the constants of the theory.
func (o OnlineServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := ellipsoid.Check("OnlineServer", p, horizon); err != nil {
		return nil, err
	}
	scale, err := o.Noise.scale(p)
	if err != nil {
		return nil, err
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	if o.DeltaPower > 0 {
		o.DeltaSquared = PublishedDelta(0, horizon, o.DeltaPower)
	}
	s := &onlineServer{tuning: o, scale: scale}
	s.theory = onlineTheory{
		dim: p.Dim, noisy: scale.noisy, rounds: float64(horizon), alpha: checks.Or(o.Alpha, 1/float64(horizon)), sigma: scale.sigma,
		own: checks.Or(o.Sigma, (p.RewardMax-p.RewardMin)/2), thetaNorm: checks.Or(o.ThetaNorm, 1), ridge: checks.Or(o.Ridge, 1), context: p.ContextNorm, reward: p.RewardBound(),
		delta2: o.DeltaSquared, mu: 2 * (o.LambdaMin + o.DeltaSquared), published: scale.zeta,
	}
	s.theory.radius = checks.Or(o.Radius, s.theory.thetaNorm)
	s.theory.gradient = checks.Or(o.Gradient, s.theory.gradientBound())
	predictor := o.Online
	if predictor == nil {
		predictor = maler{}
	}
	l := predictor.On(s.theory.radius, s.theory.gradient)
	if err := field.Check(fmt.Sprintf("learner: OnlineServer.Online.On(%v, %v)", s.theory.radius, s.theory.gradient), l); err != nil {
		return nil, err
	}
	if s.predict, err = l.Open(p.Dim, horizon); err != nil {
		return nil, err
	}
	return s, nil
}

// check reports a tuning field that is out of its range.
func (o OnlineServer) check(p bandit.Problem) error {
	if err := checks.Tunings("OnlineServer", o.Alpha,
		checks.Tuned("Sigma", o.Sigma, "half the reward range"), checks.Tuned("ThetaNorm", o.ThetaNorm, "1"),
		checks.Tuned("Ridge", o.Ridge, "1"), checks.Tuned("Width", o.Width, "1"),
		checks.Tuned("Radius", o.Radius, "ThetaNorm"), checks.Tuned("Gradient", o.Gradient, "a bound on most gradients")); err != nil {
		return err
	}
	switch {
	case !(o.DeltaSquared >= 0 && o.DeltaSquared <= maxDelta*maxDelta):
		return fmt.Errorf("learner: OnlineServer.DeltaSquared = %v, want in [0, %v]", o.DeltaSquared, maxDelta*maxDelta)
	case !(o.DeltaPower >= 0 && o.DeltaPower <= 1):
		return fmt.Errorf("learner: OnlineServer.DeltaPower = %v, want in (0, 1], or 0 for DeltaSquared", o.DeltaPower)
	case o.DeltaPower > 0 && o.DeltaSquared > 0:
		return fmt.Errorf("learner: OnlineServer.DeltaPower = %v and DeltaSquared = %v exclude each other", o.DeltaPower, o.DeltaSquared)
	case !(o.LambdaMin >= 0) || math.IsInf(o.LambdaMin, 1):
		return fmt.Errorf("learner: OnlineServer.LambdaMin = %v, want finite and >= 0", o.LambdaMin)
	case o.Rule < ScaledWidth || o.Rule > OracleWidth:
		return fmt.Errorf("learner: OnlineServer.Rule = %v, want ScaledWidth, TheoryWidth or OracleWidth", o.Rule)
	case o.Rule == OracleWidth && (len(o.Truth) != p.Dim || !packed.Finite(o.Truth)):
		return fmt.Errorf("learner: OnlineServer.Truth = %v, and OracleWidth needs theta*: want %d finite numbers", o.Truth, p.Dim)
	}
	return nil
}

// Start begins a run, of type *OnlineReceiver. It makes no random choices of its own, but its
// online learner may.
func (o *onlineServer) Start(own *rand.Rand) learner.Receiver {
	d := o.theory.dim
	r := &OnlineReceiver{tuning: o.tuning, scale: o.scale, theory: o.theory}
	r.predict = o.predict.Start(own, nil)
	if !o.scale.zeta {
		r.deltas = 2 * o.theory.delta2
	}
	r.sum, r.work = make([]float64, packed.Size(d)+d), make([]float64, packed.Size(d)+d)
	r.row, r.gradient = make([]float64, d), make([]float64, d)
	r.estimate.Init(d)
	r.flat = make([]float64, ellipsoid.Size(d)+1)
	r.estimate.View(r.flat[:ellipsoid.Size(d)], d)
	if o.scale.zeta {
		r.flat[len(r.flat)-1] = math.Sqrt(o.theory.delta2)
	}
	r.refactor()
	r.widen()
	return r
}

// Receive takes the gradient step and updates the ellipsoid by one row.
func (o *OnlineReceiver) Receive(m learner.Message) error {
	if err := m.Check(o.scale.noisy+1, o.scale.bound); err != nil {
		return err
	}
	d := o.estimate.Dim
	row, reward := o.row, m[o.scale.noisy]
	copy(row, m[:o.scale.noisy])
	if o.scale.noisy < d {
		row[d-1] = o.scale.constant
	}
	theta := o.predict.Predict()
	prediction := packed.Dot(row, theta)
	for i, v := range row {
		g := float64(2*v*(prediction-reward)) + float64(o.deltas*theta[i])
		if i < o.scale.noisy {
			g -= float64(2 * o.scale.sigma * o.scale.sigma * theta[i])
		}
		o.gradient[i] = g
	}
	if err := o.predict.Update(o.gradient); err != nil {
		return err
	}
	o.count++
	o.squares += float64(prediction * prediction)
	if o.tuning.Rule == OracleWidth {
		miss := prediction - packed.Dot(row, o.tuning.Truth)
		o.misses += float64(miss * miss)
	}
	p := 0
	for i, v := range row {
		line := o.sum[p : p+i+1]
		for j, w := range row[:len(line)] {
			line[j] += float64(v * w)
		}
		p += i + 1
	}
	for i, v := range row {
		o.sum[p+i] += float64(prediction * v)
	}
	if o.estimate.Steps == ellipsoid.RefactorEvery {
		o.refactor()
	} else {
		o.estimate.Step(row, prediction)
		o.estimate.Tighten()
	}
	o.widen()
	return nil
}

// refactor computes the ellipsoid from the sums. If the ridge is so small beside them that rounding
// removes it, eigenvalues are floored at the ridge.
func (o *OnlineReceiver) refactor() {
	copy(o.work, o.sum)
	for i, p := 0, 0; i < o.estimate.Dim; i, p = i+1, p+i+2 {
		o.work[p] += o.theory.ridge
	}
	floored, err := o.estimate.Solve(o.work, o.theory.ridge)
	if floored {
		o.floored++
	}
	if err != nil {
		o.estimate.Steps = 0 // go on with what there is, and try again
	}
	o.estimate.Tighten()
}

// widen sets beta by the rule.
func (o *OnlineReceiver) widen() {
	var beta float64
	switch o.tuning.Rule {
	case TheoryWidth:
		beta = o.theory.width(float64(o.count))
	case OracleWidth:
		u := o.sum[packed.Size(o.estimate.Dim):]
		// min over theta of Ridge |theta|^2 + sum <x~, theta_t - theta>^2
		rest := o.squares - packed.Dot(u, o.estimate.Theta)
		beta = math.Sqrt(max(0, float64(o.theory.ridge*packed.Dot(o.tuning.Truth, o.tuning.Truth))+o.misses-rest))
	default:
		beta = o.theory.scaled(float64(o.count))
	}
	o.estimate.Width[0] = checks.Or(o.tuning.Width, 1) * beta
}

// Broadcast returns the ellipsoid for the next round, followed by Delta, which is 0 unless the
// devices draw zeta.
func (o *OnlineReceiver) Broadcast() []float64 { return o.flat }

// Prediction returns theta_t, the online learner's prediction for the next message. It is valid
// until Receive.
func (o *OnlineReceiver) Prediction() []float64 { return o.predict.Predict() }

// Confidence returns the centre and the width of the confidence set for the next round.
func (o *OnlineReceiver) Confidence() (theta []float64, beta float64) {
	return append([]float64(nil), o.estimate.Theta...), o.estimate.Width[0]
}

// GradientBound returns the norm that gradients are clipped to.
func (o *OnlineReceiver) GradientBound() float64 { return o.theory.gradient }

// Warnings counts clipped gradients and repaired sums.
func (o *OnlineReceiver) Warnings() []bandit.Warning {
	var w []bandit.Warning
	if n := o.predict.Clipped(); n > 0 {
		w = append(w, bandit.Warning{What: "gradients longer than their bound, clipped", Count: n})
	}
	if o.floored > 0 {
		w = append(w, bandit.Warning{What: "sums of messages not positive definite, eigenvalues floored at the ridge", Count: o.floored})
	}
	return w
}

// onlineTheory holds the parameters of the widths and of the bound on gradients.
type onlineTheory struct {
	dim, noisy                         int
	rounds, alpha                      float64
	sigma, own                         float64 // of the privacy noise; R of the reward's
	thetaNorm, radius, context, reward float64 // S, D, L, B
	ridge, delta2, mu, gradient        float64
	published                          bool
}

// gradientBound returns the default of OnlineServer.Gradient.
func (t *onlineTheory) gradientBound() float64 {
	d, s, delta := t.radius, t.sigma, math.Sqrt(t.delta2)
	if t.published { // Corollary C.1 with C = 1
		log := 2 * portable.Log(2*t.rounds/t.alpha)
		return float64(2*math.Sqrt(log)*(float64(2*d*s)+float64(2*s)+float64(d*delta)+delta)) + float64(log*(float64(2*d*delta*delta)+float64(4*d*delta*s)+float64(2*delta*s)+float64(2*d*s*s)+float64(2*s*s)+float64(d*s*s))) + float64(2*d) + 2
	}
	x := math.Sqrt(float64(t.context*t.context) + float64(float64(t.noisy)*s*s))
	return float64(2*x*(float64(x*d)+t.reward+s)) + float64(2*(float64(s*s)+t.delta2)*d)
}

// scaled returns ScaledWidth's beta after n messages: sqrt(Ridge) S + R sqrt(d ln((1 + n
// L^2/Ridge)/alpha)).
func (t *onlineTheory) scaled(n float64) float64 {
	return float64(math.Sqrt(t.ridge)*t.thetaNorm) + float64(t.own*math.Sqrt(float64(t.dim)*portable.Log((1+n*t.context*t.context/t.ridge)/t.alpha)))
}

// width returns TheoryWidth's beta after n messages: sqrt(S^2 Ridge + M + K), with sigma where the
// paper prints sqrt(log(1/delta))/eps.
func (t *onlineTheory) width(n float64) float64 {
	if n < 1 {
		return math.Sqrt(t.ridge) * t.thetaNorm
	}
	g, d, delta := t.gradient, t.radius, math.Sqrt(t.delta2)
	// Lemma H.6 with the diameter 2D, for losses convex in expectation, and Azuma's bound for their
	// sum's distance from that.
	regret := float64((float64(2*portable.Log(3))+1.5)*2*g*d*math.Sqrt(n)) + float64(4*g*d*math.Sqrt(2*n*portable.Log(1/t.alpha)))
	distance := float64(n * 4 * d * d) // sum of |theta_t - theta*|^2
	if t.mu > 0 {
		log := float64(2*portable.Log(math.Sqrt(3)*(float64(portable.Log2(max(2, n))/2)+3))) + 1 + portable.Log(n)
		regret = min(regret, float64((float64(40*g*d)+18*g*g/t.mu)*log)+32*g*g*portable.Log(1/t.alpha)/t.mu)
		distance = min(distance, float64((80*g*d/t.mu+36*g*g/(t.mu*t.mu))*log)+64*g*g*portable.Log(1/t.alpha)/(t.mu*t.mu))
	}
	log := portable.Log(t.rounds / t.alpha)
	own := t.own + float64(d*t.sigma) + float64(d*delta)
	k := float64(d*t.delta2*log*math.Sqrt(n*distance)) + float64(own*own*log) + float64((float64(t.sigma*t.sigma)+t.delta2)*log*distance)
	return math.Sqrt(float64(t.ridge*t.thetaNorm*t.thetaNorm) + regret + k)
}
