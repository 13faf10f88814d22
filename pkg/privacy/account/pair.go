package account

import "github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"

// Pair is a pair (P, Q) of output distributions that dominates an event; see LossEvent. Only a
// constructor makes a valid one, and so do the methods Pair of events.
type Pair = loss.Pair

// NewDiscretePair returns the pair of two distributions on one finite set, P(i) = p[i] and Q(i) =
// q[i], in either order: its curve is the larger one of those of (P, Q) and (Q, P). Masses must sum
// to 1, to 1e-9. What P lacks counts as an infinite loss, and Q's excess is taken from it.
func NewDiscretePair(p, q []float64) (Pair, error) { return loss.Discrete(p, q) }
