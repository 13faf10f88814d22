package ldp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Remark 3.7: rates of regret against T and d, by runs that each know their T.

// The policies whose rates are fitted, at RateEpsilon, where they learn something in few rounds.
const (
	RateRandom   = "random arms"
	RateOnline   = "OnlineUCB, Δ = 0"
	RateWorst    = "OnlineUCB, Δ² = T^(-1/4)"
	RateLocal    = "LDP LinUCB"
	RateShuffle  = "shuffle LinUCB, batch T^(3/5)"
	RateCombiner = "Combiner, scaled"
	RateAnytime  = "Anytime, Δ² = 2^(-m/4)"
	RateEpsilon  = 10
)

// RateRounds are the T of the fits, at RateDim dimensions, and RateDims the d, at RateMiddle
// rounds.
var (
	RateRounds = []int{1_000, 3_000, 10_000, 30_000}
	RateDims   = []int{3, 5, 9}
)

const (
	RateDim    = 5
	RateMiddle = 10_000
)

// RateName is the name of an experiment: fresh contexts, of which the theorem's least eigenvalue is
// a constant, or fixed arms, which have none.
func RateName(fixed bool, dim, rounds int) string {
	return fmt.Sprintf("ldp-rates-%s-d%d-T%d", map[bool]string{false: "fresh", true: "fixed"}[fixed], dim, rounds)
}

// rated plays the policies with the widths of the comparison at equal privacy: 4 times its own for
// OnlineUCB, 0.2 for the others.
func rated(s cell.Scale, fixed bool, dim, rounds int) *simulate.Experiment {
	env := environment.UnitFeatures{Fixed: fixed, Dim: dim}
	b := privacy.Budget{Epsilon: RateEpsilon, Delta: Delta}
	noise := local.OnlineNoise{Budget: b, Constant: env.Constant()}
	server := local.OnlineServer{Noise: noise, Online: descent(b), Width: onlineWidth}
	oneUser := func(of learner.Server) simulate.Policy {
		return simulate.Policy{Learner: learner.Local{Device: local.OnlineDevice{Noise: noise}, Server: of}}
	}
	worst, begins := server, server
	worst.DeltaPower, begins.DeltaPower = 0.25, 0.25
	ldp := local.LDPNoise{Budget: b, Constant: env.Constant()}
	sums := local.VectorSum{Budget: b, Batch: int(math.Round(math.Pow(float64(rounds), 0.6))), Constant: env.Constant()}
	device, combined := noise.Combiner()
	combined.Base, combined.BoundScale, combined.TargetScale = server, 0.02, 0.01

	e := &simulate.Experiment{
		Name: RateName(fixed, dim, rounds), Environment: env, Horizon: rounds, Trials: cell.Pick(s, 2, 4, 16),
		Seed: Seed, Grid: []int{rounds}, Fingerprint: fmt.Sprintf("epsilon %d, delta %g", RateEpsilon, Delta),
	}
	add := func(name string, p simulate.Policy) {
		p.Name = name
		e.Policies = append(e.Policies, p)
	}
	add(RateRandom, simulate.Policy{Learner: learner.Random{}})
	add(RateOnline, oneUser(server))
	add(RateWorst, oneUser(worst))
	add(RateLocal, simulate.Policy{Learner: localLinUCB(ldp, linear.UCB{Width: 0.2})})
	add(RateShuffle, simulate.Policy{Learner: shuffledLinUCB(sums, 0.2)})
	add(RateAnytime, oneUser(local.Anytime{Server: begins}))
	add(RateCombiner, simulate.Policy{Learner: learner.Local{Device: device, Server: combined}})
	return e
}

func rates(s cell.Scale) (all []*simulate.Experiment) {
	for _, fixed := range []bool{false, true} {
		for _, rounds := range cell.Pick(s, RateRounds[:1], RateRounds[:2], RateRounds) {
			all = append(all, rated(s, fixed, RateDim, rounds))
		}
		for _, dim := range RateDims {
			if dim != RateDim {
				all = append(all, rated(s, fixed, dim, cell.Pick(s, 300, 1_000, RateMiddle)))
			}
		}
	}
	return all
}

// reportRates has a row for each policy of each run.
func reportRates(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("run", "policy", "T", "regret", "SE")
	for _, of := range tables {
		for _, c := range of.Curves {
			n, mean, se := c.Last()
			t.Add(of.Provenance.Experiment, c.Policy, n, mean, se)
		}
	}
	t.Caption = fmt.Sprintf("Regret of learners that know T, at ε = %d, δ = %g, 100 arms", RateEpsilon, Delta)
	return t, nil
}
