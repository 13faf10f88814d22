package offpolicy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// world is a bandit whose every mean is known: the context is (u, u^2) for u uniform in [-1, 1],
// arm a's reward is 1 with probability mean(u, a), else 0.
type world struct{}

func (world) mean(u float64, a int) float64 {
	return [3]float64{0.5 + 0.3*u, 0.2 + 0.4*u*u, 0.6 - 0.2*u}[a]
}

// logged are the propensities of the log, which depend on the context.
func (world) logged(u float64, p []float64) {
	p[0], p[1] = 0.5-0.3*u, 0.15
	p[2] = 1 - p[0] - p[1]
}

// policy is the one to evaluate.
func policy(x, p []float64) {
	p[0], p[1], p[2] = 0.1, 0.45+0.2*x[0], 0.45-0.2*x[0]
}

// value is policy's mean reward: the integral over u of sum_a policy(a|u) mean(u, a), where E[u] =
// E[u^3] = 0 and E[u^2] = 1/3.
const value = 0.1*0.5 + 0.45*(0.2+0.4/3) + (0.45*0.6 + 0.2*0.2/3)

// log draws n rounds. Each user has some rounds in a row, all with the same context and a reward in
// common if she has several.
func (w world) log(r *rand.Rand, n, each int) *Log {
	l := &Log{Arms: 3, Dim: 2, RewardMin: 0, RewardMax: 1}
	p := make([]float64, 3)
	var u, luck float64
	for i := range n {
		if i%each == 0 {
			u, luck = 2*r.Float64()-1, r.Float64()
		}
		w.logged(u, p)
		a, c := 0, r.Float64()
		for c >= p[a] && a < 2 {
			c -= p[a]
			a++
		}
		y := 0.0
		if luck < w.mean(u, a) {
			y = 1
		}
		l.Contexts, l.Chosen = append(l.Contexts, u, u*u), append(l.Chosen, a)
		l.Rewards, l.Propensities = append(l.Rewards, y), append(l.Propensities, p[a])
		if each > 1 {
			l.Users = append(l.Users, i/each)
		}
	}
	return l
}

// estimators are tried alike.
var estimators = []struct {
	name string
	run  func(*Evaluation) (Estimate, error)
}{
	{"inverse propensity", (*Evaluation).InversePropensity},
	{"self-normalised", (*Evaluation).SelfNormalised},
	{"doubly robust", (*Evaluation).DoublyRobust},
}

// replicate returns the estimates from many logs.
func replicate(t *testing.T, seed uint64, logs, rounds, each int, change func(*Evaluation)) map[string][]Estimate {
	t.Helper()
	all := map[string][]Estimate{}
	for i := range logs {
		e := &Evaluation{Log: world{}.log(random.New(seed, i, "log"), rounds, each), Policy: policy}
		change(e)
		for _, k := range estimators {
			out, err := k.run(e)
			if err != nil {
				t.Fatal(err)
			}
			all[k.name] = append(all[k.name], out)
		}
	}
	return all
}

func moments(all []Estimate) (mean, std, meanSE float64, covered int) {
	n := float64(len(all))
	for _, e := range all {
		mean += e.Value / n
		meanSE += e.SE / n
		if e.Low <= value && value <= e.High {
			covered++
		}
	}
	for _, e := range all {
		std += (e.Value - mean) * (e.Value - mean) / (n - 1)
	}
	return mean, math.Sqrt(std), meanSE, covered
}

// TestEstimates: over 2000 logs of 500 rounds, the mean of the estimates is the known value to 5 of
// its standard errors (6e-7 for each; the bias of the self-normalised one, about 1e-4, is a tenth
// of that), standard errors are those of the estimates to 10% (6 standard deviations), and the 95%
// interval covers the value in 93% to 97% of the logs (4 standard deviations, 6e-5). With users of
// five rounds the same holds, and would not if their rounds were counted as independent.
func TestEstimates(t *testing.T) {
	const logs, rounds = 2000, 500
	for _, each := range []int{1, 5} {
		for name, all := range replicate(t, 1, logs, rounds*each, each, func(*Evaluation) {}) {
			mean, std, se, covered := moments(all)
			t.Logf("%d rounds a user, %s: mean %.5f of %.5f, deviation %.5f, mean SE %.5f, covered %.3f", each, name, mean, value, std, se, float64(covered)/logs)
			if math.Abs(mean-value) > 5*std/math.Sqrt(logs) {
				t.Errorf("%s: mean %v, want %v", name, mean, value)
			}
			if math.Abs(se/std-1) > 0.1 {
				t.Errorf("%s: mean standard error %v, and the estimates' deviation is %v", name, se, std)
			}
			if share := float64(covered) / logs; share < 0.93 || share > 0.97 {
				t.Errorf("%s: the interval covers the value in %v of the logs", name, share)
			}
			if d := all[0].Doubts(); len(d) > 0 {
				t.Errorf("%s: doubts %q", name, d)
			}
		}
	}
	wrong := replicate(t, 1, 400, rounds*5, 5, func(e *Evaluation) { e.Log.Users = nil })
	if _, std, se, _ := moments(wrong["self-normalised"]); se > 0.8*std {
		t.Errorf("users of five rounds do not matter here: standard error %v without them, deviation %v", se, std)
	}
}

// TestSkewedIsDoubted: where one round of ten has the policy's arm, and 7% of these a reward, seven
// rounds of 1000 decide. The interval of inverse propensity then covers 91.3% (by the binomial law;
// under 93.8% of these 2000 logs, but for 4 standard deviations, 3e-5), although the log has about
// 100 effective rounds. It is doubted where fewer than 16 rounds are rewarded: in all logs but 4.6
// of 2000, and in all but 15, with the same error. The logs of world have no heavy weight, and
// intervals that cover 94% or more: of 400 at most 8 are doubted, where 1 in 180 is (6e-4).
func TestSkewedIsDoubted(t *testing.T) {
	const logs, rounds, mean = 2000, 1000, 0.07
	covered, doubted := 0, 0
	for i := range logs {
		r := random.New(2, i, "log")
		l := &Log{Arms: 10, RewardMin: 0, RewardMax: 1}
		for range rounds {
			a, y := r.IntN(10), 0.0
			if r.Float64() < mean {
				y = 1
			}
			l.Chosen, l.Rewards, l.Propensities = append(l.Chosen, a), append(l.Rewards, y), append(l.Propensities, 0.1)
		}
		e := &Evaluation{Log: l, Policy: func(_, p []float64) { p[0] = 1 }}
		out, err := e.InversePropensity()
		if err != nil {
			t.Fatal(err)
		}
		if out.Low <= mean && mean <= out.High {
			covered++
		}
		if strings.Contains(strings.Join(out.Doubts(), "; "), "skewness") {
			doubted++
		}
	}
	t.Logf("covered %v, doubted %v of %d", covered, doubted, logs)
	if covered > 938*logs/1000 {
		t.Errorf("the interval covers in %d of %d logs: this is no test of a doubt", covered, logs)
	}
	if doubted < logs-15 {
		t.Errorf("%d of %d intervals are doubted for their skewness, want all but 15", doubted, logs)
	}
	for name, all := range replicate(t, 3, 400, 500, 1, func(*Evaluation) {}) {
		doubted := 0
		for _, e := range all {
			if math.Abs(e.Skew) > skewed {
				doubted++
			}
		}
		t.Logf("%s: %d of %d doubted", name, doubted, len(all))
		if doubted > 8 {
			t.Errorf("%s: %d of %d intervals are doubted where no weight is heavy, want at most 8", name, doubted, len(all))
		}
	}
}

// Of a log of the policy's own rounds, all weights are 1, and the estimate is the mean reward with
// the standard error of a mean.
func TestOnPolicy(t *testing.T) {
	l := world{}.log(random.New(1, 0, "log"), 300, 1)
	own := func(x, p []float64) { world{}.logged(x[0], p) }
	var mean, square float64
	for _, y := range l.Rewards {
		mean += y / 300
	}
	for _, y := range l.Rewards {
		square += (y - mean) * (y - mean) / 299
	}
	for _, k := range estimators[:2] {
		e, err := k.run(&Evaluation{Log: l, Policy: own})
		if err != nil || math.Abs(e.Value-mean) > 1e-12 || math.Abs(e.SE-math.Sqrt(square/300)) > 1e-12 || math.Abs(e.Effective-300) > 1e-9 || math.Abs(e.MeanWeight-1) > 1e-12 {
			t.Errorf("%s: %+v, %v, want mean %v with SE %v", k.name, e, err, mean, math.Sqrt(square/300))
		}
		if half := 1.959963984540054 * e.SE; math.Abs(e.High-e.Value-half) > 1e-12 || math.Abs(e.Value-e.Low-half) > 1e-12 {
			t.Errorf("%s: interval %v to %v around %v, want +-%v", k.name, e.Low, e.High, e.Value, half)
		}
	}
}

// Where a linear regression predicts the reward without error, the doubly robust estimate is that
// of the contexts alone.
func TestDoublyRobustUsesTheRegression(t *testing.T) {
	l := world{}.log(random.New(1, 0, "log"), 2000, 1)
	l.RewardMax = 10
	want := 0.0
	p := make([]float64, 3)
	for i, a := range l.Chosen {
		u := l.Contexts[2*i]
		l.Rewards[i] = float64(1+a) + 0.5*u
		policy(l.context(i), p)
		want += (p[0] + 2*p[1] + 3*p[2] + 0.5*u) / 2000
	}
	e := &Evaluation{Log: l, Policy: policy, Ridge: 1e-9}
	robust, err := e.DoublyRobust()
	if err != nil || math.Abs(robust.Value-want) > 1e-6 {
		t.Errorf("doubly robust %v, %v, want %v", robust, err, want)
	}
	if ips, err := e.InversePropensity(); err != nil || ips.SE < 5*robust.SE {
		t.Errorf("standard errors: inverse propensity %v, doubly robust %v", ips.SE, robust.SE)
	}
}

// The self-normalised estimate moves with the rewards.
func TestSelfNormalisedMoves(t *testing.T) {
	l := world{}.log(random.New(2, 0, "log"), 300, 1)
	before, err := (&Evaluation{Log: l, Policy: policy}).SelfNormalised()
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Rewards {
		l.Rewards[i] += 7
	}
	l.RewardMin, l.RewardMax = 7, 8
	after, err := (&Evaluation{Log: l, Policy: policy}).SelfNormalised()
	if err != nil || math.Abs(after.Value-before.Value-7) > 1e-12 || math.Abs(after.SE-before.SE) > 1e-12 {
		t.Errorf("%v, %v; before it was %v", after, err, before)
	}
}

// TestClip: clipped weights move the mean of 1000 estimates by no more than the mean bound on the
// bias, plus 5 standard errors (6e-7 at the bound), and by more than 5 of them for inverse
// propensity, so that there is something to bound.
func TestClip(t *testing.T) {
	const logs = 1000
	for name, all := range replicate(t, 3, logs, 500, 1, func(e *Evaluation) { e.Clip = 2 }) {
		mean, std, _, _ := moments(all)
		bias, clipped := 0.0, 0
		for _, e := range all {
			bias += e.Bias / logs
			clipped += e.Clipped
		}
		t.Logf("%s: bias %.4f, bound %.4f, %d clipped", name, mean-value, bias, clipped)
		if off, se := math.Abs(mean-value), std/math.Sqrt(logs); off > bias+5*se || name == "inverse propensity" && off < 5*se || clipped == 0 {
			t.Errorf("%s: bias %v with standard error %v, bound %v", name, off, se, bias)
		}
	}
}

// TestHeavyWeights: where one round in 2000 has a weight of 1000 and the rest of the value, 95%
// intervals from 500 rounds miss the value in most logs, and Doubts says so in each of those.
func TestHeavyWeights(t *testing.T) {
	missed := 0
	for i := range 200 {
		r := random.New(1, i, "heavy")
		l := &Log{Arms: 2, RewardMin: 0, RewardMax: 1}
		for range 500 {
			a, p := 0, 1-1.0/2000
			if r.Float64() < 1.0/2000 {
				a, p = 1, 1.0/2000
			}
			l.Chosen, l.Rewards, l.Propensities = append(l.Chosen, a), append(l.Rewards, float64(a)), append(l.Propensities, p)
		}
		e, err := (&Evaluation{Log: l, Policy: func(_, p []float64) { p[0], p[1] = 0.5, 0.5 }}).InversePropensity()
		if err != nil {
			t.Fatal(err)
		}
		if e.Low <= 0.5 && 0.5 <= e.High {
			continue
		}
		if missed++; len(e.Doubts()) == 0 {
			t.Fatalf("no doubt about %v", e)
		}
	}
	if missed < 100 {
		t.Errorf("%d of 200 intervals miss the value", missed)
	}
}

// A policy that plays what the log never does is noticed by the mean weight.
func TestMissingArm(t *testing.T) {
	l := world{}.log(random.New(4, 0, "log"), 1000, 1)
	l.Arms = 4
	e, err := (&Evaluation{Log: l, Policy: func(_, p []float64) { p[1], p[3] = 0.5, 0.5 }}).InversePropensity()
	if err != nil || !strings.Contains(e.String(), "want 1: the propensities are wrong, or the log lacks arms") {
		t.Errorf("%v, %v", e, err)
	}
}

// A policy that never plays what the log did has a mean weight of 0, which is noticed, too.
func TestNoWeight(t *testing.T) {
	l := world{}.log(random.New(4, 0, "log"), 200, 1)
	l.Arms = 4
	e, err := (&Evaluation{Log: l, Policy: func(_, p []float64) { p[3] = 1 }}).InversePropensity()
	if err != nil || !strings.Contains(e.String(), "a mean weight of 0, want 1") {
		t.Errorf("%v, %v", e, err)
	}
}

// The names of users do not matter: where all of them are multiples of the number of folds, users
// are dealt to the folds all the same.
func TestFoldsOfUsers(t *testing.T) {
	l := world{}.log(random.New(5, 0, "log"), 500, 5)
	e := &Evaluation{Log: l, Policy: policy}
	want, err := e.DoublyRobust()
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Users {
		l.Users[i] = 1000 * (200 - l.Users[i])
	}
	if got, err := e.DoublyRobust(); err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// What is at the bounds has finite estimates: the largest rewards and weights, and the largest
// level, also where all rounds are the same.
func TestExtremes(t *testing.T) {
	for _, rewards := range [][]float64{{1e100, -1e100, 1e100}, {1, 1, 1}} {
		l := &Log{Arms: 2, Chosen: []int{0, 0, 0}, Rewards: rewards, Propensities: []float64{1e-50, 1e-50, 1e-50}, RewardMin: -1e100, RewardMax: 1e100}
		for _, k := range estimators {
			e, err := k.run(&Evaluation{Log: l, Policy: func(_, p []float64) { p[0] = 1 }, Level: math.Nextafter(1, 0)})
			if err != nil || !(e.SE <= 1e155 && e.Low <= e.Value && e.Value <= e.High && e.High-e.Low < 1e160) {
				t.Errorf("%s: %+v, %v", k.name, e, err)
			}
		}
	}
}

func TestEvaluationRefuses(t *testing.T) {
	for want, change := range map[string]func(*Evaluation){
		"Log is nil":                        func(e *Evaluation) { e.Log = nil },
		"Policy is nil":                     func(e *Evaluation) { e.Policy = nil },
		"Clip = -1":                         func(e *Evaluation) { e.Clip = -1 },
		"Clip = NaN":                        func(e *Evaluation) { e.Clip = math.NaN() },
		"Level = 1,":                        func(e *Evaluation) { e.Level = 1 },
		"Ridge = -1":                        func(e *Evaluation) { e.Ridge = -1 },
		"Folds = 101, want":                 func(e *Evaluation) { e.Folds = 101 },
		"no rounds":                         func(e *Evaluation) { *e.Log = Log{} },
		"Arms = 0":                          func(e *Evaluation) { e.Log.Arms = 0 },
		"Dim = -1":                          func(e *Evaluation) { e.Log.Dim = -1 },
		"Contexts has 40 numbers":           func(e *Evaluation) { e.Log.Dim = 3 },
		"20 arms, 19 rewards":               func(e *Evaluation) { e.Log.Rewards = e.Log.Rewards[:19] },
		"RewardMin = 2":                     func(e *Evaluation) { e.Log.RewardMin = 2 },
		"Contexts[1] = +Inf":                func(e *Evaluation) { e.Log.Contexts[1] = math.Inf(1) },
		"Chosen[3] = 3, want in [0, Arms":   func(e *Evaluation) { e.Log.Chosen[3] = 3 },
		"Rewards[0] = 2, want in":           func(e *Evaluation) { e.Log.Rewards[0] = 2 },
		"Propensities[0] = 0, want":         func(e *Evaluation) { e.Log.Propensities[0] = 0 },
		"Propensities[0] = NaN":             func(e *Evaluation) { e.Log.Propensities[0] = math.NaN() },
		"Users[0] = -1":                     func(e *Evaluation) { e.Log.Users = make([]int, 20); e.Log.Users[0] = -1 },
		"round 1: the policy's probabilit":  func(e *Evaluation) { e.Policy = func(_, p []float64) { p[0] = 0.5 } },
		"plays arm 1 with probability -0.5": func(e *Evaluation) { e.Policy = func(_, p []float64) { p[0], p[1] = 1.5, -0.5 } },
		"the regression of arm": func(e *Evaluation) {
			for i := range e.Log.Contexts {
				e.Log.Contexts[i] = 1e200
			}
			e.Policy = func(_, p []float64) { p[0] = 1 }
		},
		"round 1: the propensity 1e-300 makes a weight of": func(e *Evaluation) {
			e.Log.Propensities[0] = 1e-300
			e.Policy = func(_, p []float64) { p[e.Log.Chosen[0]] = 1 }
		},
		"GiB of memory": func(e *Evaluation) { e.Log.Arms = 1 << 27 },
	} {
		e := &Evaluation{Log: world{}.log(random.New(1, 0, "log"), 20, 1), Policy: policy}
		change(e)
		if _, err := e.DoublyRobust(); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "offpolicy: ") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	l := &Log{Arms: 2, Chosen: []int{0}, Rewards: []float64{1}, Propensities: []float64{0.5}, RewardMax: 1}
	if _, err := (&Evaluation{Log: l, Policy: func(_, p []float64) { p[1] = 1 }}).SelfNormalised(); err == nil || !strings.Contains(err.Error(), "all weights are 0") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkEvaluation(b *testing.B) {
	e := &Evaluation{Log: world{}.log(random.New(1, 0, "log"), 100_000, 1), Policy: policy}
	for _, k := range estimators {
		b.Run(strings.ReplaceAll(k.name, " ", "-")+"/rounds=100000", func(b *testing.B) {
			for range b.N {
				if _, err := k.run(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
