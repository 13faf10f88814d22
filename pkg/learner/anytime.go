package learner

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
)

// Anytime makes a server that needs the horizon into one that does not, by doubling (LDP, Algorithm
// 9). Block m = 0, 1, ... consists of messages 2^m to 2^(m+1)-1 and is played by a new server made
// for 2^m rounds. What earlier blocks have learnt is forgotten. The devices stay the same, so the
// privacy is that of one message.
//
// For Algorithm 9, Block returns an OnlineServer with DeltaSquared = PublishedDelta(lambdaMin,
// rounds, k).
//
// If the regret of a server that knows the horizon grows as t^a, doubling costs a factor of at most
// 1/(1 - 2^-a).
type Anytime struct {
	// Block makes the server of a block of that many rounds. All servers have to fit the same devices.
	Block func(rounds int) Server

	problem bandit.Problem
	servers []Server // by block; they are kept from trial to trial
	own     *rand.Rand
	count   int
}

var _ Server = (*Anytime)(nil)

// Init validates and makes the servers of all blocks up to the horizon, so that a round does not
// allocate. More rounds than the horizon are not an error.
func (a *Anytime) Init(p bandit.Problem, horizon int) error {
	if a.Block == nil {
		return fmt.Errorf("learner: Anytime.Block is nil")
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	a.problem, a.servers = p, nil
	for range bits.Len(uint(horizon)) {
		if err := a.grow(); err != nil {
			return err
		}
	}
	return nil
}

// grow makes the next block's server.
func (a *Anytime) grow() error {
	rounds := 1 << len(a.servers)
	s := a.Block(rounds)
	if err := field.Check(fmt.Sprintf("learner: Anytime.Block(%d)", rounds), s); err != nil {
		return err
	}
	if err := s.Init(a.problem, rounds); err != nil {
		return err
	}
	a.servers = append(a.servers, s)
	return nil
}

// Reset starts again with block 0.
func (a *Anytime) Reset(own *rand.Rand) {
	a.own, a.count = own, 0
	a.servers[0].Reset(own)
}

// block returns the number of the next message's block: the binary length of the message's number,
// less 1.
func (a *Anytime) block() int { return bits.Len(uint(a.count+1)) - 1 }

// Receive hands the message to its block's server.
func (a *Anytime) Receive(m Message) error {
	now := a.block()
	if next := bits.Len(uint(a.count+2)) - 1; next == len(a.servers) {
		if err := a.grow(); err != nil {
			return err
		}
	}
	if err := a.servers[now].Receive(m); err != nil {
		return err
	}
	a.count++
	if next := a.block(); next > now {
		a.servers[next].Reset(a.own)
	}
	return nil
}

// Broadcast returns the broadcast of the current block's server.
func (a *Anytime) Broadcast() []float64 { return a.servers[a.block()].Broadcast() }

// Server returns the current block's server and the block's number.
func (a *Anytime) Server() (Server, int) { return a.servers[a.block()], a.block() }

// Warnings returns the warnings of this trial's blocks, with equal ones added up.
func (a *Anytime) Warnings() []bandit.Warning {
	var all []bandit.Warning
	for _, s := range a.servers[:a.block()+1] {
		if s, ok := s.(interface{ Warnings() []bandit.Warning }); ok {
			all = addWarnings(all, s.Warnings())
		}
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
