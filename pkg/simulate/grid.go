package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// mostPoints is the largest number of rounds in a grid.
const mostPoints = 1 << 20

// LinearGrid returns about n evenly spaced rounds in [1, rounds], increasing, of which the last is
// rounds. It returns nil if n or rounds is below 1.
func LinearGrid(rounds, n int) []int {
	if n < 1 || rounds < 1 {
		return nil
	}
	n = min(n, rounds, mostPoints)
	grid := make([]int, n)
	for i := range grid {
		grid[i] = int(math.Round(float64(rounds) * float64(i+1) / float64(n)))
	}
	grid[n-1] = rounds
	return slices.Compact(grid)
}

// LogGrid returns at most n rounds from 1 to rounds, evenly spaced in their logarithm, increasing,
// of which the last is rounds. There are fewer than n where the first ones coincide. It returns nil
// if n or rounds is below 1.
func LogGrid(rounds, n int) []int {
	if n < 1 || rounds < 1 {
		return nil
	}
	if n == 1 {
		return []int{rounds}
	}
	n = min(n, mostPoints)
	grid := make([]int, n)
	for i := range grid {
		grid[i] = int(math.Round(portable.Pow(float64(rounds), float64(i)/float64(n-1))))
	}
	grid[n-1] = rounds
	return slices.Compact(grid)
}

// defaultGrid returns a grid for linear and logarithmic axes alike: 100 evenly spaced rounds and 60
// that are evenly spaced in their logarithm.
func defaultGrid(rounds int) []int {
	grid := append(LinearGrid(rounds, 100), LogGrid(rounds, 60)...)
	slices.Sort(grid)
	return slices.Compact(grid)
}

// checkGrid validates a grid and adds the last round if it is missing. An empty grid means
// defaultGrid.
func checkGrid(grid []int, rounds int) ([]int, error) {
	if len(grid) == 0 {
		return defaultGrid(rounds), nil
	}
	for i, g := range grid {
		if g < 1 || g > rounds {
			return nil, fmt.Errorf("field Grid[%d] = %d, want in [1, Rounds = %d]", i, g, rounds)
		}
		if i > 0 && g <= grid[i-1] {
			return nil, fmt.Errorf("field Grid[%d] = %d, want > Grid[%d] = %d", i, g, i-1, grid[i-1])
		}
	}
	grid = slices.Clone(grid)
	if grid[len(grid)-1] < rounds {
		grid = append(grid, rounds)
	}
	return grid, nil
}
