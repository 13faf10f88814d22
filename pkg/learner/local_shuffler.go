package learner

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Uniform is the shuffler of the shuffle model: it hands on a batch of messages in uniformly random
// order. It is trusted with who sent what and with nothing else, as the messages are randomised
// already.
type Uniform struct{}

// uniform is a Uniform in one trial.
type uniform struct {
	noise    *privacy.Noise
	order    []int
	count    int     // messages held
	messages Message // one after another, all of the same length
}

var _ Shuffler = Uniform{}

// Check validates the batch size, which is at least 1.
func (Uniform) Check(batch int) error {
	if batch < 1 {
		return fmt.Errorf("learner: a batch of %d messages, want >= 1", batch)
	}
	return size.Check(fmt.Sprintf("learner: a batch of %d messages", batch), 16*float64(batch))
}

// Start begins a run.
func (Uniform) Start(batch int, noise *privacy.Noise) Mixer {
	u := &uniform{noise: noise, order: make([]int, batch)}
	for i := range u.order {
		u.order[i] = i
	}
	return u
}

// Drawn returns one shuffle for each complete batch.
func (Uniform) Drawn(batch, messages int) []privacy.Draws {
	return []privacy.Draws{{Law: privacy.ShuffleLaw(max(1, batch)), Count: messages / max(1, batch)}}
}

// Collect takes a copy of the message. The last message of a batch makes it shuffle the batch and
// hand all messages to the server. A message whose length differs from that of the batch's first is
// refused, as lengths would tell messages apart.
func (u *uniform) Collect(m Message, to Receiver) error {
	if u.count > 0 && len(m)*u.count != len(u.messages) {
		return fmt.Errorf("learner: a message of %d numbers in a batch of messages of %d", len(m), len(u.messages)/u.count)
	}
	u.messages = append(u.messages, m...)
	if u.count++; u.count < len(u.order) {
		return nil
	}
	u.noise.Shuffle(u.order)
	all, size := u.messages, len(m)
	u.messages, u.count = u.messages[:0], 0
	for _, i := range u.order {
		if err := to.Receive(all[i*size : (i+1)*size : (i+1)*size]); err != nil {
			return err
		}
	}
	return nil
}
