package privacytest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// onCircle returns a unit vector, one of five, by place.
func onCircle(place int) []float64 {
	sin, cos := math.Sincos(2 * math.Pi / 5 * float64(place%5))
	return []float64{cos, sin}
}

// labelled returns the format of rows whose contexts are public: those of onCircle. arms are the
// arms of a place, nil if records have none.
func labelled[R any](arms func(place int) []int) privacytest.Format[R] {
	record := func(place int, y float64) privacy.Record {
		r := privacy.Record{X: onCircle(place), Y: []float64{y}}
		if arms != nil {
			r.Arms = arms(place)
		}
		return r
	}
	return privacytest.Format[R]{
		Contexts: onCircle,
		Record: func(s privacy.Setup, place int, rng *rand.Rand) privacy.Record {
			return record(place, s.Lo+(s.Hi-s.Lo)*rng.Float64())
		},
		Far: func(s privacy.Setup, place int) [2]privacy.Record {
			return [2]privacy.Record{record(place, s.Lo), record(place, s.Hi)}
		},
		Clips: func(s privacy.Setup, r *privacy.Record) int { // Contexts are those of onCircle
			if y := r.Y[0]; y < s.Lo || y > s.Hi {
				return 1
			}
			return 0
		},
		Malformed: func(_ privacy.Setup, place int) []privacy.Record {
			x := onCircle(place)
			return []privacy.Record{
				{Arms: record(place, 0).Arms}, {X: x, Arms: record(place, 0).Arms}, {X: x, Arms: record(place, 0).Arms, Y: []float64{0, 0}},
				{X: x[:1], Arms: record(place, 0).Arms, Y: []float64{0}}, {X: append(x, 0), Arms: record(place, 0).Arms, Y: []float64{0}},
			}
		},
	}
}

var publicSetup = privacy.Setup{Horizon: 32, Dim: 3, Bound: math.Sqrt2, Context: 1, Alpha: 0.1, Arms: 5, Slots: 1, Lo: -1, Hi: 2}

// sevens is a rule of batches of seven rounds each.
type sevens struct{}

func (sevens) Length(int, privacy.Setup) int { return 7 }

// TestPublicContexts: rewards move the releases by what the plan says, and nothing else does.
func TestPublicContexts(t *testing.T) {
	for name, of := range map[string]continual.PublicContexts{
		"fresh noise": {Budget: approximate}, "correlated": {Budget: approximate, Buffers: 2, Growth: 0.5, Ridge: 0.1},
	} {
		c := privacytest.Case[privacy.Sums]{Of: of, Setup: publicSetup, Format: labelled[privacy.Sums](nil), Long: long}
		if of.Buffers > 0 {
			c.Below = 0.3 // there are fewer phases than there may be, and the first of them is seen in all
		}
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
		t.Run(name+", probed", func(t *testing.T) { privacytest.Probe(t, c) })
	}
}

func TestRegression(t *testing.T) {
	for name, arms := range map[string]func(place int) []int{
		"":                      func(place int) []int { return []int{place % 5} },
		", an arm that changes": func(int) []int { return []int{3} },
	} {
		c := privacytest.Case[tally.Equations]{Setup: publicSetup, Long: long,
			Of: tally.Regression{Budget: approximate, Lengths: sevens{}}, Format: labelled[tally.Equations](arms)}
		if name != "" {
			c.Below = 0.6 // g counts as 1
		}
		t.Run("batches"+name, func(t *testing.T) { privacytest.Statistic(t, c) })
		t.Run("batches"+name+", probed", func(t *testing.T) { privacytest.Probe(t, c) })
	}
}

// TestAdaC: both learners choose by broadcast and view, and keep their claims.
func TestAdaC(t *testing.T) {
	problem := bandit.Problem{Arms: 6, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -0.5, RewardMax: 0.5}
	b := privacy.Budget{Epsilon: 50, Delta: 0.01}
	t.Run("GOPE", func(t *testing.T) {
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			policy := linear.AdaCGOPE{Budget: b, Calibration: c}
			privacytest.Replay(t, privacytest.PolicyCase[tally.Equations]{
				Policy: policy, Statistic: tally.Regression{Budget: b, Lengths: policy}, Problem: problem, Rounds: 2000,
			})
		}
		privacytest.Learner(t, privacytest.LearnerCase{Learner: linear.AdaCGOPE{}.Private(b), Problem: problem, Long: 3000})
	})
	t.Run("OFUL", func(t *testing.T) {
		privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{
			Policy: linear.UCB{}, Statistic: continual.PublicContexts{Budget: b}, Problem: problem,
		})
		for _, l := range []bandit.Learner{
			linear.UCB{}.AdaCOFUL(approximate), learner.New(linear.UCB{}, privacy.Accumulator(continual.PublicContexts{Budget: approximate, Buffers: 2})),
		} {
			privacytest.Learner(t, privacytest.LearnerCase{Learner: l, Problem: problem})
		}
	})
}
