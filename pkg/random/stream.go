// Package random makes named independent random streams from one seed, and draws what gonum does
// not.
//
//   - [Source] and [New] return the stream of a name.
//   - [System] reads the operating system's randomness.
//   - [Normals] and [Normal] draw the same numbers on every machine.
//   - [Sphere] and [Rademacher] draw directions and signs.
//   - [Wishart] draws matrices by Bartlett's decomposition.
//   - [DiscreteGaussian] and [DiscreteLaplace] are exact samplers, in integers only.
//   - [Binomial] draws from a table, within a stated error.
//
// Read [Source] first, and [System] for noise that is to protect people.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Source returns the stream of a name, in a trial of a seed. It is a PCG whose 128-bit state is
// from the SHA-256 hash of the three, so that different names, trials or seeds give unrelated
// streams.
func Source(seed uint64, trial int, name string) *rand.PCG {
	buf := make([]byte, 16, 16+len(name))
	binary.LittleEndian.PutUint64(buf[0:], seed)
	binary.LittleEndian.PutUint64(buf[8:], uint64(trial))
	sum := sha256.Sum256(append(buf, name...))
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[0:]), binary.LittleEndian.Uint64(sum[8:]))
}

// New returns a generator over the stream of Source.
func New(seed uint64, trial int, name string) *rand.Rand { return rand.New(Source(seed, trial, name)) }
