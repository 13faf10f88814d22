package tally

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Additive releases the answer of a query, such as a trimmed mean, to each batch of rounds. The
// noise is for the sensitivity that the query's author states.
//
// It is for statistics that are neither sums nor tallies. Each number of an answer gets independent
// noise. Where one record moves an answer by at most D1 in the L1 norm and D2 in the L2 norm,
//
//   - delta = 0: Laplace noise has scale D1/epsilon (Dwork, McSherry, Nissim, Smith 2006, Thm. 1).
//   - delta > 0: Gaussian noise has standard deviation D2/mu*(epsilon, delta), calibrated exactly.
//
// A record is in one batch, and the lengths of the batches are public: the whole run costs a record
// what its batch's answer costs. A batch that the horizon cuts short is never answered.
//
// A record is a round's context, arms and weights. The query sees contexts clipped to the norm
// Setup.Context and weights clipped to [Setup.Lo, Setup.Hi], whatever the records hold. With
// contexts, Setup.Dim >= 2, a neighbour replaces a whole record. Without, it replaces the weights:
// the arms of a round then depend on earlier releases, and not on its weights. The trust model is
// central.
//
// With a Grid the noise is fit for deployment: an answer is rounded to the grid, and the noise is
// discrete Laplace or discrete Gaussian noise from the operating system's randomness, whatever
// noise a run is handed. Without, it is for research: floating-point noise leaks through its low
// bits (Mironov 2012).
//
// The claim takes the author's word for the sensitivity, and says so. privacytest.SearchQuery
// measures it on the query itself.
type Additive struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget  privacy.Budget
	Query   Query        // no default
	Lengths RoundLengths // nil: one batch of all rounds of the horizon
	// Grid is the spacing of answers under discrete noise, a power of two. A fine one costs little:
	// rounding adds Grid to what a record moves each number by. 0 means noise in floating point.
	Grid float64
}

// Query is a function of the records of a batch, and what its author states of it. It is a plain
// value, and it answers the same records with the same numbers, whatever it was asked before.
type Query interface {
	// Dim returns how many numbers an answer has, >= 1.
	Dim(s privacy.Setup) int
	// Sensitivity returns how far an answer to n records moves at most if one of them is replaced. A
	// norm that is 0 follows from the other: L2 is at most L1, and L1 at most sqrt(Dim) L2.
	Sensitivity(s privacy.Setup, n int) privacy.Norms
	// Answer appends the answer to the records, which are within their bounds, to dst. It may change
	// the records and may not keep them. An error, or a number that is not finite, ends the run: make
	// it impossible, since whether it happens has no noise.
	Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error)
}

// Answer is the release of Additive: the answer to the last batch that has ended, under noise.
type Answer struct {
	Batches int          // number of batches that have ended; 0 means that nothing was released yet
	Of      []float64    // the answer, 0 at first
	Records int          // number of records of the batch
	Tail    privacy.Tail // bound on the noise in each number, without that of rounding to a grid
	// Played is the number of the batch's observations of each arm. It is empty with contexts, which
	// the arms of a round depend on.
	Played []int
}

var _ privacy.Statistic[Answer] = Additive{}

// additive is an Additive for a setup.
type additive struct {
	query    Query
	rule     RoundLengths
	data     privacy.Setup
	context  float64 // largest norm of a context; 0 means that there are none
	gaussian bool
	grid     float64
	room     int64 // largest absolute answer, in steps of the grid
	dim      int
	longest  int
	batches  []int // by batch, its kind
	kinds    []batchKind
	shows    privacy.Plan // without releases
}

// batchKind is what batches of one length have in common.
type batchKind struct {
	length  int
	first   int     // number of records when the first of them ends
	stated  float64 // the most by which a record moves an answer, in the norm of the noise's law
	release privacy.Release
	scale   float64 // of the noise, in units of the answer
	noise   gridNoise
}

// Open validates and calibrates. It reads Setup.Horizon, Arms, Slots, Lo and Hi, and with contexts
// Dim, Bound and Context.
func (of Additive) Open(s privacy.Setup) (privacy.Mechanism[Answer], error) {
	if err := checkTally(s, 0); err != nil {
		return nil, err
	}
	if s.WarmUp {
		return nil, fmt.Errorf("mechanism: Additive with Setup.WarmUp = true, want false: all rounds are in batches")
	}
	if err := field.Check("mechanism: Additive.Query", of.Query); err != nil {
		return nil, err
	}
	a := &additive{query: of.Query, rule: of.Lengths, data: s, gaussian: of.Budget.Delta > 0, dim: of.Query.Dim(s), grid: of.Grid, room: lattice.Largest}
	if a.dim < 1 {
		return nil, fmt.Errorf("mechanism: %T.Dim = %d, want >= 1", of.Query, a.dim)
	}
	if of.Grid != 0 {
		if err := checkGrid(of.Budget, of.Grid); err != nil {
			return nil, err
		}
	}
	if s.Dim >= 2 {
		if a.context = s.Context; a.context == 0 {
			a.context = s.Bound
		}
		if !(a.context >= size.LeastBound && a.context <= size.MostBound) {
			return nil, fmt.Errorf("mechanism: Setup.Context = %v, or Bound = %v without it, want finite and > 0, in [%v, %v]",
				s.Context, s.Bound, size.LeastBound, size.MostBound)
		}
	}
	if err := a.schedule(of.Budget); err != nil {
		return nil, err
	}
	numbers := float64(2*float64(a.longest)*float64(9+s.Dim+2*s.Slots)) + float64(len(a.batches)) + float64(3*float64(a.dim))
	if err := size.Check(fmt.Sprintf("mechanism: %T.Dim = %d over batches of up to %d records", of.Query, a.dim, a.longest), numbers); err != nil {
		return nil, err
	}
	a.describe(of.Budget)
	return a, nil
}

// schedule sets the batches that end within the horizon, and the noise of each kind.
func (a *additive) schedule(b privacy.Budget) error {
	noise, err := newSlotNoise(b)
	if err != nil {
		return err
	}
	var rule RoundLengths = EqualRounds(a.data.Horizon)
	if a.rule != nil {
		if rule = a.rule; field.Check("", rule) != nil {
			return field.Check("mechanism: Additive.Lengths", rule)
		}
	}
	for end := 0; ; {
		n := rule.Length(len(a.batches), a.data)
		switch {
		case n < 0:
			return fmt.Errorf("mechanism: %T's Length(%d) = %d, want >= 1, or 0 for none", rule, len(a.batches), n)
		case n == 0 || n > a.data.Horizon-end:
			if len(a.batches) == 0 {
				return fmt.Errorf("mechanism: %T's first batch has %d rounds, want one that ends within Setup.Horizon = %d", rule, n, a.data.Horizon)
			}
			return nil
		case len(a.batches) == curator.MaxReleases:
			return fmt.Errorf("mechanism: %T has over %d batches for a horizon of %d, want fewer and longer ones", rule, curator.MaxReleases, a.data.Horizon)
		}
		end += n
		kind := slices.IndexFunc(a.kinds, func(k batchKind) bool { return k.length == n })
		if kind < 0 {
			if kind = len(a.kinds); kind == mostKinds {
				return fmt.Errorf("mechanism: %T has batches of more than %d different lengths, want fewer", rule, mostKinds)
			}
			k := batchKind{length: n, first: end}
			if err := a.noisy(&k, noise); err != nil {
				return err
			}
			a.kinds = append(a.kinds, k)
		}
		a.batches, a.longest = append(a.batches, kind), max(a.longest, n)
	}
}

// mostKinds bounds the different lengths of batches: each is a case of the plan.
const mostKinds = 256

// noisy sets the release of a kind of batches, and its noise.
func (a *additive) noisy(k *batchKind, noise slotNoise) (err error) {
	norms := a.query.Sensitivity(a.data, k.length)
	if !(norms.L1 >= 0 && norms.L2 >= 0 && max(norms.L1, norms.L2) > 0) || math.IsInf(norms.L1+norms.L2, 1) {
		return fmt.Errorf("mechanism: %T's Sensitivity for %d records has L1 = %v and L2 = %v, want finite and > 0, at least one of them", a.query, k.length, norms.L1, norms.L2)
	}
	implied := math.Sqrt(float64(a.dim)) * norms.L2
	if norms.L1 == 0 || norms.L2 > 0 && implied < norms.L1 {
		norms.L1 = implied
	}
	if norms.L2 == 0 || norms.L1 < norms.L2 {
		norms.L2 = norms.L1
	}
	if k.stated = norms.L1; a.gaussian {
		k.stated = norms.L2
	}
	if a.grid > 0 {
		k.release, k.noise, err = a.onGrid(noise.budget, norms)
		k.scale = k.release.Law.Scale * a.grid
		return err
	}
	if k.scale, err = noise.scale(1, k.stated); err != nil {
		return err
	}
	k.release = privacy.Release{Law: privacy.LaplaceLaw(a.dim, k.scale), Sensitivity: norms}
	if a.gaussian {
		k.release.Law = privacy.GaussianLaw(a.dim, k.scale)
	}
	return nil
}

// describe ends a calibration: it says what the answers show, but for the releases.
func (a *additive) describe(asked privacy.Budget) {
	source := "Dwork, McSherry, Nissim, Smith 2006, Theorem 1"
	if a.gaussian {
		source = "Balle and Wang 2018, Theorem 8; Dong, Roth, Su 2022"
	}
	a.shows = ofWeights(a.data, asked, source)
	if a.context > 0 {
		a.shows.Neighbours.Record = "round's context, arms and weights"
		a.shows.Conditions = []string{a.shows.Conditions[0], fmt.Sprintf("contexts clipped to the norm %v inside the mechanism", a.context)}
	}
	stated := "by at most " + a.stated(0)
	if n := len(a.kinds); n > 1 {
		stated = fmt.Sprintf("to %d records %s, to %d by %s", a.kinds[0].length, stated, a.kinds[n-1].length, a.stated(n-1))
	}
	a.shows.Conditions = append(a.shows.Conditions, fmt.Sprintf("a record moves an answer %s, as %T states", stated, a.query),
		"the query has an answer to every batch")
	a.shows = a.secured(a.shows)
}

// stated returns the sensitivity that the noise of a kind is for, with its norm.
func (a *additive) stated(kind int) string {
	norm := "L1"
	if a.gaussian {
		norm = "L2"
	}
	return fmt.Sprintf("%.4g in %s", a.kinds[kind].stated, norm)
}

// Scale returns the noise of an answer to n records: the scale of the Laplace noise, or the
// standard deviation of the Gaussian, on a grid its sigma. It is 0 if no batch has n records.
func (a *additive) Scale(n int) float64 {
	for _, k := range a.kinds {
		if k.length == n {
			return k.scale
		}
	}
	return 0
}

// Lengths returns the different lengths of the batches, in the order in which they come.
func (a *additive) Lengths() (all []int) {
	for _, k := range a.kinds {
		all = append(all, k.length)
	}
	return all
}

// Plan returns what the answers after so many records reveal of one record: that to its batch.
func (a *additive) Plan(records int) privacy.Plan {
	return a.plan(records, make([]int, len(a.kinds))).HeldBy(a)
}

// plan returns the plan after so many draws of each kind.
func (a *additive) plan(records int, draws []int) privacy.Plan {
	p := a.shows
	for i, k := range a.kinds {
		if k.first <= records {
			p.Cases = append(p.Cases, []privacy.Release{k.release})
		}
		if draws != nil {
			p.Draws = append(p.Draws, privacy.Draws{Law: k.release.Law, Count: draws[i]})
		}
	}
	return p.Trusts(a.query, a.rule)
}
