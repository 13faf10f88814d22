// Package cell holds what nearly every cell of a notebook needs: how large a run is, and what to do
// with an error. It does not import package charts, so that a cell without a figure links in half
// the time.
package cell

import (
	"fmt"
	"os"
	"strings"
)

// Scale sets horizons and trials everywhere.
type Scale string

// The scales: a notebook takes less than a minute at Smoke, less than five at Lecture; Paper is the
// paper's own.
const (
	Smoke   Scale = "smoke"
	Lecture Scale = "lecture"
	Paper   Scale = "paper"
)

// parseScale reads a scale; the empty string is Lecture.
func parseScale(s string) (Scale, error) {
	switch Scale(s) {
	case Smoke, Lecture, Paper:
		return Scale(s), nil
	case "":
		return Lecture, nil
	}
	return "", fmt.Errorf("cell: SCALE = %q, want smoke, lecture or paper", s)
}

// Pick returns the value for a scale.
func Pick[T any](s Scale, smoke, lecture, paper T) T {
	switch s {
	case Smoke:
		return smoke
	case Paper:
		return paper
	}
	return lecture
}

// MustScale returns the scale that the environment variable SCALE asks for.
func MustScale() Scale { return Try(parseScale(os.Getenv("SCALE"))) }

// Size returns the number for the scale that SCALE asks for. At Paper it is that of Lecture: a
// notebook is never larger than that, and reads the paper's own runs from their tables.
func Size[T any](smoke, lecture T) T { return Pick(MustScale(), smoke, lecture, lecture) }

// Here is a figure's scale line for numbers that the cell itself computed.
func Here(s Scale) string { return fmt.Sprintf("this cell, %s scale", s) }

// Must prints an error and exits with status 1, which fails the notebook's run, unless it is nil. A
// cell is a program of its own.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Try returns a value. It exits as Must does if there is an error beside it.
func Try[V any](v V, err error) V {
	Must(err)
	return v
}

// Thousands writes a number with commas.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Epsilon writes a privacy parameter as fmt does, and ∞ where nothing is private.
func Epsilon(epsilon float64) string {
	return strings.Replace(fmt.Sprint(epsilon), "+Inf", "∞", 1)
}
