package audit_test

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// A claim that is true exactly is excluded at 99% in at most 21 of 1,000 audits, in each of four
// families. If an audit were wrong in one of a hundred, more than 21 would have probability 1e-3 at
// most. With -short there are 150 audits, and more than 6 have that probability.
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
	// A claim that is a fifth too small is not true, and is excluded.
	m := laplace(1)
	m.Claim.Epsilon, m.Runs = 0.8, 20000
	if f, err := m.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
}
