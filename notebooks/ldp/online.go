package ldp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Online learners on three kinds of streams.

// streamKinds makes the streams, by their names.
var streamKinds = []struct {
	name string
	make func(rounds, trial int) (*online.Losses, error)
}{
	{"convex", func(rounds, trial int) (*online.Losses, error) {
		return online.NewAbsolute(5, rounds, random.New(Seed, trial, "convex"))
	}},
	{"strongly convex", func(rounds, trial int) (*online.Losses, error) {
		return online.NewQuadratic(5, rounds, random.New(Seed, trial, "strongly convex"))
	}},
	{"exp-concave", func(rounds, trial int) (*online.Losses, error) {
		return online.NewSquared(5, rounds, random.New(Seed, trial, "exp-concave"))
	}},
}

// onlineLearners are those of the comparison. All are told G alone, and what their names say.
var onlineLearners = []struct {
	name string
	make func(gradient float64) online.Learner
}{
	{"OGD, steps ∝ 1/√t", func(g float64) online.Learner { return &online.OGD{Gradient: g} }},
	{"OGD, told curvature 1", func(g float64) online.Learner { return &online.OGD{Gradient: g, Step: online.CurvedStep(1)} }},
	{"ONS, told exp-concavity 1/4", func(g float64) online.Learner { return &online.ONS{Gradient: g, ExpConcave: 0.25} }},
	{"MetaGrad", func(g float64) online.Learner { return &online.MetaGrad{Gradient: g} }},
	{"Maler", func(g float64) online.Learner { return &online.Maler{Gradient: g} }},
}

// streamRegrets returns the learners' regret after a horizon, mean of trials.
func streamRegrets(kind, rounds, trials int) (mean []float64, err error) {
	mean = make([]float64, len(onlineLearners))
	for trial := range trials {
		s, err := streamKinds[kind].make(rounds, trial)
		if err != nil {
			return nil, err
		}
		best, _, _, err := online.Best(s, rounds)
		if err != nil {
			return nil, err
		}
		for i, l := range onlineLearners {
			r, err := online.RegretAgainst(l.make(s.Curvature.Gradient), s, rounds, best)
			if err != nil {
				return nil, err
			}
			mean[i] += r[rounds-1] / float64(trials)
		}
	}
	return mean, nil
}

// claimStreams compares Maler's regret with that of the best learner on each kind of losses, and
// gradient descent that is told a curvature with the others where there is none.
func claimStreams(s lab.Scale) (string, error) {
	trials := cell.Pick(s, 2, 4, 10)
	const plain, told, maler, long = 0, 1, 4, 10_000
	var evidence []string
	factor := map[int]float64{} // by horizon, on strongly convex losses
	for _, rounds := range []int{1000, long} {
		for kind, k := range streamKinds {
			mean, err := streamRegrets(kind, rounds, trials)
			if err != nil {
				return "", err
			}
			best := slices.Min(mean)
			if mean[maler] > 10*best {
				return "", fmt.Errorf("%s losses, T = %d: regret %.3g of Maler, more than ten times %.3g", k.name, rounds, mean[maler], best)
			}
			switch {
			case k.name == "strongly convex":
				factor[rounds] = mean[maler] / best
			case rounds < long:
			case k.name == "convex" && mean[told] > mean[plain]:
				return "", fmt.Errorf("convex losses: OGD told curvature 1 has %.3g, plain OGD %.3g", mean[told], mean[plain])
			case k.name == "exp-concave" && mean[told] < slices.Max(mean):
				return "", fmt.Errorf("exp-concave losses: OGD told curvature 1 has %.3g, and is not last", mean[told])
			}
			if rounds == long {
				evidence = append(evidence, fmt.Sprintf("%s: Maler %.3g, best %.3g, OGD told curvature 1 %.3g, plain OGD %.3g", k.name, mean[maler], best, mean[told], mean[plain]))
			}
		}
	}
	if factor[long] < 1.5*factor[1000] {
		return "", fmt.Errorf("strongly convex losses: Maler's factor is %.2g at T = 1,000 and %.2g at 10,000", factor[1000], factor[long])
	}
	return fmt.Sprintf("T = 10,000: %s; on strongly convex losses Maler has %.2g times the best at T = 1,000, %.2g at 10,000", strings.Join(evidence, "; "), factor[1000], factor[long]), nil
}
