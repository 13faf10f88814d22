package matroid

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

func TestCellsAreShort(t *testing.T) { exercisetest.Short(t, "../02-matroid-bandits.ipynb") }
