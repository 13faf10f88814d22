package charts

import "math"

// Ellipse returns points of the ellipse (x-c)^T A (x-c) = r^2 around a centre c, the last one equal
// to the first. A is symmetric and positive definite, given as a11, a12, a22.
func Ellipse(centre [2]float64, a [3]float64, r float64) (x, y []float64) {
	const points = 72
	// A = L L^T; x = c + r L^-T e for e on the unit circle.
	l11 := math.Sqrt(a[0])
	l21 := a[1] / l11
	l22 := math.Sqrt(a[2] - l21*l21)
	for i := range points + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / points)
		second := r * sin / l22
		x = append(x, centre[0]+(r*cos-l21*second)/l11)
		y = append(y, centre[1]+second)
	}
	return x, y
}
