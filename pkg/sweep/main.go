package sweep

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Main is the main function of a program that runs a catalogue:
//
//	thesis                                             lists the experiments
//	thesis [flags] EXPERIMENT [parameter=value,...]...  runs one
//	thesis merge DIR                                   prints the table of what ran
//
// The flags are -shard, -out and -workers. Without -out, a run prints its table. Interrupted by a
// signal, it keeps its finished trials. The program exits with status 1 if trials failed or are
// missing; the table then has the others. Status 2 is a mistake in the arguments.
func Main(c Catalogue) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command(ctx, c, os.Args, os.Stdout, os.Stderr))
}

// command is Main, with its surroundings as arguments. It returns the exit status.
func command(ctx context.Context, c Catalogue, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(filepath.Base(args[0]), flag.ContinueOnError)
	flags.SetOutput(stderr)
	run := c.Command(flags)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: %[1]s [flags] EXPERIMENT [parameter=value[,value...]...]\n       %[1]s merge DIR\n", flags.Name())
		flags.PrintDefaults()
	}
	if flags.Parse(args[1:]) != nil {
		return misused // Parse has said why
	}
	err := run(ctx, stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if errors.As(err, new(*Misuse)) {
		return misused
	}
	return failed
}

// The exit statuses of a program that did not succeed.
const (
	failed  = 1
	misused = 2
)

// Misuse is an error in the arguments of a program, for which Main exits with status 2.
type Misuse struct{ Err error }

func (m *Misuse) Error() string { return m.Err.Error() }

// Unwrap returns the error itself.
func (m *Misuse) Unwrap() error { return m.Err }

// Command is Main for a program that does more than this: it declares the flags in a set, and
// returns what carries out the arguments once the set has parsed them. Progress goes to stderr. An
// error in the arguments is a [*Misuse].
func (c Catalogue) Command(flags *flag.FlagSet) (run func(ctx context.Context, stdout, stderr io.Writer) error) {
	part := flags.String("shard", "", "run the part `i/n` of the trials, i in [0, n), such as 0/3")
	dir := flags.String("out", "", "keep finished trials in this `directory`, which all shards share")
	workers := flags.Int("workers", 0, "trials at the same time; 0 means as many as there are cores")
	return func(ctx context.Context, stdout, stderr io.Writer) error {
		switch {
		case flags.NArg() == 0 && flags.NFlag() == 0:
			return c.list(stdout)
		case flags.Arg(0) == merge && (flags.NArg() != 2 || flags.NFlag() > 0):
			return &Misuse{errors.New("sweep: merge wants one directory, and no flags")}
		case flags.Arg(0) == merge:
			return printMerged(c, flags.Arg(1), stdout)
		case *part != "" && *dir == "":
			return &Misuse{errors.New("sweep: a shard wants a directory: -out")}
		}
		options := simulate.Options{Workers: *workers, Progress: simulate.NewTerminal(stderr)}
		if *part != "" {
			var err error
			if err = options.Shard.Set(*part); err != nil {
				return &Misuse{err}
			}
		}
		s, err := c.Parse(flags.Args())
		if err != nil {
			return &Misuse{err}
		}
		results, err := s.Run(ctx, *dir, options)
		if results != nil && *dir == "" {
			err = errors.Join(err, s.WriteCSV(stdout, results))
		}
		return err
	}
}

// printMerged prints the table of a directory.
func printMerged(c Catalogue, dir string, stdout io.Writer) error {
	s, err := c.Open(dir)
	if err != nil {
		return err
	}
	results, err := s.Merge(dir)
	if results == nil {
		return err
	}
	return errors.Join(err, s.WriteCSV(stdout, results))
}

// list prints what there is.
func (c Catalogue) list(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	for _, e := range c {
		if _, err := fmt.Fprintf(w, "%-20s %s\n", e.Name, e.Doc); err != nil {
			return err
		}
		for _, p := range e.Parameters {
			kind := ""
			if p.Whole {
				kind = "whole, "
			}
			if _, err := fmt.Fprintf(w, "    %-16s %s (%sfrom %v to %v, default %v)\n", p.Name, p.Doc, kind, p.Min, p.Max, p.Default); err != nil {
				return err
			}
		}
	}
	return nil
}
