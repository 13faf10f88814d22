package learner

import "fmt"

// gate stands before the server, which receives messages in whole batches: the claim is about
// these.
type gate struct {
	Server
	of *Local
}

// Receive refuses a message, or a batch's sum, that comes before its batch is complete.
func (g *gate) Receive(m Message) error {
	if l := g.of; l.messages%l.batch != 0 {
		return fmt.Errorf("learner: a %T hands on messages after %d of a batch of %d: was it initialised for another learner?", l.shuffler, l.messages%l.batch, l.batch)
	}
	return g.Server.Receive(m)
}
