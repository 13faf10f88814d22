package trust

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Who is protected, and from whom: users with several records, and trust models.

// LessonLaplace is the lesson's mechanism for one record in [0, 1].
func LessonLaplace(epsilon float64) (*mechanism.Laplace, error) {
	l := &mechanism.Laplace{Epsilon: epsilon, Dim: 1, Hi: 1, Neighbours: privacy.ReplaceRound}
	return l, l.Init()
}

// userPlans are the event-level plans of the figure, at epsilon = 1.
func userPlans() ([]string, []privacy.Plan, error) {
	l, err := LessonLaplace(1)
	if err != nil {
		return nil, nil, err
	}
	blt := &mechanism.BLT{Budget: ContinualBudget}
	if err := blt.Init(privacy.Setup{Dim: 6, Horizon: 20_000, Bound: 1, Alpha: 0.01}); err != nil {
		return nil, nil, err
	}
	return []string{"Laplace", "Gaussian (BLT)"}, []privacy.Plan{privacy.PlanOf(l, privacy.All), privacy.PlanOf(blt, privacy.All)}, nil
}

// claimUsers: k records cost k times the epsilon at least, and a group's Gaussian k times mu
// exactly.
func claimUsers(lab.Scale) (string, error) {
	names, plans, err := userPlans()
	if err != nil {
		return "", err
	}
	var evidence string
	for i, p := range plans {
		for _, k := range []int{2, 10} {
			user, err := p.ForUsers(k)
			if err != nil {
				return "", err
			}
			want := float64(k) * p.Claim().Epsilon()
			if p.Asked.Delta > 0 {
				mu, err := privacy.GaussianMu(p.Asked)
				if err != nil {
					return "", err
				}
				want = privacy.GaussianEpsilon(p.Asked.Delta, float64(k)*mu)
			}
			if math.Abs(user.Claim().Epsilon()/want-1) > 1e-6 || user.Claim().Epsilon() < float64(k)*p.Claim().Epsilon()*(1-1e-9) {
				return "", fmt.Errorf("%s: a user with %d records has epsilon = %v, want %v", names[i], k, user.Claim().Epsilon(), want)
			}
			evidence += fmt.Sprintf("%s: ε = %.4g for %d records; ", names[i], user.Claim().Epsilon(), k)
		}
	}
	both := new(struct{ name string })
	joint := learner.New(&learner.LinUCB{}, &mechanism.BLT{Budget: ContinualBudget})
	if err := joint.Init(bandit.Problem{Arms: 2, Dim: 5, Slots: 1, ContextNorm: 1, RewardMax: 1}, 20_000); err != nil {
		return "", err
	}
	if _, err := privacy.Compose(both, plans[0], privacy.PlanOf(joint, privacy.All)); !errors.Is(err, privacy.ErrDisagree) {
		return "", fmt.Errorf("a central and a joint claim compose: %v", err)
	}
	user, err := plans[1].ForUsers(3)
	if err != nil {
		return "", err
	}
	if _, err := privacy.Compose(both, plans[1], user); !errors.Is(err, privacy.ErrDisagree) {
		return "", fmt.Errorf("a claim for a record and one for a user compose: %v", err)
	}
	return evidence + "claims for different models, or for records and users, do not compose", nil
}

// trustBudget is the budget of the figure about trust.
var trustBudget = privacy.Budget{Epsilon: 1, Delta: 1e-6}

// ShuffledLocal returns the largest epsilon of a user's message such that so many of them,
// shuffled, keep the budget.
func ShuffledLocal(users int, b privacy.Budget) (float64, error) {
	lo, hi := b.Epsilon, b.Epsilon+math.Log(float64(users))
	for range 16 {
		mid := (lo + hi) / 2
		epsilon, _, err := privacy.Tightest(privacy.ShuffleEvent{Local: mid, Users: users}, b.Delta)
		if err != nil {
			return 0, err
		}
		if epsilon <= b.Epsilon {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// ResponsesSD is the standard deviation of the estimated count of a binary answer among so many
// users who respond with that epsilon.
func ResponsesSD(users int, epsilon float64) float64 {
	return math.Sqrt(float64(users)) / (2 * math.Sinh(epsilon/2))
}

// measureResponses estimates a count a number of times and returns the standard deviation of its
// error.
func measureResponses(users, repeats int, epsilon float64) (float64, error) {
	r := &mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 2}
	if err := r.Init(); err != nil {
		return 0, err
	}
	r.Reset(Noise(fmt.Sprintf("responses %d %g", users, epsilon)))
	var square float64
	yes := users / 3
	for range repeats {
		counts, estimate := make([]int, 2), make([]float64, 2)
		for user := range users {
			truth := 0
			if user < yes {
				truth = 1
			}
			answer, err := r.Respond(truth)
			if err != nil {
				return 0, err
			}
			counts[answer]++
		}
		if err := r.Estimate(estimate, counts); err != nil {
			return 0, err
		}
		square += (estimate[1] - float64(yes)) * (estimate[1] - float64(yes))
	}
	return math.Sqrt(square / float64(repeats)), nil
}

// claimTrust measures the two models in which users randomise.
func claimTrust(s lab.Scale) (string, error) {
	const users = 1000
	repeats := cell.Pick(s, 500, 2_000, 10_000)
	each, err := ShuffledLocal(users, trustBudget)
	if err != nil {
		return "", err
	}
	var sds []float64
	for _, epsilon := range []float64{trustBudget.Epsilon, each} {
		sd, err := measureResponses(users, repeats, epsilon)
		if err != nil {
			return "", err
		}
		want := ResponsesSD(users, epsilon)
		if math.Abs(sd/want-1) > 4.5/math.Sqrt(2*float64(repeats)) { // 4.5 standard errors: a false alarm of 1e-5 for a new seed
			return "", fmt.Errorf("ε = %.3g: standard deviation %.3f, computed %.3f", epsilon, sd, want)
		}
		sds = append(sds, sd)
	}
	central := math.Sqrt2 / trustBudget.Epsilon
	if sds[1] < 1.5*central || sds[0] < 2*sds[1] {
		return "", fmt.Errorf("standard deviations: local %.2f, shuffled %.2f, central %.2f: want each to cost a multiple of the next", sds[0], sds[1], central)
	}
	return fmt.Sprintf("a count among %d users, ε = 1: local %.1f, shuffled %.1f (ε = %.2f for each message), central %.1f", users, sds[0], sds[1], each, central), nil
}

// spent returns the epsilon spent after rounds 1, ..., rounds-1.
func (c continual) spent(rounds int) ([]float64, error) {
	a, err := c.initialised(2, rounds)
	if err != nil {
		return nil, err
	}
	out := make([]float64, rounds-1)
	for t := range out {
		out[t], _, err = privacy.Tightest(privacy.PlanOf(a, t+1).Event(), ContinualBudget.Delta)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// claimOdometer: what is spent never falls, ends at the claim, and stands still in the tree but for
// powers of two.
func claimOdometer(lab.Scale) (string, error) {
	const rounds = 700
	var evidence string
	for _, c := range continuals {
		spent, err := c.spent(rounds)
		if err != nil {
			return "", err
		}
		for i, now := range spent {
			if i > 0 && now < spent[i-1] {
				return "", fmt.Errorf("%s: %.6f is spent after round %d, %.6f a round before", c.name, now, i+1, spent[i-1])
			}
			if power := (i+1)&i == 0; c.name == "binary tree" && i > 0 && power != (now > spent[i-1]) {
				return "", fmt.Errorf("%s: %.6f is spent after round %d, %.6f a round before", c.name, now, i+1, spent[i-1])
			}
		}
		if end := spent[len(spent)-1]; math.Abs(end-ContinualBudget.Epsilon) > 1e-6 {
			return "", fmt.Errorf("%s: %.6f is spent at the end of %v", c.name, end, ContinualBudget)
		}
		evidence += fmt.Sprintf("%s: %.2f after round 1, %.2f after round %d; ", c.name, spent[0], spent[rounds/2-1], rounds/2)
	}
	return evidence + fmt.Sprintf("1 at the end, T = %d", rounds), nil
}
