package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/internal/mutant"
)

func mutantsCommand() command {
	return command{
		name: "mutants", what: "noise broken in one place at a time: a test has to notice", usage: "[FLAGS]",
		about: `
Breaks the noise of every mechanism and learner, in one place at a time, and
runs the tests that should notice. It wants a checkout and Go. It prints what
nothing caught, and last "mutants: N made, M survive". The status is 1 unless
none does.

For every draw the noise is halved, left out once, or used twice; for every
sensitivity, the number is halved where plan and noise are made of it. A test
counts if it passes, unmutated, with ten other seeds. The ledger is silenced,
and tests of golden numbers do not count.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			scale := scaleFlag(flags, "at smoke, a sample of the mutations, and short tests; else all")
			only := flags.String("only", "", "make only mutations whose file, function or kind matches this regular\n`expression`")
			keep := flags.String("keep", "", "keep programs and what tests reach in this `directory`, and use what it has")
			in := flags.String("in", "", "run the tests of these `packages` alone, such as pkg/mechanism,pkg/online")
			workers := flags.Int("workers", runtime.NumCPU(), "how many tests to run at a time")
			run := whileFlag(flags)
			return func(to console) error {
				return run(func(ctx context.Context) error {
					return mutate(ctx, cell.Scale(*scale), *only, *in, *keep, *workers, to)
				})
			}
		},
	}
}

// mutate makes the mutations and prints the survivors.
func mutate(ctx context.Context, s cell.Scale, only, in, keep string, workers int, to console) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return misuse("-only: %w", err)
	}
	root, err := checkout()
	if err != nil {
		return err
	}
	dir := keep
	if keep == "" {
		if dir, err = os.MkdirTemp("", "mutants"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	module, err := mutant.Read(ctx, root)
	if err != nil {
		return err
	}
	r := mutant.Run{Only: pattern, Workers: workers, Limit: 10 * time.Minute,
		Log: func(format string, args ...any) { fmt.Fprintf(to.err, format+"\n", args...) }}
	if s == cell.Smoke {
		r.Every, r.Seeds = 23, 2
		r.In, r.Then = []string{"pkg/privacy/privacytest"}, []string{
			"pkg/mechanism", "pkg/mechanism/continual", "pkg/mechanism/tally", "pkg/mechanism/episodes", "pkg/online",
			"pkg/learner", "pkg/learner/linear", "pkg/learner/local", "pkg/learner/slots", "pkg/learner/sparse",
		}
	}
	if in != "" {
		r.In = strings.Split(in, ",")
	}
	results, err := r.Do(ctx, module, dir)
	if err != nil {
		return err
	}
	survivors := module.Survivors(results)
	for _, line := range survivors {
		fmt.Fprintln(to.out, line)
	}
	fmt.Fprintf(to.out, "mutants: %d made, %d survive\n", len(results), len(survivors))
	if len(survivors) > 0 {
		return fmt.Errorf("%d of %d mutations are noticed by no test", len(survivors), len(results))
	}
	return nil
}
