// Package own shows what is written outside of the toolkit: policies (Elimination, Greedy, Hopeful),
// a statistic (Totals), an environment (Seasons). It imports what a module of your own would.
package own

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Elimination is DP Successive Elimination (Sajed and Sheffet 2019, Algorithm 2) for rewards in
// [0, 1]: in epoch e = 1, 2, ... it plays each arm that is left equally often, and then drops those
// whose mean is too far below the best. An epoch is one block of mechanism.Blocks.
type Elimination struct {
	Arms          int
	Epsilon, Beta float64   // budget, and failure probability
	epochs        []int     // by arm, how many were released
	left          []float64 // the broadcast: the arms that are left
}

// New returns the learner: epsilon-differentially private in the central model.
func (l Elimination) New() *learner.Private[privacy.Means] {
	blocks := &mechanism.Blocks{Budget: privacy.Budget{Epsilon: l.Epsilon}, Lengths: l}
	return learner.New(&l, blocks)
}

// log returns ln(8 K e^2/Beta) for epoch e = i + 1.
func (l Elimination) log(i int) float64 {
	return math.Log(8 * float64(l.Arms*(i+1)*(i+1)) / l.Beta)
}

// Length returns how often an arm is played in epoch i + 1, which tells apart arms 2^-(i+1) apart.
func (l Elimination) Length(i int) int {
	return 1 + int(max(math.Ldexp(32*l.log(i), 2*i+2), math.Ldexp(8*l.log(i)/l.Epsilon, i+1)))
}

func (l *Elimination) Init(p bandit.Problem, _ int, _ *privacy.Means) error {
	if p.Arms != l.Arms || p.RewardMin < 0 || p.RewardMax > 1 {
		return fmt.Errorf("own: %d arms with rewards in [%v, %v], want %d with rewards in [0, 1]",
			p.Arms, p.RewardMin, p.RewardMax, l.Arms)
	}
	return nil
}

func (l *Elimination) Reset(*rand.Rand) {
	l.epochs, l.left = make([]int, l.Arms), nil
	for a := range l.Arms {
		l.left = append(l.left, float64(a))
	}
}

func (l *Elimination) Learn(r *privacy.Means) ([]float64, error) {
	for _, a := range r.Changed {
		l.epochs[a]++
	}
	last, best := math.MaxInt, 0.0
	for _, a := range l.left {
		last, best = min(last, l.epochs[int(a)]), max(best, r.Of[int(a)].Mean)
	}
	if len(r.Changed) == 0 || last == 0 || l.epochs[r.Changed[0]] != last {
		return l.left, nil // the epoch is not over
	}
	n, log := float64(l.Length(last-1)), l.log(last-1)
	width, kept := math.Sqrt(log/(2*n))+log/(l.Epsilon*n), l.left[:0] // of the sample, of the noise
	for _, a := range l.left {
		if best-r.Of[int(a)].Mean <= 2*width {
			kept = append(kept, a)
		}
	}
	l.left = kept
	return l.left, nil
}

func (l *Elimination) Act(left []float64, v *bandit.View, dst []int) ([]int, error) {
	return append(dst, int(left[v.Round%len(left)])), nil
}
