package local

import (
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// Anytime makes a server that needs the horizon into one that does not, by doubling (LDP, Algorithm
// 9). Block m = 0, 1, ... consists of messages 2^m to 2^(m+1)-1 and is played by a new server
// opened for 2^m rounds. What earlier blocks have learnt is forgotten. The devices stay the same,
// so the privacy is that of one message.
//
// For Algorithm 9, Server is an OnlineServer with its DeltaPower.
//
// If the regret of a server that knows the horizon grows as t^a, doubling costs a factor of at most
// 1/(1 - 2^-a).
type Anytime struct {
	Server learner.Server // of each block
}

// anytimeServer is an Anytime for a problem.
type anytimeServer struct {
	of      Anytime
	problem bandit.Problem
	blocks  []learner.CalibratedServer
}

// anytimeReceiver is an [Anytime] in one trial.
type anytimeReceiver struct {
	*anytimeServer
	receivers []learner.Receiver // by block
	own       *rand.Rand
	count     int
}

var _ learner.Server = Anytime{}

// Open validates, and opens the server for all blocks up to the horizon. More rounds than that are
// no error.
func (a Anytime) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := field.Check("learner: Anytime.Server", a.Server); err != nil {
		return nil, err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	ready := &anytimeServer{of: a, problem: p}
	for m := range bits.Len(uint(horizon)) {
		s, err := ready.open(m)
		if err != nil {
			return nil, err
		}
		ready.blocks = append(ready.blocks, s)
	}
	return ready, nil
}

// open opens the server for a block.
func (a *anytimeServer) open(block int) (learner.CalibratedServer, error) {
	s, err := a.of.Server.Open(a.problem, 1<<block)
	if err != nil {
		return nil, err
	}
	return s, checks.Opened("Anytime.Server", a.of.Server, s)
}

// Start begins a run. It starts all blocks up to the horizon, so that a
// round does not allocate.
func (a *anytimeServer) Start(own *rand.Rand) learner.Receiver {
	r := &anytimeReceiver{anytimeServer: a, own: own}
	for _, s := range a.blocks {
		r.receivers = append(r.receivers, s.Start(own))
	}
	return r
}

// block returns the number of the next message's block: the binary length of the message's number,
// less 1.
func (a *anytimeReceiver) block() int { return bits.Len(uint(a.count+1)) - 1 }

// Receive hands the message to its block's server.
func (a *anytimeReceiver) Receive(m learner.Message) error {
	if next := bits.Len(uint(a.count+2)) - 1; next == len(a.receivers) { // beyond the horizon
		s, err := a.open(next)
		if err != nil {
			return err
		}
		a.receivers = append(a.receivers, s.Start(a.own))
	}
	if err := a.receivers[a.block()].Receive(m); err != nil {
		return err
	}
	a.count++
	return nil
}

// Broadcast returns the broadcast of the current block's server.
func (a *anytimeReceiver) Broadcast() []float64 { return a.receivers[a.block()].Broadcast() }

// Server returns the current block's server and the block's number.
func (a *anytimeReceiver) Server() (learner.Receiver, int) { return a.receivers[a.block()], a.block() }

// Warnings returns the warnings of this trial's blocks, with equal ones added up.
func (a *anytimeReceiver) Warnings() []bandit.Warning {
	var all []bandit.Warning
	for _, s := range a.receivers[:a.block()+1] {
		all = addWarnings(all, bandit.Warnings(s))
	}
	return all
}

// addWarnings appends warnings to all, and adds the counts of those that are there already.
func addWarnings(all, more []bandit.Warning) []bandit.Warning {
next:
	for _, w := range more {
		for i := range all {
			if all[i].What == w.What {
				all[i].Count += w.Count
				continue next
			}
		}
		all = append(all, w)
	}
	return all
}
