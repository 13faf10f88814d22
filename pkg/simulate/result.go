package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Result holds the finished trials of an experiment, trial by trial.
type Result struct {
	Name string
	Grid []int // rounds, increasing
	// Finished lists the trials that finished, increasing: all of them unless the run was stopped or
	// trials failed.
	Finished   []int
	Policies   []PolicyResult // in the experiment's order
	Pairs      [][2]string    // the experiment's
	Provenance Provenance
}

// PolicyResult holds the regret, the warnings and the privacy claim of one policy.
type PolicyResult struct {
	Name     string
	Regret   [][]float64      // [finished trial][grid point]: cumulative expected regret
	Warnings []bandit.Warning // counts summed over the trials, in order of first appearance
	// Claim is what the opened learner promises; nil if it holds no privacy.Plan.
	Claim *privacy.Claim
}

// Epsilon returns the epsilon that is proved for the policy; +Inf if it claims none.
func (p PolicyResult) Epsilon() float64 {
	if p.Claim == nil {
		return math.Inf(1)
	}
	return p.Claim.Epsilon()
}

// Curve summarises a policy's cumulative regret over the trials at each grid point. SE is the
// standard error of the mean, NaN for a single trial; a 95% confidence interval is Mean plus and
// minus SE times [Curve.Student95]. Quantiles interpolate linearly between order statistics. Worst
// is the mean of the worst tenth of the trials, rounded up: regret may have a heavy tail.
type Curve struct {
	Policy        string
	Rounds        []int
	Mean, SE      []float64
	Q10, Q50, Q90 []float64
	Worst         []float64
	Trials        int
}

// Student95 returns how many standard errors a 95% confidence interval of a mean has on each side:
// the quantile of Student's t with Trials-1 degrees of freedom. It is 12.7 for 2 trials, 2.4 for 8
// and 1.96 for very many, and NaN for fewer than 2.
func (c Curve) Student95() float64 {
	if c.Trials < 2 {
		return math.NaN()
	}
	return portable.StudentQuantile(0.975, float64(c.Trials-1))
}

// Final returns the mean regret at the last round.
func (c Curve) Final() float64 { return c.Mean[len(c.Mean)-1] }

// Last returns the last round of the curve, its mean there and the mean's standard error.
func (c Curve) Last() (round int, mean, se float64) {
	k := len(c.Rounds) - 1
	return c.Rounds[k], c.Mean[k], c.SE[k]
}

// Policy returns the results of the policy with that name.
func (r *Result) Policy(name string) (*PolicyResult, error) {
	for i := range r.Policies {
		if r.Policies[i].Name == name {
			return &r.Policies[i], nil
		}
	}
	return nil, fmt.Errorf("simulate: result %q has no policy %q", r.Name, name)
}

// Curves returns the curves of all policies, in the experiment's order.
func (r *Result) Curves() []Curve {
	curves := make([]Curve, len(r.Policies))
	for i, p := range r.Policies {
		curves[i] = summarise(p.Name, r.Grid, p.Regret)
	}
	return curves
}

// Curve returns the curve of one policy.
func (r *Result) Curve(policy string) (Curve, error) {
	p, err := r.Policy(policy)
	if err != nil {
		return Curve{}, err
	}
	return summarise(p.Name, r.Grid, p.Regret), nil
}

// Paired returns the curve of the trial-by-trial difference of cumulative regret, policy a minus
// policy b. Use it to judge which policy is better: both saw the same contexts and rewards, so its
// standard error is usually much smaller than those of the two curves. The curve's Policy is "a -
// b".
func (r *Result) Paired(a, b string) (Curve, error) {
	pa, err := r.Policy(a)
	if err != nil {
		return Curve{}, err
	}
	pb, err := r.Policy(b)
	if err != nil {
		return Curve{}, err
	}
	diff := make([][]float64, len(pa.Regret))
	for t := range diff {
		diff[t] = make([]float64, len(r.Grid))
		for g := range diff[t] {
			diff[t][g] = pa.Regret[t][g] - pb.Regret[t][g]
		}
	}
	return summarise(a+" - "+b, r.Grid, diff), nil
}

// Final returns a policy's cumulative regret at the last round, one value for each finished trial.
func (r *Result) Final(policy string) ([]float64, error) {
	p, err := r.Policy(policy)
	if err != nil {
		return nil, err
	}
	final := make([]float64, len(p.Regret))
	for t, regret := range p.Regret {
		final[t] = regret[len(regret)-1]
	}
	return final, nil
}

// Quantile returns the p-quantile of a policy's cumulative regret at each grid point, p in [0, 1].
func (r *Result) Quantile(policy string, p float64) ([]float64, error) {
	if !(p >= 0 && p <= 1) {
		return nil, fmt.Errorf("simulate: quantile p = %v, want in [0, 1]", p)
	}
	pr, err := r.Policy(policy)
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(r.Grid))
	column := make([]float64, len(pr.Regret))
	for g := range q {
		for t := range column {
			column[t] = pr.Regret[t][g]
		}
		slices.Sort(column)
		q[g] = quantile(column, p)
	}
	return q, nil
}

// summarise returns the curve of numbers by trial and round of the grid, of which there is at least
// one.
func summarise(name string, grid []int, trials [][]float64) Curve {
	n := len(grid)
	c := Curve{
		Policy: name, Rounds: grid, Trials: len(trials),
		Mean: make([]float64, n), SE: make([]float64, n),
		Q10: make([]float64, n), Q50: make([]float64, n), Q90: make([]float64, n), Worst: make([]float64, n),
	}
	column := make([]float64, len(trials))
	for g := range grid {
		for t := range trials {
			column[t] = trials[t][g]
		}
		mean, std := meanStd(column)
		c.Mean[g], c.SE[g] = mean, std/math.Sqrt(float64(len(column)))
		if len(column) < 2 {
			c.SE[g] = math.NaN()
		}
		slices.Sort(column)
		c.Q10[g], c.Q50[g], c.Q90[g] = quantile(column, 0.1), quantile(column, 0.5), quantile(column, 0.9)
		c.Worst[g], _ = meanStd(column[len(column)-(len(column)+9)/10:])
	}
	return c
}

// meanStd returns the mean and the standard deviation with n-1 in the denominator, which is 0 for n
// < 2. It sums in order, so the numbers are the same on every machine.
func meanStd(x []float64) (mean, std float64) {
	var sum, square, rest float64
	for _, v := range x {
		sum += v
	}
	n := float64(len(x))
	mean = sum / n
	for _, v := range x {
		d := v - mean
		square += float64(d * d)
		rest += d // 0, up to the rounding of the mean
	}
	if len(x) < 2 {
		return mean, 0
	}
	return mean, math.Sqrt((square - rest*rest/n) / (n - 1))
}

// quantile returns the p-quantile of a sorted slice by linear interpolation between the order
// statistics around (n-1)p, the default of R and NumPy. (gonum's LinInterp interpolates the
// distribution function instead: its median of 1, 2, 3 is 1.5.)
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := float64(float64(len(sorted)-1) * p)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}

// result reduces the finished trials in trial order. records lists them by trial, nil where there
// is none; from says which program ran them.
func (p *Prepared) result(records []*Record, from Origin) *Result {
	r := &Result{Name: p.Name, Grid: p.grid, Pairs: p.Pairs, Policies: make([]PolicyResult, len(p.Policies))}
	for i, policy := range p.Policies {
		r.Policies[i].Name, r.Policies[i].Claim = policy.Name, p.claims[i]
	}
	for trial, rec := range records {
		if rec == nil {
			continue
		}
		r.Finished = append(r.Finished, trial)
		for i := range r.Policies {
			policy := &r.Policies[i]
			policy.Regret = append(policy.Regret, rec.Regret[i])
			policy.Warnings = addWarnings(policy.Warnings, rec.Warnings[i])
		}
	}
	r.Provenance = p.provenance(records, from)
	return r
}

func addWarnings(sum, more []bandit.Warning) []bandit.Warning {
	for _, w := range more {
		i := slices.IndexFunc(sum, func(s bandit.Warning) bool { return s.What == w.What })
		if i < 0 {
			sum = append(sum, w)
			continue
		}
		sum[i].Count += w.Count
	}
	return sum
}
