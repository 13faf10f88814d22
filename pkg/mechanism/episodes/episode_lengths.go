package episodes

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// EpisodeLengths is a rule for the lengths of episodes. It may depend only on public data.
type EpisodeLengths interface {
	// Length returns the number of rounds, >= 1, of episode i = 0, 1, ..., in dim dimensions. scale
	// is the scale of the Gumbel noise on the scores of the first episode, in units of the largest
	// contribution of a row to a score.
	Length(i, dim int, scale float64) int
}

// Growing is the rule of episodes that grow by a factor.
//
// Without Noise and Signal the first has Least rounds. With Noise it has Noise b ln d, rounded
// down, where b is the scale that Length is given: more noise takes more rows to see through. With
// Signal it has the n rounds, rounded down, at which Signal n = b ln d + sqrt(2 n ln d): the mean
// score of a coordinate that matters, of n rows, exceeds about the largest noise of d coordinates,
// from the mechanism and from the rows. It never has fewer than Least.
type Growing struct {
	Least  int     // >= 1; 0 means 32
	Noise  float64 // >= 0
	Signal float64 // mean contribution to a score that matters, in units of the largest; >= 0
	Factor float64 // >= 1; 0 means 2
}

// Length returns the length of episode i, or 0 if a field is out of its range.
func (g Growing) Length(i, dim int, scale float64) int {
	least, factor := g.Least, g.Factor
	if least == 0 {
		least = 32
	}
	if factor == 0 {
		factor = 2
	}
	if !(g.Noise >= 0 && g.Signal >= 0 && factor >= 1) {
		return 0
	}
	log := portable.Log(float64(dim))
	first := max(float64(least), math.Floor(g.Noise*scale*log))
	if g.Signal > 0 {
		half := math.Sqrt(2*log) / (2 * g.Signal)
		root := half + math.Sqrt(float64(half*half)+float64(scale*log/g.Signal))
		first = max(first, math.Floor(root*root))
	}
	return int(math.Floor(min(first*portable.Pow(factor, float64(i)), 1<<53)))
}
