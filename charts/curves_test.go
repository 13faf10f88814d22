package charts

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// near: 3.18245 is the 97.5% quantile of Student's t with 3 degrees of freedom, for 4 trials.
func near(got, want float64) bool { return math.Abs(got-want) < 1e-4 }

func TestRegret(t *testing.T) {
	f := Regret("Regret", []simulate.Curve{
		{Policy: "a", Rounds: []int{1, 10}, Mean: []float64{1, 5}, SE: []float64{0, 1}, Trials: 4},
		{Policy: "b", Rounds: []int{1, 10}, Mean: []float64{1, 5}, SE: []float64{math.NaN(), math.NaN()}, Trials: 1},
	})
	if s := f.Series[0]; s.Name != "a" || s.X[1] != 10 || s.Y[1] != 5 || !near(s.Lo[1], 5-3.18245) || !near(s.Hi[1], 5+3.18245) {
		t.Errorf("%+v", s)
	}
	if f.Series[1].Lo != nil {
		t.Error("one trial has a band")
	}
	if _, err := f.json(); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(f.Text(), "Regret\nFigure: Regret. cumulative regret against round t for a, b.\nMean of 4 trials") {
		t.Error(f.Text())
	}
}

// TestRegretOfTwo: trials of 4 and 6 are shown as they are.
func TestRegretOfTwo(t *testing.T) {
	f := Regret("Regret", []simulate.Curve{{Policy: "a", Rounds: []int{10}, Mean: []float64{5}, SE: []float64{1}, Trials: 2}})
	if s := f.Series[0]; !near(s.Lo[0], 4) || !near(s.Hi[0], 6) {
		t.Errorf("the band reaches from %g to %g", s.Lo[0], s.Hi[0])
	}
	if f.Caption != "Mean of 2 trials, in a band from the one to the other" {
		t.Error(f.Caption)
	}
}

func TestFinals(t *testing.T) {
	curve := func(policy string, mean, se float64) simulate.Curve {
		return simulate.Curve{Policy: policy, Rounds: []int{1, 10}, Mean: []float64{0, mean}, SE: []float64{0, se}, Trials: 4}
	}
	s := Finals([]float64{3, 7}, [][]simulate.Curve{{curve("a", 5, 1), curve("b", 6, math.NaN())}, {curve("a", 8, 2)}})
	if len(s) != 2 || s[0].Name != "a" || s[1].Name != "b" {
		t.Fatalf("%+v", s)
	}
	if a := s[0]; a.X[0] != 3 || a.X[1] != 7 || a.Y[1] != 8 || !near(a.Lo[1], 8-3.18245*2) || !near(a.Hi[1], 8+3.18245*2) {
		t.Errorf("%+v", a)
	}
	if b := s[1]; len(b.X) != 1 || b.Lo[0] != 6 || b.Hi[0] != 6 {
		t.Errorf("%+v", b)
	}
}

func TestSweep(t *testing.T) {
	curve := func(policy string, mean float64) simulate.Curve {
		return simulate.Curve{Policy: policy, Rounds: []int{1, 10}, Mean: []float64{0, mean}, SE: []float64{0, 1}, Trials: 4}
	}
	f := Sweep("Sweep", "dimension d", []float64{10, 100}, [][]simulate.Curve{{curve("a", 5)}, {curve("a", 8)}})
	if !f.X.Log || !f.Y.Log || f.Series[0].Y[1] != 8 || !strings.Contains(f.Caption, "after 10 rounds, mean of 4 trials") {
		t.Errorf("%+v", f)
	}
	f = Sweep("Sweep", "correlation r", []float64{0, 0.5}, [][]simulate.Curve{{curve("a", 5)}, {curve("a", -1)}})
	if f.X.Log || f.Y.Log {
		t.Error("an axis is logarithmic that has no positive values")
	}
	if _, err := f.json(); err != nil {
		t.Error(err)
	}
}

func TestStandings(t *testing.T) {
	r := &simulate.Result{Grid: []int{1, 10}, Finished: []int{0, 1}, Policies: []simulate.PolicyResult{
		{Name: "random arm", Regret: [][]float64{{1, 199}, {1, 201}}},
		{Name: "learner", Regret: [][]float64{{1, 49}, {1, 51}}},
	}}
	table := Standings(r)
	want := [][]any{{"random arm", "200", "1", "100.0%", "none"}, {"learner", "50", "1", "25.0%", "none"}}
	if !reflect.DeepEqual(table.Rows, want) {
		t.Errorf("%v, want %v", table.Rows, want)
	}
	if Standings(&simulate.Result{}) == nil {
		t.Error("no table of nothing")
	}
}

func TestFunction(t *testing.T) {
	s := Function("square", []float64{1, 3}, func(x float64) float64 { return x * x })
	if s.Name != "square" || s.Y[1] != 9 || s.Kind == Scatter {
		t.Errorf("%+v", s)
	}
	if s = Points("square", []float64{2}, func(x float64) float64 { return x * x }); s.Y[0] != 4 || s.Kind != Scatter {
		t.Errorf("%+v", s)
	}
}
