package trust

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/broken"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// claimLineUp attacks the suite's subjects; the sound ones if all broken ones are caught. At smoke
// scale the sound ones are the transcripts of sums: TestAudit of the suite makes all of its attacks
// at that scale, with the same seed.
func claimLineUp(s cell.Scale) (string, error) {
	r := suite.Report{Broken: check.Try(audit.Each(context.Background(), broken.All(), suite.Options))}
	check.That(r.OK(), "%d of %d broken caught", r.Broken.Excluded(), len(r.Broken.Findings))
	if s == cell.Smoke {
		r.Sound = check.Try(audit.Family(context.Background(), suite.Quick.Releases(), suite.Options))
	} else {
		r.Sound = check.Try(audit.Family(context.Background(), suite.Quick.Items(), suite.Options))
	}
	check.That(r.OK(), "%s", r.Summary())
	return r.Summary(), nil
}

// Sparse vector: is a query's answer above a threshold? The threshold gets noise and each query
// gets noise. As long as no query comes out above, only the threshold's noise is paid for. If that
// is drawn anew for each query, every query is paid for.

// sparseVector is the toolkit's, for queries that a record moves by 1, and a single one above.
func sparseVector(epsilon float64) mechanism.Calibrated[mechanism.Comparisons] {
	return check.Try(mechanism.SparseVector{Epsilon: epsilon, Accepted: 1, Sensitivity: 1}.Open())
}

// asked is a run of queries that all have the same answer: 0 in world 0, and 1 in world 1.
type asked struct {
	queries   int
	threshold float64
	fresh     bool // the bug: each query has a threshold with new noise
}

// logAllBelow returns the logarithm of the probability that no query comes out above, by quadrature
// over the threshold's noise.
func (a asked) logAllBelow(v mechanism.Calibrated[mechanism.Comparisons], world float64) float64 {
	scale, own := v.Start(nil).Scales()
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
func (a asked) loss(v mechanism.Calibrated[mechanism.Comparisons]) float64 {
	return a.logAllBelow(v, 0) - a.logAllBelow(v, 1)
}

// measured estimates it from runs in both worlds, with its standard error. With the bug, each query
// begins a new stream.
func (a asked) measured(v mechanism.Calibrated[mechanism.Comparisons], runs int) (loss, se float64) {
	var log [2]float64
	square := 0.0
	for world := range log {
		noise, below := Noise(fmt.Sprintf("sparse %d %d %v", world, a.queries, a.fresh)), 0.0
	run:
		for range runs {
			queries := v.Start(noise)
			for range a.queries {
				if a.fresh {
					queries = v.Start(noise)
				}
				if check.Try(queries.Above(float64(world), a.threshold)) {
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
	scale, _ := v.Start(nil).Scales()
	check.That(worst <= 1/scale+1e-4 && 1/scale <= epsilon/2, // the error of the quadrature
		"one threshold: the event costs %.4f, want at most the %.4f of the threshold's noise, and that below epsilon/2", worst, 1/scale)
	return fmt.Sprintf("fresh thresholds: %.4f for 1 query, %.1f for 1000; one threshold: at most %.3f for up to 10,000 queries and any threshold tried", one, thousand, worst), nil
}

// claimDiscrete is a chi-square test of both laws, of the integers from -14 to 14 and of all others
// together. The system's randomness has no seed: each test has a false alarm of 6e-7 in each run.
func claimDiscrete(s cell.Scale) (string, error) {
	const scale, reach = 4, 14
	draws, system := cell.Pick(s, 50_000, 200_000, 1_000_000), new(random.System)
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
