package privacy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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

// NewLedger returns a Ledger over a source of randomness. Hand it to bandit.Calibrated.Start, or to
// NewNoise, in place of the source: the noise stays the same.
func NewLedger(source rand.Source) *Ledger { return &Ledger{&book{source: source}} }

// Uint64 returns a random word and counts it as taken past Noise.
func (l *Ledger) Uint64() uint64 {
	l.past++
	return l.source.Uint64()
}

// note counts draws of a law.
func (l *Ledger) note(law Law, draws int) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Law == law {
			l.entries[i].Count += draws
			return
		}
	}
	l.entries = append(l.entries, Draws{law, draws})
}

// CheckPlan compares the noise drawn with the draws that x's plan lists, after so many records of
// the run. The listed draws have to be those of whole cases of the plan: noise that is in no
// release, that has fewer numbers than its release, or whose case has other noise that was not
// drawn, is an error. A plan without releases needs no noise. The errors wrap ErrLedger.
func (l *Ledger) CheckPlan(x Planner, records int) error {
	plan := PlanOf(x, All)
	err := l.Check(plan.Draws)
	if !plan.Held() || len(plan.Cases) == 0 {
		return err
	}
	now := PlanOf(x, records).Cases
	for _, d := range plan.Draws {
		// A shuffle has no scale and hides nothing by itself: in another order messages show no more.
		if d.Count <= 0 || !(d.Scale > 0) {
			continue
		}
		among := now
		if !slices.ContainsFunc(now, func(c []Release) bool { return has(c, d.Law) }) {
			among = plan.Cases // noise may be drawn before the records that it is for
		}
		if why := plan.misses(among, d.Law); why != "" {
			err = errors.Join(err, fmt.Errorf("privacy: %w: %v %s", ErrLedger, d.Law, why))
		}
	}
	return err
}

// misses says what is wrong with draws of a law beside cases of the plan. It is empty if a case has
// the law, and all noise of that case was drawn.
func (p Plan) misses(cases [][]Release, l Law) (why string) {
	why = "is the noise of no release of the plan"
	for _, c := range cases {
		if !has(c, l) {
			continue
		}
		missing := p.undrawn(c)
		if missing == nil {
			return ""
		}
		why = fmt.Sprintf("was drawn, and not %v, which is in the same case of the plan", *missing)
	}
	return why
}

// undrawn returns a law of a case that has no draw, nil if there is none.
func (p Plan) undrawn(c []Release) *Law {
	for _, r := range c {
		drawn := func(law Law) bool {
			return slices.ContainsFunc(p.Draws, func(d Draws) bool { return d.Count > 0 && r.drawnBy(law, d.Law) })
		}
		missing := slices.DeleteFunc(r.Laws(), func(law Law) bool { return !(law.Scale > 0) || drawn(law) })
		if none := !slices.ContainsFunc(r.Laws(), drawn); len(missing) > 0 && !(r.Optional && none) {
			return &missing[0]
		}
	}
	return nil
}

// has reports whether a release of a case has noise of a law.
func has(c []Release, l Law) bool {
	return slices.ContainsFunc(c, func(r Release) bool {
		return slices.ContainsFunc(r.Laws(), func(of Law) bool { return r.drawnBy(of, l) })
	})
}

// drawnBy reports whether a draw is one of a law of the release. A draw may have more numbers than
// the release, and of an optional release fewer.
func (r Release) drawnBy(law, draw Law) bool {
	return law.Kind == draw.Kind && law.Scale == draw.Scale && (law.Shape == draw.Shape || law.Kind == kindResponse) &&
		(law.Dim <= draw.Dim || r.Optional)
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
