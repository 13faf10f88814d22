package trust

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// ratingSum is the lesson's mechanism: a sum of ratings in [-1, 1] under Laplace noise of scale
// sensitivity/epsilon. In world 0 a user's rating is -1, in world 1 it is +1: replaced, it moves
// the sum by 2.
func ratingSum(epsilon, sensitivity float64) audit.Mechanism {
	return audit.Mechanism{
		Name: fmt.Sprintf("sum of ratings, sensitivity %g", sensitivity), Claim: privacy.Budget{Epsilon: epsilon}, Exact: 2 * epsilon / sensitivity,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, sensitivity/epsilon)
			out[0] += 2*float64(world) - 1
			return nil
		},
	}
}

// claimAudit: ten audits of each, with a confidence of 99.9%: a false alarm for two of a hundred
// new seeds at most.
func claimAudit(s cell.Scale) (string, error) {
	runs, least := cell.Pick(s, 10_000, 50_000, 100_000), math.Inf(1)
	for seed := range 10 {
		o := audit.Options{Runs: runs, Seed: uint64(seed), Confidence: 0.999}
		wrong := check.Try(ratingSum(1, 1).Run(context.Background(), o))
		right := check.Try(ratingSum(1, 2).Run(context.Background(), o))
		for _, found := range []audit.Finding{wrong, right} {
			check.That(found.Epsilon <= found.Exact, "%s, seed %d: epsilon = %.3f is excluded, %.3g is true", found.Name, seed, found.Epsilon, found.Exact)
		}
		check.That(wrong.Excluded(), "%s, seed %d: the claim is %s", wrong.Name, seed, wrong.Verdict())
		check.That(!right.Excluded(), "%s, seed %d: the claim is %s", right.Name, seed, right.Verdict())
		least = math.Min(least, wrong.Epsilon)
	}
	return fmt.Sprintf("10 seeds, %s runs in each world, 99.9%% confidence: the wrong one is caught every time (ε ≥ %.2f at least, claimed 1, true 2), the right one never", cell.Thousands(runs), least), nil
}

// kept is the noise of a tree's nodes with a bug: it is drawn once, and all nodes have it.
type kept struct {
	mechanism.Gaussian
	drawn []float64
}

// Draw draws for the first node.
func (k *kept) Draw(n *privacy.Noise, dst []float64) {
	if k.drawn == nil {
		k.Gaussian.Draw(n, dst)
		k.drawn = slices.Clone(dst)
	}
	copy(dst, k.drawn)
}

// Plan claims what fresh noise would buy.
func (k *kept) Plan(nodes int) privacy.Plan { return privacy.PlanOf(&k.Gaussian, nodes).HeldBy(k) }

// claimLedger plays a trial with fresh noise at the nodes, and one with the bug.
func claimLedger(cell.Scale) (string, error) {
	play := func(noise func() mechanism.NodeNoise) error {
		e := &simulate.Experiment{
			Name: "ledger", Environment: func() bandit.Environment { return &environment.DecisionSets{Dim: 3, Gap: 0.1} },
			Policies: []simulate.Policy{{Name: "LinUCB", New: func() bandit.Learner {
				return learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: noise()})
			}}},
			Horizon: 100, Trials: 1, Seed: Seed,
		}
		_, err := e.Run(context.Background())
		return err
	}
	gaussian := mechanism.Gaussian{Budget: continualBudget}
	err := play(func() mechanism.NodeNoise { noise := gaussian; return &noise })
	check.That(err == nil, "fresh noise: %w", err)
	err = play(func() mechanism.NodeNoise { return &kept{Gaussian: gaussian} })
	check.That(err != nil, "noise that is kept between rounds goes unnoticed")
	return err.Error(), nil
}

// claimLineUp attacks the suite's subjects; the sound ones if all broken ones are caught.
func claimLineUp(cell.Scale) (string, error) {
	r := suite.Report{Broken: check.Try(suite.Broken(context.Background(), nil))}
	check.That(r.OK(), "%d of %d broken caught", r.Broken.Excluded(), len(r.Broken.Findings))
	r.Sound = check.Try(suite.Sound(context.Background(), suite.Quick, nil))
	check.That(r.OK(), "%s", r.Summary())
	return r.Summary(), nil
}

// Sparse vector: is a query's answer above a threshold? The threshold gets noise and each query
// gets noise. As long as no query comes out above, only the threshold's noise is paid for. If that
// is drawn anew for each query, every query is paid for.

// sparseVector is the toolkit's, for queries that a record moves by 1, and a single one above.
func sparseVector(epsilon float64) *mechanism.SparseVector {
	v := &mechanism.SparseVector{Epsilon: epsilon, Accepted: 1, Sensitivity: 1}
	check.OK(v.Init())
	return v
}

// asked is a run of queries that all have the same answer: 0 in world 0, and 1 in world 1.
type asked struct {
	queries   int
	threshold float64
	fresh     bool // the bug: each query has a threshold with new noise
}

// logAllBelow returns the logarithm of the probability that no query comes out above, by quadrature
// over the threshold's noise.
func (a asked) logAllBelow(v *mechanism.SparseVector, world float64) float64 {
	scale, own := v.Scales()
	noisy, query := distuv.Laplace{Mu: a.threshold, Scale: scale}, distuv.Laplace{Mu: world, Scale: own}
	draws, power := 1.0, float64(a.queries)
	if a.fresh {
		draws, power = power, 1
	}
	log := func(t float64) float64 { return noisy.LogProb(t) + power*math.Log(query.CDF(t)) }
	low, high, most := a.threshold-45*scale, a.threshold+45*scale, math.Inf(-1)
	for _, t := range floats.Span(make([]float64, 1000), low, high) {
		most = math.Max(most, log(t))
	}
	relative := func(t float64) float64 { return math.Exp(log(t) - most) }
	// On each side of the density's corner.
	sum := quad.Fixed(relative, low, a.threshold, 4000, nil, 0) + quad.Fixed(relative, a.threshold, high, 4000, nil, 0)
	return draws * (most + math.Log(sum))
}

// loss is the privacy loss of the event that no query comes out above.
func (a asked) loss(v *mechanism.SparseVector) float64 {
	return a.logAllBelow(v, 0) - a.logAllBelow(v, 1)
}

// measured estimates it from runs in both worlds, with its standard error. With the bug, each query
// begins a new stream.
func (a asked) measured(v *mechanism.SparseVector, runs int) (loss, se float64) {
	var log [2]float64
	square := 0.0
	for world := range log {
		noise, below := Noise(fmt.Sprintf("sparse %d %d %v", world, a.queries, a.fresh)), 0.0
	run:
		for range runs {
			v.Reset(noise)
			for range a.queries {
				if a.fresh {
					v.Reset(noise)
				}
				if check.Try(v.Above(float64(world), a.threshold)) {
					continue run
				}
			}
			below++
		}
		p := below / float64(runs)
		log[world], square = math.Log(p), square+(1-p)/(p*float64(runs))
	}
	return log[0] - log[1], math.Sqrt(square)
}

func claimSparse(s cell.Scale) (string, error) {
	const epsilon, threshold = 1.0, 12
	v := sparseVector(epsilon)
	runs := cell.Pick(s, 50_000, 200_000, 2_000_000)
	for _, fresh := range []bool{true, false} {
		for _, k := range []int{3, 10, 30} { // 6 comparisons at 4.5 standard errors: a false alarm of 4e-5 for a new seed
			a := asked{k, threshold, fresh}
			got, se := a.measured(v, runs)
			check.That(math.Abs(got-a.loss(v)) <= 4.5*se, "%d queries, fresh threshold %v: measured loss %.4f, computed %.4f", k, fresh, got, a.loss(v))
		}
	}
	one, thousand := asked{1, threshold, true}.loss(v), asked{1000, threshold, true}.loss(v)
	check.That(math.Abs(thousand/one-1000) <= 1e-6*1000 && thousand >= 5*epsilon,
		"fresh thresholds: the loss of 1 query is %.5f, that of 1000 is %.4f", one, thousand)
	worst := 0.0
	for _, threshold := range []float64{-20, 0, threshold, 40} {
		for _, k := range []int{1, 100, 10_000} {
			worst = math.Max(worst, asked{k, threshold, false}.loss(v))
		}
	}
	scale, _ := v.Scales()
	check.That(worst <= 1/scale+1e-4 && 1/scale <= epsilon/2, // the error of the quadrature
		"one threshold: the event costs %.4f, want at most the %.4f of the threshold's noise, and that below epsilon/2", worst, 1/scale)
	return fmt.Sprintf("fresh thresholds: %.4f for 1 query, %.1f for 1000; one threshold: at most %.3f for up to 10,000 queries and any threshold tried", one, thousand, worst), nil
}

// Floating-point noise (Mironov, "On significance of the least significant bits for differential
// privacy", 2012) and exact discrete noise.

// textbookLaplace draws Laplace noise of scale 1 by inversion: the logarithm of a uniform number
// with 53 bits, and a sign.
func textbookLaplace(rng *rand.Rand) float64 {
	return math.Copysign(math.Log(1-rng.Float64()), float64(rng.Uint64()&1)-0.5)
}

// beyondWorld1 reports that the release of a float64 Laplace mechanism cannot come from world 1,
// whose true value is 1: within 1/2 of zero that world's noise is between -3/2 and -1/2, a multiple
// of 2^-53, and so is the sum.
func beyondWorld1(y float64) bool {
	scaled := math.Ldexp(y, 53)
	return math.Abs(y) < 0.5 && scaled != math.Trunc(scaled)
}

// claimLowBits releases the world's number, 0 or 1, with epsilon = 1, and counts the releases whose
// low bits prove world 0.
func claimLowBits(s cell.Scale) (string, error) {
	releases := cell.Pick(s, 20_000, 100_000, 1_000_000)
	rng, n, z := random.New(Seed, 0, "textbook"), Noise("low bits"), []float64{0}
	secure := &mechanism.SecureLaplace{Epsilon: 1, Dim: 1, Bound: 0.5} // a record is -1/2 or 1/2
	check.OK(secure.Init())
	var evidence string
	for _, r := range []struct {
		name  string
		leaks bool
		draw  func(world float64) float64
	}{
		{"textbook inversion, float64", true, func(world float64) float64 { return world + textbookLaplace(rng) }},
		{"privacy.Noise, float64, seeded", true, func(world float64) float64 {
			n.Laplace(z, 1)
			return world + z[0]
		}},
		{"mechanism.SecureLaplace, discrete, system's randomness", false, func(world float64) float64 {
			check.OK(secure.Add([]float64{world - 0.5}))
			check.OK(secure.Release(z))
			return z[0] + 0.5
		}},
	} {
		var shares [2]float64
		for world := range shares {
			for range releases {
				if beyondWorld1(r.draw(float64(world))) {
					shares[world] += 1 / float64(releases)
				}
			}
		}
		check.That(shares[1] == 0, "%s: %.4f of the releases in world 1 prove world 0", r.name, shares[1])
		check.That(r.leaks && shares[0] > 0.1 || !r.leaks && shares[0] == 0, "%s: %.4f of the releases in world 0 prove it", r.name, shares[0])
		evidence += fmt.Sprintf("%s: %.1f%%; ", r.name, 100*shares[0])
	}
	return evidence + fmt.Sprintf("%s releases", cell.Thousands(releases)), nil
}

// claimDiscrete is a chi-square test of both laws, of the integers from -14 to 14 and of all others
// together. The system's randomness has no seed: each test has a false alarm of 6e-7 in each run.
func claimDiscrete(s cell.Scale) (string, error) {
	const scale, reach = 4, 14
	draws, system := cell.Pick(s, 50_000, 200_000, 1_000_000), random.NewSystem()
	gaussian, laplace := check.Try(random.NewDiscreteGaussian(scale*scale, 1)), check.Try(random.NewDiscreteLaplace(scale, 1))
	var evidence string
	for _, c := range []struct {
		name   string
		draw   func(rand.Source) int64
		weight func(z float64) float64
	}{
		{"Gaussian", gaussian.Rand, func(z float64) float64 { return math.Exp(-z * z / (2 * scale * scale)) }},
		{"Laplace", laplace.Rand, func(z float64) float64 { return math.Exp(-math.Abs(z) / scale) }},
	} {
		// Place 0 is for all others.
		place := func(z int64) int64 {
			if z < -reach || z > reach {
				return 0
			}
			return z + reach + 1
		}
		counts, want, total := make([]float64, 2*reach+2), make([]float64, 2*reach+2), 0.0
		for range draws {
			counts[place(c.draw(system))]++
		}
		for z := int64(-2000); z <= 2000; z++ {
			want[place(z)] += c.weight(float64(z))
			total += c.weight(float64(z))
		}
		floats.Scale(float64(draws)/total, want)
		square, freedom := stat.ChiSquare(counts, want), float64(len(counts)-1)
		p := distuv.ChiSquared{K: freedom}.CDF(square)
		check.That(min(p, 1-p) > 3e-7, "%s: chi-square %.1f with %.0f degrees of freedom, %.3g of it below", c.name, square, freedom, p)
		evidence += fmt.Sprintf("%s: χ² = %.1f with %.0f degrees of freedom; ", c.name, square, freedom)
	}
	return evidence + fmt.Sprintf("%s draws each", cell.Thousands(draws)), nil
}
