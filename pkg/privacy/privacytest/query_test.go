package privacytest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// The queries of these tests differ in what they answer and in what is stated of that.

// stated is what a query of one number states: by how much a record moves it.
type stated float64

func (stated) Dim(privacy.Setup) int                                                { return 1 }
func (by stated) Sensitivity(privacy.Setup, int) privacy.Norms                      { return privacy.Norms{L1: float64(by)} }
func (stated) Answer(privacy.Setup, []privacy.Record, []float64) ([]float64, error) { return nil, nil }

// weights returns all weights of a batch, in ascending order.
func sortedWeights(records []privacy.Record) (all []float64) {
	for _, r := range records {
		all = append(all, r.Y...)
	}
	slices.Sort(all)
	return all
}

// trimmed is the mean of the weights but for the Cut least and the Cut largest, of one arm a round.
type trimmed struct{ Cut int }

func (trimmed) Dim(privacy.Setup) int { return 1 }

func (q trimmed) Sensitivity(s privacy.Setup, n int) privacy.Norms {
	return privacy.Norms{L1: (s.Hi - s.Lo) / float64(n-2*q.Cut)}
}

func (q trimmed) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	all = all[q.Cut : len(all)-q.Cut]
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return append(dst, sum/float64(len(all))), nil
}

// median is the middle weight, rounded.
type median struct{ stated }

func (median) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	return append(dst, math.Round(all[len(all)/2])), nil
}

// deviation is the standard deviation of the weights.
type deviation struct{ stated }

func (deviation) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	sum, squares, n := 0.0, 0.0, float64(len(all))
	for _, v := range all {
		sum += v
	}
	for _, v := range all {
		squares += float64((v - sum/n) * (v - sum/n))
	}
	return append(dst, math.Sqrt(squares/n)), nil
}

// hopeful is trimmed, stated as a mean of all weights.
type hopeful struct{ trimmed }

func (hopeful) Sensitivity(s privacy.Setup, n int) privacy.Norms {
	return privacy.Norms{L1: (s.Hi - s.Lo) / float64(n)}
}

// distinct is the number of different weights, rounded.
type distinct struct{ stated }

func (distinct) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	for i, v := range all {
		all[i] = math.Round(v)
	}
	return append(dst, float64(len(slices.Compact(all)))), nil
}

// medians is the median of each arm's weights, Lo for an arm without any.
type medians struct{ L1, L2 float64 }

func (medians) Dim(s privacy.Setup) int { return s.Arms }
func (q medians) Sensitivity(privacy.Setup, int) privacy.Norms {
	return privacy.Norms{L1: q.L1, L2: q.L2}
}

func (medians) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	for arm := range s.Arms {
		var all []float64
		for _, r := range records {
			if i := slices.Index(r.Arms, arm); i >= 0 {
				all = append(all, r.Y[i])
			}
		}
		slices.Sort(all)
		if all = append(all, s.Lo); len(all) > 1 {
			all = all[:len(all)-1]
		}
		dst = append(dst, all[len(all)/2])
	}
	return dst, nil
}

// slope is a ridge regression of the weight on the first number of the context.
type slope struct{ stated }

func (slope) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	xx, xy := 0.1, 0.0
	for _, r := range records {
		xx += float64(r.X[0] * r.X[0])
		xy += float64(r.X[0] * r.Y[0])
	}
	return append(dst, xy/xx), nil
}

// tail is 1 if a weight is beyond 5, which is beyond the bounds.
type tail struct{ stated }

func (tail) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	if all[len(all)-1] > 5 || all[0] < -5 {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

// ratio has no answer where all weights are 0.
type ratio struct{ stated }

func (ratio) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	all := sortedWeights(records)
	return append(dst, min(max(all[0]/all[len(all)-1], 0), 1)), nil
}

// refusing refuses batches that begin with a large weight.
type refusing struct{ stated }

func (refusing) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	if records[0].Y[0] > 0.9 {
		return dst, errors.New("the first weight is large")
	}
	return append(dst, 0), nil
}

// twofold answers with two numbers instead of one.
type twofold struct{ stated }

func (twofold) Answer(_ privacy.Setup, _ []privacy.Record, dst []float64) ([]float64, error) {
	return append(dst, 1, 2), nil
}

// counting remembers how often it was asked.
type counting struct {
	stated
	asked *int
}

func (c counting) Answer(_ privacy.Setup, _ []privacy.Record, dst []float64) ([]float64, error) {
	*c.asked++
	return append(dst, float64(*c.asked)/1e9), nil
}

// meddling sorts the records that it is shown, and writes to them.
type meddling struct{ trimmed }

func (q meddling) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	dst, err := q.trimmed.Answer(s, records, dst)
	for i := range records {
		records[i] = privacy.Record{Arms: append(records[i].Arms, 0, 0, 0), Y: nil}
	}
	return dst, err
}

// oneArm is a setup of one arm with weights in [0, 1].
var oneArm = privacy.Setup{Arms: 1, Slots: 1, Horizon: 21, Hi: 1}

func queryCase(q tally.Query, s privacy.Setup, b privacy.Budget) privacytest.QueryCase {
	return privacytest.QueryCase{Of: tally.Additive{Budget: b, Query: q}, Setup: s}
}

// query searches as SearchQuery does, and fails the test where that fails.
func query(t testing.TB, c privacytest.QueryCase) privacytest.Moved {
	t.Helper()
	seen, err := privacytest.SearchQuery(c)
	if err != nil {
		t.Error(err)
	}
	return seen
}

// TestSearchQuery: the search finds what one record moves, on queries whose sensitivity is known.
func TestSearchQuery(t *testing.T) {
	integers := oneArm
	integers.Hi = 10
	arms := privacy.Setup{Arms: 3, Slots: 2, Horizon: 11, Lo: -1, Hi: 1}
	contexts := privacy.Setup{Arms: 3, Slots: 1, Dim: 3, Bound: 2, Context: 1, Horizon: 8, Lo: -1, Hi: 1}
	for name, c := range map[string]struct {
		privacytest.QueryCase
		seen float64 // what it is in truth
		err  string  // "" for none
	}{
		"mean":                           {queryCase(trimmed{}, oneArm, pure), 1. / 21, ""},
		"mean, Gaussian":                 {queryCase(trimmed{}, oneArm, approximate), 1. / 21, ""},
		"trimmed mean":                   {queryCase(trimmed{4}, oneArm, pure), 1. / 13, ""},
		"trimmed mean, meddling":         {queryCase(meddling{trimmed{4}}, oneArm, pure), 1. / 13, ""},
		"trimmed mean, stated as a mean": {queryCase(hopeful{trimmed{4}}, oneArm, pure), 1. / 13, "by 0.0769231 in the L1 norm, and its author states 0.047619"},
		"deviation, stated as 1/n":       {queryCase(deviation{1. / 21}, oneArm, pure), math.Sqrt(20) / 21, "by 0.212959 in the L1 norm, and its author states 0.047619"},
		"median":                         {queryCase(median{10}, integers, pure), 10, ""},
		"median, stated as 1":            {queryCase(median{1}, integers, pure), 10, "one record moves the answer by 10 in the L1 norm, and its author states 1"},
		"distinct":                       {queryCase(distinct{1}, integers, pure), 1, ""},
		"distinct, stated as 1/2":        {queryCase(distinct{0.5}, integers, approximate), 1, "by 1 in the L2 norm, and its author states 0.5"},
		"medians":                        {queryCase(medians{L1: 4}, arms, pure), 4, ""},
		"medians, Gaussian":              {queryCase(medians{L2: 2 * math.Sqrt2}, arms, approximate), 2 * math.Sqrt2, ""},
		"medians of one arm":             {queryCase(medians{L1: 2}, arms, pure), 4, "by 4 in the L1 norm"},
		"medians of one arm, by L2":      {queryCase(medians{L2: 2}, arms, approximate), 2 * math.Sqrt2, "by 2.82843 in the L2 norm"},
		"beyond the bounds":              {queryCase(tail{1e-9}, oneArm, pure), 0, ""},
		"no answer":                      {queryCase(ratio{1}, oneArm, pure), -1, "with NaN as number 0, want finite: the batch of 21 records"},
		"refusing":                       {queryCase(refusing{1}, oneArm, pure), -1, "the first weight is large"},
		"two numbers":                    {queryCase(twofold{1}, oneArm, pure), -1, "with 2 numbers, want Dim = 1"},
		"another answer another day":     {queryCase(counting{1, new(int)}, oneArm, pure), -1, "an answer may depend on its batch alone"},
		"slope, stated as 2/n":           {queryCase(slope{2. / 8}, contexts, pure), -1, "and its author states 0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := privacytest.SearchQuery(c.QueryCase)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want one with %q", err, c.err)
			}
			if c.seen >= 0 && !(math.Abs(got.Seen-c.seen) <= 1e-9*c.seen) {
				t.Errorf("%v\nwant %v", got, c.seen)
			}
			t.Logf("%d tries: %v", got.Tries, got)
			t.Log(err)
		})
	}
}

// answered are statistics of queries, by name.
func answered() map[string]privacytest.Case[tally.Answer] {
	weights := privacy.Setup{Horizon: 32, Arms: 5, Slots: 2, Lo: -1, Hi: 2}
	contexts := privacy.Setup{Horizon: 17, Arms: 3, Slots: 1, Dim: 4, Bound: 2, Context: 1.5, Lo: -1, Hi: 1}
	all := make(map[string]privacytest.Case[tally.Answer])
	for name, budget := range map[string]privacy.Budget{"Laplace": pure, "Gaussian": approximate} {
		add := func(what string, q tally.Query, lengths tally.RoundLengths, s privacy.Setup, below float64) {
			all[what+", "+name] = privacytest.Case[tally.Answer]{Of: tally.Additive{Budget: budget, Query: q, Lengths: lengths},
				Setup: s, Format: privacytest.Rounds(nil), Long: 3000, Below: below}
		}
		add("sums of arms, at once", totals{}, nil, weights, 0)
		add("sums of arms", totals{}, tally.EqualRounds(5), weights, 0)
		add("means in growing batches", totals{Mean: true}, doubling{}, weights, 0)
		add("medians of arms", medians{L1: 6}, tally.EqualRounds(7), weights, 0.9)
		add("products with contexts", moments{}, tally.EqualRounds(4), contexts, 0)
		all["means on a grid, "+name] = privacytest.Case[tally.Answer]{
			Of:    tally.Additive{Budget: budget, Query: totals{Mean: true}, Lengths: doubling{}, Grid: 1. / 1024},
			Setup: weights, Format: privacytest.Rounds(nil), Long: 300, Nonlinear: true}
	}
	return all
}

// doubling is the rule of batches of 1, 2, 4, 8, 16 rounds, and no more.
type doubling struct{}

func (doubling) Length(i int, _ privacy.Setup) int { return []int{1, 2, 4, 8, 16, 0}[min(i, 5)] }

// totals are the sums of each arm's weights, or these by the number of rounds.
type totals struct{ Mean bool }

func (totals) Dim(s privacy.Setup) int { return s.Arms }

func (q totals) Sensitivity(s privacy.Setup, n int) privacy.Norms {
	side := s.Hi - s.Lo
	if q.Mean {
		side /= float64(n)
	}
	return privacy.Norms{L1: float64(s.Slots) * side, L2: math.Sqrt(float64(s.Slots)) * side}
}

func (q totals) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	for range s.Arms {
		dst = append(dst, 0)
	}
	for _, r := range records {
		for i, arm := range r.Arms {
			dst[arm] += r.Y[i]
		}
	}
	for arm := range dst {
		if q.Mean {
			dst[arm] /= float64(len(records))
		}
	}
	return dst, nil
}

// moments are the sums of the context's numbers times the size of the weight, of one arm a round.
type moments struct{}

func (moments) Dim(s privacy.Setup) int { return s.Dim - 1 }

func (moments) Sensitivity(s privacy.Setup, _ int) privacy.Norms {
	return privacy.Norms{L2: 2 * s.Context * max(-s.Lo, s.Hi)}
}

func (moments) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	for j := range s.Dim - 1 {
		sum := 0.0
		for _, r := range records {
			sum += float64(r.X[j] * math.Abs(r.Y[0]))
		}
		dst = append(dst, sum)
	}
	return dst, nil
}

func TestAnswers(t *testing.T) {
	for name, c := range answered() {
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
		if !c.Nonlinear {
			t.Run(name+", probed", func(t *testing.T) { privacytest.Probe(t, c) })
		}
	}
}

// best is a policy that plays arms in turn, and then the one with the largest answer.
type best struct{}

func (best) Prepare(bandit.Problem, int, *tally.Answer) (learner.Prepared[tally.Answer], error) {
	return learner.Begins[tally.Answer](func(*rand.Rand) learner.Rule[tally.Answer] { return best{} }), nil
}

func (best) Learn(r *tally.Answer) ([]float64, error) {
	if r.Batches == 0 {
		return nil, nil
	}
	return r.Of, nil
}

func (best) Act(answer []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(answer) == 0 {
		return append(dst, v.Round%v.Arms), nil
	}
	return append(dst, slices.Index(answer, slices.Max(answer))), nil
}

// TestQueryLearner: a learner whose policy reads answers passes what others pass, and its query is
// measured for the data that the learner describes to it.
func TestQueryLearner(t *testing.T) {
	problem := bandit.Problem{Arms: 3, Slots: 1, RewardMin: -1, RewardMax: 1}
	for _, c := range []struct {
		moves float64
		err   string
	}{{2, ""}, {1, "by 2 in the L1 norm, and its author states 1"}} {
		of := learner.New(best{}, tally.Additive{Budget: pure, Query: medians{L1: c.moves}, Lengths: tally.EqualRounds(3)})
		setup, err := of.Setup(problem, 9)
		if err != nil {
			t.Fatal(err)
		}
		var moved privacytest.Moved
		failures := bandittest.Failures(func(t testing.TB) {
			moved = query(t, privacytest.QueryCase{Of: of.Statistic.(tally.Additive), Setup: setup})
		})
		if got := strings.Join(failures, "\n"); moved.Seen != 2 || moved.Stated != c.moves || (got == "") != (c.err == "") || !strings.Contains(got, c.err) {
			t.Errorf("%v\n%q, want %q", moved, got, c.err)
		}
		if c.err != "" {
			continue
		}
		privacytest.Learner(t, privacytest.LearnerCase{Name: "answers", Learner: of, Problem: problem})
		privacytest.Replay(t, privacytest.PolicyCase[tally.Answer]{Policy: best{}, Statistic: of.Statistic, Problem: problem})
	}
}
