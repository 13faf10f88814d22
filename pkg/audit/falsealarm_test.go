package audit_test

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// Of audits of claims that are true exactly, at 99%, at most some are false alarms: of 1,000 in each
// family, 21 at most, which more false alarms than one in a hundred exceed, and which exactly so
// many exceed with probability 1e-3 at most; with -short 6 of 150, with 1e-3 as well.
func TestFalseAlarms(t *testing.T) {
	audits, most := 1000, 21
	if testing.Short() {
		audits, most = 150, 6
	}
	for _, f := range audit.Calibrations() {
		wrong, err := f.Count(context.Background(), audits, audit.Options{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d true claims excluded", f.Name, wrong, audits)
		if wrong > most {
			t.Errorf("%s: %d of %d true claims excluded at 99%%, want <= %d", f.Name, wrong, audits, most)
		}
	}
	// A claim a tenth too small is not true, and is excluded more often than that.
	m := laplace(1)
	m.Claim.Epsilon, m.Runs = 0.8, 20000
	if f, err := m.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
}
