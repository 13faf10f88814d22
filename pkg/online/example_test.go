package online_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Maler finds the minimum of |theta - (0.3, 0.4)|^2/2 from gradients alone, without being told that
// it is strongly convex.
func ExampleMaler() {
	ready, err := online.Maler{Radius: 1, Gradient: 2}.Open(2, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := ready.Start(nil, nil).(*online.MalerRun)
	for range 1000 {
		theta := m.Predict()
		if err := m.Update([]float64{theta[0] - 0.3, theta[1] - 0.4}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%d experts at (%.2f, %.2f)\n", m.Experts(), m.Predict()[0], m.Predict()[1])
	// Output: 13 experts at (0.30, 0.40)
}

// The regret on exp-concave losses against the best fixed point: Maler is as good as ONS, which was
// told.
func ExampleRegret() {
	stream, err := online.NewLosses("exp-concave", 5, 10_000, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := stream.Curvature
	for _, l := range []online.Learner{
		online.OGD{Gradient: c.Gradient},
		online.ONS{Gradient: c.Gradient, ExpConcave: c.ExpConcave},
		online.Maler{Gradient: c.Gradient},
	} {
		curve, err := online.Regret(l, stream, 10_000, nil, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%T %.0f\n", l, curve[len(curve)-1])
	}
	// Output:
	// online.OGD 11
	// online.ONS 3
	// online.Maler 3
}

// DP-FTRL is FTRL over a noisy sum. The printed scale of its noise buys less than it says.
func ExampleFTRL() {
	for _, calibration := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		tree := continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Calibration: calibration}
		ready, err := online.FTRL{Gradient: 1, Sums: tree}.Open(10, 10_000)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: epsilon = %.2f\n", calibration, privacy.ClaimOf(ready).Epsilon())
	}
	// Output:
	// Sound: epsilon = 1.00
	// AsPublished: epsilon = 3.04
}
