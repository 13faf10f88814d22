package environment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// shelf has 5 users and 130 arms; a user's number is in the last arms.
func shelf() Ratings {
	e := Ratings{Matroid: make(binary, 130), Rated: make([][]bool, 5)}
	for a := range 130 {
		e.Matroid.(binary)[a] = uint64(a)
	}
	for u := range e.Rated {
		e.Rated[u] = make([]bool, 130)
		for a := range 127 {
			e.Rated[u][a] = (a*7+u*3)%5 < 2
		}
		e.Rated[u][0] = true
		for bit := range 3 {
			e.Rated[u][127+bit] = u>>bit&1 == 1
		}
	}
	return e
}

func TestRatings(t *testing.T) {
	bandittest.Environment(t, shelf(), bandittest.EnvironmentOptions{
		Seed: 1, Sets: func(r *rand.Rand, _ *bandit.View, dst []int) []int { return randomBasis(shelf().Matroid, r, dst) },
	})
}

// A pull is a row of the data, of one user for all arms, for one draw; users come equally often:
// chi-squared with 4 degrees of freedom over 20,000 rounds below 33.4 (false alarm 1e-6; the seed
// is fixed). The means are exact.
func TestRatingsLaw(t *testing.T) {
	const rounds = 20_000
	e := shelf()
	if e.Users() != 5 {
		t.Errorf("Users() = %d, want 5", e.Users())
	}
	for a, got := range e.Means() {
		n := 0
		for _, row := range e.Rated {
			if row[a] {
				n++
			}
		}
		if want := float64(n) / 5; got != want {
			t.Errorf("mean of arm %d = %v, want %v", a, got, want)
		}
	}
	trial := runtest.Open(t, e).Start(nil)
	rng, twin := random.New(1, 0, "rewards"), random.New(1, 0, "rewards")
	arms, y := make([]int, 130), make([]float64, 130)
	for a := range arms {
		arms[a] = a
	}
	var counts [5]float64
	for range rounds {
		trial.Pull(rng, arms, y)
		user := int(y[127] + 2*y[128] + 4*y[129])
		for a, w := range y {
			if (w == 1) != e.Rated[user][a] || (w != 0 && w != 1) {
				t.Fatalf("arm %d weighs %v, user %d rated it: %v", a, w, user, e.Rated[user][a])
			}
		}
		if want := twin.IntN(5); user != want {
			t.Fatalf("user %d, want %d by one draw", user, want)
		}
		counts[user]++
	}
	var chi float64
	for _, n := range counts {
		chi += (n - rounds/5) * (n - rounds/5) / (rounds / 5)
	}
	if chi > 33.4 {
		t.Errorf("users came %v times, chi-squared %v", counts, chi)
	}
}

// The regret is by the true means, and Best and Optimum agree with those of a semi-bandit of the
// same means.
func TestRatingsRegret(t *testing.T) {
	e := shelf()
	trial := runtest.Open(t, e).Start(nil)
	s := SemiBandit{Matroid: e.Matroid, Means: e.Means()}
	other := runtest.Open(t, s).Start(nil)
	if !slices.Equal(e.Best(), s.Best()) || e.Optimum() != s.Optimum() || trial.Regret(e.Best()) != 0 {
		t.Errorf("best %v, optimum %v, regret %v; want %v, %v, 0", e.Best(), e.Optimum(), trial.Regret(e.Best()), s.Best(), s.Optimum())
	}
	rng := random.New(1, 0, "sets")
	for range 200 {
		arms := randomBasis(e.Matroid, rng, nil)
		want := e.Optimum() - total(s.Means, arms)
		if got := trial.Regret(arms); math.Abs(got-want) > 1e-12 || got != other.Regret(arms) || !slices.Equal(Pairs(trial, arms, nil), Pairs(other, arms, nil)) {
			t.Fatalf("regret of %v = %v, want %v", arms, got, want)
		}
	}
}

func TestRatingsRefuses(t *testing.T) {
	three := binary{1, 2, 3}
	row := []bool{true, false, true}
	for want, e := range map[string]Ratings{
		"field Matroid is nil":          {Rated: [][]bool{row}},
		"rank 0, want in [1, Size = 3]": {Rated: [][]bool{row}, Matroid: binary{0, 0, 0}},
		"Rated has 0 rows":              {Matroid: three},
		"Rated[1] has 2 columns, want one for each of the matroid's 3 elements": {Rated: [][]bool{row, row[:2]}, Matroid: three},
		"Rated[0] has 4 columns": {Rated: [][]bool{append(slices.Clone(row), true), row}, Matroid: three},
		"Rated[0] has 0 columns": {Rated: [][]bool{nil, row}, Matroid: three},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "environment: Ratings: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
