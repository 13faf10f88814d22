// Package learnertest has what the tests of learners share: runs, and families of learners.
package learnertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Failure returns the error of an Open.
func Failure[C any](_ C, err error) error { return err }

// Device opens a device and starts it.
func Device(t testing.TB, d learner.Device, p bandit.Problem, horizon int) (learner.CalibratedDevice, learner.Reporter) {
	t.Helper()
	ready, err := d.Open(p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return ready, ready.Start()
}

// Server opens a server and starts it.
func Server[R learner.Receiver](t testing.TB, s learner.Server, p bandit.Problem, horizon int) R {
	t.Helper()
	ready, err := s.Open(p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return ready.Start(nil).(R)
}

// ServerOf returns the server of a local learner's run.
func ServerOf(l *runtest.Running) learner.Receiver { return l.Run.(*learner.LocalRun).Server() }

// ClaimOf opens a learner and returns its claim.
func ClaimOf(t testing.TB, l bandit.Learner, p bandit.Problem, horizon int) privacy.Claim {
	t.Helper()
	ready, err := l.Open(p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return privacy.ClaimOf(ready)
}

func OGD(mu float64) local.Predictor { return local.Descent{Curvature: mu} }

func LDP(n local.LDPNoise) learner.Local {
	return learner.Local{Device: local.LDPDevice{Noise: n}, Server: local.LDPServer{Noise: n}}
}

func OnlineUCB(n local.OnlineNoise, s local.OnlineServer) learner.Local {
	s.Noise = n
	return learner.Local{Device: local.OnlineDevice{Noise: n}, Server: s}
}

// Round plays one round after another in the steady state.
func Round(b *testing.B, env bandit.Environment, l bandit.Learner, warm int) {
	b.Helper()
	RoundOf(b, env, l, warm, Horizon)
}

func RoundOf(b *testing.B, env bandit.Environment, l bandit.Learner, warm, horizon int) {
	b.Helper()
	world := runtest.Open(b, env)
	p := world.Problem()
	run := runtest.Run(b, l, p, horizon, random.New(1, 0, "learner"), random.Source(1, 0, "noise")).Run
	trial := world.Start(random.New(1, 0, "contexts"))
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	var err error
	arms, y := make([]int, 0, p.Slots), make([]float64, p.Slots)
	play := func() {
		trial.Next(&v)
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			b.Fatal(err)
		}
		trial.Pull(rewards, arms, y)
		if err = run.Update(&v, arms, y); err != nil {
			b.Fatal(err)
		}
	}
	for range warm {
		play()
	}
	b.ReportAllocs()
	for b.Loop() {
		play()
	}
}

// Choices returns the arms played in two trials, and in how many rounds View.Same was set.
func Choices(t *testing.T, env bandit.Environment, l bandit.Learner, rounds int, honour bool) (arms []int, same int) {
	t.Helper()
	world, y := runtest.Open(t, env), make([]float64, 1)
	for trial := range 2 {
		env := world.Start(random.New(1, trial, "contexts"))
		run := runtest.Run(t, l, world.Problem(), rounds, random.New(1, trial, "learner"), random.Source(1, trial, "noise"))
		rewards := random.New(1, trial, "rewards")
		var v bandit.View
		for range rounds {
			env.Next(&v)
			if v.Same {
				same++
			}
			v.Same = v.Same && honour
			arms = run.Select(&v, arms)
			played := arms[len(arms)-1:]
			env.Pull(rewards, played, y)
			run.Update(&v, played, y)
		}
	}
	return arms, same
}

// SemiPlay plays rounds on weights that depend on the round and the arm alone, and returns the
// arms. It fails where they are no basis, or where the noise drawn is not the noise claimed.
func SemiPlay(t *testing.T, l bandit.Learner, p bandit.Problem, m matroid.Matroid, rounds int, weight func(round, arm int) float64) (played [][]int) {
	t.Helper()
	ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
	run := runtest.Run(t, l, p, rounds, random.New(1, 0, "learner"), ledger)
	if w, ok := run.Ready.(bandit.Warmer); ok && w.WantsWarmUp() {
		y := make([]float64, p.Arms)
		for a := range y {
			y[a] = weight(0, a)
		}
		run.WarmUp(y)
	}
	for round := 1; round <= rounds; round++ {
		v := bandit.View{Round: round, Arms: p.Arms}
		arms := run.Select(&v, nil)
		if !matroid.NewOracle(m).Basis(arms) {
			t.Fatalf("round %d: arms %v are no basis", round, arms)
		}
		y := make([]float64, len(arms))
		for i, a := range arms {
			y[i] = weight(round, a)
		}
		run.Update(&v, arms, y)
		played = append(played, arms)
	}
	if c, ok := run.Run.(privacy.Planner); ok {
		if err := ledger.Check(privacy.PlanOf(c, privacy.All).Draws); err != nil {
			t.Fatal(err)
		}
	}
	return played
}

// Weights are 0 or 1 with the means, the same for all that ask.
func Weights(means []float64) func(round, arm int) float64 {
	return func(round, arm int) float64 {
		return Coin(rand.New(rand.NewPCG(uint64(round), uint64(arm))), means[arm])
	}
}

// Combined is the default set, quick to run.
func Combined(b privacy.Budget, c privacy.Calibration, maler bool) learner.Local {
	d, s := local.OnlineNoise{Budget: b, Calibration: c}.Combiner()
	s.BoundScale, s.TargetScale, s.Confidence, s.Base.Width = 0.02, 0.01, 0.4, 8
	if !maler {
		s.Base.Online = OGD(0.1)
	}
	return learner.Local{Device: d, Server: s}
}

func Combiners() map[string]learner.Local {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	d, theory := local.OnlineNoise{Budget: budget}.Combiner()
	theory.Base.Rule = local.TheoryWidth
	batch := Combined(budget, privacy.Sound, false)
	batch.Batch = 9
	return map[string]learner.Local{
		"sound":       Combined(budget, privacy.Sound, false),
		"maler":       Combined(budget, privacy.Sound, true),
		"published":   Combined(budget, privacy.AsPublished, false),
		"epsilon=inf": Combined(privacy.Budget{Epsilon: math.Inf(1)}, privacy.Sound, false),
		"theory":      {Device: d, Server: theory},
		"batch":       batch,
	}
}

// LDPNoises are the three ways to say what noise a message of LDP LinUCB has.
func LDPNoises(b privacy.Budget) []local.LDPNoise {
	return []local.LDPNoise{{Budget: b}, {Budget: b, Calibration: privacy.AsPublished}, {Budget: b, MatrixSD: 0.7, VectorSD: 1}}
}

// Shuffles are all shuffle learners, by name. Contexts end in 1/sqrt(2).
func Shuffles(b privacy.Budget) map[string]learner.Local {
	k := 1 / math.Sqrt2
	all := map[string]learner.Local{
		"sums/constant":      local.VectorSum{Budget: b, Batch: 20, Constant: k, Levels: 12}.Learner(),
		"amplified/Given":    local.AmplifiedNoise{Budget: b, Batch: 20, MatrixSD: 0.7, VectorSD: 1}.Learner(),
		"amplified/constant": local.AmplifiedNoise{Budget: b, Batch: 20, Constant: k}.Learner(),
	}
	add := func(end string, b privacy.Budget, batch int, calibrations ...privacy.Calibration) {
		for _, c := range calibrations {
			all["amplified/"+c.String()+end] = local.AmplifiedNoise{Budget: b, Calibration: c, Batch: batch}.Learner()
		}
		all["sums/Sound"+end] = local.VectorSum{Budget: b, Batch: batch}.Learner()
	}
	add("/B=20", b, 20, privacy.Sound, privacy.AsPublished)
	add("/B=1", b, 1, privacy.Sound)
	add("/B=20/epsilon=inf", None, 20, privacy.Sound)
	return all
}

// HighDimensional are the learners for many dimensions, on environments of sparsity 5 whose first
// coordinates matter.
func HighDimensional() map[string]bandit.Learner {
	return map[string]bandit.Learner{
		"thresholded":                 sparse.ThresholdedLasso{},
		"sparsity agnostic":           sparse.SparsityAgnostic{},
		"lasso bandit":                sparse.LassoBandit{},
		"lasso bandit, q=3":           sparse.LassoBandit{Forced: 3, Gap: 1, LambdaForced: 0.1, LambdaAll: 0.02},
		"doubly robust":               sparse.DoublyRobustLasso{},
		"doubly robust and truncated": sparse.DoublyRobustLasso{Explore: 0.3, Lambda: 0.1, Truncate: 3, Start: 20},
		"oracle":                      sparse.SupportOracle{Support: Leading(5)},
	}
}

// Films is a stand-in for the movies: vectors of genres, 1 to 4 of 18 each, of rank 17 as one genre
// is never named.
func Films() environment.SemiBandit {
	r := random.New(1, 0, "films")
	rows, means := make([][]int, 100), make([]float64, 100)
	for i := range rows {
		rows[i] = make([]int, 18)
		rows[i][i%17] = 1
		for range r.IntN(4) {
			rows[i][r.IntN(17)] = 1
		}
		means[i] = 0.1 + float64(0.4*r.Float64()) // not fused: TestNumbers hashes what follows
	}
	return environment.SemiBandit{Matroid: expect.Must(matroid.NewLinear(rows)), Means: means}
}

// Table2 is the synthetic instance of the matroid paper: vectors of which the last is a loop and
// the last but one is parallel to the first.
func Table2() environment.SemiBandit {
	return environment.SemiBandit{
		Matroid: expect.Must(matroid.NewLinear([][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}})),
		Means:   []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70},
	}
}

func SparseBits(b sparse.SparseBits) learner.Local {
	return learner.Local{Device: sparse.SparseBitsDevice{Bits: b}, Server: sparse.SparseBitsServer{Bits: b}}
}

// Rule returns the rule of a run of LinUCB.
func Rule(l *runtest.Running) *linear.UCBRule {
	return l.Run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
}

// Accumulators are every accumulator there is, by name.
func Accumulators(b privacy.Budget) map[string]privacy.Accumulator {
	all := map[string]privacy.Accumulator{
		"exact":   continual.Exact{},
		"default": nil,
	}
	gaussian := func(c privacy.Calibration) continual.Gaussian {
		return continual.Gaussian{Budget: b, Calibration: c}
	}
	wishart := func(c privacy.Calibration, unshifted bool) continual.Wishart {
		return continual.Wishart{Budget: b, Calibration: c, Unshifted: unshifted}
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		all["tree/gaussian/"+c.String()] = continual.Tree{Noise: gaussian(c)}
		all["pan-private/gaussian/"+c.String()] = continual.PanPrivateTree{Noise: gaussian(c)}
		all["tree/wishart/"+c.String()] = continual.Tree{Noise: wishart(c, false)}
		all["tree/unshifted/"+c.String()] = continual.Tree{Noise: wishart(c, true)}
		all["pan-private/wishart/"+c.String()] = continual.PanPrivateTree{Noise: wishart(c, false)}
	}
	padded := func() continual.Gaussian {
		return continual.Gaussian{Budget: b, Calibration: privacy.AsPublished, Padded: true}
	}
	all["tree/gaussian/padded"] = continual.Tree{Noise: padded()}
	all["pan-private/gaussian/padded"] = continual.PanPrivateTree{Noise: padded()}
	all["tree/wishart/given"] = continual.Tree{Noise: continual.Wishart{Budget: b, Degrees: 50_000}}
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for end, b := range map[string]privacy.Budget{"": b, "/epsilon=inf": none} {
		all["blt"+end] = continual.BLT{Budget: b}
		all["unbounded"+end] = continual.Unbounded{Budget: b}
		all["square-root"+end] = continual.SquareRoot{Budget: b}
		all["honaker"+end] = continual.Honaker{Budget: b}
	}
	all["tree/epsilon=inf"] = continual.Tree{Noise: continual.Gaussian{Budget: none}}
	all["pan-private/epsilon=inf"] = continual.PanPrivateTree{Noise: continual.Gaussian{Budget: none}}
	return all
}

// Contexts fills a view with arms of various lengths up to 1, some of them near copies of the last
// round's best.
func Contexts(r *rand.Rand, v *bandit.View, best []float64) {
	for a := range v.Arms {
		x := v.Row(a)
		random.Sphere(r, x)
		length := portable.Exp(portable.Log(r.Float64()) / 5)
		if a%4 == 1 {
			for i := range x {
				x[i] = best[i] + float64(0.05*x[i])
			}
			length /= 1.1
		}
		for i := range x {
			x[i] *= length
		}
	}
}

func Dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// Recorder is a receiver that records.
type Recorder struct{ Got []learner.Message }

func (s *Recorder) Broadcast() []float64 { return nil }

func (s *Recorder) Receive(m learner.Message) error {
	if m[0] < 0 {
		return errors.New("negative")
	}
	s.Got = append(s.Got, slices.Clone(m))
	return nil
}

// Keep returns a learner whose runs are appended to a list.
func Keep(l bandit.Learner, runs *[]bandit.Run) bandit.Learner { return kept{l, runs} }

type kept struct {
	bandit.Learner
	runs *[]bandit.Run
}

func (k kept) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := k.Learner.Open(p, horizon)
	start := bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		run := ready.Start(own, noise)
		*k.runs = append(*k.runs, run)
		return run
	})
	if w, ok := ready.(bandit.Warmer); ok {
		return warmKept{start, w.WantsWarmUp()}, err
	}
	return start, err
}

type warmKept struct {
	bandit.Starts
	warm bool
}

func (k warmKept) WantsWarmUp() bool { return k.warm }

// SemiBandits makes each learner on a matroid.
var SemiBandits = []struct {
	Name string
	Make func(m matroid.Matroid) bandit.Learner
}{
	{"omm", func(m matroid.Matroid) bandit.Learner { return slots.OMM{Matroid: m}.Learner() }},
	{"dpucb-mat", func(m matroid.Matroid) bandit.Learner { return slots.OMM{Matroid: m}.Private(2) }},
	{"dpucb-mat-remember", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.OMM{Matroid: m}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Remember: true})
	}},
	{"cts", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.CTS{Matroid: m}, nil) }},
	{"dpts-mat", func(m matroid.Matroid) bandit.Learner { return slots.CTS{Matroid: m}.Private(2) }},
	{"dpts-sample", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m, Width: 0.5, Sample: true}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Remember: true})
	}},
	{"cucb-tree", func(m matroid.Matroid) bandit.Learner { return slots.OMM{Matroid: m}.OverTree(2) }},
	{"cts-beta", func(m matroid.Matroid) bandit.Learner { return slots.CTSBeta{Matroid: m} }},
	{"kl-osm", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.KLOSM{Matroid: m}, nil) }},
	{"kl-osm-blocks", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.KLOSM{Matroid: m}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}})
	}},
}

// CombinerProblem is what the combiner's own tests play: its fake bases look at no context.
var CombinerProblem = bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}

var (
	None     = privacy.Budget{Epsilon: math.Inf(1)}
	Strict   = privacy.Budget{Epsilon: 1, Delta: 1e-5}
	Features = bandit.Problem{Arms: 6, Dim: 4, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
)

var Budget = privacy.Budget{Epsilon: 1, Delta: 0.1}

// Coin is 1 with a probability, else 0.
func Coin(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// Leading are the first n coordinates.
func Leading(n int) []int {
	on := make([]int, n)
	for i := range on {
		on[i] = i
	}
	return on
}

// Horizon is that of Experiment 2 of Shariff and Sheffet 2018.
const Horizon = 50_000_000
