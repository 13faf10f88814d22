package privacy

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// ErrLedger is wrapped by the error for a claim that the ledger contradicts.
var ErrLedger = errors.New("the noise drawn is not the noise claimed")

// Law is a distribution of noise.
type Law struct {
	Kind  string  // such as "Gaussian"; the name of the method of Noise that draws it
	Dim   int     // numbers in a draw, or the order of a matrix
	Scale float64 // standard deviation, or what the law calls its scale
	Shape float64 // degrees of freedom, number of choices; 0 where the law has none
}

func (l Law) String() string {
	s := fmt.Sprintf("%s of dimension %d, scale %.6g", l.Kind, l.Dim, l.Scale)
	if l.Shape != 0 {
		s += fmt.Sprintf(", shape %.6g", l.Shape)
	}
	return s
}

// Draws is a number of independent draws of a law.
type Draws struct {
	Law
	Count int
}

// Ledger is a source of randomness that keeps a list of the noise that is made from it. It is the noise source, Noise, that
// writes the list, draw by draw: what a learner says of itself does not enter. Words of randomness that are taken past Noise are counted too, as noise
// that nobody accounts for.
type Ledger struct{ *book }

// book is apart so that copies of a Ledger write the same list.
type book struct {
	source  rand.Source
	entries []Draws
	past    int
}

// NewLedger wraps a source of randomness. Hand it to Learner.Reset, or to NewNoise, in the source's place: the noise is the same.
func NewLedger(source rand.Source) *Ledger { return &Ledger{&book{source: source}} }

// Uint64 returns a word of randomness and counts it as taken past Noise.
func (l *Ledger) Uint64() uint64 {
	l.past++
	return l.source.Uint64()
}

// note counts a draw.
func (l *Ledger) note(law Law) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Law == law {
			l.entries[i].Count++
			return
		}
	}
	l.entries = append(l.entries, Draws{law, 1})
}

// Drawn returns what was drawn, by law, in the order of the first draws.
func (l *Ledger) Drawn() []Draws { return append([]Draws(nil), l.entries...) }

// Check compares what was drawn with what a claim rests on. Its errors wrap ErrLedger and name the law and both counts.
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
