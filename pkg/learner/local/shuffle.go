package local

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// checkShuffler refuses a batch of another size than a device's noise is made for, or a shuffler
// that is no S. An error calls the noise by its name.
func checkShuffler[S learner.Shuffler](noise string, size int, s learner.Shuffler, batch int) error {
	if batch != size {
		return fmt.Errorf("learner: batches of %d messages, want %s.Batch = %d", batch, noise, size)
	}
	if made, ok := s.(S); batch > 1 && !ok {
		return fmt.Errorf("learner: messages under %s in a shuffler of type %T, want %T, for which they are made", noise, s, made)
	}
	return nil
}

// shuffled returns the plan of messages that are private because a shuffler mixes a batch of them,
// with more conditions. It changes the model and the scope, not the releases.
func shuffled(p privacy.Plan, conditions ...string) privacy.Plan {
	p.Model, p.Scope, p.Conditions = privacy.Shuffled, privacy.AllOutputs, append(p.Conditions, conditions...)
	return p
}
