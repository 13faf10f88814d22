package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Canaries is an audit in a single run, for subjects that are too slow to be run thousands of
// times. Many records are canaries, and all are audited at once.
//
// It excludes less than an audit of many runs, and nothing beyond the loss of an average canary.
// Epsilon is limited to about the logarithm of the number of guesses.
type Canaries struct {
	Name   string
	Claim  privacy.Budget // no default
	Exact  float64        // see About
	Origin string         // see About
	// Mu says that the claim is of mu-GDP, which is more than its one point; 0 means that it is not.
	// Then the audit also tests this, with half of its error probability, and Finding.Mu is what it
	// excludes.
	Mu float64
	// Independent says that each canary's score depends on the release of this canary alone, and that
	// these releases are independent, as the messages of different devices are. Then a test of Mu
	// excludes more.
	Independent bool

	Count int // number of canaries m, >= 1; no two of them may be one user's
	// Guesses lists the numbers of guesses r to try, each in [1, Count], as separate tests
	// (Bonferroni). nil means Count, Count/4, Count/16 and Count/64, those of them that are at least
	// 16.
	Guesses []int
	// Release runs the subject once, with canary i in the version given, 0 or 1. It sets a finite
	// score for each canary: above 0 if version 1 is likelier, and farther from 0 the surer. It draws
	// all its randomness from source.
	Release func(versions []int, source rand.Source, scores []float64) error
}

var _ Item = Canaries{}

// About returns the subject's description.
func (c Canaries) About() (About, error) {
	a := About{Name: c.Name, Claim: c.Claim, Exact: c.Exact, Origin: c.Origin}
	return a, a.validate()
}

// Run makes the single run and judges the guesses. o.Runs is ignored.
func (c Canaries) Run(ctx context.Context, o Options) (f Finding, err error) {
	about, err := c.About()
	if err != nil {
		return Finding{}, err
	}
	if o, err = o.complete(); err != nil {
		return Finding{}, err
	}
	switch {
	case c.Release == nil:
		return Finding{}, fmt.Errorf("audit: %q: %w", c.Name, errors.New("field Release is nil"))
	case c.Count < 1:
		return Finding{}, fmt.Errorf("audit: %q: field Count = %d, want >= 1", c.Name, c.Count)
	}
	if !(c.Mu >= 0) || math.IsInf(c.Mu, 1) {
		return Finding{}, fmt.Errorf("audit: %q: field Mu = %v, want finite and >= 0", c.Name, c.Mu)
	}
	if err := size.Check(fmt.Sprintf("audit: %q: field Count = %d", c.Name, c.Count), 8*float64(c.Count)); err != nil {
		return Finding{}, err
	}
	guesses := c.Guesses
	if guesses == nil {
		guesses = []int{c.Count}
		for r := c.Count / 4; r >= 16 && len(guesses) < 4; r /= 4 {
			guesses = append(guesses, r)
		}
	}
	for _, r := range guesses {
		if r < 1 || r > c.Count {
			return Finding{}, fmt.Errorf("audit: %q: field Guesses holds %d, want in [1, Count = %d]", c.Name, r, c.Count)
		}
	}
	if len(guesses) == 0 {
		return Finding{}, fmt.Errorf("audit: %q: field Guesses is empty, want a number of guesses, or nil", c.Name)
	}
	versions, scores, err := c.release(ctx, o)
	if err != nil {
		return Finding{}, err
	}
	return c.judge(about, versions, scores, guesses, o), nil
}

func (c Canaries) release(ctx context.Context, o Options) (versions []int, scores []float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("audit: %q: stopped before the run: %w", c.Name, context.Cause(ctx))
	}
	m := newMeter(c.Name, 1, o.Progress)
	defer m.stop()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("audit: %q: panic: %v", c.Name, r)
		}
	}()
	coins := random.New(o.Seed, 0, "audit/"+c.Name+"/coins")
	versions, scores = make([]int, c.Count), make([]float64, c.Count)
	for i := range versions {
		versions[i], scores[i] = coins.IntN(2), math.NaN()
	}
	if err := c.Release(slices.Clone(versions), random.Source(o.Seed, 0, "audit/"+c.Name+"/run"), scores); err != nil {
		return nil, nil, fmt.Errorf("audit: %q: %w", c.Name, err)
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, nil, fmt.Errorf("audit: %q: scores[%d] = %v, want a finite number, set by the subject", c.Name, i, s)
		}
	}
	m.done.Add(1)
	return versions, scores, nil
}

func (c Canaries) judge(about About, versions []int, scores []float64, guesses []int, o Options) Finding {
	order := make([]int, c.Count) // the surest first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := math.Abs(scores[a]), math.Abs(scores[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	right := make([]int, c.Count+1) // right ones among the first r guesses
	for i, canary := range order {
		right[i+1] = right[i]
		if (scores[canary] > 0) == (versions[canary] == 1) {
			right[i+1]++
		}
	}
	alpha := (1 - o.Confidence) / float64(len(guesses))
	if c.Mu > 0 {
		alpha /= 2
	}
	f := Finding{About: about, At: about.Claim, Confidence: o.Confidence, Epsilon: -1, Runs: c.Count, Unit: "canaries in one run", ClaimedMu: c.Mu}
	for _, r := range guesses {
		if c.Mu > 0 {
			f.Mu = max(f.Mu, bound.CanaryMu(right[r], r, c.Count, c.Independent, alpha))
		}
		e := bound.CanaryEpsilon(right[r], r, c.Count, about.Claim.Delta, alpha)
		share := float64(right[r]) / float64(r)
		if e < f.Epsilon || (e == f.Epsilon && share <= f.P) {
			continue
		}
		f.Epsilon, f.Tested, f.P, f.Q = e, r, share, 1-share
		f.Event = fmt.Sprintf("%d of the surest %d guesses are right", right[r], r)
		f.Needed = c.needed(share, float64(r)/float64(c.Count), about, alpha)
	}
	return f
}

// needed returns the least number of canaries, to a fifth, at which the same shares of guesses and
// of right ones would exclude the claim; +Inf if none below 1e7 would. More canaries do not always
// help, as each may fail with probability delta.
func (c Canaries) needed(right, guessed float64, about About, alpha float64) float64 {
	for m := 8.0; m < 1e7; m *= 1.2 {
		r := int(m * guessed)
		if r < 1 {
			continue
		}
		if bound.CanaryP(int(right*float64(r)), r, int(m), about.Claim.Epsilon, about.Claim.Delta) <= alpha {
			return math.Ceil(m)
		}
	}
	return math.Inf(1)
}
