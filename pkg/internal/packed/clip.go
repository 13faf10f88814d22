package packed

import "math"

// Norm returns the Euclidean norm of a finite vector, without overflow or underflow of squares. It
// is +Inf if the norm itself exceeds the largest float64.
func Norm(v []float64) float64 {
	greatest, root := scaled(v)
	return greatest * root
}

// Beyond reports whether a norm exceeds its bound, given the norm's square. A norm on the bound, up
// to rounding, does not.
func Beyond(square, bound float64) bool { return square > bound*bound*(1+1e-12) }

// Shorten scales a finite vector v down to a Euclidean norm of at most bound, however long v is.
func Shorten(v []float64, bound float64) {
	greatest, root := scaled(v)
	if greatest*root <= bound {
		return
	}
	for i := range v {
		v[i] = v[i] / greatest * (bound / root)
	}
}

// scaled returns the largest absolute value of a vector, and the norm of the vector divided by it.
func scaled(v []float64) (greatest, root float64) {
	for _, x := range v {
		greatest = max(greatest, math.Abs(x))
	}
	if greatest == 0 {
		return 0, 0
	}
	var square float64
	for _, x := range v {
		x /= greatest
		square += float64(x * x)
	}
	return greatest, math.Sqrt(square)
}

// Finite reports whether a vector has neither a NaN nor an infinity.
func Finite(v []float64) bool {
	// If one is not finite, no sum that it is in is. But a sum of finite numbers may overflow.
	var s0, s1, s2, s3 float64
	rest := v
	for ; len(rest) >= 4; rest = rest[4:] {
		s0, s1, s2, s3 = s0+rest[0], s1+rest[1], s2+rest[2], s3+rest[3]
	}
	for _, x := range rest {
		s0 += x
	}
	if sum := (s0 + s1) + (s2 + s3); sum-sum == 0 {
		return true
	}
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}
