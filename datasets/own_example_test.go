package datasets_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// LinUCB learns to sort flowers from a file of measurements, without and with privacy. A rule that
// plays at random makes 1000 mistakes.
func ExampleSchema_labelled() {
	schema := &datasets.Schema{Contexts: []string{"length", "width"}, Arm: "species", Labels: []string{"round", "long"}}
	data, err := schema.ReadFile("testdata/flowers.csv")
	if err != nil {
		log.Fatal(err)
	}
	public := learner.New(linear.UCB{}, nil)
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-6}}
	private := learner.New(linear.UCB{OptimalShift: true}, continual.Tree{Noise: noise})
	race := &simulate.Experiment{
		Name: "flowers", Horizon: data.Len(), Trials: 4, Seed: 1, Grid: []int{200},
		Environment: environment.Labelled{
			Features: data.Contexts, Labels: data.Chosen, Dim: data.Dim, Classes: data.Arms,
			Scale: []float64{8, 8}, Norm: 1, Constant: 0.5,
		},
		Policies: []simulate.Policy{{Name: "LinUCB", Learner: public}, {Name: "private", Learner: private}},
	}
	result, err := race.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Curves() {
		fmt.Printf("%-8s mistakes after %v rounds: %.0f\n", c.Policy, c.Rounds, c.Mean)
	}
	// Output:
	// LinUCB   mistakes after [200 2000] rounds: [31 115]
	// private  mistakes after [200 2000] rounds: [98 690]
}

// The log of a clinic says what a rule would have achieved that was never tried.
func ExampleSchema_log() {
	const file = `patient,age,dose,cured,probability
p1,0.3,0,1,0.5
p2,0.8,1,1,0.5
p3,0.7,0,0,0.5
p1,0.4,1,0,0.5
`
	schema := &datasets.Schema{
		Contexts: []string{"age"}, Arm: "dose", Arms: 2, Reward: "cured", RewardMin: 0, RewardMax: 1,
		Propensity: "probability", User: "patient",
	}
	data, err := schema.Read(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	old := func(x, p []float64) { // the high dose for the old
		if x[0] > 0.5 {
			p[1] = 1
		} else {
			p[0] = 1
		}
	}
	e, err := (&offpolicy.Evaluation{Log: data.Log(), Policy: old}).SelfNormalised()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f%% cured; doubts:\n", 100*e.Value)
	for _, doubt := range e.Doubts() {
		fmt.Println(doubt)
	}
	// Output:
	// 100% cured; doubts:
	// 2 effective rounds, want >= 100 for a normal interval
	// 3 users, want >= 100 for a normal interval
}

// A broken row is named by its line and the byte where the field starts.
func ExampleSchema_Read() {
	schema := &datasets.Schema{Contexts: []string{"age"}, Arm: "dose", Arms: 2}
	_, err := schema.Read(strings.NewReader("age,dose\n0.3,0\n0.8,low\n"))
	fmt.Println(err)
	// Output:
	// datasets: line 3:5: "dose" = "low", want an integer in [0, 2)
}

// Users of MovieLens have rated up to 737 movies each, or so it is in the stand-in here. A plan
// that asks for epsilon = 1 for each rating is worth less to them.
func ExampleTable_Records() {
	m := datasets.Synthetic()
	schema := &datasets.Schema{Header: []string{"user", "movie", "stars"}, User: "user", Arm: "movie", Arms: len(m.Movies), Reward: "stars", RewardMin: 1, RewardMax: 5}
	data, err := schema.Collect(schema.RowsOf(func(yield func([]string, error) bool) {
		for _, r := range m.Ratings {
			if !yield([]string{fmt.Sprint(r.User), fmt.Sprint(r.Movie), fmt.Sprint(r.Stars)}, nil) {
				return
			}
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	l := learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}})
	ready, err := l.Open(bandit.Problem{Arms: 5, Dim: 5, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}, data.Len())
	if err != nil {
		log.Fatal(err)
	}
	levels, err := privacy.PlanOf(ready, privacy.All).UserLevels(data.Records())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("records  users  epsilon")
	for _, level := range levels {
		fmt.Printf("%7d %6d %8.4g\n", level.Records, level.Users, level.Claim.Epsilon())
	}
	// Output:
	// records  users  epsilon
	//       1      0        1
	//      63    476    181.2
	//     240    849     1883
	//     534    934     8588
	//     737    943 1.604e+04
}
