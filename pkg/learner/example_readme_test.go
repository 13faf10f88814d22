package learner_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// README.md quotes Optimist and the example that plays it; TestReadme compares them.

// Optimist plays the arm whose mean could be largest. It allows for chance, and for the noise.
type Optimist struct{ Width float64 }

// Prepare makes a policy of the formula.
func (o Optimist) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return arms.ByIndex(p, horizon, o)
}

// Index says how large an arm's mean could be, by what was released. It sees no reward.
func (o Optimist) Index(k arms.Known) float64 {
	return k.Mean + o.Width*math.Sqrt(k.Log/float64(k.Count)) + k.Noise(k.Log)
}

func Example_readme() {
	private := learner.New(Optimist{Width: 0.5}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}, Remember: true})
	race := &simulate.Experiment{
		Name: "readme", Horizon: 10_000, Trials: 20, Seed: 1,
		Environment: environment.Arms{Means: []float64{0.2, 0.8, 0.5}},
		Policies:    []simulate.Policy{{Name: "Optimist", Learner: private}, {Name: "DP-IMED", Learner: arms.NewDPIMED(1, 2)}},
	}
	result, err := race.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Curves() {
		fmt.Printf("%s regret %.0f\n", c.Policy, c.Mean[len(c.Mean)-1])
	}
	fmt.Print(result.Policies[0].Claim)
	// Output:
	// Optimist regret 87
	// DP-IMED regret 33
	// model       central differential privacy
	// neighbours  replace one round's weights
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 0
	// proved      epsilon = 1 at that delta (pure)
	// event       Laplace, epsilon = 1
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   weights clipped to [0, 1] inside the mechanism
	// condition   the arms of a round depend on earlier releases, and not on its weights
	// not covered error texts, counts of clipped records, running times
	// source      blocks of Differentially private matroid bandits, Theorem 1
}

// TestOwn: Optimist keeps the promises of a learner, chooses by broadcast and view, and a short
// attack excludes no claim, a false alarm once in ten thousand.
func TestOwn(t *testing.T) {
	mine := learner.New(Optimist{Width: 0.5}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}, Remember: true})
	coins := environment.Arms{Means: []float64{0.2, 0.8, 0.5}}
	bandittest.Learner(t, mine, coins, bandittest.LearnerOptions{})
	privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{Policy: Optimist{Width: 0.5}, Problem: coins.Problem()})
	privacytest.Learner(t, privacytest.LearnerCase{Name: "optimist", Learner: mine, Problem: coins.Problem()})
}

// TestReadme: README's Go block is Optimist and the body of the example above, and its text block
// is what that prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\n// Optimist plays")
	code, body, _ := strings.Cut(code, "func Example_readme() {\n")
	body, output, ok := strings.Cut(body, "\t// Output:\n")
	output, _, closed := strings.Cut(output, "}\n")
	if !ok || !closed {
		t.Fatal("the example has no output")
	}
	want := [][]string{
		{"go", "// Optimist plays" + code + "func main() {\n" + body + "}\n"},
		{"text", strings.ReplaceAll(output, "\t// ", "")},
	}
	got := regexp.MustCompile("(?s)```(go|text)\n(.*?)```\n").FindAllStringSubmatch(string(readme), -1)
	if len(got) != len(want) {
		t.Fatalf("README.md has %d blocks of code, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i][1] != w[0] || got[i][2] != w[1] {
			t.Errorf("README.md's %s block is\n%s\nand the example has\n%s", got[i][1], got[i][2], w[1])
		}
	}
}
