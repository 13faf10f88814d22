package arms_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/peer"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// peers are learners in Python, of a package or, where it is nobody's, of our own in plain Python
// or compiled by numba, and ours that do the same.
var peers = []struct {
	name   string
	ours   func() private
	rounds int // of theirs between two looks at the clock
}{
	{"UCB1/MABWiser", arms.UCB1{}.Learner, 100},
	{"Thompson/MABWiser", arms.Thompson{}.Learner, 100},
	{"UCB1/plain", arms.UCB1{}.Learner, 2000},
	{"DP-UCB/plain", func() private { return arms.DPUCB{}.Private(peerEpsilon) }, 2000},
	{"UCB1/numba", arms.UCB1{}.Learner, 10_000},
	{"Thompson/numba", arms.Thompson{}.Learner, 10_000},
	{"DP-UCB/numba", func() private { return arms.DPUCB{}.Private(peerEpsilon) }, 10_000},
}

const peerEpsilon = 20

var peerMeans = []float64{0.7, 0.65, 0.6, 0.6, 0.55, 0.5, 0.5, 0.45, 0.4, 0.3}

// peerScript returns the script that has a learner.
func peerScript(learner string) string {
	if strings.HasSuffix(learner, "/numba") {
		return "notebooks/tools/peer_arms_numba.py"
	}
	return "notebooks/tools/peer_arms.py"
}

// peerBegins tells the script of a trial.
func peerBegins(learner string, seed int) map[string]any {
	return map[string]any{"learner": learner, "means": peerMeans, "epsilon": peerEpsilon, "seed": seed}
}

// peerTrial returns a function that plays so many more rounds of a trial of ours, and returns the
// regret since the trial began.
func peerTrial(tb testing.TB, l bandit.Learner, seed int) func(rounds int) (regret float64) {
	tb.Helper()
	env := environment.Arms{Means: peerMeans}
	trial := runtest.Open(tb, env).Start(random.New(1, seed, "contexts"))
	run := started(tb, opened(tb, l, env.Problem(), 1<<40), seed).Run
	rewards := random.New(1, seed, "rewards")
	var v bandit.View
	played, y := make([]int, 0, 1), make([]float64, 1)
	counts := make([]int, len(peerMeans))
	return func(rounds int) (regret float64) {
		for range rounds {
			trial.Next(&v)
			chosen, err := run.Select(&v, played[:0])
			if err != nil {
				tb.Fatal(err)
			}
			played = chosen
			trial.Pull(rewards, played, y)
			if err := run.Update(&v, played, y); err != nil {
				tb.Fatal(err)
			}
			counts[played[0]]++
		}
		for a, n := range counts {
			regret += float64(n) * (peerMeans[0] - peerMeans[a])
		}
		return regret
	}
}

// BenchmarkPeers plays whole rounds of ten Bernoulli arms in Python and here, in turn, after a
// thousand each. It reports the fastest turn of either, in nanoseconds a round, and the ratio.
func BenchmarkPeers(b *testing.B) {
	for _, c := range peers {
		b.Run(c.name, func(b *testing.B) {
			p := peer.Start(b, "../..", peerScript(c.name))
			const before, rounds = 1000, 10_000
			p.Begin(b, peerBegins(c.name, 1))
			p.Play(b, before)
			play := peerTrial(b, c.ours(), 1)
			play(before)
			ours, theirs := math.Inf(1), math.Inf(1)
			for b.Loop() {
				seconds, _ := p.Play(b, c.rounds)
				theirs = min(theirs, 1e9*seconds/float64(c.rounds))
				began := time.Now()
				play(rounds)
				ours = min(ours, float64(time.Since(began).Nanoseconds())/rounds)
			}
			b.ReportMetric(0, "ns/op") // which would be of both
			b.ReportMetric(ours, "ns/round")
			b.ReportMetric(theirs, "python-ns/round")
			b.ReportMetric(theirs/ours, "python/go")
		})
	}
}

// TestPeers: the learners in Python do what ours do, as their mean regret says. With so few trials
// as MABWiser gets, the statistic's law has 14 degrees of freedom at least, and |t| > 6 has
// probability 3e-5; that is 3e-4 for all.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of Python")
	}
	for _, c := range peers {
		p := peer.Start(t, "../..", peerScript(c.name))
		trials, rounds := 40, 3000
		if c.rounds < 1000 {
			trials, rounds = 10, 600
		}
		var sum, square [2]float64
		for seed := range trials {
			p.Begin(t, peerBegins(c.name, seed))
			_, theirs := p.Play(t, rounds)
			for i, regret := range []float64{theirs, peerTrial(t, c.ours(), seed)(rounds)} {
				sum[i] += regret
				square[i] += regret * regret
			}
		}
		n := float64(trials)
		var mean, variance [2]float64
		for i := range mean {
			mean[i] = sum[i] / n
			variance[i] = (square[i]/n - mean[i]*mean[i]) / (n - 1) // of the mean
		}
		s := (mean[0] - mean[1]) / math.Sqrt(variance[0]+variance[1])
		t.Logf("%s: regret %.4g after %d rounds, and ours %.4g: t = %.2f", c.name, mean[0], rounds, mean[1], s)
		if !(math.Abs(s) < 6) {
			t.Errorf("%s: the mean regrets differ, t = %.1f", c.name, s)
		}
	}
}
