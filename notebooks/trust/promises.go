package trust

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Who is protected, and from whom: users with several records, and trust models.

// claimUsers: k records cost k times the epsilon at least, and a group's Gaussian k times mu
// exactly.
func claimUsers(cell.Scale) (string, error) {
	laplace := &mechanism.Laplace{Epsilon: 1, Dim: 1, Hi: 1, Neighbours: privacy.ReplaceRound}
	gaussian := &mechanism.BLT{Budget: continualBudget}
	check.OK(errors.Join(laplace.Init(), gaussian.Init(privacy.Setup{Dim: 6, Horizon: 20_000, Bound: 1, Alpha: 0.01})))
	names, plans := []string{"Laplace", "Gaussian (BLT)"}, []privacy.Plan{privacy.PlanOf(laplace, privacy.All), privacy.PlanOf(gaussian, privacy.All)}
	mu := check.Try(privacy.GaussianMu(continualBudget))
	var evidence string
	for i, p := range plans {
		for _, k := range []int{2, 10} {
			epsilon, least := check.Try(p.ForUsers(k)).Claim().Epsilon(), float64(k)*p.Claim().Epsilon()
			want := least
			if p.Asked.Delta > 0 {
				want = privacy.GaussianEpsilon(p.Asked.Delta, float64(k)*mu)
			}
			check.That(math.Abs(epsilon/want-1) <= 1e-6 && epsilon >= least*(1-1e-9),
				"%s: a user with %d records has epsilon = %v, want %v", names[i], k, epsilon, want)
			evidence += fmt.Sprintf("%s: ε = %.4g for %d records; ", names[i], epsilon, k)
		}
	}
	joint := learner.New(&learner.LinUCB{}, &mechanism.BLT{Budget: continualBudget})
	check.OK(joint.Init(bandit.Problem{Arms: 2, Dim: 5, Slots: 1, ContextNorm: 1, RewardMax: 1}, 20_000))
	both := new(struct{ name string })
	_, err := privacy.Compose(both, plans[0], privacy.PlanOf(joint, privacy.All))
	check.That(errors.Is(err, privacy.ErrDisagree), "a central and a joint claim compose: %v", err)
	_, err = privacy.Compose(both, plans[1], check.Try(plans[1].ForUsers(3)))
	check.That(errors.Is(err, privacy.ErrDisagree), "a claim for a record and one for a user compose: %v", err)
	return evidence + "claims for different models, or for records and users, do not compose", nil
}

// responsesSD measures the standard deviation of an estimated count, a third of so many users, who
// answer by randomised response.
func responsesSD(users, repeats int, epsilon float64) float64 {
	r := &mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 2}
	check.OK(r.Init())
	r.Reset(Noise(fmt.Sprintf("responses %d %g", users, epsilon)))
	square, yes := 0.0, users/3
	for range repeats {
		counts, estimate := []int{0, 0}, []float64{0, 0}
		for user := range users {
			truth := 0
			if user < yes {
				truth = 1
			}
			counts[check.Try(r.Respond(truth))]++
		}
		check.OK(r.Estimate(estimate, counts))
		square += math.Pow(estimate[1]-float64(yes), 2)
	}
	return math.Sqrt(square / float64(repeats))
}

// claimTrust measures the two models in which users randomise.
func claimTrust(s cell.Scale) (string, error) {
	const users, epsilon = 1000, 1.0
	// The largest epsilon of a message such that so many of them, shuffled, keep the budget.
	strength := check.Try(privacy.Calibrate(privacy.PLD{}, privacy.Budget{Epsilon: epsilon, Delta: 1e-6}, func(scale float64) privacy.Event {
		return privacy.ShuffleEvent{Local: 1 / scale, Users: users}
	}))
	repeats, budgets := cell.Pick(s, 500, 2_000, 10_000), []float64{epsilon, 1 / strength}
	var sds []float64
	for _, each := range budgets {
		sd, want := responsesSD(users, repeats, each), math.Sqrt(users)/(2*math.Sinh(each/2))
		// 4.5 standard errors: a false alarm of 1e-5 for a new seed
		check.That(math.Abs(sd/want-1) <= 4.5/math.Sqrt(2*float64(repeats)), "ε = %.3g: standard deviation %.3f, computed %.3f", each, sd, want)
		sds = append(sds, sd)
	}
	central := math.Sqrt2 / epsilon
	check.That(sds[1] >= 1.5*central && sds[0] >= 2*sds[1],
		"standard deviations: local %.2f, shuffled %.2f, central %.2f: want each to cost a multiple of the next", sds[0], sds[1], central)
	return fmt.Sprintf("a count among %d users, ε = 1: local %.1f, shuffled %.1f (ε = %.2f for each message), central %.1f", users, sds[0], sds[1], budgets[1], central), nil
}

// Continual release: the mechanisms of the lesson, side by side at one budget.

var continualBudget = privacy.Budget{Epsilon: 1, Delta: 1e-6}

// The names of the mechanisms.
const (
	tree       = "binary tree"
	honaker    = "Honaker's tree"
	squareRoot = "square root"
	blt        = "BLT"
)

var continuals = []string{tree, honaker, squareRoot, blt}

// bounded is an accumulator that knows its largest noise, in noise units.
type bounded interface {
	privacy.Accumulator
	MaxSD() float64
}

// running returns a mechanism over so many rounds, for rows of that length and of norm 1 at most.
func running(name string, dim, rounds int) bounded {
	a := map[string]bounded{
		tree:       &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: continualBudget}},
		honaker:    &mechanism.Honaker{Budget: continualBudget},
		squareRoot: &mechanism.SquareRoot{Budget: continualBudget},
		blt:        &mechanism.BLT{Budget: continualBudget},
	}[name]
	check.OK(a.Init(privacy.Setup{Dim: dim, Horizon: rounds, Bound: 1, Alpha: 0.01}))
	return a
}

// claimContinual: what is measured is what is computed, at one budget. There are 2000 rounds, which
// are dependent, at 5 standard errors: a false alarm below 2e-3 for a new seed.
func claimContinual(s cell.Scale) (string, error) {
	const rounds, far = 512, 20_000
	const dim = 14 // 91 entries off the diagonal: as many samples a run
	unit, worst, largest := 1/check.Try(privacy.GaussianMu(continualBudget)), 0.0, map[string]float64{}
	for _, name := range continuals {
		a := running(name, dim, rounds)
		proved := privacy.ClaimOf(a).Epsilon()
		check.That(math.Abs(proved-continualBudget.Epsilon) <= 1e-6, "%s: proves epsilon = %v, want %v", name, proved, continualBudget.Epsilon)
		sd, samples, err := audit.Blank{
			Of: a, Dim: dim, Rounds: rounds - 1, Runs: cell.Pick(s, 40, 200, 1_000),
			Seed: Seed, Stream: "noise by round: " + name,
		}.SD()
		check.OK(err)
		tolerance := 5 / math.Sqrt(2*float64(samples))
		highest := slices.Max(sd) / unit
		off := math.Abs(highest/a.MaxSD() - 1)
		check.That(off <= tolerance, "%s: the noisiest release has %.3f noise units, computed %.3f", name, highest, a.MaxSD())
		worst = math.Max(worst, off)
		for t, v := range sd {
			want := math.Sqrt(float64(bits.Len(rounds-1) * bits.OnesCount(uint(t+1))))
			check.That(name != tree || math.Abs(v/unit/want-1) <= tolerance, "%s, round %d: %.3f noise units, computed %.3f", name, t+1, v/unit, want)
		}
		largest[name] = running(name, 2, far).MaxSD()
	}
	check.That(largest[blt] <= largest[tree]/3 && largest[blt] <= 1.01*largest[squareRoot] && largest[squareRoot] <= largest[blt],
		"at %d rounds the largest noise is %v noise units", far, largest)
	return fmt.Sprintf("T = %d: measured within %.1f%% of computed; T = %s: tree %.2f, Honaker %.2f, square root %.2f, BLT %.2f noise units",
		rounds, 100*worst, cell.Thousands(far), largest[tree], largest[honaker], largest[squareRoot], largest[blt]), nil
}

// claimOdometer: what is spent never falls, ends at the claim, and stands still in the tree but for
// powers of two.
func claimOdometer(cell.Scale) (string, error) {
	const rounds = 700
	var evidence string
	for _, name := range continuals {
		a, spent := running(name, 2, rounds), []float64{0}
		for t := 1; t < rounds; t++ {
			now, _, err := privacy.Tightest(privacy.PlanOf(a, t).Event(), continualBudget.Delta)
			check.OK(err)
			rises, power := now > spent[t-1], t&(t-1) == 0
			check.That(now >= spent[t-1] && (name != tree || rises == power),
				"%s: %.6f is spent after round %d, %.6f a round before", name, now, t, spent[t-1])
			spent = append(spent, now)
		}
		end := spent[rounds-1]
		check.That(math.Abs(end-continualBudget.Epsilon) <= 1e-6, "%s: %.6f is spent at the end of %v", name, end, continualBudget)
		evidence += fmt.Sprintf("%s: %.2f after round 1, %.2f after round %d; ", name, spent[1], spent[rounds/2], rounds/2)
	}
	return evidence + fmt.Sprintf("1 at the end, T = %d", rounds), nil
}
