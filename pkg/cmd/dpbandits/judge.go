package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/charts/card"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/external"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func judgeCommand() command {
	return command{
		name: "judge", what: "what a private learner is worth: its report card", usage: "[FLAGS] -learner NAME | [FLAGS] -- PROGRAM [ARGUMENT...]",
		about: `
Plays a learner of the catalogue, or a program in any language that speaks the
protocol of package external, and prints its card: the claim, what attacks
exclude of it, the regret beside what is published at equal proved privacy, how
that grows, what a round costs, and what its author forgot.

A program runs with your rights: judge what you would run. What it does not say
it releases is not attacked, so a wrong claim about that can pass; the card
warns of it. In Python, PYTHONPATH=pkg/external/python/src is enough.

  dpbandits judge -learner DP-IMED -epsilon 0.5
  dpbandits judge -learner all -only attacks,costs
  dpbandits judge -html card.html -- python3 mine.py

The status is 1 if an attack excludes a claim, or a check is not kept.
`,
		operands: func() []string { return nil },
		open: func(flags *flag.FlagSet) func(console) error {
			j := declareJudged(flags)
			run := whileFlag(flags)
			return func(to console) error {
				of, err := j.complete(flags.Args())
				if err != nil {
					return err
				}
				return run(func(ctx context.Context) error { return j.play(ctx, of, to) })
			}
		},
	}
}

// judged holds what the flags of judge say.
type judged struct {
	judge.Options
	scale                 *string
	learner, worlds, html string
	only                  string
	budget                privacy.Budget
	asJSON                bool
	set                   *flag.FlagSet
}

func declareJudged(flags *flag.FlagSet) *judged {
	var names, keys []string
	for _, e := range catalogue.All() {
		names = append(names, e.Name)
	}
	for _, w := range catalogue.Worlds() {
		keys = append(keys, w.Key)
	}
	j := &judged{scale: scaleFlag(flags, "how much is played: under a minute, minutes, or an hour; a\nprogram takes minutes for the first, and far longer for the others"), set: flags}
	*j.scale = string(cell.Smoke)
	flags.Lookup("scale").DefValue = *j.scale
	names = append(names, everyone)
	flags.Var(choice{&j.learner, names, "a learner of the catalogue: " + strings.Join(names, ", ")}, "learner", "a learner of the catalogue, or all of them")
	flags.StringVar(&j.only, "only", "", "`sections` of the card, with commas between, of\n"+strings.Join(judge.Sections(), ", ")+"; all by default")
	flags.Float64Var(&j.budget.Epsilon, "epsilon", 1, "epsilon of -learner, > 0")
	flags.Float64Var(&j.budget.Delta, "delta", 1e-5, "delta of -learner, in [0, 1)")
	flags.StringVar(&j.Name, "name", "", "`name` on the card")
	flags.StringVar(&j.worlds, "worlds", "", "`keys` of the worlds, with commas between, of\n"+strings.Join(keys, ", ")+"; all by default")
	flags.Uint64Var(&j.Seed, "seed", 1, "seed of all streams, >= 1")
	flags.StringVar(&j.Dir, "keep", "", "`directory` that keeps finished trials and attacks, to go on after an interruption")
	flags.StringVar(&j.Version, "version", "", "`version` of the program, which -keep wants; change it with the program")
	flags.StringVar(&j.html, "html", "", "`file` to write the card to, with figures; wants Node and ECharts, as make setup\ninstalls them")
	flags.BoolVar(&j.asJSON, "json", false, "print JSON, an object a card")
	return j
}

// everyone is the name of all learners of the catalogue.
const everyone = "all"

// subject is a learner, and how it is judged.
type subject struct {
	bandit.Learner
	judge.Options
}

// complete checks the flags and returns what is judged, one after another.
func (j *judged) complete(program []string) (of []subject, err error) {
	j.Scale = *j.scale
	if j.Seed == 0 {
		return nil, misuse("-seed 0, want >= 1")
	}
	if err := j.budget.Validate(); err != nil {
		return nil, misuse("-epsilon %v -delta %v: %w", j.budget.Epsilon, j.budget.Delta, err)
	}
	if j.worlds != "" {
		if j.Worlds, err = catalogue.Named(strings.Split(j.worlds, ",")...); err != nil {
			return nil, misuse("-worlds: %w", err)
		}
	}
	if j.only != "" {
		for _, word := range strings.Split(j.only, ",") {
			if !slices.Contains(judge.Sections(), word) {
				return nil, misuse("-only %s, want some of %q", word, judge.Sections())
			}
			j.Only = append(j.Only, word)
		}
	}
	switch {
	case j.learner != "" && len(program) > 0:
		return nil, misuse("-learner %s and the program %q, want one of them", j.learner, program)
	case j.learner == everyone && j.html != "":
		return nil, misuse("-html with -learner %s, want one learner", everyone)
	case j.learner == "" && len(program) == 0:
		return nil, misuse("no learner, want -learner NAME, or -- and a program")
	case j.learner == "":
		var wrong error
		j.set.Visit(func(f *flag.Flag) {
			if f.Name == "epsilon" || f.Name == "delta" {
				wrong = misuse("-%s with a program, which states its own claim; it is for -learner", f.Name)
			}
		})
		if wrong != nil {
			return nil, wrong
		}
		if j.Dir != "" && j.Version == "" {
			return nil, misuse("-keep without -version: name a version of the program, and another one whenever it changes")
		}
		if j.Name == "" {
			j.Name = strings.Join(program, " ")
		}
		return []subject{{external.Program{Command: program, Version: j.Version}, j.Options}}, nil
	}
	for _, e := range catalogue.All() {
		if j.learner != everyone && j.learner != e.Name {
			continue
		}
		o := j.Options
		if o.Name == "" {
			o.Name = e.Name
		}
		if o.Dir != "" && j.learner == everyone {
			o.Dir = filepath.Join(o.Dir, e.Name)
		}
		o.At = func(b privacy.Budget) bandit.Learner { return catalogue.Learner{Name: e.Name, Budget: b} }
		o.Rivals = slices.DeleteFunc(catalogue.Learners(), func(other catalogue.Entry) bool { return other.Name == e.Name })
		of = append(of, subject{o.At(j.budget), o})
	}
	return of, nil
}

// play makes the cards and writes them. What could not be drawn is known before anything is played.
// When it is stopped, it writes the card as far as it is.
func (j *judged) play(ctx context.Context, of []subject, to console) error {
	if j.html != "" {
		if err := charts.WriteHTML(io.Discard, "", &charts.Table{}); err != nil {
			return err
		}
	}
	var faulty []error
	for _, s := range of {
		s.Progress = func(doing string) { fmt.Fprintln(to.err, doing) }
		if len(of) > 1 {
			s.Progress = func(doing string) { fmt.Fprintf(to.err, "%s: %s\n", s.Name, doing) }
		}
		s.Races = simulate.NewTerminal(to.err)
		c, failed := judge.Learner(ctx, s.Learner, s.Options)
		if failed != nil && strings.Contains(failed.Error(), "No module named 'dpbandits_external'") {
			failed = fmt.Errorf("%w; set PYTHONPATH=pkg/external/python/src", failed)
		}
		if failed != nil && ctx.Err() != nil && j.Dir == "" {
			flags := "-keep"
			if j.learner == "" {
				flags += " and -version"
			}
			failed = fmt.Errorf("with %s, it goes on where it was", flags)
		}
		if c == nil {
			return errors.Join(append(faulty, failed)...)
		}
		if err := errors.Join(failed, j.write(c, failed == nil, to)); err != nil {
			return errors.Join(append(faulty, err)...)
		}
		if err := fault(c); err != nil {
			faulty = append(faulty, fmt.Errorf("%s: %w", c.Learner, err))
		}
	}
	return errors.Join(faulty...)
}

// fault returns what a card holds against a learner, nil if nothing.
func fault(c *judge.Card) error {
	if c.False() {
		return errors.New("the claim is false")
	}
	if n := len(slices.DeleteFunc(slices.Clone(c.Checks), func(k judge.Check) bool { return len(k.Failures) == 0 })); n > 0 {
		return fmt.Errorf("%d of %d checks are not kept", n, len(c.Checks))
	}
	return nil
}

// write writes a card, and its figures if it is whole.
func (j *judged) write(c *judge.Card, whole bool, to console) (err error) {
	if j.asJSON {
		err = writeJSON(to.out, c)
	} else {
		_, err = fmt.Fprintln(to.out, c)
	}
	if err != nil || !whole || j.html == "" {
		return err
	}
	var page bytes.Buffer
	if err := charts.WriteHTML(&page, c.Learner, card.Items(c)...); err != nil {
		return err
	}
	return os.WriteFile(j.html, page.Bytes(), 0o666)
}
