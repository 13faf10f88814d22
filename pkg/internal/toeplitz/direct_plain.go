//go:build !amd64 || noasm

package toeplitz

func add(sums *[lanes]float64, x, behind []float64) { addPlain(sums, x, behind) }
