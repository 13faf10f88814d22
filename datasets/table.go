package datasets

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/offpolicy"
)

// Table is a file that a Schema has read, column by column. Columns that the schema does not
// mention are nil.
type Table struct {
	Arms, Dim            int       // number of arms, and of columns of the context
	RewardMin, RewardMax float64   // as in the schema
	Contexts             []float64 // row by row, Dim numbers each
	Chosen               []int     // the arm or class of each row, in [0, Arms)
	Rewards              []float64
	Propensities         []float64
	Users                []int    // the user of each row, an index into UserIDs
	UserIDs              []string // in the order in which they first came
}

// Collect gathers rows into a table. No rows are an error.
func (s *Schema) Collect(rows iter.Seq2[*Row, error]) (*Table, error) { return s.collect(rows, "") }

// collect is Collect, where file begins the error that there are no rows.
func (s *Schema) collect(rows iter.Seq2[*Row, error], file string) (*Table, error) {
	t := &Table{Arms: s.arms(), Dim: len(s.Contexts), RewardMin: s.RewardMin, RewardMax: s.RewardMax}
	index := map[string]int{}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		t.Contexts, t.Chosen = append(t.Contexts, row.Context...), append(t.Chosen, row.Arm)
		if s.Reward != "" {
			t.Rewards = append(t.Rewards, row.Reward)
		}
		if s.Propensity != "" {
			t.Propensities = append(t.Propensities, row.Propensity)
		}
		if s.User != "" {
			user, ok := index[row.User]
			if !ok {
				user = len(t.UserIDs)
				id := strings.Clone(row.User) // a copy: the field is part of its whole line
				index[id], t.UserIDs = user, append(t.UserIDs, id)
			}
			t.Users = append(t.Users, user)
		}
	}
	if len(t.Chosen) == 0 {
		return nil, fmt.Errorf("datasets: %sthe file has no rows", file)
	}
	return t, nil
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.Chosen) }

// Log returns the table as a log, which shares its numbers. The schema must have had columns for
// reward and propensity.
func (t *Table) Log() *offpolicy.Log {
	return &offpolicy.Log{
		Arms: t.Arms, Dim: t.Dim, Contexts: t.Contexts, Chosen: t.Chosen, Rewards: t.Rewards, Propensities: t.Propensities,
		Users: t.Users, RewardMin: t.RewardMin, RewardMax: t.RewardMax,
	}
}

// Records returns the number of rows of each user, in the order of UserIDs.
func (t *Table) Records() []int {
	records := make([]int, len(t.UserIDs))
	for _, user := range t.Users {
		records[user]++
	}
	return records
}

// AtMost returns a table with the first k rows of each user, k >= 1. Then a plan's ForUsers(k) is
// a guarantee for every user, and no longer a remark about those who happen to be in the data,
// provided that each row is served once and k is not chosen by the data. It is an error if the
// schema has no column for users.
func (t *Table) AtMost(k int) (*Table, error) {
	switch {
	case k < 1:
		return nil, fmt.Errorf("datasets: AtMost of k = %d rows, want k >= 1", k)
	case t.Users == nil:
		return nil, errors.New("datasets: AtMost of a table without users: Schema.User is empty")
	}
	kept := &Table{Arms: t.Arms, Dim: t.Dim, RewardMin: t.RewardMin, RewardMax: t.RewardMax, UserIDs: t.UserIDs}
	seen := make([]int, len(t.UserIDs))
	for i, user := range t.Users {
		if seen[user]++; seen[user] > k {
			continue
		}
		kept.Contexts, kept.Chosen = append(kept.Contexts, t.Contexts[i*t.Dim:(i+1)*t.Dim]...), append(kept.Chosen, t.Chosen[i])
		if t.Rewards != nil {
			kept.Rewards = append(kept.Rewards, t.Rewards[i])
		}
		if t.Propensities != nil {
			kept.Propensities = append(kept.Propensities, t.Propensities[i])
		}
		kept.Users = append(kept.Users, user)
	}
	return kept, nil
}
