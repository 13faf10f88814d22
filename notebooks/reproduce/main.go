// Reproduce runs one figure or table of a paper and prints its numbers beside the paper's, with
// standard errors. Without -figure it lists what there is. A run that is interrupted goes on where
// it was when it is started again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/catalogue"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func main() {
	figure := flag.String("figure", "", "the figure or table to reproduce, such as jdp-fig4")
	scale := flag.String("scale", string(cell.Lecture), "smoke, lecture or paper")
	out := flag.String("out", "", "write the table to this CSV file, too")
	while := flag.String("while", "", "stop when this file is gone, or the process whose id it holds is not the parent")
	flag.Parse()
	err := simulate.UntilStopped(*while, func(ctx context.Context) error { return reproduce(ctx, *figure, *scale, *out) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "reproduce:", err)
		os.Exit(1)
	}
}

func reproduce(ctx context.Context, figure, scale, out string) error {
	if figure == "" {
		for _, f := range catalogue.Figures {
			if _, err := fmt.Printf("%-12s %s\n", f.Name, f.What); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := catalogue.Figures.Named(figure)
	if err != nil {
		return err
	}
	s, err := cell.ParseScale(scale)
	if err != nil {
		return err
	}
	var file *os.File
	if out != "" { // before the work: a place that cannot be written to is known now
		if file, err = os.OpenFile(out, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
			return err
		}
		defer file.Close()
	}
	table, err := f.Reproduce(ctx, s, simulate.NewTerminal(os.Stderr))
	if table == nil {
		return err
	}
	if _, e := fmt.Printf("%s: %s\n\n%s\n", f.Name, f.What, table.Text()); e != nil {
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
