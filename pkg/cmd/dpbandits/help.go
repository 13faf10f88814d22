package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"strings"
)

func helpCommand() command {
	return command{
		name: "help", what: "this list, or the help of a command", usage: "[COMMAND]",
		operands: func() []string { return listed() },
		open: func(flags *flag.FlagSet) func(console) error {
			return func(to console) error {
				switch flags.NArg() {
				case 0:
					overview(to.out)
					return nil
				case 1:
					c, err := named(flags.Arg(0))
					if err == nil {
						c.help(to.out)
					}
					return err
				}
				return misuse("%q, want at most one command", flags.Args())
			}
		},
	}
}

// listed returns the names of the commands that the list has.
func listed() (names []string) {
	for _, c := range commands() {
		if c.what != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// overview writes the list of commands.
func overview(w io.Writer) {
	fmt.Fprint(w, "Usage: dpbandits COMMAND [ARGUMENTS]\n\nCommands:\n")
	for _, c := range commands() {
		if c.what != "" {
			fmt.Fprintf(w, "  %-11s %s\n", c.name, c.what)
		}
	}
	fmt.Fprint(w, `
dpbandits help COMMAND describes one of them.

Exit status: 0 for success, 1 for a failure, 2 for wrong arguments. Answers go
to the standard output; progress and errors go to the standard error.
`)
}

// described is a flag's value that says how it is written, and under which heading help has it.
type described interface {
	heading() string // "" for that of most flags
	argument() string
}

// help writes what a command does and what its flags are.
func (c command) help(w io.Writer) {
	fmt.Fprintln(w, strings.TrimSpace("Usage: dpbandits "+c.name+" "+c.usage))
	if c.about != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.about))
	}
	flags, _ := c.flags()
	for _, part := range []string{releaseHeading, ""} {
		title := "\n" + cmp.Or(part, "Flags") + ":\n"
		flags.VisitAll(func(f *flag.Flag) {
			argument, usage := flag.UnquoteUsage(f)
			heading := ""
			if d, ok := f.Value.(described); ok {
				heading, argument = d.heading(), d.argument()
			}
			if heading != part {
				return
			}
			if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
				usage += fmt.Sprintf(" (default %s)", f.DefValue)
			}
			fmt.Fprintf(w, "%s  -%s\n", title, strings.TrimSpace(f.Name+" "+argument))
			fmt.Fprintf(w, "        %s\n", strings.ReplaceAll(usage, "\n", "\n        "))
			title = ""
		})
	}
}
