package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
)

func auditCommand() command {
	return command{
		name: "audit", what: "attacks on every mechanism and learner, and on broken ones", usage: "[-scale SCALE]",
		about: `
Attacks the toolkit's mechanisms and learners, and fixtures with known bugs, and
prints the epsilon that each claims, the largest one that the evidence excludes,
and the exact one where a formula has it.

The status is 1 unless every broken fixture is caught and no sound claim is
excluded.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			scale := scaleFlag(flags, "how many runs")
			run := whileFlag(flags)
			return func(to console) error {
				return run(func(ctx context.Context) error { return attack(ctx, cell.Scale(*scale), to) })
			}
		},
	}
}

// attack runs the suite and prints its report.
func attack(ctx context.Context, s cell.Scale, to console) error {
	report, err := cell.Pick(s, suite.Quick, suite.Usual, suite.Thorough).Attack(ctx, func(s audit.Status) {
		if s.Finished {
			fmt.Fprintln(to.err, s)
		}
	})
	if err != nil {
		return err
	}
	return show(report, to)
}

// show prints a report, and returns an error if the suite wants another.
func show(report suite.Report, to console) error {
	if _, err := fmt.Fprintf(to.out, "\n%s\n%s\n%s\n", table(report).Text(), behind(report).Text(), report.Summary()); err != nil {
		return err
	}
	if !report.OK() {
		return errors.New("the suite wants every broken fixture caught and no sound claim excluded")
	}
	return nil
}

// table lays out claimed, audited and exact epsilon.
func table(r suite.Report) *charts.Table {
	t := charts.Findings(r.Broken, r.Sound)
	t.Caption = fmt.Sprintf("%s. Confidence %.4g%%: for each of the broken, and over all of the sound together. %s", r.Summary(), 100*suite.Options.Confidence, t.Caption)
	return t
}

// behind lays out the subjects of which no attack finds most of what they prove.
func behind(r suite.Report) *charts.Table {
	t := charts.NewTable("subject", "proved ε", "audited ε", "share", "to be seen")
	t.Align = "lrrrr"
	all := r.Standings()
	for _, s := range all {
		if s.Share() >= s.Wanted() {
			continue
		}
		seen := "–"
		if s.AtMost > 0 {
			seen = "≤ " + charts.Number(s.AtMost)
		}
		t.Add(s.Subject, charts.Number(s.Best.Claim.Epsilon), charts.Number(s.Best.Epsilon), charts.Number(s.Share()), seen)
	}
	t.Caption = fmt.Sprintf("Less than %v of what is proved is found of %d of %d subjects. To be seen: the most that these attacks can find", suite.Standing{}.Wanted(), len(t.Rows), len(all))
	return t
}
