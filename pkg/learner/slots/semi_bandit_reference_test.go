package slots_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// matReference is Algorithms 2 and 3 of the matroid paper, line by line, from its text and nothing
// else of ours but the streams: slow, and it may allocate. Independence is the rank of real vectors
// by elimination.
type matReference struct {
	vectors  [][]float64
	rank     int
	epsilon0 float64 // +Inf: no noise
	thompson bool
	// sound initialisation: T_e = 0 to begin with, U_t(e) = +Inf, and the first observation is a batch
	forced bool
	exact  bool // OMM and CTS: a batch ends with every observation, and none is forgotten

	noise   *privacy.Noise
	normals *random.Normals
	loop    []bool
	mean    []float64   // w~_{e,T_e}
	count   []float64   // T_e
	s       []int       // s_e; -1: nothing was seen
	batch   [][]float64 // the array T_e
}

func newReference(vectors [][]float64, rank int, epsilon float64, thompson, forced, exact bool) *matReference {
	n := len(vectors)
	r := &matReference{vectors: vectors, rank: rank, epsilon0: epsilon / float64(rank), thompson: thompson, forced: forced, exact: exact,
		noise: privacy.NewNoise(random.Source(1, 0, "noise")), normals: random.NewNormals(random.New(1, 0, "learner")),
		loop: make([]bool, n), mean: make([]float64, n), count: make([]float64, n), s: make([]int, n), batch: make([][]float64, n)}
	for e := range n {
		r.loop[e] = !r.independent([]int{e})
		r.s[e] = -1
	}
	return r
}

// independent reports whether vectors are linearly independent.
func (r *matReference) independent(set []int) bool {
	var rows [][]float64
	for _, e := range set {
		rows = append(rows, slices.Clone(r.vectors[e]))
	}
	rank := 0
	for column := range r.vectors[0] {
		pivot := -1
		for i := rank; i < len(rows); i++ {
			if math.Abs(rows[i][column]) > 1e-9 {
				pivot = i
			}
		}
		if pivot < 0 {
			continue
		}
		rows[rank], rows[pivot] = rows[pivot], rows[rank]
		for i := rank + 1; i < len(rows); i++ {
			f := rows[i][column] / rows[rank][column]
			for j := range rows[i] {
				rows[i][j] -= f * rows[rank][j]
			}
		}
		rank++
	}
	return rank == len(set)
}

// laplace draws Lap(1/epsilon0).
func (r *matReference) laplace() float64 {
	if math.IsInf(r.epsilon0, 1) {
		return 0
	}
	var z [1]float64
	r.noise.Laplace(z[:], 1/r.epsilon0)
	return z[0]
}

// initialise is line 2.
func (r *matReference) initialise(w []float64) {
	for e := range w {
		r.count[e], r.s[e], r.mean[e], r.batch[e] = 1, 0, w[e]+r.laplace(), nil
		if r.exact {
			r.batch[e] = []float64{w[e]}
		}
	}
}

// choose is lines 4 to 7 of Algorithm 2, 4 to 8 of Algorithm 3.
func (r *matReference) choose(t int) []int {
	n := len(r.vectors)
	weight := make([]float64, n)
	log := math.Log(float64(r.rank) * float64(t))
	for e := range n {
		if r.loop[e] {
			weight[e] = math.Inf(-1)
			continue
		}
		var z float64
		if r.thompson {
			z = r.normals.One()
		}
		switch {
		case r.count[e] == 0:
			weight[e] = math.Inf(1)
		case r.thompson:
			boosted := r.mean[e] + 3*log/(r.epsilon0*r.count[e])
			weight[e] = boosted + math.Sqrt(1/r.count[e])*z
		default:
			weight[e] = r.mean[e] + math.Sqrt(3*log/r.count[e]) + 3*log/(r.epsilon0*r.count[e])
		}
	}
	return greedyReference(weight, r.rank, r.independent) // Algorithm 1
}

func greedyReference(weight []float64, rank int, independent func([]int) bool) []int {
	order := make([]int, len(weight))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case weight[a] > weight[b]:
			return -1
		case weight[a] < weight[b]:
			return 1
		}
		return 0
	})
	var basis []int
	for _, e := range order {
		if len(basis) < rank && independent(append(slices.Clone(basis), e)) {
			basis = append(basis, e)
		}
	}
	return basis
}

// observe is lines 9 to 14 of Algorithm 2, 10 to 15 of Algorithm 3.
func (r *matReference) observe(arms []int, w []float64) {
	for i, e := range arms {
		r.batch[e] = append(r.batch[e], w[i])
	}
	for _, e := range arms {
		full := 1 // the first batch of the sound initialisation
		if r.s[e] >= 0 {
			full = 1 << (r.s[e] + 1)
		}
		if r.exact {
			full = len(r.batch[e])
		}
		if len(r.batch[e]) == full {
			var sum float64
			for _, x := range r.batch[e] {
				sum += x
			}
			r.count[e] = float64(full)
			r.mean[e] = (sum + r.laplace()) / r.count[e]
			r.s[e]++
			if !r.exact {
				r.batch[e] = nil
			}
		}
	}
}

// TestAlgorithms2And3 plays the learners beside the reference, which replays their streams, on
// Table 2's instance: the same arms in the same order in each of 2,000 rounds.
func TestAlgorithms2And3(t *testing.T) {
	env := learnertest.Table2()
	vectors := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}}
	inf := math.Inf(1)
	for _, start := range []bool{false, true} {
		forced := !start
		blocks := func(epsilon float64) tally.Blocks {
			return tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}, Calibration: privacy.AsPublished}
		}
		for _, c := range []struct {
			name string
			l    bandit.Learner
			r    *matReference
		}{
			{"DPUCB-MAT, 0.5", learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: start}, blocks(0.5)), newReference(vectors, 3, 0.5, false, forced, false)},
			{"DPUCB-MAT, 2", learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: start}, blocks(2)), newReference(vectors, 3, 2, false, forced, false)},
			{"DPUCB-MAT, 50", learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: start}, blocks(50)), newReference(vectors, 3, 50, false, forced, false)},
			{"DPTS-MAT, 0.5", learner.New(slots.CTS{Matroid: env.Matroid, WarmUp: start}, blocks(0.5)), newReference(vectors, 3, 0.5, true, forced, false)},
			{"DPTS-MAT, 2", learner.New(slots.CTS{Matroid: env.Matroid, WarmUp: start}, blocks(2)), newReference(vectors, 3, 2, true, forced, false)},
			{"DPTS-MAT, +Inf", learner.New(slots.CTS{Matroid: env.Matroid, WarmUp: start}, blocks(inf)), newReference(vectors, 3, inf, true, forced, false)},
			{"OMM", learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: start}, nil), newReference(vectors, 3, inf, false, forced, true)},
			{"CTS", learner.New(slots.CTS{Matroid: env.Matroid, WarmUp: start}, nil), newReference(vectors, 3, inf, true, forced, true)},
		} {
			t.Run(fmt.Sprintf("%s/%v", c.name, start), func(t *testing.T) {
				const rounds = 2000
				trial := runtest.Open(t, env).Start(nil)
				run := runtest.Run(t, c.l, env.Problem(), rounds, random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
				rewards := random.New(1, 0, "rewards")
				if run.Ready.(bandit.Warmer).WantsWarmUp() == forced {
					t.Fatalf("WantsWarmUp() = %v", forced)
				}
				if !forced {
					w := make([]float64, len(vectors))
					trial.Pull(rewards, []int{0, 1, 2, 3, 4, 5, 6}, w)
					run.WarmUp(w)
					c.r.initialise(w)
				}
				var v bandit.View
				y, played := make([]float64, 3), make([]int, 7)
				for round := 1; round <= rounds; round++ {
					trial.Next(&v)
					arms := run.Select(&v, nil)
					if want := c.r.choose(round); !slices.Equal(arms, want) {
						t.Fatalf("round %d: arms %v, the reference plays %v", round, arms, want)
					}
					trial.Pull(rewards, arms, y)
					run.Update(&v, arms, y)
					c.r.observe(arms, y)
					for _, a := range arms {
						played[a]++
					}
				}
				if played[6] > 0 || slices.Contains(played[:6], 0) {
					t.Errorf("times played: %v, want 0 of the loop and some of each other arm", played)
				}
			})
		}
	}
}

// klReference returns max{q <= 1: T kl(mean, q) <= budget} by bisection.
func klReference(mean, count, budget float64) float64 {
	kl := func(q float64) float64 {
		d := 0.0
		if mean > 0 {
			d += mean * math.Log(mean/q)
		}
		if mean < 1 {
			d += (1 - mean) * math.Log((1-mean)/(1-q))
		}
		return d
	}
	lo, hi := mean, 1.0
	for range 200 {
		if q := (lo + hi) / 2; count*kl(q) <= budget {
			lo = q
		} else {
			hi = q
		}
	}
	return lo
}

// TestKLOSM plays KL-OSM beside bisection. Where two arms' indices are within 1e-9, as ties are,
// the reference plays what it sees.
func TestKLOSM(t *testing.T) {
	for _, c := range []struct {
		name     string
		policy   slots.KLOSM
		explore  float64
		rounds   int
		weights  func(r *rand.Rand, mean float64) float64
		lo, span float64
	}{
		{"bernoulli", slots.KLOSM{}, 1, 3000, learnertest.Coin, 0, 1},
		{"ln ln t", slots.KLOSM{LogLog: 3}, 1, 2000, learnertest.Coin, 0, 1},
		{"explore", slots.KLOSM{Explore: 0.3}, 0.3, 2000, learnertest.Coin, 0, 1},
		{"range", slots.KLOSM{}, 1, 2000, func(r *rand.Rand, mean float64) float64 { return 4*learnertest.Coin(r, mean) - 1 }, -1, 4},
		{"uniform", slots.KLOSM{}, 1, 2000, func(r *rand.Rand, mean float64) float64 { return r.Float64() * mean }, 0, 1},
		{"sure", slots.KLOSM{}, 1, 2000, func(_ *rand.Rand, mean float64) float64 { return math.Round(mean) }, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			const arms, slots = 12, 4
			c.policy.Matroid = expect.Must(matroid.NewUniform(arms, slots))
			l := learner.New(&c.policy, nil)
			p := bandit.Problem{Arms: arms, Slots: slots, RewardMin: c.lo, RewardMax: c.lo + c.span}
			r := random.New(1, 0, "rewards")
			run := runtest.Run(t, l, p, c.rounds, nil, random.Source(1, 0, "noise"))
			sum, count := make([]float64, arms), make([]float64, arms)
			index := make([]float64, arms)
			for round := 1; round <= c.rounds; round++ {
				v := bandit.View{Round: round, Arms: arms}
				got := run.Select(&v, nil)
				log := math.Log(float64(round))
				for e := range index {
					index[e] = math.Inf(1)
					if count[e] > 0 {
						index[e] = klReference((sum[e]/count[e]-c.lo)/c.span, count[e], c.explore*(log+c.policy.LogLog*math.Log(math.Max(1, log))))
					}
				}
				want := greedyReference(index, slots, func([]int) bool { return true })
				for i := range got {
					if got[i] != want[i] && !(math.Abs(index[got[i]]-index[want[i]]) < 1e-9) {
						t.Fatalf("round %d: arms %v, by bisection %v with indices %v", round, got, want, index)
					}
				}
				y := make([]float64, slots)
				for i, e := range got {
					y[i] = c.weights(r, 0.05+0.9*float64(e)/arms)
					sum[e] += y[i]
					count[e]++
				}
				run.Update(&v, got, y)
			}
		})
	}
}
