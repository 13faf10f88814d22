package learner_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/peer"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

const (
	peerBatch = 20
	peerSets  = 8
)

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
		return local.AmplifiedNoise{Budget: b, Batch: peerBatch}.Learner()
	}},
	{"shuffle vector sum", func(b privacy.Budget) bandit.Learner {
		return local.VectorSum{Budget: b, Batch: peerBatch}.Learner()
	}},
}

// besides plays a learner of ours and its peer in Python on the same arms. They stay the same, or
// there are some decision sets in turn.
type besides struct {
	*peer.Peer
	env    environment.UnitFeatures
	sets   int
	ready  bandit.Calibrated
	name   string
	lanes  int // trials that JAX plays at once; 0 means its own number
	view   bandit.View
	regret float64
}

func newBesides(tb testing.TB, p *peer.Peer, name string, ours bandit.Learner, dim, arms, sets, horizon int) *besides {
	tb.Helper()
	both := &besides{Peer: p, env: environment.UnitFeatures{Dim: dim, Arms: arms, Fixed: sets == 1}, sets: sets, name: name}
	var err error
	if both.ready, err = ours.Open(both.env.Problem(), horizon); err != nil {
		tb.Fatal(err)
	}
	return both
}

// begin begins a trial of both. The peer is told the arms, the parameter and the noise's scale.
func (p *besides) begin(tb testing.TB, seed, horizon int) (play func(rounds int)) {
	tb.Helper()
	game := runtest.Open(tb, p.env).Start(random.New(1, seed, "contexts"))
	theta := environment.Theta(game)
	shown, x := make([]bandit.View, p.sets), make([][][]float64, p.sets)
	means, best := make([][]float64, p.sets), make([]float64, p.sets)
	for s := range shown {
		game.Next(&p.view)
		shown[s] = p.view
		shown[s].X = slices.Clone(p.view.X)
		for a := range p.view.Arms {
			x[s] = append(x[s], shown[s].Row(a))
			means[s] = append(means[s], packed.Dot(theta, shown[s].Row(a)))
		}
		best[s] = slices.Max(means[s])
	}
	trial := map[string]any{"learner": p.name, "x": x, "theta": theta, "seed": seed, "horizon": horizon, "batch": peerBatch,
		"levels": math.Ceil(2 * math.Sqrt(peerBatch))}
	if p.sets == 1 {
		trial["x"] = x[0]
	}
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
	p.regret = 0
	round := 0
	return func(rounds int) {
		for range rounds {
			s := round % p.sets
			round++
			v := &shown[s]
			v.Round, v.Same = round, p.sets == 1 && round > 1
			var err error
			if played, err = run.Select(v, played[:0]); err != nil {
				tb.Fatal(err)
			}
			y[0] = learnertest.Coin(rewards, means[s][played[0]])
			p.regret += best[s] - means[s][played[0]]
			if err = run.Update(v, played, y); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// BenchmarkPeers plays whole trials of 20,000 rounds in Python and here, in pieces that take turns.
// Of each piece it takes the fastest of all trials, which have the same seed, so that a machine
// with other work disturbs neither. It reports the mean in nanoseconds a round, and the ratio. The
// compiled peers play other dimensions and numbers of arms, too, and numba's contexts that change:
// peerSets decision sets in turn, so that neither is timed drawing them.
//
// LinUCB must multiply K d + 2 d^2 numbers in a round with fixed arms, and a private learner
// K d^2/2 + d^3/2, besides d^2/2 normals a message.
func BenchmarkPeers(b *testing.B) {
	for _, c := range peers {
		b.Run(c.name+"/numpy", func(b *testing.B) { benchPeer(b, "numpy", c.name, c.ours, 5, 100, 1) })
		for _, d := range []int{5, 20, 50} {
			for _, k := range []int{10, 100, 1000} {
				for _, script := range []string{"numba", "jax"} {
					b.Run(fmt.Sprintf("%s/%s/d=%d/K=%d", c.name, script, d, k), func(b *testing.B) {
						benchPeer(b, script, c.name, c.ours, d, k, 1)
					})
				}
				b.Run(fmt.Sprintf("%s/numba/d=%d/K=%d/fresh", c.name, d, k), func(b *testing.B) {
					benchPeer(b, "numba", c.name, c.ours, d, k, peerSets)
				})
			}
		}
	}
}

func benchPeer(b *testing.B, script, name string, learner func(privacy.Budget) bandit.Learner, dim, arms, sets int) {
	const pieces, parts = 10, 20 // a piece is timed in parts
	horizon := 20_000
	if script == "jax" && dim*arms == 50_000 {
		horizon = 2_000 // which take minutes
	}
	p := peer.Start(b, "../..", peerScripts[script])
	both := newBesides(b, p, name, learner(privacy.Budget{Epsilon: 1, Delta: 0.1}), dim, arms, sets, horizon)
	theirs := slices.Repeat([]float64{math.Inf(1)}, pieces*parts)
	ours := slices.Clone(theirs)
	for b.Loop() {
		play := both.begin(b, 1, horizon)
		for i := 0; i < len(ours); i += parts {
			for j := i; j < i+parts; j++ {
				seconds, _ := both.Play(b, horizon/pieces/parts)
				theirs[j] = min(theirs[j], seconds)
			}
			for j := i; j < i+parts; j++ {
				began := time.Now()
				play(horizon / pieces / parts)
				ours[j] = min(ours[j], time.Since(began).Seconds())
			}
		}
	}
	mine, python := 1e9*sum(ours)/float64(horizon), 1e9*sum(theirs)/float64(horizon)
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
		t.Run(script, func(t *testing.T) {
			p := peer.Start(t, "../..", file)
			testPeers(t, p, 1, horizon, trials)
			if script == "numba" { // which has compiled by now
				t.Run("fresh", func(t *testing.T) { testPeers(t, p, peerSets, horizon, trials) })
			}
		})
	}
}

func testPeers(t *testing.T, p *peer.Peer, sets, horizon, trials int) {
	for _, c := range peers {
		both := newBesides(t, p, c.name, c.ours(privacy.Budget{Epsilon: 20, Delta: 0.1}), 5, 100, sets, horizon)
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
