// Package matroid holds matroids over the elements 0, 1, ..., Size-1, and the greedy algorithm that finds their heaviest bases.
//
// A matroid is a ground set and a family of independent subsets of it such that the empty set is independent, a subset of an
// independent set is independent, and of two independent sets X, Y with |X| = |Y| + 1 the larger has an element that can be added to the
// smaller (Whitney 1935). Its maximal independent sets, the bases, all have one size, the rank. An element that is in no independent set is a loop.
package matroid

// Matroid is a ground set with its independent sets. It does not change and may be shared between goroutines.
type Matroid interface {
	Size() int // number of elements L, >= 0
	Rank() int // size of a basis K, in [0, Size]
	// NewBuilder returns an empty independent set that can grow. It has its own memory, and is not for several goroutines at once.
	NewBuilder() Builder
}

// Builder is an independent set that grows element by element. Its methods do not allocate.
type Builder interface {
	// Clear empties the set.
	Clear()
	// Add adds element e, in [0, Size), if the set stays independent with it, and reports whether. An element that is in the set already is not
	// added again.
	Add(e int) bool
	// Len returns the number of elements in the set.
	Len() int
}
