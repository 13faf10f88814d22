// Package matroid provides matroids over the elements 0, 1, ..., Size-1, and the greedy algorithm
// that finds a heaviest basis.
//
// A matroid is a ground set with a family of independent subsets. The empty set is independent, and
// so is every subset of an independent set. If X and Y are independent and |X| = |Y| + 1, then some
// element of X can be added to Y (Whitney 1935). The maximal independent sets are the bases; all
// have the same size, the rank. An element that is in no independent set is a loop.
//
// The matroids, as action sets of a bandit:
//
//   - [NewUniform]: any K of L arms.
//   - [NewPartition]: at most so many arms of each class.
//   - [NewLaminar]: the same for classes within classes.
//   - [NewGraphic]: sets of edges without a cycle.
//   - [NewTransversal]: elements that can be matched with different slots.
//   - [NewLinear]: linearly independent vectors of integers, exact.
//   - [NewLinearFloat]: linearly independent vectors in floating point.
//
// What works on every [Matroid]:
//
//   - [Greedy]: finds a basis of greatest weight, again and again.
//   - [Oracle]: tells whether a set is independent, whether it is a basis, and its rank.
//   - [Check]: looks for a violation of the axioms, for tests of your own matroids.
//
// Read [Matroid] and [Builder] first: implement both for a matroid of your own.
package matroid

// Matroid is a ground set with its independent sets.
//
// It does not change and may be shared between goroutines.
type Matroid interface {
	// Size returns the number of elements L, >= 0.
	Size() int
	// Rank returns the size K of a basis, in [0, Size].
	Rank() int
	// NewBuilder returns an empty independent set that can grow. It has its own memory and must not be
	// used by several goroutines at once.
	NewBuilder() Builder
}

// Builder is an independent set that grows element by element. Its methods do not allocate.
type Builder interface {
	// Clear empties the set.
	Clear()
	// Add adds element e, in [0, Size), if the set stays independent, and reports whether it did. An
	// element that is already in the set is not added again.
	Add(e int) bool
	// Len returns the number of elements in the set.
	Len() int
}
