package suite

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// talliedRun is an attack on a run of a tally of 3 arms with weights in [0, 1].
type talliedRun struct {
	setup  privacy.Setup
	rounds [][]int // the arms of each record
	// replaced is the record, from 0, whose arms have the weight 1 in one world and 0 in the other. All
	// other records have 0.
	replaced int
	outputs  int
	read     func(after int, t privacy.Stream[privacy.Means], out []float64) // writes what the attack makes of the estimates after a record, out being of all the run
}

// item audits the run against the tally's claim.
func (a talliedRun) item(name string, exact float64, runs int, tally privacy.Tally) audit.Item {
	a.setup.Arms, a.setup.Lo, a.setup.Hi = 3, 0, 1
	of := opened(tally.Open(a.setup))
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	weights := [2][]float64{{0, 0, 0}, {1, 1, 1}}
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Exact: exact, Outputs: a.outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			t := of.Start(privacy.NewNoise(source))
			clear(out)
			for i, arms := range a.rounds {
				shown := weights[0]
				if i == a.replaced {
					shown = weights[world]
				}
				if _, err := t.Add(&privacy.Record{Arms: arms, Y: shown[:len(arms)]}); err != nil {
					return err
				}
				a.read(i, t, out)
			}
			return nil
		},
	}
}

// tellLaplace is what a Laplace release y of a sum that is 0 in one world and 1 in the other says
// about which it is: its log-likelihood ratio, in units of the noise and but for a constant. No
// other post-processing says more.
func tellLaplace(y float64) float64 { return min(max(y, 0), 1) }

// tallyRuns is the number of runs of a tally's audit.
func tallyRuns(e Effort) int { return pick(e, 40_000, 200_000, 2_000_000) }

// soundTallies audits the mechanisms of the matroid bandits.
func soundTallies(e Effort) []audit.Item {
	pure := privacy.Budget{Epsilon: Budget.Epsilon}
	many := pick(e, 200_000, 500_000, 5_000_000) // for Gaussian noise, and for as many Laplace releases as a tree has
	rounds := [][]int{{0, 1}, {0, 1}, {0, 1}}    // the second and the third are in the second block of both arms
	setup := privacy.Setup{Slots: 2, Horizon: len(rounds)}
	blocks := talliedRun{setup, rounds, 1, 1, func(after int, t privacy.Stream[privacy.Means], out []float64) {
		for arm := 0; after == 2 && arm < 2; arm++ {
			out[0] += tellLaplace(2 * t.Release().Of[arm].Mean)
		}
	}}
	forgetful := talliedRun{setup, rounds, 0, 2, func(after int, t privacy.Stream[privacy.Means], out []float64) { // the first record is in the first block, and not in the second
		for arm := range 2 {
			switch e := t.Release().Of[arm]; after {
			case 0:
				out[0] += tellLaplace(e.Mean)
			case 2:
				out[1] += tellLaplace(2 * e.Mean)
			}
		}
	}}
	remembering := talliedRun{setup, rounds, 1, 3, func(after int, t privacy.Stream[privacy.Means], out []float64) { // the same out of the estimates before and after
		const v = 8 // variance of the noise on a sum, 2 K^2/epsilon^2
		first, second := 1/(1.0/4+v), 1/(1.0/8+v/4.0)
		for arm := range 2 {
			switch e := t.Release().Of[arm]; after {
			case 0:
				out[1+arm] = e.Mean
			case 2:
				out[0] += tellLaplace(2 * (e.Mean + (e.Mean-out[1+arm])*first/second))
			}
		}
	}}
	tree := talliedRun{setup, rounds, 0, 1, func(after int, t privacy.Stream[privacy.Means], out []float64) { // the nodes [1] and [1, 2] are the first two prefixes
		for arm := 0; after < 2 && arm < 2; arm++ {
			out[0] += tellLaplace(float64(after+1) * t.Release().Of[arm].Mean)
		}
	}}
	means := func(replaced int) talliedRun {
		return talliedRun{setup, rounds, replaced, 6, func(after int, t privacy.Stream[privacy.Means], out []float64) {
			for arm := range 2 {
				out[2*after+arm] = t.Release().Of[arm].Mean
			}
		}}
	}
	return []audit.Item{
		blocks.item("doubling blocks, Laplace", pure.Epsilon, tallyRuns(e), tally.Blocks{Budget: pure}),
		forgetful.item("doubling blocks, the first record", pure.Epsilon, tallyRuns(e), tally.Blocks{Budget: pure}),
		remembering.item("doubling blocks, remembering", pure.Epsilon, tallyRuns(e), tally.Blocks{Budget: pure, Remember: true}),
		means(1).item("doubling blocks, Gaussian", Budget.Epsilon, many, tally.Blocks{Budget: Budget}),
		tree.item("tree of each arm, Laplace", pure.Epsilon, many, tally.Tree{Budget: pure}),
		means(0).item("tree of each arm, Gaussian", Budget.Epsilon, many, tally.Tree{Budget: Budget}),
		cascadeItem("clicks of a cascade, Laplace", tallyRuns(e), pure), cascadeItem("clicks of a cascade, Gaussian", many, Budget),
		warmUpItem(e, "doubling blocks, warm-up", privacy.Sound),
		warmUpItem(e, "doubling blocks, warm-up as published", privacy.AsPublished),
	}
}

// warmUpItem audits the first record of a run, which shows all three arms, where later ones show
// one, against the claim, which is its user's: three times what was asked for under the noise that
// is published.
func warmUpItem(e Effort, name string, c privacy.Calibration) audit.Item {
	budget := privacy.Budget{Epsilon: Budget.Epsilon}
	exact := budget.Epsilon
	if c == privacy.AsPublished {
		exact *= 3
	}
	first := talliedRun{privacy.Setup{Slots: 1, Horizon: 1, WarmUp: true}, [][]int{{0, 1, 2}}, 0, 1, func(_ int, t privacy.Stream[privacy.Means], out []float64) {
		for arm := range 3 {
			out[0] += tellLaplace(t.Release().Of[arm].Mean)
		}
	}}
	return first.item(name, exact, tallyRuns(e), tally.Blocks{Budget: budget, Calibration: c})
}

// cascadeItem audits the clicks and skips of two arms in a block of 32 lists, of which one has a
// click in the first place, or none: three numbers differ, by 1 each. They are read off the
// estimates before and after the block, whose tails show the denominators.
func cascadeItem(name string, runs int, b privacy.Budget) audit.Item {
	const before, after, block = 31, 63, 32
	setup := privacy.Setup{Arms: 3, Slots: 2, Horizon: after, Hi: 1}
	unit := opened(tally.Cascade{Budget: b}.Open(setup)).(interface{ Scale() float64 }).Scale()
	variance := float64(unit * unit)
	if b.Delta == 0 {
		variance *= 2
	}
	weight := func(n float64) float64 { return n / (n + float64(4*variance)) }
	var root, linear [2]float64 // of the tails of the numerators, before and after
	for n, squares := 1.0, 0.0; n <= block; n *= 2 {
		scale := float64(weight(n) * unit)
		squares += float64(scale * scale)
		linear[0], linear[1] = linear[1], scale
		root[0], root[1] = root[1], math.Sqrt(2*squares)
	}
	run := talliedRun{setup, slices.Repeat([][]int{{0, 1}}, after), before, 5, func(i int, t privacy.Stream[privacy.Means], out []float64) {
		if i != before-1 && i != after-1 {
			return
		}
		which := i / (after - 1)
		for arm := range 2 {
			e, kept := t.Release().Of[arm], out[1+2*arm:]
			if e.Count == 0 {
				continue // which is rare
			}
			looks := linear[which] / e.Tail.Linear
			if b.Delta > 0 {
				looks = root[which] / e.Tail.Root
			}
			clicks := float64(e.Mean * looks)
			if which == 0 {
				kept[0], kept[1] = clicks, looks
				continue
			}
			clicks, looks = (clicks-kept[0])/weight(block), (looks-kept[1])/weight(block)
			kept[0], kept[1] = 0, 0
			tells := []float64{block + clicks - looks, clicks}[:2-arm]
			for _, y := range tells {
				if b.Delta == 0 {
					y = tellLaplace(y)
				}
				out[0] += y
			}
		}
	}}
	return run.item(name, b.Epsilon, runs, tally.Cascade{Budget: b})
}
