// Command prog runs one small experiment, and prints what became of it as JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/mine/lib"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/toy"
)

// own is a learner of the program's own.
type own struct{ toy.Learner }

func (o own) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	o.Period = 4 // edit: own
	if text := os.Getenv("PERIOD"); text != "" {
		o.Period, _ = strconv.Atoi(text)
	}
	return o.Learner.Open(p, horizon)
}

func main() {
	keep := flag.String("keep", "", "cache, checkpoint, records, shards or merge")
	place := flag.String("place", "", "where")
	kind := flag.String("kind", "toy", "toy, closure, own or mine")
	period := flag.Int("period", 2, "a field")
	gap := flag.Float64("gap", 1, "an environment's parameter")
	data := flag.String("data", "", "a file of numbers")
	variable := flag.String("variable", "", "the environment's variable PERIOD")
	shard := flag.String("shard", "0/2", "the shard")
	e := &simulate.Experiment{Name: "stale", Horizon: 12, Trials: 4, Grid: []int{12}}
	flag.StringVar(&e.Fingerprint, "fingerprint", "", "the experiment's")
	flag.Parse()
	os.Setenv("PERIOD", *variable)

	world := toy.World{Gap: *gap}
	if *data != "" {
		text, err := os.ReadFile(*data)
		if err != nil {
			panic(err)
		}
		for _, field := range strings.Fields(string(text)) {
			x, _ := strconv.ParseFloat(field, 64)
			world.Data = append(world.Data, x)
		}
	}
	e.Environment = world
	learner := map[string]bandit.Learner{
		"toy":     toy.Learner{Period: *period},
		"closure": toy.Learner{Hook: func() int { return 5 }}, // edit: closure
		"own":     own{},
		"mine":    lib.Learner{},
	}[*kind]
	e.Policies = []simulate.Policy{{Name: "learner", Learner: learner}}
	var options simulate.Options
	switch *keep {
	case "cache":
		e.Cache = *place
	case "checkpoint":
		e.Checkpoint = *place
	case "records":
		e.Records = *place
	case "shards":
		e.Records = *place
		options.Shard.Set(*shard)
	}

	out := struct {
		Restored       int
		Values         []float64
		Error, Warning string
		Version        string
	}{Version: simulate.Version()}
	r, err := run(e, options, *keep, *place)
	if err != nil {
		out.Error = err.Error()
	}
	if r != nil {
		out.Restored = r.Provenance.Restored
		for _, regret := range r.Policies[0].Regret {
			out.Values = append(out.Values, regret[0])
		}
		for _, w := range r.Policies[0].Warnings {
			out.Warning += w.What
		}
	}
	json.NewEncoder(os.Stdout).Encode(out)
}

func run(e *simulate.Experiment, options simulate.Options, keep, place string) (*simulate.Result, error) {
	if keep == "merge" {
		p, err := e.Prepare()
		if err != nil {
			return nil, err
		}
		records, _, err := p.ReadStore(place)
		if err != nil {
			return nil, err
		}
		return p.Reduce(records)
	}
	results, err := simulate.RunAll(context.Background(), []*simulate.Experiment{e}, options)
	if results == nil {
		return nil, err
	}
	return results[0], err
}
