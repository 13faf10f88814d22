package audit

import (
	"context"
	"strings"
	"testing"
)

// A vector whose second output tells the worlds apart only given the first is audited by the ratio
// of the second given the first: to four fifths of the true epsilon, where no output alone tells
// more than half of it.
func TestSplit(t *testing.T) {
	m := Calibrations()[3].audit
	m.Name, m.Claim.Epsilon = "given", 0.7
	f, err := m.Run(context.Background(), Options{Seed: 1})
	if err != nil || !f.Excluded() || f.Epsilon < 0.8 || f.Epsilon > 1 || !strings.Contains(f.Event, "of the others given it") {
		t.Errorf("err %v, want an epsilon in [0.8, 1] by what the outputs say given each other\n%v", err, f)
	}
}
