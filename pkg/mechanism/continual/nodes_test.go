package continual

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// nodes returns the noise of a tree's nodes for a setup.
func nodes[N Nodes](t testing.TB, of NodeNoise, s privacy.Setup) N {
	n, err := of.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return n.(N)
}
