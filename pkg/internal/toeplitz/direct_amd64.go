//go:build !noasm

package toeplitz

// add adds x_i behind[i+lanes-1-k] to each sum k, for i = 0, 1, ... in turn. Two sums at a time are
// multiplied and then added (SSE2), so each is what addPlain computes, to the last bit.
//
//go:noescape
func add(sums *[lanes]float64, x, behind []float64)
