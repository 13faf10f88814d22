package privacy

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Of users with 1, ..., 200 records, the levels are 1, 100, 180, 198 and 200, and k records of
// Gaussian noise have k times its mu.
func TestUserLevels(t *testing.T) {
	var records []int
	for k := range 200 {
		records = append(records, 200-k)
	}
	plan := gaussianPlan(0.01)
	levels, err := plan.UserLevels(records)
	if err != nil || len(levels) != 5 {
		t.Fatalf("%+v, %v", levels, err)
	}
	for i, k := range []int{1, 100, 180, 198, 200} {
		l := levels[i]
		want := account.GaussianEpsilon(plan.Asked.Delta, 0.01*float64(k))
		if l.Records != k || l.Users != k || math.Abs(l.Claim.Epsilon()-want) > 1e-9 || l.Claim.Neighbours().Contributions != k {
			t.Errorf("level %d: %d records, %d users, epsilon %v, want %d of both and %v", i, l.Records, l.Users, l.Claim.Epsilon(), k, want)
		}
	}
	levels, err = plan.UserLevels([]int{3, 1, 1, 3})
	if err != nil || len(levels) != 2 || levels[0].Users != 2 || levels[1].Users != 4 || levels[1].Records != 3 {
		t.Errorf("%+v, %v", levels, err)
	}
	if levels, err = plan.UserLevels([]int{2, 2}); err != nil || len(levels) != 2 || levels[0].Users != 0 {
		t.Errorf("%+v, %v", levels, err)
	}
}

func TestUserLevelsRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		plan    Plan
		records []int
	}{
		"no users":           {gaussianPlan(1), nil},
		"with 0 records":     {gaussianPlan(1), []int{2, 0}},
		"nobody holds":       {Plan{Neighbours: ReplaceRound}, []int{1}},
		"up to 2 records al": {func() Plan { p, _ := gaussianPlan(1).ForUsers(2); return p }(), []int{1}},
	} {
		if _, err := c.plan.UserLevels(c.records); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
