package exercise_test

import (
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
)

var set = exercise.Set{"half": exercise.Of(func(f func(float64) float64) error {
	check.OK(exercise.Near("half of 3, a number that is odd, and of which half is therefore not a whole number,", f(3), 1.5, 1e-9))
	return exercise.Near("half of 0", f(0), 0, 1e-9)
})}

func ExampleSet_Check() {
	set.Check("half", func(x float64) float64 { return x })
	set.Check("half", func(x float64) float64 { return x / 2 })
	// Output:
	// half: not yet: half of 3, a number that is odd, and of which half is therefore not a whole
	// number, is 1.5, and you have 3
	// half: right
}

// Where marks are given, what is wrong goes to the standard error.
func TestMarks(t *testing.T) {
	t.Setenv("DPBANDITS_MARKS", "1")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = write
	set.Check("half", func(x float64) float64 { return x })
	set.Check("half", func(x float64) float64 { return x / 2 })
	os.Stderr = before
	write.Close()
	got, err := io.ReadAll(read)
	if err != nil || !strings.HasPrefix(string(got), "half: not yet: ") || strings.Contains(string(got), "right") {
		t.Errorf("%q, error %v, want the wrong answer alone", got, err)
	}
}

// An answer that is wrong, of another type, or not a number gets an error, and so does a name that
// nobody knows.
func TestAnswer(t *testing.T) {
	for what, f := range map[string]any{
		"the wrong function": func(x float64) float64 { return x }, "another type": func(x int) int { return x / 2 }, "nothing": nil,
		"NaN":              func(float64) float64 { return math.NaN() },
		"right for 3 only": func(x float64) float64 { return 1.5 },
	} {
		if err := set.Answer("half", f); err == nil {
			t.Errorf("%s passes", what)
		}
	}
	if err := set.Answer("half", func(x float64) float64 { return x / 2 }); err != nil {
		t.Error(err)
	}
	if err := set.Answer("third", func(x float64) float64 { return x / 3 }); err == nil {
		t.Error("an exercise that nobody knows is solved")
	}
}
