package episodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// NoisyIHT releases an estimate of a sparse theta at the end of each episode of rounds, by noisy
// iterative hard thresholding.
//
// An episode of n rows (x, y) starts at theta = 0 and makes m steps, m = Rate ln(1 + n L1^2)
// rounded down:
//
//	theta <- theta - (2 Step/n) sum x (<x, theta> - y),
//	theta <- peel(theta), projected on the L1 ball of radius L1.
//
// Coordinates of x are clipped to [-Context, Context] and y to [-R, R], with R = L1 Context + Sd
// sqrt(2 ln(1+n)). Peeling chooses Sparsity times the largest |theta_j| under fresh Laplace noise
// of those left, and adds Laplace noise to the values chosen; the rest becomes 0 (Dwork, Su and
// Zhang 2021). The next episode forgets the data. This is the regression of FLIPHAT (Chakraborty,
// Roy and Basu, arXiv:2405.14038).
//
// A record is in one episode, whose place is public, and a neighbour replaces it there. A step adds
// (2 Step/n) x_j (y - <x, theta>) of it to coordinate j. As |theta|_1 <= L1, and theta = 0 before
// the first step, replacing it moves each coordinate by at most
//
//	lambda = (4 Step/n) Context (R + L1 Context [not the first step]).
//
// A choice under noise of scale b is 2 lambda/b-DP, and a value lambda/b-DP. The calibrations of b:
//
//   - Sound: the least b for which the m Sparsity choices and the m Sparsity values, composed as
//     they are, stay within the budget by PLD accounting.
//   - AsPublished: b = 2 lambda sqrt(3 Sparsity ln(m/delta)) m/epsilon, the lemma of peeling over m
//     steps, with the lambda above. The lemma is proved for small epsilon only. The claim is what
//     the accountant proves of this b.
//   - AsPublished and Unclipped: the same with Step (R + L1 Context)/n for lambda, which lacks a
//     factor of about 4 Context, and without clipping x, as in the public script. One long context
//     then moves theta by as much as it likes, and the claim is empty. For comparisons only.
//
// With Gumbel the choices of a step are made at once under Gumbel noise, whose privacy loss has
// bounded range, and the values have Gaussian noise. That is Sound only, and the least noise of
// all.
//
// The statistic keeps the rows of the open episode, n d numbers. Rounds allocate nothing; the end
// of an episode allocates a little.
type NoisyIHT struct {
	Budget      privacy.Budget      // no default, and delta > 0; epsilon = +Inf means no noise
	Calibration privacy.Calibration // the zero value is Sound
	Unclipped   bool                // with AsPublished: contexts as they come, as in the public script
	Gumbel      bool                // choose by Gumbel noise, release under Gaussian noise
	Sparsity    int                 // coordinates to keep, in [1, d], no default
	L1          float64             // bound on |theta|_1, public, > 0, no default
	Step        float64             // step size eta, > 0; 0 means 1e-4
	Rate        float64             // steps by the logarithm, M_0 > 0; 0 means 0.16
	Sd          float64             // standard deviation of the rewards' noise, > 0; 0 means 1
	Context     float64             // bound x_max on a coordinate of x, > 0; 0 means sqrt(2 ln d)
	Lengths     EpisodeLengths      // public; nil means Growing{Least: 1}: 1, 2, 4, ...
}

// SparseTheta is the release of NoisyIHT: an estimate of theta that is 0 but for a few coordinates.
type SparseTheta struct {
	Episode int       // number of episodes that have ended; 0 means that nothing was released yet
	Records int       // rows in the last episode
	Dim     int       // d
	Support []int     // coordinates that may differ from 0, in the order of their choice
	Theta   []float64 // their values
}

// farContext bounds a coordinate where none is clipped, so that products do not overflow.
const farContext = 1e50

var _ privacy.Statistic[SparseTheta] = NoisyIHT{}

// noisyIHT is a NoisyIHT for a setup.
type noisyIHT struct {
	data    privacy.Setup
	dim     int
	longest int      // rows of an episode
	as      NoisyIHT // with its defaults
	ends    []int
	levels  []peeling // by episode
}

// noisyIHTRun is a run of a NoisyIHT.
type noisyIHTRun struct {
	*noisyIHT
	noise   *privacy.Noise
	count   int
	ended   int // episodes
	clipped int
	rows    []float64
	rewards []float64
	theta   []float64
	work    []float64
	sizes   []float64
	release SparseTheta
}

// Open validates and calibrates.
func (of NoisyIHT) Open(s privacy.Setup) (privacy.Mechanism[SparseTheta], error) {
	if err := checkEpisodes(s); err != nil {
		return nil, err
	}
	if err := of.Budget.Approximate(); err != nil {
		return nil, err
	}
	dim := s.Dim - 1
	as := of
	for _, f := range []struct {
		name  string
		value *float64
		zero  float64
	}{
		{"L1", &as.L1, 0}, {"Step", &as.Step, 1e-4}, {"Rate", &as.Rate, 0.16}, {"Sd", &as.Sd, 1},
		{"Context", &as.Context, math.Sqrt(2 * portable.Log(float64(max(dim, 2))))},
	} {
		if *f.value == 0 && f.zero > 0 {
			*f.value = f.zero
		}
		if err := clipRange("NoisyIHT."+f.name, *f.value); err != nil {
			return nil, err
		}
	}
	if err := curator.Published("NoisyIHT", of.Calibration); err != nil {
		return nil, err
	}
	switch {
	case of.Sparsity < 1 || of.Sparsity > dim:
		return nil, fmt.Errorf("mechanism: NoisyIHT.Sparsity = %d, want in [1, d = %d]", of.Sparsity, dim)
	case of.Unclipped && of.Calibration != privacy.AsPublished:
		return nil, fmt.Errorf("mechanism: NoisyIHT.Calibration = %v of Unclipped contexts, want AsPublished", of.Calibration)
	case of.Gumbel && of.Calibration != privacy.Sound:
		return nil, fmt.Errorf("mechanism: NoisyIHT.Calibration = %v of Gumbel noise, want Sound", of.Calibration)
	}
	lengths := of.Lengths
	if lengths == nil {
		lengths = Growing{Least: 1}
	}
	ends, longest, err := schedule(lengths, dim, s.Horizon, 0)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("mechanism: an episode of %d rows of dimension %d", longest, dim)
	if err := size.Check(what, float64(float64(longest)*float64(dim))+float64(3*float64(dim))); err != nil {
		return nil, err
	}
	levels, start := make([]peeling, len(ends)), 0
	for i, end := range ends {
		if levels[i], err = as.calibrate(end - start); err != nil {
			return nil, err
		}
		start = end
	}
	return &noisyIHT{data: s, dim: dim, longest: longest, as: as, ends: ends, levels: levels}, nil
}

// Start begins a run that draws its noise from n.
func (h *noisyIHT) Start(n *privacy.Noise) privacy.Stream[SparseTheta] {
	if n == nil {
		return curator.WithoutNoise(h)
	}
	return &noisyIHTRun{noisyIHT: h, noise: n, rows: make([]float64, 0, h.longest*h.dim), rewards: make([]float64, 0, h.longest),
		theta: make([]float64, h.dim), work: make([]float64, h.dim), sizes: make([]float64, h.dim), release: SparseTheta{Dim: h.dim}}
}

// Release returns what the last episode's end released.
func (h *noisyIHTRun) Release() *SparseTheta { return &h.release }

// Clipped returns the number of rows whose reward or context was clipped. Unclipped
// contexts are clipped far out only, where products would overflow.
func (h *noisyIHTRun) Clipped() int { return h.clipped }

// Ends returns the number of records after which each episode ends, of those that end before the
// horizon.
func (h *noisyIHT) Ends() []int { return slices.Clone(h.ends) }

// Add adds a row. moved reports whether it has ended an episode.
func (h *noisyIHTRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := checkRow(h.data, h.count, rec); err != nil {
		return false, err
	}
	h.count++
	episode := h.ended
	p := &h.levels[min(episode, len(h.levels)-1)]
	y, bound := min(max(rec.Y[0], -p.reward), p.reward), h.as.Context
	if h.as.Unclipped {
		bound = farContext
	}
	clipped := y != rec.Y[0]
	for _, v := range rec.X {
		clipped = clipped || v > bound || v < -bound
	}
	if clipped {
		h.clipped++
	}
	if episode == len(h.ends) {
		return false, nil // the rest of the rounds
	}
	for _, v := range rec.X {
		h.rows = append(h.rows, min(max(v, -bound), bound))
	}
	h.rewards = append(h.rewards, y)
	if h.count < h.ends[episode] {
		return false, nil
	}
	h.end(p)
	return true, nil
}

// end releases the estimate of the open episode.
func (h *noisyIHTRun) end(p *peeling) {
	h.ended++
	r := SparseTheta{Episode: h.ended, Records: p.rows, Dim: h.dim}
	clear(h.theta)
	for m := range p.steps {
		at := &p.later
		if m == 0 {
			at = &p.first
		}
		h.descend(m == 0)
		r.Support = h.peel(at, r.Support[:0])
		project(h.theta, r.Support, h.as.L1)
	}
	for _, j := range r.Support {
		r.Theta = append(r.Theta, h.theta[j])
	}
	h.release = r
	h.rows, h.rewards = h.rows[:0], h.rewards[:0]
}
