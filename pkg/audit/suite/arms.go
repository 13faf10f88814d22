package suite

import (
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// soundArms audits the statistics and the learners of the multi-armed bandit.
func soundArms(e Effort) []audit.Item {
	pure := privacy.Budget{Epsilon: Budget.Epsilon}
	batches := func(b privacy.Budget, g tally.Geometric, cumulative bool) privacy.Tally {
		return tally.Batches{Budget: b, Lengths: g, Cumulative: cumulative}
	}
	pulls := func(n int) (rounds [][]int) { // of one arm
		for range n {
			rounds = append(rounds, []int{0})
		}
		return rounds
	}
	run := func(n, replaced, outputs int, read func(after int, t privacy.Stream[privacy.Means], out []float64)) talliedRun {
		return talliedRun{privacy.Setup{Slots: 1, Horizon: n}, pulls(n), replaced, outputs, read}
	}
	mean := func(t privacy.Stream[privacy.Means]) float64 { return t.Release().Of[0].Mean }
	mu, err := Budget.GaussianMu()
	must(err)
	last := run(2, 1, 1, func(after int, t privacy.Stream[privacy.Means], out []float64) {
		if after == 1 {
			out[0] = tellLaplace(2 * mean(t))
		}
	})
	both := run(2, 1, 2, func(after int, t privacy.Stream[privacy.Means], out []float64) { // the second batch is what the sum has gained
		if out[1-after] = mean(t); after == 1 {
			out[0] = tellLaplace(2*mean(t) - out[1])
		}
	})
	gaussian := run(2, 1, 1, func(after int, t privacy.Stream[privacy.Means], out []float64) { out[0] = mean(t) })
	hybrid := run(4, 2, 2, func(after int, t privacy.Stream[privacy.Means], out []float64) { // the third record is in a node, and in the sum of four
		switch after {
		case 1:
			out[1] = 2 * mean(t)
		case 2:
			out[0] = tellLaplace(float64(3*mean(t)) - out[1])
		case 3:
			out[0] += tellLaplace(float64(4*mean(t)) - out[1])
		}
	})
	draw := run(1, 0, 1, func(_ int, t privacy.Stream[privacy.Means], out []float64) { out[0] = mean(t) })
	limited := tally.LimitedDraws{Budget: Budget, Draws: 2}
	each := 1 // observations of an arm's first epoch, for two draws: mu^2 is 2 over it
	for ; 2/float64(each) > mu*mu; each++ {
	}
	twice := run(3*each, 0, 1, func(_ int, t privacy.Stream[privacy.Means], out []float64) { // the sum of both draws
		if r := t.Release(); slices.Contains(r.Changed, 0) {
			out[0] += r.Of[0].Mean
		}
	})
	for i := range twice.rounds {
		twice.rounds[i] = []int{i / each}
	}
	bit := run(1, 0, 1, func(_ int, t privacy.Stream[privacy.Means], out []float64) { out[0] = mean(t) })
	items := []audit.Item{
		last.item("batches", pure.Epsilon, tallyRuns(e), batches(pure, tally.Geometric{First: 2, Ratio: 2}, false)),
		both.item("batches, cumulative", pure.Epsilon, tallyRuns(e), batches(pure, tally.Geometric{First: 1, Ratio: 2}, true)),
		gaussian.item("batches, Gaussian", Budget.Epsilon, pick(e, 200_000, 500_000, 5_000_000),
			batches(Budget, tally.Geometric{First: 2, Ratio: 2}, false)),
		hybrid.item("hybrid mechanism of each arm", pure.Epsilon, tallyRuns(e), tally.Hybrid{Epsilon: pure.Epsilon}),
		draw.item("draws of Thompson sampling", Budget.Epsilon, pick(e, 200_000, 500_000, 5_000_000), tally.PosteriorDraws{Variance: 1 / (2 * mu * mu), Delta: Budget.Delta}),
		twice.item("DP-TS-UCB: draws", account.GaussianEpsilon(Budget.Delta, math.Sqrt(2/float64(each))), pick(e, 100_000, 500_000, 5_000_000), limited),
		bit.item("randomised bits of each arm", pure.Epsilon, tallyRuns(e), tally.Response{Epsilon: pure.Epsilon}),
	}
	for _, l := range []struct {
		name   string
		rounds int
		bandit.Learner
	}{
		{"AdaP-UCB", 12, arms.AdaPUCB{}.Private(pure.Epsilon)},
		{"AdaP-KLUCB", 12, arms.AdaPKLUCB{}.Private(pure.Epsilon)},
		{"Lazy-UCB", 12, arms.LazyUCB{}.Private(pure.Epsilon)},
		{"Lazy-DP-TS", 12, arms.LazyThompson{}.Private(pure.Epsilon)},
		{"DP-UCB", 12, arms.DPUCB{}.Private(pure.Epsilon)},
		{"AdaC-UCB", 12, arms.AdaCUCB{}.Private(Budget)},
		{"DP-IMED", 36, arms.IMED{}.Private(pure.Epsilon, 2)},
		{"AdaP-TT", 12, arms.AdaPTT{}.Private(pure.Epsilon, 0.1)},
		{"TopTwo", 72, arms.TopTwo{}.Private(pure.Epsilon, 0.1)},
		{"Gaussian Thompson sampling", 12, arms.GaussianThompson{}.Private(1, 1, Budget.Delta)},
		{"DP-TS-UCB", 36, arms.GaussianThompson{}.Limited(1, Budget)},
		{"sequential halving", 13, arms.SequentialHalving{}.Private(pure.Epsilon)},
		{"TargetIMED", 60, arms.TargetIMED{}.Private(pure.Epsilon)},
		{"DP-KLUCB", 36, arms.KLUCB{}.Private(pure.Epsilon, 1.2)},
		{"DP-SE", 760,
			learner.New(arms.DPElimination{Epsilon: pure.Epsilon, Beta: 0.999}, tally.Batches{Budget: pure})},
	} {
		items = append(items, armsItem(e, l.name, l.rounds, l.Learner))
	}
	return items
}

// soundEstimates audits what the learners of the catalogue release, which tells more than the arms
// that they play.
func soundEstimates(e Effort) (items []audit.Item) {
	runs := func(rounds int) int {
		return max(400, min(pick(e, 4_000, 20_000, 100_000), pick(e, 1e6, 1e7, 1e8)/rounds))
	}
	add := func(name string, entry catalogue.Entry) {
		item, err := entryItem(name+": releases", entry, Budget, runs)
		must(err)
		if item != nil {
			items = append(items, item)
		}
	}
	for _, entry := range catalogue.All() {
		if !entry.Linear && !entry.Slots {
			add(entry.Name, entry)
		}
	}
	for _, entry := range catalogue.All() {
		if name, ok := strings.CutPrefix(entry.Name, "core set"); ok {
			add("core sets"+name, entry)
		}
	}
	return items
}

// armsItem audits the arms that a learner plays, of two, after the first user's reward was 0 or 1.
func armsItem(e Effort, name string, rounds int, l bandit.Learner) audit.Item {
	var worlds [2]audit.Stream
	for w, first := range []float64{1, 0} {
		worlds[w] = audit.Stream{{Rewards: []float64{first, first}}}
		for len(worlds[w]) < rounds {
			worlds[w] = append(worlds[w], audit.Round{Rewards: []float64{0.5, 0.5}})
		}
	}
	runs := 2 * played(e)
	if rounds > 100 {
		runs /= 20
	}
	return audit.Learner{
		Name: name + ": actions", Runs: runs, Worlds: worlds, Of: l,
		Problem: bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1},
	}
}
