package privacytest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// threeRows is a rule of episodes: all have three rows.
type threeRows struct{}

func (threeRows) Length(int, int, float64) int { return 3 }

// forgetful and refining are statistics of short episodes, which clip rewards at 0.8 in the first.
func forgetful() episodes.SparseEpisodes {
	return episodes.SparseEpisodes{Budget: approximate, Lengths: threeRows{},
		Phases: []episodes.Phase{{Picks: 2, Share: 0.5, Norm: 1, Reward: 0.8}}}
}

func refining() episodes.SparseEpisodes {
	s := forgetful()
	s.Refine, s.Phases[0].Picks = true, 1
	s.Phases = append(s.Phases, episodes.Phase{Norm: 1, Reward: 0.8})
	return s
}

// sparseFormat is the format of rows whose rewards are clipped at bound; +Inf means that clipping
// is not counted.
func sparseFormat[R any](bound float64) privacytest.Format[R] {
	rows := privacytest.Rows()
	return privacytest.Format[R]{
		Record: func(s privacy.Setup, place int, rng *rand.Rand) privacy.Record {
			r := rows.Record(s, place, rng)
			r.Y[0] *= 0.5
			return r
		},
		Far: rows.Far,
		Clips: func(_ privacy.Setup, r *privacy.Record) int {
			if math.Abs(r.Y[0]) > bound {
				return 1
			}
			return 0
		},
		Malformed: rows.Malformed,
	}
}

func sparseCase(make func() episodes.SparseEpisodes) privacytest.Case[episodes.SparseGram] {
	return privacytest.Case[episodes.SparseGram]{
		Of:    make(),
		Setup: privacy.Setup{Horizon: 17, Dim: 4, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
		Long:  300, Nonlinear: true,
		Format: sparseFormat[episodes.SparseGram](0.8),
	}
}

func TestSparseStatistics(t *testing.T) {
	t.Run("forgetful", func(t *testing.T) { privacytest.Statistic(t, sparseCase(forgetful)) })
	t.Run("refining", func(t *testing.T) {
		c := sparseCase(refining)
		// Whether a residual is clipped depends on the estimate: a record at an early place is counted by
		// its reward alone, and a later one need not be.
		refine := func() episodes.SparseEpisodes {
			s := refining()
			for i := range s.Phases {
				s.Phases[i].Reward = 1e12
				s.Phases[i].Scale = 1
			}
			return s
		}
		c.Of = uncounted{refine()}
		c.Format.Clips = func(privacy.Setup, *privacy.Record) int { return 0 }
		privacytest.Statistic(t, c)
	})
	t.Run("top scores", func(t *testing.T) {
		privacytest.Statistic(t, privacytest.Case[episodes.Support]{
			Of:    episodes.TopScores{Budget: pure, Picks: 2, Scores: episodes.Correlations{X: 1, Y: 1}, Lengths: threeRows{}},
			Setup: privacy.Setup{Horizon: 17, Dim: 4, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
			Long:  300, Nonlinear: true,
			Format: sparseFormat[episodes.Support](math.Inf(1)),
		})
	})
}

// uncounted counts no clipped rows.
type uncounted struct{ episodes.SparseEpisodes }

func (u uncounted) Open(s privacy.Setup) (privacy.Mechanism[episodes.SparseGram], error) {
	m, err := u.SparseEpisodes.Open(s)
	return &uncountedEpisodes{m}, err
}

type uncountedEpisodes struct {
	privacy.Mechanism[episodes.SparseGram]
}

func (u *uncountedEpisodes) Start(n *privacy.Noise) privacy.Stream[episodes.SparseGram] {
	return &uncountedRun{u.Mechanism.Start(n)}
}

func (u *uncountedEpisodes) Plan(records int) privacy.Plan {
	return privacy.PlanOf(u.Mechanism, records).HeldBy(u)
}

type uncountedRun struct {
	privacy.Stream[episodes.SparseGram]
}

func (u *uncountedRun) Clipped() int { return 0 }

func (u *uncountedRun) Plan(records int) privacy.Plan {
	return privacy.PlanOf(u.Stream, records).HeldBy(u)
}

func TestSparsePolicy(t *testing.T) {
	c := privacytest.PolicyCase[episodes.SparseGram]{
		Policy:    sparse.SparseJDP{},
		Problem:   contextual,
		Statistic: refining(),
	}
	privacytest.Replay(t, c)
}

func TestSparseLearner(t *testing.T) {
	if testing.Short() {
		t.Skip("the curve of its claim takes seconds; its statistic is tested")
	}
	s := refining()
	s.Budget = wide
	privacytest.Learner(t, privacytest.LearnerCase{Name: "SparseJDP", Problem: contextual, Learner: learner.New(sparse.SparseJDP{}, s)})
}
