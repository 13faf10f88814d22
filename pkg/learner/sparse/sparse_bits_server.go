package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// SparseBitsServer is the server's half of [SparseBits]. It asks for coordinates in turn and adds
// up the answers. The broadcast is the coordinate, the arm to play or -1, and then theta, each
// coordinate as its index and its value. A round costs O(1), and O(d ln d) where a stage ends.
type SparseBitsServer struct {
	Bits SparseBits // the devices'
}

// sparseBitsServer is a SparseBitsServer for a problem.
type sparseBitsServer struct {
	stages   sparseStages
	sparsity int
	choices  int // of a round
	dim      int
}

// sparseBitsReceiver is a [SparseBitsServer] in one trial.
type sparseBitsReceiver struct {
	*sparseBitsServer
	own       *rand.Rand
	asked     []int     // the coordinates of the stage
	sums      []float64 // of the answers
	counts    []float64
	count     int // messages
	broadcast []float64
}

var _ learner.Server = SparseBitsServer{}

// checkSparseBits reports a problem that the two halves cannot play.
func checkSparseBits(who string, p bandit.Problem, horizon int) error {
	if err := checks.Contexts(who, p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	return size.Check(what, float64(8*float64(p.Dim))+float64(p.Arms))
}

// Open validates, and computes the lengths of the stages.
func (s SparseBitsServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := checkSparseBits("SparseBitsServer", p, horizon); err != nil {
		return nil, err
	}
	stages, err := s.Bits.stages(p, horizon)
	if err != nil {
		return nil, err
	}
	return &sparseBitsServer{stages, s.Bits.Sparsity, p.Arms, p.Dim}, nil
}

// Start begins a run. The arms of both stages are drawn from own.
func (s *sparseBitsServer) Start(own *rand.Rand) learner.Receiver {
	r := &sparseBitsReceiver{sparseBitsServer: s, own: own, asked: make([]int, s.dim),
		sums: make([]float64, s.dim), counts: make([]float64, s.dim), broadcast: make([]float64, 2, 2+2*s.sparsity)}
	for j := range r.asked {
		r.asked[j] = j
	}
	r.ask()
	return r
}

// ask writes the next question.
func (s *sparseBitsReceiver) ask() {
	arm := -1
	if s.count < s.stages.last {
		arm = s.own.IntN(s.choices)
	}
	s.broadcast[0], s.broadcast[1] = float64(s.asked[s.count%len(s.asked)]), float64(arm)
}

// Receive adds up an answer.
func (s *sparseBitsReceiver) Receive(m learner.Message) error {
	if err := m.Check(1, 1); err != nil {
		return err
	}
	if m[0] != 1 && m[0] != -1 {
		return fmt.Errorf("learner: an answer of %v, want 1 or -1", m[0])
	}
	if s.count < s.stages.last {
		j := int(s.broadcast[0])
		s.sums[j] += m[0]
		s.counts[j]++
	}
	s.count++
	switch s.count {
	case s.stages.first:
		s.keep(s.stages.kept)
	case s.stages.last:
		s.keep(s.sparsity)
		for _, j := range s.asked {
			mean := s.sums[j] / (s.counts[j] * s.stages.contrast)
			s.broadcast = append(s.broadcast, float64(j), sine(math.Pi/2*min(max(mean, -1), 1)))
		}
	}
	s.ask()
	return nil
}

// sine returns sin(u) for |u| <= pi/2, to 2e-4: a polynomial, which is the same on every machine.
func sine(u float64) float64 {
	square := u * u
	return u * (1 - float64(square/6*(1-float64(square/20*(1-float64(square/42))))))
}

// keep keeps the coordinates with the largest means, of those asked for.
func (s *sparseBitsReceiver) keep(n int) {
	size := func(j int) float64 { return math.Abs(s.sums[j]) / s.counts[j] }
	slices.SortFunc(s.asked, func(i, j int) int {
		switch a, b := size(i), size(j); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return i - j
	})
	s.asked = s.asked[:n]
	slices.Sort(s.asked)
}

// Broadcast returns the question of the round, and theta once it is known.
func (s *sparseBitsReceiver) Broadcast() []float64 { return s.broadcast }

// Support returns the coordinates that are still asked for. The slice is the run's own, and
// valid until the next message.
func (s *sparseBitsReceiver) Support() []int { return s.asked }
