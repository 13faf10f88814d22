package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// posterior is what policies of Beta draws share: they play the arm with the largest draw, from the
// learner's own stream.
type posterior struct {
	told
	normals *random.Normals
}

// Reset forgets everything.
func (l *posterior) Reset(own *rand.Rand) {
	l.estimates.Reset(own)
	l.normals = random.NewNormals(own)
}

// largest appends the arm with the largest draw, or one without an estimate. An arm's mean is
// raised by boost times the scale of its noise.
func (l *posterior) largest(broadcast []float64, boost float64, dst []int) ([]int, error) {
	unseen, err := l.receive(broadcast)
	if err != nil || unseen >= 0 {
		return append(dst, max(unseen, 0)), err
	}
	best, most := 0, -1.0
	for a := range l.of {
		of := (*arm)(broadcast[armSize*a:])
		m := clipped(of[mean] + float64(boost*of[noise]))
		if x := drawBeta(l.normals, of[count], m); x > most {
			best, most = a, x
		}
	}
	return append(dst, best), nil
}

// drawBeta returns a draw of Beta(1 + n m, 1 + n (1 - m)), as a ratio of chi-squares.
func drawBeta(g *random.Normals, n, m float64) float64 {
	x := random.ChiSquare(g, 2+float64(2*n*m))
	y := random.ChiSquare(g, 2+float64(2*n*(1-m)))
	return x / (x + y)
}
