package survey

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The trust models of the leaderboard.
const (
	notPrivate = "not private"
	central    = "central"
	joint      = "joint"
	local      = "local"
)

// Contestant is a learner of the leaderboard.
type Contestant struct {
	Name, Model string
	Linear      bool // wants contexts
	New         func(p bandit.Problem, epsilon float64) bandit.Learner
	// Streaming means that a reward shows in more than one release, so that an audit has to see
	// several.
	Streaming bool
	Sums      bool // reads noisy sums of rows
	Unaudited bool // by the attacks here
}

// Contestants lists the learners of the leaderboard.
var Contestants = []Contestant{
	{Name: "UCB1", Model: notPrivate, New: public(arms.NewUCB1)},
	{Name: "KL-UCB", Model: notPrivate, New: public(arms.NewKLUCB)},
	{Name: "IMED", Model: notPrivate, New: public(arms.NewIMED)},
	{Name: "Thompson", Model: notPrivate, New: public(arms.NewThompson)},
	{Name: "DP-SE", Model: central, New: pure(arms.NewDPElimination)},
	{Name: "DP-UCB", Model: central, Streaming: true, New: pure(arms.NewDPUCB)},
	{Name: "AdaP-UCB", Model: central, New: pure(arms.NewAdaPUCB)},
	{Name: "AdaP-KLUCB", Model: central, New: pure(arms.NewAdaPKLUCB)},
	{Name: "AdaC-UCB", Model: central, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return arms.NewAdaCUCB(privacy.Budget{Epsilon: e, Delta: Delta})
	}},
	{Name: "Lazy-UCB", Model: central, New: pure(arms.NewLazyUCB)},
	{Name: "Lazy-DP-TS", Model: central, New: pure(arms.NewLazyThompson)},
	{Name: "DP-KLUCB", Model: central, New: pure(func(e float64) means { return arms.NewDPKLUCB(e, 1.2) })},
	{Name: "DP-IMED", Model: central, New: pure(func(e float64) means { return arms.NewDPIMED(e, 2) })},
	{Name: "TargetIMED", Model: central, New: pure(arms.NewTargetIMED)},
	{Name: "DPUCB-MAT", Model: central, New: onMatroid(learner.DPUCBMAT)},
	{Name: "DPTS-MAT", Model: central, New: onMatroid(learner.DPTSMAT)},
	{Name: "CUCB, tree", Model: central, Streaming: true, New: onMatroid(learner.CUCBTree)},
	{Name: "KL-UCB of bits", Model: local, Streaming: true, New: pure(arms.NewLocalKLUCB)},
	{Name: "LinUCB", Model: notPrivate, Linear: true, New: func(bandit.Problem, float64) bandit.Learner {
		return learner.New(&learner.LinUCB{}, nil)
	}},
	{Name: "core set", Model: joint, Linear: true, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return learner.NewCoreSet(privacy.Budget{Epsilon: e})
	}},
	{Name: "core set, published width", Model: joint, Linear: true, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return learner.CoreSetAsPublished(e)
	}},
	{Name: "core set, Gaussian", Model: joint, Linear: true, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return learner.NewCoreSet(privacy.Budget{Epsilon: e, Delta: Delta})
	}},
	{Name: "JDP LinUCB, tree", Model: joint, Linear: true, Sums: true, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: e, Delta: Delta}}})
	}},
	{Name: "JDP LinUCB, BLT", Model: joint, Linear: true, Sums: true, New: func(_ bandit.Problem, e float64) bandit.Learner {
		return learner.New(&learner.LinUCB{}, &mechanism.BLT{Budget: privacy.Budget{Epsilon: e, Delta: Delta}})
	}},
	{Name: "LDP LinUCB", Model: local, Linear: true, Unaudited: true, New: noisyRows},
}

// noisyRows is the local model: each user's device adds Gaussian noise to its row.
func noisyRows(_ bandit.Problem, epsilon float64) bandit.Learner {
	noise := learner.LDPNoise{Budget: privacy.Budget{Epsilon: epsilon, Delta: Delta}}
	return &learner.Local{Device: &learner.LDPDevice{Noise: noise}, Server: &learner.LDPServer{Noise: noise}}
}

type means = *learner.Private[privacy.Means]

func public(make func() means) func(bandit.Problem, float64) bandit.Learner {
	return func(bandit.Problem, float64) bandit.Learner { return make() }
}

func pure(make func(epsilon float64) means) func(bandit.Problem, float64) bandit.Learner {
	return func(_ bandit.Problem, epsilon float64) bandit.Learner { return make(epsilon) }
}

// onMatroid makes a matroid's learner play one arm a round.
func onMatroid(make func(m matroid.Matroid, epsilon float64) means) func(bandit.Problem, float64) bandit.Learner {
	return func(p bandit.Problem, epsilon float64) bandit.Learner {
		m, err := matroid.NewUniform(p.Arms, 1)
		if err != nil {
			panic(err) // an environment has arms
		}
		return make(m, epsilon)
	}
}

func (c Contestant) epsilons() []float64 {
	if c.Model == notPrivate {
		return []float64{math.Inf(1)}
	}
	return Epsilons
}

// measured returns the epsilon that a learner proves, and the nanoseconds that it needs for a round
// of an environment: the least of three runs, without the environment's own time.
func (c Contestant) measured(e Environment, epsilon float64, horizon int) (proved, nanoseconds float64, err error) {
	env := e.New()
	if !c.Linear {
		env = blind{env}
	}
	p := env.Problem()
	l := c.New(p, epsilon)
	if err := l.Init(p, horizon); err != nil {
		return 0, 0, err
	}
	proved = math.Inf(1)
	if c.Model != notPrivate {
		proved = privacy.ClaimOf(l).Epsilon()
	}
	const rewards = 1 << 12
	y, rng := make([]float64, rewards*p.Arms), random.New(3, 0, "rewards")
	v := bandit.View{}
	env.Reset(random.New(3, 0, "contexts"))
	env.Next(&v)
	for i := range y {
		env.Pull(rng, []int{i % p.Arms}, y[i:i+1])
	}
	nanoseconds = math.Inf(1)
	var chosen []int
	for range 3 {
		l.Reset(random.New(3, 0, "own"), random.Source(3, 0, "noise"))
		start := time.Now()
		for t := 1; t <= min(horizon, 50_000); t++ {
			v.Round, v.Same = t, t > 1
			chosen = l.Select(&v, chosen[:0])
			at := t%rewards*p.Arms + chosen[0]
			l.Update(&v, chosen, y[at:at+1])
		}
		nanoseconds = min(nanoseconds, float64(time.Since(start).Nanoseconds())/float64(min(horizon, 50_000)))
	}
	return proved, nanoseconds, l.Err()
}

// auditHorizon is the horizon that an audit's learners are made for.
const auditHorizon = 100_000

// confident is the confidence of an audit: 99% for all of the leaderboard together.
var confident = audit.Options{Seed: 55, Confidence: 0.9999}

// audited returns the epsilon that an attack excludes. The attacker sees the first estimate of arm
// 0 itself, and not only what it makes the learner play. The worlds differ in the reward of round
// 1, 0 or 1; all other rewards are 0. There are two arms, orthogonal for a linear learner.
func (c Contestant) audited(ctx context.Context, epsilon float64, s lab.Scale) (float64, error) {
	switch {
	case c.Model == notPrivate || c.Unaudited:
		return math.NaN(), nil
	case c.Sums:
		return c.auditedSums(ctx, epsilon, s)
	}
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: 0, RewardMax: 1}
	if c.Linear {
		p.Dim, p.ContextNorm = 2, 1
	}
	first, l, err := c.firstRelease(p, epsilon, 0, rand.NewPCG(1, 2))
	if err != nil {
		return 0, err
	}
	if c.Streaming {
		return c.auditedStream(ctx, p, epsilon, first, s)
	}
	plan := privacy.PlanOf(l, first)
	law := plan.Cases[0][0].Laws[0]
	density, _, err := audit.AdditiveDensity([]privacy.Law{law}, [2][][]float64{{{0}}, {{1}}})
	if err != nil {
		return 0, err
	}
	_, curve := audit.Claimed(privacy.ClaimOf(l))
	found, err := audit.Likelihood{
		Name: Name(c.Name, epsilon), Claim: plan.Asked, Curve: curve, Density: density, Runs: runs(s, first),
		Release: func(world int, source rand.Source, out []float64) error {
			_, l, err := c.firstRelease(p, epsilon, float64(world), source)
			if err == nil {
				e := l.Statistic.Release().Of[0]
				out[0] = e.Mean * float64(e.Count)
			}
			return err
		},
	}.Run(ctx, confident)
	return found.Epsilon, err
}

// runs returns the number of runs of an audit, fewer if a run has many rounds.
func runs(s lab.Scale, rounds int) int {
	return int(max(400, min(cell.Pick(s, 2_000., 10_000., 40_000.), 4e7/float64(rounds))))
}

// firstRelease plays until arm 0 has an estimate, and returns the round and the learner. The reward
// of round 1 is given, the others are 0.
func (c Contestant) firstRelease(p bandit.Problem, epsilon, reward float64, noise rand.Source) (int, means, error) {
	l := c.New(p, epsilon).(means)
	if err := l.Init(p, auditHorizon); err != nil {
		return 0, nil, err
	}
	l.Reset(rand.New(rand.NewPCG(1, 1)), noise)
	chosen, y := make([]int, 0, 1), []float64{reward}
	for t := 1; t <= auditHorizon; t++ {
		v := bandit.View{Round: t, Arms: p.Arms, Dim: p.Dim, X: []float64{1, 0, 0, 1}[:p.Arms*p.Dim]}
		chosen = l.Select(&v, chosen[:0])
		l.Update(&v, chosen, y)
		if y[0] = 0; l.Statistic.Release().Of[0].Count > 0 {
			return t, l, l.Err()
		}
	}
	return 0, nil, fmt.Errorf("no estimate of arm 0 in %d rounds", auditHorizon)
}

// auditedStream attacks the estimates of arm 0 from the first on, whatever law they have. The
// learner is made for as few rounds, in which its releases show a reward as well as in many.
func (c Contestant) auditedStream(ctx context.Context, p bandit.Problem, epsilon float64, first int, s lab.Scale) (float64, error) {
	var worlds [2]audit.Stream
	for w := range worlds {
		worlds[w] = make(audit.Stream, first+6)
		for t := range worlds[w] {
			worlds[w][t] = audit.Round{Rewards: []float64{0, 0}}
		}
		worlds[w][0].Rewards = []float64{float64(w), float64(w)}
	}
	found, err := audit.Learner{
		Name: Name(c.Name, epsilon), Problem: p, Worlds: worlds, NoActions: true,
		New: func() bandit.Learner { return c.New(p, epsilon) }, Runs: runs(s, len(worlds[0])),
		Transcript: func(l bandit.Learner, round int, dst []float64) []float64 {
			if round < first {
				return dst
			}
			return append(dst, l.(means).Statistic.Release().Of[0].Mean)
		},
	}.Run(ctx, confident)
	return found.Epsilon, err
}

// auditedSums attacks the noisy sum of a single row that a linear learner reads.
func (c Contestant) auditedSums(ctx context.Context, epsilon float64, s lab.Scale) (float64, error) {
	setup := privacy.Setup{Horizon: 2, Dim: 3, Bound: math.Sqrt2, Context: 1, Alpha: 0.01}
	make := func() privacy.Accumulator {
		return c.New(bandit.Problem{}, epsilon).(*learner.Private[privacy.Sums]).Statistic
	}
	sums := make()
	if err := sums.Init(setup); err != nil {
		return 0, err
	}
	plan := privacy.PlanOf(sums, 1)
	var rows [2][]float64
	rows[0], rows[1] = audit.FarRows(setup)
	var values [2][][]float64
	for w, row := range rows {
		var packed []float64
		for i, v := range row {
			for _, u := range row[:i+1] {
				packed = append(packed, u*v)
			}
		}
		values[w] = [][]float64{packed}
	}
	density, _, err := audit.AdditiveDensity(plan.Cases[0][0].Laws[:1], values)
	if err != nil {
		return 0, err
	}
	_, curve := audit.Claimed(privacy.ClaimOf(sums))
	found, err := audit.Likelihood{
		Name: Name(c.Name, epsilon), Claim: plan.Asked, Curve: curve, Density: density, Runs: runs(s, 1), Outputs: 6,
		Release: func(world int, source rand.Source, out []float64) error {
			sums := make()
			if err := sums.Init(setup); err != nil {
				return err
			}
			sums.Reset(privacy.NewNoise(source))
			_, err := sums.Add(privacy.Row(rows[world]))
			sums.Release().Read(out)
			return err
		},
	}.Run(ctx, confident)
	return found.Epsilon, err
}
