package matroid_test

import (
	"fmt"
	"math"
	"testing"

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
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(-1, nil) }, "matroid: Graphic vertices = -1, want in [0, 2147483648)"},
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(2, [][2]int{{0, 1}, {1, 2}}) }, "matroid: Graphic edges[1][1] = 2, want in [0, 2), a vertex"},
		{func() (matroid.Matroid, error) { return matroid.NewGraphic(2, [][2]int{{-1, 1}}) }, "matroid: Graphic edges[0][0] = -1, want in [0, 2), a vertex"},
	} {
		if _, err := c.make(); fmt.Sprint(err) != c.want {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
}
