package continual_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Running sums over 5e7 rounds with a third of the noise that a tree with an estimate of the nodes
// has, from seven buffers; and what the first thousand rounds spend of it, in mu of Gaussian
// differential privacy.
func ExampleBLT() {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	setup := privacy.Setup{Dim: 2, Horizon: 50_000_000, Bound: 1, Alpha: 0.05}
	var sd [2]float64
	var plans [2]privacy.Planner
	for i, sums := range []privacy.Accumulator{continual.BLT{Budget: budget}, continual.Honaker{Budget: budget}} {
		opened, err := sums.Open(setup)
		if err != nil {
			fmt.Println(err)
			return
		}
		sd[i], plans[i] = opened.(interface{ MaxSD() float64 }).MaxSD(), opened
	}
	fmt.Printf("largest standard deviation, in units of L~^2/mu: %.1f, Honaker's tree %.1f\n", sd[0], sd[1])
	blt := plans[0]
	all, part := privacy.ClaimOf(blt).Event().(account.GaussianEvent), privacy.PlanOf(blt, 1000).Event().(account.GaussianEvent)
	fmt.Printf("a thousand rounds spend %.1f of mu\n", part.Mu/all.Mu)
	// Output:
	// largest standard deviation, in units of L~^2/mu: 6.7, Honaker's tree 17.1
	// a thousand rounds spend 0.7 of mu
}

// A running sum of row row^T, released under privacy after each row.
func ExampleTree() {
	sums := continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}}
	opened, err := sums.Open(privacy.Setup{Dim: 2, Horizon: 1000, Bound: 1, Alpha: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	for range 700 {
		if _, err := tree.Add(&privacy.Record{X: []float64{0.8}, Y: []float64{0.6}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	release := make([]float64, 3) // (0,0), (1,0), (1,1)
	tree.Release().Read(release)
	fmt.Printf("700 x 0.8 x 0.6 = 336, released as %.0f\n", release[1])
	for _, node := range continual.PrefixNodes(700) {
		fmt.Printf("level %d: rows %d to %d\n", node.Level, node.First, node.Last)
	}
	fmt.Print(privacy.ClaimOf(tree))
	// Output:
	// 700 x 0.8 x 0.6 = 336, released as 381
	// level 9: rows 1 to 512
	// level 7: rows 513 to 640
	// level 5: rows 641 to 672
	// level 4: rows 673 to 688
	// level 3: rows 689 to 696
	// level 2: rows 697 to 700
	// model       central differential privacy
	// neighbours  replace one round's (context, reward)
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 1e-05
	// proved      epsilon = 1 at that delta (exact Gaussian)
	// event       Gaussian, mu = 0.2681
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   rows clipped to the bound inside the mechanism
	// not covered error texts, counts of clipped records, running times
	// source      Shariff and Sheffet 2018, Section 4.2; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)
}
