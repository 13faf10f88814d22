package learner_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// README.md quotes this one; TestReadme compares them.
func Example_readme() {
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
	public := learner.New(linear.UCB{}, nil)
	private := learner.New(linear.UCB{}, continual.Tree{Noise: noise})
	race := &simulate.Experiment{
		Name:        "readme",
		Environment: environment.DecisionSets{Dim: 5, Gap: 0.1},
		Policies:    []simulate.Policy{{Name: "LinUCB", Learner: public}, {Name: "private", Learner: private}},
		Horizon:     100_000, Trials: 4, Seed: 1, Grid: []int{1_000, 10_000},
	}
	result, err := race.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Curves() {
		fmt.Printf("%-8s regret after %v rounds: %.0f\n", c.Policy, c.Rounds, c.Mean)
	}
	fmt.Print(result.Policies[1].Claim)
	// Output:
	// LinUCB   regret after [1000 10000 100000] rounds: [40 41 41]
	// private  regret after [1000 10000 100000] rounds: [493 1547 2328]
	// model       joint differential privacy
	// neighbours  replace one round's (context, reward)
	// level       event: a user has one record
	// covers      all outputs but the action in the record's own round
	// asked for   epsilon = 1, delta = 1e-06
	// proved      epsilon = 1 at that delta (exact Gaussian)
	// event       Gaussian, mu = 0.2367
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   rows clipped to the bound inside the mechanism
	// not covered error texts, counts of clipped records, running times
	// source      Shariff and Sheffet 2018, Section 4.2; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)
}

// TestReadme: the README's Go block is the body of the example above, and the text block after it
// is its output.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(source, []byte("func Example_readme() {\n"))
	body, _, _ = bytes.Cut(body, []byte("\n}\n"))
	code, output, ok := strings.Cut(string(body)+"\n", "\t// Output:\n")
	if !ok {
		t.Fatal("the example has no output")
	}
	code = strings.TrimPrefix(strings.ReplaceAll("\n"+code, "\n\t", "\n"), "\n")
	output = strings.TrimPrefix(strings.ReplaceAll("\n"+output, "\n\t// ", "\n"), "\n")
	for _, block := range []struct{ language, want string }{{"go", code}, {"text", output}} {
		_, got, ok := strings.Cut(string(readme), "```"+block.language+"\n")
		got, _, closed := strings.Cut(got, "```\n")
		if !ok || !closed {
			t.Fatalf("README.md has no %s block", block.language)
		}
		if got != block.want {
			t.Errorf("README.md's %s block is\n%s\nand the example has\n%s", block.language, got, block.want)
		}
	}
}
