package main

import (
	"embed"
	"flag"
	"fmt"
	"path"
	"slices"
	"strings"
)

// scripts holds the completion of each shell. A script asks dpbandits complete.
//
//go:embed completion
var scripts embed.FS

// shells lists the shells that have a script.
func shells() []string { return []string{"bash", "fish", "zsh"} }

func completionCommand() command {
	return command{
		name: "completion", what: "a script that completes command lines, for bash, fish or zsh", usage: "bash|fish|zsh",
		about: `
Prints a script for the shell. To have completion in every new shell, add to

  ~/.bashrc                      source <(dpbandits completion bash)
  ~/.zshrc, after compinit       source <(dpbandits completion zsh)
  ~/.config/fish/config.fish     dpbandits completion fish | source

It completes commands, flags, the numbers of a release, the names of figures and
of sweeps, and files.
`,
		operands: shells,
		open: func(flags *flag.FlagSet) func(console) error {
			return func(to console) error {
				if flags.NArg() != 1 || !slices.Contains(shells(), flags.Arg(0)) {
					return misuse("%q, want one of %s", flags.Args(), strings.Join(shells(), ", "))
				}
				script, err := scripts.ReadFile(path.Join("completion", flags.Arg(0)))
				if err != nil {
					return err
				}
				_, err = to.out.Write(script)
				return err
			}
		},
	}
}

// completeCommand is what the scripts call: with the words of a command line up to the one to be
// completed, it prints the candidates for that one, a line each. None are printed where a file may
// stand.
func completeCommand() command {
	return command{
		name: "complete", usage: "-- WORD...", operands: func() []string { return nil },
		open: func(flags *flag.FlagSet) func(console) error {
			return func(to console) error {
				for _, candidate := range complete(flags.Args()) {
					fmt.Fprintln(to.out, candidate)
				}
				return nil
			}
		},
	}
}

// completer is a flag's value that completion knows.
type completer interface {
	complete(word string) (candidates []string) // whole words
}

// complete returns the words that the last one may become.
func complete(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	word := words[len(words)-1]
	candidates := listed()
	if len(words) > 1 {
		c, err := named(words[0])
		if err != nil {
			return nil
		}
		candidates = c.complete(words[1:len(words)-1], word)
	}
	return slices.DeleteFunc(candidates, func(s string) bool { return !strings.HasPrefix(s, word) })
}

// complete returns candidates for a word after others, whether they begin with it or not.
func (c command) complete(before []string, word string) (candidates []string) {
	flags, _ := c.flags()
	if given, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
		for _, v := range completions(flags.Lookup(strings.TrimLeft(given, "-")), value) {
			candidates = append(candidates, given+"="+v)
		}
		return candidates
	}
	if strings.HasPrefix(word, "-") {
		dashes := "-"
		if strings.HasPrefix(word, "--") {
			dashes = "--"
		}
		flags.VisitAll(func(f *flag.Flag) { candidates = append(candidates, dashes+f.Name) })
		return append(candidates, dashes+"help")
	}
	if len(before) > 0 {
		if last := before[len(before)-1]; strings.HasPrefix(last, "-") {
			if f := flags.Lookup(strings.TrimLeft(last, "-")); f != nil && !isBool(f) {
				return completions(f, word)
			}
		}
	}
	if c.operands != nil {
		return c.operands()
	}
	return nil
}

// completions returns what a flag's value may be.
func completions(f *flag.Flag, word string) []string {
	if f != nil {
		if c, ok := f.Value.(completer); ok {
			return c.complete(word)
		}
	}
	return nil
}

// isBool returns whether a flag takes no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
