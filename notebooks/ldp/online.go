package ldp

import (
	"fmt"
	"math"
	"strings"
	"sync"

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
	name  string
	style int
	make  func(gradient float64) online.Learner
}{
	{"OGD, steps D/(G√t)", 1, func(g float64) online.Learner { return &online.OGD{Gradient: g} }},
	{"OGD, told μ = 1", 2, func(g float64) online.Learner { return &online.OGD{Gradient: g, Step: online.CurvedStep(1)} }},
	{"ONS, told α = 1/4", 3, func(g float64) online.Learner { return &online.ONS{Gradient: g, ExpConcave: 0.25} }},
	{"MetaGrad", 4, func(g float64) online.Learner { return &online.MetaGrad{Gradient: g} }},
	{"Maler", 5, func(g float64) online.Learner { return &online.Maler{Gradient: g} }},
}

// streamRegrets returns the regret of the learners after each horizon, each learner made for that
// horizon and compared with the best point for it, by learner and horizon: mean and standard error
// over the trials.
func streamRegrets(kind int, horizons []int, trials int) (mean, se [][]float64, err error) {
	mean, se = make([][]float64, len(onlineLearners)), make([][]float64, len(onlineLearners))
	for i := range mean {
		mean[i], se[i] = make([]float64, len(horizons)), make([]float64, len(horizons))
	}
	values := make([][][]float64, trials) // by trial, horizon, learner
	errs := make([]error, trials)
	var group sync.WaitGroup
	for trial := range trials {
		group.Go(func() { values[trial], errs[trial] = streamTrial(kind, horizons, trial) })
	}
	group.Wait()
	for _, e := range errs {
		if e != nil {
			return nil, nil, e
		}
	}
	n := float64(trials)
	for h := range horizons {
		for i := range onlineLearners {
			var sum, square float64
			for _, v := range values {
				sum += v[h][i] / n
			}
			for _, v := range values {
				square += (v[h][i] - sum) * (v[h][i] - sum)
			}
			mean[i][h], se[i][h] = sum, math.Sqrt(square/(n-1)/n)
		}
	}
	return mean, se, nil
}

func streamTrial(kind int, horizons []int, trial int) ([][]float64, error) {
	regret := make([][]float64, len(horizons))
	for h, rounds := range horizons {
		s, err := streamKinds[kind].make(rounds, trial)
		if err != nil {
			return nil, err
		}
		best, _, _, err := online.Best(s, rounds)
		if err != nil {
			return nil, err
		}
		for _, l := range onlineLearners {
			r, err := online.RegretAgainst(l.make(s.Curvature.Gradient), s, rounds, best)
			if err != nil {
				return nil, err
			}
			regret[h] = append(regret[h], r[rounds-1])
		}
	}
	return regret, nil
}

// claimStreams compares Maler's regret with that of learners which are told more, rightly or
// wrongly.
func claimStreams(s lab.Scale) (string, error) {
	rounds, trials := cell.Pick(s, 2_000, 5_000, 20_000), cell.Pick(s, 2, 4, 10)
	var evidence []string
	for kind, k := range streamKinds {
		mean, _, err := streamRegrets(kind, []int{rounds}, trials)
		if err != nil {
			return "", err
		}
		best, worst, name := math.Inf(1), 0.0, ""
		for i, l := range onlineLearners[:3] {
			if m := mean[i][0]; m < best {
				best, name = m, l.name
			}
			worst = math.Max(worst, mean[i][0])
		}
		maler := mean[len(onlineLearners)-1][0]
		if maler > 10*best || maler > 0.75*worst {
			return "", fmt.Errorf("%s losses: regret %.3g of Maler, from %.3g (%s) to %.3g of the learners that are told more", k.name, maler, best, name, worst)
		}
		evidence = append(evidence, fmt.Sprintf("%s: Maler %.3g, best (%s) %.3g, worst %.3g", k.name, maler, name, best, worst))
	}
	return strings.Join(evidence, "; ") + fmt.Sprintf("; T = %d", rounds), nil
}
