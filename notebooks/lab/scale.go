// Package lab holds what the notebooks of all papers share: how large a run is, a run that can be
// resumed, the committed tables, and what a cell calls. It knows no paper, so that a cell that
// imports it is linked fast.
package lab

import (
	"fmt"
	"os"
)

// Scale sets horizons and trials everywhere.
type Scale string

// The scales: a notebook takes less than a minute at Smoke, less than five at Lecture; Paper is the paper's own.
const (
	Smoke   Scale = "smoke"
	Lecture Scale = "lecture"
	Paper   Scale = "paper"
)

// ParseScale reads a scale; the empty string is Lecture.
func ParseScale(s string) (Scale, error) {
	switch Scale(s) {
	case Smoke, Lecture, Paper:
		return Scale(s), nil
	case "":
		return Lecture, nil
	}
	return "", fmt.Errorf("lab: SCALE = %q, want smoke, lecture or paper", s)
}

// ScaleFromEnv reads the scale from the environment variable SCALE.
func ScaleFromEnv() (Scale, error) { return ParseScale(os.Getenv("SCALE")) }

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
