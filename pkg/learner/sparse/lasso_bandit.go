package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// LassoBandit is the LASSO bandit of Bastani and Bayati (2020), with forced samples. It is not
// private. In the rounds
//
//	(2^n - 1) K q + 1, ..., (2^n - 1) K q + K q,   n = 0, 1, 2, ...
//
// it plays each arm q times, whatever the contexts are. In the others it drops the arms whose
// estimate from forced rounds is more than Gap/2 below the best, and plays the one of the rest
// whose estimate from all rounds is largest, with ties to the lowest index. The estimates are
// LASSOs with the objective 1/(2n) |y - X w|^2 + alpha |w|_1: from forced rounds with alpha =
// LambdaForced, and from all t rounds with alpha = LambdaAll sqrt((ln t + ln d)/t). Logarithms are
// natural, and ln t is at least ln 2.
//
// The paper has one context and a theta for each arm; here arms have contexts and share theta. The
// two agree if an arm's context is in K blocks, its own block being the paper's context and the
// others 0.
type LassoBandit struct {
	Forced       int     // q, the rounds that each arm is forced for in a turn, >= 1; 0 means 1
	Gap          float64 // h, > 0; 0 means 5
	LambdaForced float64 // lambda_1, > 0; 0 means 0.05
	LambdaAll    float64 // lambda_2,0, > 0; 0 means 0.05
	Tolerance    float64 // of the LASSO's duality gap, as in lasso.Regression, but 0 means 1e-6
}

var _ bandit.Learner = LassoBandit{}

// lassoBandit is a run of LassoBandit.
type lassoBandit struct {
	highDimensional
	forcedAlpha, allAlpha, half float64
	each                        int
	forced, all                 *lasso.Solver
	forcedW, allW               []float64
	guess                       []float64 // by arm, from forced rounds
}

// Open validates. LassoBandit makes no random choices.
func (l LassoBandit) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := checks.Tunings("LassoBandit", 0, checks.Tuned("Gap", l.Gap, "5"), checks.Tuned("LambdaForced", l.LambdaForced, "0.05"),
		checks.Tuned("LambdaAll", l.LambdaAll, "0.05")); err != nil {
		return nil, err
	}
	if l.Forced < 0 {
		return nil, fmt.Errorf("learner: LassoBandit.Forced = %d, want >= 1, or 0 for 1", l.Forced)
	}
	shared, err := newHighDimensional("LassoBandit", p, horizon)
	if err != nil {
		return nil, err
	}
	return begins(shared.who, p.Dim, horizon, 2, l.Tolerance, func(_ *rand.Rand, s []*lasso.Solver) bandit.Run {
		return &lassoBandit{
			highDimensional: shared, forcedAlpha: checks.Or(l.LambdaForced, 0.05), allAlpha: checks.Or(l.LambdaAll, 0.05), half: checks.Or(l.Gap, 5) / 2,
			each: max(l.Forced, 1), forced: s[0], all: s[1], guess: make([]float64, p.Arms),
		}
	})
}

// turn returns the arm that a round is forced to play, or -1.
func (l *lassoBandit) turn(round int) int {
	place, length := round-1, l.problem.Arms // of the round; of all arms' forced rounds
	if place/length/l.each >= 1<<40 {        // nobody plays so long, and sums below would overflow
		return -1
	}
	for start := 0; ; start = 2*start + 1 { // (2^n - 1) in units of K q
		switch at := place/length/l.each - start; {
		case at < 0:
			return -1
		case at == 0:
			return (place - start*length*l.each) / l.each
		}
	}
}

// Select appends the arm that is forced, or that looks best.
func (l *lassoBandit) Select(v *bandit.View, dst []int) ([]int, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	if a := l.turn(v.Round); a >= 0 {
		return append(dst, a%v.Arms), nil
	}
	top, on := math.Inf(-1), l.forced.Support()
	for a := range v.Arms {
		l.guess[a] = value(v.Row(a), l.forcedW, on)
		top = max(top, l.guess[a])
	}
	best, most := 0, math.Inf(-1)
	for a := range v.Arms {
		if l.guess[a] < top-l.half {
			continue
		}
		if m := value(v.Row(a), l.allW, l.all.Support()); m > most {
			best, most = a, m
		}
	}
	return append(dst, best), nil
}

// Explain appends the estimates <x, theta> of all rounds. Arms that the forced rounds' estimates
// rule out have the index -Inf; in a forced round there are no indices.
func (l *lassoBandit) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	n := len(dst)
	dst, err := l.explain(v, l.allW, l.all.Support(), dst)
	if err != nil {
		return dst, err
	}
	forced, top := l.turn(v.Round) >= 0, slices.Max(l.guess[:v.Arms])
	for a := range v.Arms {
		switch {
		case forced:
			dst[n+a].Index = math.NaN()
		case l.guess[a] < top-l.half:
			dst[n+a].Index = math.Inf(-1)
		}
	}
	return dst, nil
}

// Update fits anew: from all rounds, and from forced ones after a forced one.
func (l *lassoBandit) Update(v *bandit.View, arms []int, y []float64) error {
	arm, reward, err := l.record(v, arms, y)
	if err != nil {
		return err
	}
	if err := l.all.Add(v.Row(arm), reward); err != nil {
		return checks.InRound(v.Round, err)
	}
	t := l.all.Rows()
	if l.allW, err = l.fit(l.all, l.allAlpha*math.Sqrt((logRows(t)+l.logDim)/float64(t))); err == nil && l.turn(v.Round) >= 0 {
		if err = l.forced.Add(v.Row(arm), reward); err == nil {
			l.forcedW, err = l.fit(l.forced, l.forcedAlpha)
		}
	}
	return checks.InRound(v.Round, err)
}
