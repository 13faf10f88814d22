package arms_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// congruential is a source whose 53 high bits, as Float64 reads them, are those of Knuth's linear
// congruential generator, which is easily written again elsewhere.
type congruential uint64

func (c *congruential) Uint64() uint64 {
	*c = *c*6364136223846793005 + 1442695040888963407
	return uint64(*c) >> 11
}

// TestBetsGolden: plays and last probabilities after 500 releases are those of a program of its own
// in Python with 40 digits (mpmath): exponential weights by their formula, and Tsallis-INF by
// bisection. Uniform draws are those of congruential from 1; an arm is the first whose cumulated
// probability exceeds its draw. The released mean of arm a at release t is ((7 t^2 + 3 a t + 5 a)
// mod 11)/10, for a = 2 the average of that and 1; the noisy ones add ((13 t + t^2) mod 17 - 8)/4,
// and say that this is Laplace noise of scale 1/2.
func TestBetsGolden(t *testing.T) {
	for _, g := range []struct {
		name    string
		policy  learner.Policy[privacy.Means]
		noise   float64
		plays   [4]int
		chances [4]float64
	}{
		{"EXP3", arms.EXP3{}, 0, [4]int{127, 36, 280, 57}, [4]float64{0.28592728296183, 0.011237351919391, 0.66127489524009, 0.041560469878688}},
		{"EXP3, fixed", arms.EXP3{Rounds: 1000}, 0, [4]int{149, 57, 227, 67}, [4]float64{0.26789047515162, 0.10330645496614, 0.6029449532793, 0.025858116602929}},
		{"EXP3-IX", arms.EXP3IX{}, 0, [4]int{131, 52, 248, 69}, [4]float64{0.25788302550832, 0.12778994784092, 0.55149193651432, 0.062835090136438}},
		{"EXP3-IX, fixed", arms.EXP3IX{Rounds: 1000}, 0, [4]int{149, 61, 220, 70}, [4]float64{0.30161209051239, 0.061924824327762, 0.59343840840927, 0.043024676750571}},
		{"Tsallis-INF", arms.TsallisINF{}, 0, [4]int{117, 27, 324, 32}, [4]float64{0.20371501656626, 0.007639756135539, 0.75333893358164, 0.035306293716563}},
		{"Tsallis-INF, reduced", arms.TsallisINF{Reduced: true}, 0, [4]int{53, 20, 400, 27}, [4]float64{0.032550338756967, 0.0074573832440943, 0.92901953551547, 0.030972742483464}},
		{"HTINF", arms.HTINF{}, 0, [4]int{106, 72, 260, 62}, [4]float64{0.21425169007669, 0.12572988287073, 0.62403201722467, 0.035986409827904}},
		{"HTINF, noisy", arms.HTINF{}, 0.5, [4]int{104, 83, 166, 147}, [4]float64{0.13462698502829, 0.13412571880358, 0.58621527981915, 0.14503201634899}},
	} {
		prepared, err := g.policy.Prepare(bandit.Problem{Arms: 4, Slots: 1, RewardMax: 1}, 500, nil)
		if err != nil {
			t.Fatal(err)
		}
		source := congruential(1)
		rule := prepared.Begin(rand.New(&source))
		release := &privacy.Means{Of: make([]privacy.Estimate, 4)}
		broadcast, err := rule.Learn(release)
		if err != nil {
			t.Fatal(err)
		}
		var plays [4]int
		for i := 1; i <= 500; i++ {
			chosen, err := rule.Act(broadcast, &bandit.View{Round: i, Arms: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a := chosen[0]
			plays[a]++
			mean := float64((7*i*i+3*a*i+5*a)%11) / 10
			if a == 2 {
				mean = (1 + mean) / 2
			}
			if g.noise > 0 {
				mean += float64((13*i+i*i)%17-8) / 4
			}
			release.Of[a] = privacy.Estimate{Mean: mean, Count: 1, Tail: privacy.Tail{Linear: g.noise}}
			release.Changed, release.Records = []int{a}, i
			if broadcast, err = rule.Learn(release); err != nil {
				t.Fatal(err)
			}
		}
		if plays != g.plays {
			t.Errorf("%s: plays %v, want %v", g.name, plays, g.plays)
		}
		for a, want := range g.chances {
			if got := broadcast[1+a]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: arm %d has the chance %.14g, want %.14g", g.name, a, got, want)
			}
		}
	}
}

// TestBetsOverCounts: over exact means of all rewards so far, a policy plays the arms that it plays
// over the rewards themselves, as long as differences of sums do not round.
func TestBetsOverCounts(t *testing.T) {
	bits := func(arm, round int) float64 { return float64((round*round + 3*arm*round + arm) % 5 / 3) }
	for _, p := range []learner.Policy[privacy.Means]{arms.EXP3{}, arms.EXP3IX{}, arms.TsallisINF{}, arms.TsallisINF{Reduced: true}, arms.HTINF{}} {
		each := tally.RoundBatches{Budget: privacy.Budget{Epsilon: inf}, Lengths: tally.EqualRounds(1)}
		one, other := play(t, learner.New(p, each), four, 300, bits), play(t, learner.New(p, nil), four, 300, bits)
		for i := range one {
			if one[i] != other[i] {
				t.Errorf("%T: round %d: arm %d over rewards, %d over counts", p, i+1, one[i], other[i])
				break
			}
		}
	}
}

// TestBetsRefuse: means that are neither of the last rounds nor of all are refused by name.
func TestBetsRefuse(t *testing.T) {
	l := learner.New(arms.EXP3{}, tally.Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: tally.Geometric{First: 2, Ratio: 2}})
	run := started(t, opened(t, l, four, 100), 0)
	var err error
	for round := 1; round <= 100 && err == nil; round++ {
		v := bandit.View{Round: round, Arms: 4}
		arm := round % 4
		if _, err = run.Select(&v, nil); err == nil {
			err = run.Update(&v, []int{arm}, []float64{0})
		}
	}
	if err == nil || !strings.Contains(err.Error(), "want tally.RoundBatches") {
		t.Errorf("an error of %v, want one that names tally.RoundBatches", err)
	}
}

// hindsight returns mean regrets in hindsight and their standard errors.
func hindsight(t *testing.T, env bandit.Environment, horizon, trials int, policies ...simulate.Policy) map[string][2]float64 {
	t.Helper()
	e := &simulate.Experiment{Name: "adversary", Horizon: horizon, Trials: trials, Seed: 1, Grid: []int{horizon}, Environment: env, Policies: policies}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][2]float64{}
	for _, c := range r.Curves() {
		found[c.Policy] = [2]float64{c.Mean[0], c.SE[0]}
	}
	return found
}

// TestBetsBounds: in hindsight, the learners that are not private keep the bounds that are proved
// for them, on each plan, and UCB1 has more than EXP3 and HTINF at epsilon = 1 have on the seesaw.
// Means of 10 trials are below half of the bounds, and the seed is fixed.
func TestBetsBounds(t *testing.T) {
	const k, n = 10, 20_000
	kn, log := float64(k*n), math.Log(k)
	bounds := map[string]float64{"EXP3": 2 * math.Sqrt(kn*log), "EXP3-IX": 4*math.Sqrt(kn*log) + (2*math.Sqrt(kn/log)+1)*math.Log(2/0.01), "Tsallis-INF": 4*math.Sqrt(kn) + 1}
	for _, plan := range []environment.AdversaryPlan{environment.Seesaw, environment.Turns, environment.Steady} {
		found := hindsight(t, environment.Adversary{Plan: plan, Arms: k}, n, 10,
			simulate.Policy{Name: "EXP3", Learner: arms.EXP3{}.Learner()}, simulate.Policy{Name: "EXP3-IX", Learner: arms.EXP3IX{}.Learner()},
			simulate.Policy{Name: "Tsallis-INF", Learner: learner.New(arms.TsallisINF{}, nil)}, simulate.Policy{Name: "reduced", Learner: arms.TsallisINF{}.Learner()},
			simulate.Policy{Name: "UCB1", Learner: arms.UCB1{}.Learner()}, simulate.Policy{Name: "DP-HTINF", Learner: arms.HTINF{}.Private(1)})
		t.Logf("%v: %v", plan, found)
		for name, bound := range bounds {
			if got := found[name][0]; !(got < bound) {
				t.Errorf("%v: %s has a regret of %v, want below %v", plan, name, got, bound)
			}
		}
		if ucb := found["UCB1"][0]; plan == environment.Seesaw && !(ucb > found["EXP3"][0] && ucb > found["DP-HTINF"][0]) {
			t.Errorf("%v: UCB1 has a regret of %v, want the largest", plan, ucb)
		}
	}
}
