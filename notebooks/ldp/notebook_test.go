package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

const notebook = "../01-ldp-linucb.ipynb"

func TestAsserted(t *testing.T) { notebooktest.Asserted(t, notebook, Claims.Names()) }
