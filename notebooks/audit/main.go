// Audit attacks the toolkit's mechanisms and learners, and fixtures with known bugs, and prints
// what it found: the epsilon that each claims, the largest one that the evidence excludes, and the
// exact one where a formula has it. It exits with status 1 unless every broken fixture is caught
// and no sound claim is excluded.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/notebooks/attacks"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/audit"
)

func main() {
	scale := flag.String("scale", string(cell.Lecture), "smoke, lecture or paper: how many runs")
	while := flag.String("while", "", "stop when this file is gone, or the process whose id it holds is not the parent")
	flag.Parse()
	err := lab.UntilStopped(*while, func(ctx context.Context) error { return run(ctx, *scale) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, scale string) error {
	s, err := cell.ParseScale(scale)
	if err != nil {
		return err
	}
	report, err := attacks.Run(ctx, s, audit.ProgressFunc(func(s audit.Status) {
		if s.Finished {
			fmt.Fprintln(os.Stderr, s)
		}
	}))
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("\n%s\n%s\n", report.Table().Text(), report.Summary()); err != nil {
		return err
	}
	if !report.OK() {
		return fmt.Errorf("the suite wants every broken fixture caught and no sound claim excluded")
	}
	return nil
}
