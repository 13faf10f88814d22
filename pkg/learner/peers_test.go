package learner_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/peer"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

const peerBatch = 20

// peerScripts have the same learners in numpy, and compiled by numba and by JAX.
var peerScripts = map[string]string{
	"numpy": "notebooks/tools/peer_linear.py",
	"numba": "notebooks/tools/peer_linear_numba.py",
	"jax":   "notebooks/tools/peer_linear_jax.py",
}

// peerLanes is how many trials JAX plays at once in a test. Their mean regret is its answer.
const peerLanes = 4

// peers are the learners of these scripts, and ours that do the same.
var peers = []struct {
	name string
	ours func(b privacy.Budget) bandit.Learner
}{
	{"LinUCB", func(privacy.Budget) bandit.Learner { return learner.New(linear.UCB{}, nil) }},
	{"LDP", func(b privacy.Budget) bandit.Learner { return learnertest.LDP(local.LDPNoise{Budget: b}) }},
	{"JDP", func(b privacy.Budget) bandit.Learner {
		return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: b}})
	}},
	{"shuffle amplified", func(b privacy.Budget) bandit.Learner {
		return local.NewShuffleAmplified(local.AmplifiedNoise{Budget: b, Batch: peerBatch})
	}},
	{"shuffle vector sum", func(b privacy.Budget) bandit.Learner {
		return local.NewShuffleVectorSum(local.VectorSum{Budget: b, Batch: peerBatch})
	}},
}

// besides plays a learner of ours and its peer in Python on the same arms, which stay the same.
type besides struct {
	*peer.Peer
	env    environment.UnitFeatures
	ready  bandit.Calibrated
	name   string
	lanes  int // trials that JAX plays at once; 0 means its own number
	view   bandit.View
	regret float64
}

func newBesides(tb testing.TB, p *peer.Peer, name string, ours bandit.Learner, dim, arms, horizon int) *besides {
	tb.Helper()
	both := &besides{Peer: p, env: environment.UnitFeatures{Dim: dim, Arms: arms, Fixed: true}, name: name}
	var err error
	if both.ready, err = ours.Open(both.env.Problem(), horizon); err != nil {
		tb.Fatal(err)
	}
	return both
}

// begin begins a trial of both. The peer is told the arms, the parameter and the noise's scale.
func (p *besides) begin(tb testing.TB, seed, horizon int) (play func(rounds int)) {
	tb.Helper()
	game := bandittest.Start(tb, p.env, random.New(1, seed, "contexts"))
	game.Next(&p.view)
	x := make([][]float64, p.view.Arms)
	for a := range x {
		x[a] = p.view.Row(a)
	}
	trial := map[string]any{"learner": p.name, "x": x, "theta": environment.Theta(game), "seed": seed, "horizon": horizon, "batch": peerBatch,
		"levels": math.Ceil(2 * math.Sqrt(peerBatch))}
	if p.lanes > 0 {
		trial["lanes"] = p.lanes
	}
	run := p.ready.Start(random.New(1, seed, "learner"), random.Source(1, seed, "noise"))
	for _, releases := range p.ready.(privacy.Planner).Plan(1).Cases {
		for _, r := range releases {
			for _, law := range r.Laws() {
				switch law.Kind {
				case "symmetric Gaussian":
					trial["sd"] = law.Scale
				case "binomial":
					trial["bits"] = int(law.Shape)
				}
			}
		}
	}
	p.Begin(tb, trial)
	rewards := random.New(1, seed, "rewards")
	played, y := make([]int, 0, 1), make([]float64, 1)
	p.regret, p.view.Same = 0, false
	first := true
	return func(rounds int) {
		for range rounds {
			if !first {
				game.Next(&p.view)
			}
			first = false
			var err error
			if played, err = run.Select(&p.view, played[:0]); err != nil {
				tb.Fatal(err)
			}
			game.Pull(rewards, played, y)
			p.regret += game.Regret(played)
			if err = run.Update(&p.view, played, y); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// BenchmarkPeers plays whole trials of 20,000 rounds in Python and here, in pieces that take turns.
// Of each piece it takes the fastest of all trials, which have the same seed, so that a machine
// with other work disturbs neither. It reports the mean in nanoseconds a round, and the ratio. The
// compiled peers play other dimensions and numbers of arms, too.
func BenchmarkPeers(b *testing.B) {
	for _, c := range peers {
		b.Run(c.name+"/numpy", func(b *testing.B) { benchPeer(b, "numpy", c.name, c.ours, 5, 100) })
		for _, d := range []int{5, 20, 50} {
			for _, k := range []int{10, 100, 1000} {
				for _, script := range []string{"numba", "jax"} {
					b.Run(fmt.Sprintf("%s/%s/d=%d/K=%d", c.name, script, d, k), func(b *testing.B) {
						benchPeer(b, script, c.name, c.ours, d, k)
					})
				}
			}
		}
	}
}

func benchPeer(b *testing.B, script, name string, learner func(privacy.Budget) bandit.Learner, dim, arms int) {
	const horizon, pieces, parts = 20_000, 10, 20 // a piece of Python's is timed in parts
	p := peer.Start(b, "../..", peerScripts[script])
	both := newBesides(b, p, name, learner(privacy.Budget{Epsilon: 1, Delta: 0.1}), dim, arms, horizon)
	ours, theirs := slices.Repeat([]float64{math.Inf(1)}, pieces), slices.Repeat([]float64{math.Inf(1)}, pieces*parts)
	for b.Loop() {
		play := both.begin(b, 1, horizon)
		for i := range ours {
			for j := i * parts; j < (i+1)*parts; j++ {
				seconds, _ := both.Play(b, horizon/pieces/parts)
				theirs[j] = min(theirs[j], seconds)
			}
			began := time.Now()
			play(horizon / pieces)
			ours[i] = min(ours[i], time.Since(began).Seconds())
		}
	}
	mine, python := 1e9*sum(ours)/horizon, 1e9*sum(theirs)/horizon
	b.ReportMetric(0, "ns/op") // which would be of both
	b.ReportMetric(mine, "ns/round")
	b.ReportMetric(python, "python-ns/round")
	b.ReportMetric(python/mine, "python/go")
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// TestPeers: the learners in Python do what ours do, as the mean difference of their regrets says.
// It has 29 degrees of freedom, and |t| > 6 has probability 2e-6; that is 3e-5 for all.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of Python")
	}
	for script, file := range peerScripts {
		horizon, trials := 3000, 30
		if script == "jax" {
			horizon = 1000 // as it is slow with few lanes
		}
		t.Run(script, func(t *testing.T) { testPeers(t, peer.Start(t, "../..", file), horizon, trials) })
	}
}

func testPeers(t *testing.T, p *peer.Peer, horizon, trials int) {
	for _, c := range peers {
		both := newBesides(t, p, c.name, c.ours(privacy.Budget{Epsilon: 20, Delta: 0.1}), 5, 100, horizon)
		both.lanes = peerLanes
		var differences, square, total float64
		for seed := range trials {
			both.begin(t, seed, horizon)(horizon)
			_, theirs := both.Play(t, horizon)
			difference := theirs - both.regret
			differences, square, total = differences+difference, square+difference*difference, total+theirs
		}
		n := float64(trials)
		mean := differences / n
		s := mean / math.Sqrt((square/n-mean*mean)/(n-1))
		t.Logf("%s: regret %.4g after %d rounds, and ours %.4g: t = %.2f", c.name, total/n, horizon, (total-differences)/n, s)
		if !(math.Abs(s) < 6) {
			t.Errorf("%s: the mean regrets differ, t = %.1f", c.name, s)
		}
	}
}
