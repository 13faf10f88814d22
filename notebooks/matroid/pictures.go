package matroid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Matroids by pictures: a graph to click, the greedy algorithm step by step, and the kinds of
// matroids that package matroid has.

// graph is the lesson's graph. The five heaviest edges have a cycle, and one of the lightest is
// in the heaviest basis.
var graph = charts.Graph{
	Vertices: []charts.Vertex{{Label: "a", X: 0, Y: 2}, {Label: "b", X: 2.4, Y: 2.3}, {Label: "c", X: 4.8, Y: 2}, {Label: "d", X: 0, Y: 0}, {Label: "e", X: 2.4, Y: -0.3}, {Label: "f", X: 4.8, Y: 0}},
	Edges: []charts.Edge{{U: 0, V: 1, Weight: 0.9}, {U: 1, V: 2, Weight: 0.3}, {U: 3, V: 4, Weight: 0.5}, {U: 4, V: 5, Weight: 0.4}, {U: 0, V: 3, Weight: 0.6},
		{U: 1, V: 4, Weight: 0.8}, {U: 2, V: 5, Weight: 0.1}, {U: 0, V: 4, Weight: 0.7}, {U: 1, V: 5, Weight: 0.2}},
}

// graphicOf returns the graphic matroid of a graph and the weights of its edges.
func graphicOf(g *charts.Graph) (*matroid.Graphic, []float64, error) {
	var edges [][2]int
	var weights []float64
	for _, e := range g.Edges {
		edges, weights = append(edges, [2]int{e.U, e.V}), append(weights, e.Weight)
	}
	m, err := matroid.NewGraphic(len(g.Vertices), edges)
	return m, weights, err
}

// FigureGreedySteps steps through the greedy algorithm on the same graph.
func FigureGreedySteps() (*charts.Graph, error) {
	g := graph
	m, weights, err := graphicOf(&g)
	if err != nil {
		return nil, err
	}
	g.Title = "Greedy: by decreasing weight, each edge that closes no cycle"
	g.Caption = "Accepted edges are thick, rejected ones dashed, and the one in question is marked. Weights have no unit"
	steps := g.Greedy()
	basis := matroid.NewGreedy(m).Basis(weights, nil)
	if drawn := steps.Steps[len(steps.Steps)-1].Accepted; !slices.Equal(drawn, basis) {
		return nil, fmt.Errorf("matroid: the picture accepts the edges %v, package matroid %v", drawn, basis)
	}
	return steps, nil
}

// kind is a kind of matroid, with a small one.
type kind struct {
	name, ground, independent, rank, plays, example string
	of                                              func() (matroid.Matroid, error)
	want                                            int // rank of the small one, by hand
}

// kinds are the kinds that package matroid has.
var kinds = []kind{
	{"uniform", "L arms", "at most K of them", "K", "any K advertisements of L", "4 of 9 arms",
		func() (matroid.Matroid, error) { return matroid.NewUniform(9, 4) }, 4},
	{"partition", "arms in classes", "at most c of a class", "Σ min(c, size of class)", "two films of each genre at most", "classes of 4, 3 and 1, two of each",
		func() (matroid.Matroid, error) {
			return matroid.NewPartition([]int{0, 0, 0, 0, 1, 1, 1, 2}, []int{2, 2, 2})
		}, 5},
	{"linear", "vectors", "linearly independent ones", "that of the matrix", "movies of diverse genres", "Table 2",
		func() (matroid.Matroid, error) { return Matroid, nil }, 3},
	{"graphic", "edges of a graph", "those without a cycle", "vertices − components", "a spanning tree of a network", "the graph above",
		func() (matroid.Matroid, error) {
			m, _, err := graphicOf(&graph)
			return m, err
		}, 5},
	{"transversal", "arms, each of which suits some slots", "those that get a slot each", "the largest matching", "tasks for workers", "6 workers, 4 tasks; three of the workers know task 1 only",
		func() (matroid.Matroid, error) {
			return matroid.NewTransversal(4, [][]int{{0}, {0}, {0}, {1, 2}, {1, 2}, {1, 2}})
		}, 3},
	{"laminar", "arms in nested groups", "at most c of a group", "of the inner groups first", "5 films, of them 3 dramas, of them 1 crime", "8 films, 6 dramas, of which 3 crime",
		func() (matroid.Matroid, error) {
			return matroid.NewLaminar(8, [][]int{{0, 1, 2}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7}}, []int{1, 3, 5})
		}, 5},
}

// allBases returns the bases of a small matroid, by trying all sets.
func allBases(m matroid.Matroid) (bases [][]int) {
	o := matroid.NewOracle(m)
	for set := range uint(1) << m.Size() {
		var list []int
		for e := range m.Size() {
			if set>>e&1 == 1 {
				list = append(list, e)
			}
		}
		if o.Basis(list) {
			bases = append(bases, list)
		}
	}
	return bases
}

// knapsack is no matroid: items have prices, and a set is "independent" if it is within the budget.
type knapsack struct {
	price  []int
	budget int
}

func (k knapsack) Size() int { return len(k.price) }

// Rank returns the size of a largest set within the budget.
func (k knapsack) Rank() (n int) {
	price := slices.Sorted(slices.Values(k.price))
	for room := k.budget; n < len(price) && price[n] <= room; n++ {
		room -= price[n]
	}
	return n
}

func (k knapsack) NewBuilder() matroid.Builder { return &basket{of: k, in: make([]bool, len(k.price))} }

// basket is a set of items within the budget.
type basket struct {
	of       knapsack
	in       []bool
	n, spent int
}

func (b *basket) Clear() {
	b.n, b.spent = 0, 0
	clear(b.in)
}

func (b *basket) Len() int { return b.n }

func (b *basket) Add(e int) bool {
	if b.in[e] || b.spent+b.of.price[e] > b.of.budget {
		return false
	}
	b.in[e] = true
	b.n++
	b.spent += b.of.price[e]
	return true
}

// lessonKnapsack has one dear item and three cheap ones.
var lessonKnapsack = knapsack{price: []int{3, 1, 1, 1}, budget: 3}

// claimMatroids checks the axioms on the small matroids, their ranks, a broken one, and greedy
// against all bases.
func claimMatroids(s lab.Scale) (string, error) {
	instances := cell.Pick(s, 200, 2_000, 20_000)
	rng := random.New(Seed, 0, "matroids")
	bases := 0
	for _, k := range kinds {
		m, err := k.of()
		if err != nil {
			return "", err
		}
		if err := matroid.Check(m, nil); err != nil {
			return "", fmt.Errorf("%s: %w", k.name, err)
		}
		if m.Rank() != k.want {
			return "", fmt.Errorf("%s: rank %d, by hand %d", k.name, m.Rank(), k.want)
		}
		if err := greedyIsBest(m, instances, rng); err != nil {
			return "", fmt.Errorf("%s: %w", k.name, err)
		}
		bases += len(allBases(m))
	}
	broken := matroid.Check(lessonKnapsack, nil)
	if violation, ok := broken.(*matroid.Violation); !ok || violation.Axiom != matroid.Exchange {
		return "", fmt.Errorf("a budget passes for a matroid: %v", broken)
	}
	steps, err := FigureGreedySteps()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d kinds pass; greedy is best of all bases (%d in sum) for %s random weights each; the picture's basis is %v; a budget fails: %v",
		len(kinds), bases, cell.Thousands(instances), steps.Steps[len(steps.Steps)-1].Accepted, broken), nil
}

// greedyIsBest compares the greedy algorithm with all bases, for normal weights and for weights
// that are all negative, with ties.
func greedyIsBest(m matroid.Matroid, instances int, rng *rand.Rand) error {
	greedy, bases := matroid.NewGreedy(m), allBases(m)
	weights := make([]float64, m.Size())
	weigh := func(basis []int) (sum float64) {
		for _, e := range basis {
			sum += weights[e]
		}
		return sum
	}
	for i := range instances {
		for e := range weights {
			if weights[e] = rng.NormFloat64(); i%2 == 1 {
				weights[e] = -float64(rng.IntN(5))
			}
		}
		basis, best := greedy.Basis(weights, nil), math.Inf(-1)
		if !matroid.IsBasis(m, basis) {
			return fmt.Errorf("greedy takes %v for the weights %.2f, which is no basis", basis, weights)
		}
		for _, b := range bases {
			best = max(best, weigh(b))
		}
		if got := weigh(basis); got < best-1e-12 {
			return fmt.Errorf("greedy takes %v for the weights %.2f, of weight %v; the best basis has %v", basis, weights, got, best)
		}
	}
	return nil
}
