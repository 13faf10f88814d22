package detect

import "fmt"

// Samples holds the outputs of all runs in one world, Width numbers a run.
type Samples struct {
	Width int
	Flat  []float64
	// Failures says that the last number of a run is 1 if it failed and 0 if not. The number is there
	// only if a run of either world failed.
	Failures bool
}

// Len returns the number of runs.
func (s Samples) Len() int { return len(s.Flat) / s.Width }

// Row returns the outputs of a run.
func (s Samples) Row(i int) []float64 { return s.Flat[i*s.Width : (i+1)*s.Width] }

// Slice returns the runs from, ..., to-1.
func (s Samples) Slice(from, to int) Samples {
	return Samples{s.Width, s.Flat[from*s.Width : to*s.Width], s.Failures}
}

// name describes an output.
func (s Samples) name(i int) string {
	if s.Failures && i == s.Width-1 {
		return "failed"
	}
	return fmt.Sprintf("out[%d]", i)
}
