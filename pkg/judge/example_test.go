package judge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// The card of a learner in a single world. fmt.Println(card) prints all of it.
func ExampleLearner() {
	worlds, err := catalogue.Named("two")
	if err != nil {
		log.Fatal(err)
	}
	card, err := judge.Learner(context.Background(), arms.IMED{}.Private(1, 2), judge.Options{Worlds: worlds})
	if err != nil {
		log.Fatal(err)
	}
	race := card.Races[0]
	fmt.Printf("claims epsilon = %g\n", card.Claim.Epsilon)
	fmt.Printf("of which %.2f is excluded\n", card.Attacks[0].Excluded)
	fmt.Printf("rank %d of %d in %s\n", race.Rank, race.Private, race.World)
	// Output:
	// claims epsilon = 1
	// of which 0.97 is excluded
	// rank 2 of 15 in 2 arms
}
