package matroid

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// checkSize refuses a number of elements, slots or vertices so large that the sets over them do not
// fit into memory.
func checkSize(what string, n int) error {
	return size.Check(fmt.Sprintf("matroid: %s = %d", what, n), 8*float64(n))
}

// Oracle answers questions about one matroid without allocating.
//
// It must not be used by several goroutines at once.
type Oracle struct {
	size, rank int
	b          Builder
}

// NewOracle returns an oracle for the matroid m.
func NewOracle(m Matroid) *Oracle {
	return &Oracle{size: m.Size(), rank: m.Rank(), b: m.NewBuilder()}
}

// Independent reports whether the elements of a list are distinct and form an independent set.
// Numbers outside [0, Size) are in no independent set.
func (o *Oracle) Independent(list []int) bool {
	if len(list) > o.rank {
		return false
	}
	o.b.Clear()
	for _, e := range list {
		if e < 0 || e >= o.size || !o.b.Add(e) {
			return false
		}
	}
	return true
}

// Basis reports whether the elements of a list are distinct and form a basis.
func (o *Oracle) Basis(list []int) bool { return len(list) == o.rank && o.Independent(list) }

// Rank returns the size of a largest independent subset of a list. Its elements must be in [0,
// Size) and may repeat.
func (o *Oracle) Rank(list []int) int {
	o.b.Clear()
	for _, e := range list {
		o.b.Add(e)
	}
	return o.b.Len()
}

// fullRank returns the rank of m, found by adding all elements one by one.
func fullRank(m Matroid) int {
	b := m.NewBuilder()
	for e := range m.Size() {
		b.Add(e)
	}
	return b.Len()
}
