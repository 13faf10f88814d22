package jdp_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/jdp"
)

func ExampleSetting() {
	fmt.Println(jdp.Setting("d 5, K 25, budget (1, 0.1), alpha 1/n"))
	// Output: d = 5, K = 25, (ε, δ) = (1, 0.1), α = 1/n
}
