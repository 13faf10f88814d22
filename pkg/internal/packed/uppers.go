package packed

import "math"

// Uppers5 writes <x, centre> + beta sqrt(x^T A x) into dst for each row x of a matrix, which is
// row-major with len(dst) >= 1 rows of 5 numbers. It returns the index of the greatest, the lowest
// of those that tie. ok is false if a result is not finite. The results are the very numbers that
// [Products] and [Quadratic] give.
func Uppers5(dst, rows []float64, centre *[5]float64, a *[15]float64, beta float64) (best int, ok bool) {
	top, check, done := math.Inf(-1), 0.0, 0
	if vectors && len(dst) >= 4 {
		done = len(dst) &^ 3
		var tops, checks [4]float64
		uppersVectors(dst[:done], rows[:5*done], centre, a, beta, &tops, &checks)
		top = max(tops[0], tops[1], tops[2], tops[3])
		check = checks[0] + checks[1] + checks[2] + checks[3]
	}
	top, check = uppersPlain(dst[done:], rows[5*done:], centre, a, beta, top, check)
	if check != 0 {
		return 0, false
	}
	for dst[best] != top {
		best++
	}
	return best, true
}

// uppersPlain does what Uppers5 does, one row at a time. It goes on from the greatest number so
// far, and from a sum that is 0 if all numbers so far are finite, else NaN.
func uppersPlain(dst, rows []float64, centre *[5]float64, a *[15]float64, beta, top, check float64) (float64, float64) {
	Quadratics(dst, a[:], rows, 5)
	c0, c1, c2, c3, c4 := centre[0], centre[1], centre[2], centre[3], centre[4]
	for i, square := range dst {
		x := (*[5]float64)(rows[:5])
		rows = rows[5:]
		dot := (float64(x[0]*c0) + float64(x[1]*c1)) + (float64(x[2]*c2) + float64(x[3]*c3)) + float64(x[4]*c4)
		v := dot + float64(beta*math.Sqrt(square))
		dst[i] = v
		top = max(top, v)
		check += v - v
	}
	return top, check
}

// Upper5 returns <x, centre> and beta sqrt(x^T A x).
func Upper5(x, centre *[5]float64, a *[15]float64, beta float64) (dot, width float64) {
	dot = (float64(x[0]*centre[0]) + float64(x[1]*centre[1])) + (float64(x[2]*centre[2]) + float64(x[3]*centre[3])) + float64(x[4]*centre[4])
	return dot, float64(beta * math.Sqrt(quadratic5(a, x)))
}
