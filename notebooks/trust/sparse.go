package trust

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Sparse vector: is a query's answer above a threshold? The threshold gets noise and each query
// gets noise. As long as no query comes out above, only the threshold's noise is paid for. If that
// is drawn anew for each query, every query is paid for.

// SparseVector is the toolkit's, for queries that a record moves by 1, and a single one above.
func SparseVector(epsilon float64) (*mechanism.SparseVector, error) {
	v := &mechanism.SparseVector{Epsilon: epsilon, Accepted: 1, Sensitivity: 1}
	return v, v.Init()
}

// AllBelow asks so many queries with the same answer and reports whether none came out above the
// threshold. With the bug, it begins a new stream for each query, whose threshold has new noise.
func AllBelow(v *mechanism.SparseVector, n *privacy.Noise, queries int, answer, threshold float64, fresh bool) bool {
	v.Reset(n)
	for range queries {
		if fresh {
			v.Reset(n)
		}
		if above, err := v.Above(answer, threshold); above || err != nil {
			return false
		}
	}
	return true
}

// logAllBelow returns the logarithm of its probability, by quadrature over the threshold's noise.
func logAllBelow(v *mechanism.SparseVector, queries int, answer, threshold float64, fresh bool) float64 {
	power := queries
	if fresh {
		power = 1
	}
	scale, query := v.Scales()
	const steps, reach = 40_000, 45.0 // Simpson's rule on each side of the density's corner, out to e^-45
	logs, most := make([]float64, 0, 2*steps+2), math.Inf(-1)
	for _, side := range []float64{-1, 1} {
		for i := 0; i <= steps; i++ {
			u := reach * float64(i) / steps
			weight := 2.0
			if i%2 == 1 {
				weight = 4
			}
			if i == 0 || i == steps {
				weight = 1
			}
			log := math.Log(weight*reach/steps/3/2) - u + float64(power)*logLaplaceCDF((threshold+side*u*scale-answer)/query)
			logs, most = append(logs, log), math.Max(most, log)
		}
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	log := most + math.Log(sum)
	if fresh {
		log *= float64(queries)
	}
	return log
}

// logLaplaceCDF is the logarithm of the distribution function of the standard Laplace law.
func logLaplaceCDF(x float64) float64 {
	if x < 0 {
		return x - math.Ln2
	}
	return math.Log1p(-math.Exp(-x) / 2)
}

// AllBelowLoss is the privacy loss of the event that no query comes out above: the neighbouring
// data set has every answer larger by 1.
func AllBelowLoss(v *mechanism.SparseVector, queries int, threshold float64, fresh bool) float64 {
	return logAllBelow(v, queries, 0, threshold, fresh) - logAllBelow(v, queries, 1, threshold, fresh)
}

// sparseThreshold is the threshold above the answers of the first world.
const sparseThreshold = 12

// measureLoss estimates the loss of the event from runs in both worlds, with its standard error.
func measureLoss(v *mechanism.SparseVector, queries, runs int, fresh bool) (loss, se float64) {
	var log, square float64
	for world := range 2 {
		n, count := Noise(fmt.Sprintf("sparse %d %d %v", world, queries, fresh)), 0
		for range runs {
			if AllBelow(v, n, queries, float64(world), sparseThreshold, fresh) {
				count++
			}
		}
		p := float64(count) / float64(runs)
		log, square = math.Log(p)-log, square+(1-p)/(p*float64(runs))
	}
	return -log, math.Sqrt(square)
}

func claimSparse(s lab.Scale) (string, error) {
	const epsilon = 1.0
	v, err := SparseVector(epsilon)
	if err != nil {
		return "", err
	}
	runs := cell.Pick(s, 50_000, 200_000, 2_000_000)
	for _, fresh := range []bool{true, false} {
		for _, k := range []int{3, 10, 30} { // 6 comparisons at 4.5 standard errors: a false alarm of 4e-5 for a new seed
			got, se := measureLoss(v, k, runs, fresh)
			if want := AllBelowLoss(v, k, sparseThreshold, fresh); math.Abs(got-want) > 4.5*se {
				return "", fmt.Errorf("%d queries, fresh threshold %v: measured loss %.4f, computed %.4f", k, fresh, got, want)
			}
		}
	}
	one, thousand := AllBelowLoss(v, 1, sparseThreshold, true), AllBelowLoss(v, 1000, sparseThreshold, true)
	if math.Abs(thousand/one-1000) > 1e-6*1000 || thousand < 5*epsilon {
		return "", fmt.Errorf("fresh thresholds: the loss of 1 query is %.5f, that of 1000 is %.4f", one, thousand)
	}
	worst := 0.0
	for _, threshold := range []float64{-20, 0, sparseThreshold, 40} {
		for _, k := range []int{1, 100, 10_000} {
			worst = math.Max(worst, AllBelowLoss(v, k, threshold, false))
		}
	}
	scale, _ := v.Scales()
	if worst > 1/scale+1e-4 || 1/scale > epsilon/2 { // the error of the quadrature
		return "", fmt.Errorf("one threshold: the event costs %.4f, want at most the %.4f of the threshold's noise, and that below epsilon/2", worst, 1/scale)
	}
	return fmt.Sprintf("fresh thresholds: %.4f for 1 query, %.1f for 1000; one threshold: at most %.3f for up to 10,000 queries and any threshold tried", one, thousand, worst), nil
}
