package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

const notebook = "../05-dp-online-algorithms.ipynb"

func TestAsserted(t *testing.T) { notebooktest.Asserted(t, notebook, claims.Names()) }
