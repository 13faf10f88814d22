package matroid

import (
	"slices"
	"testing"
)

// TestRecorder: a recorded run plays what the run plays.
func TestRecorder(t *testing.T) {
	const rounds = 300
	r, err := recordTable2(rounds)
	if err != nil {
		t.Fatal(err)
	}
	name := Name(DPUCBForced, Epsilon)
	err = watch(Table2(), name, Policy(DPUCBForced, Matroid, Epsilon), rounds, 0, func(round int, arms []int) {
		if !slices.Equal(arms, r.records[round-1].arms) {
			t.Errorf("round %d: arms %v, recorded %v", round, arms, r.records[round-1].arms)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestViewersRefuse: one user cannot be told from another in no digits.
func TestViewersRefuse(t *testing.T) {
	if _, err := Viewers(1, 10, 0); err == nil {
		t.Error("one user is taken")
	}
}
