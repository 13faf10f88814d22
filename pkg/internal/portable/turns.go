package portable

import "math"

const (
	turn    = 6.283185307179586      // 2 pi
	turnLow = 2.4492935982947064e-16 // the rest of 2 pi
)

// Turns returns the sine and the cosine of the angle of t turns, 2 pi t. In turns an angle is
// reduced without error, however large it is. Both are NaN if t is not finite.
func Turns(t float64) (sin, cos float64) {
	t -= math.RoundToEven(t)
	quarter := math.RoundToEven(4 * t)
	t -= float64(0.25 * quarter) // |t| <= 1/8, exact
	x, low := product(t, turn)
	low += float64(t * turnLow)
	z := float64(x * x)
	// Taylor's series: for |x| <= pi/4 the first term left out is below 2^-58.
	s := float64(z * (-1.0/5040 + float64(z*(1.0/362880+float64(z*(-1.0/39916800+float64(z*(1.0/6227020800+float64(z*(-1.0/1307674368000+float64(z*(1.0/355687428096000))))))))))))
	s = x + (float64(float64(x*z)*(-1.0/6+float64(z*(1.0/120+s)))) + float64(low*(1-float64(0.5*z))))
	c := float64(z * (-1.0/720 + float64(z*(1.0/40320+float64(z*(-1.0/3628800+float64(z*(1.0/479001600+float64(z*(-1.0/87178291200+float64(z*(1.0/20922789888000))))))))))))
	half := float64(0.5 * z)
	top := 1 - half
	c = top + ((1 - top) - half + float64(float64(z*z)*(1.0/24+c)) - float64(x*low))
	switch int(quarter) & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}
