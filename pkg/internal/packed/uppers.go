package packed

import "math"

// Uppers5 writes <x, centre> + beta sqrt(x^T A x) into dst for each row x of a matrix, which is
// row-major with len(dst) >= 1 rows of 5 numbers. It returns the index of the greatest, the lowest
// of those that tie. ok is false if a result is not finite. The results are the very numbers that
// [Products] and [Quadratic] give.
func Uppers5(dst, rows []float64, centre *[5]float64, a *[15]float64, beta float64) (best int, ok bool) {
	top, check := math.Inf(-1), 0.0
	done := len(dst) &^ 3
	if vectors && done > 0 {
		var tops, checks [4]float64
		uppersVectors(dst[:done], rows[:5*done], centre, a, beta, &tops, &checks)
		top = max(tops[0], tops[1], tops[2], tops[3])
		check = checks[0] + checks[1] + checks[2] + checks[3]
	} else {
		done = 0
	}
	for i := done; i < len(dst); i++ {
		v := Upper5((*[5]float64)(rows[5*i:]), centre, a, beta)
		dst[i] = v
		top = max(top, v)
		check += v - v // NaN if v is not finite
	}
	if check != 0 {
		return 0, false
	}
	for dst[best] != top {
		best++
	}
	return best, true
}

// Upper5 returns <x, centre> + beta sqrt(x^T A x).
func Upper5(x, centre *[5]float64, a *[15]float64, beta float64) float64 {
	dot := (float64(x[0]*centre[0]) + float64(x[1]*centre[1])) + (float64(x[2]*centre[2]) + float64(x[3]*centre[3])) + float64(x[4]*centre[4])
	return dot + float64(beta*math.Sqrt(quadratic5(a, x)))
}
