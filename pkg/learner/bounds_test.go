package learner_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// exactMessage is what a device without noise sends: x x^T, packed, and y x.
func exactMessage(t *testing.T, n local.LDPNoise, p bandit.Problem, x []float64, y float64) learner.Message {
	t.Helper()
	n.Budget = learnertest.None
	_, d := learnertest.Device(t, local.LDPDevice{Noise: n}, p, 100)
	m, err := d.Report(nil, x, y, privacy.NewNoise(random.Source(1, 0, "noise")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPublicPartHidesNothing: the last coordinate of a context is set to the public constant
// whatever it was, so that it must not enter the norm of the private part. The bound on that is
// sqrt(1 - 1/2).
func TestPublicPartHidesNothing(t *testing.T) {
	k := 1 / math.Sqrt2
	p := bandit.Problem{Arms: 2, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	rng := random.New(1, 0, "contexts")
	contexts := [][]float64{{30, 0, 1e10}, {30, 0, 1e200}, {0.5, 0.5, -1e10}, {1e200, 1e200, 1e308}, {1e-200, 0, 1}}
	for range 1000 {
		x := make([]float64, 3)
		for i := range x {
			x[i] = rng.NormFloat64() * math.Pow(10, 40*rng.Float64()-20)
		}
		contexts = append(contexts, x)
	}
	for _, x := range contexts {
		m := exactMessage(t, local.LDPNoise{Constant: k}, p, x, 1)
		if private := math.Sqrt(m[0] + m[2]); private > k*(1+1e-11) {
			t.Errorf("the context %v is sent with a private part of norm %v, want <= %v", x, private, k)
		}
		if m[5] != k*k {
			t.Errorf("the context %v is sent with the square %v of the constant, want %v", x, m[5], k*k)
		}
		// The direction of the private part stays, and its length where it is not too long.
		part := math.Hypot(x[0], x[1])
		if want := min(1, k/part) * x[0]; math.Abs(m[6]-want) > 1e-11 {
			t.Errorf("the context %v is sent as %v..., want %v", x, m[6], want)
		}
	}
}

// TestExtremeDataIsClipped: a context or a reward whose square overflows is one user's, and stops
// no run.
func TestExtremeDataIsClipped(t *testing.T) {
	p := bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	far, near := []float64{3e200, 4e200, 0.1, 0, 0, 0.2}, []float64{3, 4, 1e-201, 0, 0, 2e-201}
	for name, make := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		run := func(x []float64) (arms []int, theta []float64) {
			run := runtest.Run(t, learner.New(linear.UCB{}, make), p, 20, nil, random.Source(1, 0, "noise"))
			for round := 1; round <= 12; round++ {
				v := &bandit.View{Round: round, Arms: 3, Dim: 2, X: x}
				arms = run.Select(v, arms)
				run.Update(v, []int{0}, []float64{1e300})
			}
			if w := run.Warnings(); len(w) == 0 || w[0].Count != 12 {
				t.Errorf("%s: warnings %v, want 12 rows clipped", name, w)
			}
			theta, _ = learnertest.Rule(run).Confidence()
			return arms, theta
		}
		arms, theta := run(far)
		wanted, same := run(near)
		if !slices.Equal(arms, wanted) {
			t.Errorf("%s: plays %v, want %v as with the contexts scaled down", name, arms, wanted)
		}
		for i := range theta {
			if math.Abs(theta[i]-same[i]) > 1e-12 {
				t.Errorf("%s: theta = %v, want %v", name, theta, same)
			}
		}
	}
}

// scaled is an environment whose contexts and rewards are multiplied by a factor. Its arms are of
// different lengths, so that no two tie but for rounding.
type scaled struct {
	environment.DecisionSets
	by float64
}

// scaledTrial is a trial of scaled.
type scaledTrial struct {
	bandit.Instance
	by float64
	x  []float64
}

func (s scaled) Open() (bandit.World, error) {
	w, err := s.DecisionSets.Open()
	if err != nil {
		return nil, err
	}
	p := w.Problem()
	p.ContextNorm, p.RewardMin, p.RewardMax = p.ContextNorm*s.by, p.RewardMin*s.by, p.RewardMax*s.by
	return bandit.NewWorld(p, func(contexts *rand.Rand) bandit.Instance {
		return &scaledTrial{Instance: w.Start(contexts), by: s.by}
	}), nil
}

func (s *scaledTrial) Next(v *bandit.View) {
	s.Instance.Next(v)
	s.x = append(s.x[:0], v.X...)
	for i := range s.x {
		s.x[i] *= s.by * (1 - 0.05*float64(i/v.Dim))
	}
	v.X = s.x
}

func (s *scaledTrial) Pull(rewards *rand.Rand, arms []int, y []float64) {
	s.Instance.Pull(rewards, arms, y)
	for i := range y {
		y[i] *= s.by
	}
}

// TestOptimalShiftScales: everything times a factor plays the same arms.
func TestOptimalShiftScales(t *testing.T) {
	budget := privacy.Budget{Epsilon: 100, Delta: 0.1}
	play := func(by float64, sums privacy.Accumulator) (arms []int, rho float64) {
		const horizon = 3000
		world := runtest.Open(t, scaled{environment.DecisionSets{Arms: 6, Dim: 3, Gap: 0.2, Fixed: true}, by})
		run := runtest.Run(t, learner.New(linear.UCB{OptimalShift: true}, sums), world.Problem(), horizon, nil, random.Source(1, 0, "noise"))
		trial := world.Start(random.New(1, 0, "contexts"))
		rewards := random.New(1, 0, "rewards")
		y := make([]float64, 1)
		var v bandit.View
		for round := range horizon {
			trial.Next(&v)
			arms = run.Select(&v, arms)
			trial.Pull(rewards, arms[round:], y)
			run.Update(&v, arms[round:], y)
		}
		return arms, learnertest.Rule(run).Bounds().RhoMin / (by * by)
	}
	for name, sums := range map[string]privacy.Accumulator{
		"exact": continual.Exact{},
		"tree":  continual.Tree{Noise: continual.Gaussian{Budget: budget}},
	} {
		want, rho := play(1, sums)
		if len(slices.Compact(slices.Clone(want))) < 5 {
			t.Errorf("%s: plays %d arms in turn, want a comparison", name, len(slices.Compact(slices.Clone(want))))
		}
		for _, by := range []float64{1e-8, 1e8, 0x1p-40} {
			got, other := play(by, sums)
			if math.Abs(other/rho-1) > 1e-5 {
				t.Errorf("%s, times %v: rho_min = %v, want %v", name, by, other, rho)
			}
			if !slices.Equal(got, want) {
				first := 0
				for got[first] == want[first] {
					first++
				}
				t.Errorf("%s, times %v: arm %d in round %d, want %d; rho_min is %v times what it was", name, by, got[first], first+1, want[first], other/rho)
			}
		}
	}
}
