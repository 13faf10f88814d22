package random

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
)

// System is a rand.Source over the operating system's randomness (crypto/rand), for noise that has
// to protect people. The zero value is ready for use, one for each goroutine.
//
// It reads 4 KiB at a time, and overwrites a word in its buffer when it returns it. If the system
// cannot give randomness, the program ends with a fatal error that nothing can recover from.
type System struct {
	buf    [4096]byte
	left   int      // bytes at the end of buf that were not given
	past   []uint64 // given before new ones
	record bool
	words  []uint64 // all that were given, if they are recorded
	others bool     // a run draws from elsewhere, too
}

// Record has the source give the words of the past first, then new ones, and keep them all: for a
// run that is saved and goes on (package snapshot). What it keeps is as secret as the data that the
// noise is to hide. It returns the source, of which no word has been drawn yet.
func (s *System) Record(past []uint64) *System {
	s.past, s.record = past, true
	return s
}

// Elsewhere notes that a run which was handed the source draws noise from elsewhere, as a program
// of its own does: the words are then not all that the run is made of.
func (s *System) Elsewhere() { s.others = true }

// Words returns a copy of all words that a source has given since Record, and whether they are all
// of the run's randomness.
func (s *System) Words() (words []uint64, all bool) { return slices.Clone(s.words), !s.others }

// Uint64 returns a word of randomness.
func (s *System) Uint64() uint64 {
	if !s.record {
		return s.fresh()
	}
	var u uint64
	if n := len(s.words); n < len(s.past) {
		u = s.past[n]
	} else {
		u = s.fresh()
	}
	s.words = append(s.words, u)
	return u
}

// fresh returns a word of the operating system's.
func (s *System) fresh() uint64 {
	if s.left == 0 {
		rand.Read(s.buf[:]) // never returns an error: it ends the program instead
		s.left = len(s.buf)
	}
	word := s.buf[len(s.buf)-s.left:][:8]
	u := binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, 0)
	s.left -= 8
	return u
}
