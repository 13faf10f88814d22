package episodes_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Which 2 of 50 coordinates have to do with the reward, released once every 2,000 rounds.
func ExampleTopScores() {
	const dim, horizon = 50, 4001
	of := episodes.TopScores{
		Budget: privacy.Budget{Epsilon: 1}, Picks: 2, Scores: episodes.Signs{Y: 1},
		Lengths: episodes.Growing{Least: 2000, Factor: 1},
	}
	m, err := of.Open(privacy.Setup{Dim: dim + 1, Horizon: horizon})
	if err != nil {
		log.Fatal(err)
	}
	run := m.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	r, row := random.New(1, 0, "rows"), make([]float64, dim+1) // a context, and its reward
	for range 4000 {
		for i := range dim {
			row[i] = 2*r.Float64() - 1
		}
		row[dim] = (row[7] + row[30]) / 2
		moved, err := run.Add(privacy.Row(row))
		if err != nil {
			log.Fatal(err)
		}
		if moved {
			fmt.Printf("episode %d: coordinates %d\n", run.Release().Episode, run.Release().Of)
		}
	}
	fmt.Printf("epsilon = %g\n", privacy.ClaimOf(m).Epsilon())
	// Output:
	// episode 1: coordinates [30 7]
	// episode 2: coordinates [30 7]
	// epsilon = 1
}
