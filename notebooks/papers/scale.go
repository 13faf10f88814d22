// Package papers holds the experiments of the papers, one file a paper: functions that the notebooks and
// `make reproduce` both call.
package papers

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
	return "", fmt.Errorf("papers: SCALE = %q, want smoke, lecture or paper", s)
}

// ScaleFromEnv reads the scale from the environment variable SCALE.
func ScaleFromEnv() (Scale, error) { return ParseScale(os.Getenv("SCALE")) }

// pick returns the value of the scale.
func pick[T any](s Scale, smoke, lecture, paper T) T {
	switch s {
	case Smoke:
		return smoke
	case Paper:
		return paper
	}
	return lecture
}
