package learner_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSpeed: README has the least and the greatest numbers of SPEED.md.
func TestSpeed(t *testing.T) {
	page, err := os.ReadFile("SPEED.md")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`[\d.]+`)
	lo, hi := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		for _, by := range []string{"numba", "JAX", "numpy"} {
			if len(cells) < 3 || !strings.Contains(cells[1], by) {
				continue
			}
			for _, n := range number.FindAllString(strings.Join(cells[2:], " "), -1) {
				x, err := strconv.ParseFloat(n, 64)
				if err != nil {
					t.Fatal(err)
				}
				if lo[by] == 0 {
					lo[by] = math.Inf(1)
				}
				lo[by], hi[by] = min(lo[by], x), max(hi[by], x)
			}
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%.1f to %.0f times as long if numba compiles it, %.1f to %.1f times if JAX does, and %.0f to %.0f times in numpy",
		lo["numba"], hi["numba"], lo["JAX"], hi["JAX"], lo["numpy"], hi["numpy"])
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
		t.Errorf("README.md does not say %q", want)
	}
}
