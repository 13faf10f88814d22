package survey

import "math"

// HalvingBound is what bounds how often sequential halving does not name the best arm after so many
// rounds, as the comment of arms.SequentialHalving proves. Means are in descending order.
func HalvingBound(means []float64, epsilon float64, rounds int) (sum float64) {
	phases := math.Ceil(math.Log2(float64(len(means))))
	for s := len(means); s > 1; s = (s + 1) / 2 {
		n, q := math.Floor(float64(rounds)/(float64(s)*phases)), s/4
		gap := means[0] - means[q+1]
		p := math.Exp(-n * gap * gap / 4)
		if x := epsilon * n * gap / 2; !math.IsInf(x, 1) {
			p += float64((2 + x) * math.Exp(-x) / 4)
		}
		sum += float64(p * float64(s-1-q) / float64((s+1)/2-q))
	}
	return sum
}
