package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

const notebook = "../04-private-lasso.ipynb"

func TestAsserted(t *testing.T) { notebooktest.Asserted(t, notebook, claims.Names()) }
