package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../01-ldp-linucb.ipynb"

func TestCellsAreShort(t *testing.T) { exercisetest.Short(t, notebook) }

func TestAsserted(t *testing.T) { exercisetest.Asserted(t, notebook, Claims.Names()) }
