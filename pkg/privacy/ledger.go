package privacy

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// ErrLedger marks the error for a claim that the ledger contradicts.
var ErrLedger = errors.New("the noise drawn is not the noise claimed")

// Law is a distribution of noise.
type Law struct {
	Kind  string  // such as "Gaussian": the method of Noise that draws it, in words
	Dim   int     // numbers in a draw, or the order of a matrix
	Scale float64 // standard deviation, or the scale parameter of the law
	Shape float64 // degrees of freedom or number of choices; 0 if the law has none
}

// The kinds of law name what a method of Noise draws.
const (
	kindGaussian          = "Gaussian"
	kindSymmetricGaussian = "symmetric Gaussian"
	kindDiscreteGaussian  = "discrete Gaussian"
	kindLaplace           = "Laplace"
	kindDiscreteLaplace   = "discrete Laplace"
	kindGumbel            = "Gumbel"
	kindWishart           = "Wishart"
	kindBinomial          = "binomial"
	kindResponse          = "randomised response"
	kindRounding          = "randomised rounding"
	kindShuffle           = "shuffle"
)

func (l Law) String() string {
	s := fmt.Sprintf("%s of dimension %d, scale %.6g", l.Kind, l.Dim, l.Scale)
	if l.Shape != 0 {
		s += fmt.Sprintf(", shape %.6g", l.Shape)
	}
	return s
}

// Draws is a number of independent draws of one law.
type Draws struct {
	Law
	Count int
}

// Ledger is a source of randomness that lists the noise made from it. Noise writes the list, draw
// by draw; what a learner says of itself does not enter. Randomness that is taken past Noise is
// counted as well, as noise that nobody accounts for.
type Ledger struct{ *book }

// book is a separate type so that copies of a Ledger write the same list.
type book struct {
	source  rand.Source
	entries []Draws
	past    int
}

// NewLedger returns a Ledger over a source of randomness. Hand it to Learner.Reset, or to NewNoise,
// in place of the source: the noise stays the same.
func NewLedger(source rand.Source) *Ledger { return &Ledger{&book{source: source}} }

// Uint64 returns a random word and counts it as taken past Noise.
func (l *Ledger) Uint64() uint64 {
	l.past++
	return l.source.Uint64()
}

// note counts one draw.
func (l *Ledger) note(law Law) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Law == law {
			l.entries[i].Count++
			return
		}
	}
	l.entries = append(l.entries, Draws{law, 1})
}

// CheckPlan compares the noise drawn with the draws that x's plan lists. It is an error, too, if it
// lists noise of a law that no release of the plan has. A plan without releases needs no noise. The
// errors wrap ErrLedger.
func (l *Ledger) CheckPlan(x Planner) error {
	plan := PlanOf(x, All)
	err := l.Check(plan.Draws)
	if !plan.Held() || len(plan.Cases) == 0 {
		return err
	}
	for _, d := range plan.Draws {
		// A shuffle has no scale, and hides nothing by itself.
		if d.Count > 0 && d.Scale > 0 && !plan.has(d.Law) {
			err = errors.Join(err, fmt.Errorf("privacy: %w: %v is the noise of no release of the plan", ErrLedger, d.Law))
		}
	}
	return err
}

// has reports whether a release of the plan has noise of a law. A draw may have fewer numbers than
// the release. Shuffles need not be in the plan, as messages in another order show no more.
func (p Plan) has(l Law) bool {
	if l.Kind == kindShuffle {
		return true
	}
	for _, c := range p.Cases {
		for _, r := range c {
			for _, of := range r.Laws {
				if of.Kind == l.Kind && of.Scale == l.Scale && (of.Shape == l.Shape || l.Kind == kindResponse) {
					return true
				}
			}
		}
	}
	return false
}

// Drawn returns the noise drawn so far, one entry a law, in the order of the first draws.
func (l *Ledger) Drawn() []Draws { return append([]Draws(nil), l.entries...) }

// Check compares the noise drawn with the draws claimed. Its errors wrap ErrLedger and name the law
// and both counts.
func (l *Ledger) Check(claimed []Draws) error {
	want := make(map[Law]int)
	for _, d := range claimed {
		want[d.Law] += d.Count
	}
	var errs []error
	for _, d := range l.entries {
		if d.Count != want[d.Law] {
			errs = append(errs, fmt.Errorf("privacy: %w: %d draws of %v, claimed %d", ErrLedger, d.Count, d.Law, want[d.Law]))
		}
		delete(want, d.Law)
	}
	for _, d := range claimed {
		if n, missing := want[d.Law]; missing && n != 0 {
			errs = append(errs, fmt.Errorf("privacy: %w: no draws of %v, claimed %d", ErrLedger, d.Law, n))
			delete(want, d.Law)
		}
	}
	if l.past > 0 {
		errs = append(errs, fmt.Errorf("privacy: %w: %d words of its randomness were taken past privacy.Noise", ErrLedger, l.past))
	}
	return errors.Join(errs...)
}
