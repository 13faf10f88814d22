// Package runtest opens environments and runs learners for tests that play by hand.
package runtest

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Running is a run in a test: an error of it fails the test.
type Running struct {
	bandit.Run
	Ready bandit.Calibrated // what the run is of
	t     testing.TB
}

// Run opens a learner for a problem and starts a run. An error fails the test.
func Run(t testing.TB, l bandit.Learner, p bandit.Problem, horizon int, own *rand.Rand, noise rand.Source) *Running {
	t.Helper()
	ready, err := l.Open(p, horizon)
	if err != nil {
		t.Fatalf("Open(%+v, %d): %v", p, horizon, err)
	}
	return &Running{ready.Start(own, noise), ready, t}
}

// Select appends the arms that the run chooses to dst.
func (r *Running) Select(v *bandit.View, dst []int) []int {
	r.t.Helper()
	dst, err := r.Run.Select(v, dst)
	if err != nil {
		r.t.Fatalf("round %d: Select: %v", v.Round, err)
	}
	return dst
}

// Update gives the run the rewards of the arms played.
func (r *Running) Update(v *bandit.View, arms []int, y []float64) {
	r.t.Helper()
	if err := r.Run.Update(v, arms, y); err != nil {
		r.t.Fatalf("round %d: Update: %v", v.Round, err)
	}
}

// WarmUp gives the run its round 0.
func (r *Running) WarmUp(y []float64) {
	r.t.Helper()
	w, ok := r.Run.(bandit.Warmed)
	if !ok {
		r.t.Fatalf("a %T takes in no round 0", r.Run)
	}
	if err := w.WarmUp(y); err != nil {
		r.t.Fatalf("WarmUp: %v", err)
	}
}

// Warnings returns what the run has to warn of.
func (r *Running) Warnings() []bandit.Warning { return bandit.Warnings(r.Run) }

// Open opens an environment. It ends the test if that fails.
func Open(t fataler, env bandit.Environment) bandit.World {
	t.Helper()
	world, err := bandit.OpenWorld(env)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return world
}

// fataler is the part of testing.TB that Open needs, which a *rapid.T has, too.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}
