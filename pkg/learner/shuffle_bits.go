package learner

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// BitSum is a shuffler of bits. Each number of a message counts the ones among a fixed number of
// bits, and each bit is sent by itself with the coordinate that it belongs to. The shuffler mixes
// the bits of a batch, so that only the number of ones per coordinate in the whole batch can be
// seen. It hands that sum on as one message.
//
// It is trusted with who sent which bit, and with nothing else. A real one shuffles the bits
// themselves, or is a protocol for sums among several parties none of which sees a device's bits
// (Cheu, Joseph, Mao, Peng, "Shuffle private stochastic convex optimization", 2022). It draws no
// randomness, as a sum has no order.
type BitSum struct{}

// bitSum is a BitSum in one trial.
type bitSum struct {
	batch int
	count int
	sum   Message
}

var _ Shuffler = BitSum{}

// Check validates the batch size, which is at least 1.
func (BitSum) Check(batch int) error {
	if batch < 1 {
		return fmt.Errorf("learner: a batch of %d messages, want >= 1", batch)
	}
	return nil
}

// Start begins a run.
func (BitSum) Start(batch int, _ *privacy.Noise) Mixer { return &bitSum{batch: batch} }

// Drawn returns nil: a sum needs no randomness.
func (BitSum) Drawn(_, _ int) []privacy.Draws { return nil }

// Collect adds a message to the batch's sum. The last message of a batch makes it hand the sum to
// the server. A message is refused if its length differs from that of the batch's first, or if a
// number cannot be a count.
func (s *bitSum) Collect(m Message, to Receiver) error {
	if s.count > 0 && len(m) != len(s.sum) {
		return fmt.Errorf("learner: a message of %d numbers in a batch of messages of %d", len(m), len(s.sum))
	}
	for i, v := range m {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("learner: number %d of a message is %v, want a number of bits", i, v)
		}
	}
	if s.count == 0 {
		s.sum = append(s.sum[:0], m...)
	} else {
		for i, v := range m {
			s.sum[i] += v
		}
	}
	if s.count++; s.count < s.batch {
		return nil
	}
	s.count = 0
	return to.Receive(s.sum)
}
