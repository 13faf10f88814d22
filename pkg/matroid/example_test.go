package matroid_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// The synthetic experiment of the matroid paper (Table 2): seven vectors with their mean weights,
// three of them to be chosen that are linearly independent. Arm 6 is the zero vector, in no
// independent set for all its weight, and arm 5 is parallel to the better arm 0.
func ExampleNewLinear() {
	m, err := matroid.NewLinear([][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	means := []float64{.80, .75, .60, .20, .30, .40, .70}
	fmt.Println("rank ", m.Rank())
	fmt.Println("basis", matroid.NewGreedy(m).Basis(means, nil))
	// Output:
	// rank  3
	// basis [0 1 2]
}

// A spanning tree of greatest weight: two triangles that share the edge 0-2.
func ExampleNewGraphic() {
	m, err := matroid.NewGraphic(4, [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("spanning tree", matroid.NewGreedy(m).Basis([]float64{.9, .8, .7, .1, .6}, nil))
	fmt.Println("cycle is independent:", matroid.NewOracle(m).Independent([]int{0, 1, 2}))
	// Output:
	// spanning tree [0 1 4]
	// cycle is independent: false
}
