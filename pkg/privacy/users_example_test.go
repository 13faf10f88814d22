package privacy_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Six users have one record each, three have two, one has thirty: what epsilon = 1 for a record is
// worth to each.
func ExamplePlan_UserLevels() {
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
	tree, err := continual.Tree{Noise: noise}.Open(privacy.Setup{Dim: 3, Horizon: 100, Bound: 1, Alpha: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, err := privacy.PlanOf(tree, privacy.All).UserLevels([]int{1, 1, 2, 1, 30, 1, 2, 1, 2, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range levels {
		fmt.Printf("%d users have at most %d: epsilon = %.2f\n", l.Users, l.Records, l.Claim.Epsilon())
	}
	// Output:
	// 6 users have at most 1: epsilon = 1.00
	// 9 users have at most 2: epsilon = 2.12
	// 10 users have at most 30: epsilon = 58.20
}
