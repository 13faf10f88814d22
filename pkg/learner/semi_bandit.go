package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Initialisation says how a learner of a semi-bandit comes by its first estimates.
type Initialisation int

const (
	// Forced plays what it has not seen first: an arm without an estimate has index +Inf, ties by the lowest index. Each user shows the arms of one
	// basis and no more, and after at most L - K + 1 rounds all arms have been played that are in some basis.
	Forced Initialisation = iota
	// AsPublished has a round 0, in which one user shows all L arms (line 2 of Algorithms 2 and 3, and of Kveton et al.'s). She shows L weights where all others
	// show K: mechanism.TreeTally, and mechanism.Blocks if Sound, add the noise for that, and she has the epsilon of all others; over Blocks as published she has L/K times it
	// under Laplace noise, as the claim says.
	AsPublished
)

func (i Initialisation) String() string {
	switch i {
	case Forced:
		return "Forced"
	case AsPublished:
		return "AsPublished"
	}
	return fmt.Sprintf("Initialisation(%d)", int(i))
}

// semiBandit is what the learners on matroids share: the tally that they read, each arm's estimate as it goes into an index, and the greedy
// algorithm. A learner writes the indices and plays the heaviest basis.
type semiBandit struct {
	bandit.Base
	tally   privacy.Tally
	start   Initialisation
	problem bandit.Problem
	span    float64 // length of the range of rewards
	greedy  *matroid.Greedy
	free    []int     // arms that are not loops
	place   []int     // of each arm in free; -1: a loop, which is never played
	arm     []arm     // of each of free
	index   []float64 // of each arm; -Inf of loops
	all     []int     // 0, 1, ..., for the warm-up
	warm    bool      // round 0 is over
	clipped string    // what the warning says
}

// arm is an arm's estimate as an index needs it. Of an arm without one the mean is +Inf and the rest 0.
type arm struct {
	mean         float64
	width        float64 // span/sqrt(count)
	root, linear float64 // tail of the noise
	count        float64
}

// init validates and allocates. A nil tally is exact.
func (s *semiBandit) init(name string, m matroid.Matroid, tally privacy.Tally, start Initialisation, p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	switch {
	case m == nil:
		return fmt.Errorf("learner: %s.Matroid is nil", name)
	case start != Forced && start != AsPublished:
		return fmt.Errorf("learner: %s.Initialisation = %v, want Forced or AsPublished", name, start)
	case p.Dim != 0:
		return fmt.Errorf("learner: %s has no use for contexts: Problem.Dim = %d, want 0", name, p.Dim)
	case m.Rank() < 1:
		return fmt.Errorf("learner: %s.Matroid has rank %d, want >= 1: all its elements are loops", name, m.Rank())
	case p.Arms != m.Size():
		return fmt.Errorf("learner: Problem.Arms = %d, want the size %d of %s.Matroid", p.Arms, m.Size(), name)
	case p.Slots != m.Rank():
		return fmt.Errorf("learner: Problem.Slots = %d, want the rank %d of %s.Matroid", p.Slots, m.Rank(), name)
	}
	if tally == nil {
		tally = &mechanism.Counts{}
	}
	setup := privacy.TallySetup{Arms: p.Arms, Slots: p.Slots, Horizon: horizon, Lo: p.RewardMin, Hi: p.RewardMax, WarmUp: start == AsPublished}
	if err := tally.Init(setup); err != nil {
		return err
	}
	s.tally, s.start, s.problem, s.span = tally, start, p, p.RewardMax-p.RewardMin
	s.clipped = fmt.Sprintf("weights outside [%v, %v], clipped", p.RewardMin, p.RewardMax)
	s.free, s.all = make([]int, 0, p.Arms), make([]int, p.Arms)
	s.place, s.index = make([]int, p.Arms), make([]float64, p.Arms)
	builder := m.NewBuilder()
	for e := range p.Arms {
		builder.Clear()
		s.all[e], s.place[e] = e, -1
		if builder.Add(e) {
			s.place[e] = len(s.free)
			s.free = append(s.free, e)
		}
	}
	s.arm = make([]arm, len(s.free))
	s.greedy = matroid.NewGreedy(m)
	s.forget()
	if n := len(s.greedy.Basis(s.index, nil)); n != p.Slots {
		return fmt.Errorf("learner: %s.Matroid is none: the greedy algorithm finds a basis of %d elements, its rank is %d", name, n, p.Slots)
	}
	return nil
}

// forget makes every arm one that was never seen.
func (s *semiBandit) forget() {
	for e, i := range s.place {
		s.index[e] = math.Inf(-1)
		if i >= 0 {
			s.index[e] = math.Inf(1)
			s.arm[i] = arm{mean: math.Inf(1)}
		}
	}
}

// reset forgets the data, and draws new noise.
func (s *semiBandit) reset(noise rand.Source) {
	s.Clear()
	s.tally.Reset(privacy.NewNoise(noise))
	s.forget()
	s.warm = false
}

// WantsWarmUp reports whether there has to be a round 0.
func (s *semiBandit) WantsWarmUp() bool { return s.start == AsPublished }

// WarmUp takes in the rewards of all arms.
func (s *semiBandit) WarmUp(y []float64) {
	switch {
	case s.start != AsPublished:
		s.Fail(fmt.Errorf("learner: a warm-up round for a learner that starts as %v", s.start))
	case s.warm:
		s.Fail(fmt.Errorf("learner: a second warm-up round"))
	case len(y) != len(s.all):
		s.Fail(fmt.Errorf("learner: round 0: %d rewards in WarmUp, want those of all %d arms", len(y), len(s.all)))
	default:
		if s.add(0, s.all, y) {
			s.warm = true
		}
	}
}

// ready reports whether a choice can be made; otherwise the learner has failed.
func (s *semiBandit) ready(v *bandit.View) bool {
	if s.start == AsPublished && !s.warm {
		s.Fail(fmt.Errorf("learner: round %d: there was no warm-up round, which a learner that starts as %v has to see", v.Round, s.start))
		return false
	}
	return s.see(v)
}

// see checks a view.
func (s *semiBandit) see(v *bandit.View) bool {
	switch {
	case v.Round < 1:
		s.Fail(fmt.Errorf("learner: View.Round = %d, want >= 1", v.Round))
	case v.Arms != s.problem.Arms:
		s.Fail(fmt.Errorf("learner: round %d: View.Arms = %d, want %d", v.Round, v.Arms, s.problem.Arms))
	case v.Dim != 0 || len(v.X) != 0:
		s.Fail(fmt.Errorf("learner: round %d: View.Dim = %d with %d numbers, want no contexts", v.Round, v.Dim, len(v.X)))
	default:
		return true
	}
	return false
}

// play appends the heaviest basis by the indices.
func (s *semiBandit) play(dst []int) []int { return s.greedy.Basis(s.index, dst) }

// Update takes in the weights of the arms played.
func (s *semiBandit) Update(v *bandit.View, arms []int, y []float64) { s.update(v, arms, y) }

// update reports whether they were taken in.
func (s *semiBandit) update(v *bandit.View, arms []int, y []float64) bool {
	if !s.see(v) {
		return false
	}
	if len(arms) != s.problem.Slots || len(y) != len(arms) {
		s.Fail(fmt.Errorf("learner: round %d: %d arms and %d rewards in Update, want %d each", v.Round, len(arms), len(y), s.problem.Slots))
		return false
	}
	return s.add(v.Round, arms, y)
}

// add hands a record to the tally, and reads what that has released.
func (s *semiBandit) add(round int, arms []int, y []float64) bool {
	released, err := s.tally.Add(arms, y)
	if err != nil {
		s.Fail(fmt.Errorf("learner: round %d: %w", round, err))
		return false
	}
	if released {
		for _, e := range arms {
			s.read(e)
		}
	}
	return true
}

// read reads the estimate of an arm.
func (s *semiBandit) read(e int) {
	i := s.place[e]
	if i < 0 {
		return
	}
	if r := s.tally.Estimate(e); r.Count > 0 {
		count := float64(r.Count)
		s.arm[i] = arm{r.Mean, s.span / math.Sqrt(count), r.Tail.Root, r.Tail.Linear, count}
	}
}

// Warnings counts clipped weights.
func (s *semiBandit) Warnings() []bandit.Warning {
	if n := s.tally.Clipped(); n > 0 {
		return []bandit.Warning{{What: s.clipped, Count: n}}
	}
	return nil
}

// Claim returns the claim of the tally: the rest is post-processing.
func (s *semiBandit) Claim() privacy.Claim { return s.tally.Claim() }

// Draws returns the draws of the tally.
func (s *semiBandit) Draws() []privacy.Draws { return s.tally.Draws() }

// Check lets a tally whose noise is the system's compare it with what its claim rests on.
func (s *semiBandit) Check() error { return checkSystem(s.tally) }

// Spent returns what the releases of the tally after a number of records show; all of the claim if the tally does not say.
func (s *semiBandit) Spent(records int) privacy.Event {
	if m, ok := s.tally.(privacy.Meter); ok {
		return m.Spent(records)
	}
	return s.Claim().Event
}

// logarithm returns ln n, of 2 where n is less.
func logarithm(n float64) float64 { return portable.Log(math.Max(2, n)) }

// factor checks a factor whose zero is 1.
func factor(name string, f *float64) error {
	if !(*f >= 0 && *f <= mostTuning) {
		return fmt.Errorf("learner: %s = %v, want finite and > 0, %v at most, or 0 for 1", name, *f, mostTuning)
	}
	if *f == 0 {
		*f = 1
	}
	return nil
}
