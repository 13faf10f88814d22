package audit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// An event is found in two steps: scores, each a number made of a run's outputs, and a threshold on
// one of them. Both are chosen on the first half of the runs. Learned scores are learned on one
// half of these and judged on the other, in both roles, so that a score that has learned noise by
// heart is not preferred.

// score turns the outputs of a run into a number.
type score interface {
	of(out []float64) float64
	String() string
}

// threshold is the event that a score is at least (or below) a number, for the world in which it is
// the likelier one.
type threshold struct {
	score
	at    float64
	below bool
	world int // the world in which the event is likely
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

// caution is the number of standard deviations by which the choosing runs discount an event's
// rates, in addition to the discount of the test to come. The best of many events on these runs is
// luckier than it will be on new ones, above all in far tails. With caution 0, some audits in a
// hundred choose an event of a few lucky runs; with twice as much, small audits miss events of few
// runs.
const caution = 1.3

// mostChoosing is the largest count of numbers, in each world, of the runs that choose an event.
// All other runs test it and are not kept, so that memory does not grow with their number.
const mostChoosing = 1 << 23

// attack chooses an event on the first half of the runs, or on fewer if they have many numbers, and
// tests it on the others. Both bounds on the rates hold at once, with the confidence of the
// options, and so does all that follows from them: the claim is tested at each point of its curve.
//
// This is done twice: with outputs on a grid, which is the finding, and with all bits of outputs,
// which tells of floating point only.
func (c collection) attack(ctx context.Context, about About, o Options) (Finding, error) {
	chosen := min(c.runs/2, max(mostChoosing/c.width, min(c.runs/2, 5*MinRuns)))
	p, err := c.begin(min(c.runs, (chosen+c.block-1)/c.block*c.block))
	if err != nil {
		return Finding{}, err
	}
	defer p.meter.stop()
	if err := p.until(ctx, p.kept); err != nil {
		return Finding{}, err
	}
	kept := p.outcome()
	e := newExam(about, kept.worlds, chosen, c.runs-chosen, 1-o.Confidence)
	for w, s := range kept.worlds {
		for i := chosen; i < s.len(); i++ {
			e.count(w, s.row(i))
		}
	}
	wide := kept.worlds[0].failures
	p.visit = func(world int, out []float64, failed bool) {
		if wide {
			if out = append(slices.Clip(out), 0); failed {
				out[c.width] = 1
			}
		}
		e.count(world, out)
	}
	p.worlds = [2]samples{}
	if err := p.until(ctx, c.runs); err != nil {
		return Finding{}, err
	}
	f := e.finding()
	f.Runs, f.Confidence, f.Failed = c.runs, o.Confidence, p.failed
	if p.first.err != nil {
		f.Failure = p.first.err.Error()
	}
	return f, nil
}

// exam is a test of two events, one of outputs on the grid and one of all their bits.
type exam struct {
	about  About
	claim  claims
	alpha  float64
	share  float64 // of all runs to those that test
	tested float64
	grid   grid
	events [2]threshold
	hits   [2][2]atomic.Int64 // by event and world
}

// newExam chooses the events. It rounds the outputs in place.
func newExam(about About, kept [2]samples, chosen, tested int, alpha float64) *exam {
	e := &exam{about: about, claim: newClaims(about), alpha: alpha, share: float64(chosen+tested) / float64(tested), tested: float64(tested)}
	worlds := [2]samples{kept[0].slice(0, chosen), kept[1].slice(0, chosen)}
	e.grid = newGrid(worlds)
	few := min(chosen, lowBitRuns)
	fine := [2]samples{worlds[0].slice(0, few), worlds[1].slice(0, few)}
	e.events[1] = choose(fine, e.claim, quantile(alpha/2), tested)
	for _, s := range worlds {
		for i := range s.len() {
			e.grid.round(s.row(i), s.row(i))
		}
	}
	e.events[0] = choose(worlds, e.claim, quantile(alpha/2), tested)
	return e
}

// count tests the events on a run.
func (e *exam) count(world int, out []float64) {
	if e.events[1].holds(out) {
		e.hits[1][world].Add(1)
	}
	e.grid.round(out, out)
	if e.events[0].holds(out) {
		e.hits[0][world].Add(1)
	}
}

// finding returns what the exam has found.
func (e *exam) finding() Finding {
	f := e.judge(0)
	f.Grid = e.grid.String()
	if fine := e.judge(1); fine.Excluded() && !f.Excluded() {
		f.LowBits, f.LowBitsEvent = fine.Epsilon, fine.Event
		if fine.Epsilon <= f.Claim.Epsilon { // at another point of the curve
			f.LowBits = fine.At.Epsilon
		}
	}
	return f
}

// judge returns the finding of an event.
func (e *exam) judge(i int) Finding {
	event, claim, about := e.events[i], e.claim, e.about
	k, j := float64(e.hits[i][event.world].Load()), float64(e.hits[i][1-event.world].Load())
	p, q := k/e.tested, j/e.tested
	pLo, qHi := lower(k, e.tested, e.alpha/2), upper(j, e.tested, e.alpha/2)
	at, _ := claim.contradicts(pLo, qHi, p, q, e.tested)
	nearest, _ := claim.contradicts(p, q, p, q, e.tested)
	return Finding{
		About: about, Epsilon: max(0, logRatio(pLo-about.Claim.Delta, qHi)),
		At: claim.points[at], Delta: max(0, pLo-float64(claim.grow[at]*qHi)),
		Event: event.String(), P: p, Q: q, Tested: int(e.tested),
		Needed: math.Ceil(e.share * needed(p, q, claim.points[nearest].Epsilon, claim.points[nearest].Delta, e.alpha)),
		Unit:   "runs in each world",
	}
}

// promise is an event with the value that its discounted rates on the choosing runs promise.
type promise struct {
	event threshold
	value float64
}

// better keeps the better of two promises.
func (p *promise) better(event threshold, value float64) {
	if value > p.value {
		*p = promise{event, value}
	}
}

// choose returns the event that promises to exclude the largest epsilon. If that is not beyond the
// claim, it prefers an event that promises to contradict the claim's curve. z is the normal
// quantile of the test to come, and tested its number of runs.
func choose(worlds [2]samples, claim claims, z float64, tested int) threshold {
	n := worlds[0].len()
	fixed, learned := candidates([2]samples{worlds[0].slice(0, n/2), worlds[1].slice(0, n/2)})
	epsilon, curve := promise{value: math.Inf(-1)}, promise{value: math.Inf(-1)}
	search := func(scores []score, on [2]samples) {
		sw := sweep{
			claim: claim, n: float64(on[0].len()),
			z: float64(z*math.Sqrt(float64(on[0].len())/float64(tested))) + caution, epsilon: &epsilon, curve: &curve,
		}
		for w := range sw.sorted {
			sw.sorted[w] = make([]float64, on[w].len())
		}
		for _, s := range scores {
			for w := range sw.sorted {
				for i := range sw.sorted[w] {
					sw.sorted[w][i] = s.of(on[w].row(i))
				}
				slices.Sort(sw.sorted[w])
			}
			sw.run(s)
		}
	}
	search(fixed, worlds)
	search(learned, [2]samples{worlds[0].slice(n/2, n), worlds[1].slice(n/2, n)})
	if epsilon.value <= claim.points[0].Epsilon && curve.value > 0 {
		return curve.event
	}
	return epsilon.event
}

// sweep looks for the best thresholds on scores, given their values in the two worlds in ascending
// order. It tries values at ranks that grow by a tenth from either end of either world, as the best
// event may be a far tail.
type sweep struct {
	claim          claims
	n, z           float64
	sorted         [2][]float64
	epsilon, curve *promise
}

func (s *sweep) run(of score) {
	n := len(s.sorted[0])
	// This event holds whatever the score is.
	s.epsilon.better(threshold{score: of, at: s.sorted[0][0]}, -math.MaxFloat64)
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
		s.weigh(threshold{of, at, true, world}, k, j)
		s.weigh(threshold{of, at, false, world}, s.n-k, s.n-j)
	}
}

// weigh judges an event that k runs of one world and j of the other have.
func (s *sweep) weigh(event threshold, k, j float64) {
	if k < j { // the event is likelier in the other world
		return
	}
	s.epsilon.better(event, screen(k, j, s.n, s.claim.points[0].Delta, s.z))
	if len(s.claim.points) > 1 {
		pLo, _ := wilson(k, s.n, s.z)
		_, qHi := wilson(j, s.n, s.z)
		_, significance := s.claim.contradicts(pLo, qHi, k/s.n, j/s.n, s.n)
		s.curve.better(event, significance)
	}
}

// coordinate is a score: one output, unchanged.
type coordinate struct {
	index int
	name  string
}

func (c coordinate) of(out []float64) float64 { return out[c.index] }
func (c coordinate) String() string           { return c.name }

// deviation is a score: the distance of one output from its mean over both worlds.
type deviation struct {
	coordinate
	centre float64
}

func (d deviation) of(out []float64) float64 { return math.Abs(out[d.index] - d.centre) }
func (d deviation) String() string           { return fmt.Sprintf("|%s - %.6g|", d.name, d.centre) }

// tried is the largest number of outputs that are tried one by one. If there are more, those that
// differ most, by each measure, are taken.
const tried = 16

// splitBy is the largest number of outputs that others are given.
const splitBy = 4

// candidates returns the scores to choose from: fixed ones, and ones learned from runs.
func candidates(worlds [2]samples) (fixed, learned []score) {
	width := worlds[0].width
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
