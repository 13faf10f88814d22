package environment

import (
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func iris() *Labelled {
	return &Labelled{
		Features: []float64{3, 4, 0, 1, -0.5, 0.5, 0, 0, 8, -6}, Dim: 2,
		Labels: []int{2, 0, 1, 1, 2}, Classes: 3, Norm: 2,
	}
}

func TestLabelled(t *testing.T) {
	for _, change := range []func(*Labelled){
		func(*Labelled) {},
		func(e *Labelled) { e.InOrder = true },
		func(e *Labelled) { e.Constant = 0.5 },
		func(e *Labelled) { e.Scale = []float64{2, 1e-3} },
		func(e *Labelled) { e.Features, e.Labels = []float64{1, 2}, []int{1} },
	} {
		e := iris()
		change(e)
		bandittest.Environment(t, *e, bandittest.EnvironmentOptions{Seed: 1})
	}
}

// The contexts are blocks of the scaled and shortened features, in the order of the data.
func TestLabelledContexts(t *testing.T) {
	e := iris()
	e.InOrder, e.Constant, e.Scale = true, 0.25, []float64{1, 2}
	if n, err := e.Shortened(); n != 2 || err != nil {
		t.Errorf("%d rows are shortened, want 2; error %v", n, err)
	}
	if p := e.Problem(); p.Dim != 9 || p.Arms != 3 || math.Abs(p.ContextNorm-math.Sqrt(4.0625)) > 1e-15 {
		t.Errorf("problem %+v", p)
	}
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
	var v bandit.View
	y := make([]float64, 3)
	for round := range 10 {
		trial.Next(&v)
		i := round % 5
		x := []float64{e.Features[2*i], e.Features[2*i+1] / 2, 0.25}
		if n := math.Hypot(x[0], x[1]); n > 2 {
			x[0], x[1] = x[0]*2/n, x[1]*2/n
		}
		for a := range 3 {
			for j, got := range v.Row(a) {
				want := 0.0
				if j/3 == a {
					want = x[j%3]
				}
				if math.Abs(got-want) > 1e-15 {
					t.Fatalf("round %d: context of arm %d is %v, want %v in block %d", round+1, a, v.Row(a), x, a)
				}
			}
		}
		trial.Pull(nil, []int{0, 1, 2}, y)
		for a := range 3 {
			want := 0.0
			if a == e.Labels[i] {
				want = 1
			}
			if y[a] != want || trial.Regret([]int{a}) != 1-want {
				t.Fatalf("round %d: arm %d has reward %v and regret %v, want %v and %v", round+1, a, y[a], trial.Regret([]int{a}), want, 1-want)
			}
		}
	}
}

// A random order has each row once a pass, and is uniform: of 6000 trials each of the 6 orders of
// three rows comes 1000 times, to 5 standard deviations (6e-7 for an order; the seed is fixed).
func TestLabelledOrder(t *testing.T) {
	e := Labelled{Features: []float64{1, 2, 3}, Labels: []int{0, 0, 0}, Dim: 1, Classes: 1, Norm: 10}
	var v bandit.View
	counts := map[string]int{}
	for trial := range 6000 {
		game := runtest.Open(t, e).Start(random.New(1, trial, "contexts"))
		for range 2 {
			var order []byte
			for range 3 {
				game.Next(&v)
				order = append(order, "0123"[int(v.X[0])])
			}
			if sorted := slices.Sorted(slices.Values(order)); string(sorted) != "123" {
				t.Fatalf("a pass serves the rows %s", order)
			}
			if v.Round == 6 { // the second pass
				counts[string(order)]++
			}
		}
	}
	if len(counts) != 6 {
		t.Errorf("orders %v, want 6", counts)
	}
	for order, n := range counts {
		if math.Abs(float64(n)-1000) > 5*math.Sqrt(6000*5.0/36) {
			t.Errorf("order %s came %d times of 6000", order, n)
		}
	}
}

func TestLabelledRefuses(t *testing.T) {
	for want, change := range map[string]func(*Labelled){
		"Classes = 0, want >= 1":             func(e *Labelled) { e.Classes = 0 },
		"Labels is empty":                    func(e *Labelled) { e.Labels = nil },
		"Labels[1] = 3, want in [0, Classes": func(e *Labelled) { e.Labels[1] = 3 },
		"Labels[0] = -1":                     func(e *Labelled) { e.Labels[0] = -1 },
		"Dim = 0, want >= 1":                 func(e *Labelled) { e.Dim = 0 },
		"10 numbers, want 5 rows of Dim = 3": func(e *Labelled) { e.Dim = 3 },
		"8 numbers, want 5 rows":             func(e *Labelled) { e.Features = e.Features[:8] },
		"Features[3] = NaN, want finite":     func(e *Labelled) { e.Features[3] = math.NaN() },
		"Norm = 0, want":                     func(e *Labelled) { e.Norm = 0 },
		"Norm = +Inf":                        func(e *Labelled) { e.Norm = math.Inf(1) },
		"Constant = -1":                      func(e *Labelled) { e.Constant = -1 },
		"Scale has 1 numbers":                func(e *Labelled) { e.Scale = []float64{1} },
		"Scale[1] = 0":                       func(e *Labelled) { e.Scale = []float64{1, 0} },
		"GiB of memory":                      func(e *Labelled) { e.Classes = 1 << 20 },
	} {
		e := iris()
		change(e)
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "environment: Labelled: ") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// Shortened refuses what is not valid. Without a dimension, it would not return.
func TestShortenedRefuses(t *testing.T) {
	e := iris()
	e.Dim = 0
	if n, err := e.Shortened(); err == nil || !strings.Contains(err.Error(), "Dim = 0, want >= 1") {
		t.Errorf("%d rows, error %v", n, err)
	}
}

// Four rows of two classes: a learner that always plays class 1 is right in half of the rounds.
func ExampleLabelled() {
	e := Labelled{Features: []float64{0.9, 0.2, 0.7, 0.1}, Labels: []int{1, 0, 1, 0}, Dim: 1, Classes: 2, Norm: 1}
	world, err := e.Open()
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	var v bandit.View
	mistakes := 0.0
	for range 4 {
		trial.Next(&v)
		mistakes += trial.Regret([]int{1})
	}
	fmt.Println(mistakes, "mistakes; the last contexts are", v.Row(0), "and", v.Row(1))
	// Output:
	// 2 mistakes; the last contexts are [0.2 0] and [0 0.2]
}
