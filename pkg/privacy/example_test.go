package privacy_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// The standard deviation that a release of sensitivity 1 needs.
func ExampleBudget_GaussianMu() {
	mu, err := privacy.Budget{Epsilon: 1, Delta: 1e-5}.GaussianMu()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mu* = %.5f, sigma = %.4f\n", mu, 1/mu)

	// Ten such releases together:
	fmt.Printf("ten of them: epsilon = %.2f\n", account.GaussianEpsilon(1e-5, mu*3.1623))

	_, err = privacy.Budget{Epsilon: -1, Delta: 1e-5}.GaussianMu()
	fmt.Println(err)
	// Output:
	// mu* = 0.26805, sigma = 3.7306
	// ten of them: epsilon = 3.62
	// privacy: epsilon = -1, want > 0
}
