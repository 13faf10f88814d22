package audit

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Increment is the score of a canary row in a continual release of sum of row row^T: the inner product of what the release grew by when the row came with the
// difference of the two versions' outer products, less what it is halfway between them. before and after are packed. It is the log-likelihood ratio, up to
// a factor, if the increment's noise is symmetric Gaussian.
func Increment(before, after, version0, version1 []float64) float64 {
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

// Canaries makes a one-run audit of the same accumulator: in each round but the last the row is one of FarRows, by a coin, and its score the Increment of the
// release. Rows and Reads are ignored. Memory does not grow with the horizon but for a few numbers a canary.
func (a Accumulator) Canaries() (Canaries, error) {
	if _, _, err := a.check(); err != nil {
		return Canaries{}, fmt.Errorf("audit: %q: %w", a.Name, err)
	}
	about, err := a.About()
	if err != nil {
		return Canaries{}, err
	}
	v, w := FarRows(a.Setup)
	rows := [2][]float64{v, w}
	return Canaries{
		Name: about.Name, Claim: about.Claim, Exact: about.Exact, Origin: about.Origin, Count: a.Setup.Horizon - 1,
		Release: func(versions []int, source rand.Source, scores []float64) error {
			acc, err := a.start()
			if err != nil {
				return err
			}
			acc.Reset(privacy.NewNoise(source))
			before, after := make([]float64, packed.Size(a.Setup.Dim)), make([]float64, packed.Size(a.Setup.Dim))
			acc.Read(before)
			for t, version := range versions {
				if err := acc.AddOuter(rows[version]); err != nil {
					return err
				}
				acc.Read(after)
				scores[t] = Increment(before, after, v, w)
				before, after = after, before
			}
			weigh(scores, v, w)
			return nil
		},
	}, nil
}

// weigh divides the scores by the variance of their noise, which makes them log-likelihood ratios again where it differs between rounds. In a binary tree it goes with the number of
// nodes that a row finishes, the trailing zeros of its number, so it is estimated for each; where noise is the same in all rounds this changes nothing of
// note. The estimate is made of the release alone, as all that an attacker does.
func weigh(scores, version0, version1 []float64) {
	signal := Increment(make([]float64, packed.Size(len(version0))), outer(version1), version0, version1) // the mean is this or its negative
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

// Canaries makes a one-run audit of the same learner: each round in which the two streams differ, any number of them, is a canary, which shows
// the one stream's contexts and rewards or the other's. Its score is made of the arms played and the transcripts before
// and after the round, as Increment does for sums; Transcript is also called before the first round, as the round before it. Contributions and NoActions are
// ignored; arms are given for the score of their own round only, so that they may be used under joint privacy as far as the two versions have the same contexts.
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
	return Canaries{
		Name: about.Name, Claim: about.Claim, Exact: about.Exact, Origin: about.Origin, Count: len(differ),
		Release: func(versions []int, source rand.Source, scores []float64) error {
			l, err := a.start()
			if err != nil {
				return err
			}
			p := newPlayer(a, l)
			p.reset(source)
			first := a.first()
			before := a.Transcript(l, first-1, nil)
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
				after = a.Transcript(l, t+first, after[:0])
				if len(after) != len(before) {
					return fmt.Errorf("round %d: the transcript has %d numbers, want %d as before", t+first, len(after), len(before))
				}
				if canary {
					scores[next] = score(t+first, p.arms, before, after)
					next++
				}
				before, after = after, before
			}
			return nil
		},
	}, nil
}
