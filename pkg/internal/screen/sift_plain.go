//go:build !amd64 || noasm

package screen

func sift(left []uint32, columns, factors []float32, dim int, limit float32) {
	siftPlain(left, columns, factors, dim, limit)
}
