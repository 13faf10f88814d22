package episodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/largest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SparseEpisodes releases a few coordinates of a sparse linear model, and the regression on them,
// at the end of each episode of rounds.
//
// An episode of n rows (x, y) ends with two releases. The first is the support: the Picks
// coordinates with the largest absolute scores after Gumbel noise. The second is the Gram matrix of
// the rows (x_S, c y) on the support S under symmetric Gaussian noise, with x_S clipped to the norm
// Norm and y to [-Reward, Reward], and with c = Norm/Reward. With that c the entries of X'y have
// the noise that they would have if they were released alone. Each episode has noise of its own.
//
// A record is in one episode, at a place that is public. So it is in one selection and one Gram
// matrix, whatever the number of episodes. A neighbour replaces the record at its place; a missing
// user is a row of zeros there, never a shift of later rows into earlier episodes. Replacing one
// record moves a score by 2 Scores.Most() at most, and the Gram matrix by sqrt(2) (Norm^2 + c^2
// Reward^2) in the Frobenius norm. The two are composed as they are: picks of bounded range, and a
// Gaussian (privacy.Budget.CalibrateSelection). Scores are never released, nor numbers computed
// from them.
//
// With Refine an episode corrects the estimate before it. Its rewards are the residuals y - <x,
// theta> of the estimate theta that the releases before gave, the new coordinates join the old
// support, and the Gram matrix is that of both. An episode that depends on releases of other
// records, chosen before its own, costs what it costs alone. What is gained is noise: residuals are
// clipped at a fraction of the range of rewards, and few new coordinates at a time are cheaper to
// pick.
//
// Rows cannot be summed before the support is known, on which they are clipped. The statistic keeps
// those of the open episode, n d numbers of 8 bytes, and next to nothing else: 143 MiB for 3736
// rows in 5000 dimensions, the longest episode of sparse.SparseJDP's with epsilon = 1 in 16,000
// rounds. All of X'X would have d^2/2 numbers, 95 MiB there, but cost d^2/2 multiplications a round
// in place of d, and X'X knows no support to clip on. Memory is allocated in Start for the longest
// episode that ends before the horizon; rows of an episode that does not are not kept. Rounds
// allocate nothing; the end of an episode allocates a little.
//
// This has not been published. The parts are the exponential mechanism in one shot (Durfee and
// Rogers 2019) and AnalyzeGauss (Dwork, Talwar, Thakurta, Zhang 2014).
type SparseEpisodes struct {
	// Budget has no default, and delta > 0. Epsilon = +Inf means no noise.
	Budget privacy.Budget
	// Concentrated calibrates by the standard conversion of zCDP, which is proved, simple and
	// loose: of rho, Share goes to the selection. False means exact accounting.
	Concentrated bool
	// Phases describes the episodes, in order; the last one is for all later ones. No default.
	Phases []Phase
	// Lengths is the rule of the episodes' lengths, which are public; nil means Growing{}: 32, 64,
	// ...
	Lengths EpisodeLengths
	// Refine corrects the estimate of the episodes before. False forgets them.
	Refine bool
	// Estimate computes the estimate that Refine corrects.
	Estimate SparseEstimate
}

// Phase describes an episode.
type Phase struct {
	Picks  int     // coordinates to choose, >= 1; with Refine they are new ones, and 0 chooses none
	Share  float64 // the selection's share of the budget, in (0, 1), no default with picks
	Scores Scores  // how coordinates are scored; nil means Signs{}
	Norm   float64 // bound on the norm of a row on the support, > 0, no default
	Reward float64 // bound on the absolute reward or residual, > 0, no default
	Scale  float64 // factor c of the reward's column; 0 means Norm/Reward
}

// phase is a Phase with its noise.
type phase struct {
	Phase
	gumbel float64 // scale
	sd     float64 // of an entry of the Gram matrix off the diagonal
	bound  float64 // L~^2, the largest squared norm of a row (x_S, c y)
}

// SparseGram is the release of SparseEpisodes: the last episode's support, and the regression on
// it.
type SparseGram struct {
	Episode int   // number of episodes that have ended; 0 means that nothing was released yet
	Records int   // number of rows n in the last episode
	Dim     int   // d
	Support []int // coordinates S, in the order of their choice
	// Centre is the estimate that the episode's rewards are residuals of, by place in Support.
	Centre []float64
	// Gram is X'X of the rows on the support, of order |S|, packed. Its noise has the standard
	// deviation Noise off the diagonal and sqrt(2) Noise on it.
	Gram []float64
	// Cross is X'r, where r are the rewards or residuals. Its noise has the standard deviation
	// CrossNoise.
	Cross             []float64
	Noise, CrossNoise float64
}

var _ privacy.Statistic[SparseGram] = SparseEpisodes{}

// sparseEpisodes are SparseEpisodes for a setup.
type sparseEpisodes struct {
	data    privacy.Setup
	as      SparseEpisodes
	dim     int
	longest int // rows of an episode
	phases  []phase
	ends    []int // by episode: the number of records at its end, all before the horizon
}

// sparseEpisodesRun is a run of SparseEpisodes.
type sparseEpisodesRun struct {
	*sparseEpisodes
	noise   *privacy.Noise
	count   int // records so far
	clipped int
	rows    []float64 // of the open episode, dim numbers each
	rewards []float64 // of the open episode, less what the estimate predicts
	scores  []float64
	gumbel  []float64
	support []int     // of the last release
	theta   []float64 // the estimate that is refined, by place in the support
	release SparseGram
	orders  []int // of the Gram matrices released
}

// Open validates and calibrates.
func (e SparseEpisodes) Open(s privacy.Setup) (privacy.Mechanism[SparseGram], error) {
	if err := checkEpisodes(s); err != nil {
		return nil, err
	}
	if len(e.Phases) == 0 {
		return nil, fmt.Errorf("mechanism: SparseEpisodes.Phases is empty, want one phase at least")
	}
	if err := e.Budget.Approximate(); err != nil {
		return nil, err
	}
	if err := e.Estimate.Validate(); err != nil {
		return nil, err
	}
	dim := s.Dim - 1
	phases := make([]phase, len(e.Phases))
	for i, p := range e.Phases {
		var err error
		if phases[i], err = e.calibrate(i, p, dim); err != nil {
			return nil, err
		}
	}
	ends, longest, err := schedule(e.Lengths, dim, s.Horizon, phases[0].gumbel/phases[0].Scores.Most())
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("mechanism: an episode of %d rows of dimension %d", longest, dim)
	if err := size.Check(what, float64(float64(longest)*float64(dim))+float64(3*float64(dim))); err != nil {
		return nil, err
	}
	return &sparseEpisodes{data: s, dim: dim, longest: longest, as: e, phases: phases, ends: ends}, nil
}

// calibrate validates a phase and computes its noise.
func (e SparseEpisodes) calibrate(i int, p Phase, dim int) (phase, error) {
	fail := func(format string, args ...any) (phase, error) {
		return phase{}, fmt.Errorf("mechanism: SparseEpisodes.Phases[%d].%s", i, fmt.Sprintf(format, args...))
	}
	least := 1
	if e.Refine && i > 0 {
		least = 0
	}
	p.Scores = settled(p.Scores)
	if p.Scale == 0 {
		p.Scale = p.Norm / p.Reward
	}
	switch {
	case p.Picks < least || p.Picks > dim:
		return fail("Picks = %d, want in [%d, d = %d]", p.Picks, least, dim)
	case p.Picks > 0 && !(p.Share > 0 && p.Share < 1):
		return fail("Share = %v, want in (0, 1)", p.Share)
	case clipRange("", p.Norm) != nil:
		return fail("Norm = %v, want finite and > 0, in [1e-50, 1e50]", p.Norm)
	case clipRange("", p.Reward) != nil:
		return fail("Reward = %v, want finite and > 0, in [1e-50, 1e50]", p.Reward)
	case !(p.Scale >= 1e-50 && p.Scale <= 1e50 && p.Scale*p.Reward <= 1e50):
		return fail("Scale = %v, want finite and > 0, in [1e-50, 1e50]", p.Scale)
	}
	if err := p.Scores.Validate(); err != nil {
		return phase{}, fmt.Errorf("mechanism: SparseEpisodes.Phases[%d].Scores: %w", i, err)
	}
	out := phase{Phase: p, bound: float64(p.Norm*p.Norm) + float64(p.Scale*p.Scale*p.Reward*p.Reward)}
	if e.Budget.None() {
		return out, nil
	}
	pick, mu, err := e.divide(p)
	if err != nil {
		return phase{}, fmt.Errorf("mechanism: SparseEpisodes.Phases[%d]: %w", i, err)
	}
	out.sd = out.bound / mu
	if p.Picks > 0 {
		out.gumbel = 4 * p.Scores.Most() / pick
	}
	if !(out.sd > 1e-150 && out.sd < 1e150 && out.gumbel < 1e150) || p.Picks > 0 && !(out.gumbel > 1e-150) {
		return fail("Norm = %v: noise of standard deviation %v and scale %v for %v, want in [1e-150, 1e150]", p.Norm, out.sd, out.gumbel, e.Budget)
	}
	return out, nil
}

// divide divides the budget between the picks and the Gram matrix.
func (e SparseEpisodes) divide(p Phase) (pick, mu float64, err error) {
	switch {
	case p.Picks == 0:
		mu, err = e.Budget.GaussianMu()
		return 0, mu, err
	case e.Concentrated:
		rho, err := e.Budget.ZCDP()
		return math.Sqrt(8 * p.Share * rho / float64(p.Picks)), math.Sqrt(2 * (1 - p.Share) * rho), err
	}
	return e.Budget.CalibrateSelection(p.Picks, p.Share)
}

// Ends returns the number of records after which each episode ends, of those that end before the
// horizon.
func (e *sparseEpisodes) Ends() []int { return slices.Clone(e.ends) }

// at returns the phase of episode i.
func (e *sparseEpisodes) at(i int) *phase { return &e.phases[min(i, len(e.phases)-1)] }

// Start begins a run that draws its noise from n.
func (e *sparseEpisodes) Start(n *privacy.Noise) privacy.Stream[SparseGram] {
	if n == nil {
		return curator.WithoutNoise(e)
	}
	return &sparseEpisodesRun{sparseEpisodes: e, noise: n,
		scores: make([]float64, e.dim), gumbel: make([]float64, e.dim), release: SparseGram{Dim: e.dim}}
}

// Release returns what the last episode's end released.
func (e *sparseEpisodesRun) Release() *SparseGram { return &e.release }

// Clipped returns how many rows had a reward, or residual, beyond Reward. Rows that are
// longer than Norm on the support are not counted: most are.
func (e *sparseEpisodesRun) Clipped() int { return e.clipped }

// Add adds a row. moved reports whether it has ended an episode.
func (e *sparseEpisodesRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := checkRow(e.data, e.count, rec); err != nil {
		return false, err
	}
	e.count++
	episode := len(e.orders)
	p := e.at(episode)
	y := rec.Y[0]
	for i, j := range e.support[:len(e.theta)] {
		y -= float64(rec.X[j] * e.theta[i])
	}
	if math.IsNaN(y) { // of a row so large that products overflow
		y = 0
	}
	if math.Abs(y) > p.Reward {
		e.clipped++
	}
	if episode == len(e.ends) {
		return false, nil // the rest of the rounds
	}
	if p.Picks > 0 {
		p.Scores.Add(e.scores, rec.X, y)
	}
	if e.rows == nil { // now, so that a run that is never fed is small
		e.rows, e.rewards = make([]float64, 0, e.longest*e.dim), make([]float64, 0, e.longest)
	}
	e.rows = append(e.rows, rec.X...)
	e.rewards = append(e.rewards, y)
	if e.count < e.ends[episode] {
		return false, nil
	}
	e.end(p)
	return true, nil
}

// end releases the support and the Gram matrix of the open episode.
func (e *sparseEpisodesRun) end(p *phase) {
	r := SparseGram{Episode: len(e.orders) + 1, Records: len(e.rewards), Dim: e.dim, Noise: p.sd, CrossNoise: p.sd / p.Scale}
	if e.as.Refine {
		for i, v := range e.theta { // what was dropped is 0
			if v != 0 {
				r.Support, r.Centre = append(r.Support, e.support[i]), append(r.Centre, v)
			}
		}
	}
	r.Support = e.choose(p, r.Support)
	r.Centre = append(r.Centre, make([]float64, len(r.Support)-len(r.Centre))...)
	e.gram(p, &r)
	// Whoever reads the release may write to it: what the next episode depends on is kept apart.
	e.release, e.support, e.orders = r, slices.Clone(r.Support), append(e.orders, len(r.Support)+1)
	if e.as.Refine {
		e.theta = e.as.Estimate.Solve(&e.release, nil)
	}
	e.rows, e.rewards = e.rows[:0], e.rewards[:0]
	clear(e.scores)
}

// choose appends the picks to a support, of coordinates that are not in it.
func (e *sparseEpisodesRun) choose(p *phase, support []int) []int {
	if p.Picks == 0 {
		return support
	}
	clear(e.gumbel)
	if p.gumbel > 0 {
		e.noise.Gumbel(e.gumbel, p.gumbel)
	}
	for j, u := range e.scores {
		e.gumbel[j] += math.Abs(u)
	}
	for _, j := range support {
		e.gumbel[j] = math.Inf(-1)
	}
	return largest.Of(e.gumbel, min(p.Picks, e.dim-len(support)), support)
}

// gram sums the clipped rows on the support, under noise.
func (e *sparseEpisodesRun) gram(p *phase, r *SparseGram) {
	q := len(r.Support)
	sum, z := make([]float64, packed.Size(q+1)), make([]float64, q+1)
	for i, y := range e.rewards {
		row := e.rows[i*e.dim : (i+1)*e.dim]
		for a, j := range r.Support {
			z[a] = row[j]
		}
		z[q] = min(max(y, -p.Reward), p.Reward)
		packed.Shorten(z[:q], p.Norm)
		z[q] *= p.Scale
		packed.AddOuter(sum, z)
	}
	if p.sd > 0 {
		noise := make([]float64, len(sum))
		e.noise.SymmetricGaussian(noise, q+1, p.sd)
		for i, v := range noise {
			sum[i] += v
		}
	}
	r.Gram = sum[:packed.Size(q)]
	r.Cross = make([]float64, q)
	for a := range r.Cross {
		r.Cross[a] = sum[packed.Size(q)+a] / p.Scale
	}
}

// Plan returns what the ends of the episodes of so many records reveal of one record: the support
// and the Gram matrix of its own episode.
func (e *sparseEpisodes) Plan(records int) privacy.Plan { return e.plan(records, nil).HeldBy(e) }

// Plan returns the mechanism's plan with the draws of the run.
func (e *sparseEpisodesRun) Plan(records int) privacy.Plan {
	return e.plan(records, e.orders).HeldBy(e)
}

// plan returns the plan after Gram matrices of some orders.
func (e *sparseEpisodes) plan(records int, orders []int) privacy.Plan {
	p := curator.Central(privacy.ReplaceRound, e.as.Budget, "Durfee and Rogers 2019; Dwork, Talwar, Thakurta, Zhang 2014; composed here",
		curator.ClippedRows, curator.MissingUser)
	for i, end := range e.ends[:min(len(e.ends), len(e.phases))] {
		if end <= records {
			p.Cases = append(p.Cases, e.phases[i].releases(e.dim, e.phases[i].Picks+1)) // what is refined adds to the order
		}
	}
	p.Draws = []privacy.Draws{}
	for i, order := range orders {
		for _, r := range e.at(i).releases(e.dim, order) {
			p.Draws = curator.Drew(p.Draws, r, 1)
		}
	}
	p = p.Trusts(e.as.Lengths)
	for _, phase := range e.as.Phases {
		p = p.Trusts(phase.Scores)
	}
	return p
}

// releases returns what the end of an episode shows of a record: a support among dim coordinates,
// and a Gram matrix of an order.
func (p *phase) releases(dim, order int) (all []privacy.Release) {
	if p.Picks > 0 {
		all = append(all, privacy.Release{Law: privacy.GumbelLaw(dim, p.gumbel),
			Sensitivity: privacy.Norms{LInf: 2 * p.Scores.Most()}, Times: p.Picks})
	}
	return append(all, privacy.Release{Law: privacy.SymmetricGaussianLaw(order, p.sd),
		Sensitivity: privacy.Norms{L2: p.bound}})
}
