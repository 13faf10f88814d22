package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// An event is found in two steps: scores, each a number made of a run's outputs, and a threshold on one of them. Both are chosen on the first half of the
// runs; where scores have to be learned, on its first and second half in turn, so that a score that has learned noise by heart is not preferred.

// score turns the outputs of a run into a number.
type score interface {
	of(out []float64) float64
	String() string
}

// threshold is the event that a score is at least (or below) a number, said of the world in which it is the likelier one.
type threshold struct {
	score
	at    float64
	below bool
	world int // in which the event is likely
}

func (e threshold) holds(out []float64) bool { return (e.of(out) >= e.at) != e.below }

func (e threshold) String() string {
	if s, ok := e.score.(interface {
		describe(at float64, below bool) string
	}); ok {
		if words := s.describe(e.at, e.below); words != "" {
			return fmt.Sprintf("%s, likely in world %d", words, e.world)
		}
	}
	relation := ">="
	if e.below {
		relation = "<"
	}
	return fmt.Sprintf("%v %s %.6g, likely in world %d", e.score, relation, e.at, e.world)
}

// caution is by how many standard deviations an event's rates on the runs that choose it are discounted, on top of what the test to come will: the best of
// many on the runs at hand is luckier than it will be on new ones, most of all in far tails. Without it some audits in a hundred
// choose an event of a few lucky runs; with twice as much, small audits miss events of few runs.
const caution = 1.3

// judge chooses an event on the first half of the runs and tests it on the second.
func judge(about About, worlds [2]samples, o Options) Finding {
	n := worlds[0].len()
	half := n / 2
	alpha := 1 - o.Confidence
	event := choose([2]samples{worlds[0].slice(0, half), worlds[1].slice(0, half)}, about.Claim.Delta, quantile(alpha/2), n-half)
	var hits [2]float64
	for w := range hits {
		for i := half; i < n; i++ {
			if event.holds(worlds[w].row(i)) {
				hits[w]++
			}
		}
	}
	tested := float64(n - half)
	k, j := hits[event.world], hits[1-event.world]
	p, q := k/tested, j/tested
	share := float64(n) / tested
	return Finding{
		About: about, Confidence: o.Confidence,
		Epsilon: max(0, excludes(k, j, tested, about.Claim.Delta, alpha)),
		Event:   event.String(), P: p, Q: q, Runs: n, Tested: n - half,
		Needed: math.Ceil(share * needed(p, q, about.Claim.Epsilon, about.Claim.Delta, alpha)),
		Unit:   "runs in each world",
	}
}

// choose returns the event that promises to exclude the largest epsilon. z is the normal quantile of the test to come, on so many runs.
func choose(worlds [2]samples, delta, z float64, tested int) threshold {
	n := worlds[0].len()
	fixed, learned := candidates([2]samples{worlds[0].slice(0, n/2), worlds[1].slice(0, n/2)})
	on := worlds
	if len(learned) > 0 {
		on = [2]samples{worlds[0].slice(n/2, n), worlds[1].slice(n/2, n)}
	}
	z = z*math.Sqrt(float64(on[0].len())/float64(tested)) + caution
	var best threshold
	most := math.Inf(-1)
	var sorted [2][]float64
	for w := range sorted {
		sorted[w] = make([]float64, on[w].len())
	}
	for _, s := range append(fixed, learned...) {
		for w := range sorted {
			for i := range sorted[w] {
				sorted[w][i] = s.of(on[w].row(i))
			}
			slices.Sort(sorted[w])
		}
		if e, value := sweep(s, sorted, delta, z); value > most {
			best, most = e, value
		}
	}
	return best
}

// sweep returns the best threshold on a score, whose values in the two worlds are given in ascending order. It tries the values at ranks that
// grow by a tenth from either end of either world, as the best event may be a far tail.
func sweep(s score, sorted [2][]float64, delta, z float64) (best threshold, most float64) {
	n := len(sorted[0])
	total := float64(n)
	most = math.Inf(-1)
	best = threshold{score: s, at: sorted[0][0]}
	try := func(value float64) {
		// The cut stands halfway between the value and the next lower one, so that separated worlds stay so on new runs.
		below := [2]int{sort.SearchFloat64s(sorted[0], value), sort.SearchFloat64s(sorted[1], value)}
		at := value
		under := math.Inf(-1)
		for w, i := range below {
			if i > 0 {
				under = max(under, sorted[w][i-1])
			}
		}
		if !math.IsInf(under, -1) {
			if at = under + (value-under)/2; at <= under {
				at = value
			}
		}
		for world := range 2 {
			k, j := float64(below[world]), float64(below[1-world])
			if v := screen(k, j, total, delta, z); v > most {
				best, most = threshold{s, at, true, world}, v
			}
			if v := screen(total-k, total-j, total, delta, z); v > most {
				best, most = threshold{s, at, false, world}, v
			}
		}
	}
	for w := range sorted {
		for rank := 1; rank <= n; rank = max(rank+1, rank*11/10) {
			try(sorted[w][rank-1])
			try(sorted[w][n-rank])
		}
	}
	return best, most
}

// coordinate is a score: an output as it is.
type coordinate int

func (c coordinate) of(out []float64) float64 { return out[c] }
func (c coordinate) String() string           { return fmt.Sprintf("out[%d]", int(c)) }

// deviation is a score: an output's distance from its mean over both worlds.
type deviation struct {
	index  int
	centre float64
}

func (d deviation) of(out []float64) float64 { return math.Abs(out[d.index] - d.centre) }
func (d deviation) String() string           { return fmt.Sprintf("|out[%d] - %.6g|", d.index, d.centre) }

// most outputs that are tried one by one; those with the largest difference in mean or in spread, if there are more.
const tried = 16

// candidates returns scores to choose from: such as are given beforehand, and such as are learned from runs.
func candidates(worlds [2]samples) (fixed, learned []score) {
	width := worlds[0].width
	m := newMoments(worlds)
	tables := tabulate(worlds)

	best := func(by func(i int) float64) []int {
		order, value := make([]int, width), make([]float64, width)
		for i := range order {
			order[i], value[i] = i, by(i)
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
		return order[:min(tried, width)]
	}
	for _, i := range best(m.effect) {
		fixed = append(fixed, coordinate(i))
	}
	for _, i := range best(m.spread) {
		if tables[i] == nil || len(tables[i].values) > 2 {
			fixed = append(fixed, deviation{i, m.centre(i)})
		}
	}
	var discrete product
	for _, t := range tables {
		if t != nil {
			discrete = append(discrete, t)
		}
	}
	for _, i := range best(func(i int) float64 {
		if tables[i] == nil {
			return -1
		}
		return tables[i].divergence
	}) {
		if tables[i] != nil && len(tables[i].values) > 2 {
			learned = append(learned, tables[i])
		}
	}
	if len(discrete) > 1 {
		learned = append(learned, discrete)
	}
	if width > 1 {
		learned = append(learned, discriminants(worlds, m)...)
	}
	return fixed, learned
}
