package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Search looks for neighbouring streams on which a learner gives much away, among the tries pairs
// that propose makes. propose may be RandomStreams.
//
// It returns the learner with the pair whose worlds a small audit tells apart best, by the area
// under the curve of its best score. o.Runs is the number of runs of a small audit in each world; 0
// means 400. Audit the result afterwards, on fresh runs: those of the search prove nothing.
func Search(ctx context.Context, a Learner, propose func(rng *rand.Rand) (world0, world1 Stream), tries int, o Options) (Learner, error) {
	switch {
	case propose == nil:
		return a, fmt.Errorf("audit: %q: propose is nil", a.Name)
	case tries < 1:
		return a, fmt.Errorf("audit: %q: tries = %d, want >= 1", a.Name, tries)
	}
	if o.Runs == 0 {
		o.Runs = 400
	}
	best, most := a, math.Inf(-1)
	for try := range tries {
		candidate := a
		candidate.Worlds[0], candidate.Worlds[1] = propose(random.New(o.Seed, try, "audit/search/"+a.Name))
		candidate.Name = fmt.Sprintf("%s, search %d", a.Name, try)
		_, c, _, err := candidate.collection(o, 0)
		if err != nil {
			return a, err
		}
		runs, err := c.collect(ctx)
		if err != nil {
			return a, err
		}
		if s := separation(runs.worlds); s > most {
			candidate.Name = a.Name
			best, most = candidate, s
		}
	}
	return best, nil
}

// separation returns how well the best score tells the worlds apart, learned on one half of the
// runs and measured on the other. It is the probability of ranking a run of one world rightly above
// one of the other, minus a half.
func separation(worlds [2]samples) float64 {
	n := worlds[0].len()
	fixed, learned := candidates([2]samples{worlds[0].slice(0, n/2), worlds[1].slice(0, n/2)})
	var values [2][]float64
	most := 0.0
	for _, s := range append(fixed, learned...) {
		for w := range values {
			values[w] = values[w][:0]
			for i := n / 2; i < n; i++ {
				values[w] = append(values[w], s.of(worlds[w].row(i)))
			}
			slices.Sort(values[w])
		}
		var above float64 // pairs in which world 1 has the larger value, ties counted half
		for _, v := range values[1] {
			lo := sort.SearchFloat64s(values[0], v)
			hi := lo + sort.Search(len(values[0])-lo, func(i int) bool { return values[0][lo+i] > v })
			above += float64(float64(lo+hi) / 2)
		}
		most = max(most, math.Abs(above/float64(len(values[0])*len(values[1]))-0.5))
	}
	return most
}

// Beyond returns the streams with the contexts and rewards of the rounds that differ multiplied by
// a factor. That takes them out of their bounds; a learner that clips each record keeps its claim.
func Beyond(worlds [2]Stream, factor float64) (far [2]Stream) {
	times := func(x []float64) []float64 {
		x = slices.Clone(x)
		for i := range x {
			x[i] *= factor
		}
		return x
	}
	for w := range worlds {
		far[w] = slices.Clone(worlds[w])
		for t, r := range far[w] {
			if t >= len(worlds[1-w]) || !r.equal(worlds[1-w][t]) {
				far[w][t] = Round{times(r.X), times(r.Rewards)}
			}
		}
	}
	return far
}

// RandomStreams returns a proposer for Search: neighbouring streams of a problem that differ in one
// round of the first half.
//
// Contexts are random directions, fresh or the same in all rounds. They are of full length or, in
// some pairs, short in all rounds except the one that differs. Rewards are the largest or the
// least. In the round that differs the contexts are turned around or new, and the rewards of all
// arms are at one end in one world and at the other end in the other. In one pair of four that
// round is Beyond its bounds in one world or in both, by a factor of up to 1000, which reveals
// clipping that comes too late.
func RandomStreams(p bandit.Problem, rounds int) func(rng *rand.Rand) (world0, world1 Stream) {
	return func(rng *rand.Rand) (world0, world1 Stream) {
		contexts := func(length float64) []float64 {
			x := make([]float64, p.Arms*p.Dim)
			for a := 0; a < len(x); a += p.Dim {
				random.Sphere(rng, x[a:a+p.Dim])
				for i := range x[a : a+p.Dim] {
					x[a+i] *= length
				}
			}
			return x
		}
		reward := func() float64 { return []float64{p.RewardMin, p.RewardMax}[rng.IntN(2)] }
		length := p.ContextNorm * []float64{1, 0.3, 0.05}[rng.IntN(3)]
		fixed := rng.IntN(2) == 0
		changed := rng.IntN(max(1, rounds/2))
		shared := contexts(length)
		common := make([]float64, p.Arms)
		for i := range common {
			common[i] = reward()
		}
		for t := range rounds {
			r := Round{X: shared, Rewards: common}
			if !fixed {
				r = Round{X: contexts(length), Rewards: make([]float64, p.Arms)}
				for i := range r.Rewards {
					r.Rewards[i] = reward()
				}
			}
			if t != changed {
				world0, world1 = append(world0, r), append(world1, r)
				continue
			}
			first := Round{X: contexts(p.ContextNorm), Rewards: make([]float64, p.Arms)}
			second := Round{X: slices.Clone(first.X), Rewards: make([]float64, p.Arms)}
			switch rng.IntN(3) {
			case 0:
				second.X = contexts(p.ContextNorm)
			case 1:
				for i := range second.X {
					second.X[i] *= -1
				}
			}
			for i := range p.Arms {
				first.Rewards[i], second.Rewards[i] = p.RewardMin, p.RewardMax
			}
			world0, world1 = append(world0, first), append(world1, second)
		}
		if rng.IntN(4) == 0 {
			factor := []float64{3, 30, 1000}[rng.IntN(3)]
			far := Beyond([2]Stream{world0, world1}, factor)
			if world0 = far[0]; rng.IntN(2) == 0 {
				world1 = far[1]
			}
		}
		return world0, world1
	}
}
