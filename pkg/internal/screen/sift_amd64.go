//go:build !noasm

package screen

import "golang.org/x/sys/cpu"

// Vectors tells whether the machine bounds eight arms at a time. Without, a screen is correct but
// slow.
var Vectors = cpu.X86.HasAVX && cpu.X86.HasFMA

func sift(left []uint32, columns, factors []float32, dim int, limit float32) {
	if Vectors {
		siftVectors(left, columns, factors, dim, limit)
	} else {
		siftPlain(left, columns, factors, dim, limit)
	}
}

func bound(bounds, columns, factors []float32, dim int) {
	if Vectors {
		boundVectors(bounds, columns, factors, dim)
	} else {
		boundPlain(bounds, columns, factors, dim)
	}
}

// boundVectors is boundPlain as siftVectors is siftPlain. len(bounds) is at least 32.
//
//go:noescape
func boundVectors(bounds, columns, factors []float32, dim int)

// siftVectors is siftPlain, but for the rounding: eight arms at a time (AVX), with fused
// multiply-add. It wants all slices to be of matching lengths.
//
//go:noescape
func siftVectors(left []uint32, columns, factors []float32, dim int, limit float32)
