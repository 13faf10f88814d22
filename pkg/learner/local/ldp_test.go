package local_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// script is the problem of the public script for Chowdhury and Zhou 2022.
var script = bandit.Problem{Arms: 100, Dim: 5, Slots: 1, ContextNorm: math.Sqrt2, RewardMin: 0, RewardMax: 1}

// TestGivenEpsilon: what the constants of the public script buy on its own contexts, where it says
// 1 and 10.
func TestGivenEpsilon(t *testing.T) {
	for eps, want := range map[float64]float64{1: 3.6, 10: 210} {
		s := math.Sqrt(math.Log(25)) / eps
		ready, _ := learnertest.Device(t, local.LDPDevice{Noise: local.LDPNoise{Budget: privacy.Budget{Epsilon: eps, Delta: 0.1}, MatrixSD: s / math.Sqrt2, VectorSD: s, Constant: 1}}, script, 20000)
		if c := privacy.ClaimOf(ready); math.Abs(c.Epsilon()-want) > 0.005*want || c.Asked().Epsilon != eps || c.Calibration() != privacy.Given {
			t.Errorf("asked for %v: claims %v (%v), want %v", eps, c.Epsilon(), c.Calibration(), want)
		}
	}
}

// TestLDPSensitivity searches pairs of users, contexts of all directions and rewards at their ends,
// for the greatest change of a message in standard deviations: it never exceeds the claim's mu, and
// comes within 1% of it (2% under flat noise with a constant, where mu is an upper bound: within
// 25%).
func TestLDPSensitivity(t *testing.T) {
	const steps = 72
	for _, n := range learnertest.LDPNoises(privacy.Budget{Epsilon: 2, Delta: 1e-4}) {
		for _, k := range []float64{0, 1, 0.3} {
			for _, rewards := range [][2]float64{{0, 1}, {-1, 1}, {-3, 2}, {1, 1.5}} {
				p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: math.Sqrt2, RewardMin: rewards[0], RewardMax: rewards[1]}
				if k != 0 {
					p.Dim = 3
				}
				n.Constant = k
				ready, _ := learnertest.Device(t, local.LDPDevice{Noise: n}, p, 100)
				draws := privacy.PlanOf(ready, privacy.All).Draws
				worst := 0.0
				r := math.Sqrt(2 - k*k)
				for i := range steps {
					for j := range steps {
						x, w := make([]float64, p.Dim), make([]float64, p.Dim)
						for l, angle := range []float64{2 * math.Pi * float64(i) / steps, 2 * math.Pi * float64(j) / steps} {
							v := [][]float64{x, w}[l]
							if v[0], v[1] = r*math.Cos(angle), r*math.Sin(angle); k != 0 {
								v[2] = k
							}
						}
						for _, y := range rewards {
							for _, z := range rewards {
								worst = max(worst, moved(draws, x, y, w, z))
							}
						}
					}
				}
				mu := privacy.ClaimOf(ready).Event().(account.GaussianEvent).Mu
				least := 0.99
				if n.Calibration == privacy.AsPublished && k != 0 {
					least = 0.75
				}
				if worst > mu*(1+1e-9) || worst < least*mu {
					t.Errorf("%v, constant %v, rewards %v: a message moves by %v standard deviations, the claim has mu = %v", privacy.ClaimOf(ready).Calibration(), k, rewards, worst, mu)
				}
			}
		}
	}
}

// moved returns how far the mean of a message moves, in standard deviations of the noise in the
// ledger's terms.
func moved(draws []privacy.Draws, x []float64, y float64, w []float64, z float64) float64 {
	var square float64
	for i := range x {
		for j := range i + 1 {
			sd := draws[0].Scale
			if i == j && draws[0].Kind == "symmetric Gaussian" {
				sd *= math.Sqrt2
			}
			square += math.Pow((x[i]*x[j]-w[i]*w[j])/sd, 2)
		}
		square += math.Pow((y*x[i]-z*w[i])/draws[len(draws)-1].Scale, 2)
	}
	return math.Sqrt(square)
}

// TestMessageNoise: the messages' means and variances are those of the claim's law, entry by entry:
// 20,000 messages, 5 standard deviations, under 200 entries (false alarm 1e-4; the seed is fixed).
// A public corner has no noise.
func TestMessageNoise(t *testing.T) {
	const messages = 20000
	k := 1 / math.Sqrt2
	x, y := []float64{0.5, -0.5, k}, 1.0
	p := bandit.Problem{Arms: 2, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
	for _, n := range learnertest.LDPNoises(learnertest.Strict) {
		for _, constant := range []float64{0, k} {
			n.Constant = constant
			ready, d := learnertest.Device(t, local.LDPDevice{Noise: n}, p, 100)
			draws := privacy.PlanOf(ready, privacy.All).Draws
			var mean, sd []float64
			for i := range 3 {
				for j := range i + 1 {
					s := draws[0].Scale
					if i == j && draws[0].Kind == "symmetric Gaussian" {
						s *= math.Sqrt2
					}
					if i == 2 && j == 2 && n.Calibration == privacy.Sound && constant != 0 {
						s = 0
					}
					mean, sd = append(mean, x[i]*x[j]), append(sd, s)
				}
			}
			for i := range 3 {
				mean, sd = append(mean, y*x[i]), append(sd, draws[len(draws)-1].Scale)
			}
			checkMoments(t, fmt.Sprintf("ldp %v constant %v", privacy.ClaimOf(ready).Calibration(), constant), d, -1, x, y, mean, sd, messages)
		}
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		for _, constant := range []float64{0, k} {
			ready, d := learnertest.Device(t, local.OnlineDevice{Noise: local.OnlineNoise{Budget: learnertest.Strict, Calibration: c, Constant: constant}}, p, 100)
			sigma := privacy.PlanOf(ready, privacy.All).Draws[0].Scale
			mean, sd := append(slices.Clone(x), y), []float64{sigma, sigma, sigma, sigma}
			if c == privacy.AsPublished {
				for i := range 3 {
					sd[i] = math.Hypot(sigma, 2*sigma) // zeta with the broadcast's Delta
				}
			} else if constant != 0 {
				mean, sd = slices.Delete(mean, 2, 3), sd[:3]
			}
			checkMoments(t, fmt.Sprintf("online %v constant %v", c, constant), d, 2*sigma, x, y, mean, sd, messages)
		}
	}
}

// checkMoments compares means and variances of messages. A Delta >= 0 ends the broadcast. A false
// alarm: one number in a million is five standard errors off.
func checkMoments(t *testing.T, what string, d learner.Reporter, delta float64, x []float64, y float64, mean, sd []float64, messages int) {
	t.Helper()
	broadcast := make([]float64, 3+6+2)
	if delta >= 0 {
		broadcast = append(broadcast, delta)
	}
	noise := privacy.NewNoise(random.Source(1, 0, what))
	first, second := make([]float64, len(mean)), make([]float64, len(mean))
	var m learner.Message
	var err error
	for range messages {
		if m, err = d.Report(broadcast, x, y, noise, m[:0]); err != nil || len(m) != len(mean) {
			t.Fatalf("%s: %v, %d numbers, want %d", what, err, len(m), len(mean))
		}
		for i, v := range m {
			first[i] += (v - mean[i]) / float64(messages)
			second[i] += (v - mean[i]) * (v - mean[i]) / float64(messages)
		}
	}
	root := math.Sqrt(float64(messages))
	for i := range mean {
		if math.Abs(first[i]) > 5*sd[i]/root+1e-12 || math.Abs(second[i]-sd[i]*sd[i]) > 5*math.Sqrt2*sd[i]*sd[i]/root+1e-12 {
			t.Errorf("%s: entry %d is off its mean by %v with variance %v, want 0 and %v", what, i, first[i], second[i], sd[i]*sd[i])
		}
	}
}

// twins plays two learners on the same rounds and returns in how many of them they chose different
// arms.
func twins(t *testing.T, first, second bandit.Learner, rounds int) (differ int) {
	t.Helper()
	world := runtest.Open(t, environment.UnitFeatures{Dim: 4, Arms: 12})
	trial := world.Start(random.New(1, 0, "contexts"))
	start := func(l bandit.Learner) *runtest.Running {
		return runtest.Run(t, l, world.Problem(), rounds, random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	}
	a, b := start(first), start(second)
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	y := make([]float64, 1)
	for range rounds {
		trial.Next(&v)
		arms := a.Select(&v, nil)
		if other := b.Select(&v, nil); other[0] != arms[0] {
			differ++
		}
		trial.Pull(rewards, arms, y) // both learn from a's arm
		a.Update(&v, arms, y)
		b.Update(&v, arms, y)
	}
	return differ
}

// TestLDPWithoutNoise: at epsilon = +Inf it is LinUCB in every calibration; under noise that
// vanishes it tends to it, Sound only: the published shifts vanish with the noise.
func TestLDPWithoutNoise(t *testing.T) {
	for _, noise := range learnertest.LDPNoises(learnertest.None) {
		for _, k := range []float64{0, 1 / math.Sqrt2} {
			noise.Constant = k
			if n := twins(t, learner.New(linear.UCB{}, nil), learnertest.LDP(noise), 2000); n > 0 {
				t.Errorf("%+v: %d arms of 2000 differ from LinUCB's", noise, n)
			}
		}
	}
	// The union over epochs stays: 2 ln 11 inside the square root, so that some arms differ; the more,
	// the more noise.
	vanishing := twins(t, learnertest.LDP(local.LDPNoise{Budget: learnertest.None}), learnertest.LDP(local.LDPNoise{Budget: privacy.Budget{Epsilon: 1e12, Delta: 0.1}}), 2000)
	little := twins(t, learnertest.LDP(local.LDPNoise{Budget: learnertest.None}), learnertest.LDP(local.LDPNoise{Budget: privacy.Budget{Epsilon: 100, Delta: 0.1}}), 2000)
	if vanishing > 200 || little < vanishing {
		t.Errorf("%d and %d arms of 2000 differ for epsilon = 1e12 and 100", vanishing, little)
	}
}

// TestLDPConfidence: the Sound sets hold theta* in all rounds of 40 trials: at alpha = 0.05 more
// than 9 failures have a probability below 2e-4 (binomial tail; the seed is fixed).
func TestLDPConfidence(t *testing.T) {
	const trials, rounds = 40, 500
	failures := 0
	for trial := range trials {
		n := local.LDPNoise{Budget: privacy.Budget{Epsilon: 5, Delta: 0.1}}
		l := learner.Local{Device: local.LDPDevice{Noise: n}, Server: local.LDPServer{Noise: n, Policy: linear.UCB{Alpha: 0.05}}}
		if gone, _ := escaped(t, l, environment.UnitFeatures{Dim: 4, Arms: 10}, trial, rounds); gone {
			failures++
		}
	}
	if failures > 9 {
		t.Errorf("theta* left the confidence set in %d trials of %d", failures, trials)
	}
}

// escaped plays a trial and reports that theta* left the confidence set in some round.
func escaped(t *testing.T, local learner.Local, env environment.UnitFeatures, trial, rounds int) (escaped bool, l *runtest.Running) {
	t.Helper()
	l = runtest.Run(t, local, env.Problem(), rounds, nil, random.Source(1, trial, "noise"))
	game := runtest.Open(t, env).Start(random.New(1, trial, "contexts"))
	rewards := random.New(1, trial, "rewards")
	var v bandit.View
	y := make([]float64, 1)
	for range rounds {
		game.Next(&v)
		arms := l.Select(&v, nil)
		game.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
		if outside(learnertest.ServerOf(l).Broadcast(), environment.Theta(game)) {
			escaped = true
		}
	}
	return escaped, l
}

// outside reports that theta is not in the ellipsoid, by solving with V^-1.
func outside(broadcast, theta []float64) bool {
	d := len(theta)
	e := unpack(broadcast, d)
	var diff []float64
	for i, v := range theta {
		diff = append(diff, v-broadcast[i])
	}
	return normOf(e, diff) > broadcast[d+d*(d+1)/2]*(1+1e-9)
}

func TestLDPRefuses(t *testing.T) {
	good := local.LDPNoise{Budget: learnertest.Strict}
	for _, c := range []struct {
		n     local.LDPNoise
		words []string
	}{
		{local.LDPNoise{}, []string{"epsilon = 0"}},
		{local.LDPNoise{Budget: privacy.Budget{Epsilon: 1}}, []string{"delta = 0"}},
		{local.LDPNoise{Budget: privacy.Budget{Epsilon: math.NaN(), Delta: 0.1}}, []string{"epsilon = NaN"}},
		{local.LDPNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1}}, []string{"delta = 1"}},
		{local.LDPNoise{Budget: learnertest.Strict, Constant: 2}, []string{"Constant = 2", "[-L, L]"}},
		{local.LDPNoise{Budget: learnertest.Strict, Constant: math.NaN()}, []string{"Constant = NaN"}},
		{local.LDPNoise{Budget: learnertest.Strict, Calibration: privacy.Given}, []string{"Given", "Sound"}},
		{local.LDPNoise{Budget: learnertest.Strict, MatrixSD: 1}, []string{"MatrixSD = 1", "VectorSD = 0"}},
		{local.LDPNoise{Budget: learnertest.Strict, MatrixSD: 1, VectorSD: math.NaN()}, []string{"VectorSD = NaN"}},
		{local.LDPNoise{Budget: learnertest.Strict, MatrixSD: 1e-160, VectorSD: 1}, []string{"1e-160"}},
		{local.LDPNoise{Budget: learnertest.Strict, MatrixSD: 1, VectorSD: 1, Calibration: privacy.AsPublished}, []string{"AsPublished", "Sound"}},
		{local.LDPNoise{Budget: privacy.Budget{Epsilon: 1e-300, Delta: 0.1}, Calibration: privacy.AsPublished}, []string{"1e100"}},
	} {
		expect.Error(t, "LDPDevice", learnertest.Failure(local.LDPDevice{Noise: c.n}.Open(learnertest.Features, 100)), c.words...)
		expect.Error(t, "LDPServer", learnertest.Failure(local.LDPServer{Noise: c.n}.Open(learnertest.Features, 100)), c.words...)
	}
	for _, c := range []struct {
		s     local.LDPServer
		words []string
	}{
		{local.LDPServer{Policy: linear.UCB{Alpha: 2}}, []string{"Alpha = 2"}},
		{local.LDPServer{Policy: linear.UCB{Sigma: -1}}, []string{"Sigma = -1"}},
		{local.LDPServer{Policy: linear.UCB{ThetaNorm: math.Inf(1)}}, []string{"ThetaNorm = +Inf"}},
		{local.LDPServer{Ridge: math.NaN()}, []string{"Ridge = NaN"}},
		{local.LDPServer{Policy: linear.UCB{Width: -0.5}}, []string{"LinUCB.Width = -0.5"}},
	} {
		c.s.Noise = good
		expect.Error(t, "LDPServer", learnertest.Failure(c.s.Open(learnertest.Features, 100)), c.words...)
	}
	expect.Error(t, "Local", learnertest.Failure(learner.Local{}.Open(learnertest.Features, 100)), "Device is nil")
	expect.Error(t, "Local", learnertest.Failure(learner.Local{Device: local.LDPDevice{Noise: good}}.Open(learnertest.Features, 100)), "Server is nil")
	l := learnertest.LDP(good)
	l.Batch = -1
	expect.Error(t, "Local", learnertest.Failure(l.Open(learnertest.Features, 100)), "Batch = -1")
}
