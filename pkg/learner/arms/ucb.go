package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// ucb is the base of rules with upper confidence bounds of the form
//
//	mean + byWidth width + byNoise noise,
//
// whose factors depend on the time alone, and the other numbers on an arm's estimate.
type ucb struct {
	leader
	byWidth, byNoise float64
	lines            []line
}

// line is the numbers of an arm.
type line struct{ mean, width, noise float64 }

// newUCB allocates.
func newUCB(p bandit.Problem) ucb { return ucb{leader: newLeader(p), lines: make([]line, p.Arms)} }

// read sets the numbers of the arms that have changed: the width 1/sqrt(n), and the scale of
// Laplace noise.
func (u *ucb) read(r *privacy.Means) {
	u.take(r)
	for _, a := range r.Changed {
		of := &u.of[a]
		u.lines[a] = line{of.Mean, 1 / math.Sqrt(float64(of.Count)), of.Tail.Linear}
	}
}

func (u *ucb) above(a int, x float64) bool { return u.bound(a) > x }

func (u *ucb) bound(a int) float64 {
	l := &u.lines[a]
	return l.mean + float64(u.byWidth*l.width) + float64(u.byNoise*l.noise)
}

// timed is the rule with the bounds
//
//	mean + sqrt(chance ln t) width + spread ln t noise.
type timed struct {
	ucb
	chance, spread float64
}

// Learn chooses the arm with the largest upper confidence bound.
func (l *timed) Learn(r *privacy.Means) ([]float64, error) {
	l.read(r)
	return l.follow(r, l)
}

// Explain appends the means, and the upper confidence bounds as indices: those of the last release.
func (l *timed) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	by := *l
	return l.bounds(dst, &by)
}

func (l *timed) at(log float64) { l.byWidth, l.byNoise = math.Sqrt(l.chance*log), l.spread*log }
