package audit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/audit/internal/detect"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Search looks for neighbouring streams on which a learner gives much away, among the tries pairs
// that propose makes. propose may be LongStreams or RandomStreams. If the learner has no
// Transcript, the search sets it to Releases, so that what a statistic releases is attacked as well
// as the arms.
//
// It halves successively: small audits of all pairs, then audits three times as large of the best
// third, and so on. A pair counts by how well its best score tells the worlds apart and, after the
// first audits, by the epsilon that an event excludes at 80%. o.Runs is the number of runs of the
// first audits in each world; 0 means 100. Audit the result afterwards, on fresh runs: those of the
// search prove nothing. 200 tries of LongStreams of 128 rounds take a minute or two.
func Search(ctx context.Context, a Learner, propose func(rng *rand.Rand) (world0, world1 Stream), tries int, o Options) (Learner, error) {
	switch {
	case propose == nil:
		return a, fmt.Errorf("audit: %q: propose is nil", a.Name)
	case tries < 1:
		return a, fmt.Errorf("audit: %q: tries = %d, want >= 1", a.Name, tries)
	}
	if o.Runs == 0 {
		o.Runs = 100
	}
	type pair struct {
		try    int
		worlds [2]Stream
		value  float64
	}
	pairs := make([]pair, tries)
	for i := range pairs {
		p := &pairs[i]
		p.try = i
		p.worlds[0], p.worlds[1] = propose(random.New(o.Seed, i, "audit/search/"+a.Name))
	}
	if a.Transcript == nil && a.Of != nil {
		a.Transcript = Releases(a.Problem)
	}
	for rung := 0; ; rung++ {
		for i := range pairs {
			p := &pairs[i]
			candidate := a
			candidate.Worlds = p.worlds
			candidate.Name = fmt.Sprintf("%s, search %d", a.Name, p.try+rung*tries)
			about, c, _, err := candidate.collection(o, 0)
			if err != nil {
				return a, err
			}
			runs, err := c.collect(ctx)
			if ctx.Err() != nil {
				return a, err
			}
			if p.value = math.Inf(-1); err == nil { // a learner that fails in every run is of no use
				if p.value = separation(runs.worlds); rung > 0 {
					p.value += promised(about, runs.worlds)
				}
			}
		}
		slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(q.value, p.value) })
		if math.IsInf(pairs[0].value, -1) {
			return a, fmt.Errorf("audit: %q: the learner fails in every run on each of %d pairs of streams", a.Name, tries)
		}
		if len(pairs) == 1 || rung == mostRungs {
			a.Worlds = pairs[0].worlds
			return a, nil
		}
		pairs = pairs[:(len(pairs)+2)/3]
		o.Runs *= 3
	}
}

// mostRungs is the number of times that Search takes the best third.
const mostRungs = 4

// promised returns the epsilon that the best event excludes at 80%, chosen on one half of the runs
// and counted on the other.
func promised(about About, worlds [2]detect.Samples) float64 {
	const alpha = 0.2
	n := worlds[0].Len()
	half := n / 2
	e := &exam{about: about, claim: detect.NewClaims(about.Claim, about.Curve), alpha: alpha, share: 1, tested: float64(n - half), grid: detect.NewGrid(worlds)}
	for _, s := range worlds {
		for i := range n {
			e.grid.Round(s.Row(i), s.Row(i))
		}
	}
	e.events[0] = detect.Choose([2]detect.Samples{worlds[0].Slice(0, half), worlds[1].Slice(0, half)}, e.claim, bound.Quantile(alpha/2), n-half)
	for w, s := range worlds {
		for i := half; i < n; i++ {
			if e.events[0].Holds(s.Row(i)) {
				e.hits[0][w].Add(1)
			}
		}
	}
	f := e.judge(0)
	if f.Delta > f.At.Delta {
		return max(f.Epsilon, f.At.Epsilon)
	}
	return f.Epsilon
}

// separation returns how well the best score tells the worlds apart, learned on one half of the
// runs and measured on the other. It is the probability of ranking a run of one world rightly above
// one of the other, minus a half.
func separation(worlds [2]detect.Samples) float64 {
	n := worlds[0].Len()
	fixed, learned := detect.Candidates([2]detect.Samples{worlds[0].Slice(0, n/2), worlds[1].Slice(0, n/2)})
	var values [2][]float64
	most := 0.0
	for _, s := range append(fixed, learned...) {
		for w := range values {
			values[w] = values[w][:0]
			for i := n / 2; i < n; i++ {
				values[w] = append(values[w], s.Of(worlds[w].Row(i)))
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

// LongStreams returns a proposer for Search: neighbouring streams of a problem, of up to so many
// rounds, that look for leaks which short or lively streams do not show.
//
// Half of the streams have all the rounds, others fewer. The background is quiet: the same contexts
// in all rounds, along one axis, along two of them together, one axis for each arm, tiny or none,
// and one reward, the least, the largest, between them, or at random. In one round, or in as many
// as a user contributes to, the streams differ: in rewards at opposite ends, or in one that is far
// beyond its bounds and one that is not; in contexts turned around or taken away, raising one
// coordinate and lowering another, or a thousand norms long. These rounds are anywhere, or those
// with numbers that are powers of 2, at which blocks end.
func LongStreams(p bandit.Problem, rounds, contributions int) func(rng *rand.Rand) (world0, world1 Stream) {
	rounds = max(rounds, 4)
	return func(rng *rand.Rand) (world0, world1 Stream) {
		n := rounds
		for n > 4 && rng.IntN(2) == 0 {
			n = max(4, n*2/3)
		}
		middle := p.RewardMin + float64((p.RewardMax-p.RewardMin)/2)
		rewards := func(y float64) []float64 {
			all := make([]float64, p.Arms)
			for i := range all {
				all[i] = y
			}
			return all
		}
		base := []float64{p.RewardMin, p.RewardMax, middle, middle}[rng.IntN(4)]
		lively := rng.IntN(6) == 0
		// contexts returns rows that are sparse sums of axes, of a length.
		contexts := func(shape int, length float64) []float64 {
			x := make([]float64, p.Arms*p.Dim)
			for a := range p.Arms {
				row := x[a*p.Dim : (a+1)*p.Dim]
				if len(row) == 0 {
					break
				}
				last := min(1, p.Dim-1)
				switch shape {
				case 0: // one axis
					row[0] = length
				case 1: // an axis for each arm
					row[a%p.Dim] = length
				case 2: // two axes together
					row[0], row[last] = length/math.Sqrt2, length/math.Sqrt2
				case 3: // two axes against each other
					row[0], row[last] = length/math.Sqrt2, -length/math.Sqrt2
				default: // arms against each other
					row[0] = length * float64(1-2*(a%2))
				}
			}
			return x
		}
		shape := rng.IntN(5)
		length := p.ContextNorm * []float64{1, 1, 0.01, 0}[rng.IntN(4)]
		for range n {
			y := base
			if lively {
				y = []float64{p.RewardMin, p.RewardMax}[rng.IntN(2)]
			}
			r := Round{X: contexts(shape, length), Rewards: rewards(y)}
			world0, world1 = append(world0, r), append(world1, r)
		}
		first, second := Round{}, Round{}
		turned := []int{0, 3, 4, shape}[rng.IntN(4)]
		far := []float64{1, 1, 1, 7, 1000}[rng.IntN(5)]
		first.X, second.X = contexts(turned, p.ContextNorm*far), contexts(turned, -p.ContextNorm)
		switch rng.IntN(4) {
		case 0:
			second.X = contexts(turned, 0)
		case 1:
			second.X = world0[0].X
		case 2:
			second.X = first.X
		}
		first.Rewards, second.Rewards = rewards(p.RewardMax), rewards(p.RewardMin)
		switch rng.IntN(4) {
		case 0: // a reward that is beyond its bounds, and one that is not
			first.Rewards, second.Rewards = rewards(p.RewardMax+float64([]float64{6, 1000}[rng.IntN(2)]*(p.RewardMax-p.RewardMin))), rewards(base)
		case 1: // the same reward
			if p.Dim > 0 {
				second.Rewards = first.Rewards
			}
		}
		if first.equal(second) {
			second.Rewards = rewards(p.RewardMin)
		}
		powers := rng.IntN(3) == 0
		for c := range max(1, contributions) {
			t := rng.IntN(n - 1)
			if powers {
				if t = 1 << c / 2; contributions < 2 {
					t = 1<<rng.IntN(bits.Len(uint(n-1))) - 1
				}
			}
			t = min(t, n-2)
			world0[t], world1[t] = first, second
		}
		return world0, world1
	}
}
