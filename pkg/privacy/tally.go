package privacy

import (
	"fmt"
	"math"
)

// Tally releases the mean weight of each arm of a semi-bandit under noise: a private learner's only door to its data. A record is the weights of the
// arms that were played in one round, of one user. What the noise covers is the estimates, and which records changed them; errors and the number of clipped weights
// are of the raw data, and stay with the curator.
type Tally interface {
	// Init validates and allocates.
	Init(TallySetup) error
	// Reset forgets the data, before each trial, and draws new noise from n.
	Reset(n *Noise)
	// Add takes in a record: the weights of distinct arms, Slots of them at most, or of all in the first record where Setup.WarmUp is set. A weight
	// outside its bounds is clipped to them and counted; a record that is not finite, has another number of arms, names an arm out of range or twice, or comes beyond the
	// horizon is refused with an error and changes nothing. It reports whether the estimate of one of these arms has changed; those of other arms have not.
	Add(arms []int, weights []float64) (released bool, err error)
	// Estimate returns what was released of an arm last. Reading costs no privacy.
	Estimate(arm int) Estimate
	// Clipped returns how many weights were clipped since Reset.
	Clipped() int
	Ledgered
}

// Estimate is the release of an arm.
type Estimate struct {
	Mean  float64 // of Count observations, under noise
	Count int     // 0: nothing was released yet; where observations have several weights, how many of one weight would have a mean that varies as little, rounded down
	Tail  Tail    // of the noise in Mean
}

// Tail bounds a symmetric noise Z: P(Z > Root sqrt(l) + Linear l) <= exp(-l) for all l >= 0. The zero value is no noise.
type Tail struct{ Root, Linear float64 }

// TallySetup is what a tally has to know before the first record.
type TallySetup struct {
	Arms    int     // number of arms L, >= 1
	Slots   int     // arms a record shows at most, K, in [1, Arms]
	Horizon int     // records after the warm-up, >= 1
	Lo, Hi  float64 // bounds of a weight, Lo < Hi
	WarmUp  bool    // the first record, beside the horizon's, shows all arms, and is in more releases than others: it takes more noise, or its user has less privacy
}

// Validate reports a field that is out of its range.
func (s TallySetup) Validate() error {
	switch {
	case s.Arms < 1:
		return fmt.Errorf("privacy: TallySetup.Arms = %d, want >= 1", s.Arms)
	case s.Slots < 1 || s.Slots > s.Arms:
		return fmt.Errorf("privacy: TallySetup.Slots = %d, want in [1, Arms = %d]", s.Slots, s.Arms)
	case s.Horizon < 1:
		return fmt.Errorf("privacy: TallySetup.Horizon = %d, want >= 1", s.Horizon)
	case !(s.Lo < s.Hi) || math.IsInf(s.Hi-s.Lo, 0):
		return fmt.Errorf("privacy: TallySetup.Lo = %v, Hi = %v, want finite and Lo < Hi", s.Lo, s.Hi)
	}
	return nil
}
