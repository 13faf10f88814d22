package tally

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// lists draws the records of a cascade: lists of random lengths, whose arms attract with
// probability 0.3 each. Weights after the click are 1 where the arm attracts.
func lists(s privacy.Setup, rng *rand.Rand) (arms [][]int, weights [][]float64) {
	for range s.Horizon {
		k := s.Slots - rng.IntN(2)*rng.IntN(s.Slots+1)
		arms = append(arms, rng.Perm(s.Arms)[:k])
		w := make([]float64, k)
		for i := range w {
			if rng.IntN(10) < 3 {
				w[i] = 1
			}
		}
		weights = append(weights, w)
	}
	return arms, weights
}

// looks returns what a record says of each arm of its list: a click, a skip, or nothing.
func looks(weights []float64) (clicks, skips []float64) {
	clicks, skips = make([]float64, len(weights)), make([]float64, len(weights))
	for i, w := range weights {
		if w > 0.5 {
			clicks[i] = 1
			break
		}
		skips[i] = 1
	}
	return clicks, skips
}

// TestCascadeReference: the estimates of random runs are those of a slow reference that keeps all
// blocks, and computes each formula of the comment from all of them.
func TestCascadeReference(t *testing.T) {
	type block struct{ n, clicks, skips float64 }
	for _, budget := range []privacy.Budget{{Epsilon: 2}, {Epsilon: 30}, {Epsilon: 3, Delta: 1e-3}} {
		for i, s := range []privacy.Setup{{Arms: 5, Slots: 3, Horizon: 600, Hi: 1}, {Arms: 3, Slots: 3, Horizon: 255, Hi: 1}, {Arms: 1, Slots: 1, Horizon: 64, Hi: 1}} {
			arms, weights := lists(s, rand.New(rand.NewPCG(uint64(i), 3)))
			got := run(t, mechanismtest.Played(Cascade{Budget: budget}), s, random.Source(7, 0, "noise"), arms, weights)
			noise := privacy.NewNoise(random.Source(7, 0, "noise"))
			k := float64(s.Slots + 1)
			scale, v := k/budget.Epsilon, 2*k*k/budget.Epsilon/budget.Epsilon
			if budget.Delta > 0 {
				mu, _ := budget.GaussianMu()
				scale, v = math.Sqrt(k)/mu, k/mu/mu
			}
			draw := func() float64 {
				var z [1]float64
				if budget.Delta > 0 {
					noise.Gaussian(z[:], scale)
				} else {
					noise.Laplace(z[:], scale)
				}
				return z[0]
			}
			full, open, want := make([][]block, s.Arms), make([]block, s.Arms), make([]privacy.Estimate, s.Arms)
			seen := 0
			for r := range arms {
				clicks, skips := looks(weights[r])
				for j, arm := range arms[r] {
					b := &open[arm]
					*b = block{b.n + 1, b.clicks + clicks[j], b.skips + skips[j]}
					if b.n < math.Pow(2, float64(len(full[arm]))) {
						continue
					}
					full[arm] = append(full[arm], block{b.n, b.clicks + draw(), b.skips + draw()})
					*b = block{}
					var c, e, squares, most, shown float64
					var scales, twice []float64
					for _, b := range full[arm] {
						w := b.n / (b.n + 4*v)
						c, e, squares, most, shown = c+w*b.clicks, e+w*(b.clicks+b.skips), squares+w*w*(b.clicks+b.skips), most+w*w*b.n, shown+b.n
						scales, twice = append(scales, w*scale), append(twice, w*w*scale, w*w*scale)
					}
					slack, tail, log := tailOf(budget.Delta > 0, twice), tailOf(budget.Delta > 0, scales), math.Log(float64(s.Horizon))
					v := min(most, squares+slack.Root*math.Sqrt(log)+slack.Linear*log)
					if count := math.Floor(min(e*e/v, shown) + 1e-9); e > 0 && v > 0 && count >= 1 {
						want[arm] = privacy.Estimate{Mean: c / e, Count: int(count), Tail: privacy.Tail{Root: tail.Root / e, Linear: tail.Linear / e}}
						seen++
					}
				}
				for arm, w := range want {
					g := got[r][arm]
					if g.Count != w.Count || math.Abs(g.Mean-w.Mean) > 1e-9*(1+math.Abs(w.Mean)) ||
						math.Abs(g.Tail.Root-w.Tail.Root) > 1e-9*w.Tail.Root || math.Abs(g.Tail.Linear-w.Tail.Linear) > 1e-9*w.Tail.Linear {
						t.Fatalf("%v, %+v, record %d, arm %d: %+v, want %+v", budget, s, r, arm, g, w)
					}
				}
			}
			if seen == 0 {
				t.Errorf("%v, %+v: no estimate", budget, s)
			}
		}
	}
}

// TestCascadeWithoutNoise: for epsilon = +Inf an estimate is the share of clicks among all looks,
// to the bit, after each record.
func TestCascadeWithoutNoise(t *testing.T) {
	s := privacy.Setup{Arms: 6, Slots: 4, Horizon: 2000, Hi: 1}
	arms, weights := lists(s, rand.New(rand.NewPCG(1, 2)))
	got := run(t, mechanismtest.Played(Cascade{Budget: privacy.Budget{Epsilon: math.Inf(1)}}), s, mechanismtest.Source(), arms, weights)
	clicked, looked := make([]float64, s.Arms), make([]float64, s.Arms)
	for r := range arms {
		clicks, skips := looks(weights[r])
		for j, arm := range arms[r] {
			clicked[arm], looked[arm] = clicked[arm]+clicks[j], looked[arm]+clicks[j]+skips[j]
		}
		for arm, n := range looked {
			if g := got[r][arm]; g.Count != int(n) || n > 0 && g.Mean != clicked[arm]/n || g.Tail != (privacy.Tail{}) {
				t.Fatalf("record %d, arm %d: %+v, want %v clicks of %v looks", r, arm, g, clicked[arm], n)
			}
		}
	}
}

// TestCascadePrivacy reads off, without noise, all numbers that runs release of blocks, and
// compares those of neighbours. No record moves more than K + 1 of them, nor any by more than 1;
// of the worst ones each length of list has some; and the claim is worth just that.
func TestCascadePrivacy(t *testing.T) {
	for _, s := range []privacy.Setup{{Arms: 5, Slots: 4, Horizon: 40, Hi: 1}, {Arms: 3, Slots: 2, Horizon: 31, Hi: 1}, {Arms: 2, Slots: 1, Horizon: 9, Hi: 1}} {
		for _, budget := range []privacy.Budget{{Epsilon: 0.7}, {Epsilon: 0.7, Delta: 1e-4}} {
			m := expect.Must(Cascade{Budget: budget}.Open(s)).(*cascade)
			released := func(arms [][]int, weights [][]float64) (all []float64) {
				r := m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) })).(*cascadeRun)
				for i := range arms {
					before := slices.Clone(r.arms)
					if _, err := r.Add(&privacy.Record{Arms: arms[i], Y: weights[i]}); err != nil {
						t.Fatal(err)
					}
					for _, arm := range arms[i] {
						a, b := &before[arm], &r.arms[arm]
						if b.full > a.full {
							w := m.level(a.full).weight
							clicks, looks := (b.clicked-a.clicked)/w, (b.looked-a.looked)/w
							all = append(all, clicks, looks-clicks)
						}
					}
				}
				return all
			}
			rng, largest := rand.New(rand.NewPCG(3, 4)), 0.
			for range 2000 {
				arms, weights := lists(s, rng)
				for i := range arms { // whole lists, of which few may be
					arms[i] = append(arms[i], complement(s.Arms, arms[i])[:s.Slots-len(arms[i])]...)
					weights[i] = append(weights[i], make([]float64, s.Slots-len(weights[i]))...)
				}
				place, other := rng.IntN(s.Horizon/2), slices.Clone(weights)
				weights[place], other[place] = click(s.Slots, rng), click(s.Slots, rng)
				a, b := released(arms, weights), released(arms, other)
				if len(a) != len(b) {
					t.Fatalf("%d numbers, and %d of a neighbour", len(a), len(b))
				}
				var moved float64
				for i := range a {
					d := math.Abs(a[i] - b[i])
					if moved += d; d > 1+1e-9 {
						t.Fatalf("a record moves a number by %v", d)
					}
				}
				largest = max(largest, moved)
			}
			if want := float64(s.Slots + 1); math.Abs(largest-want) > 1e-9 {
				t.Errorf("%+v: a record moves the releases by %v, want %v", s, largest, want)
			}
			claim := privacy.ClaimOf(m)
			if got := largest / m.Scale(); budget.Delta == 0 && math.Abs(got-claim.Epsilon()) > 1e-9 {
				t.Errorf("%v: the releases lose %v, and the claim is %v", budget, got, claim)
			}
			if got := account.GaussianEpsilon(budget.Delta, math.Sqrt(largest)/m.Scale()); budget.Delta > 0 && math.Abs(got-budget.Epsilon) > 1e-6 {
				t.Errorf("%v: the releases lose %v", budget, got)
			}
		}
	}
}

// complement returns the arms that are not in a list.
func complement(n int, list []int) (rest []int) {
	for arm := range n {
		if !slices.Contains(list, arm) {
			rest = append(rest, arm)
		}
	}
	return rest
}

// click returns the weights of a list with a click at a random place, or none.
func click(slots int, rng *rand.Rand) []float64 {
	w := make([]float64, slots+1)
	w[rng.IntN(slots+1)] = 1
	return w[:slots]
}

// TestCascadeCoverage: the noise in an estimate is beyond its tail no more often than the tail
// says, whatever the attraction, in the denominator of the run; where an arm attracts all,
// Laplace noise is beyond it a third as often at least. Sampling and noise together are beyond
// the width of a rule, sqrt(l/Count) and the tail, with probability at most e^-l for the noise,
// e^-l for sampling and 1/Horizon. Each share is of 20,000 runs, and may be off its bound by 5
// standard errors: a false alarm in 3.5 million numbers, of which there are some 140; the seeds
// are fixed.
func TestCascadeCoverage(t *testing.T) {
	const runs, rounds = 20_000, 127
	for _, budget := range []privacy.Budget{{Epsilon: 1}, {Epsilon: 1, Delta: 1e-3}} {
		for _, attraction := range []float64{0, 0.2, 0.5, 1} {
			s := privacy.Setup{Arms: 2, Slots: 2, Horizon: rounds, Hi: 1}
			m := expect.Must(Cascade{Budget: budget}.Open(s))
			rng := rand.New(rand.NewPCG(5, uint64(10*attraction)))
			logs := []float64{1, 2, 3, 5}
			var beyondTail, beyondWidth [2][4]float64 // of the estimates that are released after 7 rounds and after 127
			for range runs {
				r := m.Start(privacy.NewNoise(rng)).(*cascadeRun)
				var clicked, looked [8]float64 // by block, of the second arm
				block, ends := 0, 1
				for n := 1; n <= rounds; n++ {
					y := []float64{0, 0}
					if rng.Float64() < 0.4 {
						y[0] = 1
					}
					if rng.Float64() < attraction {
						y[1] = 1
					}
					clicks, skips := looks(y)
					clicked[block], looked[block] = clicked[block]+clicks[1], looked[block]+clicks[1]+skips[1]
					if _, err := r.Add(&privacy.Record{Arms: []int{0, 1}, Y: y}); err != nil {
						t.Fatal(err)
					}
					if n == ends {
						block, ends = block+1, 2*ends+1
					}
					which := slices.Index([]int{7, rounds}, n)
					e := r.means.Of[1]
					if which < 0 || !slices.Contains(r.means.Changed, 1) {
						continue
					}
					sampling := 0. // m E - C, weighted
					for i := range block {
						sampling += m.(*cascade).level(i).weight * (attraction*looked[i] - clicked[i])
					}
					width := attraction - e.Mean
					noise := width - sampling/r.arms[1].looked
					for i, l := range logs {
						tail := e.Tail.Root*math.Sqrt(l) + e.Tail.Linear*l
						if noise > tail {
							beyondTail[which][i] += 1. / runs
						}
						if width > math.Sqrt(l/float64(e.Count))+tail {
							beyondWidth[which][i] += 1. / runs
						}
					}
				}
			}
			for which := range 2 {
				for i, l := range logs {
					one := math.Exp(-l)
					atMost := func(what string, share, bound float64) {
						if share > bound+5*math.Sqrt(bound/runs) {
							t.Errorf("%v, attraction %v: %s in %v of the runs for l = %v, want at most %v", budget, attraction, what, share, l, bound)
						}
					}
					atMost("the noise is beyond its tail", beyondTail[which][i], one)
					if attraction == 1 && budget.Delta == 0 && i < 2 && beyondTail[which][i] < one/3 {
						t.Errorf("the noise is beyond its tail in %v of the runs for l = %v, want at least %v", beyondTail[which][i], l, one/3)
					}
					atMost("the width is too small", beyondWidth[which][i], 2*one+1./rounds)
				}
			}
		}
	}
}

// TestCascadeRenamed: arms under other names have the same estimates.
func TestCascadeRenamed(t *testing.T) {
	s := privacy.Setup{Arms: 5, Slots: 3, Horizon: 300, Hi: 1}
	arms, weights := lists(s, rand.New(rand.NewPCG(1, 9)))
	tally := mechanismtest.Played(Cascade{Budget: privacy.Budget{Epsilon: 3}})
	want := run(t, tally, s, mechanismtest.Source(), arms, weights)
	renamed := make([][]int, len(arms))
	for i := range arms {
		for _, arm := range arms[i] {
			renamed[i] = append(renamed[i], (arm+2)%s.Arms)
		}
	}
	got := run(t, tally, s, mechanismtest.Source(), renamed, weights)
	for r := range got {
		for arm := range s.Arms {
			if got[r][(arm+2)%s.Arms] != want[r][arm] {
				t.Fatalf("record %d, arm %d: %+v under another name, want %+v", r, arm, got[r][(arm+2)%s.Arms], want[r][arm])
			}
		}
	}
}

func TestCascadeRefuses(t *testing.T) {
	good := privacy.Setup{Arms: 5, Slots: 3, Horizon: 300, Hi: 1}
	for words, change := range map[[2]string]func(*privacy.Setup, *Cascade){
		{"WarmUp = true", "want false"}: func(s *privacy.Setup, _ *Cascade) { s.WarmUp = true },
		{"Lo = -1", "want 0 and 1"}:     func(s *privacy.Setup, _ *Cascade) { s.Lo = -1 },
		{"Hi = 2", "want 0 and 1"}:      func(s *privacy.Setup, _ *Cascade) { s.Hi = 2 },
		{"Slots = 6", "Arms = 5"}:       func(s *privacy.Setup, _ *Cascade) { s.Slots = 6 },
		{"epsilon = 0", "> 0"}:          func(_ *privacy.Setup, c *Cascade) { c.Budget.Epsilon = 0 },
		{"scale +Inf", "finite"}:        func(_ *privacy.Setup, c *Cascade) { c.Budget.Epsilon = 5e-324 },
	} {
		s, c := good, Cascade{Budget: privacy.Budget{Epsilon: 1}}
		change(&s, &c)
		_, err := c.Open(s)
		expect.Error(t, words[0], err, words[0], words[1])
	}
}
