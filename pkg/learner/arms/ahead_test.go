package arms_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// TestAhead: what a learner says that it plays next is what its twin plays, round by round. After
// the sums of the same rewards both are in the same state, whatever the lengths of the jumps.
func TestAhead(t *testing.T) {
	const horizon = 30_000
	ahead := []string{"DP-SE", "AdaP-UCB", "AdaP-KLUCB", "AdaC-UCB", "DP-KLUCB", "TargetIMED", "DP-IMED", "sequential halving"}
	p := bandit.Problem{Arms: 4, Slots: 1, RewardMin: -1, RewardMax: 1}
	for _, m := range makers {
		ready := opened(t, m.make(2), p, horizon)
		twin := started(t, ready, 0)
		jumper := started(t, ready, 0).Run.(privateRun)
		rng := rand.New(rand.NewPCG(1, 2))
		round, jumps := 1, 0
		for round <= horizon {
			v := bandit.View{Round: round, Arms: p.Arms}
			most := min(1+rng.IntN(1<<rng.IntN(16)), horizon-round+1)
			plays := jumper.Ahead(&v, most, nil)
			if len(plays) == 0 {
				break
			}
			rounds, times := 0, make([]int, p.Arms)
			for _, x := range plays {
				if rounds += x.Times; x.Times < 1 || times[x.Arm] > 0 {
					t.Fatalf("%s, round %d: plays %v", m.name, round, plays)
				}
				times[x.Arm] = x.Times
			}
			if rounds > most {
				t.Fatalf("%s, round %d: %d rounds, at most %d were asked for", m.name, round, rounds, most)
			}
			sums := make([]float64, p.Arms)
			for i := range rounds {
				v := bandit.View{Round: round + i, Arms: p.Arms}
				chosen := twin.choose(&v, nil)
				y := 2*float64(rng.IntN(4+chosen[0])/4) - 1
				times[chosen[0]]--
				sums[chosen[0]] += y
				twin.learn(&v, chosen, []float64{y})
			}
			if slices.ContainsFunc(times, func(n int) bool { return n != 0 }) {
				t.Fatalf("%s, round %d: said to play %v, and is off by %v", m.name, round, plays, times)
			}
			for i := range plays {
				plays[i].Sum = sums[plays[i].Arm]
			}
			if err := jumper.UpdateSums(&v, plays); err != nil {
				t.Fatalf("%s, round %d: %v", m.name, round, err)
			}
			a, b := jumper.Release(), twin.Run.(privateRun).Release()
			if !slices.Equal(a.Of, b.Of) {
				t.Fatalf("%s, round %d: estimates %v, of the twin %v", m.name, round, a, b)
			}
			round += rounds
			jumps++
		}
		if whole := round > horizon; whole != (jumps > 0) || !whole && slices.Contains(ahead, m.name) {
			t.Errorf("%s: %d jumps, to round %d", m.name, jumps, round)
		}
	}
}
