package charts

import (
	"cmp"
	"fmt"
	"slices"
)

// Greedy returns the graph with the steps of the greedy algorithm on its slider (Kruskal 1956; MAT,
// Algorithm 1). The algorithm takes edges by decreasing weight, with ties by index, and accepts
// each edge that closes no cycle with those accepted before. The first step shown is the last one,
// unless Start is set.
func (g Graph) Greedy() *Graph {
	g.Selected, g.Basis = nil, nil
	g.Steps = []GraphStep{{Value: "0", Caption: "The edges from the largest weight to the smallest"}}
	if g.Start == 0 {
		g.Start = -1
	}
	if g.valid() != nil { // showing the graph reports the error
		return &g
	}
	up := make([]int, len(g.Vertices))
	for v := range up {
		up[v] = v
	}
	root := func(v int) int {
		for up[v] != v {
			v = up[v]
		}
		return v
	}
	var s GraphStep
	for k, i := range g.heaviestFirst() {
		e := g.Edges[i]
		s.Value, s.Current = fmt.Sprint(k+1), []int{i}
		if a, b := root(e.U), root(e.V); a == b {
			s.Rejected = append(slices.Clone(s.Rejected), i)
			s.Caption = g.name(i) + " is rejected: it closes a cycle"
		} else {
			up[a] = b
			s.Accepted = append(slices.Clone(s.Accepted), i)
			s.Caption = fmt.Sprintf("%s is accepted, as number %d of the basis", g.name(i), len(s.Accepted))
		}
		g.Steps = append(g.Steps, s)
	}
	s.Value, s.Current, s.Caption = "end", nil, fmt.Sprintf("The greedy basis has %d edges", len(s.Accepted))
	if g.weighted() {
		sum := 0.0
		for _, i := range s.Accepted {
			sum += g.Edges[i].Weight
		}
		s.Caption += fmt.Sprintf(" and the weight %.6g: no basis has more", sum)
	}
	g.Steps = append(g.Steps, s)
	return &g
}

func (g *Graph) heaviestFirst() []int {
	order := make([]int, len(g.Edges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(g.Edges[j].Weight, g.Edges[i].Weight) })
	return order
}
