// Readme makes what README.md shows: the figure at its top, regret.svg, and its last points,
// regret.csv, from a run of 32 million rounds, well under a minute on two cores; and the table of
// the algorithms, which it attacks, in some minutes.
//
//	go generate ./notebooks/reproduce/readme
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

//go:generate go run . regret.svg regret.csv

const rounds = 1_000_000

var sets = environment.DecisionSets{Dim: 5, Gap: 0.1}

var budget = privacy.Budget{Epsilon: 1, Delta: 1e-6}

// buffered is LinUCB over a streaming factorisation, with the best shift.
var buffered = learner.New(linear.UCB{OptimalShift: true}, continual.BLT{Budget: budget})

// private is LinUCB over a tree of Gaussian noise, with the paper's shift.
func private(c privacy.Calibration) bandit.Learner {
	noise := continual.Gaussian{Budget: budget, Calibration: c}
	return learner.New(linear.UCB{}, continual.Tree{Noise: noise})
}

func main() {
	switch {
	case len(os.Args) == 3 && strings.HasSuffix(os.Args[1], ".svg"):
		drawRegret(os.Args[1], os.Args[2])
	case len(os.Args) == 3:
		if err := writeAlgorithms(os.Args[1], os.Args[2]); err != nil {
			log.Fatal(err)
		}
	default:
		log.Fatal("usage: readme file.svg file.csv, or readme algorithms.csv README.md")
	}
}

// lines lists what the figure compares, the largest regret last.
var lines = []simulate.Policy{
	{Name: "not private", Learner: learner.New(linear.UCB{}, nil)},
	{Name: "private, correlated noise in buffers", Learner: buffered},
	{Name: "private, the paper's tree, accounted exactly", Learner: private(privacy.Sound)},
	{Name: "private, the paper's tree, noise as printed", Learner: private(privacy.AsPublished)},
}

func drawRegret(file, ends string) {
	e := &simulate.Experiment{
		Name: "readme", Environment: sets, Policies: lines,
		Horizon: rounds, Trials: 8, Seed: 2018, Grid: simulate.LogGrid(rounds, 60),
		Progress: simulate.NewTerminal(nil),
	}
	r, err := e.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	curves := r.Curves()
	for i, short := range []string{"not private", "correlated noise", "the paper's tree, exact", "the tree, noise as printed"} {
		curves[i].Policy = short // by the long names, which the streams have, the legend would not fit
	}
	f := charts.Regret("LinUCB, without and with joint differential privacy (ε = 1, δ = 10⁻⁶)", curves)
	f.Height, f.X.Log, f.Y.Log = 420, true, true
	f.X.Range, f.Y.Range = [2]float64{10, rounds}, [2]float64{1, 1e5}
	var svg bytes.Buffer
	if err := charts.WriteSVG(&svg, f); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, svg.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	var last bytes.Buffer
	w := csv.NewWriter(&last)
	w.Write([]string{"policy", "regret", "se", "epsilon"})
	for i, c := range r.Curves() {
		k := len(c.Mean) - 1
		w.Write([]string{c.Policy, fmt.Sprintf("%.0f", c.Mean[k]), fmt.Sprintf("%.0f", c.SE[k]), fmt.Sprintf("%.3g", r.Policies[i].Epsilon())})
	}
	w.Flush()
	if err := os.WriteFile(ends, last.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
