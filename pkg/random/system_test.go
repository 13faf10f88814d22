package random

import (
	"crypto/rand"
	"errors"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestSystem(t *testing.T) {
	s := NewSystem()
	const n = 100_000 // some 195 buffers
	var ones [64]int
	seen := make(map[uint64]bool, n)
	for range n {
		at := s.next
		u := s.Uint64()
		seen[u] = true
		for ; u != 0; u &= u - 1 {
			ones[bits.TrailingZeros64(u)]++
		}
		if at == len(s.buf) {
			at = 0
		}
		for i, b := range s.buf[:at+8] {
			if b != 0 {
				t.Fatalf("byte %d of the buffer is %d after its use, want 0", i, b)
			}
		}
	}
	if len(seen) != n { // a false alarm of 3e-10
		t.Errorf("%d different words of %d", len(seen), n)
	}
	for i, c := range ones { // a false alarm of 6e-8 for the 64 together: this test has no seed
		if e := (float64(c) - n/2) / math.Sqrt(n/4); math.Abs(e) > 6.1 {
			t.Errorf("bit %d is set in %d words of %d", i, c, n)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no entropy today") }

// TestSystemFailsLoudly runs itself with a system that has no randomness: the process has to die,
// even though it recovers from panics.
func TestSystemFailsLoudly(t *testing.T) {
	const key = "DPBANDITS_TEST_NO_ENTROPY"
	if os.Getenv(key) != "" {
		defer func() { _ = recover(); os.Exit(0) }()
		rand.Reader = failing{}
		NewSystem().Uint64()
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSystemFailsLoudly$")
	cmd.Env = append(os.Environ(), key+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no entropy today") {
		t.Errorf("without randomness: %v\n%s", err, out)
	}
}
