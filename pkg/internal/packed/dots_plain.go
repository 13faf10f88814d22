//go:build !amd64 || noasm

package packed

func dotsVectors(dst, rows []float64, stride int, y []float64) {}

func outerVectors(a []float64, c float64, x []float64) {}

func columnVectors(m, diagonal []float64, stride, j, plain int) {}

func combineVectors(dst *[16]float64, c, m []float64, cStride, mStride, rows int) {}
