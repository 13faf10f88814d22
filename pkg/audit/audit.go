// Package audit attacks mechanisms and learners that claim differential privacy, and reports lower
// bounds on their epsilon. Logarithms are natural.
//
// An audit runs its subject many times in two worlds, on neighbouring inputs. It looks for an event
// that is likely in one world and rare in the other, and reports which epsilons the two rates
// exclude, and with what confidence. It can prove a claim false, but never true: if it excludes
// nothing, the subject may be private or the attack weak.
//
// What can be audited, each an [Item]:
//
//   - [Mechanism]: anything that can be run on two neighbouring inputs.
//   - [Likelihood]: a release whose density is known, in far fewer runs.
//   - [Learner]: a whole bandit learner, on two neighbouring streams.
//   - [Accumulator]: a continual release of sums.
//   - [Canaries]: anything that takes many records at once, in a single run.
//
// How to audit:
//
//   - [Options] sets confidence, runs and seed; [Finding] is the result.
//   - [Family] and [Each] audit a list of items and return a [Report].
//   - [CurveOf] and [Claimed] turn a claim into points (epsilon, delta), which are all tested.
//   - [Search] finds streams for a Learner; [AdditiveDensity] and [GaussianDensity] help a
//     Likelihood.
//   - [Blank] shows the noise of an accumulator alone, and measures it.
//   - [Options.Progress] hears how far an audit is.
//
// Read [Mechanism] first, then [Finding].
package audit

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// About describes a subject: its name, what it claims, and what is known of it.
type About struct {
	Name  string
	Claim privacy.Budget // the point that the subject claims
	// Curve lists further points (epsilon, delta) that the subject claims, all at once; see CurveOf.
	Curve  []privacy.Budget
	Exact  float64 // true least epsilon at Claim.Delta, by a formula; 0 means not known
	Origin string  // where the subject is from: a paper, a bug's history; may be empty
	// AtMost bounds the epsilon at Claim.Delta that any attack on these two worlds, which sees what
	// this one sees, can exclude; 0 means that none is known. See Likelihood.
	AtMost float64
}

// Item is one audit.
type Item interface {
	About() (About, error)
	// Run attacks the subject. If the context is cancelled, it ends early with the context's error and
	// no finding. A failed run counts as an output. If every run fails, Run returns an error that
	// names the first failure.
	Run(ctx context.Context, o Options) (Finding, error)
}

// Options are the options of an audit. The zero value is ready for use.
type Options struct {
	Confidence float64 // confidence of a finding, in [0.5, 1); 0 means 0.99
	Runs       int     // overrides the number of runs of items that have one; 0 keeps it
	// Seed seeds all streams. A run's streams are functions of the seed, the item's name, the world
	// and the run's index.
	Seed uint64
	// Workers is the number of runs at a time, >= 0; 0 means runtime.GOMAXPROCS(0). Findings do not
	// depend on it.
	Workers int
	// Progress is told how far an audit is: at its start, a few times a second, and at its end, when
	// Finished is set. Calls never overlap. nil means silent.
	Progress func(Status)
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

// runs returns the number of runs of an item: that of the options, its own, or the default.
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

// validate returns an error if the description is invalid.
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
	if math.IsNaN(a.AtMost) || a.AtMost < 0 {
		return fmt.Errorf("audit: %q: AtMost = %v, want >= 0, or 0 where none is known", a.Name, a.AtMost)
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

// Finding is the result of an audit.
type Finding struct {
	About
	// Epsilon is the largest epsilon that the evidence excludes. Except with probability 1 -
	// Confidence, the subject is not (e, Claim.Delta)-private for any e < Epsilon. 0 means that
	// nothing is excluded.
	Epsilon float64
	// At is the point of the claim, or of its curve, that is contradicted most clearly, or comes
	// closest to it. Delta is the least delta at At.Epsilon that the evidence allows, with the same
	// confidence for all points at once.
	At         privacy.Budget
	Delta      float64
	Confidence float64
	Event      string // the event tested, in words
	// P and Q are the event's rates in the runs held out, in the world where it is likely and in the
	// other. For canaries they are the shares of right and wrong guesses.
	P, Q float64
	// Runs is the number of runs in each world, including those that chose the event. For canaries it
	// is their number.
	Runs   int
	Tested int // runs in each world that the event was tested on; of canaries, the guesses
	// Needed is the number of Runs that would exclude the claim if the rates stayed as in the runs
	// held out. It is +Inf if these rates are compatible with the claim, as they should be if the
	// claim is true: then no number of runs of this event decides.
	Needed float64
	Unit   string // what Runs and Needed count
	// Failed is the number of failed runs in each world, and Failure the error of the first.
	Failed  [2]int
	Failure string
	Deltas  []DeltaBound // of a Likelihood, the bound at each point
	// Mu is the largest mu that Canaries exclude, where ClaimedMu, their Mu, is above 0: except with
	// probability 1 - Confidence the subject is not mu-GDP for any mu < Mu.
	Mu, ClaimedMu float64
	// Grid says to what outputs were rounded. A finding on rounded outputs is about the mechanism, and
	// not about the low bits of its numbers.
	Grid string
	// LowBits is an epsilon that all bits of the outputs exclude, with the same confidence, where the
	// rounded outputs do not exclude the claim; else 0. LowBitsEvent is the event.
	LowBits      float64
	LowBitsEvent string
}

// Excluded reports whether the claim is false, with the finding's confidence.
func (f Finding) Excluded() bool {
	return f.Epsilon > f.Claim.Epsilon || f.Delta > f.At.Delta || f.Mu > f.ClaimedMu
}

// FloatingPointLeaks reports whether the low bits of the outputs exclude the claim, and the outputs
// on the grid do not. Then it is not the mechanism that is wrong: its noise in float64 lacks values
// that noise in real numbers has (Mironov, "On significance of the least significant bits for
// differential privacy", 2012).
func (f Finding) FloatingPointLeaks() bool { return f.LowBits > 0 && !f.Excluded() }

// Verdict returns "excluded", "not excluded" or "floating point leaks", of the claim. It is never
// more than that: see the package's description.
func (f Finding) Verdict() string {
	switch {
	case f.Excluded():
		return "excluded"
	case f.FloatingPointLeaks():
		return "floating point leaks"
	}
	return "not excluded"
}

// String returns the finding as a short report, one fact a line.
func (f Finding) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "subject    %s\n", f.Name)
	fmt.Fprintf(&s, "claims     epsilon = %.4g, delta = %.4g: %s at %.6g%% confidence\n", f.Claim.Epsilon, f.Claim.Delta, f.Verdict(), 100*f.Confidence)
	fmt.Fprintf(&s, "audited    epsilon >= %.4g at that delta\n", f.Epsilon)
	if f.At != f.Claim && f.Delta > f.At.Delta {
		fmt.Fprintf(&s, "curve      delta >= %.4g at epsilon = %.4g, where %.4g is claimed\n", f.Delta, f.At.Epsilon, f.At.Delta)
	}
	if f.ClaimedMu > 0 {
		fmt.Fprintf(&s, "curve      mu >= %.4g of Gaussian differential privacy, where %.4g is claimed\n", f.Mu, f.ClaimedMu)
	}
	if f.Exact > 0 {
		fmt.Fprintf(&s, "exact      epsilon = %.4g\n", f.Exact)
	}
	if f.FloatingPointLeaks() {
		fmt.Fprintf(&s, "low bits   epsilon >= %.4g: %s\n", f.LowBits, f.LowBitsEvent)
		s.WriteString("           The claim may be true of real numbers; of these float64 numbers it is false.\n")
	}
	if f.AtMost > 0 {
		fmt.Fprintf(&s, "at most    epsilon = %.4g is there to be seen\n", f.AtMost)
	}
	fmt.Fprintf(&s, "event      %s\n", f.Event)
	if f.Grid != "" {
		fmt.Fprintf(&s, "grid       %s\n", f.Grid)
	}
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

// ClopperPearson returns the exact interval of a probability whose event was seen in k of n
// independent runs. It fails to hold it with probability at most alpha.
func ClopperPearson(k, n, alpha float64) (low, high float64) {
	return bound.Lower(k, n, alpha/2), bound.Upper(k, n, alpha/2)
}
