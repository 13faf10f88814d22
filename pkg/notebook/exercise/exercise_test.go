package exercise_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/notebook/exercise"
)

var set = exercise.Set{"half": {
	Hint: "divide by 2, as one does with a number of which half is wanted, and neither by more nor by less than that",
	Check: exercise.Of(func(f func(float64) float64) error {
		check.OK(exercise.Near("half of 3", f(3), 1.5, 1e-9))
		return exercise.Near("half of 0", f(0), 0, 1e-9)
	}),
}}

func ExampleSet_Check() {
	set.Check("half", func(x float64) float64 { return x })
	set.Check("half", func(x float64) float64 { return x / 2 })
	// Output:
	// half: not yet: half of 3 is 1.5, and you have 3. Hint: divide by 2, as one does with a number
	// of which half is wanted, and neither by more nor by less than that
	// half: right
}

// An answer that is wrong, of another type, or not a number gets an error with the hint; a name
// that nobody knows gets one without.
func TestAnswer(t *testing.T) {
	for what, f := range map[string]any{
		"the wrong function": func(x float64) float64 { return x }, "another type": func(x int) int { return x / 2 }, "nothing": nil,
		"NaN":              func(float64) float64 { return math.NaN() },
		"right for 3 only": func(x float64) float64 { return 1.5 },
	} {
		if err := set.Answer("half", f); err == nil || !strings.HasSuffix(err.Error(), set["half"].Hint) {
			t.Errorf("%s: %v, want an error with the hint", what, err)
		}
	}
	if err := set.Answer("half", func(x float64) float64 { return x / 2 }); err != nil {
		t.Error(err)
	}
	if err := set.Answer("third", func(x float64) float64 { return x / 3 }); err == nil {
		t.Error("an exercise that nobody knows is solved")
	}
}
