package mechanism_test

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// A rating from 1 to 5 of each of 2000 people, who trust nobody: each adds noise before it leaves.
func ExampleLaplace() {
	opened, err := mechanism.Laplace{Epsilon: 2, Dim: 1, Lo: 1, Hi: 5}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	laplace := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	const people = 2000
	var release [1]float64
	var sum float64
	for person := range people {
		rating := [1]float64{float64(1 + person%5)}
		if err := laplace.Release(release[:], rating[:]); err != nil {
			fmt.Println(err)
			return
		}
		sum += release[0]
	}
	fmt.Printf("mean rating 3, estimated as %.2f with standard error %.2f\n", sum/people, laplace.Scale()*math.Sqrt(2.0/people))
	fmt.Print(privacy.ClaimOf(laplace))
	// Output:
	// mean rating 3, estimated as 2.99 with standard error 0.06
	// model       central differential privacy
	// neighbours  replace one record's vector
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 2, delta = 0
	// proved      epsilon = 2 at that delta (pure)
	// event       Laplace, epsilon = 2
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   coordinates clipped to [1, 5] inside the mechanism
	// condition   a record is in one release
	// not covered error texts, counts of clipped records, running times
	// source      Dwork, McSherry, Nissim, Smith 2006, Theorem 1
}

// A vector of norm at most 1, whatever it was.
func ExampleVectorGaussian() {
	opened, err := mechanism.VectorGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Dim: 3, Bound: 1}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	gaussian := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	release := make([]float64, 3)
	if err := gaussian.Release(release, []float64{30, 0, 40}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("(0.6, 0, 0.8) with noise of standard deviation %.3f: %.1f\n", gaussian.Scale(), release)
	// Output:
	// (0.6, 0, 0.8) with noise of standard deviation 7.461: [-11.8 2.0 6.9]
}

// A survey of 10,000 people, 3,000 of whom would say yes to nobody.
func ExampleRandomisedResponse() {
	opened, err := mechanism.RandomisedResponse{Epsilon: 1, Choices: 2}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	response := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	counts, estimate := make([]int, 2), make([]float64, 2)
	for person := range 10_000 {
		truth := 0
		if person < 3000 {
			truth = 1
		}
		answer, err := response.Respond(truth)
		if err != nil {
			fmt.Println(err)
			return
		}
		counts[answer]++
	}
	if err := response.Estimate(estimate, counts); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the truth with probability %.3f: %d say yes, estimate %.0f\n", response.Keep(), counts[1], estimate[1])
	// Output:
	// the truth with probability 0.731: 4106 say yes, estimate 3065
}

// Which counts are above 100? The answers below cost nothing.
func ExampleSparseVector() {
	opened, err := mechanism.SparseVector{Epsilon: 1, Accepted: 2, Sensitivity: 1}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	above := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	for _, count := range []float64{10, 20, 300, 30, 15, 250, 12} {
		yes, err := above.Above(count, 100)
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(count, yes)
	}
	for _, d := range privacy.PlanOf(above, privacy.All).Draws {
		fmt.Println(d.Count, "x", d.Law)
	}
	// Output:
	// 10 false
	// 20 false
	// 300 true
	// 30 false
	// 15 false
	// 250 true
	// mechanism: SparseVector: the privacy budget is spent on 2 queries accepted
	// 2 x Laplace of dimension 1, scale 5.1748
	// 6 x Laplace of dimension 1, scale 6.51984
}

// The three best of six arms by how often each won.
func ExampleTopK() {
	opened, err := mechanism.TopK{Budget: privacy.Budget{Epsilon: 1}, K: 3, Candidates: 6, Sensitivity: 1}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	top := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	chosen, err := top.Choose([]float64{310, 120, 400, 90, 250, 150}, nil)
	fmt.Println(chosen, err)
	fmt.Println("Gumbel noise of scale", top.Scale(), "for", privacy.ClaimOf(top).Event())
	// Output:
	// [2 0 4] <nil>
	// Gumbel noise of scale 6 for 3 times: exponential mechanism, epsilon = 0.3333
}

// A sum that may be published: the noise is the operating system's, and no two runs have the same.
func ExampleSecureGaussian() {
	opened, err := mechanism.SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: 2, Bound: 1}.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := opened.Start(nil) // its noise is the system's
	for range 1000 {
		if err := sum.Add([]float64{0.6, 0.8}); err != nil {
			fmt.Println(err)
			return
		}
	}
	release := make([]float64, 2)
	if err := sum.Release(release); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("near 600:", math.Abs(release[0]-600) < 7*sum.Scale())
	fmt.Println("on the grid:", math.Mod(release[0], sum.Spacing()) == 0)
	fmt.Println("noise as claimed:", sum.Check() == nil)
	fmt.Print(privacy.ClaimOf(sum))
	// Output:
	// near 600: true
	// on the grid: true
	// noise as claimed: true
	// model       central differential privacy
	// neighbours  replace one record's vector
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 1e-06
	// proved      epsilon = 1 at that delta (zCDP)
	// event       discrete Gaussian of dimension 2, sensitivity 4097, sigma = 1.856e+04
	// calibration Sound
	// noise       secure: discrete, from the operating system
	// condition   records clipped to the norm 1 and rounded to the grid 0.00048828125 inside the mechanism
	// condition   a record is in one sum
	// not covered error texts, counts of clipped records, running times
	// source      Canonne, Kamath, Steinke 2020, Theorem 4 and Algorithm 3; zCDP (Bun and Steinke 2016)
}
