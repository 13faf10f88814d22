package learner_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
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
	"gonum.org/v1/gonum/floats"
)

// README.md quotes Greedy and the example that plays it; TestReadme compares them.

// Greedy plays the best arm by what it knows and, in a share Explore of the rounds, any arm.
type Greedy struct{ Explore float64 }

// Prepare is called once, and what it returns for each run.
func (g Greedy) Prepare(p bandit.Problem, _ int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return learner.Begins[privacy.Means](func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &greedyRun{g, make([]float64, p.Arms), own}
	}), nil
}

// greedyRun is Greedy in one run.
type greedyRun struct {
	Greedy
	means []float64
	own   *rand.Rand
}

// Learn reads a release: the mean reward of each arm, with noise.
func (g *greedyRun) Learn(r *privacy.Means) ([]float64, error) {
	for arm, of := range r.Of {
		g.means[arm] = of.Mean
	}
	return g.means, nil
}

// Act chooses by what Learn returned. No reward gets here.
func (g *greedyRun) Act(means []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(means) != v.Arms {
		return dst, fmt.Errorf("greedy: %d means, want %d", len(means), v.Arms)
	}
	arm := g.own.IntN(v.Arms)
	if g.own.Float64() >= g.Explore {
		arm = floats.MaxIdx(means)
	}
	return append(dst, arm), nil
}

func Example_readme() {
	private := learner.New(Greedy{Explore: 0.1}, tally.Tree{Budget: privacy.Budget{Epsilon: 1}})
	race := &simulate.Experiment{
		Name: "readme", Horizon: 10_000, Trials: 20, Seed: 1,
		Environment: environment.Arms{Means: []float64{0.2, 0.8, 0.5}},
		Policies:    []simulate.Policy{{Name: "Greedy", Learner: private}, {Name: "DP-UCB", Learner: arms.NewDPUCB(1)}},
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
	// Greedy regret 482
	// DP-UCB regret 576
	// model       central differential privacy
	// neighbours  replace one round's weights
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 0
	// proved      epsilon = 1 at that delta (pure)
	// event       14 times: Laplace, epsilon = 0.07143
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   weights clipped to [0, 1] inside the mechanism
	// condition   the arms of a round depend on earlier releases, and not on its weights
	// not covered error texts, counts of clipped records, running times
	// source      a binary tree for each arm: Chan, Shi, Song 2011; Chen, Zheng, Zhou, Yang, Chen, Wang 2020
}

// TestOwn: Greedy keeps the promises of a learner, chooses by broadcast and view, and a short
// attack excludes no claim, a false alarm once in ten thousand.
func TestOwn(t *testing.T) {
	mine := learner.New(Greedy{Explore: 0.1}, tally.Tree{Budget: privacy.Budget{Epsilon: 1}})
	coins := environment.Arms{Means: []float64{0.2, 0.8, 0.5}}
	bandittest.Learner(t, mine, coins, bandittest.LearnerOptions{})
	privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{Policy: Greedy{Explore: 0.1}, Problem: coins.Problem()})
	privacytest.Learner(t, privacytest.LearnerCase{Name: "greedy", Learner: mine, Problem: coins.Problem()})
}

// TestReadme: README's Go block is Greedy and the body of the example above, and its text block is
// what that prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\n// Greedy plays")
	code, body, _ := strings.Cut(code, "func Example_readme() {\n")
	body, output, ok := strings.Cut(body, "\t// Output:\n")
	output, _, closed := strings.Cut(output, "}\n")
	if !ok || !closed {
		t.Fatal("the example has no output")
	}
	body = strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
	want := [][]string{
		{"go", "// Greedy plays" + code + body},
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
