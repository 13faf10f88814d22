//go:build !noasm

package packed

import "golang.org/x/sys/cpu"

var vectors = cpu.X86.HasAVX

// uppersVectors does what Uppers5 does for four rows at a time (AVX), with each number multiplied
// and added as there. len(dst) is a multiple of 4 and at least 4. tops gets the greatest numbers of
// every fourth row, and checks sums that are 0 if all numbers are finite, else NaN.
//
//go:noescape
func uppersVectors(dst, rows []float64, centre *[5]float64, a *[15]float64, beta float64, tops, checks *[4]float64)
