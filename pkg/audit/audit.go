// Package audit attacks mechanisms and learners that claim differential privacy, and reports lower
// bounds on their epsilon.
//
// An audit runs its subject many times in two worlds, on neighbouring inputs, looks for an event
// that is likely in one world and rare in the other, and says which epsilons the two rates exclude,
// and with what confidence. It can prove a claim false. It can never prove one true: that an audit
// excludes nothing may mean that the mechanism is private or that the attack is weak.
//
// What can be audited is an [Item]: a [Mechanism]; a release whose density is known ([Likelihood]);
// a whole bandit learner ([Learner]); a continual release ([Accumulator]); or anything that takes
// many records at once, in a single run ([Canaries]). [Family] and [Each] audit a list of them. A
// claim is a point (epsilon, delta) or, with an event, a curve ([CurveOf]), of which every point is
// tested. Logarithms are natural.
package audit

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// About is what is said of a subject, and by whom.
type About struct {
	Name  string
	Claim privacy.Budget // what the subject claims
	// Curve lists more points (epsilon, delta) that it claims, all at once; see CurveOf.
	Curve  []privacy.Budget
	Exact  float64 // the least epsilon at Claim.Delta that is true of it, by a formula; 0: not known
	Origin string  // where the subject is from: a paper, a bug's history; may be empty
}

// Item is one audit.
type Item interface {
	About() (About, error)
	// Run attacks the subject. It ends early, with the context's error and no finding, if that is
	// cancelled. A run that fails is an output as others are; a subject of which every run fails is
	// an error, which names the first.
	Run(ctx context.Context, o Options) (Finding, error)
}

// Options are those of an audit. The zero value is ready for use.
type Options struct {
	Confidence float64  // of a finding, in [0.5, 1); 0 means 0.99
	Runs       int      // overrides the number of runs of items that have one; 0: leaves it
	Seed       uint64   // of all streams; a run's streams are functions of the seed, the item's name, the world and the run's index
	Workers    int      // runs at a time, >= 0; 0 means runtime.GOMAXPROCS(0). Findings do not depend on it
	Progress   Progress // nil: silent
}

// complete validates the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	if o.Confidence == 0 {
		o.Confidence = 0.99
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case !(o.Confidence >= 0.5 && o.Confidence < 1):
		return o, fmt.Errorf("audit: Options.Confidence = %v, want in [0.5, 1), or 0 for 0.99", o.Confidence)
	case o.Workers < 0:
		return o, fmt.Errorf("audit: Options.Workers = %d, want >= 0", o.Workers)
	case o.Runs < 0:
		return o, fmt.Errorf("audit: Options.Runs = %d, want >= 0", o.Runs)
	}
	return o, nil
}

// runs returns the number of runs of an item: the options', its own, or the default.
func (o Options) runs(own, least, otherwise int) (int, error) {
	n := own
	if o.Runs > 0 {
		n = o.Runs
	}
	if n == 0 {
		n = otherwise
	}
	if n < least {
		return 0, fmt.Errorf("audit: Runs = %d, want >= %d", n, least)
	}
	return n, nil
}

// validate reports what is wrong with a subject's description.
func (a About) validate() error {
	if strings.TrimSpace(a.Name) == "" {
		return fmt.Errorf("audit: Name is empty, want a name: the streams of randomness depend on it")
	}
	if err := a.Claim.Validate(); err != nil {
		return fmt.Errorf("audit: %q: Claim: %w", a.Name, err)
	}
	if a.Claim.None() {
		return fmt.Errorf("audit: %q: Claim: epsilon = %v, want finite: what claims no privacy has nothing to audit", a.Name, a.Claim.Epsilon)
	}
	if math.IsNaN(a.Exact) || a.Exact < 0 {
		return fmt.Errorf("audit: %q: Exact = %v, want >= 0, or 0 where it is not known", a.Name, a.Exact)
	}
	for i, b := range a.Curve {
		if !(b.Epsilon >= 0) || math.IsInf(b.Epsilon, 1) || !(b.Delta >= 0 && b.Delta < 1) {
			return fmt.Errorf("audit: %q: Curve[%d] = (%v, %v), want a finite epsilon >= 0 and a delta in [0, 1)", a.Name, i, b.Epsilon, b.Delta)
		}
	}
	return nil
}

// Finding is what an audit found.
type Finding struct {
	About
	// Epsilon is the largest epsilon that the evidence excludes: at Claim.Delta, the subject is not
	// (e, Claim.Delta)-private for any e < Epsilon, unless an event of probability 1 - Confidence
	// has come about. 0 means that nothing is excluded.
	Epsilon float64
	// At is the point of the claim, or of its curve, that is contradicted most clearly, or comes
	// closest to it; Delta is the least delta at At.Epsilon that the evidence allows, with the same
	// confidence for all points at once.
	At         privacy.Budget
	Delta      float64
	Confidence float64
	Event      string  // the event tested, in words
	P, Q       float64 // its rates in the runs held out, in the world where it is likely and in the other; of canaries, the shares of right and wrong guesses
	Runs       int     // runs in each world, those that chose the event included; of canaries, their number
	Tested     int     // runs in each world that the event was tested on; of canaries, the guesses
	// Needed is how many Runs a verdict against the claim would take if the rates stay what they
	// were in the runs held out. It is +Inf if they are compatible with the claim, as those of a
	// mechanism that keeps it should be: then no number of runs of this event decides.
	Needed float64
	Unit   string // what Runs and Needed count
	// Failed is how many runs failed in each world, and Failure what was wrong with the first.
	Failed  [2]int
	Failure string
	Deltas  []DeltaBound // of a Likelihood, what it says of each point
}

// Excluded reports that the claim is false, with the finding's confidence.
func (f Finding) Excluded() bool { return f.Epsilon > f.Claim.Epsilon || f.Delta > f.At.Delta }

// Verdict is "excluded" or "not excluded", said of the claim. It is never more than that: see the
// package's description.
func (f Finding) Verdict() string {
	if f.Excluded() {
		return "excluded"
	}
	return "not excluded"
}

// String prints the finding as a short report, a fact a line.
func (f Finding) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "subject    %s\n", f.Name)
	fmt.Fprintf(&s, "claims     epsilon = %.4g, delta = %.4g: %s at %.6g%% confidence\n", f.Claim.Epsilon, f.Claim.Delta, f.Verdict(), 100*f.Confidence)
	fmt.Fprintf(&s, "audited    epsilon >= %.4g at that delta\n", f.Epsilon)
	if f.At != f.Claim && f.Delta > f.At.Delta {
		fmt.Fprintf(&s, "curve      delta >= %.4g at epsilon = %.4g, where %.4g is claimed\n", f.Delta, f.At.Epsilon, f.At.Delta)
	}
	if f.Exact > 0 {
		fmt.Fprintf(&s, "exact      epsilon = %.4g\n", f.Exact)
	}
	fmt.Fprintf(&s, "event      %s\n", f.Event)
	fmt.Fprintf(&s, "rates      p = %.4g, q = %.4g of %d tested\n", f.P, f.Q, f.Tested)
	fmt.Fprintf(&s, "effort     %d %s; ", f.Runs, f.Unit)
	if math.IsInf(f.Needed, 1) {
		s.WriteString("these rates do not contradict the claim at any number\n")
	} else {
		fmt.Fprintf(&s, "at these rates %.3g decide against the claim\n", f.Needed)
	}
	if f.Failure != "" {
		fmt.Fprintf(&s, "failed     %d and %d runs in the two worlds, the first with: %s\n", f.Failed[0], f.Failed[1], f.Failure)
	}
	if f.Origin != "" {
		fmt.Fprintf(&s, "origin     %s\n", f.Origin)
	}
	return s.String()
}
