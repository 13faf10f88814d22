package suite_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
)

// One of the attacks of `make audit`, on all that a binary tree releases. Items lists all attacks
// on what should keep its claim.
func ExampleEffort_Releases() {
	report, err := audit.Family(context.Background(), suite.Quick.Releases()[:1], audit.Options{Seed: suite.Options.Seed})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		fmt.Printf("%s: claimed %g, audited %.2f, %s\n", f.Name, f.Claim.Epsilon, f.Epsilon, f.Verdict())
	}
	// Output:
	// binary tree: all releases: claimed 1, audited 0.93, not excluded
}
