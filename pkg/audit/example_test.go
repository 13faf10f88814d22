package audit_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// A sum of values in [-1, 1] under Laplace noise of scale 1/epsilon: right if a record is added,
// wrong if one is replaced, as the sum then moves by 2.
func ExampleMechanism() {
	finding, err := audit.Mechanism{
		Name: "sum", Claim: privacy.Budget{Epsilon: 1},
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1)
			out[0] += float64(2*world - 1) // the record that differs: -1 or 1
			return nil
		},
	}.Run(context.Background(), audit.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("claimed epsilon 1, audited %.2f: %s\n", finding.Epsilon, finding.Verdict())
	// Output:
	// claimed epsilon 1, audited 1.83: excluded
}

// A list of mechanisms, judged together: the chance that any true claim is excluded is at most 1%.
func ExampleFamily() {
	count := func(name string, claimed, exact float64) audit.Item {
		return audit.Mechanism{
			Name: name, Claim: privacy.Budget{Epsilon: claimed}, Exact: exact,
			Release: func(world int, source rand.Source, out []float64) error {
				privacy.NewNoise(source).Laplace(out, 1/exact)
				out[0] += float64(world)
				return nil
			},
		}
	}
	report, err := audit.Family(context.Background(), []audit.Item{count("sound", 1, 1), count("broken", 1, 3)}, audit.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Printf("%s: claimed %g, exact %g, %s\n", f.Name, f.Claim.Epsilon, f.Exact, f.Verdict())
	}
	// Output:
	// sound: claimed 1, exact 1, not excluded
	// broken: claimed 1, exact 3, excluded
}
