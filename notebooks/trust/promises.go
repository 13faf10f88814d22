package trust

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Continual release: the mechanisms of the lesson, side by side at one budget.

var continualBudget = privacy.Budget{Epsilon: 1, Delta: 1e-6}

// The names of the mechanisms.
const (
	tree       = "binary tree"
	honaker    = "Honaker's tree"
	squareRoot = "square root"
	blt        = "BLT"
)

var continuals = []string{tree, honaker, squareRoot, blt}

// bounded is an accumulator that knows its largest noise, in noise units.
type bounded interface {
	privacy.Mechanism[privacy.Sums]
	MaxSD() float64
}

// running returns a mechanism over so many rounds, for rows of that length and of norm 1 at most.
func running(name string, dim, rounds int) bounded {
	a := map[string]privacy.Accumulator{
		tree:       continual.Tree{Noise: continual.Gaussian{Budget: continualBudget}},
		honaker:    continual.Honaker{Budget: continualBudget},
		squareRoot: continual.SquareRoot{Budget: continualBudget},
		blt:        continual.BLT{Budget: continualBudget},
	}[name]
	return check.Try(a.Open(privacy.Setup{Dim: dim, Horizon: rounds, Bound: 1, Alpha: 0.01})).(bounded)
}

// claimContinual: what is measured is what is computed, at one budget. There are 2000 rounds, which
// are dependent, at 5 standard errors: a false alarm below 2e-3 for a new seed.
func claimContinual(s cell.Scale) (string, error) {
	const rounds, far = 512, 20_000
	const dim = 14 // 91 entries off the diagonal: as many samples a run
	unit, worst, largest := 1/check.Try(continualBudget.GaussianMu()), 0.0, map[string]float64{}
	for _, name := range continuals {
		a := running(name, dim, rounds)
		proved := privacy.ClaimOf(a).Epsilon()
		check.That(math.Abs(proved-continualBudget.Epsilon) <= 1e-6, "%s: proves epsilon = %v, want %v", name, proved, continualBudget.Epsilon)
		sd, samples, err := audit.Blank{
			Of: a, Dim: dim, Rounds: rounds - 1, Runs: cell.Pick(s, 40, 200, 1_000),
			Seed: Seed, Stream: "noise by round: " + name,
		}.SD()
		check.OK(err)
		tolerance := 5 / math.Sqrt(2*float64(samples))
		highest := slices.Max(sd) / unit
		off := math.Abs(highest/a.MaxSD() - 1)
		check.That(off <= tolerance, "%s: the noisiest release has %.3f noise units, computed %.3f", name, highest, a.MaxSD())
		worst = math.Max(worst, off)
		for t, v := range sd {
			want := math.Sqrt(float64(bits.Len(rounds-1) * bits.OnesCount(uint(t+1))))
			check.That(name != tree || math.Abs(v/unit/want-1) <= tolerance, "%s, round %d: %.3f noise units, computed %.3f", name, t+1, v/unit, want)
		}
		largest[name] = running(name, 2, far).MaxSD()
	}
	check.That(largest[blt] <= largest[tree]/3 && largest[blt] <= 1.01*largest[squareRoot] && largest[squareRoot] <= largest[blt],
		"at %d rounds the largest noise is %v noise units", far, largest)
	return fmt.Sprintf("T = %d: measured within %.1f%% of computed; T = %s: tree %.2f, Honaker %.2f, square root %.2f, BLT %.2f noise units",
		rounds, 100*worst, cell.Thousands(far), largest[tree], largest[honaker], largest[squareRoot], largest[blt]), nil
}
