package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/catalogue"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func reproduceCommand() command {
	return command{
		name: "reproduce", what: "a figure or table of a paper: our numbers beside the paper's", usage: "[-figure NAME [-scale SCALE] [-out FILE]]",
		about: `
Runs one figure or table of a paper and prints its numbers beside the paper's,
with standard errors. Without -figure it lists what there is.

  dpbandits reproduce -figure jdp-fig4 -scale paper -out fig4.csv

At the scale paper it wants a checkout, writes the tables into its
notebooks/results/, and goes on where it was if it is started again. Figures of
MovieLens take the data from DPBANDITS_DATA, an absolute path, or fetch them;
where they cannot, they use a synthetic stand-in, and say so.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			var figure string
			names := make([]string, len(catalogue.Figures))
			for i, f := range catalogue.Figures {
				names[i] = f.Name
			}
			flags.Var(choice{is: &figure, from: names}, "figure", "the figure or table, such as jdp-fig4")
			scale := scaleFlag(flags, "how long the runs are, and how many")
			out := flags.String("out", "", "write the table to this CSV `file`, too")
			run := whileFlag(flags)
			return func(to console) error {
				return run(func(ctx context.Context) error { return reproduce(ctx, figure, cell.Scale(*scale), *out, to) })
			}
		},
	}
}

func reproduce(ctx context.Context, figure string, s cell.Scale, out string, to console) error {
	if figure == "" {
		for _, f := range catalogue.Figures {
			if _, err := fmt.Fprintf(to.out, "%-18s %s\n", f.Name, f.What); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := catalogue.Figures.Named(figure)
	if err != nil {
		return misuse("no figure %q; dpbandits reproduce lists them", figure)
	}
	if s == cell.Paper && (f.Experiments != nil || f.Studies != nil) && os.Getenv("DPBANDITS_ROOT") == "" { // tables are written there
		if _, err := checkout(); err != nil {
			return err
		}
	}
	var file *os.File
	if out != "" { // before the work: a place that cannot be written to is known now
		if file, err = os.OpenFile(out, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
			return err
		}
		defer file.Close()
	}
	table, err := f.Reproduce(ctx, s, simulate.NewTerminal(to.err))
	if table == nil {
		return err
	}
	if _, e := fmt.Fprintf(to.out, "%s: %s\n\n%s\n", f.Name, f.What, table.Text()); e != nil {
		err = errors.Join(err, e)
	}
	if file != nil {
		err = errors.Join(err, write(file, table))
	}
	return err
}

// write replaces what the file holds by the table.
func write(file *os.File, table *charts.Table) error {
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := file.Truncate(0); err != nil {
			return err
		}
	}
	return errors.Join(lab.WriteCSV(file, table), file.Close())
}
