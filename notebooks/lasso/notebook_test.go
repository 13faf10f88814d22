package lasso

import (
	"regexp"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../04-private-lasso.ipynb"

func TestCellsShowTheToolkit(t *testing.T) {
	exercisetest.ShowsToolkit(t, notebook, 20)
}

// Every statement that the notebook asserts is one that a check knows, and every check is asserted.
func TestAsserted(t *testing.T) {
	asserted := map[string]bool{}
	for _, c := range exercisetest.Cells(t, notebook) {
		for _, m := range regexp.MustCompile(`study\.Assert\("([^"]*)"\)`).FindAllStringSubmatch(c.Source, -1) {
			asserted[m[1]] = true
			if claims[m[1]] == nil {
				t.Errorf("the notebook asserts %q, which nothing checks", m[1])
			}
		}
	}
	for statement := range claims {
		if !asserted[statement] {
			t.Errorf("the notebook does not assert %q", statement)
		}
	}
	if _, err := Check("two is three", "smoke"); err == nil {
		t.Error("a statement that nobody knows holds")
	}
}
