package matroid

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/notebooktest"
)

func TestCellsAreShort(t *testing.T) { notebooktest.Short(t, "../02-matroid-bandits.ipynb") }
