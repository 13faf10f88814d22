package charts

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// besideTable has two policies, whose regrets at the last of its 100 rounds are 30 (3) and 60 (4).
func besideTable() *simulate.Table {
	t := &simulate.Table{Curves: []simulate.Curve{
		{Policy: "a", Rounds: []int{10, 100}, Mean: []float64{3, 30}, SE: []float64{1, 3}, Trials: 7},
		{Policy: "b", Rounds: []int{10, 100}, Mean: []float64{6, 60}, SE: []float64{1, 4}, Trials: 7},
	}}
	t.Provenance.Experiment, t.Provenance.Rounds, t.Provenance.Seed = "e", 100, 5
	return t
}

// A known number without a standard error has the measured one, or a share of its mean.
func TestBesideApart(t *testing.T) {
	for _, c := range []struct {
		b    Beside
		k    Known
		want float64
	}{
		{Beside{}, Known{20, 4}, 2}, {Beside{}, Known{30 - 3*math.Sqrt2, 0}, 1}, {Beside{Share: 0.2}, Known{20, 0}, 2},
		{Beside{Share: 0.2}, Known{35, 4}, -1},
	} {
		if got := c.b.Apart(30, 3, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v, %v: %v apart, want %v", c.b, c.k, got, c.want)
		}
	}
}

// A table has a row for each policy, dashes beside what is not known or has other rounds, and
// shares where they are asked for.
func TestBesideRegrets(t *testing.T) {
	known := map[string][]Known{"a": {{20, 4}}}
	for _, c := range []struct {
		b    Beside
		want []any
	}{
		{Beside{}, []any{"a", "30.0", "3", "20.0", "4", "+2.0"}},
		{Beside{Rounds: 100}, []any{"a", "30.0", "3", "20.0", "4", "+2.0"}},
		{Beside{Rounds: 1000}, []any{"a", "30.0", "3", "–", "–", "–"}},
		{Beside{Of: "b", Rounds: 1}, []any{"a", "0.5", "0.05", "–", "–", "–"}},
	} {
		got, err := c.b.Regrets(nil, known, besideTable())
		if err != nil || len(got.Rows) != 2 || !slices.Equal(got.Rows[0], c.want) {
			t.Fatalf("%+v: %v, %v, want a first row %v", c.b, got, err, c.want)
		}
		if got.Rows[1][3] != "–" || got.Headers[1] != "regret" || got.Caption != "Regret after 100 rounds, 7 trials, seed 5" {
			t.Errorf("%+v: %+v", c.b, got)
		}
		if _, err := got.HTML(); err != nil {
			t.Error(err)
		}
	}
	if got, err := (Beside{}).Regrets([]string{"b"}, nil, besideTable(), besideTable()); err != nil || !slices.Equal(got.Rows[0], []any{"b", "60.0", "4", "60.0", "4"}) || got.Headers[3] != "e" {
		t.Errorf("%v, %v, want no columns for known numbers", got, err)
	}
	if _, err := (Beside{}).Regrets([]string{"c"}, known, besideTable()); err == nil {
		t.Error("a policy that the table does not have is laid out")
	}
}

// Worst finds the largest difference, below or above.
func TestBesideWorst(t *testing.T) {
	known := map[string][]Known{"a": {{20, 4}, {30, 4}}, "b": {{72, 0}}}
	worst, n, err := Beside{}.Worst(known, besideTable(), besideTable())
	if want := 12 / (4 * math.Sqrt2); err != nil || n != 3 || math.Abs(worst-want) > 1e-12 {
		t.Errorf("%v in %d comparisons, %v, want %v in 3", worst, n, err, want)
	}
	known["b"][0].Mean = math.NaN()
	if worst, _, _ := (Beside{}).Worst(known, besideTable(), besideTable()); !math.IsNaN(worst) {
		t.Errorf("%v, want NaN", worst)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		12345.6: "12346", 12.34: "12.3", 1.5: "1.5", 0.1234: "0.123", 0: "0", -3: "-3", math.Inf(1): "∞", math.Inf(-1): "−∞",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if got := Number(math.NaN()); got != "–" {
		t.Errorf("NaN is written %q", got)
	}
}
