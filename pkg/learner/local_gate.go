package learner

import "fmt"

// gate stands before the server, which receives messages in whole batches: the claim is about
// these.
type gate struct {
	Receiver
	of *LocalRun
}

// Receive refuses a message, or a batch's sum, that comes before its batch is complete.
func (g *gate) Receive(m Message) error {
	if l := g.of; l.messages%l.batch != 0 {
		return fmt.Errorf("learner: a %T hands on messages after %d of a batch of %d, want whole batches", l.mixer, l.messages%l.batch, l.batch)
	}
	return g.Receiver.Receive(m)
}
