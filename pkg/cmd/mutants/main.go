// Mutants breaks the noise of every mechanism and learner, in one place at a time, and runs the
// tests that should notice. It prints which test caught what, then what nothing caught, and last
// "mutants: N made, M survive". It exits with status 1 unless none does.
//
// For every draw the noise is halved, left out once, or used twice; for every sensitivity, the
// number is halved where plan and noise are made of it. A test counts if it passes, unmutated, with
// ten other seeds. The ledger is silenced, and tests of golden numbers do not count.
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

	"github.com/dpbandits/dpbandits/pkg/internal/mutant"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func main() {
	scale := flag.String("scale", string(cell.Lecture), "smoke: a sample and short tests; lecture or paper: all")
	while := flag.String("while", "", "stop when this file is gone, or the process whose id it holds is not the parent")
	only := flag.String("only", "", "make only mutations whose file, function or kind matches this regular expression")
	keep := flag.String("keep", "", "keep programs and what tests reach in this directory, and use what it has")
	in := flag.String("in", "", "run the tests of these packages alone, such as pkg/mechanism,pkg/online")
	workers := flag.Int("workers", runtime.NumCPU(), "how many tests to run at a time")
	flag.Parse()
	err := simulate.UntilStopped(*while, func(ctx context.Context) error { return run(ctx, *scale, *only, *in, *keep, *workers) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, scale, only, in, keep string, workers int) error {
	s, err := cell.ParseScale(scale)
	if err != nil {
		return err
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := cell.Checkout()
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
		Log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	if s == cell.Smoke {
		r.Every, r.Seeds = 23, 2
		r.In, r.Then = []string{"pkg/privacy/privacytest"}, []string{"pkg/mechanism", "pkg/learner", "pkg/online"}
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
		fmt.Println(line)
	}
	fmt.Printf("mutants: %d made, %d survive\n", len(results), len(survivors))
	if len(survivors) > 0 {
		return fmt.Errorf("%d of %d mutations are noticed by no test", len(survivors), len(results))
	}
	return nil
}
