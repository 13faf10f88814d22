package matroid

import (
	"fmt"
	"math"
	"slices"
)

// graphic is what NewGraphic returns.
type graphic struct {
	vertices, rank int
	ends           [][2]int32 // by edge
}

var _ Matroid = (*graphic)(nil)

// NewGraphic returns the cycle matroid of the undirected graph on the vertices 0, ..., vertices-1
// in which element e is the edge between edges[e][0] and edges[e][1]. A set of edges is independent
// if it has no cycle (Whitney 1935).
//
// Its bases are the spanning forests, and its rank is the number of vertices minus that of
// connected components. An edge from a vertex to itself is a loop, and an independent set has at
// most one of several parallel edges.
//
// Its builders are union-find structures, by size and with path halving (Tarjan 1975): an edge
// takes nearly constant time, and Clear a pass over the vertices.
func NewGraphic(vertices int, edges [][2]int) (Matroid, error) {
	if vertices < 0 || vertices > math.MaxInt32 {
		return nil, fmt.Errorf("matroid: Graphic vertices = %d, want in [0, %d]", vertices, math.MaxInt32)
	}
	if err := checkSize("Graphic vertices", vertices); err != nil {
		return nil, err
	}
	g := &graphic{vertices: vertices, ends: make([][2]int32, len(edges))}
	for e, ends := range edges {
		for i, v := range ends {
			if v < 0 || v >= vertices {
				return nil, fmt.Errorf("matroid: Graphic edges[%d][%d] = %d, want in [0, %d), a vertex", e, i, v, vertices)
			}
			g.ends[e][i] = int32(v)
		}
	}
	g.rank = fullRank(g)
	return &made{g, "NewGraphic", []any{vertices, slices.Clone(edges)}}, nil
}

// Size returns the number of edges.
func (g *graphic) Size() int { return len(g.ends) }

// Rank returns the number of edges of a spanning forest: vertices minus connected components.
func (g *graphic) Rank() int { return g.rank }

// NewBuilder returns an empty forest that can grow. It is a union-find structure, by size and with
// path halving (Tarjan 1975): an edge takes nearly constant time, and Clear a pass over the
// vertices.
func (g *graphic) NewBuilder() Builder {
	b := &graphicBuilder{ends: g.ends, parent: make([]int32, g.vertices)}
	b.Clear()
	return b
}

type graphicBuilder struct {
	ends   [][2]int32
	parent []int32 // of a vertex in its tree; of a root, minus the number of its vertices
	n      int
}

func (b *graphicBuilder) Clear() {
	for v := range b.parent {
		b.parent[v] = -1
	}
	b.n = 0
}

func (b *graphicBuilder) Add(e int) bool {
	u, v := b.root(b.ends[e][0]), b.root(b.ends[e][1])
	if u == v {
		return false
	}
	if b.parent[u] > b.parent[v] { // u has fewer
		u, v = v, u
	}
	b.parent[u] += b.parent[v]
	b.parent[v] = u
	b.n++
	return true
}

func (b *graphicBuilder) root(v int32) int32 {
	parent := b.parent
	for {
		p := parent[v]
		if p < 0 {
			return v
		}
		if q := parent[p]; q >= 0 {
			parent[v] = q
		}
		v = p
	}
}

func (b *graphicBuilder) Len() int { return b.n }
