package cell

import "testing"

func TestScale(t *testing.T) {
	for text, want := range map[string]Scale{"": Lecture, "smoke": Smoke, "lecture": Lecture, "paper": Paper} {
		if s, err := ParseScale(text); err != nil || s != want {
			t.Errorf("%q: %v, error %v, want %v", text, s, err, want)
		}
	}
	if s, err := ParseScale("huge"); err == nil {
		t.Errorf("huge: %v, want an error", s)
	}
	for s, want := range map[Scale]int{Smoke: 1, Lecture: 2, Paper: 3} {
		if got := Pick(s, 1, 2, 3); got != want {
			t.Errorf("%v: %d, want %d", s, got, want)
		}
	}
}
