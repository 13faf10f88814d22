package mechanism

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
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

	setup   privacy.Setup
	dim     int
	as      *NoisyIHT // the fields as they were in Init, with their defaults
	ends    []int
	levels  []peeling // by episode
	noise   *privacy.Noise
	count   int
	clipped int
	rows    []float64
	rewards []float64
	theta   []float64
	work    []float64
	sizes   []float64
	release SparseTheta
}

// SparseTheta is the release of NoisyIHT: an estimate of theta that is 0 but for a few coordinates.
type SparseTheta struct {
	Episode int       // number of episodes that have ended; 0 means that nothing was released yet
	Records int       // rows in the last episode
	Dim     int       // d
	Support []int     // coordinates that may differ from 0, in the order of their choice
	Theta   []float64 // their values
}

// peeling is the regression of an episode with its noise.
type peeling struct {
	rows   int
	steps  int
	reward float64 // R
	first  step
	later  step
}

// step is the noise of one step.
type step struct {
	lambda float64 // the most that replacing a record moves a coordinate by
	choice float64 // scale of the noise on what is chosen from; 0 means none
	value  float64 // scale, or standard deviation, of the noise on the values
}

// farContext bounds a coordinate where none is clipped, so that products do not overflow.
const farContext = 1e50

var _ privacy.Statistic[SparseTheta] = (*NoisyIHT)(nil)

// Init validates, calibrates and allocates.
func (h *NoisyIHT) Init(s privacy.Setup) error {
	h.noise, h.as, h.ends, h.levels = nil, nil, nil, nil
	if err := checkEpisodes(s); err != nil {
		return err
	}
	if err := h.Budget.Approximate(); err != nil {
		return err
	}
	dim := s.Dim - 1
	as := *h
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
			return err
		}
	}
	if err := published("NoisyIHT", h.Calibration); err != nil {
		return err
	}
	switch {
	case h.Sparsity < 1 || h.Sparsity > dim:
		return fmt.Errorf("mechanism: NoisyIHT.Sparsity = %d, want in [1, d = %d]", h.Sparsity, dim)
	case h.Unclipped && h.Calibration != privacy.AsPublished:
		return fmt.Errorf("mechanism: NoisyIHT.Calibration = %v of Unclipped contexts, want AsPublished", h.Calibration)
	case h.Gumbel && h.Calibration != privacy.Sound:
		return fmt.Errorf("mechanism: NoisyIHT.Calibration = %v of Gumbel noise, want Sound", h.Calibration)
	}
	lengths := h.Lengths
	if lengths == nil {
		lengths = Growing{Least: 1}
	}
	ends, longest, err := schedule(lengths, dim, s.Horizon, 0)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("mechanism: an episode of %d rows of dimension %d", longest, dim)
	if err := size.Check(what, float64(float64(longest)*float64(dim))+float64(3*float64(dim))); err != nil {
		return err
	}
	levels, start := make([]peeling, len(ends)), 0
	for i, end := range ends {
		if levels[i], err = as.calibrate(end - start); err != nil {
			return err
		}
		start = end
	}
	h.setup, h.dim, h.as, h.ends, h.levels = s, dim, &as, ends, levels
	h.rows, h.rewards = make([]float64, 0, longest*dim), make([]float64, 0, longest)
	h.theta, h.work, h.sizes = make([]float64, dim), make([]float64, dim), make([]float64, dim)
	h.Reset(nil)
	return nil
}

// calibrate computes the noise of an episode of n rows.
func (h *NoisyIHT) calibrate(n int) (peeling, error) {
	rows := float64(n)
	p := peeling{rows: n}
	steps := h.Rate * portable.Log1p(float64(rows*h.L1*h.L1))
	if !(steps < 1000) {
		return p, fmt.Errorf("mechanism: NoisyIHT.Rate = %v: %v steps in an episode of %d rows, want < 1000", h.Rate, steps, n)
	}
	p.steps = int(steps)
	far := float64(h.L1 * h.Context) // R'
	p.reward = far + float64(h.Sd*math.Sqrt(2*portable.Log1p(rows)))
	p.first.lambda = 4 * h.Step / rows * float64(h.Context*p.reward)
	p.later.lambda = 4 * h.Step / rows * float64(h.Context*(p.reward+far))
	if h.Budget.None() || p.steps == 0 {
		return p, nil
	}
	choice, value, err := h.scales(p.steps)
	if err != nil {
		return p, err
	}
	for _, s := range []*step{&p.first, &p.later} {
		base := s.lambda
		if h.Unclipped {
			base = h.Step * (p.reward + far) / rows
		}
		s.choice, s.value = base*choice, base*value
		if !(s.choice > 1e-150 && s.choice < 1e150 && s.value > 1e-150 && s.value < 1e150) {
			return p, fmt.Errorf("mechanism: NoisyIHT noise of scales %v and %v for %v, want in [1e-150, 1e150]", s.choice, s.value, h.Budget)
		}
	}
	return p, nil
}

// scales returns the scales of the noise in units of the sensitivity.
func (h *NoisyIHT) scales(steps int) (choice, value float64, err error) {
	total := h.Sparsity * steps
	switch {
	case h.Gumbel:
		pick, mu, err := privacy.CalibrateSelection(h.Budget, total, 0.5)
		return 2 / pick, math.Sqrt(float64(total)) / mu, err
	case h.Calibration == privacy.Sound:
		choice, err = peelingScale(h.Budget, total)
		return choice, choice, err
	}
	m := float64(steps)
	choice = 2 * math.Sqrt(3*float64(h.Sparsity)*portable.Log(m/h.Budget.Delta)) * m / h.Budget.Epsilon
	return choice, choice, nil
}

// Reset forgets the data and draws new noise from n.
func (h *NoisyIHT) Reset(n *privacy.Noise) {
	h.noise, h.count, h.clipped = n, 0, 0
	h.rows, h.rewards = h.rows[:0], h.rewards[:0]
	h.release = SparseTheta{Dim: h.dim}
}

// Release returns what the last episode's end released.
func (h *NoisyIHT) Release() *SparseTheta { return &h.release }

// Clipped returns the number of rows whose reward or context was clipped since Reset. Unclipped
// contexts are clipped far out only, where products would overflow.
func (h *NoisyIHT) Clipped() int { return h.clipped }

// Ends returns the number of records after which each episode ends, of those that end before the
// horizon. Init computes it.
func (h *NoisyIHT) Ends() []int { return slices.Clone(h.ends) }

// Add adds a row. moved reports whether it has ended an episode.
func (h *NoisyIHT) Add(rec *privacy.Record) (moved bool, err error) {
	if h.noise == nil || h.as == nil {
		return false, errReset
	}
	if err := checkRow(h.setup, h.count, rec); err != nil {
		return false, err
	}
	h.count++
	episode := h.release.Episode
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
func (h *NoisyIHT) end(p *peeling) {
	r := SparseTheta{Episode: h.release.Episode + 1, Records: p.rows, Dim: h.dim}
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

// descend takes a step of gradient descent from theta. At the first one theta is 0.
func (h *NoisyIHT) descend(first bool) {
	clear(h.work)
	for i, y := range h.rewards {
		row := h.rows[i*h.dim : (i+1)*h.dim]
		residual := y
		if !first {
			for j, v := range row {
				residual -= float64(v * h.theta[j])
			}
		}
		for j, v := range row {
			h.work[j] += float64(v * residual)
		}
	}
	rate := 2 * h.as.Step / float64(len(h.rewards))
	for j, g := range h.work {
		h.theta[j] += float64(rate * g)
	}
}

// peel chooses the coordinates to keep, appends them to dst, and leaves noisy values in theta.
func (h *NoisyIHT) peel(at *step, dst []int) []int {
	s := h.as.Sparsity
	for j, v := range h.theta {
		h.sizes[j] = math.Abs(v)
	}
	switch {
	case at.choice == 0:
		dst = largest(h.sizes, s, dst)
	case h.as.Gumbel:
		h.noise.Gumbel(h.work, at.choice)
		for j, v := range h.sizes {
			h.work[j] += v
		}
		dst = largest(h.work, s, dst)
	default:
		for range s {
			h.noise.Laplace(h.work, at.choice)
			for j, v := range h.sizes {
				h.work[j] += v
			}
			for _, j := range dst {
				h.work[j] = math.Inf(-1)
			}
			dst = largest(h.work, 1, dst)
		}
	}
	values := make([]float64, s)
	switch {
	case at.value == 0:
	case h.as.Gumbel:
		h.noise.Gaussian(values, at.value)
	default:
		h.noise.Laplace(values, at.value)
	}
	for i, j := range dst {
		values[i] += h.theta[j]
	}
	clear(h.theta)
	for i, j := range dst {
		h.theta[j] = values[i]
	}
	return dst
}

// project moves theta, which is 0 but on a support, to the nearest point of the L1 ball.
//
// It computes with the distances of the sizes from the largest one, not with the sizes: noise may be
// so much larger than the ball that the radius vanishes beside them.
func project(theta []float64, support []int, radius float64) {
	var sum, most float64
	for _, j := range support {
		size := math.Abs(theta[j])
		sum, most = sum+size, max(most, size)
	}
	if sum <= radius {
		return
	}
	below := make([]float64, len(support)) // distances, in ascending order
	for i, j := range support {
		below[i] = most - math.Abs(theta[j])
	}
	slices.Sort(below)
	// Where k sizes stay above 0, the largest becomes (radius + the sum of their distances)/k.
	var top, distances float64
	for i, d := range below {
		distances += d
		if t := (radius + distances) / float64(i+1); i == 0 || t > d {
			top = t
		}
	}
	for _, j := range support {
		size := max(0, top-(most-math.Abs(theta[j])))
		theta[j] = math.Copysign(min(size, radius), theta[j])
	}
}

// Plan returns what the estimates of so many records reveal of one record: that of its episode.
func (h *NoisyIHT) Plan(records int) privacy.Plan {
	if h.as == nil {
		return privacy.NoPlan("%v", errInit)
	}
	p := privacy.Plan{
		Model: privacy.Central, Neighbours: privacy.ReplaceRound, Calibration: h.as.Calibration, Asked: h.as.Budget,
		Conditions: []string{"contexts and rewards clipped inside the mechanism", "a missing user is a row of zeros at the user's place"},
		Source:     "Dwork, Su and Zhang 2021; Chakraborty, Roy and Basu 2024; accounted here",
	}
	for i, end := range h.ends {
		if end <= records && h.levels[i].steps > 0 {
			p.Cases = append(p.Cases, h.shows(&h.levels[i]))
		}
	}
	p.Draws = []privacy.Draws{}
	for i := range h.release.Episode {
		p.Draws = append(p.Draws, h.draws(&h.levels[i])...)
	}
	return p.HeldBy(h)
}

// draws returns the noise of an episode: one draw a step for the values, and one for each choice, or
// for all choices of a step at once.
func (h *NoisyIHT) draws(p *peeling) (all []privacy.Draws) {
	for i, r := range h.shows(p) {
		count := r.Times / h.as.Sparsity
		if choice := i%2 == 0; choice && !h.as.Gumbel {
			count = r.Times
		}
		if r.Laws[0].Scale > 0 {
			all = append(all, privacy.Draws{Law: r.Laws[0], Count: count})
		}
	}
	return all
}

// shows returns what an episode shows of one of its records: choices and values, in turns.
func (h *NoisyIHT) shows(p *peeling) (all []privacy.Release) {
	for m, s := range []step{p.first, p.later} {
		steps := 1
		if m == 1 {
			steps = p.steps - 1
		}
		if steps == 0 {
			continue
		}
		times := steps * h.as.Sparsity
		choice := privacy.Release{Laws: []privacy.Law{privacy.LaplaceLaw(h.dim, s.choice)}, Times: times}
		value := privacy.Release{Laws: []privacy.Law{privacy.LaplaceLaw(h.as.Sparsity, s.value)},
			Sensitivity: privacy.Norms{L1: s.lambda}, Times: times} // of one value
		switch {
		case h.as.Gumbel:
			choice.Laws[0] = privacy.GumbelLaw(h.dim, s.choice)
			choice.Sensitivity.LInf = s.lambda
			value.Laws[0] = privacy.GaussianLaw(h.as.Sparsity, s.value)
			value.Sensitivity = privacy.Norms{L2: s.lambda}
		case h.as.Unclipped:
			choice.Own = privacy.Exposed{Why: "a context that is not clipped moves the estimate by any amount"}
			value.Own = choice.Own
		case s.choice > 0:
			choice.Own = noisyMaximum{2 * s.lambda / s.choice}
		}
		all = append(all, choice, value)
	}
	return all
}

// noisyMaximum is the event of a choice of the largest score under Laplace noise. Of its privacy
// loss only the bound is used.
type noisyMaximum struct{ epsilon float64 }

var _ privacy.PureEvent = noisyMaximum{}

func (e noisyMaximum) String() string {
	return fmt.Sprintf("noisy maximum under Laplace noise, epsilon = %.4g", e.epsilon)
}

func (e noisyMaximum) Validate() error {
	if !(e.epsilon > 0 && e.epsilon <= math.MaxFloat64) {
		return fmt.Errorf("mechanism: epsilon = %v of a noisy maximum, want finite and > 0", e.epsilon)
	}
	return nil
}

func (e noisyMaximum) PureEpsilon() float64 { return e.epsilon }

// peelingScale returns the least scale of Laplace noise, in units of the sensitivity of a score,
// for a number of choices and as many values. The accountant takes about a second; results are
// remembered.
func peelingScale(b privacy.Budget, times int) (float64, error) {
	key := peelings{b, times}
	if known, ok := peelingScales.Load(key); ok {
		return known.(float64), nil
	}
	event := func(scale float64) privacy.Event {
		return privacy.Sequence{
			privacy.Repeat{Event: noisyMaximum{2 / scale}, Times: times},
			privacy.Repeat{Event: privacy.LaplaceEvent{Epsilon: 1 / scale}, Times: times},
		}
	}
	scale, err := privacy.Calibrate(privacy.PLD{}, b, event)
	if err != nil {
		return 0, err
	}
	// The accountant's epsilon, computed on another grid than its delta, may exceed the budget in the
	// fifth digit.
	for tries := 0; ; tries++ {
		epsilon, err := privacy.PLD{}.Epsilon(event(scale), b.Delta)
		if err != nil {
			return 0, err
		}
		if epsilon <= b.Epsilon {
			break
		}
		if tries == 20 {
			return 0, fmt.Errorf("mechanism: the noise of %d choices within %v was not found: epsilon = %v", times, b, epsilon)
		}
		scale *= epsilon / b.Epsilon * (1 + 1e-7)
	}
	peelingScales.Store(key, scale)
	return scale, nil
}

type peelings struct {
	budget privacy.Budget
	times  int
}

var peelingScales sync.Map // from peelings to float64
