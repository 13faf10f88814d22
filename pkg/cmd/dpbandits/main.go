// Command dpbandits answers questions about differential privacy from a shell, and runs what the
// toolkit's papers, sweeps and audits run.
//
//	dpbandits account -laplace eps=0.1,times=1000 -gaussian sigma=5,times=200 -delta 1e-6
//
//	privacy loss distribution    28.1184     at least 28.1183
//	Rényi                        29.6468
//	zCDP                         30.0497
//	…
//
// It prints the epsilon of a composition by every accountant, the tightest first, each rounded up;
// with -json for scripts, with -records 3 for a user with three records. dpbandits help account
// lists the releases it knows: Gaussian, Laplace, their discrete kin, binomial, randomised
// response, exponential, sparse vector, shuffle, and any (epsilon, delta). On 46 compositions its
// bounds agree with dp-accounting's and are at most 0.1% apart.
//
// It prints a learner's report card, too:
//
//	dpbandits judge -learner DP-IMED
//	dpbandits judge -- python3 mine.py
//
// The commands reproduce, sweep and audit run what the make targets of those names run. A checkout
// builds the program by
//
//	go install ./pkg/cmd/dpbandits
//
// It needs no other file, but for lab and mutants, which want the checkout. Where a shell has read
// source <(dpbandits completion bash), it completes all of this; zsh and fish do so as well.
//
// Run dpbandits help for the list of commands, and dpbandits help COMMAND for one of them. An
// answer goes to the standard output; progress and errors go to the standard error. The exit status
// is 0 for success, 1 for a failure (a claim that is excluded is one) and 2 for wrong arguments. No
// command reads the standard input, but for lab, which hands it on.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// command is a subcommand.
type command struct {
	name  string
	what  string // a line of the list of commands; a command without one is not listed
	usage string // its arguments
	about string // its help, in lines of at most 80 letters
	// operands lists the arguments beside the flags that completion offers; nil refuses all of them.
	operands func() []string
	// open declares the flags in a set, and returns what carries the command out once they are parsed.
	open func(flags *flag.FlagSet) (work func(to console) error)
}

// console is where a command writes: its answer to out, progress to err.
type console struct{ out, err io.Writer }

// commands lists all commands.
func commands() []command {
	return []command{
		accountCommand(),
		judgeCommand(),
		reproduceCommand(),
		sweepCommand(),
		auditCommand(),
		mutantsCommand(),
		labCommand(),
		versionCommand(),
		completionCommand(),
		completeCommand(),
		helpCommand(),
	}
}

// named returns the command of that name.
func named(name string) (command, error) {
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
	}
	return command{}, misuse("no command is called %q; dpbandits help lists them", name)
}

// misuse returns an error of the arguments. Its exit status is 2, that of others 1.
func misuse(format string, args ...any) error { return &sweep.Misuse{Err: fmt.Errorf(format, args...)} }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run carries out a command line and returns the exit status.
func run(args []string, out, complaints io.Writer) int {
	if len(args) == 0 {
		overview(complaints)
		return 2
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	c, err := named(name)
	prefix := "dpbandits"
	if err == nil {
		prefix += " " + c.name
		answer := &answer{w: out}
		if err = c.execute(args[1:], console{answer, complaints}); err == nil {
			err = answer.err
		}
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) { // whoever reads has enough, and SIGPIPE is ignored
		return 1
	}
	fmt.Fprintf(complaints, "%s: %s\n", prefix, strings.TrimPrefix(err.Error(), c.name+": "))
	if !errors.As(err, new(*sweep.Misuse)) {
		return 1
	}
	if c.name != "" {
		fmt.Fprintf(complaints, "Run dpbandits help %s for its arguments.\n", c.name)
	}
	return 2
}

// execute parses a command's arguments and carries it out.
func (c command) execute(args []string, to console) error {
	flags, work := c.flags()
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.help(to.out)
		return nil
	case err != nil:
		return misuse("%w", err)
	case flags.NArg() > 0 && c.operands == nil:
		return misuse("%q, want none beside flags", flags.Args())
	}
	return work(to)
}

// flags returns the command's flags, and what carries it out once they are parsed.
func (c command) flags() (*flag.FlagSet, func(to console) error) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run says what is wrong
	return flags, c.open(flags)
}

// answer writes on until something cannot be written, and keeps that error.
type answer struct {
	w   io.Writer
	err error
}

// Write writes p.
func (a *answer) Write(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.w.Write(p)
	a.err = err
	return n, err
}
