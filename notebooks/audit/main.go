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

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func main() {
	scale := flag.String("scale", string(cell.Lecture), "smoke, lecture or paper: how many runs")
	while := flag.String("while", "", "stop when this file is gone, or the process whose id it holds is not the parent")
	flag.Parse()
	err := simulate.UntilStopped(*while, func(ctx context.Context) error { return run(ctx, *scale) })
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
	report, err := suite.Run(ctx, cell.Pick(s, suite.Quick, suite.Usual, suite.Thorough), audit.ProgressFunc(func(s audit.Status) {
		if s.Finished {
			fmt.Fprintln(os.Stderr, s)
		}
	}))
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("\n%s\n%s\n%s\n", table(report).Text(), behind(report).Text(), report.Summary()); err != nil {
		return err
	}
	if !report.OK() {
		return fmt.Errorf("the suite wants every broken fixture caught and no sound claim excluded")
	}
	return nil
}

// table lays out claimed, audited and exact epsilon.
func table(r suite.Report) *charts.Table {
	t := charts.Findings(r.Broken, r.Sound)
	t.Caption = fmt.Sprintf("%s. Confidence %.4g%%: for each of the broken, and over all of the sound together. %s", r.Summary(), 100*suite.Confidence, t.Caption)
	return t
}

// behind lays out the subjects of which no attack finds most of what they prove.
func behind(r suite.Report) *charts.Table {
	t := charts.NewTable("subject", "proved ε", "audited ε", "share", "to be seen")
	t.Align = "lrrrr"
	all := r.Standings()
	for _, s := range all {
		if s.Share() >= suite.Share {
			continue
		}
		seen := "–"
		if s.AtMost > 0 {
			seen = "≤ " + charts.Number(s.AtMost)
		}
		t.Add(s.Subject, charts.Number(s.Best.Claim.Epsilon), charts.Number(s.Best.Epsilon), charts.Number(s.Share()), seen)
	}
	t.Caption = fmt.Sprintf("Less than %v of what is proved is found of %d of %d subjects. To be seen: the most that these attacks can find", suite.Share, len(t.Rows), len(all))
	return t
}
