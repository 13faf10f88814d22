package charts

import (
	"fmt"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Run is what [Ends] sets beside others: the curves of a run, under a name.
type Run struct {
	Name   string
	Curves []simulate.Curve
}

// Ends returns a table of the regrets at the last round of several runs of the same policies, side
// by side. A row is a policy of the first run. Its first cells come from first, under the headers
// of head; nil leaves the policy out. Then each run has its mean and its standard error, and with
// tails the worst tenth: the regret that nine trials of ten do not exceed.
//
// It is an error if a run lacks a policy.
func Ends(head []string, tails bool, first func(policy string) []any, runs ...Run) (*Table, error) {
	t := NewTable(head...)
	t.Align = strings.Repeat("l", len(head))
	for _, r := range runs {
		t.Headers, t.Align = append(t.Headers, r.Name, "SE"), t.Align+"rr"
		if tails {
			t.Headers, t.Align = append(t.Headers, "worst tenth"), t.Align+"r"
		}
	}
	if len(runs) == 0 {
		return t, nil
	}
	for _, policy := range runs[0].Curves {
		row := first(policy.Policy)
		if row == nil {
			continue
		}
		for _, r := range runs {
			c, err := r.curve(policy.Policy)
			if err != nil {
				return nil, err
			}
			last := len(c.Mean) - 1
			row = append(row, fmt.Sprintf("%.0f", c.Mean[last]), fmt.Sprintf("%.0f", c.SE[last]))
			if tails {
				row = append(row, fmt.Sprintf("%.0f", c.Q90[last]))
			}
		}
		t.Add(row...)
	}
	return t, nil
}

// curve returns the curve of a policy.
func (r Run) curve(policy string) (simulate.Curve, error) {
	for _, c := range r.Curves {
		if c.Policy == policy {
			return c, nil
		}
	}
	return simulate.Curve{}, fmt.Errorf("charts: run %q has no policy %q, and the first run has", r.Name, policy)
}
