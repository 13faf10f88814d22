package jdp

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAuthorsWishart: k and gamma are those of the authors' code in Experiment 2, gamma on both
// sides of the natural shift, and the claim says what k buys.
func TestAuthorsWishart(t *testing.T) {
	w := &authorsWishart{mechanism.Wishart{Budget: Budget, Calibration: privacy.AsPublished}}
	if err := w.Init(privacy.Setup{Dim: 6, Horizon: Horizon, Bound: math.Sqrt2, Alpha: 1. / Horizon}); err != nil {
		t.Fatal(err)
	}
	if w.Freedom() != 239278 {
		t.Errorf("k = %d, want 239278", w.Freedom())
	}
	b := w.Bounds(0)
	for _, rho := range []float64{1e4, 1e6, 4e7} {
		if got, want := w.Bounds(rho-b.RhoMin).Gamma, b.Gamma*math.Sqrt(b.RhoMin/rho); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("gamma = %v at rho_min = %v, want %v", got, rho, want)
		}
	}
	if c := privacy.ClaimOf(w); !(c.Epsilon() < Budget.Epsilon) || c.Calibration() != privacy.Given {
		t.Errorf("claims\n%v\nwant noise that is given and more than enough", c)
	}
}

// TestHours: the runs at the paper's size took as long as the notebook says, thirteen hours.
func TestHours(t *testing.T) {
	paths, err := filepath.Glob("../results/jdp-*.csv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	hours := 0.0
	for _, path := range paths {
		hours += lab.MustTable(strings.TrimSuffix(filepath.Base(path), ".csv")).Provenance.Busy.Hours()
	}
	if math.Round(hours) != 13 {
		t.Errorf("%.2f hours, and the notebook says thirteen", hours)
	}
}
