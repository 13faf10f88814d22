package online

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Linear is a stream of linear losses <l_t, theta> on the unit ball, fixed in advance. Its best
// point in hindsight is known: -L/|L|, with the loss -|L|, where L is the sum of the l_t. It is
// also an oblivious adversary: one who does not look at what is played.
type Linear struct {
	dim  int
	rows []float64
}

var (
	_ Stream    = (*Linear)(nil)
	_ Adversary = (*Linear)(nil)
)

// NewDrift returns losses l_t = (1-drift) u_t + drift e_1, where u_t is uniform on the unit sphere
// and e_1 is the first coordinate's direction. drift is in [0, 1].
//
// Without a drift there is little to learn: the sum of the losses is about sqrt T long, so that
// every learner that stays in the ball has a regret of about sqrt T or less, whatever its noise.
func NewDrift(dim, rounds int, drift float64, r *rand.Rand) (*Linear, error) {
	switch {
	case dim < 1:
		return nil, fmt.Errorf("online: a stream of dimension %d: %w", dim, errDim)
	case rounds < 1:
		return nil, fmt.Errorf("online: a stream of %d losses: %w", rounds, errHorizon)
	case !(drift >= 0 && drift <= 1):
		return nil, fmt.Errorf("online: a drift of %v, want in [0, 1]", drift)
	}
	what := fmt.Sprintf("online: a stream of %d losses of dimension %d", rounds, dim)
	if err := size.Check(what, float64(rounds)*float64(dim)); err != nil {
		return nil, err
	}
	l := &Linear{dim: dim, rows: make([]float64, rounds*dim)}
	for t := range rounds {
		row := direction(r, l.row(t+1), 1-drift)
		row[0] += drift
	}
	return l, nil
}

func (l *Linear) row(t int) []float64 { return l.rows[(t-1)*l.dim : t*l.dim] }

// Dim returns the dimension.
func (l *Linear) Dim() int { return l.dim }

// Len returns the number of losses.
func (l *Linear) Len() int { return len(l.rows) / l.dim }

// Radius returns 1, as the losses are on the unit ball.
func (l *Linear) Radius() float64 { return 1 }

// Loss returns <l_t, theta>.
func (l *Linear) Loss(t int, theta []float64) float64 { return packed.Dot(l.row(t), theta) }

// Gradient writes l_t into dst.
func (l *Linear) Gradient(t int, _, dst []float64) { copy(dst, l.row(t)) }

// Start begins a game with the first loss. The dimension has to be that of the losses, and the
// number of rounds theirs at most.
func (l *Linear) Start(dim, rounds int) (Game, error) {
	if dim != l.dim || rounds > l.Len() {
		return nil, fmt.Errorf("online: %d losses of dimension %d for a game of %d rounds in dimension %d", l.Len(), l.dim, rounds, dim)
	}
	return &told{of: l}, nil
}

// told is a Linear in a game.
type told struct {
	of     *Linear
	losses int
}

func (t *told) Next(_, dst []float64) {
	t.losses++
	copy(dst, t.of.row(t.losses))
}

// Hindsight returns the best fixed point for the first losses, and their sum there.
func (l *Linear) Hindsight(rounds int) (theta []float64, loss float64) {
	theta = make([]float64, l.dim)
	for t := range rounds {
		for j, v := range l.row(t + 1) {
			theta[j] -= v
		}
	}
	norm := norm2(theta)
	if norm > 0 {
		scaled(theta, 1/norm, theta)
	}
	return theta, -norm
}

// Adversary chooses linear losses after it has seen the points played so far.
type Adversary interface {
	// Start begins a game of so many rounds.
	Start(dim, rounds int) (Game, error)
}

// Game is an Adversary in a game.
type Game interface {
	// Next writes l_t into dst, t = 1, 2, .... last is the point theta_{t-1} that was played the round
	// before, nil in round 1.
	Next(last, dst []float64)
}

// Against plays the learner against an adversary on the unit ball. It returns the regret after each
// round t against the point that is best over these t rounds:
//
//	sum_{s <= t} <l_s, theta_s> + |L_t|,   L_t = l_1 + ... + l_t.
//
// It opens the learner, whose radius must be 1, for that number of rounds, and starts a run with
// own and noise (see [Calibrated]).
func Against(l Learner, a Adversary, dim, rounds int, own *rand.Rand, noise rand.Source) ([]float64, error) {
	if rounds < 1 {
		return nil, fmt.Errorf("online: a game of %d rounds: %w", rounds, errHorizon)
	}
	ready, err := l.Open(dim, rounds)
	if err != nil {
		return nil, err
	}
	game, err := a.Start(dim, rounds)
	if err != nil {
		return nil, err
	}
	run := ready.Start(own, noise)
	curve, g, sum := make([]float64, rounds), make([]float64, dim), make([]float64, dim)
	played := make([]float64, dim)
	var last []float64
	var loss float64
	for t := range rounds {
		game.Next(last, g)
		if norm := norm2(g); !(norm <= 1+1e-9) {
			return nil, fmt.Errorf("online: round %d: a loss of norm %v, want at most 1", t+1, norm)
		}
		theta := run.Predict()
		if norm := norm2(theta); !(norm <= 1+1e-9) {
			return nil, fmt.Errorf("online: round %d: a prediction of norm %v, want at most 1", t+1, norm)
		}
		loss += packed.Dot(g, theta)
		for j, v := range g {
			sum[j] += v
		}
		curve[t] = loss + norm2(sum)
		last = append(played[:0], theta...)
		if err := run.Update(g); err != nil {
			return nil, err
		}
	}
	return curve, nil
}

// Orthogonal is an adversary that exploits noise: l_t is the unit vector orthogonal to L_{t-1} that
// is nearest to the point played last.
//
// A leader without noise plays along -L_{t-1}, pays nothing, and has a regret of |L_T| = sqrt T.
// One that leads by a noisy sum shows a part of its noise in the point played last, and pays for
// the part that is still there in the next.
type Orthogonal struct{}

var _ Adversary = Orthogonal{}

// Start begins a game.
func (Orthogonal) Start(dim, _ int) (Game, error) {
	return &orthogonal{make([]float64, dim)}, nil
}

// orthogonal is an Orthogonal in a game.
type orthogonal struct{ sum []float64 }

func (o *orthogonal) Next(last, dst []float64) {
	clear(dst)
	copy(dst, last)
	if !o.project(dst) { // the point played tells nothing: an axis that is far from L
		axis := 0
		for j, v := range o.sum {
			if math.Abs(v) < math.Abs(o.sum[axis]) {
				axis = j
			}
		}
		clear(dst)
		dst[axis] = 1
		o.project(dst)
	}
	for j, v := range dst {
		o.sum[j] += v
	}
}

// project makes x a unit vector orthogonal to the sum. It returns false if nearly nothing is left
// of x. In one dimension nothing is ever orthogonal, and x keeps its direction.
func (o *orthogonal) project(x []float64) bool {
	before := norm2(x)
	if before == 0 {
		return false
	}
	scaled(x, 1/before, x)
	if square := packed.Dot(o.sum, o.sum); square > 0 && len(x) > 1 {
		along := packed.Dot(x, o.sum) / square
		for j, v := range o.sum {
			x[j] -= float64(along * v)
		}
	}
	left := norm2(x)
	if left < 1e-9 {
		return false
	}
	scaled(x, 1/left, x)
	return true
}
