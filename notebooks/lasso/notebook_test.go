package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

func TestCellsShowTheToolkit(t *testing.T) {
	exercisetest.ShowsToolkit(t, "../04-private-lasso.ipynb", 20)
}
