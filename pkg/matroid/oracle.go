package matroid

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// checkSize refuses so many elements, slots or vertices that the sets over them do not fit into memory.
func checkSize(what string, n int) error {
	return size.Check(fmt.Sprintf("matroid: %s = %d", what, n), 8*float64(n))
}

// Loops returns the elements that are in no independent set, in increasing order.
func Loops(m Matroid) []int {
	var loops []int
	b := m.NewBuilder()
	for e := range m.Size() {
		b.Clear()
		if !b.Add(e) {
			loops = append(loops, e)
		}
	}
	return loops
}

// IsIndependent reports whether the elements of a list are different and make an independent set. What is not in [0, Size) is in no independent set.
func IsIndependent(m Matroid, list []int) bool { return NewOracle(m).Independent(list) }

// IsBasis reports whether the elements of a list are different and make a basis.
func IsBasis(m Matroid, list []int) bool { return NewOracle(m).Basis(list) }

// Oracle answers questions about one matroid without allocation. It is not for several goroutines at once.
type Oracle struct {
	size, rank int
	b          Builder
}

// NewOracle returns an oracle for m.
func NewOracle(m Matroid) *Oracle {
	return &Oracle{size: m.Size(), rank: m.Rank(), b: m.NewBuilder()}
}

// Independent reports whether the elements of a list are different and make an independent set.
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

// Basis reports whether the elements of a list are different and make a basis.
func (o *Oracle) Basis(list []int) bool { return len(list) == o.rank && o.Independent(list) }

// Rank returns the size of a greatest independent subset of a list, whose elements are in [0, Size) and may repeat.
func (o *Oracle) Rank(list []int) int {
	o.b.Clear()
	for _, e := range list {
		o.b.Add(e)
	}
	return o.b.Len()
}

// fullRank adds all elements, one by one.
func fullRank(m Matroid) int {
	b := m.NewBuilder()
	for e := range m.Size() {
		b.Add(e)
	}
	return b.Len()
}
