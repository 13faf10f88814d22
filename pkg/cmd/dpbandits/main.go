// Command dpbandits answers questions about differential privacy from a shell.
//
//	dpbandits account -laplace eps=0.1,times=1000 -gaussian sigma=5,times=200 -delta 1e-6
//
// Run dpbandits help for the list of commands, and dpbandits COMMAND -help for one of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// command is a subcommand. run writes its answer to out and returns an error that says what is
// wrong.
type command struct {
	name, what string
	run        func(args []string, out io.Writer) error
}

func commands() []command {
	return []command{
		{"account", "what a composition of noisy releases costs, by every accountant", account},
		{"version", "what this program was built from", version},
	}
}

// errUsage marks the error for arguments that are wrong. Its exit status is 2, that of others 1.
var errUsage = errors.New("wrong arguments")

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run carries out a command line and returns the exit status.
func run(args []string, out, complaints io.Writer) int {
	if len(args) == 0 {
		usage(complaints)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(out)
		return 0
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		switch err := c.run(args[1:], out); {
		case err == nil || errors.Is(err, flag.ErrHelp):
			return 0
		case errors.Is(err, errUsage):
			fmt.Fprintf(complaints, "dpbandits %s: %v\nRun dpbandits %s -help for its arguments.\n", c.name, err, c.name)
			return 2
		default:
			fmt.Fprintf(complaints, "dpbandits %s: %v\n", c.name, err)
			return 1
		}
	}
	fmt.Fprintf(complaints, "dpbandits: no command is called %q; dpbandits help lists them\n", args[0])
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Usage: dpbandits COMMAND [ARGUMENTS]")
	fmt.Fprintln(w)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.what)
	}
}

// version prints the toolkit's version, Go's, and the module and revision that it was built from.
func version(args []string, out io.Writer) error {
	if len(args) > 0 {
		return fmt.Errorf("%w: %q, want none", errUsage, args)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("the program was built without build information")
	}
	fmt.Fprintf(out, "dpbandits %s, %s\nmodule %s\n", simulate.Release, info.GoVersion, info.Main.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "GOOS", "GOARCH":
			fmt.Fprintf(out, "%s %s\n", s.Key, s.Value)
		}
	}
	return nil
}
