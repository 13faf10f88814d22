package matroid

import "fmt"

// uniform is what NewUniform returns.
type uniform struct {
	size, rank int
}

var _ Matroid = (*uniform)(nil)

// NewUniform returns the uniform matroid of the given size and rank, in [0, size]: its independent
// sets are the sets of at most rank elements (Whitney 1935).
//
// As an action set: any K of L arms.
func NewUniform(size, rank int) (Matroid, error) {
	if size < 0 {
		return nil, fmt.Errorf("matroid: Uniform size = %d, want >= 0", size)
	}
	if rank < 0 || rank > size {
		return nil, fmt.Errorf("matroid: Uniform rank = %d, want in [0, %d], the size", rank, size)
	}
	if err := checkSize("Uniform size", size); err != nil {
		return nil, err
	}
	return &made{&uniform{size, rank}, "NewUniform", []any{size, rank}}, nil
}

// Size returns the number of elements.
func (u *uniform) Size() int { return u.size }

// Rank returns the size of a basis.
func (u *uniform) Rank() int { return u.rank }

// NewBuilder returns an empty set that can grow, at O(1) an element.
func (u *uniform) NewBuilder() Builder {
	return &uniformBuilder{rank: u.rank, in: make([]bool, u.size)}
}

type uniformBuilder struct {
	rank, n int
	in      []bool
}

func (b *uniformBuilder) Clear() {
	clear(b.in)
	b.n = 0
}

func (b *uniformBuilder) Add(e int) bool {
	if b.in[e] || b.n == b.rank {
		return false
	}
	b.in[e] = true
	b.n++
	return true
}

func (b *uniformBuilder) Len() int { return b.n }
