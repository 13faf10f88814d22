package catalogue_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The learners that are private where nobody is trusted, and what one of them proves in a world.
func Example() {
	for _, e := range catalogue.Learners() {
		if e.Private && e.Model == privacy.Local {
			fmt.Println(e.Name)
		}
	}
	worlds, err := catalogue.Named("two")
	if err != nil {
		log.Fatal(err)
	}
	world, err := worlds[0].Environment.Open()
	if err != nil {
		log.Fatal(err)
	}
	l := catalogue.Learner{Name: "KL-UCB of bits", Budget: privacy.Budget{Epsilon: 0.5}}
	claim, err := learner.ClaimOf(l, world.Problem(), 1000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: epsilon = %g in the %v model\n", l.Name, claim.Epsilon(), claim.Model())
	// Output:
	// KL-UCB of bits
	// LDP LinUCB
	// LDP weighted regression
	// KL-UCB of bits: epsilon = 0.5 in the local model
}
