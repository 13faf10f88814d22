package slots_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// DPUCB-MAT and DPTS-MAT beside what they are without privacy, on the matroid paper's Table 2. What
// differs is what they read; and, in the last line, how much they explore, which costs no privacy.
func ExampleOMM_Private() {
	m, err := matroid.NewLinear([][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	private := tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Remember: true}
	e := simulate.Experiment{
		Name: "table 2", Horizon: 10_000, Trials: 4, Seed: 1,
		Environment: environment.SemiBandit{Matroid: m, Means: []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70}},
		Policies: []simulate.Policy{
			{Name: "OMM", Learner: slots.OMM{Matroid: m}.Learner()},
			{Name: "CTS", Learner: learner.New(slots.CTS{Matroid: m}, nil)},
			{Name: "KL-OSM", Learner: learner.New(slots.KLOSM{Matroid: m}, nil)},
			{Name: "DPUCB-MAT", Learner: slots.OMM{Matroid: m}.Private(2)},
			{Name: "DPTS-MAT", Learner: slots.CTS{Matroid: m}.Private(2)},
			{Name: "KL-OSM, private", Learner: learner.New(slots.KLOSM{Matroid: m, Boost: 0.1}, private)},
		},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range r.Curves() {
		fmt.Printf("%-16s epsilon = %-4v regret %.0f\n", c.Policy, r.Policies[i].Epsilon(), c.Final())
	}
	// Output:
	// OMM              epsilon = +Inf regret 131
	// CTS              epsilon = +Inf regret 77
	// KL-OSM           epsilon = +Inf regret 31
	// DPUCB-MAT        epsilon = 2    regret 1102
	// DPTS-MAT         epsilon = 2    regret 609
	// KL-OSM, private  epsilon = 2    regret 103
}

// What DPTS-MAT claims, once it knows the problem: two of four films a round, whose genres are
// independent.
func ExampleCTS_Private() {
	m, err := matroid.NewLinear([][]int{{1, 0}, {1, 0}, {0, 1}, {1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := slots.CTS{Matroid: m}.Private(1).Open(bandit.Problem{Arms: 4, Slots: 2, RewardMin: 0, RewardMax: 1}, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(privacy.ClaimOf(l))
	// Output:
	// model       central differential privacy
	// neighbours  replace one round's weights
	// level       event: a user has one record
	// covers      all outputs
	// asked for   epsilon = 1, delta = 0
	// proved      epsilon = 1 at that delta (pure)
	// event       2 times: Laplace, epsilon = 0.5
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   weights clipped to [0, 1] inside the mechanism
	// condition   the arms of a round depend on earlier releases, and not on its weights
	// not covered error texts, counts of clipped records, running times
	// source      blocks of Differentially private matroid bandits, Theorem 1
}

// CascadeUCB1 shows three of six items, of which a user clicks the first that attracts her. It is
// OMM over another count, with noise or without.
func ExampleOMM_cascade() {
	env := environment.Cascade{Attraction: []float64{0.05, 0.3, 0.05, 0.2, 0.05, 0.2}, Slots: 3}
	policy := slots.OMM{Matroid: env.Matroid(), Explore: 1.5, LogT: true, Width: 0.3}
	e := simulate.Experiment{Name: "lists", Horizon: 10_000, Trials: 4, Seed: 1, Environment: env}
	for _, epsilon := range []float64{math.Inf(1), 1} {
		e.Policies = append(e.Policies, simulate.Policy{
			Name:    fmt.Sprintf("epsilon = %v", epsilon),
			Learner: learner.New(policy, tally.Cascade{Budget: privacy.Budget{Epsilon: epsilon}}),
		})
	}
	r, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Curves() {
		fmt.Printf("%-14s regret %.0f\n", c.Policy, c.Final())
	}
	// Output:
	// epsilon = +Inf regret 27
	// epsilon = 1    regret 274
}
