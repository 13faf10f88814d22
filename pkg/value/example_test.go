package value_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/value"
)

func init() {
	value.Register(learner.Private[privacy.Sums]{}, linear.UCB{}, continual.Tree{}, continual.Gaussian{})
}

// A learner as Go source, as JSON, and read from that.
func Example() {
	var l bandit.Learner = learner.New(linear.UCB{Alpha: 0.1}, nil)
	source, err := value.Go(l)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source)
	text, err := value.JSON(l)
	if err != nil {
		log.Fatal(err)
	}
	again, err := value.Read[bandit.Learner](text)
	fmt.Println(again == l, err)
	// Output:
	// learner.Private[privacy.Sums]{Policy: linear.UCB{Alpha: 0.1}}
	// true <nil>
}
