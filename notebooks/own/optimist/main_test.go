package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

func Example() {
	main()
	// Output:
	// Optimist: proved ε = 1, regret 87 ± 5
	// DP-IMED: proved ε = 1, regret 33 ± 1
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

// TestReadme: README's Go block is the program but for its imports, and its text block is what the
// program prints.
func TestReadme(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, program, _ := strings.Cut(read("main.go"), "\n)\n\n")
	_, output, _ := strings.Cut(read("main_test.go"), "\t// Output:\n")
	output, _, _ = strings.Cut(output, "}\n")
	want := [][]string{{"go", program}, {"text", strings.ReplaceAll(output, "\t// ", "")}}
	got := regexp.MustCompile("(?s)```(go|text)\n(.*?)```\n").FindAllStringSubmatch(read("../../../README.md"), -1)
	if len(got) != len(want) {
		t.Fatalf("README.md has %d blocks of code, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i][1] != w[0] || got[i][2] != w[1] {
			t.Errorf("README.md has\n%s\nwant\n%s", got[i][2], w[1])
		}
	}
}
