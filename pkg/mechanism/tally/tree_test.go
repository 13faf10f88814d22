package tally

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestTreeTallyReference: the estimates of random runs are those of a slow reference that keeps
// each node with its noise, drawn by a second source of the same seed, and adds up the nodes of a
// prefix.
func TestTreeTallyReference(t *testing.T) {
	for _, budget := range []privacy.Budget{{Epsilon: 0.7}, {Epsilon: 0.7, Delta: 1e-4}, {Epsilon: math.Inf(1)}} {
		for i, s := range append(tallySetups, privacy.Setup{Arms: 2, Slots: 1, Horizon: 5000, Hi: 1}) {
			tree := mechanismtest.Played(Tree{Budget: budget})
			arms, weights := shown(s, rand.New(rand.NewPCG(uint64(i), 2)))
			got := run(t, tree, s, random.Source(7, 0, "noise"), arms, weights)
			n := privacy.NewNoise(random.Source(7, 0, "noise"))
			draw := func(slots float64) float64 {
				var z [1]float64
				if budget.Delta > 0 {
					mu, _ := budget.GaussianMu()
					n.Gaussian(z[:], math.Sqrt(slots)*(s.Hi-s.Lo)/mu)
				} else {
					n.Laplace(z[:], slots*(s.Hi-s.Lo)/budget.Epsilon)
				}
				return z[0]
			}
			leaves := make([][]float64, s.Arms)
			nodes := make([]map[continual.Node]float64, s.Arms)
			apart := make([][]float64, s.Arms)
			levels := math.Floor(math.Log2(float64(s.Horizon))) + 1
			for r := range arms {
				for j, arm := range arms[r] {
					w := min(max(weights[r][j], s.Lo), s.Hi)
					if s.WarmUp && r == 0 {
						apart[arm] = []float64{w + draw(float64(s.Arms))}
						continue
					}
					leaves[arm] = append(leaves[arm], w)
					prefix := continual.PrefixNodes(len(leaves[arm]))
					last := prefix[len(prefix)-1]
					sum := draw(float64(s.Slots) * levels)
					for _, leaf := range leaves[arm][last.First-1 : last.Last] {
						sum += leaf
					}
					if nodes[arm] == nil {
						nodes[arm] = map[continual.Node]float64{}
					}
					nodes[arm][last] = sum
				}
				for arm, e := range got[r] {
					count := len(leaves[arm]) + len(apart[arm])
					sum := 0.0
					for _, w := range apart[arm] {
						sum += w
					}
					parts := continual.PrefixNodes(len(leaves[arm]))
					for _, node := range parts {
						v, ok := nodes[arm][node]
						if !ok {
							t.Fatalf("a prefix of %d takes node %v, which was not drawn", len(leaves[arm]), node)
						}
						sum += v
					}
					if e.Count != count || count > 0 && math.Abs(e.Mean-sum/float64(count)) > 1e-9*(1+math.Abs(e.Mean)) {
						t.Fatalf("%v, %+v, record %d: %+v, want the mean %v of %d", budget, s, r, e, sum/float64(count), count)
					}
					var scales []float64
					for range apart[arm] {
						scales = append(scales, tree.Opened.(*treeTally).first/float64(count))
					}
					for range parts {
						scales = append(scales, tree.Opened.(*treeTally).later/float64(count))
					}
					if want := tailOf(budget.Delta > 0, scales); math.Abs(e.Tail.Root-want.Root) > 1e-9*want.Root || math.Abs(e.Tail.Linear-want.Linear) > 1e-9*want.Linear {
						t.Fatalf("%v, %+v, record %d: tail %v, want %v", budget, s, r, e.Tail, want)
					}
				}
			}
		}
	}
}

// TestTreeTallyWithoutNoise: for epsilon = +Inf the means are the exact ones, to the bit.
func TestTreeTallyWithoutNoise(t *testing.T) {
	for i, s := range tallySetups {
		arms, weights := shown(s, rand.New(rand.NewPCG(uint64(i), 2)))
		for _, delta := range []float64{0, 0.1} {
			got := run(t, mechanismtest.Played(Tree{Budget: privacy.Budget{Epsilon: math.Inf(1), Delta: delta}}), s, mechanismtest.Source(), arms, weights)
			want := run(t, mechanismtest.Played(Counts{}), s, mechanismtest.Source(), arms, weights)
			for r := range got {
				if !same(got[r], want[r]) {
					t.Fatalf("%+v, record %d: %v, want %v", s, r, got[r], want[r])
				}
			}
		}
	}
}

// TestTreeTallyPrivacy computes the largest privacy loss of runs exactly: sum |S - S'|/b over all
// nodes that prefixes take, S and S' being their sums in the two worlds. No pair of random
// neighbours is over the claim, and the worst one is on it: the first record, where the same arms
// are played in all rounds.
func TestTreeTallyPrivacy(t *testing.T) {
	for _, s := range tallySetups {
		tree := mechanismtest.Played(Tree{Budget: privacy.Budget{Epsilon: 0.7}})
		if err := tree.Open(s); err != nil {
			t.Fatal(err)
		}
		first, node := tree.Opened.(*treeTally).Scale()
		rng := rand.New(rand.NewPCG(3, 4))
		var largest, warm float64
		for trial := range 200 {
			arms, _ := shown(s, rng)
			if trial%2 == 0 {
				for i := range arms {
					arms[i] = rng.Perm(s.Arms)[:s.Slots]
					if i > 1 {
						arms[i] = arms[1]
					}
				}
				if s.WarmUp {
					arms[0] = rng.Perm(s.Arms)
				} else {
					arms[0] = arms[len(arms)-1]
				}
			}
			for replaced := range arms { // by the largest change of its weights
				var loss float64
				observations := make([]int, s.Arms)
				hit := make([]int, s.Arms) // the leaf that is replaced, from 1
				for r := range arms {
					for _, arm := range arms[r] {
						if s.WarmUp && r == 0 {
							if replaced == 0 {
								loss += (s.Hi - s.Lo) / first
							}
							continue
						}
						observations[arm]++
						if r == replaced {
							hit[arm] = observations[arm]
						}
					}
				}
				for arm, n := range observations {
					held := map[continual.Node]bool{}
					for prefix := 1; prefix <= n; prefix++ {
						for _, v := range continual.PrefixNodes(prefix) {
							if v.First <= hit[arm] && hit[arm] <= v.Last && !held[v] {
								held[v] = true
								loss += (s.Hi - s.Lo) / node
							}
						}
					}
				}
				if loss > 0.7*(1+1e-9) {
					t.Fatalf("%+v: a loss of %v from record %d", s, loss, replaced)
				}
				if s.WarmUp && replaced == 0 {
					warm = max(warm, loss)
				} else {
					largest = max(largest, loss)
				}
			}
		}
		expect.Near(t, fmt.Sprintf("%+v: the largest loss", s), largest, 0.7, 1e-9)
		if s.WarmUp {
			expect.Near(t, fmt.Sprintf("%+v: the first record's largest loss", s), warm, 0.7, 1e-9)
		}
	}
}

// TestTreeTallyNoise: the variance of an estimate of t observations is that of a node times the
// binary digits 1 of t, over t^2, and noise is fresh: that of two nodes is not correlated. With
// 100,000 arms an empirical variance is off by more than 4.5%, or a correlation by more than 0.02,
// with probability below 3e-10 (six standard errors of at most 0.7% and 0.32%); there are 30 of
// them.
func TestTreeTallyNoise(t *testing.T) {
	const arms = 100_000
	for _, budget := range []privacy.Budget{{Epsilon: 2}, {Epsilon: 2, Delta: 1e-3}} {
		tree := mechanismtest.Played(Tree{Budget: budget})
		if err := tree.Open(privacy.Setup{Arms: arms, Slots: arms, Horizon: 8, Hi: 1}); err != nil {
			t.Fatal(err)
		}
		tree.Start(privacy.NewNoise(mechanismtest.Source()))
		every, weights := make([]int, arms), make([]float64, arms)
		for i := range every {
			every[i] = i
		}
		of := tree.Opened.(*treeTally)
		v := of.later * of.later
		if !of.gaussian {
			v *= 2
		}
		var all [9][]float64 // sums
		for n := 1; n <= 8; n++ {
			if _, err := tree.Add(&privacy.Record{Arms: every, Y: weights}); err != nil {
				t.Fatal(err)
			}
			var square float64
			for arm := range arms {
				all[n] = append(all[n], tree.Release().Of[arm].Mean*float64(n))
				square += all[n][arm] * all[n][arm]
			}
			expect.Near(t, fmt.Sprintf("%v: variance of %d observations", budget, n), square/arms/v, float64(len(continual.PrefixNodes(n))), 0.045)
		}
		correlation := func(what string, of func(arm int) (a, b float64)) {
			var sum float64
			for arm := range arms {
				a, b := of(arm)
				sum += a * b
			}
			if c := sum / arms / v; math.Abs(c) > 0.02 {
				t.Errorf("%v: %s correlate by %v", budget, what, c)
			}
		}
		correlation("[1] and [1, 2]", func(arm int) (a, b float64) { return all[1][arm], all[2][arm] })
		correlation("[1, 2] and [3]", func(arm int) (a, b float64) { return all[2][arm], all[3][arm] - all[2][arm] })
		correlation("[3] and [5]", func(arm int) (a, b float64) { return all[3][arm] - all[2][arm], all[5][arm] - all[4][arm] })
		correlation("[1..4] and [1..8]", func(arm int) (a, b float64) { return all[4][arm], all[8][arm] })
		correlation("[1] of two arms", func(arm int) (a, b float64) { return all[1][arm], all[1][(arm+1)%arms] })
	}
}
