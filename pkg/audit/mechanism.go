package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Mechanism is the audit of anything that can be run on two neighbouring inputs:
//
//	finding, err := audit.Mechanism{
//		Name: "my Laplace", Claim: privacy.Budget{Epsilon: 1}, Outputs: 1,
//		Release: func(world int, source rand.Source, out []float64) error {
//			privacy.NewNoise(source).Laplace(out, 1)
//			out[0] += float64(world) // the neighbouring inputs: 0 and 1
//			return nil
//		},
//	}.Run(ctx, audit.Options{})
//
// One half of the runs chooses an event. The other half, held out, tests it once, so that choosing
// among many events costs nothing. Finding describes the result.
//
// Candidate events are thresholds on: each output and its distance from the mean; the largest
// output, in standard deviations; the log-likelihood ratio of each output, estimated from counts,
// their sum, and the largest of them, a union of events; linear discriminants. Each is tried in
// both directions and with the worlds in both roles. Add an attack that the candidates cannot
// express to Release, as post-processing of the release.
type Mechanism struct {
	Name   string
	Claim  privacy.Budget   // no default
	Curve  []privacy.Budget // see About
	Exact  float64          // see About
	Origin string           // see About
	AtMost float64          // see About

	Outputs int // numbers that a run sets, >= 1; 0 means 1. Code a discrete outcome as a number
	Runs    int // in each world, >= MinRuns; 0 means 20,000
	// Release runs the mechanism once, in world 0 or 1, and sets all of out to finite numbers. It is
	// called from several goroutines. It draws all its randomness from source, which it may not keep.
	// An error counts as an output, together with what was set before it.
	Release func(world int, source rand.Source, out []float64) error
}

// MinRuns is the least number of runs in each world.
const MinRuns = 40

// defaultRuns is the number of runs in each world that 0 stands for.
const defaultRuns = 20000

var _ Item = Mechanism{}

// About returns the mechanism's description.
func (m Mechanism) About() (About, error) {
	a := About{m.Name, m.Claim, m.Curve, m.Exact, m.Origin, m.AtMost}
	return a, a.validate()
}

// Run audits the mechanism.
func (m Mechanism) Run(ctx context.Context, o Options) (Finding, error) {
	about, err := m.About()
	if err != nil {
		return Finding{}, err
	}
	switch {
	case m.Release == nil:
		return Finding{}, fmt.Errorf("audit: %q: %w", m.Name, errors.New("field Release is nil"))
	case m.Outputs < 0:
		return Finding{}, fmt.Errorf("audit: %q: field Outputs = %d, want >= 1, or 0 for 1", m.Name, m.Outputs)
	}
	if o, err = o.complete(); err != nil {
		return Finding{}, err
	}
	runs, err := o.runs(m.Runs, MinRuns, defaultRuns)
	if err != nil {
		return Finding{}, fmt.Errorf("%w (%q)", err, m.Name)
	}
	return collection{
		name: m.Name, runs: runs, width: max(1, m.Outputs), block: 256, workers: o.Workers, seed: o.Seed, sink: o.Progress,
		start: func() (runner, error) {
			return func(world, _ int, source rand.Source, out []float64) error { return m.Release(world, source, out) }, nil
		},
	}.attack(ctx, about, o)
}
