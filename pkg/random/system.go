package random

import (
	"crypto/rand"
	"encoding/binary"
)

// System is a rand.Source over the operating system's randomness (crypto/rand), for noise that has
// to protect people. Make it with NewSystem, one for each goroutine.
//
// It reads 4 KiB at a time, and overwrites a word in its buffer when it returns it. If the system
// cannot give randomness, the program ends with a fatal error that nothing can recover from. The
// buffer is never part of a saved state (package snapshot).
type System struct {
	buf  [4096]byte `snapshot:"keep"`
	next int        `snapshot:"keep"`
}

// NewSystem returns a source with an empty buffer.
func NewSystem() *System { return &System{next: len(System{}.buf)} }

// Uint64 returns a word of randomness.
func (s *System) Uint64() uint64 {
	if s.next == len(s.buf) {
		rand.Read(s.buf[:]) // never returns an error: it ends the program instead
		s.next = 0
	}
	word := s.buf[s.next : s.next+8]
	u := binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, 0)
	s.next += 8
	return u
}
