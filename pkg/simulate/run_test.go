package simulate

import (
	"reflect"
	"testing"
)

func mustRun(t testing.TB, e *Experiment) *Result {
	t.Helper()
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSameAtAnyNumberOfWorkers(t *testing.T) {
	var want *Result
	for _, workers := range []int{1, 2, 7} {
		e := toyExperiment()
		e.Workers = workers
		got := mustRun(t, e)
		if want == nil {
			want = got
			continue
		}
		if !reflect.DeepEqual(got.Policies, want.Policies) {
			t.Errorf("%d workers: results differ from 1 worker's", workers)
		}
	}
	c := want.Curves()
	last := len(want.Grid) - 1
	if !(c[0].Mean[last] < c[2].Mean[last]) {
		t.Errorf("greedy's regret %v, want < uniform's %v", c[0].Mean[last], c[2].Mean[last])
	}
}

func TestPoliciesDoNotTouchEachOther(t *testing.T) {
	all := mustRun(t, toyExperiment())
	e := toyExperiment()
	e.Policies = []Policy{e.Policies[1]}
	alone := mustRun(t, e)
	e = toyExperiment()
	e.Policies[0], e.Policies[2] = e.Policies[2], e.Policies[0]
	swapped := mustRun(t, e)
	for _, p := range all.Policies {
		q, err := swapped.Policy(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, *q) {
			t.Errorf("policy %q: its position changed its results", p.Name)
		}
	}
	if !reflect.DeepEqual(all.Policies[1], alone.Policies[0]) {
		t.Errorf("policy %q: the others' presence changed its results", alone.Policies[0].Name)
	}
}
