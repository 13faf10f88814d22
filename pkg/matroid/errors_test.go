package matroid_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

func TestConstructorErrors(t *testing.T) {
	for i, c := range []struct {
		make func() (matroid.Matroid, error)
		want string
	}{
		{func() (matroid.Matroid, error) { return matroid.NewUniform(-1, 0) }, "matroid: Uniform size = -1, want >= 0"},
		{func() (matroid.Matroid, error) { return matroid.NewUniform(7, 9) }, "matroid: Uniform rank = 9, want in [0, 7], the size"},
		{func() (matroid.Matroid, error) { return matroid.NewUniform(7, -1) }, "matroid: Uniform rank = -1, want in [0, 7], the size"},
		{func() (matroid.Matroid, error) { return matroid.NewLinear([][]int{{1, 2}, {3}}) }, "matroid: Linear vectors[1] has length 1, want 2, as vectors[0]"},
		{func() (matroid.Matroid, error) { return matroid.NewLinear([][]int{{1, math.MinInt64}}) }, "matroid: Linear vectors[0][1] = -9223372036854775808, want > -2^63"},
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(-1, nil) }, "matroid: Graphic vertices = -1, want in [0, 2147483647]"},
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(2, [][2]int{{0, 1}, {1, 2}}) }, "matroid: Graphic edges[1][1] = 2, want in [0, 2), a vertex"},
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(2, [][2]int{{-1, 1}}) }, "matroid: Graphic edges[0][0] = -1, want in [0, 2), a vertex"},
		{func() (matroid.Matroid, error) { return matroid.NewPartition([]int{0, 2}, []int{1, 1}) }, "matroid: Partition class[1] = 2, want in [0, 2), a class that has a capacity"},
		{func() (matroid.Matroid, error) { return matroid.NewPartition([]int{-1}, []int{1, 1}) }, "matroid: Partition class[0] = -1, want in [0, 2), a class that has a capacity"},
		{func() (matroid.Matroid, error) { return matroid.NewPartition(nil, []int{1, -1}) }, "matroid: Partition capacity[1] = -1, want >= 0"},
		{func() (matroid.Matroid, error) { return matroid.NewTransversal(-1, nil) }, "matroid: Transversal slots = -1, want >= 0"},
		{func() (matroid.Matroid, error) { return matroid.NewTransversal(2, [][]int{{}, {0, 2}}) }, "matroid: Transversal suits[1][1] = 2, want in [0, 2), a slot"},
		{func() (matroid.Matroid, error) { return matroid.NewTransversal(2, [][]int{{-1}}) }, "matroid: Transversal suits[0][0] = -1, want in [0, 2), a slot"},
		{func() (matroid.Matroid, error) { return matroid.NewLaminar(-1, nil, nil) }, "matroid: Laminar size = -1, want >= 0"},
		{func() (matroid.Matroid, error) { return matroid.NewLaminar(2, [][]int{{0}}, nil) }, "matroid: Laminar has 1 sets and 0 capacities, want one for each"},
		{func() (matroid.Matroid, error) { return matroid.NewLaminar(2, [][]int{{0}}, []int{-1}) }, "matroid: Laminar capacity[0] = -1, want >= 0"},
		{func() (matroid.Matroid, error) { return matroid.NewLaminar(2, [][]int{{0, 2}}, []int{1}) }, "matroid: Laminar sets[0][1] = 2, want in [0, 2)"},
		{func() (matroid.Matroid, error) { return matroid.NewLaminar(2, [][]int{{0, 1, 0}}, []int{1}) }, "matroid: Laminar sets[0][2] = 0, want it in the set once"},
		{func() (matroid.Matroid, error) {
			return matroid.NewLaminar(3, [][]int{{0}, {0, 1}, {1, 2}}, []int{1, 1, 1})
		}, "matroid: Laminar sets 1 and 2 cross, want them disjoint or one in the other"},
		{func() (matroid.Matroid, error) {
			return matroid.NewLinearFloat([][]float64{{1, 2}, {3, math.NaN()}}, 0)
		}, "matroid: LinearFloat vectors[1][1] = NaN, want finite"},
		{func() (matroid.Matroid, error) { return matroid.NewLinearFloat([][]float64{{1, 2}, {3}}, 0) }, "matroid: LinearFloat vectors[1] has length 1, want 2, as vectors[0]"},
		{func() (matroid.Matroid, error) { return matroid.NewLinearFloat(nil, 1) }, "matroid: LinearFloat tolerance = 1, want in [1e-13, 1), or 0 for 1e-09"},
		{func() (matroid.Matroid, error) { return matroid.NewLinearFloat(nil, 1e-16) }, "matroid: LinearFloat tolerance = 1e-16, want in [1e-13, 1), or 0 for 1e-09"},
		{func() (matroid.Matroid, error) { return matroid.NewLinearFloat(nil, math.NaN()) }, "matroid: LinearFloat tolerance = NaN, want in [1e-13, 1), or 0 for 1e-09"},
	} {
		if _, err := c.make(); fmt.Sprint(err) != c.want {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
}

// A family is refused if and only if two of its sets cross, and the error names two that do.
func TestLaminarCrossing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 0, 6, rapid.ID[int]), 0, 5).Draw(t, "sets")
		cross := func(s, r int) bool {
			n := len(common(sets[s], sets[r]))
			return n > 0 && n < len(sets[s]) && n < len(sets[r])
		}
		crossing := false
		for s := range sets {
			for r := range s {
				crossing = crossing || cross(s, r)
			}
		}
		_, err := matroid.NewLaminar(6, sets, make([]int, len(sets)))
		if crossing != (err != nil) {
			t.Fatalf("crossing is %v, error %v", crossing, err)
		}
		var s, r int
		if err != nil {
			if _, scan := fmt.Sscanf(err.Error(), "matroid: Laminar sets %d and %d cross", &s, &r); scan != nil || !cross(s, r) {
				t.Fatalf("%v", err)
			}
		}
	})
}
