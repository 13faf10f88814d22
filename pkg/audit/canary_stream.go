package audit

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// increment returns the score of a canary row in a continual release of sum of row row^T. before
// and after are the packed releases before and after the row.
//
// The score is the inner product of the growth of the release with the difference of the two
// versions' outer products, minus its value halfway between the versions. If the noise of the
// growth is symmetric Gaussian, it is the log-likelihood ratio, up to a factor.
func increment(before, after, version0, version1 []float64) float64 {
	var sum float64
	p := 0
	for i := range version0 {
		for j := range i + 1 {
			zero, one := float64(version0[i]*version0[j]), float64(version1[i]*version1[j])
			term := float64((after[p] - before[p] - float64((zero+one)/2)) * (one - zero))
			if i != j {
				term = float64(2 * term)
			}
			sum += term
			p++
		}
	}
	return sum
}

// Canaries returns a one-run audit of the same accumulator. In each round except the last the row
// is one of FarRows, chosen by a coin, and its score is the increment of the release. Rows and
// Reads are ignored. Memory grows with the horizon by a few numbers a canary only.
func (a Accumulator) Canaries() (Canaries, error) {
	if _, _, err := a.check(); err != nil {
		return Canaries{}, fmt.Errorf("audit: %q: %w", a.Name, err)
	}
	about, err := a.About()
	if err != nil {
		return Canaries{}, err
	}
	of, err := a.open()
	if err != nil {
		return Canaries{}, err
	}
	mu := 0.0 // of a Gaussian claim that is the accumulator's own
	if c := privacy.ClaimOf(of); a.Claim == (privacy.Budget{}) && c.Event() != nil {
		if gaussian, err := (account.GDP{}).Mu(c.Event()); err == nil {
			mu = gaussian
		}
	}
	v, w := far.Rows(a.Setup)
	rows := [2][]float64{v, w}
	return Canaries{
		Name: about.Name, Claim: about.Claim, Exact: about.Exact, Origin: about.Origin, Count: a.Setup.Horizon - 1, Mu: mu,
		Release: func(versions []int, source rand.Source, scores []float64) error {
			acc := of.Start(privacy.NewNoise(source))
			before, after := make([]float64, packed.Size(a.Setup.Dim)), make([]float64, packed.Size(a.Setup.Dim))
			acc.Release().Read(before)
			for t, version := range versions {
				if _, err := acc.Add(privacy.Row(rows[version])); err != nil {
					return err
				}
				acc.Release().Read(after)
				scores[t] = increment(before, after, v, w)
				before, after = after, before
			}
			weigh(scores, v, w)
			return nil
		},
	}, nil
}

// weigh divides each score by the variance of its noise, which restores log-likelihood ratios if
// the variance differs between rounds. In a binary tree the variance depends on the number of nodes
// that a row finishes, the trailing zeros of its number, so it is estimated for each number of
// them. With the same noise in all rounds the effect is negligible. Like the whole attack, the
// estimate uses the release alone.
func weigh(scores, version0, version1 []float64) {
	// The mean of the scores is signal or its negative.
	signal := increment(make([]float64, packed.Size(len(version0))), outer(version1), version0, version1)
	const fewest = 32
	group := func(i int) int {
		return min(bits.TrailingZeros(uint(i+1)), max(0, bits.Len(uint(len(scores)/fewest))-1))
	}
	var squares, count [64]float64
	for i, s := range scores {
		squares[group(i)] += float64(s * s)
		count[group(i)]++
	}
	for i := range scores {
		g := group(i)
		mean := squares[g] / count[g]
		scores[i] /= max(mean-float64(signal*signal), 1e-3*mean, math.SmallestNonzeroFloat64)
	}
}

// outer returns v v^T, packed.
func outer(v []float64) (m []float64) {
	for i := range v {
		for j := range i + 1 {
			m = append(m, v[i]*v[j])
		}
	}
	return m
}

// Canaries returns a one-run audit of the same learner. Each round in which the two streams differ,
// any number of them, is a canary: it shows the contexts and rewards of one stream or of the other.
//
// score is given the arms played and the transcripts before and after the round, as increment is
// for sums. Transcript is also called before the first round, with the number of the round before
// it. Contributions and NoActions are ignored. score gets the arms of the canary's own round only.
// Under joint privacy it may use them as far as the two versions have the same contexts.
func (a Learner) Canaries(score func(round int, arms []int, before, after []float64) float64) (Canaries, error) {
	a.Contributions = len(a.Worlds[0])
	differ, err := a.check()
	switch {
	case err != nil:
	case score == nil:
		err = errors.New("score is nil")
	case a.Transcript == nil:
		err = errors.New("field Transcript is nil, want what a score is made of")
	}
	if err != nil {
		return Canaries{}, fmt.Errorf("audit: %q: %w", a.Name, err)
	}
	about, err := a.About()
	if err != nil {
		return Canaries{}, err
	}
	l, err := a.open()
	if err != nil {
		return Canaries{}, err
	}
	return Canaries{
		Name: about.Name, Claim: about.Claim, Exact: about.Exact, Origin: about.Origin, Count: len(differ),
		Release: func(versions []int, source rand.Source, scores []float64) error {
			p := newPlayer(a, l)
			p.reset(source)
			first := a.first()
			before := a.Transcript(p.now, first-1, nil)
			var after []float64
			next := 0
			for t := range a.Worlds[0] {
				canary := next < len(differ) && differ[next] == t
				version := 0
				if canary {
					version = versions[next]
				}
				if err := p.round(t+first, a.Worlds[version][t]); err != nil {
					return err
				}
				after = a.Transcript(p.now, t+first, after[:0])
				if len(after) != len(before) {
					return fmt.Errorf("round %d: the transcript has %d numbers, want %d as before", t+first, len(after), len(before))
				}
				if canary {
					scores[next] = score(t+first, p.arms, before, after)
					next++
				}
				before, after = after, before
			}
			return bandit.Close(p.now)
		},
	}, nil
}
