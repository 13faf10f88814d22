package matroid

import (
	"cmp"
	"fmt"
	"slices"
)

// laminar is what NewLaminar returns.
type laminar struct {
	capacity []int
	parent   []int // by set, the smallest set that contains it, or -1
	deepest  []int // by element, the smallest set that has it, or -1
	rank     int
}

var _ Matroid = (*laminar)(nil)

// NewLaminar returns the matroid of a laminar family, in which any two sets are nested or disjoint
// and each set has a capacity: a set is independent if it has at most capacity many elements of
// each set of the family (Edmonds 1970). The elements are 0, ..., size-1, and capacities at least
// 0. The sets may come in any order and may repeat; the elements of each are distinct.
//
// As an action set: at most ten films, at most five of these older than I am, and at most three of
// those of one genre. An element in none of the family's sets is unrestricted.
func NewLaminar(size int, sets [][]int, capacity []int) (Matroid, error) {
	if size < 0 {
		return nil, fmt.Errorf("matroid: Laminar size = %d, want >= 0", size)
	}
	if err := checkSize("Laminar size", size); err != nil {
		return nil, err
	}
	if len(sets) != len(capacity) {
		return nil, fmt.Errorf("matroid: Laminar has %d sets and %d capacities, want one for each", len(sets), len(capacity))
	}
	m := &laminar{capacity: slices.Clone(capacity), parent: make([]int, len(sets)), deepest: make([]int, size)}
	for e := range m.deepest {
		m.deepest[e] = -1
	}
	last := make([]int, size) // by element, 1 + the last set that was seen to have it
	order := make([]int, len(sets))
	for s, set := range sets {
		order[s] = s
		if capacity[s] < 0 {
			return nil, fmt.Errorf("matroid: Laminar capacity[%d] = %d, want >= 0", s, capacity[s])
		}
		for i, e := range set {
			if e < 0 || e >= size {
				return nil, fmt.Errorf("matroid: Laminar sets[%d][%d] = %d, want in [0, %d)", s, i, e, size)
			}
			if last[e] == s+1 {
				return nil, fmt.Errorf("matroid: Laminar sets[%d][%d] = %d, want it in the set once", s, i, e)
			}
			last[e] = s + 1
		}
	}

	// The largest set comes first. The next one is nested in or disjoint from each set before if and
	// only if all its elements have the same smallest set so far. Then that set and the sets around it
	// contain it, and no other set meets it.
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(len(sets[t]), len(sets[s])) })
	for _, s := range order {
		m.parent[s] = -1
		for i, e := range sets[s] {
			if i == 0 {
				m.parent[s] = m.deepest[e]
			} else if t := m.deepest[e]; t != m.parent[s] {
				if t < 0 || m.within(m.parent[s], t) { // t has the first element too
					t = m.parent[s]
				}
				return nil, fmt.Errorf("matroid: Laminar sets %d and %d cross, want them disjoint or one in the other", min(s, t), max(s, t))
			}
		}
		for _, e := range sets[s] {
			m.deepest[e] = s
		}
	}
	m.rank = fullRank(m)
	return &made{m, "NewLaminar", []any{size, rowsOf(sets), m.capacity}}, nil
}

// within reports whether t is s or contains s.
func (m *laminar) within(s, t int) bool {
	for ; s >= 0; s = m.parent[s] {
		if s == t {
			return true
		}
	}
	return false
}

// Size returns the number of elements.
func (m *laminar) Size() int { return len(m.deepest) }

// Rank returns the size of a basis. It can be less than the sum of the capacities of disjoint sets,
// because a set around them may allow less.
func (m *laminar) Rank() int { return m.rank }

// NewBuilder returns an empty set that can grow. An element costs one step for each set that has
// it.
func (m *laminar) NewBuilder() Builder {
	b := &laminarBuilder{m: m, room: make([]int, len(m.capacity)), in: make([]bool, len(m.deepest))}
	b.Clear()
	return b
}

type laminarBuilder struct {
	m    *laminar
	room []int // by set, how many more elements fit
	in   []bool
	n    int
}

func (b *laminarBuilder) Clear() {
	copy(b.room, b.m.capacity)
	clear(b.in)
	b.n = 0
}

func (b *laminarBuilder) Add(e int) bool {
	if b.in[e] {
		return false
	}
	for s := b.m.deepest[e]; s >= 0; s = b.m.parent[s] {
		if b.room[s] == 0 {
			return false
		}
	}
	for s := b.m.deepest[e]; s >= 0; s = b.m.parent[s] {
		b.room[s]--
	}
	b.in[e] = true
	b.n++
	return true
}

func (b *laminarBuilder) Len() int { return b.n }
