package tally_test

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Each of 1000 people is shown two of three films and says which she likes. Everybody likes the
// first film, every other one the second and nobody the third.
func ExampleBlocks() {
	opened, err := tally.Blocks{Budget: privacy.Budget{Epsilon: 1}}.Open(privacy.Setup{Arms: 3, Slots: 2, Horizon: 1000, Lo: 0, Hi: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	for person := range 1000 {
		likes := []float64{1, float64(person / 3 % 2), 0}
		one, other := person%3, (person+1)%3
		if _, err := blocks.Add(&privacy.Record{Arms: []int{one, other}, Y: []float64{likes[one], likes[other]}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for film := range 3 {
		e := blocks.Release().Of[film]
		fmt.Printf("film %d: %.2f, from a block of %d\n", film, e.Mean, e.Count)
	}
	fmt.Print(privacy.ClaimOf(blocks))
	// Output:
	// film 0: 1.00, from a block of 256
	// film 1: 0.51, from a block of 256
	// film 2: 0.01, from a block of 256
	// model       central differential privacy
	// neighbours  replace one round's weights
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 0
	// proved      epsilon = 1 at that delta (pure)
	// event       2 times: Laplace, epsilon = 0.5
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   weights clipped to [0, 1] inside the mechanism
	// condition   the arms of a round depend on earlier releases, and not on its weights
	// not covered error texts, counts of clipped records, running times
	// source      blocks of Differentially private matroid bandits, Theorem 1
}

// The same noise and the same privacy, but what older blocks released is kept. The errors are those
// of 2000 runs.
func ExampleBlocks_remember() {
	const runs, people = 2000, 1023
	for _, remember := range []bool{false, true} {
		opened, err := tally.Blocks{Budget: privacy.Budget{Epsilon: 0.2}, Remember: remember}.
			Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: people, Lo: 0, Hi: 1})
		if err != nil {
			fmt.Println(err)
			return
		}
		tastes, noise := random.New(1, 0, "tastes"), privacy.NewNoise(random.Source(1, 0, "noise"))
		var square float64
		var blocks privacy.Stream[privacy.Means]
		for range runs {
			blocks = opened.Start(noise)
			for range people {
				if _, err := blocks.Add(&privacy.Record{Arms: []int{0}, Y: []float64{float64(tastes.IntN(2))}}); err != nil {
					fmt.Println(err)
					return
				}
			}
			off := blocks.Release().Of[0].Mean - 0.5
			square += off * off
		}
		fmt.Printf("remember %v: off by %.4f, the mean of %d\n", remember, math.Sqrt(square/runs), blocks.Release().Of[0].Count)
	}
	// Output:
	// remember false: off by 0.0268, the mean of 512
	// remember true: off by 0.0210, the mean of 921
}
