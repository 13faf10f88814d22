package packed

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// What follows is for order 5, three papers' dimension: the loops written out, with all numbers in
// registers. Each number is what the loops compute, to the last bit but for the sign of a zero.
// Only quadratic5 adds in an order of its own.

func addOuter5(a *[15]float64, x *[5]float64) {
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	a[0] += float64(x0 * x0)
	a[1] += float64(x1 * x0)
	a[2] += float64(x1 * x1)
	a[3] += float64(x2 * x0)
	a[4] += float64(x2 * x1)
	a[5] += float64(x2 * x2)
	a[6] += float64(x3 * x0)
	a[7] += float64(x3 * x1)
	a[8] += float64(x3 * x2)
	a[9] += float64(x3 * x3)
	a[10] += float64(x4 * x0)
	a[11] += float64(x4 * x1)
	a[12] += float64(x4 * x2)
	a[13] += float64(x4 * x3)
	a[14] += float64(x4 * x4)
}

func addScaledOuter5(a *[15]float64, c float64, x *[5]float64) {
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	c0, c1, c2, c3, c4 := float64(c*x0), float64(c*x1), float64(c*x2), float64(c*x3), float64(c*x4)
	a[0] += float64(c0 * x0)
	a[1] += float64(c1 * x0)
	a[2] += float64(c1 * x1)
	a[3] += float64(c2 * x0)
	a[4] += float64(c2 * x1)
	a[5] += float64(c2 * x2)
	a[6] += float64(c3 * x0)
	a[7] += float64(c3 * x1)
	a[8] += float64(c3 * x2)
	a[9] += float64(c3 * x3)
	a[10] += float64(c4 * x0)
	a[11] += float64(c4 * x1)
	a[12] += float64(c4 * x2)
	a[13] += float64(c4 * x3)
	a[14] += float64(c4 * x4)
}

func gram5(dst, l *[15]float64, c float64) {
	l00 := l[0]
	dst[0] = c * float64(l00*l00)
	l10, l11 := l[1], l[2]
	dst[1] = c * float64(l00*l10)
	dst[2] = c * (float64(l10*l10) + float64(l11*l11))
	l20, l21, l22 := l[3], l[4], l[5]
	dst[3] = c * float64(l00*l20)
	dst[4] = c * (float64(l10*l20) + float64(l11*l21))
	dst[5] = c * (float64(l20*l20) + float64(l21*l21) + float64(l22*l22))
	l30, l31, l32, l33 := l[6], l[7], l[8], l[9]
	dst[6] = c * float64(l00*l30)
	dst[7] = c * (float64(l10*l30) + float64(l11*l31))
	dst[8] = c * (float64(l20*l30) + float64(l21*l31) + float64(l22*l32))
	dst[9] = c * (float64(l30*l30) + float64(l31*l31) + float64(l32*l32) + float64(l33*l33))
	l40, l41, l42, l43, l44 := l[10], l[11], l[12], l[13], l[14]
	dst[10] = c * float64(l00*l40)
	dst[11] = c * (float64(l10*l40) + float64(l11*l41))
	dst[12] = c * (float64(l20*l40) + float64(l21*l41) + float64(l22*l42))
	dst[13] = c * (float64(l30*l40) + float64(l31*l41) + float64(l32*l42) + float64(l33*l43))
	dst[14] = c * (float64(l40*l40) + float64(l41*l41) + float64(l42*l42) + float64(l43*l43) + float64(l44*l44))
}

func shift5(dst, a *[15]float64, c float64) {
	dst[0] = a[0] + c
	dst[1] = a[1]
	dst[2] = a[2] + c
	dst[3], dst[4] = a[3], a[4]
	dst[5] = a[5] + c
	dst[6], dst[7], dst[8] = a[6], a[7], a[8]
	dst[9] = a[9] + c
	dst[10], dst[11], dst[12], dst[13] = a[10], a[11], a[12], a[13]
	dst[14] = a[14] + c
}

func scale5(a *[15]float64, off, on float64) {
	a[0] *= on
	a[1] *= off
	a[2] *= on
	a[3] *= off
	a[4] *= off
	a[5] *= on
	a[6] *= off
	a[7] *= off
	a[8] *= off
	a[9] *= on
	a[10] *= off
	a[11] *= off
	a[12] *= off
	a[13] *= off
	a[14] *= on
}

func quadratic5(a *[15]float64, x *[5]float64) float64 {
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	on := float64(a[0]*x0*x0) + float64(a[2]*x1*x1) + float64(a[5]*x2*x2) + (float64(a[9]*x3*x3) + float64(a[14]*x4*x4))
	off := float64(a[1]*x0*x1) + float64((float64(a[3]*x0)+float64(a[4]*x1))*x2) + float64(((float64(a[6]*x0)+float64(a[7]*x1))+float64(a[8]*x2))*x3) + float64(((float64(a[10]*x0)+float64(a[11]*x1))+(float64(a[12]*x2)+float64(a[13]*x3)))*x4)
	return on + float64(2*off)
}

// cholesky5 leaves pivots beyond [1e-36, 1e36] to the loops. Within, no product of the roots can
// overflow.
func cholesky5(l, a *[15]float64) (logDet float64, ok bool) {
	s0 := a[0]
	l00 := math.Sqrt(s0)
	l10 := a[1] / l00
	s1 := a[2] - float64(l10*l10)
	l11 := math.Sqrt(s1)
	l20 := a[3] / l00
	l21 := (a[4] - float64(l10*l20)) / l11
	s2 := a[5] - float64(l20*l20) - float64(l21*l21)
	l22 := math.Sqrt(s2)
	l30 := a[6] / l00
	l31 := (a[7] - float64(l10*l30)) / l11
	l32 := (a[8] - float64(l20*l30) - float64(l21*l31)) / l22
	s3 := a[9] - float64(l30*l30) - float64(l31*l31) - float64(l32*l32)
	l33 := math.Sqrt(s3)
	l40 := a[10] / l00
	l41 := (a[11] - float64(l10*l40)) / l11
	l42 := (a[12] - float64(l20*l40) - float64(l21*l41)) / l22
	l43 := (a[13] - float64(l30*l40) - float64(l31*l41) - float64(l32*l42)) / l33
	s4 := a[14] - float64(l40*l40) - float64(l41*l41) - float64(l42*l42) - float64(l43*l43)
	l44 := math.Sqrt(s4)
	const least, most = 1e-36, 1e36
	if !(s0 >= least && s1 >= least && s2 >= least && s3 >= least && s4 >= least && s0 <= most && s1 <= most && s2 <= most && s3 <= most && s4 <= most) {
		return 0, false
	}
	// One by one: a literal of the array is made elsewhere and copied, which takes longer.
	l[0], l[1], l[2], l[3], l[4] = l00, l10, l11, l20, l21
	l[5], l[6], l[7], l[8], l[9] = l22, l30, l31, l32, l33
	l[10], l[11], l[12], l[13], l[14] = l40, l41, l42, l43, l44
	return 2 * portable.Log(l00*l11*l22*l33*l44), true
}

func invert5(dst, l *[15]float64) {
	m0, m2, m5, m9, m14 := 1/l[0], 1/l[2], 1/l[5], 1/l[9], 1/l[14]
	m1 := -float64(l[1]*m0) / l[2]
	m3 := -(float64(l[3]*m0) + float64(l[4]*m1)) / l[5]
	m6 := -(float64(l[6]*m0) + float64(l[7]*m1) + float64(l[8]*m3)) / l[9]
	m10 := -(float64(l[10]*m0) + float64(l[11]*m1) + float64(l[12]*m3) + float64(l[13]*m6)) / l[14]
	m4 := -float64(l[4]*m2) / l[5]
	m7 := -(float64(l[7]*m2) + float64(l[8]*m4)) / l[9]
	m11 := -(float64(l[11]*m2) + float64(l[12]*m4) + float64(l[13]*m7)) / l[14]
	m8 := -float64(l[8]*m5) / l[9]
	m12 := -(float64(l[12]*m5) + float64(l[13]*m8)) / l[14]
	m13 := -float64(l[13]*m9) / l[14]
	l[0], l[1], l[2], l[3], l[4] = m0, m1, m2, m3, m4
	l[5], l[6], l[7], l[8], l[9] = m5, m6, m7, m8, m9
	l[10], l[11], l[12], l[13], l[14] = m10, m11, m12, m13, m14
	dst[0] = float64(m0*m0) + float64(m1*m1) + float64(m3*m3) + float64(m6*m6) + float64(m10*m10)
	dst[1] = float64(m2*m1) + float64(m4*m3) + float64(m7*m6) + float64(m11*m10)
	dst[2] = float64(m2*m2) + float64(m4*m4) + float64(m7*m7) + float64(m11*m11)
	dst[3] = float64(m5*m3) + float64(m8*m6) + float64(m12*m10)
	dst[4] = float64(m5*m4) + float64(m8*m7) + float64(m12*m11)
	dst[5] = float64(m5*m5) + float64(m8*m8) + float64(m12*m12)
	dst[6] = float64(m9*m6) + float64(m13*m10)
	dst[7] = float64(m9*m7) + float64(m13*m11)
	dst[8] = float64(m9*m8) + float64(m13*m12)
	dst[9] = float64(m9*m9) + float64(m13*m13)
	dst[10], dst[11], dst[12], dst[13], dst[14] = m14*m10, m14*m11, m14*m12, m14*m13, m14*m14
}

// mulVec5 computes what MulVec does. There a sum begins with its last product.
func mulVec5(dst *[5]float64, a *[15]float64, x *[5]float64) {
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	dst[0] = float64(a[0]*x0) + float64(a[1]*x1) + float64(a[3]*x2) + float64(a[6]*x3) + float64(a[10]*x4)
	dst[1] = float64(a[2]*x1) + float64(a[1]*x0) + float64(a[4]*x2) + float64(a[7]*x3) + float64(a[11]*x4)
	dst[2] = float64(a[5]*x2) + float64(a[3]*x0) + float64(a[4]*x1) + float64(a[8]*x3) + float64(a[12]*x4)
	dst[3] = float64(a[9]*x3) + float64(a[6]*x0) + float64(a[7]*x1) + float64(a[8]*x2) + float64(a[13]*x4)
	dst[4] = float64(a[14]*x4) + float64(a[10]*x0) + float64(a[11]*x1) + float64(a[12]*x2) + float64(a[13]*x3)
}

func normBound5(a *[15]float64) float64 {
	b0, b1, b2, b3, b4 := math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2]), math.Abs(a[3]), math.Abs(a[4])
	b5, b6, b7, b8, b9 := math.Abs(a[5]), math.Abs(a[6]), math.Abs(a[7]), math.Abs(a[8]), math.Abs(a[9])
	b10, b11, b12, b13, b14 := math.Abs(a[10]), math.Abs(a[11]), math.Abs(a[12]), math.Abs(a[13]), math.Abs(a[14])
	rows := max(b0+b1+b3+b6+b10, b1+b2+b4+b7+b11, b3+b4+b5+b8+b12, b6+b7+b8+b9+b13, b10+b11+b12+b13+b14)
	off := float64(b1*b1) + float64(b3*b3) + float64(b4*b4) + float64(b6*b6) + float64(b7*b7) + float64(b8*b8) +
		float64(b10*b10) + float64(b11*b11) + float64(b12*b12) + float64(b13*b13)
	diagonal := float64(b0*b0) + float64(b2*b2) + float64(b5*b5) + float64(b9*b9) + float64(b14*b14)
	return min(rows, math.Sqrt(diagonal+float64(2*off)))
}
