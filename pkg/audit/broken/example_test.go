package broken_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/broken"
)

// An attack on the first fixture, a sum whose noise is calibrated for half of what a record moves.
func ExampleAll() {
	finding, err := broken.All()[0].Run(context.Background(), audit.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("claimed %g, true %g, audited %.2f: %s\n",
		finding.Claim.Epsilon, finding.Exact, finding.Epsilon, finding.Verdict())
	// Output:
	// claimed 1, true 2, audited 1.87: excluded
}
