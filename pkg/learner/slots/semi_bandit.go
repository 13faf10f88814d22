package slots

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// preparedSemiBandit is a matroid for a problem, as all trials share it.
type preparedSemiBandit struct {
	matroid matroid.Matroid
	problem bandit.Problem
	span    float64 // length of the range of rewards
	free    []int   // arms that are not loops
	place   []int   // of each arm in free; -1: a loop, which is never played
}

// semiBandit is what the rules on matroids share: the arms' estimates in the form that an index
// needs, and the greedy algorithm. A rule writes the indices and plays the heaviest basis.
type semiBandit struct {
	*preparedSemiBandit
	greedy  *matroid.Greedy
	index   []float64 // of each arm; -Inf of loops
	numbers []float64 // the broadcast: an arm's numbers for each of free
}

// arm is an arm's estimate in a broadcast, in the form that an index needs.
type arm = [armSize]float64

// The numbers of an arm. Without an estimate, the mean is +Inf and the others are 0.
const (
	mean   = iota
	width  // span/sqrt(count)
	root   // tail of the noise
	linear // the same
	count
	armSize
)

// prepareSemiBandit validates a matroid for a problem.
func prepareSemiBandit(name string, m matroid.Matroid, p bandit.Problem, horizon int) (*preparedSemiBandit, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	if err := field.Check("learner: "+name+".Matroid", m); err != nil {
		return nil, err
	}
	switch {
	case p.Dim != 0:
		return nil, fmt.Errorf("learner: %s has no use for contexts: Problem.Dim = %d, want 0", name, p.Dim)
	case m.Rank() < 1:
		return nil, fmt.Errorf("learner: %s.Matroid has rank %d, want >= 1: all its elements are loops", name, m.Rank())
	case p.Arms != m.Size():
		return nil, fmt.Errorf("learner: Problem.Arms = %d, want the size %d of %s.Matroid", p.Arms, m.Size(), name)
	case p.Slots != m.Rank():
		return nil, fmt.Errorf("learner: Problem.Slots = %d, want the rank %d of %s.Matroid", p.Slots, m.Rank(), name)
	}
	s := &preparedSemiBandit{matroid: m, problem: p, span: p.RewardMax - p.RewardMin}
	s.free, s.place = make([]int, 0, p.Arms), make([]int, p.Arms)
	builder := m.NewBuilder()
	for e := range p.Arms {
		builder.Clear()
		s.place[e] = -1
		if builder.Add(e) {
			s.place[e] = len(s.free)
			s.free = append(s.free, e)
		}
	}
	first := s.begin()
	if n := len(first.greedy.Basis(first.index, nil)); n != p.Slots {
		return nil, fmt.Errorf("learner: %s.Matroid violates the axioms: the greedy algorithm finds a basis of %d elements, its rank is %d", name, n, p.Slots)
	}
	return s, nil
}

// begin returns what a rule starts with: no arm was seen.
func (s *preparedSemiBandit) begin() semiBandit {
	run := semiBandit{s, matroid.NewGreedy(s.matroid), make([]float64, len(s.place)), make([]float64, armSize*len(s.free))}
	for e := range run.index {
		run.index[e] = math.Inf(-1)
	}
	for i, e := range s.free {
		run.index[e], run.numbers[armSize*i+mean] = math.Inf(1), math.Inf(1)
	}
	return run
}

// askWarmUp asks for a warm-up if a policy wants one.
func askWarmUp(wanted bool, setup *privacy.Setup) error {
	setup.WarmUp = wanted
	return nil
}

// Learn reads the estimates that have changed. The broadcast is the numbers of all arms.
func (s *semiBandit) Learn(r *privacy.Means) ([]float64, error) {
	numbers, place, span := s.numbers, s.place, s.span
	for _, e := range r.Changed {
		i := place[e]
		if i < 0 {
			continue
		}
		if of := &r.Of[e]; of.Count > 0 {
			n, a := float64(of.Count), (*arm)(numbers[armSize*i:])
			a[mean], a[width], a[count] = of.Mean, span/math.Sqrt(n), n
			a[root], a[linear] = of.Tail.Root, of.Tail.Linear
		}
	}
	return numbers, nil
}

// ours reports whether a broadcast is that of this very rule, which needs no check.
func (s *semiBandit) ours(broadcast []float64) bool {
	return len(broadcast) == len(s.numbers) && len(broadcast) > 0 && &broadcast[0] == &s.numbers[0]
}

// receive checks the length of a broadcast, and refuses NaNs in one from another machine.
func (s *semiBandit) receive(broadcast []float64) error {
	if len(broadcast) != len(s.numbers) {
		return fmt.Errorf("a broadcast of %d numbers, want %d for each of %d arms", len(broadcast), armSize, len(s.free))
	}
	if s.ours(broadcast) {
		return nil
	}
	for i, v := range broadcast { // from another machine
		if math.IsNaN(v) {
			return fmt.Errorf("number %d of a broadcast is %v", i, v)
		}
	}
	return nil
}

// insights appends the indices of the last Act, of weights that are span long from lo on, and the
// estimates. above returns how far above its estimate an arm's mean may be.
func (s *semiBandit) insights(broadcast []float64, lo, span float64, dst []bandit.Insight, above func(index float64, a *arm) float64) ([]bandit.Insight, error) {
	if err := s.receive(broadcast); err != nil {
		return dst, err
	}
	for e, i := range s.place {
		x := checks.Unseen()
		switch {
		case i < 0:
			x.Index = math.Inf(-1)
		case !math.IsInf(s.index[e], 1):
			a := (*arm)(broadcast[armSize*i:])
			x.Index, x.Estimate = lo+float64(s.index[e]*span), a[mean]
			x.Width = above(x.Index, a)
		}
		dst = append(dst, x)
	}
	return dst, nil
}

// play appends the heaviest basis by the indices to dst.
func (s *semiBandit) play(dst []int) []int { return s.greedy.Basis(s.index, dst) }

// logarithm returns ln(max(n, 2)).
func logarithm(n float64) float64 { return portable.Log(max(2, n)) }
