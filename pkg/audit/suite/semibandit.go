package suite

import (
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// semiBanditItem audits a learner that plays two of four arms: the actions that all users but the
// first one see, whose weights are turned around; and, if told, the estimates that follow from
// them, as the log-likelihood ratio of the two worlds. Without a warm-up the first user is asked
// about arms 0 and 1, which nobody has seen; with one she comes in round 0 and is asked about all
// four.
func semiBanditItem(e Effort, name string, exact float64, told, warm bool, of func(m matroid.Matroid) bandit.Learner) audit.Item {
	const arms, K, rounds = 4, 2, 6
	m, err := matroid.NewUniform(arms, K)
	must(err)
	var worlds [2]audit.Stream
	for w, first := range [][]float64{{1, 1, 0, 0}, {0, 0, 1, 1}} {
		worlds[w] = audit.Stream{{Rewards: first}}
		for len(worlds[w]) < rounds {
			worlds[w] = append(worlds[w], audit.Round{Rewards: []float64{0.5, 0.5, 0.5, 0.5}})
		}
	}
	item := audit.Learner{
		Name: name + ": actions", Runs: 2 * played(e), Worlds: worlds, WarmUp: warm,
		Of:      of(m),
		Problem: bandit.Problem{Arms: arms, Slots: K, RewardMin: 0, RewardMax: 1},
	}
	if told {
		item.Name, item.Exact = name+": estimates and actions", exact
		item.Transcript = func(run bandit.Run, round int, dst []float64) []float64 {
			if round > 1 || round == 1 && warm {
				return dst
			}
			of := run.(*learner.PrivateRun[privacy.Means]).Release().Of
			ratio := tellLaplace(of[0].Mean) + tellLaplace(of[1].Mean)
			if warm {
				ratio -= tellLaplace(of[2].Mean) + tellLaplace(of[3].Mean)
			}
			return append(dst, ratio)
		}
	}
	return item
}

// soundSemiBandits audits the learners of the matroid bandits.
func soundSemiBandits(e Effort) (items []audit.Item) {
	blocks := func(c privacy.Calibration) privacy.Tally {
		return tally.Blocks{Budget: privacy.Budget{Epsilon: Budget.Epsilon}, Calibration: c}
	}
	dpucb := func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.OMM{Matroid: m}, blocks(privacy.Sound))
	}
	dpts := func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m}, blocks(privacy.Sound))
	}
	sampled := func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m, Width: 0.5, Sample: true}, blocks(privacy.Sound))
	}
	for _, told := range []bool{false, true} {
		items = append(items,
			semiBanditItem(e, "DPUCB-MAT", Budget.Epsilon, told, false, dpucb),
			semiBanditItem(e, "DPTS-MAT", Budget.Epsilon, told, false, dpts))
	}
	return append(items,
		semiBanditItem(e, "KL-OSM over blocks", Budget.Epsilon, true, false, func(m matroid.Matroid) bandit.Learner {
			return learner.New(slots.KLOSM{Matroid: m}, blocks(privacy.Sound))
		}),
		semiBanditItem(e, "CUCB over trees", 0, false, false, func(m matroid.Matroid) bandit.Learner {
			return slots.OMM{Matroid: m}.OverTree(Budget.Epsilon)
		}),
		semiBanditItem(e, "DPTS-MAT, noise sampled", 0, false, false, sampled),
		semiBanditItem(e, "DPTS-MAT, noise sampled", Budget.Epsilon, true, false, sampled),
		semiBanditItem(e, "DPUCB-MAT, warm-up", Budget.Epsilon, true, true, func(m matroid.Matroid) bandit.Learner {
			return learner.New(slots.OMM{Matroid: m, WarmUp: true}, blocks(privacy.Sound))
		}),
		semiBanditItem(e, "DPUCB-MAT, warm-up as published", 2*Budget.Epsilon, true, true, func(m matroid.Matroid) bandit.Learner {
			return learner.New(slots.OMM{Matroid: m, WarmUp: true}, blocks(privacy.AsPublished))
		}))
}
