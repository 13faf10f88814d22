package arms_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// play returns the arms that a learner plays, given the reward of an arm in a round.
func play(t *testing.T, l bandit.Learner, p bandit.Problem, rounds int, reward func(arm, round int) float64) []int {
	t.Helper()
	played, _ := playing(t, l, p, rounds, reward)
	return played
}

// playing returns the arms that a learner plays, and what its run warns of.
func playing(t *testing.T, l bandit.Learner, p bandit.Problem, rounds int, reward func(arm, round int) float64) ([]int, []bandit.Warning) {
	t.Helper()
	r := started(t, opened(t, l, p, rounds), 0)
	v := bandit.View{Arms: p.Arms}
	var played []int
	y := make([]float64, 1)
	for v.Round = 1; v.Round <= rounds; v.Round++ {
		played = r.choose(&v, played)
		last := played[len(played)-1:]
		y[0] = reward(last[0], v.Round)
		r.learn(&v, last, y)
	}
	return played, bandit.Warnings(r.Run)
}

// drawn are the rewards of some arms, Gaussian so that means do not tie.
func drawn(means []float64, rounds int) [][]float64 {
	r := random.New(2, 0, "rewards")
	rewards := make([][]float64, len(means))
	for a, mean := range means {
		for range rounds {
			rewards[a] = append(rewards[a], min(max(mean+0.2*random.Normal(r), 0), 1))
		}
	}
	return rewards
}

var four = bandit.Problem{Arms: 4, Slots: 1, RewardMax: 1}

// TestPermutedArms: to name the arms otherwise names the arms played otherwise, apart from the
// first ones. A learner without noise does not see the difference: its n-th pull of an arm gives
// the same reward.
func TestPermutedArms(t *testing.T) {
	const rounds = 4000
	rewards := drawn([]float64{0.3, 0.6, 0.5, 0.2}, rounds)
	order := []int{2, 0, 3, 1}
	for _, m := range makers {
		if m.random {
			continue
		}
		counts := func(name []int) []int {
			pulls := make([]int, 4)
			for range play(t, m.make(inf), four, rounds, func(arm, _ int) float64 {
				pulls[name[arm]]++
				return rewards[name[arm]][pulls[name[arm]]-1]
			}) {
			}
			return pulls
		}
		plain, other := counts([]int{0, 1, 2, 3}), counts(order)
		for a := range plain {
			if d := plain[a] - other[a]; d > 1 || d < -1 { // in the last turn of all arms
				t.Errorf("%s pulls arms %v times, and %v times under other names", m.name, plain, other)
				break
			}
		}
	}
}

// TestScaledRewards: rewards in other units change nothing but the noise's units.
func TestScaledRewards(t *testing.T) {
	const rounds = 2000
	r := random.New(3, 0, "rewards")
	bits := make([][]float64, four.Arms)
	for a := range bits {
		for range rounds {
			bits[a] = append(bits[a], float64(r.IntN(a+2)%2))
		}
	}
	for _, m := range makers {
		plain := play(t, m.make(1), four, rounds, func(arm, round int) float64 { return bits[arm][round-1] })
		p := four
		p.RewardMin, p.RewardMax = -4, 12 // a power of two apart, so that nothing rounds
		scaled := play(t, m.make(1), p, rounds, func(arm, round int) float64 { return -4 + 16*bits[arm][round-1] })
		differ := 0
		for i := range plain {
			if plain[i] != scaled[i] {
				differ++
			}
		}
		if differ > 0 {
			t.Errorf("%s plays other arms in %d of %d rounds if rewards are in [-4, 12]", m.name, differ, rounds)
		}
	}
}

// TestWithoutPrivacy: at epsilon = +Inf a private learner over batches of one reward, or over the
// hybrid mechanism, is the public one.
func TestWithoutPrivacy(t *testing.T) {
	const rounds = 3000
	rewards := drawn([]float64{0.5, 0.55, 0.45, 0.6}, rounds)
	reward := func(arm, round int) float64 { return rewards[arm][round-1] }
	single := tally.Batches{Budget: privacy.Budget{Epsilon: inf}, Lengths: ones{}, Cumulative: true}
	for name, pair := range map[string][2]private{
		"DP-KLUCB":   {learner.New(arms.KLUCB{Epsilon: inf}, single), arms.KLUCB{}.Learner()},
		"DP-IMED":    {learner.New(arms.IMED{Epsilon: inf}, single), arms.IMED{}.Learner()},
		"AdaP-UCB":   {learner.New(arms.AdaPUCB{Alpha: 4}, single), arms.UCB1{}.Learner()},
		"AdaP-KLUCB": {learner.New(arms.AdaPKLUCB{Alpha: 1}, single), arms.KLUCB{}.Learner()},
		"AdaC-UCB":   {learner.New(arms.AdaCUCB{Beta: 4}, single), arms.UCB1{}.Learner()},
		"Lazy-UCB":   {learner.New(arms.LazyUCB{Explore: 2}, single), arms.UCB1{}.Learner()},
		"Lazy-DP-TS": {learner.New(arms.LazyThompson{}, single), arms.Thompson{}.Learner()},
		"DP-UCB":     {arms.DPUCB{}.Private(inf), arms.UCB1{}.Learner()},
	} {
		private, public := play(t, pair[0], four, rounds, reward), play(t, pair[1], four, rounds, reward)
		if !slices.Equal(private, public) {
			t.Errorf("%s at epsilon = +Inf plays other arms than its public twin", name)
		}
	}
}

// ones is a rule of batches of one reward.
type ones struct{}

func (ones) Length(int, int) int { return 1 }

// TestEliminationEpochs computes the first two epochs by hand: of 5 arms, at epsilon = 1 and a
// failure probability of 1e-5, the first has 1947 rewards of each.
func TestEliminationEpochs(t *testing.T) {
	l := arms.DPElimination{Epsilon: 1, Beta: 1e-5}
	p := bandit.Problem{Arms: 5, Slots: 1, RewardMax: 1}
	means := []float64{0.9, 0.1, 0.85, 0.1, 0.2}
	played := play(t, learner.New(l, tally.Batches{Budget: privacy.Budget{Epsilon: 1}}), p, 80_000,
		func(arm, _ int) float64 { return means[arm] })
	const first = 1947
	for i, a := range played[:5*first] {
		if a != i%5 {
			t.Fatalf("round %d of the first epoch plays arm %d, want %d", i+1, a, i%5)
		}
	}
	// Arms 0 and 2 are left, and play 32 ln(8 2 4/Beta) 16 + 1 times each, rounded up
	second := int(math.Ceil(512*math.Log(64/1e-5) + 1))
	for i, a := range played[5*first : 5*first+2*second] {
		if a != 2*(i%2) {
			t.Fatalf("round %d of the second epoch plays arm %d, want %d", i+1, a, 2*(i%2))
		}
	}
}

// TestTargetLengths computes batches by hand. There is no noise; the policy alone reads epsilon.
// The first batches have 28 rewards. Of rewards 1 and 0, d_1(0, 1) = 1: arm 1 has 28 + 3/2 ln 28,
// which is over ln T + (ln 28 - 1)/2, and rests for good.
func TestTargetLengths(t *testing.T) {
	l := arms.TargetIMED{Epsilon: 1}
	s := tally.Batches{Budget: privacy.Budget{Epsilon: inf}, Cumulative: true}
	two := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	played := play(t, learner.New(l, s), two, 10_000, func(arm, _ int) float64 { return float64(1 - arm) })
	for i, a := range played {
		if rest := i < 28 || i >= 56; rest != (a == 0) {
			t.Fatalf("round %d plays arm %d", i+1, a)
		}
	}
	// Of rewards 1 and 1 - gap, d = gap. Arm 0 is played to 4 times 28 rewards, and then arm 1 to 56,
	// of which n gap + 3/2 ln n is short of its target. The next batch ends where it is not, but has
	// at least half of the 56.
	for _, c := range []struct {
		gap  float64
		want int
	}{{1. / 30, 103}, {1. / 20, 84}} {
		n := 0
		for i, a := range play(t, learner.New(l, s), two, 10_000, func(arm, _ int) float64 { return 1 - c.gap*float64(arm) }) {
			if n += a; i >= 56 && i < 168 && (a == 0) != (i < 140) {
				t.Fatalf("round %d plays arm %d", i+1, a)
			}
		}
		if n != c.want {
			t.Errorf("gap %v: %d rewards of the arm that is not best, want %d", c.gap, n, c.want)
		}
	}
	if at := func(n float64) float64 { return n/30 + 1.5*math.Log(n) - math.Log(10_000) - (math.Log(28)-1)/2 }; at(102) >= 0 || at(103) < 0 {
		t.Error("103 is not where the sum reaches its target")
	}
}

// TestBadInput: what is out of its range is an error that names it, and a run that is shorter than
// an epoch, or has one arm, works.
func TestBadInput(t *testing.T) {
	nan := math.NaN()
	blocks := tally.Blocks{Budget: privacy.Budget{Epsilon: 1}}
	for want, l := range map[string]bandit.Learner{
		"Beta = 1,":         learner.New(arms.SuccessiveElimination{Beta: 1}, nil),
		"Beta = -0.1,":      learner.New(arms.DPElimination{Epsilon: 1, Beta: -0.1}, blocks),
		"Beta = NaN,":       learner.New(arms.DPElimination{Epsilon: 1, Beta: nan}, blocks),
		"Epsilon = 0,":      learner.New(arms.DPElimination{}, blocks),
		"Epsilon = NaN,":    learner.New(arms.KLUCB{Epsilon: nan}, blocks),
		"Epsilon = -1,":     learner.New(arms.IMED{Epsilon: -1}, blocks),
		"Alpha = NaN,":      learner.New(arms.AdaPUCB{Alpha: nan}, blocks),
		"Alpha = -1,":       learner.New(arms.AdaPKLUCB{Alpha: -1}, blocks),
		"Beta = +Inf,":      learner.New(arms.AdaCUCB{Beta: inf}, blocks),
		"Explore = -2,":     learner.New(arms.UCB1{Explore: -2}, nil),
		"Explore = NaN,":    learner.New(arms.LazyUCB{Explore: nan}, blocks),
		"Boost = -3,":       learner.New(arms.LazyThompson{Boost: -3}, blocks),
		"Delta = 0,":        learner.New(arms.AdaPTT{}, blocks),
		"Delta = 1,":        arms.AdaPTT{}.Private(1, 1),
		"TopTwo.Delta = 2,": arms.TopTwo{}.Private(1, 2),
		"TopTwo.Epsilon":    learner.New(arms.TopTwo{Delta: 0.1}, blocks),
		"Delta = NaN,":      arms.AdaPTT{}.Private(1, nan),
		"epsilon = 0":       arms.AdaPTT{}.Private(0, 0.1),
		"Geometric.Ratio =": arms.IMED{}.Private(1, 1),
		"Batches.Lengths":   learner.New(arms.UCB1{}, tally.Batches{Budget: privacy.Budget{Epsilon: 1}}), // whose rule sets none
		"epsilon = -1":      arms.DPUCB{}.Private(-1),
		"epsilon = NaN":     arms.KLUCB{}.Local(nan),
	} {
		if _, err := l.Open(four, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	for _, m := range makers {
		for what, p := range map[string]bandit.Problem{
			"Problem.Dim = 2":   {Arms: 4, Slots: 1, Dim: 2, ContextNorm: 1, RewardMax: 1},
			"Problem.Slots = 2": {Arms: 4, Slots: 2, RewardMax: 1},
		} {
			if _, err := m.make(1).Open(p, 100); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: error %v, want one that says %q", m.name, err, what)
			}
		}
		for _, horizon := range []int{1, 3, 30} {
			for _, k := range []int{1, 5} {
				if k == 1 && (m.name == "AdaP-TT" || m.name == "TopTwo") {
					one := bandit.Problem{Arms: 1, Slots: 1, RewardMax: 1}
					if _, err := m.make(1).Open(one, horizon); err == nil || !strings.Contains(err.Error(), "Problem.Arms = 1,") {
						t.Errorf("%s: error %v, want one that says that there is one arm", m.name, err)
					}
					continue
				}
				play(t, m.make(0.5), bandit.Problem{Arms: k, Slots: 1, RewardMin: -1, RewardMax: 2}, horizon, func(arm, round int) float64 {
					return float64(arm*round%7) - 2
				})
			}
		}
	}
}

// TestLeastRange: rewards in a range that 1 is not divided by are refused, and in the next longer
// one the best arm is played.
func TestLeastRange(t *testing.T) {
	const least = 0x1p-1024
	for _, m := range makers {
		p := four
		p.RewardMax = least
		want := fmt.Sprintf("RewardMax - RewardMin = %v, want > %v", p.RewardMax, least)
		if _, err := m.make(1).Open(p, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", m.name, err, want)
		}
		if m.private {
			continue
		}
		p.RewardMax = math.Nextafter(least, 1)
		played := make([]int, p.Arms)
		for _, a := range play(t, m.make(1), p, 3000, func(arm, _ int) float64 { return p.RewardMax / float64(4-arm) }) {
			played[a]++
		}
		if played[3] < 1500 {
			t.Errorf("%s plays arms %v times, want the last most often", m.name, played)
		}
	}
}

// TestRewardsOutOfRange: they are clipped, and counted.
func TestRewardsOutOfRange(t *testing.T) {
	for _, m := range makers {
		_, w := playing(t, m.make(1), four, 50, func(_, round int) float64 { return float64(round%2) * 1e6 })
		if len(w) != 1 || w[0].Count != 25 {
			t.Errorf("%s warns %v of 25 rewards out of range", m.name, w)
		}
	}
}

// TestReplay: arms depend on broadcasts, views and the own stream alone.
func TestReplay(t *testing.T) {
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{
				Policy:    m.make(2).Policy,
				Statistic: tally.Blocks{Budget: privacy.Budget{Epsilon: 2}},
				Problem:   four,
			})
		})
	}
}

// TestPrivateLearners: the noise drawn is the noise claimed, and an attack does not refute the
// claim, of learners that the catalogue has not, or not so that an epoch is over in the long run.
func TestPrivateLearners(t *testing.T) {
	for name, l := range map[string]private{
		"Gaussian Thompson": arms.GaussianThompson{}.Private(0.1, 2, 1e-5),
		"DP-SE":             learner.New(arms.DPElimination{Epsilon: 2, Beta: 0.9}, tally.Batches{Budget: privacy.Budget{Epsilon: 2}}),
	} {
		t.Run(name, func(t *testing.T) {
			privacytest.Learner(t, privacytest.LearnerCase{Name: name, Learner: l, Problem: four, Long: 2000, Attack: 1000})
		})
	}
}
