package slots_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// said is a tally that has released what a test says, of all arms at once.
type said struct {
	tally.Counts
	estimates []privacy.Estimate
}

func (s *said) Open(of privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	m, err := s.Counts.Open(of)
	return saying{m, s}, err
}

type saying struct {
	privacy.Mechanism[privacy.Means]
	of *said
}

func (s saying) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	return &saysRun{s.Mechanism.Start(n), s.of, privacy.Means{}}
}

type saysRun struct {
	privacy.Stream[privacy.Means]
	of    *said
	means privacy.Means
}

func (s *saysRun) Release() *privacy.Means {
	s.means.Of, s.means.Changed = s.of.estimates, s.means.Changed[:0]
	for arm := range s.of.estimates {
		s.means.Changed = append(s.means.Changed, arm)
	}
	return &s.means
}

// TestIndices compares the order in which arms are played with the formulas of the learners'
// descriptions, for any means, counts and tails, and every tuning.
func TestIndices(t *testing.T) {
	const arms, most = 7, 7
	m := expect.Must(matroid.NewUniform(arms, most))
	r := random.New(1, 0, "estimates")
	l3 := func(round int) float64 { return 3 * math.Log(most*float64(round)) }
	bound := func(e privacy.Estimate, l float64) float64 { return e.Tail.Root*math.Sqrt(l) + e.Tail.Linear*l }
	tally := &said{estimates: make([]privacy.Estimate, arms)}
	omm := func(l slots.OMM, explore, width, most float64) (string, bandit.Learner, func(privacy.Estimate, int, float64, float64) float64) {
		l.Matroid = m
		return fmt.Sprintf("omm/%v/%v/%v", explore, width, most), learner.New(&l, tally), func(e privacy.Estimate, round int, span, _ float64) float64 {
			return e.Mean + width*(span*math.Sqrt(explore*math.Log(most*float64(round))/float64(e.Count))+bound(e, 3*math.Log(most*float64(round))))
		}
	}
	cts := func(l slots.CTS, width, boost float64) (string, bandit.Learner, func(privacy.Estimate, int, float64, float64) float64) {
		l.Matroid = m
		return fmt.Sprintf("cts/%v/%v", width, boost), learner.New(&l, tally), func(e privacy.Estimate, round int, span, z float64) float64 {
			return e.Mean + boost*bound(e, l3(round)) + width*span*z/math.Sqrt(float64(e.Count))
		}
	}
	kl := func(l slots.KLOSM, explore, loglog, boost float64) (string, bandit.Learner, func(privacy.Estimate, int, float64, float64) float64) {
		l.Matroid = m
		return fmt.Sprintf("kl-osm/%v/%v/%v", explore, loglog, boost), learner.New(&l, tally), func(e privacy.Estimate, round int, span, _ float64) float64 {
			mean := (e.Mean + boost*bound(e, l3(round)) + 1) / span // of the range [-1, span-1]
			log := math.Log(float64(round))
			return klReference(min(max(mean, 0), 1), float64(e.Count), explore*(log+loglog*math.Log(log)))
		}
	}
	check := func(name string, l bandit.Learner, index func(e privacy.Estimate, round int, span, z float64) float64) {
		for trial := range 300 {
			span := []float64{1, 0.5, 4}[trial%3]
			for e := range tally.estimates {
				tally.estimates[e] = privacy.Estimate{Mean: -1 + span*r.Float64(), Count: 1 + r.IntN(1000), Tail: privacy.Tail{Root: span * r.Float64() / 20, Linear: span * r.Float64() / 50}}
			}
			run := runtest.Run(t, l, bandit.Problem{Arms: arms, Slots: most, RewardMin: -1, RewardMax: span - 1}, 10, random.New(1, trial, "own"), random.Source(1, 0, "noise"))
			run.Update(&bandit.View{Round: 1, Arms: arms}, []int{0, 1, 2, 3, 4, 5, 6}, make([]float64, arms))
			round := 3 + r.IntN(100_000)
			got := run.Select(&bandit.View{Round: round, Arms: arms}, nil)
			z, want := make([]float64, arms), make([]float64, arms)
			random.NewNormals(random.New(1, trial, "own")).Fill(z)
			for e := range want {
				want[e] = index(tally.estimates[e], round, span, z[e])
			}
			if !slices.IsSortedFunc(got, func(a, b int) int {
				switch d := want[b] - want[a]; {
				case math.Abs(d) < 1e-9*span:
					return 0
				case d < 0:
					return -1
				}
				return 1
			}) {
				t.Fatalf("%s: round %d: arms %v, with indices %v", name, round, got, want)
			}
		}
	}
	check(omm(slots.OMM{}, 3, 1, most))
	check(omm(slots.OMM{Explore: 0.7, Width: 0.3}, 0.7, 0.3, most))
	check(cts(slots.CTS{}, 1, 1))
	check(cts(slots.CTS{Width: 0.4, Boost: 0.2}, 0.4, 0.2))
	check(kl(slots.KLOSM{}, 1, 0, 1))
	check(kl(slots.KLOSM{LogLog: 3, Explore: 2, Boost: 0.1}, 2, 3, 0.1))
}

// TestSampledNoise: with Sample, an arm is preferred as often as its draw is the higher one by
// simulation, for Laplace and for Gaussian noise. 40,000 draws have a standard error of 0.0025: a
// false alarm, beyond five of them, is one in a million.
func TestSampledNoise(t *testing.T) {
	m := expect.Must(matroid.NewUniform(2, 1))
	const draws, gap, boost = 40_000, 0.6, 1.5
	for _, tail := range []privacy.Tail{{Linear: 0.3}, {Root: 0.5}, {Root: 0.2, Linear: 0.2}} {
		l := learner.New(slots.CTS{Matroid: m, Width: 0.5, Boost: boost, Sample: true}, &said{estimates: []privacy.Estimate{{Mean: 0.1, Count: 10, Tail: tail}, {Mean: 0.1 + gap, Count: 10}}})
		run := runtest.Run(t, l, bandit.Problem{Arms: 2, Slots: 1, RewardMax: 2}, 10, random.New(1, 0, "own"), random.Source(1, 0, "noise"))
		r := random.New(1, 0, "reference")
		sd := 0.5 * 2 / math.Sqrt(10)
		n, want := 0, 0
		for arm := range 2 {
			run.Update(&bandit.View{Round: 1, Arms: 2}, []int{arm}, []float64{0})
		}
		for round := range draws {
			n += 1 - run.Select(&bandit.View{Round: 2 + round, Arms: 2}, nil)[0]
			laplace := tail.Linear * r.ExpFloat64()
			if r.IntN(2) == 0 {
				laplace = -laplace
			}
			noise := laplace + tail.Root/math.Sqrt2*r.NormFloat64()
			if boost*noise+sd*(r.NormFloat64()-r.NormFloat64()) > gap {
				want++
			}
		}
		if d := float64(n-want) / draws; math.Abs(d) > 5*0.0025*math.Sqrt2 || n == 0 {
			t.Errorf("tail %v: the noisy arm is preferred in %d of %d draws, want %d", tail, n, draws, want)
		}
	}
}

// TestKvetonIndex: OMM's width without privacy is that of Kveton et al., sqrt(2 ln t/T_e), of the
// range's length. The indices of arms with one and four observations are equal where the means are
// half that of one observation apart.
func TestKvetonIndex(t *testing.T) {
	m := expect.Must(matroid.NewUniform(2, 1))
	for _, c := range []struct {
		mean float64
		want int
	}{{1 - 0.001, 1}, {1 + 0.001, 0}} {
		width := 10 * math.Sqrt(2*math.Log(50))
		tally := &said{estimates: []privacy.Estimate{{Mean: c.mean, Count: 1}, {Mean: 1 + width/2, Count: 4}}}
		l := slots.OMM{Matroid: m}.Learner()
		l.Statistic = tally
		run := runtest.Run(t, l, bandit.Problem{Arms: 2, Slots: 1, RewardMax: 10}, 10, nil, random.Source(1, 0, "noise"))
		for arm := range 2 {
			run.Update(&bandit.View{Round: 1, Arms: 2}, []int{arm}, []float64{0})
		}
		if got := run.Select(&bandit.View{Round: 50, Arms: 2}, nil); got[0] != c.want {
			t.Errorf("mean %v: arm %d, want %d", c.mean, got[0], c.want)
		}
	}
}

// TestKLWarmStart: an index does not depend on those before, however far from it they were: after
// estimates that jump, arms are in the order of bisection.
func TestKLWarmStart(t *testing.T) {
	const arms = 6
	r := random.New(1, 0, "estimates")
	tally := &said{estimates: make([]privacy.Estimate, arms)}
	l := learner.New(slots.KLOSM{Matroid: expect.Must(matroid.NewUniform(arms, arms))}, tally)
	run := runtest.Run(t, l, bandit.Problem{Arms: arms, Slots: arms, RewardMax: 1}, 3000, nil, random.Source(1, 0, "noise"))
	all := []int{0, 1, 2, 3, 4, 5}
	for range 3000 {
		for e := range tally.estimates {
			mean := r.Float64()
			switch r.IntN(6) {
			case 0:
				mean = math.Round(mean)
			case 1:
				mean = 1 - math.Exp(-40*mean)
			case 2:
				mean = math.Exp(-40 * mean)
			}
			tally.estimates[e] = privacy.Estimate{Mean: mean, Count: int(math.Exp(20 * r.Float64()))}
		}
		run.Update(&bandit.View{Round: 1, Arms: arms}, all, make([]float64, arms))
		round := int(math.Exp(20 * r.Float64()))
		got := run.Select(&bandit.View{Round: round, Arms: arms}, nil)
		index := make([]float64, arms)
		for e := range index {
			index[e] = klReference(tally.estimates[e].Mean, float64(tally.estimates[e].Count), math.Log(float64(round)))
		}
		for i := range got[1:] {
			if index[got[i]] < index[got[i+1]]-1e-9 {
				t.Fatalf("round %d: arms %v with indices %v", round, got, index)
			}
		}
	}
}
