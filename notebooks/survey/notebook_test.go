package survey

import (
	"regexp"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../05-dp-online-algorithms.ipynb"

func TestCellsShowTheToolkit(t *testing.T) {
	exercisetest.ShowsToolkit(t, notebook, 40)
}

// Every statement that the notebook asserts is one that a check knows, and every check is asserted.
func TestAsserted(t *testing.T) {
	asserted := map[string]bool{}
	for _, c := range exercisetest.Cells(t, notebook) {
		for _, m := range regexp.MustCompile(`study\.Assert\("([^"]*)"\)`).FindAllStringSubmatch(c.Source, -1) {
			asserted[m[1]] = true
			if !slices.Contains(claims.Names(), m[1]) {
				t.Errorf("the notebook asserts %q, which nothing checks", m[1])
			}
		}
	}
	for _, statement := range claims.Names() {
		if !asserted[statement] {
			t.Errorf("the notebook does not assert %q", statement)
		}
	}
	if _, _, err := claims.Check("two is three", "smoke"); err == nil {
		t.Error("a statement that nobody knows holds")
	}
}

func TestCellsAreShort(t *testing.T) { exercisetest.Short(t, notebook) }
