package matroid

import "fmt"

// transversal is what NewTransversal returns.
type transversal struct {
	slots, rank int
	first       []int // by element, where its slots start in suits; one more entry than elements
	suits       []int // the elements' slots, one list after another
}

var _ Matroid = (*transversal)(nil)

// NewTransversal returns the matroid of elements that are matched with slots: a set is independent
// if its elements can be assigned different slots that suit them (Edmonds and Fulkerson 1965). Its
// rank is the size of a largest matching. Element e suits the slots suits[e], in [0, slots). A
// repeated slot counts once. An element that suits no slot is a loop.
//
// As an action set: advertisements for the places on a page, or workers for tasks.
func NewTransversal(slots int, suits [][]int) (Matroid, error) {
	if slots < 0 {
		return nil, fmt.Errorf("matroid: Transversal slots = %d, want >= 0", slots)
	}
	if err := checkSize("Transversal slots", slots); err != nil {
		return nil, err
	}
	m := &transversal{slots: slots, first: make([]int, 1, len(suits)+1)}
	for e, list := range suits {
		for i, s := range list {
			if s < 0 || s >= slots {
				return nil, fmt.Errorf("matroid: Transversal suits[%d][%d] = %d, want in [0, %d), a slot", e, i, s, slots)
			}
		}
		m.suits = append(m.suits, list...)
		m.first = append(m.first, len(m.suits))
	}
	m.rank = fullRank(m)
	return &made{m, "NewTransversal", []any{slots, rowsOf(suits)}}, nil
}

// Size returns the number of elements.
func (m *transversal) Size() int { return len(m.first) - 1 }

// Rank returns the size of a largest matching.
func (m *transversal) Rank() int { return m.rank }

// NewBuilder returns an empty set that can grow. It keeps a matching and searches breadth first for
// an augmenting path, in at most as many steps as there are pairs of an element and a slot that
// suits it.
func (m *transversal) NewBuilder() Builder {
	b := &transversalBuilder{
		m: m, in: make([]bool, m.Size()),
		has: make([]int, m.slots), seen: make([]int, m.slots), wanted: make([]int, m.slots), slot: make([]int, m.Size()),
		queue: make([]int, 0, m.slots+1),
	}
	b.Clear()
	return b
}

type transversalBuilder struct {
	m      *transversal
	n      int
	in     []bool // by element, whether the set has it
	slot   []int  // by element of the set, its slot
	has    []int  // by slot, its element, or -1
	seen   []int  // by slot, the last search that met it, or -1 if that search failed
	wanted []int  // by slot, the element from which it was met
	search int
	queue  []int // elements
}

func (b *transversalBuilder) Clear() {
	b.n, b.search = 0, 1
	clear(b.in)
	clear(b.seen)
	for s := range b.has {
		b.has[s] = -1
	}
}

// Add searches for a free slot, from e over slots whose elements could move. If there is none, the
// slots that it met stay marked until Clear. Their elements suit no other slots, so no later path
// that enters them can leave to a free slot, and none will change them.
func (b *transversalBuilder) Add(e int) bool {
	if b.in[e] {
		return false
	}
	b.queue = append(b.queue[:0], e)
	for head := 0; head < len(b.queue); head++ {
		from := b.queue[head]
		for _, s := range b.m.suits[b.m.first[from]:b.m.first[from+1]] {
			if b.seen[s] == b.search || b.seen[s] < 0 {
				continue
			}
			b.seen[s], b.wanted[s] = b.search, from
			if b.has[s] < 0 {
				b.shift(s, e)
				return true
			}
			b.queue = append(b.queue, b.has[s])
		}
	}
	for _, other := range b.queue[1:] {
		b.seen[b.slot[other]] = -1
	}
	return false
}

// shift gives each element on the path to the free slot s the slot that it wanted, back to element
// e.
func (b *transversalBuilder) shift(s, e int) {
	for {
		from := b.wanted[s]
		b.has[s] = from
		s, b.slot[from] = b.slot[from], s
		if from == e {
			break
		}
	}
	b.in[e] = true
	b.n++
	b.search++
}

func (b *transversalBuilder) Len() int { return b.n }
