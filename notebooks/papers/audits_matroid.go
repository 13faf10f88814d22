package papers

import (
	"math/rand/v2"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// tallyItem audits a tally of 3 arms with weights in [0, 1]: all releases of a run in which record number replaced, from 0, has the weight 1 for each of its arms in one
// world and 0 in the other, and all other records have 0. The attack is told how many numbers read makes of a run's estimates.
func tallyItem(name string, exact float64, runs int, s privacy.TallySetup, records [][]int, replaced int, fresh func() privacy.Tally, outputs int, read func(after int, t privacy.Tally, out []float64)) audit.Item {
	s.Arms, s.Lo, s.Hi = 3, 0, 1
	ready := func() any {
		t := fresh()
		exitOn(t.Init(s))
		return t
	}
	pool := sync.Pool{New: ready}
	claim := ready().(privacy.Tally).Claim()
	weights := [2][]float64{make([]float64, s.Arms), {1, 1, 1}}
	return audit.Mechanism{
		Name: name, Claim: privacy.Budget{Epsilon: claim.Epsilon, Delta: claim.Nominal.Delta}, Exact: exact, Outputs: outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			t := pool.Get().(privacy.Tally)
			defer pool.Put(t)
			t.Reset(privacy.NewNoise(source))
			clear(out)
			for i, arms := range records {
				shown := weights[0]
				if i == replaced {
					shown = weights[world]
				}
				if _, err := t.Add(arms, shown[:len(arms)]); err != nil {
					return err
				}
				read(i, t, out)
			}
			return nil
		},
	}
}

// tellLaplace is what a Laplace release y of a sum that is 0 in one world and 1 in the other says about which it is: its log-likelihood ratio, in
// units of the scale and but for a constant, which is the best post-processing that there is.
func tellLaplace(y float64) float64 { return min(max(y, 0), 1) }

var (
	auditedRounds = [][]int{{0, 1}, {0, 1}, {0, 1}}    // the second and the third are in the second block of both arms
	warmUpRounds  = [][]int{{0, 1, 2}, {0, 1}, {0, 1}} // the first shows all
)

// tallyRuns is the number of runs of a tally's audit.
func tallyRuns(s Scale) int { return pick(s, 40_000, 200_000, 2_000_000) }

// soundTallies audits the mechanisms of the matroid bandits.
func soundTallies(s Scale) []audit.Item {
	pure := privacy.Budget{Epsilon: auditBudget.Epsilon}
	setup := privacy.TallySetup{Slots: 2, Horizon: 3}
	blocks := func(b mechanism.Blocks) func() privacy.Tally {
		return func() privacy.Tally { b := b; return &b }
	}
	second := func(after int, t privacy.Tally, out []float64) { // the sums of the second blocks
		if after == 2 {
			for arm := range 2 {
				out[0] += tellLaplace(2 * t.Estimate(arm).Mean)
			}
		}
	}
	remembered := func(after int, t privacy.Tally, out []float64) { // the same, out of the estimates before and after
		const v = 8 // variance of the noise on a sum: 2 K^2/epsilon^2
		one, two := 1/(1.0/4+v), 1/(1.0/8+v/4.0)
		for arm := range 2 {
			switch e := t.Estimate(arm); after {
			case 0:
				out[1+arm] = e.Mean
			case 2:
				out[0] += tellLaplace(2 * (e.Mean + (e.Mean-out[1+arm])*one/two))
			}
		}
	}
	return []audit.Item{
		tallyItem("doubling blocks, Laplace", 1, tallyRuns(s), setup, auditedRounds, 1, blocks(mechanism.Blocks{Budget: pure}), 1, second),
		tallyItem("doubling blocks, remembering", 1, tallyRuns(s), setup, auditedRounds, 1, blocks(mechanism.Blocks{Budget: pure, Remember: true}), 3, remembered),
		tallyItem("doubling blocks, Gaussian", auditBudget.Epsilon, pick(s, 200_000, 500_000, 5_000_000), setup, auditedRounds, 1, blocks(mechanism.Blocks{Budget: auditBudget}), 2,
			func(after int, t privacy.Tally, out []float64) {
				for arm := range out {
					out[arm] = t.Estimate(arm).Mean
				}
			}),
		warmUpItem(s, "doubling blocks, warm-up", privacy.Sound),
		warmUpItem(s, "doubling blocks, warm-up as published", privacy.AsPublished),
	}
}

// warmUpItem audits the first record of a run that shows all arms, against the claim that names its user.
func warmUpItem(s Scale, name string, c privacy.Calibration) audit.Item {
	setup := privacy.TallySetup{Slots: 1, Horizon: 2, WarmUp: true}
	b := mechanism.Blocks{Budget: privacy.Budget{Epsilon: auditBudget.Epsilon}, Calibration: c}
	exact := 1.0
	if c == privacy.AsPublished {
		exact = 3
	}
	return tallyItem(name, exact, tallyRuns(s), setup, [][]int{warmUpRounds[0]}, 0, func() privacy.Tally { b := b; return &b }, 1,
		func(_ int, t privacy.Tally, out []float64) {
			for arm := range 3 {
				out[0] += tellLaplace(t.Estimate(arm).Mean)
			}
		})
}
