package ldp

import (
	"regexp"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../01-ldp-linucb.ipynb"

func TestCellsShowTheToolkit(t *testing.T) { exercisetest.ShowsToolkit(t, notebook, 40) }

func TestCellsAreShort(t *testing.T) { exercisetest.Short(t, notebook) }

// The notebook asserts every claim, and no other.
func TestAsserted(t *testing.T) {
	var asserted []string
	for _, c := range exercisetest.Cells(t, notebook) {
		for _, m := range regexp.MustCompile(`study\.Assert\("([^"]*)"\)`).FindAllStringSubmatch(c.Source, -1) {
			asserted = append(asserted, m[1])
		}
	}
	slices.Sort(asserted)
	if want := slices.Sorted(slices.Values(Claims.Names())); !slices.Equal(asserted, want) {
		t.Errorf("the notebook asserts %q, want %q", asserted, want)
	}
}
