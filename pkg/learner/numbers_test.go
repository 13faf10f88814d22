package learner_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var updateNumbers = flag.Bool("update-numbers", false, "write testdata/numbers.txt")

// TestNumbers hashes the bits of the curves and of the learners' states after 16 trials of all
// families. The hashes are the same on every machine: `make portable` runs this test without
// assembly, without and with fused multiply-add, under WebAssembly and on arm64.
func TestNumbers(t *testing.T) {
	var lines []string
	for _, e := range numbers() {
		lines = append(lines, hashes(t, e)...)
	}
	lines = append(lines, onlineHashes(t)...)
	got := strings.Join(lines, "\n") + "\n"
	const file = "testdata/numbers.txt"
	if *updateNumbers {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	old := strings.Split(strings.TrimSpace(string(want)), "\n")
	differ := 0
	for _, line := range lines {
		if !slices.Contains(old, line) {
			differ++
			t.Errorf("not in %s: %s", file, line)
		}
	}
	t.Errorf("%d of %d hashes differ; the file has %d", differ, len(lines), len(old))
}

// numbers are experiments with every environment and every learner.
func numbers() []*simulate.Experiment {
	type makers map[string]bandit.Learner
	experiment := func(name string, environment bandit.Environment, policies makers) *simulate.Experiment {
		e := &simulate.Experiment{Name: name, Environment: environment, Horizon: 150, Trials: 16, Seed: 7, Workers: 1}
		for name, l := range policies {
			e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
		}
		slices.SortFunc(e.Policies, func(a, b simulate.Policy) int { return strings.Compare(a.Name, b.Name) })
		return e
	}
	joint := makers{
		"optimal shift": learner.New(linear.UCB{OptimalShift: true}, gaussianTree()),
		"rho_min":       learner.New(linear.UCB{RhoMin: 3, Alpha: 0.01, Sigma: 2, ThetaNorm: 3}, nil),
		"metered":       learner.Metered{Learner: learner.New(linear.UCB{}, gaussianTree()), Budget: privacy.Budget{Epsilon: 0.5, Delta: whole.Delta}, Freeze: true},
		"randomised":    learner.RandomisedAction{Learner: learner.New(linear.UCB{}, nil), Epsilon: 1},
	}
	for name, s := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		joint[name] = learner.New(linear.UCB{}, s)
	}
	local := makers{}
	for _, all := range []map[string]learner.Local{locals(learnertest.Strict), learnertest.Shuffles(privacy.Budget{Epsilon: 10, Delta: 0.1}), learnertest.Combiners()} {
		for name, l := range all {
			for local[name] != nil {
				name += "'"
			}
			local[name] = l
		}
	}
	few := makers{"exact": joint["exact"], "blt": joint["blt"], "wishart": joint["tree/wishart/Sound"], "tree": learner.New(linear.UCB{}, gaussianTree())}
	maps := func(m matroid.Matroid) makers {
		all := makers{
			"gaussian": learner.New(slots.OMM{Matroid: m}, tally.Blocks{Budget: learnertest.Budget}),
		}
		for _, s := range learnertest.SemiBandits {
			all["all/"+s.Name] = s.Make(m)
		}
		return all
	}
	uniform := environment.SemiBandit{Matroid: expect.Must(matroid.NewUniform(5, 1)), Means: []float64{0.1, 0.9, 0.3, 0.2, 0}, Sigma: 0.5}
	rated := make([][]bool, 40)
	r := random.New(1, 0, "rated")
	for i := range rated {
		rated[i] = make([]bool, 5)
		for j := range rated[i] {
			rated[i][j] = r.IntN(j+2) == 0
		}
	}
	ratings := environment.Ratings{Rated: rated, Matroid: expect.Must(matroid.NewUniform(5, 2))}
	design := func(d environment.Design, correlation float64) bandit.Environment {
		return environment.Sparse{Arms: 4, Dim: 30, Leading: true, Design: d, Correlation: correlation}
	}
	return []*simulate.Experiment{
		experiment("sparse", design(environment.Independent, 0), learnertest.HighDimensional()),
		experiment("sparse AR(1)", design(environment.Autoregressive, 0.5), learnertest.HighDimensional()),
		experiment("sparse equi-correlated", design(environment.Equicorrelated, 0.5), learnertest.HighDimensional()),
		experiment("sparse spherical", design(environment.Spherical, 0), learnertest.HighDimensional()),
		experiment("decision sets", environment.DecisionSets{Dim: 4, Arms: 12, Gap: 0.1}, joint),
		experiment("fixed", environment.DecisionSets{Dim: 12, Arms: 5, Reward: environment.Gaussian, Fixed: true}, few),
		experiment("two contexts", environment.TwoContexts{Dim: 3}, few),
		experiment("unit features", environment.UnitFeatures{Dim: 4, Arms: 12}, local),
		experiment("table", learnertest.Table2(), maps(learnertest.Table2().Matroid)),
		experiment("films", learnertest.Films(), maps(learnertest.Films().Matroid)),
		experiment("uniform", uniform, maps(expect.Must(matroid.NewUniform(5, 1)))),
		experiment("ratings", ratings, maps(expect.Must(matroid.NewUniform(5, 2)))),
	}
}

// hashes runs an experiment and returns a line for each policy.
func hashes(t *testing.T, e *simulate.Experiment) []string {
	t.Helper()
	made := make([][]bandit.Run, len(e.Policies))
	for i, p := range e.Policies {
		e.Policies[i].Learner = learnertest.Keep(p.Learner, &made[i])
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	var lines []string
	for i, p := range e.Policies {
		curve, err := r.Curve(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		mean, se, state := hash64(curve.Mean), hash64(curve.SE), hash64(made[i])
		lines = append(lines, fmt.Sprintf("%s/%s %016x %016x %016x", e.Name, p.Name, mean, se, state))
	}
	return lines
}

// onlineHashes hashes the learners of package online after 300 losses.
func onlineHashes(t *testing.T) (lines []string) {
	t.Helper()
	for _, l := range []online.Learner{
		online.OGD{Radius: 1, Gradient: 1}, online.ONS{Radius: 1, Gradient: 1, ExpConcave: 0.3},
		online.Maler{Radius: 1, Gradient: 1}, online.MetaGrad{Radius: 1, Gradient: 1},
	} {
		ready, err := l.Open(5, 300)
		if err != nil {
			t.Fatal(err)
		}
		run := ready.Start(nil, nil)
		r, g := random.New(3, 0, "losses"), make([]float64, 5)
		for range 300 {
			random.Sphere(r, g)
			for i, z := range run.Predict() {
				g[i] = (g[i] + z) / 2
			}
			if err := run.Update(g); err != nil {
				t.Fatal(err)
			}
		}
		lines = append(lines, fmt.Sprintf("%T %016x", l, hash64(run)))
	}
	return lines
}

// hash64 hashes the bits of all floating-point numbers but 0 that a value holds or points to. It
// does not depend on their order, so that it outlives a field that moves. It leaves out the stream
// that the noise of a factorisation comes from, where it would find the ledger of the trial, and an
// optimist, which has work space alone: its choices are determined by the ellipsoid and the view.
func hash64(v any) uint64 {
	sum := uint64(0)
	seen := map[uintptr]bool{}
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64, reflect.Float32:
			if f := v.Float(); f != 0 && !math.IsNaN(f) {
				x := math.Float64bits(f) + 0x9e3779b97f4a7c15 // SplitMix64's finaliser
				x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
				x = (x ^ x>>27) * 0x94d049bb133111eb
				sum += x ^ x>>31
			}
		case reflect.Pointer:
			if !v.IsNil() && !seen[v.Pointer()] {
				seen[v.Pointer()] = true
				walk(v.Elem())
			}
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; name != "stream" && name != "optimist" {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(v))
	return sum
}
