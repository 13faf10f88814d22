package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

const notebook = "../04-private-lasso.ipynb"

func TestAsserted(t *testing.T) { exercisetest.Asserted(t, notebook, claims.Names()) }
