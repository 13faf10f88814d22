// Package sweep makes a command that runs experiments on several machines at once: as a Slurm
// array, as an Indexed Job of Kubernetes, or by hand. It wants a directory that all of them can
// write to.
//
// A program lists its experiments in a [Catalogue] and calls [Main]:
//
//	func main() {
//		sweep.Main(sweep.Catalogue{{
//			Name:       "coins",
//			Doc:        "regret of DP-UCB on two coins",
//			Parameters: []sweep.Parameter{{Name: "epsilon", Default: 1, Min: 0.01, Max: 10}},
//			New:        coins, // func(v sweep.Values) ([]*simulate.Experiment, error)
//		}})
//	}
//
// Each machine runs its share of the trials, and one of them prints the table:
//
//	./thesis -shard 0/3 -out results coins epsilon=0.1,1,10 trials=200
//	./thesis -shard 1/3 -out results coins epsilon=0.1,1,10 trials=200
//	./thesis -shard 2/3 -out results coins epsilon=0.1,1,10 trials=200
//	./thesis merge results >coins.csv
//
// A finished trial is a file. A shard that is killed and started again, with any number of shards,
// plays only trials without one. The table has the bytes of one that is computed at one go.
//
// Build the program once, and merge with the same file: records of two builds do not mix. An
// experiment with closures, or with types of the program's own, wants a Fingerprint. For Slurm and
// Kubernetes there are docker/sweep.slurm and docker/sweep.yaml.
//
// An engine of your own takes [Catalogue.Parse], simulate.Prepared and [Sweep.WriteCSV].
package sweep

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Catalogue lists experiments by name.
type Catalogue []Entry

// Entry is an experiment, or several that belong together, with parameters.
type Entry struct {
	Name       string // of letters, digits, "-", "_" and "."
	Doc        string // a line for the list of experiments
	Parameters []Parameter
	// New makes the experiments at some values; most often it is one. Their names must differ. Equal
	// values must give equal experiments.
	New func(v Values) ([]*simulate.Experiment, error)
}

// Parameter is a number that an experiment depends on. Each entry also has the parameters "trials"
// and "seed", which replace those of its experiments.
type Parameter struct {
	Name     string // as an Entry's
	Doc      string // a line
	Default  float64
	Min, Max float64 // of the range, itself included; the infinities are possible
	Whole    bool    // no fractions
}

// Values holds a value for each parameter of an entry.
type Values map[string]float64

// Int returns the value of a parameter that is Whole.
func (v Values) Int(name string) int { return int(v[name]) }

// The names that all entries have for something else.
const (
	merge  = "merge"
	trials = "trials"
	seed   = "seed"
)

var plainName = regexp.MustCompile(`^[\pL\pN_.-]+$`)

// Validate refuses an empty catalogue, names that are not plain or come twice, and a Default
// outside the range.
func (c Catalogue) Validate() error {
	if len(c) == 0 {
		return errors.New("sweep: the catalogue is empty")
	}
	seen := map[string]bool{merge: true}
	for _, e := range c {
		if !plainName.MatchString(e.Name) {
			return fmt.Errorf("sweep: experiment %q: want a name of letters, digits, -, _ and .", e.Name)
		}
		if seen[e.Name] {
			return fmt.Errorf("sweep: experiment %q: the name is taken", e.Name)
		}
		seen[e.Name] = true
		if err := e.validate(); err != nil {
			return fmt.Errorf("sweep: experiment %q: %w", e.Name, err)
		}
	}
	return nil
}

func (e *Entry) validate() error {
	if e.New == nil {
		return errors.New("field New is nil")
	}
	seen := map[string]bool{trials: true, seed: true}
	for _, p := range e.Parameters {
		if !plainName.MatchString(p.Name) {
			return fmt.Errorf("parameter %q: want a name of letters, digits, -, _ and .", p.Name)
		}
		if seen[p.Name] {
			return fmt.Errorf("parameter %q: the name is taken", p.Name)
		}
		seen[p.Name] = true
		if err := p.check(p.Default); err != nil {
			return fmt.Errorf("%w: its default", err)
		}
	}
	return nil
}

// named returns the entry of that name.
func (c Catalogue) named(name string) (*Entry, error) {
	for i := range c {
		if c[i].Name == name {
			return &c[i], nil
		}
	}
	names := ""
	for _, e := range c {
		names += " " + e.Name
	}
	return nil, fmt.Errorf("sweep: unknown experiment %q, want one of:%s", name, names)
}

// check refuses a value outside the range.
func (p *Parameter) check(x float64) error {
	if !(x >= p.Min && x <= p.Max) {
		return fmt.Errorf("parameter %s = %v, want in [%v, %v]", p.Name, x, p.Min, p.Max)
	}
	if p.Whole && x != math.Trunc(x) {
		return fmt.Errorf("parameter %s = %v, want a whole number", p.Name, x)
	}
	return nil
}

func format(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
