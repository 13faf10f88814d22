package tally

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestBlocksRelease: an arm's estimate changes with its observations number 1, 3, 7, 15, ..., and
// is of 1, 2, 4, 8, ...
func TestBlocksRelease(t *testing.T) {
	b := mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 1}})
	if err := b.Open(privacy.Setup{Arms: 2, Slots: 1, Horizon: 2000, Hi: 1}); err != nil {
		t.Fatal(err)
	}
	b.Start(privacy.NewNoise(mechanismtest.Source()))
	next, size := 1, 1
	for n := 1; n <= 1000; n++ {
		// another arm's records do not count
		if _, err := b.Add(&privacy.Record{Arms: []int{1}, Y: []float64{1}}); err != nil {
			t.Fatal(err)
		}
		released, err := b.Add(&privacy.Record{Arms: []int{0}, Y: []float64{0}})
		if err != nil || released != (n == next) {
			t.Fatalf("observation %d: released %v, %v, want %v", n, released, err, n == next)
		}
		if n == next {
			if e := b.Release().Of[0]; e.Count != size || e.Tail != (privacy.Tail{Linear: 1 / float64(size)}) {
				t.Fatalf("observation %d: %+v, want %d observations and a scale of 1/%[3]d", n, e, size)
			}
			size *= 2
			next += size
		}
	}
}

// slowBlocks computes estimates from all observations of a run, and its noise as a list of what a
// second source of the same seed draws. It takes each formula as the papers, or the comment of
// Remember, have it.
func slowBlocks(b Blocks, s privacy.Setup, n *privacy.Noise, arms [][]int, weights [][]float64) (all [][]privacy.Estimate) {
	type block struct{ sum, size, scale float64 }
	released, open := make([][]block, s.Arms), make([]block, s.Arms)
	for i := range arms {
		for j, arm := range arms[i] {
			open[arm].sum += min(max(weights[i][j], s.Lo), s.Hi)
			open[arm].size++
			if open[arm].size < math.Pow(2, float64(len(released[arm]))) {
				continue
			}
			slots := float64(s.Slots)
			if s.WarmUp && len(released[arm]) == 0 && b.Calibration == privacy.Sound {
				slots = float64(s.Arms)
			}
			var z [1]float64
			if b.Budget.Delta > 0 {
				mu, _ := b.Budget.GaussianMu()
				open[arm].scale = math.Sqrt(slots) / mu * (s.Hi - s.Lo)
				n.Gaussian(z[:], open[arm].scale)
			} else {
				open[arm].scale = slots / b.Budget.Epsilon * (s.Hi - s.Lo)
				n.Laplace(z[:], open[arm].scale)
			}
			open[arm].sum += z[0]
			released[arm] = append(released[arm], open[arm])
			open[arm] = block{}
		}
		var now []privacy.Estimate
		for arm := range s.Arms {
			var e privacy.Estimate
			blocks := released[arm]
			if len(blocks) > 0 && !b.Remember {
				blocks = blocks[len(blocks)-1:]
			}
			var sum, total, square float64
			var scales []float64
			weight := func(k block) float64 {
				v := 2 * k.scale * k.scale
				if b.Budget.Delta > 0 {
					v = k.scale * k.scale
				}
				return 1 / ((s.Hi-s.Lo)*(s.Hi-s.Lo)/(4*k.size) + v/(k.size*k.size))
			}
			for _, k := range blocks {
				total += weight(k)
			}
			for _, k := range blocks {
				p := weight(k) / total
				sum += p * k.sum / k.size
				square += p * p / k.size
				scales = append(scales, p*k.scale/k.size)
			}
			if len(blocks) > 0 {
				e = privacy.Estimate{Mean: sum, Count: int(1/square + 1e-9), Tail: tailOf(b.Budget.Delta > 0, scales)}
			}
			now = append(now, e)
		}
		all = append(all, now)
	}
	return all
}

// TestBlocksReference: the estimates of random runs are those of a slow reference over the same
// noise.
func TestBlocksReference(t *testing.T) {
	for _, budget := range []privacy.Budget{{Epsilon: 0.7, Delta: 1e-4}, {Epsilon: 50, Delta: 1e-2}, {Epsilon: math.Inf(1), Delta: 1e-4}} {
		for name, tally := range tallies(budget) {
			b, ok := tally.Of.(Blocks)
			if !ok {
				continue
			}
			for i, s := range append(tallySetups, privacy.Setup{Arms: 2, Slots: 1, Horizon: 5000, Hi: 1}) {
				arms, weights := shown(s, rand.New(rand.NewPCG(uint64(i), 2)))
				got := run(t, tally, s, random.Source(7, 0, "noise"), arms, weights)
				want := slowBlocks(b, s, privacy.NewNoise(random.Source(7, 0, "noise")), arms, weights)
				for r := range got {
					for arm, w := range want[r] {
						g := got[r][arm]
						if g.Count != w.Count || math.Abs(g.Mean-w.Mean) > 1e-9*(1+math.Abs(w.Mean)) ||
							math.Abs(g.Tail.Root-w.Tail.Root) > 1e-9*w.Tail.Root || math.Abs(g.Tail.Linear-w.Tail.Linear) > 1e-9*w.Tail.Linear {
							t.Fatalf("%s, %v, %+v, record %d: %+v, want %+v", name, budget, s, r, g, w)
						}
					}
				}
			}
		}
	}
}

// TestBlocksWithoutNoise: for epsilon = +Inf an estimate is the mean of the last full block, to the
// bit for weights that sums of are exact, or of all full blocks.
func TestBlocksWithoutNoise(t *testing.T) {
	for _, remember := range []bool{false, true} {
		b := mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Remember: remember})
		if err := b.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 1 << 12, Hi: 1}); err != nil {
			t.Fatal(err)
		}
		b.Start(privacy.NewNoise(mechanismtest.Source()))
		rng := rand.New(rand.NewPCG(1, 2))
		var all []float64
		for range 1 << 12 {
			all = append(all, float64(rng.IntN(5))/4)
			released, err := b.Add(&privacy.Record{Arms: []int{0}, Y: all[len(all)-1:]})
			if err != nil {
				t.Fatal(err)
			}
			if !released {
				continue
			}
			of := all[len(all)/2:]
			if remember {
				of = all
			}
			var sum float64
			for _, w := range of {
				sum += w
			}
			e, want := b.Release().Of[0], sum/float64(len(of))
			if e.Count != len(of) || e.Tail != (privacy.Tail{}) || math.Abs(e.Mean-want) > 1e-13 || !remember && e.Mean != want {
				t.Fatalf("remember %v, %d observations: %+v, want a mean of %v", remember, len(all), e, want)
			}
		}
	}
}

// TestBlocksNoise: the variance of the noise is what the scale says, in the first block and in
// later ones, and that of the estimates that remember is what their weights make of it. With
// 100,000 draws the empirical variance of a Laplace is off by more than 4.5% with probability below
// 2e-10 (six standard errors of 0.7%); there are 32 of them.
func TestBlocksNoise(t *testing.T) {
	const arms = 100_000
	budget := privacy.Budget{Epsilon: 2, Delta: 1e-3}
	for name, tally := range tallies(budget) {
		b, ok := tally.Of.(Blocks)
		if !ok {
			continue
		}
		s := privacy.Setup{Arms: arms, Slots: arms, Horizon: 14, Hi: 1, WarmUp: true}
		if err := tally.Open(s); err != nil {
			t.Fatal(err)
		}
		tally.Start(privacy.NewNoise(mechanismtest.Source()))
		every, weights := make([]int, arms), make([]float64, arms)
		for i := range every {
			every[i] = i
		}
		for record := 1; record <= 15; record++ {
			released, err := tally.Add(&privacy.Record{Arms: every, Y: weights})
			if err != nil {
				t.Fatal(err)
			}
			if !released {
				continue
			}
			var square float64
			for arm := range arms {
				m := tally.Release().Of[arm].Mean
				square += m * m
			}
			full, oldest := bits.Len(uint(record)), 0
			if !b.Remember {
				oldest = full - 1
			}
			m := tally.Opened.(*blocks)
			v := m.later * m.later
			if !m.gaussian {
				v *= 2
			}
			var total, want float64
			for j := oldest; j < full; j++ {
				size := math.Pow(2, float64(j))
				total += 1 / (1/(4*size) + v/(size*size))
			}
			for j := oldest; j < full; j++ {
				size := math.Pow(2, float64(j))
				p := 1 / (1/(4*size) + v/(size*size)) / total
				want += p * p * v / (size * size)
			}
			expect.Near(t, fmt.Sprintf("%s: variance after %d records", name, record), square/arms, want, 0.045)
		}
	}
}

// TestBlocksPrivacy computes the largest privacy loss of runs exactly. The density of a run's
// releases y at the block sums S is a product of exp(-|y - S|/b), so that the loss between
// neighbours is at most sum |S - S'|/b, and is that where all y lie beyond. The sums are those of
// the mechanism without noise; the arms of a run are what its transcript makes them, in both
// worlds. No pair of random neighbours is over its claim, and the worst one is on it. With a
// warm-up the first record is, too: at the claim of L epsilon/K as published.
func TestBlocksPrivacy(t *testing.T) {
	for _, s := range tallySetups {
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			b := mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: 0.7}, Calibration: c})
			if err := b.Open(s); err != nil {
				t.Fatal(err)
			}
			claim := privacy.ClaimOf(b)
			first, later := b.Opened.(*blocks).Scale()
			rng := rand.New(rand.NewPCG(3, 4))
			largest := map[bool]float64{} // of the first record, and of later ones
			for range 300 {
				arms, weights := shown(s, rng)
				replaced := rng.IntN(len(arms))
				if rng.IntN(2) == 0 {
					replaced = 0
				}
				other := append([][]float64(nil), weights...)
				other[replaced] = make([]float64, len(weights[replaced]))
				for j := range other[replaced] {
					other[replaced][j] = []float64{s.Lo, s.Hi + 9, s.Lo + (s.Hi-s.Lo)*rng.Float64()}[rng.IntN(3)]
				}
				if rng.IntN(2) == 0 { // the largest change
					weights[replaced] = make([]float64, len(weights[replaced]))
					for j := range weights[replaced] {
						weights[replaced][j], other[replaced][j] = s.Lo, s.Hi
					}
				}
				none := mechanismtest.Played(Blocks{Budget: privacy.Budget{Epsilon: math.Inf(1)}})
				one, two := run(t, none, s, mechanismtest.Source(), arms, weights), run(t, none, s, mechanismtest.Source(), arms, other)
				var loss float64
				for arm := range s.Arms {
					count := 0
					for r := range one {
						if e := one[r][arm]; e.Count != count { // a release
							count = e.Count
							scale := later
							if count == 1 {
								scale = first
							}
							loss += float64(count) * math.Abs(e.Mean-two[r][arm].Mean) / scale
						}
					}
				}
				bound := 0.7
				if s.WarmUp && replaced == 0 {
					bound = claim.Epsilon()
				}
				if loss > bound*(1+1e-9) {
					t.Fatalf("%v, %+v: a loss of %v from record %d, want <= %v", c, s, loss, replaced, bound)
				}
				if s.WarmUp && replaced == 0 {
					largest[true] = max(largest[true], loss)
				}
				largest[false] = max(largest[false], min(loss, 0.7))
			}
			expect.Near(t, fmt.Sprintf("%v, %+v: the largest loss", c, s), largest[false], 0.7, 1e-9)
			if s.WarmUp {
				expect.Near(t, fmt.Sprintf("%v, %+v: the first record's largest loss", c, s), largest[true], claim.Epsilon(), 1e-9)
			}
			want := 0.7
			if s.WarmUp && c == privacy.AsPublished {
				want *= float64(s.Arms) / float64(s.Slots)
			}
			expect.Near(t, fmt.Sprintf("%v, %+v: claim", c, s), claim.Epsilon(), want, 1e-12)
		}
	}
}

// TestBlocksRemember: from the third block on, to remember makes confidence widths sqrt(l/Count) +
// Root sqrt(l) + Linear l, l = 3 ln(K t) for t = 1e4, narrower by a fifth to three tenths for
// Laplace noise, at any epsilon, and by an eighth at least for Gaussian noise. No width is wider.
func TestBlocksRemember(t *testing.T) {
	for _, budget := range []privacy.Budget{{Epsilon: 0.01}, {Epsilon: 0.5}, {Epsilon: 2}, {Epsilon: 50}, {Epsilon: 2, Delta: 1e-5}, {Epsilon: 0.1, Delta: 1e-5}} {
		for _, slots := range []int{1, 3, 17} {
			all := [2]Blocks{{Budget: budget}, {Budget: budget, Remember: true}}
			var levels [2][]blockLevel
			for i, b := range all {
				opened, err := b.Open(privacy.Setup{Arms: 100, Slots: slots, Horizon: 1 << 17, Hi: 1})
				if err != nil {
					t.Fatal(err)
				}
				levels[i] = opened.(*blocks).levels
			}
			l := 3 * math.Log(1e4*float64(slots))
			for i := range levels[0] {
				var width [2]float64
				for j := range levels {
					e := levels[j][i]
					width[j] = math.Sqrt(l/float64(e.count)) + e.tail.Root*math.Sqrt(l) + e.tail.Linear*l
				}
				ratio := width[1] / width[0]
				if ratio > 1 || ratio < 0.69 || i > 1 && (ratio > 0.875 || budget.Delta == 0 && ratio > 0.81) {
					t.Errorf("%v, K = %d, block %d: widths %v, %.3f of what they are without", budget, slots, i, width, ratio)
				}
			}
		}
	}
}
