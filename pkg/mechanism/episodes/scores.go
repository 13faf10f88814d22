package episodes

import (
	"fmt"
	"math"
)

// Scores is a rule that scores each coordinate of a context by its relation to the reward. A
// selection chooses the coordinates whose summed scores have the largest absolute values.
type Scores interface {
	// Validate returns an error if a field is out of its range.
	Validate() error
	// Most returns the largest absolute value that Add adds to a coordinate. Replacing a record
	// moves no score by more than twice that.
	Most() float64
	// Add adds the contribution of a finite row (x, y) to the scores, len(scores) == len(x). A zero
	// reward or a zero x[j] adds nothing to j, so that a missing user is a row of zeros.
	Add(scores, x []float64, y float64)
}

// Correlations is the rule that scores coordinate j by x_j y, both clipped.
//
// It sees the most in few records. Under the noise of a small budget, [Signs] sees more: for a
// standard normal x_j and the same largest score, the mean of a score is 0.48 at X = 2 and 0.8 for
// the sign.
type Correlations struct {
	X float64 // coordinates are clipped to [-X, X], > 0, no default
	Y float64 // rewards are clipped to [-Y, Y], > 0, no default
}

var (
	_ Scores = Correlations{}
	_ Scores = Signs{}
)

// Validate returns an error unless both bounds are in range.
func (c Correlations) Validate() error {
	if err := clipRange("Correlations.X", c.X); err != nil {
		return err
	}
	return clipRange("Correlations.Y", c.Y)
}

// settled returns a copy of a rule of this package, so that what is set later through a pointer
// changes nothing. It returns Signs{} for nil.
func settled(s Scores) Scores {
	switch s := s.(type) {
	case nil:
		return Signs{}
	case *Correlations:
		return *s
	case *Signs:
		return *s
	}
	return s
}

func clipRange(name string, v float64) error {
	if !(v >= 1e-50 && v <= 1e50) {
		return fmt.Errorf("mechanism: %s = %v, want finite and > 0, in [1e-50, 1e50]", name, v)
	}
	return nil
}

// Most returns X Y.
func (c Correlations) Most() float64 { return c.X * c.Y }

// Add adds x_j y, both clipped.
func (c Correlations) Add(scores, x []float64, y float64) {
	y = min(max(y, -c.Y), c.Y)
	for j, v := range x {
		scores[j] += float64(min(max(v, -c.X), c.X) * y)
	}
}

// Signs is the rule that scores coordinate j by sign(x_j) times the reward, clipped.
type Signs struct {
	Y float64 // rewards are clipped to [-Y, Y]; 0 means that only their signs count
}

// Validate returns an error unless Y is 0 or in range.
func (s Signs) Validate() error {
	if s.Y == 0 {
		return nil
	}
	return clipRange("Signs.Y", s.Y)
}

// Most returns Y, or 1.
func (s Signs) Most() float64 {
	if s.Y == 0 {
		return 1
	}
	return s.Y
}

// Add adds sign(x_j) y, with y clipped.
func (s Signs) Add(scores, x []float64, y float64) {
	most := s.Most()
	if s.Y == 0 && y != 0 {
		y = math.Copysign(1, y)
	}
	y = min(max(y, -most), most)
	const sign = 1 << 63
	bits := math.Float64bits(y)
	for j, v := range x {
		if v != 0 { // y or -y, without a branch that nobody can predict
			scores[j] += math.Float64frombits(bits ^ math.Float64bits(v)&sign)
		}
	}
}
