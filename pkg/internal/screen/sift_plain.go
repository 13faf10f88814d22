//go:build !amd64 || noasm

package screen

// Vectors tells whether the machine bounds eight arms at a time. Without, a screen is correct but
// slow.
const Vectors = false

func sift(left []uint32, columns, factors []float32, dim int, limit float32) {
	siftPlain(left, columns, factors, dim, limit)
}

func bound(bounds, columns, factors []float32, dim int) { boundPlain(bounds, columns, factors, dim) }
