// Package random turns one seed into named independent streams and draws what gonum does not:
// points on a sphere, truncated Beta variables, Wishart matrices by Bartlett's decomposition.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Source returns the stream of a name in a trial of a seed: a PCG whose 128-bit state is the
// SHA-256 hash of the three, so that different names, trials or seeds give unrelated streams.
func Source(seed uint64, trial int, name string) *rand.PCG {
	buf := make([]byte, 16, 16+len(name))
	binary.LittleEndian.PutUint64(buf[0:], seed)
	binary.LittleEndian.PutUint64(buf[8:], uint64(trial))
	sum := sha256.Sum256(append(buf, name...))
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[0:]), binary.LittleEndian.Uint64(sum[8:]))
}

// New returns Source wrapped in a generator.
func New(seed uint64, trial int, name string) *rand.Rand { return rand.New(Source(seed, trial, name)) }
