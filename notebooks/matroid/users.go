package matroid

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The promise of the movies' bandit is for one round; a viewer comes in many.

// million is the number of users of MovieLens 1M, which the paper has.
const million = 6040

// Viewers returns the user of each round of a trial of the movie experiments: those of the
// environment itself, whose users have rated what spells their number in binary.
func Viewers(users, rounds, trial int) ([]int, error) {
	if users < 2 {
		return nil, fmt.Errorf("matroid: %d users, want two at least", users)
	}
	digits := bits.Len(uint(users - 1))
	m, err := matroid.NewUniform(digits, digits)
	if err != nil {
		return nil, err
	}
	env := &environment.Ratings{Matroid: m}
	for u := range users {
		row := make([]bool, digits)
		for d := range row {
			row[d] = u>>d&1 == 1
		}
		env.Rated = append(env.Rated, row)
	}
	env.Reset(nil)
	rewards, all, y := random.New(Seed, trial, "rewards"), make([]int, digits), make([]float64, digits)
	for d := range all {
		all[d] = d
	}
	list := make([]int, rounds)
	for t := range list {
		env.Pull(rewards, all, y)
		for d, v := range y {
			list[t] |= int(v) << d
		}
	}
	return list, nil
}

// visits is how often users come in MovieHorizon rounds.
type visits struct {
	users  int
	counts []int // by user
	mean   float64
	most   int
}

func visitsOf(users int) (v visits, err error) {
	list, err := Viewers(users, MovieHorizon, 0)
	if err != nil {
		return v, err
	}
	v = visits{users: users, counts: make([]int, users), mean: float64(MovieHorizon) / float64(users)}
	for _, u := range list {
		v.counts[u]++
		v.most = max(v.most, v.counts[u])
	}
	return v, nil
}

// bothVisits are those of the ratings at hand and of as many users as MovieLens 1M has.
func bothVisits() (m *Movies, here, there visits, err error) {
	if m, err = LoadMovies(); err != nil {
		return m, here, there, err
	}
	if here, err = visitsOf(len(m.Rated)); err != nil {
		return m, here, there, err
	}
	there, err = visitsOf(million)
	return m, here, there, err
}

// moviePlan is the plan of DPUCB-MAT on the movies.
func moviePlan(m *Movies, b privacy.Budget) (privacy.Plan, error) {
	l := learner.New(&learner.OMM{Matroid: m.Matroid}, &mechanism.Blocks{Budget: b})
	err := l.Init(m.Environment().Problem(), MovieHorizon)
	return privacy.PlanOf(l, privacy.All), err
}

// viewerNoise is what is left to a round so that a user with k rounds has an epsilon, and what
// that costs.
type viewerNoise struct {
	event             float64 // epsilon of a round
	laplace, gaussian float64 // standard deviation of the noise on a block's sum
}

func viewerNoiseOf(m *Movies, k int) (n viewerNoise, err error) {
	n.event = Epsilon / float64(k)
	slots := m.Matroid.Rank()
	if n.laplace, err = blockScale(privacy.Budget{Epsilon: n.event}, slots); err != nil {
		return n, err
	}
	n.laplace *= math.Sqrt2
	one, err := blockScale(privacy.Budget{Epsilon: Epsilon, Delta: shareDelta}, slots)
	n.gaussian = one * float64(k) // mu/k for a round
	return n, err
}

// claimViewers checks who comes, and what a promise for a round is worth to who comes often.
func claimViewers(s lab.Scale) (string, error) {
	m, here, there, err := bothVisits()
	if err != nil {
		return "", err
	}
	// The users are those of the experiments: the same stream makes the movies' environment give what
	// they have rated.
	env := m.Environment()
	env.Reset(nil)
	list, err := Viewers(here.users, 1_000, 0)
	if err != nil {
		return "", err
	}
	rewards, best := random.New(Seed, 0, "rewards"), env.Best()
	y := make([]float64, len(best))
	for t, u := range list {
		env.Pull(rewards, best, y)
		for i, a := range best {
			if (y[i] == 1) != m.Rated[u][a] {
				return "", fmt.Errorf("round %d is user %d's, whose rating of arm %d the environment does not give", t+1, u, a)
			}
		}
	}
	var evidence string
	for _, v := range []visits{here, there} {
		var square float64
		for _, n := range v.counts {
			square += (float64(n) - v.mean) * (float64(n) - v.mean) / v.mean
		}
		free := float64(v.users - 1)
		if z := (square - free) / math.Sqrt(2*free); math.Abs(z) > 4.5 {
			return "", fmt.Errorf("%d users: chi-square %.0f of %.0f degrees of freedom, %.1f standard deviations off", v.users, square, free, z)
		}
		evidence += fmt.Sprintf("%s users: mean %.1f, most %d; ", cell.Thousands(v.users), v.mean, v.most)
	}
	for _, k := range []int{1, 3, here.most} {
		for _, budget := range []privacy.Budget{{Epsilon: Epsilon}, {Epsilon: Epsilon / float64(k)}} {
			c, err := moviePlan(m, budget)
			if err != nil {
				return "", err
			}
			user, err := c.ForUsers(k)
			if err != nil {
				return "", err
			}
			if want := float64(k) * budget.Epsilon; math.Abs(user.Claim().Epsilon()/want-1) > 1e-9 {
				return "", fmt.Errorf("ε = %v a round: a user with %d rounds has %v, want %v", budget.Epsilon, k, user.Claim().Epsilon(), want)
			}
		}
	}
	n, err := viewerNoiseOf(m, here.most)
	if err != nil {
		return "", err
	}
	if want := math.Sqrt2 * float64(m.Matroid.Rank()*here.most) / Epsilon; math.Abs(n.laplace/want-1) > 1e-9 {
		return "", fmt.Errorf("noise of standard deviation %v for users with %d rounds, want %v", n.laplace, here.most, want)
	}
	// The Gaussian's: a claim for that noise, read for the user who comes most.
	mu, err := privacy.GaussianMu(privacy.Budget{Epsilon: Epsilon, Delta: shareDelta})
	if err != nil {
		return "", err
	}
	group := privacy.GroupEvent{Event: privacy.GaussianEvent{Mu: math.Sqrt(float64(m.Matroid.Rank())) / n.gaussian}, Contributions: here.most}
	exact, _, err := privacy.Tightest(group, shareDelta)
	if err != nil {
		return "", err
	}
	if math.Abs(exact/Epsilon-1) > 1e-6 {
		return "", errors.New("the Gaussian noise for users is another")
	}
	return evidence + fmt.Sprintf("ε = 2 a round is %d to the user of %d rounds; ε = 2 to her leaves %.3f a round (μ* = %.3f to her for the Gaussian)", Epsilon*here.most, here.most, n.event, mu), nil
}
