// Package detect finds the event that tells two worlds apart best, from runs in both.
//
//   - [Samples]: the runs of a world, rounded by a [Grid]
//   - [Candidates]: scores of a run; [Choose]: a [Threshold] on one of them
//   - [Claims]: the points of a claim, which rates may contradict
package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
)

// An event is found in two steps: scores, each a number made of a run's outputs, and a threshold on
// one of them. Both are chosen on the first half of the runs. Learned scores are learned on one
// half of these and judged on the other, in both roles, so that a score that has learned noise by
// heart is not preferred.

// score turns the outputs of a run into a number.
type score interface {
	Of(out []float64) float64
	String() string
}

// Threshold is the event that a score is at least (or below) a number, for the world in which it is
// the likelier one.
type Threshold struct {
	score
	at    float64
	below bool
	World int // the world in which the event is likely
}

func (e Threshold) Holds(out []float64) bool { return (e.Of(out) >= e.at) != e.below }

func (e Threshold) String() string {
	if s, ok := e.score.(interface {
		describe(at float64, below bool) string
	}); ok {
		if words := s.describe(e.at, e.below); words != "" {
			return fmt.Sprintf("%s, likely in world %d", words, e.World)
		}
	}
	relation := ">="
	if e.below {
		relation = "<"
	}
	return fmt.Sprintf("%v %s %.6g, likely in world %d", e.score, relation, e.at, e.World)
}

// caution is the number of standard deviations by which the choosing runs discount an event's
// rates, in addition to the discount of the test to come. The best of many events on these runs is
// luckier than it will be on new ones, above all in far tails. With caution 0, some audits in a
// hundred choose an event of a few lucky runs; with twice as much, small audits miss events of few
// runs.
const caution = 1.3

// promise is an event with the value that its discounted rates on the choosing runs promise.
type promise struct {
	event Threshold
	value float64
}

// better keeps the better of two promises.
func (p *promise) better(event Threshold, value float64) {
	if value > p.value {
		*p = promise{event, value}
	}
}

// Choose returns the event that promises to exclude the largest epsilon. If that is not beyond the
// claim, it prefers an event that promises to contradict the claim's curve. z is the normal
// quantile of the test to come, and tested its number of runs.
func Choose(worlds [2]Samples, claim Claims, z float64, tested int) Threshold {
	n := worlds[0].Len()
	fixed, learned := Candidates([2]Samples{worlds[0].Slice(0, n/2), worlds[1].Slice(0, n/2)})
	epsilon, curve := promise{value: math.Inf(-1)}, promise{value: math.Inf(-1)}
	search := func(scores []score, on [2]Samples) {
		sw := sweep{
			claim: claim, n: float64(on[0].Len()),
			z: float64(z*math.Sqrt(float64(on[0].Len())/float64(tested))) + caution, epsilon: &epsilon, curve: &curve,
		}
		for w := range sw.sorted {
			sw.sorted[w] = make([]float64, on[w].Len())
		}
		for _, s := range scores {
			for w := range sw.sorted {
				for i := range sw.sorted[w] {
					sw.sorted[w][i] = s.Of(on[w].Row(i))
				}
				slices.Sort(sw.sorted[w])
			}
			sw.run(s)
		}
	}
	search(fixed, worlds)
	search(learned, [2]Samples{worlds[0].Slice(n/2, n), worlds[1].Slice(n/2, n)})
	if epsilon.value <= claim.Points[0].Epsilon && curve.value > 0 {
		return curve.event
	}
	return epsilon.event
}

// sweep looks for the best thresholds on scores, given their values in the two worlds in ascending
// order. It tries values at ranks that grow by a tenth from either end of either world, as the best
// event may be a far tail.
type sweep struct {
	claim          Claims
	n, z           float64
	sorted         [2][]float64
	epsilon, curve *promise
}

func (s *sweep) run(of score) {
	n := len(s.sorted[0])
	// This event holds whatever the score is.
	s.epsilon.better(Threshold{score: of, at: s.sorted[0][0]}, -math.MaxFloat64)
	for w := range s.sorted {
		for rank := 1; rank <= n; rank = max(rank+1, rank*11/10) {
			s.try(of, s.sorted[w][rank-1])
			s.try(of, s.sorted[w][n-rank])
		}
	}
}

// try tries a threshold halfway between the value and the next lower one, so that separated worlds
// stay separated on new runs.
func (s *sweep) try(of score, value float64) {
	below := [2]int{sort.SearchFloat64s(s.sorted[0], value), sort.SearchFloat64s(s.sorted[1], value)}
	at := value
	under := math.Inf(-1)
	for w, i := range below {
		if i > 0 {
			under = max(under, s.sorted[w][i-1])
		}
	}
	if !math.IsInf(under, -1) {
		if at = under + float64((value-under)/2); at <= under {
			at = value
		}
	}
	for world := range 2 {
		k, j := float64(below[world]), float64(below[1-world])
		s.weigh(Threshold{of, at, true, world}, k, j)
		s.weigh(Threshold{of, at, false, world}, s.n-k, s.n-j)
	}
}

// weigh judges an event that k runs of one world and j of the other have.
func (s *sweep) weigh(event Threshold, k, j float64) {
	if k < j { // the event is likelier in the other world
		return
	}
	s.epsilon.better(event, bound.Screen(k, j, s.n, s.claim.Points[0].Delta, s.z))
	if len(s.claim.Points) > 1 {
		pLo, _ := bound.Wilson(k, s.n, s.z)
		_, qHi := bound.Wilson(j, s.n, s.z)
		_, significance := s.claim.Contradicts(pLo, qHi, k/s.n, j/s.n, s.n)
		s.curve.better(event, significance)
	}
}

// coordinate is a score: one output, unchanged.
type coordinate struct {
	index int
	name  string
}

func (c coordinate) Of(out []float64) float64 { return out[c.index] }
func (c coordinate) String() string           { return c.name }

// deviation is a score: the distance of one output from its mean over both worlds.
type deviation struct {
	coordinate
	centre float64
}

func (d deviation) Of(out []float64) float64 { return math.Abs(out[d.index] - d.centre) }
func (d deviation) String() string           { return fmt.Sprintf("|%s - %.6g|", d.name, d.centre) }

// tried is the largest number of outputs that are tried one by one. If there are more, those that
// differ most, by each measure, are taken.
const tried = 16

// splitBy is the largest number of outputs that others are given.
const splitBy = 4

// Candidates returns the scores to choose from: fixed ones, and ones learned from runs.
func Candidates(worlds [2]Samples) (fixed, learned []score) {
	width := worlds[0].Width
	m := newMoments(worlds)
	ratios := make([]ratio, width)
	for i := range ratios {
		if t := newTable(i, worlds); t != nil {
			ratios[i] = t
		} else if b := newBins(i, worlds, 0); b != nil {
			ratios[i] = b
		}
	}
	best := func(by func(i int) float64) []int {
		order, value := make([]int, width), make([]float64, width)
		for i := range order {
			order[i], value[i] = i, by(i)
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
		return order[:min(tried, width)]
	}
	two := func(i int) bool { // an output of two values has one threshold only
		t, ok := ratios[i].(*table)
		return ok && len(t.values) == 2
	}
	for _, i := range best(m.effect) {
		fixed = append(fixed, coordinate{i, worlds[0].name(i)})
	}
	for _, i := range best(m.spread) {
		if !two(i) {
			fixed = append(fixed, deviation{coordinate{i, worlds[0].name(i)}, m.centre(i)})
		}
	}
	var discrete, all product
	apart := best(func(i int) float64 {
		if ratios[i] == nil {
			return -1
		}
		return ratios[i].apart()
	})
	for _, i := range apart {
		if ratios[i] != nil && !two(i) {
			learned = append(learned, ratios[i])
		}
	}
	for i, r := range ratios {
		switch r := r.(type) {
		case *table:
			discrete, all = append(discrete, r), append(all, r)
		case *bins:
			if slices.Contains(apart, i) { // the others tell little, and cost as much
				all = append(all, r)
			}
		}
	}
	if len(discrete) > 1 {
		learned = append(learned, discrete)
	}
	if len(all) > 1 {
		if len(all) > len(discrete) {
			learned = append(learned, all)
		}
		learned = append(learned, union{all, 1}, union{all, -1})
	}
	for _, i := range apart[:min(splitBy, len(apart))] {
		if t, ok := ratios[i].(*table); ok && width > 1 {
			if s := newSplit(t, apart, worlds); s != nil {
				learned = append(learned, s)
			}
		}
	}
	if width > 1 {
		fixed = append(fixed, extremes(m)...)
		learned = append(learned, discriminants(worlds, m)...)
	}
	return fixed, learned
}
