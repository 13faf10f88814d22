package charts

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestRegret(t *testing.T) {
	f := Regret("Regret", []simulate.Curve{
		{Policy: "a", Rounds: []int{1, 10}, Mean: []float64{1, 5}, SE: []float64{0, 1}, Trials: 4},
		{Policy: "b", Rounds: []int{1, 10}, Mean: []float64{1, 5}, SE: []float64{math.NaN(), math.NaN()}, Trials: 1},
	})
	if s := f.Series[0]; s.Name != "a" || s.X[1] != 10 || s.Y[1] != 5 || s.Lo[1] != 5-1.96 || s.Hi[1] != 5+1.96 {
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

func TestFinals(t *testing.T) {
	curve := func(policy string, mean, se float64) simulate.Curve {
		return simulate.Curve{Policy: policy, Rounds: []int{1, 10}, Mean: []float64{0, mean}, SE: []float64{0, se}, Trials: 4}
	}
	s := Finals([]float64{3, 7}, [][]simulate.Curve{{curve("a", 5, 1), curve("b", 6, math.NaN())}, {curve("a", 8, 2)}})
	if len(s) != 2 || s[0].Name != "a" || s[1].Name != "b" {
		t.Fatalf("%+v", s)
	}
	if a := s[0]; a.X[0] != 3 || a.X[1] != 7 || a.Y[1] != 8 || a.Lo[1] != 8-1.96*2 || a.Hi[1] != 8+1.96*2 {
		t.Errorf("%+v", a)
	}
	if b := s[1]; len(b.X) != 1 || b.Lo[0] != 6 || b.Hi[0] != 6 {
		t.Errorf("%+v", b)
	}
}
