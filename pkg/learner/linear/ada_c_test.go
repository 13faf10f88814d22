package linear_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

var some = privacy.Budget{Epsilon: 1, Delta: 1e-5}

func adaC() map[string]bandit.Learner {
	published := linear.AdaCGOPE{Budget: some, Calibration: privacy.AsPublished}
	return map[string]bandit.Learner{
		"GOPE":               linear.AdaCGOPE{}.Private(some),
		"GOPE as published":  learner.New(published, tally.Regression{Budget: some, Lengths: published}),
		"GOPE without noise": learner.New(linear.AdaCGOPE{Budget: privacy.Budget{Epsilon: math.Inf(1)}}, nil),
		"OFUL":               linear.UCB{}.AdaCOFUL(some),
		"OFUL, correlated":   learner.New(linear.UCB{}, privacy.Accumulator(continual.PublicContexts{Budget: some, Buffers: 3})),
		"OFUL without noise": linear.UCB{}.AdaCOFUL(privacy.Budget{Epsilon: math.Inf(1)}),
	}
}

func TestAdaCConformance(t *testing.T) {
	for name, l := range adaC() {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l, environment.SphereArms{Dim: 3, Arms: 12}, bandittest.LearnerOptions{})
		})
	}
	t.Run("OFUL, fresh contexts", func(t *testing.T) {
		bandittest.Learner(t, adaC()["OFUL"], environment.DecisionSets{Dim: 3}, bandittest.LearnerOptions{})
	})
}

// TestAdaCClaims: what is asked for is what is proved, of rewards alone.
func TestAdaCClaims(t *testing.T) {
	for name, l := range adaC() {
		claim := expect.Must(learner.ClaimOf(l, environment.SphereArms{Dim: 3, Arms: 12}.Problem(), 5000))
		if math.IsInf(claim.Asked().Epsilon, 1) {
			continue
		}
		expect.Near(t, name, claim.Epsilon(), some.Epsilon, 1e-6)
		if claim.Neighbours() != privacy.ReplaceWeights || claim.Model() != privacy.Joint {
			t.Errorf("%s: %v in the %v model, want rewards alone, jointly private", name, claim.Neighbours(), claim.Model())
		}
	}
}

// estimating is the rule of AdaCGOPE, for a look inside.
type estimating interface {
	Estimates() (arms []int, means []float64, width float64)
	Survivors() []int
}

// TestAdaCGOPEWidths: on spheres of arms all estimates are within their widths in all phases of all
// trials, which fail with probability 8/T at most, and at most the width that a phase is for; the
// best arm survives.
func TestAdaCGOPEWidths(t *testing.T) {
	const rounds = 200_000
	for _, b := range []privacy.Budget{{Epsilon: 1, Delta: 0.1}, {Epsilon: 0.1, Delta: 1e-5}, {Epsilon: math.Inf(1)}} {
		for trial := range 4 {
			env := environment.SphereArms{Dim: 4, Arms: 30}
			game := runtest.Open(t, env).Start(random.New(12, trial, "contexts"))
			rewards := random.New(12, trial, "rewards")
			run := runtest.Run(t, linear.AdaCGOPE{}.Private(b), env.Problem(), rounds, random.New(12, trial, "own"), random.Source(12, trial, "noise"))
			rule := run.Run.(*learner.PrivateRun[tally.Equations]).Rule().(estimating)
			theta := environment.Theta(game)
			var v bandit.View
			var y [1]float64
			arms, phases, last := make([]int, 0, 1), 0, 0.0
			for range rounds {
				game.Next(&v)
				arms = run.Select(&v, arms[:0])
				game.Pull(rewards, arms, y[:])
				run.Update(&v, arms, y[:])
				tried, means, width := rule.Estimates()
				if width == last {
					continue
				}
				last = width
				phases++
				half := (env.Problem().RewardMax - env.Problem().RewardMin) / 2
				if most := half * math.Ldexp(1, -phases) * (1 + 1e-9); width > most {
					t.Errorf("%v, trial %d: phase %d has the width %v, want at most %v", b, trial, phases, width, most)
				}
				for i, a := range tried {
					if off := math.Abs(means[i] - inner(v.Row(a), theta)); off > width {
						t.Errorf("%v, trial %d, phase %d: the estimate of arm %d is off by %v, with the width %v", b, trial, phases, a, off, width)
					}
				}
			}
			if phases < 2 || game.Regret(arms) > 4*last {
				t.Errorf("%v, trial %d: %d phases, and an arm %v below the best at the end, with the width %v", b, trial, phases, game.Regret(arms), last)
			}
		}
	}
}

func TestAdaCGOPERefuses(t *testing.T) {
	p := environment.SphereArms{Dim: 3, Arms: 12}.Problem()
	for want, l := range map[string]bandit.Learner{
		"epsilon = 0":    linear.AdaCGOPE{}.Private(privacy.Budget{}),
		"delta = 0":      linear.AdaCGOPE{}.Private(privacy.Budget{Epsilon: 1}),
		"Most = 1":       learner.New(linear.AdaCGOPE{Budget: some, Most: 1}, tally.Regression{Budget: some, Lengths: linear.AdaCGOPE{Budget: some}}),
		"Calibration = ": learner.New(linear.AdaCGOPE{Budget: some, Calibration: 9}, tally.Regression{Budget: some, Lengths: linear.AdaCGOPE{Budget: some}}),
	} {
		_, err := l.Open(p, 1000)
		expect.Error(t, want, err, want)
	}
	_, err := learner.New(linear.UCB{OptimalShift: true}, privacy.Accumulator(continual.PublicContexts{Budget: some})).Open(p, 1000)
	expect.Error(t, "a shift of LinUCB's own", err, "cannot be shifted")
	_, err = linear.UCB{}.AdaCOFUL(privacy.Budget{Epsilon: 1}).Open(p, 1000)
	expect.Error(t, "no delta", err, "delta = 0")
}

// scripted is noise whose draws are all the same numbers, in units of the standard deviation.
func scripted(z ...float64) privacy.Script {
	return func(law privacy.Law, dst []float64) {
		for i := range dst {
			dst[i] = z[i] * law.Scale
		}
	}
}

// TestAdaCGOPELengths compares the lengths of phases with numpy, for 50 arms in five dimensions and
// a million rounds.
func TestAdaCGOPELengths(t *testing.T) {
	s := privacy.Setup{Horizon: 1_000_000, Dim: 6, Arms: 50, Lo: -0.5, Hi: 0.5}
	for _, c := range []struct {
		b         privacy.Budget
		published privacy.Calibration
		want      []int
	}{
		{privacy.Budget{Epsilon: 1, Delta: 0.1}, privacy.Sound, []int{841, 3435, 14088, 57607, 234668, 0}},
		{privacy.Budget{Epsilon: 0.1, Delta: 1e-5}, privacy.Sound, []int{4429, 10097, 25158, 73201, 253055, 0}},
		{privacy.Budget{Epsilon: math.Inf(1)}, privacy.Sound, []int{817, 3410, 14063, 57582, 234643, 0}},
		{privacy.Budget{Epsilon: 1, Delta: 0.1}, privacy.AsPublished, []int{3528, 14097, 56732, 229293, 0}},
		{privacy.Budget{Epsilon: 0.1, Delta: 1e-5}, privacy.AsPublished, []int{12929, 33308, 95656, 307873, 0}},
		{privacy.Budget{Epsilon: math.Inf(1)}, privacy.AsPublished, []int{3184, 13394, 55307, 226416, 0}},
	} {
		g := linear.AdaCGOPE{Budget: c.b, Calibration: c.published}
		var got []int
		for i := range c.want {
			got = append(got, g.Length(i, s))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: %v rounds, numpy has %v", c.b, c.published, got, c.want)
		}
	}
	s.Horizon = 10 // the first phase is begun
	if n := (linear.AdaCGOPE{Budget: some}).Length(0, s); n < 10 {
		t.Errorf("a first phase of %d rounds, want at least 10", n)
	}
}

// fixed is an environment of arms that stay the same, or turn from round to round, with rewards
// that are not random.
type fixed struct {
	arms   [][]float64 // nil: four arms that turn
	theta  []float64
	size   float64 // of the sine that is added to a mean
	often  float64 // its frequency
	rounds int
}

func (f *fixed) next() *bandit.View {
	f.rounds++
	v := &bandit.View{Round: f.rounds, Dim: 3}
	arms := f.arms
	if t := float64(f.rounds); arms == nil {
		for a := 0.0; a < 4; a++ {
			arms = append(arms, []float64{math.Sin(t+a) / 2, math.Cos(2*t+a) / 2, math.Sin(3*t-a) / 2})
		}
	}
	for _, x := range arms {
		v.X = append(v.X, x...)
	}
	v.Arms = len(arms)
	return v
}

func (f *fixed) reward(v *bandit.View, arm int) float64 {
	return inner(v.Row(arm), f.theta) + f.size*math.Sin(f.often*float64(f.rounds))
}

// TestAdaCGOPEAgainstNumpy: the estimates after the first phase, their width and who survives are
// those of an independent program, under noise that is prescribed. The optimal design is known: the
// unit vectors, as often each.
func TestAdaCGOPEAgainstNumpy(t *testing.T) {
	f := &fixed{arms: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.5, 0.2}, {0.3, 0.3, 0.8}},
		theta: []float64{0.65, 0.3, -0.6}, size: 0.3, often: 1}
	p := bandit.Problem{Arms: 5, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	run := runtest.Run(t, linear.AdaCGOPE{}.Private(privacy.Budget{Epsilon: 1, Delta: 0.1}), p, 5000, nil, scripted(0.7, -0.4, 0.2))
	rule := run.Run.(*learner.PrivateRun[tally.Equations]).Rule().(estimating)
	var arms []int
	for range 310 { // the first phase has 309
		v := f.next()
		arms = run.Select(v, arms[:0])
		want := min((f.rounds-1)/102, 2)
		if f.rounds > 306 && f.rounds <= 309 {
			want = f.rounds - 307
		}
		if f.rounds <= 309 && arms[0] != want {
			t.Fatalf("round %d plays arm %d, want %d", f.rounds, arms[0], want)
		}
		run.Update(v, arms, []float64{f.reward(v, arms[0])})
	}
	_, means, width := rule.Estimates()
	for a, want := range []float64{0.66636566, 0.29365312, -0.59664923, 0.42731611, -0.18931375} {
		expect.Near(t, fmt.Sprintf("the mean of arm %d", a), means[a], want, 1e-6)
	}
	expect.Near(t, "the width", width, 0.483517036603514, 1e-6)
	if got := rule.Survivors(); !slices.Equal(got, []int{0, 1, 3, 4}) {
		t.Errorf("the arms %v survive, want all but arm 2", got)
	}
}

// TestAdaCOFULAgainstNumpy: the arms, the rounds of releases, the estimate and the width after 400
// rounds are those of an independent program, under noise that is prescribed.
func TestAdaCOFULAgainstNumpy(t *testing.T) {
	const rounds = 400
	f := &fixed{theta: []float64{0.6, -0.4, 0.2}, size: 0.2, often: 7}
	p := bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	run := runtest.Run(t, linear.UCB{}.AdaCOFUL(privacy.Budget{Epsilon: 1, Delta: 0.1}), p, rounds, nil, scripted(0.5, -0.5, 0.25))
	rule := run.Run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
	var arms, ends []int
	plays, played, last := make([]int, 4), "", 0.0
	for range rounds {
		v := f.next()
		arms = run.Select(v, arms[:0])
		plays[arms[0]]++
		played += fmt.Sprint(arms[0])
		run.Update(v, arms, []float64{f.reward(v, arms[0])})
		if _, beta := rule.Confidence(); beta != last {
			if last != 0 {
				ends = append(ends, f.rounds)
			}
			last = beta
		}
	}
	if want := []int{2, 4, 7, 11, 17, 23, 31, 42, 55, 73, 95, 123, 158, 203, 260, 333}; !slices.Equal(ends, want) {
		t.Errorf("releases after rounds %v, want %v", ends, want)
	}
	if want := []int{143, 91, 85, 81}; !slices.Equal(plays, want) {
		t.Errorf("the arms are played %v times, want %v", plays, want)
	}
	const begin = "121101101102200202212212110110310030220021221011031003032003022102122101103100302200212210310310030320030221021221011031"
	if played[:len(begin)] != begin {
		t.Errorf("the arms begin with %s, want %s", played[:len(begin)], begin)
	}
	theta, beta := rule.Confidence()
	for i, want := range []float64{0.85882107, -0.71770597, 0.3555233} {
		expect.Near(t, "theta", theta[i], want, 1e-6)
	}
	expect.Near(t, "beta", beta, 14.273884503578703, 1e-8)
}
