package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../05-dp-online-algorithms.ipynb"

func TestAsserted(t *testing.T) { exercisetest.Asserted(t, notebook, claims.Names()) }

func TestCellsAreShort(t *testing.T) { exercisetest.Short(t, notebook) }
