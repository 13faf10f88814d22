// Reproduce runs one figure or table of a paper and prints its numbers beside the paper's, with standard
// errors. Without -figure it lists what there is. A run that is interrupted goes on where it was when it is started again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/dpbandits/dpbandits/notebooks/papers"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func main() {
	figure := flag.String("figure", "", "the figure or table to reproduce, such as jdp-fig4")
	scale := flag.String("scale", string(papers.Lecture), "smoke, lecture or paper")
	out := flag.String("out", "", "write the table to this CSV file, too")
	flag.Parse()
	if *figure == "" {
		for _, f := range papers.Figures {
			fmt.Printf("%-12s %s\n", f.Name, f.What)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := reproduce(ctx, *figure, *scale, *out); err != nil {
		fmt.Fprintln(os.Stderr, "reproduce:", err)
		os.Exit(1)
	}
}

func reproduce(ctx context.Context, figure, scale, out string) error {
	f, err := papers.FigureByName(figure)
	if err != nil {
		return err
	}
	s, err := papers.ParseScale(scale)
	if err != nil {
		return err
	}
	table, err := f.Reproduce(ctx, s, simulate.NewTerminal(os.Stderr))
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n\n%s\n", f.Name, f.What, table.Text())
	if out == "" {
		return nil
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := papers.WriteCSV(file, table); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
