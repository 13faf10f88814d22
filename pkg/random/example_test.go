package random_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// One seed gives each purpose a stream of its own: whoever draws more from one does not shift the
// others. The numbers are the same on every machine.
func ExampleNew() {
	contexts, rewards := random.New(1, 0, "contexts"), random.New(1, 0, "rewards")
	x := make([]float64, 3)
	random.Sphere(contexts, x)
	fmt.Printf("context %.2f, reward %v\n", x, random.Rademacher(rewards, x[0]))
	// Output:
	// context [-0.84 -0.52 -0.16], reward -1
}
