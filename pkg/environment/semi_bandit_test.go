package environment

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// binary is the matroid of vectors over the field of two elements, each the bits of a number:
// small, and with loops and parallel elements.
type binary []uint64

func (m binary) Size() int { return len(m) }

func (m binary) Rank() int {
	b := m.NewBuilder()
	for e := range m {
		b.Add(e)
	}
	return b.Len()
}

func (m binary) NewBuilder() matroid.Builder { return &binaryBuilder{m: m} }

type binaryBuilder struct {
	m     binary
	pivot [64]uint64 // by highest bit
	n     int
}

func (b *binaryBuilder) Clear()   { b.pivot, b.n = [64]uint64{}, 0 }
func (b *binaryBuilder) Len() int { return b.n }
func (b *binaryBuilder) Add(e int) bool {
	v := b.m[e]
	for v != 0 {
		top := bits.Len64(v) - 1
		if b.pivot[top] == 0 {
			b.pivot[top] = v
			b.n++
			return true
		}
		v ^= b.pivot[top]
	}
	return false
}

// fano has the seven points of the Fano plane, one of them twice, and a loop.
var fano = binary{1, 2, 3, 4, 5, 6, 7, 7, 0}

// randomBasis appends a basis, in random order.
func randomBasis(m matroid.Matroid, r *rand.Rand, dst []int) []int {
	b := m.NewBuilder()
	for _, e := range r.Perm(m.Size()) {
		if b.Add(e) {
			dst = append(dst, e)
		}
	}
	return dst
}

func isBasis(m matroid.Matroid, arms []int) bool {
	b := m.NewBuilder()
	for _, a := range arms {
		if !b.Add(a) {
			return false
		}
	}
	return b.Len() == m.Rank()
}

// everyBasis calls f with each basis.
func everyBasis(m matroid.Matroid, f func(arms []int)) {
	for set := range uint64(1) << m.Size() {
		if bits.OnesCount64(set) != m.Rank() {
			continue
		}
		var arms []int
		for w := set; w != 0; w &= w - 1 {
			arms = append(arms, bits.TrailingZeros64(w))
		}
		if isBasis(m, arms) {
			f(arms)
		}
	}
}

var fanoMeans = []float64{0.9, 0.8, 0.75, 0, 1, 0.3, 0.75, 0.2, 0.99}

func TestSemiBandit(t *testing.T) {
	many := make(binary, 130) // more than two words of a bit set
	means := make([]float64, len(many))
	for a := range many {
		many[a], means[a] = uint64(a), float64(a%7)/7
	}
	for name, e := range map[string]SemiBandit{
		"Bernoulli": {Matroid: fano, Means: fanoMeans},
		"Gaussian":  {Matroid: fano, Means: fanoMeans, Sigma: 0.5},
		"L=130":     {Matroid: many, Means: means},
		"rank 1":    {Matroid: binary{1, 1, 0}, Means: []float64{0.2, 0.6, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			bandittest.Environment(t, e, bandittest.EnvironmentOptions{
				Seed: 1, UnboundedRewards: e.Sigma > 0,
				Sets: func(r *rand.Rand, _ *bandit.View, dst []int) []int { return randomBasis(e.Matroid, r, dst) },
			})
		})
	}
}

// The instance of MAT, Table 2: its best basis is the first three vectors, which weigh 2.15. The
// zero vector is in no basis, though its mean is 0.7.
func TestTable2(t *testing.T) {
	m, err := matroid.NewLinear([][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	e := SemiBandit{Matroid: m, Means: []float64{0.8, 0.75, 0.6, 0.2, 0.3, 0.4, 0.7}}
	if best := e.Best(); !slices.Equal(best, []int{0, 1, 2}) || math.Abs(e.Optimum()-2.15) > 1e-15 {
		t.Errorf("best %v, which weighs %v", best, e.Optimum())
	}
	if p := e.Problem(); p.Arms != 7 || p.Slots != 3 || p.Dim != 0 || p.RewardMin != 0 || p.RewardMax != 1 {
		t.Errorf("problem %+v", p)
	}
	trial := runtest.Open(t, e).Start(nil)
	arms := []int{5, 4, 3}
	// the last first: (1,0,1) cannot stand for (1,0,0), which (2,0,0) is parallel to
	if got, pairs := trial.Regret(arms), Pairs(trial, arms, nil); math.Abs(got-1.25) > 1e-15 || !slices.Equal(pairs, []int{0, 2, 1}) {
		t.Errorf("regret of %v = %v, pairs %v", arms, got, pairs)
	}
	bandittest.Environment(t, SemiBandit{Matroid: m, Means: e.Means}, bandittest.EnvironmentOptions{
		Seed: 2, Sets: func(r *rand.Rand, _ *bandit.View, dst []int) []int { return randomBasis(m, r, dst) },
	})
}

// An arm's weight is the same whatever else is played, before round 1 and after.
func TestSemiBanditCommonWeights(t *testing.T) {
	for _, e := range []SemiBandit{{Matroid: fano, Means: fanoMeans}, {Matroid: fano, Means: fanoMeans, Sigma: 2}} {
		trial := runtest.Open(t, e).Start(nil)
		one, two, choice := random.New(1, 0, "rewards"), random.New(1, 0, "rewards"), random.New(1, 0, "choice")
		all, some, y := make([]float64, 9), make([]float64, 3), []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
		var v bandit.View
		for range 200 {
			arms := randomBasis(fano, choice, nil)
			trial.Pull(one, y, all)
			trial.Pull(two, arms, some)
			for i, a := range arms {
				if some[i] != all[a] {
					t.Fatalf("sigma %v: arm %d weighs %v among %v and %v among all", e.Sigma, a, some[i], arms, all[a])
				}
			}
			trial.Next(&v)
		}
		if one.Uint64() != two.Uint64() {
			t.Errorf("sigma %v: pulls of 9 arms and of 3 took different numbers of draws", e.Sigma)
		}
	}
}

// TestSemiBanditLaw: means, variances and correlations of the weights, each to 5 standard
// deviations of 40,000 rounds: 9 means, 9 variances, 36 correlations, twice (false alarm below
// 1e-4; the seed is fixed). Bernoulli weights are 0 and 1, and sure where the mean is.
func TestSemiBanditLaw(t *testing.T) {
	const rounds = 40_000
	for _, e := range []SemiBandit{{Matroid: fano, Means: fanoMeans}, {Matroid: fano, Means: fanoMeans, Sigma: 0.5}} {
		trial := runtest.Open(t, e).Start(nil)
		rng := random.New(1, 0, "rewards")
		arms, y := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, make([]float64, 9)
		var first, second [9]float64
		var product [9][9]float64
		for range rounds {
			trial.Pull(rng, arms, y)
			for a := range y {
				x := y[a] - fanoMeans[a]
				first[a] += x / rounds
				second[a] += x * x / rounds
				for b := range a {
					product[a][b] += x * (y[b] - fanoMeans[b]) / rounds
				}
				if e.Sigma == 0 && y[a] != 0 && y[a] != 1 {
					t.Fatalf("a Bernoulli weight of %v", y[a])
				}
			}
		}
		variance := func(a int) float64 {
			if e.Sigma > 0 {
				return e.Sigma * e.Sigma
			}
			return fanoMeans[a] * (1 - fanoMeans[a])
		}
		for a := range 9 {
			v := variance(a)
			spread := 2 * v * v // variance of x^2
			if e.Sigma == 0 {
				spread = v * (1 - 4*v)
			}
			if math.Abs(first[a]) > 5*math.Sqrt(v/rounds) || math.Abs(second[a]-v) > 5*math.Sqrt(spread/rounds)+25*v/rounds {
				t.Errorf("sigma %v: arm %d: mean %v off, variance %v, want 0 and %v", e.Sigma, a, first[a], second[a], v)
			}
			for b := range a {
				if math.Abs(product[a][b]) > 5*math.Sqrt(v*variance(b)/rounds) {
					t.Errorf("sigma %v: arms %d and %d have covariance %v, want 0", e.Sigma, a, b, product[a][b])
				}
			}
		}
	}
}

// TestSemiBanditAcross: within a round, the weights of 200,000 arms of equal law have its mean and
// variance, and neighbours, and arms 64 places apart, no covariance, each to 5 standard deviations,
// in 3 rounds (false alarm below 1e-4; the seed is fixed).
func TestSemiBanditAcross(t *testing.T) {
	const n = 200_000
	m := make(binary, n) // loops but for one
	m[0] = 1
	e := SemiBandit{Matroid: m, Means: make([]float64, n), Sigma: 1}
	arms, y := make([]int, n), make([]float64, n)
	for a := range arms {
		arms[a] = a
	}
	rng := random.New(1, 0, "rewards")
	for _, sigma := range []float64{1, 0} {
		if e.Sigma = sigma; sigma == 0 {
			for a := range e.Means {
				e.Means[a] = 0.5
			}
		}
		trial := runtest.Open(t, e).Start(nil)
		for range 3 {
			trial.Pull(rng, arms, y)
			var sums [4]float64 // of x, x^2, and products
			for a, x := range y {
				if sigma == 0 {
					x = 2*x - 1
					y[a] = x
				}
				sums[0] += x
				sums[1] += x*x - 1
				if a >= 64 {
					sums[2] += x * y[a-1]
					sums[3] += x * y[a-64]
				}
			}
			for i, sum := range sums {
				if math.Abs(sum) > 5*math.Sqrt(2*n) {
					t.Errorf("sigma %v: sum %d = %v over %d arms", sigma, i, sum, n)
				}
			}
		}
	}
}

// On random matroids and means, Best is the heaviest of all bases and in descending order, and the
// regret of each basis, in any order, is what it weighs less.
func TestSemiBanditRegret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawSemiBandit(t)
		trial := runtest.Open(t, e).Start(nil)
		best := e.Best()
		if !isBasis(e.Matroid, best) || math.Abs(total(e.Means, best)-e.Optimum()) > 1e-12 {
			t.Fatalf("Best() = %v, which weighs %v; Optimum() = %v", best, total(e.Means, best), e.Optimum())
		}
		if !slices.IsSortedFunc(best, func(a, b int) int {
			if e.Means[a] > e.Means[b] || (e.Means[a] == e.Means[b] && a < b) {
				return -1
			}
			return 1
		}) {
			t.Fatalf("Best() = %v is not in descending order of %v", best, e.Means)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2 { // from the memory, too
			everyBasis(e.Matroid, func(arms []int) {
				want := e.Optimum() - total(e.Means, arms)
				got := trial.Regret(arms)
				if math.Abs(got-want) > 1e-12 || got < 0 {
					t.Fatalf("regret of %v = %v, want %v", arms, got, want)
				}
				rng.Shuffle(len(arms), func(i, j int) { arms[i], arms[j] = arms[j], arms[i] })
				if again := trial.Regret(arms); again != got {
					t.Fatalf("regret %v of %v, %v in another order", again, arms, got)
				}
			})
		}
		if got := trial.Regret(best); got != 0 {
			t.Fatalf("regret of the best basis = %v", got)
		}
	})
}

func drawSemiBandit(t *rapid.T) SemiBandit {
	m := binary(rapid.SliceOfN(rapid.Uint64Range(0, 15), 1, 9).Draw(t, "vectors"))
	if m.Rank() == 0 {
		m = append(m, 5)
	}
	// Eighths, so that means tie, and sums are exact.
	means := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 8).Draw(t, "eighths")) / 8 }), len(m), len(m)).Draw(t, "means")
	return SemiBandit{Matroid: m, Means: means}
}

// Pairs is a bijection onto the best basis that pairs best arms with themselves; exchanging arms
// for their partners, the last one first, leads through bases only, and so each partner could be
// added to the arms before its own; of the arms that could be partners it is the one with the
// largest mean. The regret is the sum of the gaps, exactly, and none of them is negative.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawSemiBandit(t)
		trial := runtest.Open(t, e).Start(nil)
		m, best := e.Matroid, e.Best()
		arms := randomBasis(m, rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "order"))), nil)
		pairs := Pairs(trial, arms, []int{-1})
		if len(pairs) != 1+len(arms) || pairs[0] != -1 {
			t.Fatalf("Pairs(%v, [-1]) = %v", arms, pairs)
		}
		pairs = pairs[1:]
		sorted := func(x []int) []int { return slices.Sorted(slices.Values(x)) }
		if !slices.Equal(sorted(pairs), sorted(best)) {
			t.Fatalf("pairs %v of %v are not the best basis %v", pairs, arms, best)
		}
		var gaps float64
		current := slices.Clone(arms)
		for k := len(arms) - 1; k >= 0; k-- {
			if slices.Contains(best, arms[k]) && pairs[k] != arms[k] {
				t.Fatalf("pairs %v of %v: arm %d is one of the best %v", pairs, arms, arms[k], best)
			}
			for _, b := range best { // by descending mean
				if current[k] = b; !slices.Contains(best, arms[k]) && isBasis(m, current) {
					break
				}
			}
			if !slices.Contains(best, arms[k]) && current[k] != pairs[k] {
				t.Fatalf("pairs %v of %v: arm %d could stand for %d", pairs, arms, arms[k], current[k])
			}
			if current[k] = pairs[k]; !isBasis(m, current) {
				t.Fatalf("pairs %v of %v: %v is no basis", pairs, arms, current)
			}
			b := m.NewBuilder()
			for _, a := range append(slices.Clone(arms[:k]), pairs[k]) {
				if !b.Add(a) {
					t.Fatalf("pairs %v of %v: %d cannot be added to %v", pairs, arms, pairs[k], arms[:k])
				}
			}
			gap := e.Means[pairs[k]] - e.Means[arms[k]]
			if gap < 0 {
				t.Fatalf("pairs %v of %v: arm %d has a gap of %v", pairs, arms, arms[k], gap)
			}
			gaps += gap
		}
		if got := trial.Regret(arms); got != gaps {
			t.Fatalf("the gaps of %v add up to %v, want the regret %v", arms, gaps, got)
		}
	})
}

// Regret refuses what is no basis, whatever it was asked before, and so does Pairs.
func TestNoBasis(t *testing.T) {
	e := SemiBandit{Matroid: fano, Means: fanoMeans}
	trial := runtest.Open(t, e).Start(nil)
	refused := func(arms []int, f func()) (message string) {
		defer func() {
			if err, ok := recover().(error); ok {
				message = err.Error()
			}
		}()
		f()
		t.Errorf("arms %v: no panic", arms)
		return
	}
	for _, c := range []struct {
		arms []int
		want string
	}{
		{[]int{0, 1, 2}, "arms [0 1 2] are no basis of the matroid: arm 2 depends on those before it"},
		{[]int{6, 0, 7}, "arm 7 depends"},
		{[]int{8, 0, 1}, "arm 8 depends"},
		{[]int{0, 3, 0}, "arm 0 is in them twice"},
		{[]int{0, 1, 3, 3}, "4 arms, want its rank 3"}, // as a set, one that was played
		{[]int{0, 1}, "2 arms, want its rank 3"},
		{nil, "0 arms, want its rank 3"},
		{[]int{0, 1, 3, 5}, "4 arms, want its rank 3"},
	} {
		for range 2 {
			trial.Regret([]int{0, 1, 3})
			trial.Regret(e.Best())
			for _, f := range []func(){func() { trial.Regret(c.arms) }, func() { Pairs(trial, c.arms, nil) }} {
				if got := refused(c.arms, f); !strings.Contains(got, c.want) {
					t.Errorf("arms %v: %q, want %q in it", c.arms, got, c.want)
				}
			}
		}
	}
	for _, arms := range [][]int{{0, 1, 9}, {-1, 1, 3}} {
		if got := refused(arms, func() { trial.Regret(arms) }); !strings.Contains(got, "is not in [0, 9)") {
			t.Errorf("arms %v: %q", arms, got)
		}
	}
}

// stuck plays the same arms always.
type stuck struct{ Arms []int }

// Open accepts any problem.
func (s stuck) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return s }), nil
}
func (s stuck) Select(_ *bandit.View, dst []int) ([]int, error) { return append(dst, s.Arms...), nil }
func (stuck) Update(*bandit.View, []int, []float64) error       { return nil }

func play(name string, arms ...int) simulate.Policy {
	return simulate.Policy{Name: name, Learner: stuck{arms}}
}

// A simulation adds up the regret, and stops the trial of a learner that plays no basis, by name;
// it refuses an environment that is not valid.
func TestSemiBanditSimulated(t *testing.T) {
	e := simulate.Experiment{
		Name: "fano", Environment: SemiBandit{Matroid: fano, Means: fanoMeans},
		Policies: []simulate.Policy{play("best", 4, 0, 1), play("other", 0, 1, 3)}, Horizon: 100, Trials: 2, Grid: []int{100},
	}
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Policies[0].Regret[1][0]; got != 0 {
		t.Errorf("regret of the best basis = %v", got)
	}
	if got := r.Policies[1].Regret[1][0]; math.Abs(got-100) > 1e-9 { // means 1 and 0
		t.Errorf("regret = %v, want 100", got)
	}
	e.Policies = append(e.Policies, play("dependent", 0, 1, 2))
	var te *simulate.TrialError
	if _, err = e.Run(t.Context()); !errors.As(err, &te) || te.Round != 1 || !strings.Contains(err.Error(), `given the arms of policy "dependent": panic: environment: arms [0 1 2] are no basis`) {
		t.Errorf("error %v", err)
	}
	e.Environment = SemiBandit{Matroid: fano}
	if _, err = e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Means has 0 numbers, want one for each of the matroid's 9 elements") {
		t.Errorf("error %v", err)
	}
}

// ranked is a matroid that gives a size and a rank of its own.
type ranked struct {
	matroid.Matroid
	size, rank int
}

func (r ranked) Size() int { return r.size }
func (r ranked) Rank() int { return r.rank }

func TestSemiBanditRefuses(t *testing.T) {
	some := []float64{0.5, 0.5, 0.5}
	three := binary{1, 2, 3}
	for want, e := range map[string]SemiBandit{
		"field Matroid is nil":                           {Means: some},
		"rank 0, want in [1, Size = 2]":                  {Matroid: binary{0, 0}, Means: some[:2]},
		"rank 0, want in [1, Size = 0]":                  {Matroid: binary{}},
		"rank 5, want in [1, Size = 3]":                  {Matroid: ranked{three, 3, 5}, Means: some},
		"a basis of 2 elements, want Rank = 3":           {Matroid: ranked{three, 3, 3}, Means: some},
		"Means has 2 numbers, want one for each of the ": {Matroid: three, Means: some[:2]},
		"Means[1] = 1.5, want in [0, 1]":                 {Matroid: three, Means: []float64{0, 1.5, 1}},
		"Means[0] = -0.1, want in [0, 1]":                {Matroid: three, Means: []float64{-0.1, 0.5, 1}},
		"Means[2] = NaN, want in [-1e300":                {Matroid: three, Means: []float64{0, 0.5, math.NaN()}},
		"Means[0] = +Inf, want in [-1e300":               {Matroid: three, Means: []float64{math.Inf(1), 0, 0}, Sigma: 1},
		"Sigma = NaN, want >= 0 and":                     {Matroid: three, Means: some, Sigma: math.NaN()},
		"Sigma = +Inf, want >= 0 and at most 1e300":      {Matroid: three, Means: some, Sigma: math.Inf(1)},
		"Sigma = -1, want >= 0":                          {Matroid: three, Means: some, Sigma: -1},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "environment: SemiBandit: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	e := SemiBandit{Matroid: three, Means: []float64{-3, 2, 7}, Sigma: 1}
	if err := refusal(e); err != nil {
		t.Error(err)
	}
}

// A round allocates nothing, nor does a learner that plays ever new bases.
func TestSemiBanditAllocations(t *testing.T) {
	many := make(binary, 200)
	rated := make([][]bool, 3)
	for a := range many {
		many[a] = uint64(a)
	}
	for user := range rated {
		rated[user] = make([]bool, len(many))
	}
	means := make([]float64, len(many))
	var sets [100][]int
	rng := random.New(1, 0, "sets")
	for i := range sets {
		sets[i] = randomBasis(many, rng, nil)
	}
	y, dst := make([]float64, 8), make([]int, 0, 8)
	for _, e := range []bandit.Environment{SemiBandit{Matroid: many, Means: means}, SemiBandit{Matroid: many, Means: means, Sigma: 1}, Ratings{Matroid: many, Rated: rated}} {
		trial := runtest.Open(t, e).Start(nil)
		var v bandit.View
		if n := testing.AllocsPerRun(3, func() {
			for _, arms := range sets {
				trial.Next(&v)
				trial.Pull(rng, arms, y)
				trial.Regret(arms)
				Pairs(trial, arms, dst)
			}
		}); n > 0 {
			t.Errorf("%T: %v allocations in %d rounds, want 0", e, n, len(sets))
		}
	}
}

func benchmarkSemiBandit(sigma float64, arms int) SemiBandit {
	m := make(binary, arms)
	e := SemiBandit{Matroid: m, Means: make([]float64, arms), Sigma: sigma}
	for a := range m {
		m[a], e.Means[a] = uint64(a+1), float64(a%10)/10
	}
	return e
}

func BenchmarkPull(b *testing.B) {
	for _, c := range []struct {
		name  string
		sigma float64
		arms  int
	}{{"semi-bandit", 0, 7}, {"semi-bandit", 0, 100}, {"semi-bandit", 0, 1000}, {"semi-bandit-gaussian", 0.5, 1000}} {
		b.Run(fmt.Sprintf("%s/L=%d", c.name, c.arms), func(b *testing.B) {
			e := benchmarkSemiBandit(c.sigma, c.arms)
			trial := runtest.Open(b, e).Start(nil)
			rng, best := random.New(1, 0, "rewards"), e.Best()
			y := make([]float64, len(best))
			b.ReportAllocs()
			for b.Loop() {
				trial.Pull(rng, best, y)
			}
		})
	}
	b.Run("ratings/L=100", func(b *testing.B) {
		e := Ratings{Matroid: benchmarkSemiBandit(0, 100).Matroid, Rated: make([][]bool, 943)}
		rng := random.New(1, 0, "rated")
		for u := range e.Rated {
			e.Rated[u] = make([]bool, 100)
			for a := range e.Rated[u] {
				e.Rated[u][a] = rng.IntN(3) == 0
			}
		}
		trial := runtest.Open(b, e).Start(nil)
		best := e.Best()
		y := make([]float64, len(best))
		b.ReportAllocs()
		for b.Loop() {
			trial.Pull(rng, best, y)
		}
	})
}

func BenchmarkRegret(b *testing.B) {
	for _, arms := range []int{7, 100, 1000} {
		e := benchmarkSemiBandit(0, arms)
		rng := random.New(1, 0, "sets")
		for _, c := range []struct {
			name string
			sets int
		}{{"known", 1}, {"new", 1 << 12}} {
			b.Run(fmt.Sprintf("semi-bandit/L=%d/%s", arms, c.name), func(b *testing.B) {
				sets := make([][]int, c.sets)
				for i := range sets {
					sets[i] = randomBasis(e.Matroid, rng, nil)
				}
				trial, i := runtest.Open(b, e).Start(nil), 0
				b.ReportAllocs()
				for b.Loop() {
					trial.Regret(sets[i&(c.sets-1)])
					i++
				}
			})
		}
	}
}
