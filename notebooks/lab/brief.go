package lab

import (
	"context"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Brief runs some policies of an experiment for a claim, and keeps the last round alone. The seed
// is the experiment's: what holds once holds always.
func Brief(e *simulate.Experiment, trials int, policies ...string) (*simulate.Table, error) {
	e.Trials, e.Pairs, e.Grid = trials, nil, []int{e.Rounds}
	e.Policies = slices.DeleteFunc(e.Policies, func(p simulate.Policy) bool { return !slices.Contains(policies, p.Name) })
	r, err := e.Run(context.Background())
	if err != nil {
		return nil, err
	}
	return r.Table(), nil
}
