package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// SparseBitsServer is the server's half of [SparseBits]. It asks for coordinates in turn and adds
// up the answers. The broadcast is the coordinate, the arm to play or -1, and then theta, each
// coordinate as its index and its value. A round costs O(1), and O(d ln d) where a stage ends.
type SparseBitsServer struct {
	Bits SparseBits // the devices'

	stages    sparseStages
	sparsity  int
	choices   int // of a round
	own       *rand.Rand
	asked     []int     // the coordinates of the stage
	sums      []float64 // of the answers
	counts    []float64
	count     int // messages
	broadcast []float64
}

var _ Server = (*SparseBitsServer)(nil)

// checkSparseBits reports a problem that the two halves cannot play.
func checkSparseBits(who string, p bandit.Problem, horizon int) error {
	if err := checkContexts(who, p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	return size.Check(what, float64(8*float64(p.Dim))+float64(p.Arms))
}

// Init validates and allocates.
func (s *SparseBitsServer) Init(p bandit.Problem, horizon int) (err error) {
	if err := checkSparseBits("SparseBitsServer", p, horizon); err != nil {
		return err
	}
	if s.stages, err = s.Bits.stages(p, horizon); err != nil {
		return err
	}
	s.sparsity, s.choices = s.Bits.Sparsity, p.Arms
	s.asked = make([]int, 0, p.Dim)
	s.sums, s.counts = make([]float64, p.Dim), make([]float64, p.Dim)
	s.broadcast = make([]float64, 0, 2+2*s.sparsity)
	return nil
}

// Reset forgets the messages. The arms of both stages are drawn from own.
func (s *SparseBitsServer) Reset(own *rand.Rand) {
	s.own, s.count, s.asked = own, 0, s.asked[:0]
	clear(s.sums)
	clear(s.counts)
	for j := range s.sums {
		s.asked = append(s.asked, j)
	}
	s.broadcast = s.broadcast[:0]
	s.ask()
}

// ask writes the next question.
func (s *SparseBitsServer) ask() {
	arm := -1
	if s.count < s.stages.last {
		arm = s.own.IntN(s.choices)
	}
	if len(s.broadcast) == 0 {
		s.broadcast = append(s.broadcast, 0, 0)
	}
	s.broadcast[0], s.broadcast[1] = float64(s.asked[s.count%len(s.asked)]), float64(arm)
}

// Receive adds up an answer.
func (s *SparseBitsServer) Receive(m Message) error {
	if err := checkMessage(m, 1, 1); err != nil {
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
func (s *SparseBitsServer) keep(n int) {
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
func (s *SparseBitsServer) Broadcast() []float64 { return s.broadcast }

// Support returns the coordinates that are still asked for. The slice is the server's own, and
// valid until the next message.
func (s *SparseBitsServer) Support() []int { return s.asked }
