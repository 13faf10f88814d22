package matroid

import (
	"fmt"
	"slices"
)

// partition is what NewPartition returns.
type partition struct {
	class, capacity []int
	rank            int
}

var _ Matroid = (*partition)(nil)

// NewPartition returns the matroid of elements in classes with capacities: a set is independent if
// it has at most capacity many elements of each class (Edmonds 1971). Element e is in class
// class[e], in [0, len(capacity)). A capacity is at least 0; at 0 all elements of the class are
// loops.
//
// As an action set: at most two films of each genre.
func NewPartition(class, capacity []int) (Matroid, error) {
	for c, most := range capacity {
		if most < 0 {
			return nil, fmt.Errorf("matroid: Partition capacity[%d] = %d, want >= 0", c, most)
		}
	}
	for e, c := range class {
		if c < 0 || c >= len(capacity) {
			return nil, fmt.Errorf("matroid: Partition class[%d] = %d, want in [0, %d), a class that has a capacity", e, c, len(capacity))
		}
	}
	p := &partition{class: slices.Clone(class), capacity: slices.Clone(capacity)}
	p.rank = fullRank(p)
	return &made{p, "NewPartition", []any{p.class, p.capacity}}, nil
}

// Size returns the number of elements.
func (p *partition) Size() int { return len(p.class) }

// Rank returns the sum over classes of the capacity or the number of elements, whichever is less.
func (p *partition) Rank() int { return p.rank }

// NewBuilder returns an empty set that can grow, at O(1) an element.
func (p *partition) NewBuilder() Builder {
	b := &partitionBuilder{m: p, room: make([]int, len(p.capacity)), in: make([]bool, len(p.class))}
	b.Clear()
	return b
}

type partitionBuilder struct {
	m    *partition
	room []int // by class, how many more fit
	in   []bool
	n    int
}

func (b *partitionBuilder) Clear() {
	copy(b.room, b.m.capacity)
	clear(b.in)
	b.n = 0
}

func (b *partitionBuilder) Add(e int) bool {
	c := b.m.class[e]
	if b.in[e] || b.room[c] == 0 {
		return false
	}
	b.in[e] = true
	b.room[c]--
	b.n++
	return true
}

func (b *partitionBuilder) Len() int { return b.n }
