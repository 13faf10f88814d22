package cell

import (
	"path/filepath"
	"testing"
)

func TestScale(t *testing.T) {
	for text, want := range map[string]Scale{"": Lecture, "smoke": Smoke, "lecture": Lecture, "paper": Paper} {
		if s, err := parseScale(text); err != nil || s != want {
			t.Errorf("%q: %v, error %v, want %v", text, s, err, want)
		}
	}
	if s, err := parseScale("huge"); err == nil {
		t.Errorf("huge: %v, want an error", s)
	}
	for s, want := range map[Scale]int{Smoke: 1, Lecture: 2, Paper: 3} {
		if got := Pick(s, 1, 2, 3); got != want {
			t.Errorf("%v: %d, want %d", s, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{7: "7", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestCache(t *testing.T) {
	t.Setenv("DPBANDITS_ROOT", "/r")
	t.Setenv("DPBANDITS_BATCH", "")
	if got, want := Cache(), filepath.Join("/r", "build", "cache"); got != want {
		t.Errorf("Cache() = %q, want %q", got, want)
	}
	t.Setenv("DPBANDITS_BATCH", "1")
	if got := Cache(); got != "" {
		t.Errorf("Cache() = %q when make runs the notebook, want none", got)
	}
}
