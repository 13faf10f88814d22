package privacy

import (
	"errors"
	"fmt"
	"slices"
)

// UserLevel is what a plan for one record is worth to users who have several.
type UserLevel struct {
	Records int // the largest number of records of these users
	Users   int // how many users have at most so many
	Claim   Claim
}

// UserLevels says what a plan is worth to the users of a data set, given the number of records of
// each: the claim for users with one record, and for half, 90%, 99% and all of the users, each by
// Plan.ForUsers. Levels with the same number of records come once.
//
// The level for all users is the plan's user level. It is a guarantee only if the number of records
// is bounded by a rule; a maximum that was found in the data is itself private data, and so is this
// table.
func (p Plan) UserLevels(records []int) ([]UserLevel, error) {
	if len(records) == 0 {
		return nil, errors.New("privacy: UserLevels of no users")
	}
	sorted := slices.Sorted(slices.Values(records))
	if sorted[0] < 1 {
		return nil, fmt.Errorf("privacy: UserLevels of a user with %d records, want >= 1", sorted[0])
	}
	var levels []UserLevel
	n := len(sorted)
	for _, k := range []int{1, sorted[(n-1)/2], sorted[n-1-n/10], sorted[n-1-n/100], sorted[n-1]} {
		if len(levels) > 0 && levels[len(levels)-1].Records == k {
			continue
		}
		plan, err := p.ForUsers(k)
		if err != nil {
			return nil, err
		}
		users, _ := slices.BinarySearch(sorted, k+1)
		levels = append(levels, UserLevel{k, users, plan.Claim()})
	}
	return levels, nil
}
