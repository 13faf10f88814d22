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
