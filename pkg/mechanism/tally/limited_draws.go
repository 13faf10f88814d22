package tally

import (
	"fmt"
	"math"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// LimitedDraws releases a limited number of draws of each mean, as DP-TS-UCB makes them, and
// accounts for what they reveal. Nothing is added for privacy: the noise is that of the draws (Hu,
// Huang, Zhang, Lecuyer, Hegde 2025).
//
// An arm's epochs have b, 2 b, 4 b, ... observations. When one is over, its n observations, and no
// others, make the arm's mean. In units in which weights are in [0, 1], and for a horizon T, each
// record then releases a draw
//
//	N(mean, V/n),   V = (ln T)^Alpha,
//
// until the next epoch is over, or there were Draws of them. From then on Estimate.Mean is the
// largest of these. Before all arms have a mean, each has one draw. Estimate.Count is n, and
// Estimate.Tail bounds the noise in one draw. Logarithms are natural, and T is at least 3 in them.
//
// A record is the weights of one round, each in [Lo, Hi]; the draws are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms, and each is in one epoch, whose mean it moves by at most 1/n. A draw is thus
// 1/sqrt(V n)-GDP, the squares add up over the draws of an epoch, and n >= b:
//
//	mu^2 = K min(Draws, T-b+1)/(V b).
//
// The largest of the draws costs nothing, and so there is no 2 before this, as in the paper's
// Theorem 4.4, for b = 1. No less is true, either: normal draws tell of their mean what their
// average does, a Gaussian release of variance V/(n Draws). b is the least for which mu is that of
// the Budget, or less.
//
// Draws is by default c T^((1-Alpha)/2) (ln T)^((3-Alpha)/2), rounded up, for c = sqrt(2 pi e). Of
// the paper's constant we know no more than that it is one. With this one the largest draw is below
// the true mean m with a probability of at most 2/T. Proof: by Hoeffding's inequality the mean is
// above m - sqrt(ln T/(2 n)), but for 1/T. The largest draw is then below m only if none of so many
// standard normal numbers exceeds z = sqrt((ln T)^(1-Alpha)/2), which has a probability of at most
// 1/T if Draws >= ln T/-ln(1-P(N > z)). A test compares the two numbers. As P(N > z) is of the
// order of exp(-z^2/2)/z, the second is of that of
//
//	(ln T)^((3-Alpha)/2) exp((ln T)^(1-Alpha)/4)
//
// only. So fewer draws than the paper's would do: the exponential is T^(1/4) for Alpha = 0, and
// less than any power of T for Alpha > 0. With so many and b = 1, mu would be of the order of
// (ln T)^(3(1-Alpha)/4) exp((ln T)^(1-Alpha)/8).
//
// The trust model is central. There is no warm-up. The noise is for research: floating-point noise
// leaks through its low bits (Mironov 2012), and sums round as those of [Blocks] do.
type LimitedDraws struct {
	// Budget has no default, and delta > 0. epsilon = +Inf means b = 1, as in the paper.
	Budget privacy.Budget
	Alpha  float64 // in [0, 1]: of the draws of one b, 0 is the least regret, 1 the most privacy
	Draws  int     // of each mean, >= 1; 0 means as many as in the paper
}

var _ privacy.Tally = LimitedDraws{}

// limitedDraws are LimitedDraws for a setup.
type limitedDraws struct {
	curator.Planned
	data         privacy.Setup
	first, draws int     // b, and Draws
	sd           float64 // of the noise on a mean of n times sqrt(n), in the units of the weights
}

// limitedRun is a run of LimitedDraws.
type limitedRun struct {
	*limitedDraws
	tallied
	noise  *privacy.Noise
	unseen int       // arms without a mean
	buf    []float64 // for a draw of each arm
	drawn  int
	sums   []float64 // by arm, of weights less Lo in the open epoch
	open   []int     // by arm, observations missing until the epoch is over
	at     []float64 // by arm, the mean
	roots  []float64 // by arm, sqrt(n)
	left   []int     // by arm, draws of the mean that are left; -1 if the largest was released
	most   []float64 // by arm, the largest
}

// Open validates, and computes how long epochs have to be, and what the draws reveal.
func (of LimitedDraws) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 7); err != nil {
		return nil, err
	}
	switch {
	case s.WarmUp:
		return nil, fmt.Errorf("mechanism: LimitedDraws has no warm-up: Setup.WarmUp = true, want false")
	case !(of.Alpha >= 0 && of.Alpha <= 1):
		return nil, fmt.Errorf("mechanism: LimitedDraws.Alpha = %v, want in [0, 1]", of.Alpha)
	case of.Draws < 0:
		return nil, fmt.Errorf("mechanism: LimitedDraws.Draws = %d, want >= 1, or 0 for the paper's", of.Draws)
	case !(of.Budget.Delta > 0 && of.Budget.Delta < 1):
		return nil, fmt.Errorf("mechanism: LimitedDraws.Budget has delta = %v, want in (0, 1)", of.Budget.Delta)
	case s.Horizon > math.MaxInt/s.Arms:
		return nil, fmt.Errorf("mechanism: Setup.Horizon = %d, want <= %d for %d arms: their draws are counted", s.Horizon, math.MaxInt/s.Arms, s.Arms)
	}
	most, err := of.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	horizon := float64(max(3, s.Horizon))
	log := portable.Log(horizon)
	root := math.Sqrt(portable.Pow(log, of.Alpha))
	d := &limitedDraws{data: s, draws: of.Draws, sd: root * (s.Hi - s.Lo)}
	if d.draws == 0 {
		const c = 4.132731354122493 // sqrt(2 pi e)
		d.draws = int(math.Ceil(c * portable.Pow(horizon, (1-of.Alpha)/2) * portable.Pow(log, (3-of.Alpha)/2)))
	}
	mu := func(first int) float64 {
		return math.Sqrt(float64(s.Slots)*float64(min(d.draws, s.Horizon-first+1))/float64(first)) / root
	}
	d.first = 1 + sort.Search(s.Horizon, func(i int) bool { return mu(1+i) <= most })
	asked := of.Budget
	if math.IsInf(most, 1) {
		asked.Epsilon = account.GaussianEpsilon(asked.Delta, mu(1))
	}
	if !(asked.Epsilon > 0) || math.IsInf(asked.Epsilon, 0) {
		return nil, fmt.Errorf("mechanism: LimitedDraws of Alpha = %v, Draws = %d and delta = %v are epsilon-DP for epsilon = %v, want > 0 and finite",
			of.Alpha, d.draws, asked.Delta, asked.Epsilon)
	}
	moved := (s.Hi - s.Lo) / math.Sqrt(float64(d.first))
	if !(moved >= leastMove) {
		return nil, fmt.Errorf("mechanism: LimitedDraws of a range of %v: a sum over a root moves by %v, want >= %v", s.Hi-s.Lo, moved, leastMove)
	}
	one := ofWeights(s, asked, "DP-TS-UCB's own draws: Hu, Huang, Zhang, Lecuyer, Hegde 2025")
	d.Planned = curator.Plans(one.With(privacy.Release{
		Law: privacy.GaussianLaw(1, d.sd), Sensitivity: privacy.Norms{L1: moved, L2: moved}, Optional: true,
	}), s.Slots*d.rounds(s.Horizon))
	return d, nil
}

// rounds returns in how many of so many rounds there is a draw of the same mean, at most.
func (d *limitedDraws) rounds(n int) int {
	return max(0, min(d.draws, min(n, d.data.Horizon)-d.first+1))
}

// Start begins a run that draws its noise from n.
func (d *limitedDraws) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(d)
	}
	floats, ints := func() []float64 { return make([]float64, d.data.Arms) }, func() []int { return make([]int, d.data.Arms) }
	r := &limitedRun{limitedDraws: d, tallied: newTallied(d.data), noise: n, unseen: d.data.Arms,
		buf: floats(), sums: floats(), open: ints(), at: floats(), roots: floats(), left: ints(), most: floats()}
	for arm := range r.open {
		r.open[arm], r.left[arm] = d.first, -1
	}
	return r
}

// Add adds a record, releases a new draw of each mean that has any left, and the largest one of
// each that had its last one after the record before. moved reports whether there are any.
func (d *limitedRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := d.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		d.sums[arm] += d.over(rec.Y[i])
		d.seen[arm]++
		if d.open[arm]--; d.open[arm] == 0 {
			d.end(arm)
		}
	}
	for arm, n := range d.left {
		if n == 0 {
			d.left[arm] = -1
			d.means.Of[arm].Mean = d.most[arm]
			d.means.Changed = append(d.means.Changed, arm)
		}
	}
	settled := len(d.means.Changed)
	for arm, n := range d.left {
		if n == d.draws || n > 0 && d.unseen == 0 {
			d.left[arm]--
			d.means.Changed = append(d.means.Changed, arm)
		}
	}
	drawn := d.buf[:len(d.means.Changed)-settled]
	d.noise.GaussianEach(drawn, d.sd)
	d.drawn += len(drawn)
	for i, arm := range d.means.Changed[settled:] {
		x := d.setup.Lo + (d.at[arm] + drawn[i]/d.roots[arm]) // noise before Lo, by whose digits a record would show
		d.means.Of[arm].Mean, d.most[arm] = x, max(d.most[arm], x)
	}
	return len(d.means.Changed) > 0, nil
}

// end ends an arm's epoch of n observations, and begins the next. The epochs before have n - b.
func (d *limitedRun) end(arm int) {
	n := (d.seen[arm] + d.first) / 2
	root := math.Sqrt(float64(n))
	d.at[arm], d.roots[arm] = d.sums[arm]/float64(n), root
	d.sums[arm], d.open[arm], d.left[arm], d.most[arm] = 0, 2*n, d.draws, math.Inf(-1)
	of := &d.means.Of[arm]
	if of.Count == 0 {
		d.unseen--
	}
	of.Count, of.Tail = n, privacy.Tail{Root: tailOfEqual(true, 1, d.sd).Root / root}
}

// Plan returns what the draws of up to the given number of records reveal of one record: those of
// the mean that it is in, of each of its arms.
func (d *limitedDraws) Plan(records int) privacy.Plan { return d.plan(records, 0).HeldBy(d) }

// Plan returns the tally's plan with the draws of the run.
func (d *limitedRun) Plan(records int) privacy.Plan { return d.plan(records, d.drawn).HeldBy(d) }

func (d *limitedDraws) plan(records, drawn int) privacy.Plan {
	return d.Shown(d.data.Slots*d.rounds(max(0, records)), drawn)
}
