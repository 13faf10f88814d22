package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Sweep is an entry of a catalogue at each combination of values.
type Sweep struct {
	// Args is what Parse makes the same sweep of, whatever the catalogue's defaults are by then: the
	// entry's name and all its parameters.
	Args   []string
	Points []Point
	entry  *Entry
}

// Point is an experiment at one combination of values. Its Name tells the values that vary, and its
// Fingerprint all of them.
type Point struct {
	Values Values
	*simulate.Experiment
}

// mostPoints bounds the experiments of a sweep.
const mostPoints = 10_000

// Parse makes a sweep of "NAME parameter=value[,value...]...", a word each. A parameter that is not
// given has its default.
func (c Catalogue) Parse(args []string) (*Sweep, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, errors.New("sweep: no experiment is named")
	}
	entry, err := c.named(args[0])
	if err != nil {
		return nil, err
	}
	s := &Sweep{entry: entry}
	if err := s.parse(args[1:]); err != nil {
		return nil, fmt.Errorf("sweep: experiment %q: %w", entry.Name, err)
	}
	return s, nil
}

func (s *Sweep) parse(args []string) error {
	given := make(map[string]string)
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("argument %q, want parameter=value", arg)
		}
		if _, twice := given[name]; twice {
			return fmt.Errorf("parameter %q is given twice", name)
		}
		given[name] = value
	}
	lists := make([][]float64, len(s.entry.Parameters))
	combinations := 1
	for i, p := range s.entry.Parameters {
		lists[i] = []float64{p.Default}
		if text, ok := given[p.Name]; ok {
			var err error
			if lists[i], err = p.parse(text); err != nil {
				return err
			}
			delete(given, p.Name)
		}
		if combinations *= len(lists[i]); combinations > mostPoints {
			return fmt.Errorf("more than %d combinations of values", mostPoints)
		}
	}
	replace, err := parseCommon(given)
	if err != nil {
		return err
	}
	if err := s.combine(lists, nil, replace); err != nil {
		return err
	}
	s.Args = []string{s.entry.Name}
	for i, p := range s.entry.Parameters {
		s.Args = append(s.Args, p.Name+"="+join(lists[i]))
	}
	for _, name := range []string{trials, seed} {
		if text, ok := given[name]; ok {
			s.Args = append(s.Args, name+"="+text)
		}
	}
	return nil
}

// parse reads the values of a parameter.
func (p *Parameter) parse(text string) (list []float64, err error) {
	if text == "" {
		return nil, fmt.Errorf("parameter %s has no value: the sweep is empty", p.Name)
	}
	for word := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("parameter %s = %q, want a number", p.Name, word)
		}
		if err := p.check(x); err != nil {
			return nil, err
		}
		if slices.Contains(list, x) {
			return nil, fmt.Errorf("parameter %s = %v comes twice", p.Name, x)
		}
		list = append(list, x)
	}
	return list, nil
}

// parseCommon reads the parameters that all entries have, and returns what they change.
func parseCommon(given map[string]string) (replace func(*simulate.Experiment), err error) {
	replace = func(*simulate.Experiment) {}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, before := given[name], replace
		switch name {
		case trials:
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("parameter trials = %q, want a whole number >= 1", text)
			}
			replace = func(e *simulate.Experiment) { before(e); e.Trials = n }
		case seed:
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("parameter seed = %q, want a whole number in [0, 2^64)", text)
			}
			replace = func(e *simulate.Experiment) { before(e); e.Seed = n }
		default:
			return nil, fmt.Errorf("unknown parameter %q", name)
		}
	}
	return replace, nil
}

// combine adds the points whose first parameters have the values chosen, the last one varying
// fastest.
func (s *Sweep) combine(lists [][]float64, chosen []float64, replace func(*simulate.Experiment)) error {
	if n := len(chosen); n < len(lists) {
		for _, x := range lists[n] {
			if err := s.combine(lists, append(chosen[:n:n], x), replace); err != nil {
				return err
			}
		}
		return nil
	}
	values, all, varying := make(Values), "", ""
	for i, p := range s.entry.Parameters {
		values[p.Name] = chosen[i]
		word := " " + p.Name + "=" + format(chosen[i])
		all += word
		if len(lists[i]) > 1 {
			varying += word
		}
	}
	experiments, err := s.entry.New(maps.Clone(values))
	if err != nil {
		return fmt.Errorf("at%s: %w", all, err)
	}
	for _, e := range experiments {
		if e == nil {
			return fmt.Errorf("at%s: an experiment is nil", all)
		}
		replace(e)
		e.Name += varying
		e.Fingerprint = strings.TrimSpace(e.Fingerprint + all)
		if slices.ContainsFunc(s.Points, func(p Point) bool { return p.Name == e.Name }) {
			return fmt.Errorf("two experiments have the name %q", e.Name)
		}
		if s.Points = append(s.Points, Point{values, e}); len(s.Points) > mostPoints {
			return fmt.Errorf("more than %d experiments", mostPoints)
		}
	}
	if len(experiments) == 0 {
		return fmt.Errorf("at%s: there is no experiment: the sweep is empty", all)
	}
	return nil
}

func join(list []float64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = format(x)
	}
	return strings.Join(words, ",")
}
