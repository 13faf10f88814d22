package random

import (
	"crypto/rand"
	"errors"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestSystem(t *testing.T) {
	s := new(System)
	const n = 100_000 // some 195 buffers
	var ones [64]int
	seen := make(map[uint64]bool, n)
	for range n {
		at := len(s.buf) - s.left
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
		new(System).Uint64()
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSystemFailsLoudly$")
	cmd.Env = append(os.Environ(), key+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no entropy today") {
		t.Errorf("without randomness: %v\n%s", err, out)
	}
}

// TestRecordedSystem: a recorded source gives its past first, then new words, and keeps them all.
func TestRecordedSystem(t *testing.T) {
	first := new(System).Record(nil)
	for range 1000 {
		first.Uint64()
	}
	past, _ := first.Words()
	if len(past) != 1000 {
		t.Fatalf("%d words are kept, want 1000", len(past))
	}
	second := new(System).Record(past)
	for i, want := range past {
		if got := second.Uint64(); got != want {
			t.Fatalf("word %d is %d, and was %d", i, got, want)
		}
	}
	if got, all := second.Words(); !all || !slices.Equal(got, past) {
		t.Error("the past is not kept")
	}
	if u, v := second.Uint64(), first.Uint64(); u == v { // a false alarm of 5e-20
		t.Errorf("two sources go on with the same word %d", u)
	}
	if got, _ := second.Words(); len(got) != 1001 || !slices.Equal(got[:1000], past) {
		t.Errorf("%d words are kept, want the past and the new one", len(got))
	}
	got, _ := second.Words()
	got[0]++ // a copy
	kept, _ := second.Words()
	if was, _ := first.Words(); kept[0] != past[0] || was[0] != past[0] {
		t.Error("a reader can change the words")
	}
	plain := new(System)
	plain.Uint64()
	if words, _ := plain.Words(); len(words) != 0 {
		t.Errorf("%d words of a source that records none", len(words))
	}
	second.Elsewhere()
	if _, all := second.Words(); all {
		t.Error("noise from elsewhere is not noted")
	}
}
