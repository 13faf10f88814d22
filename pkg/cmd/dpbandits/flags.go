package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/cmd/until"
)

// choice is a flag's value that is one of some words, which completion offers.
type choice struct {
	is   *string
	from []string
	want string // what an error says of them; "" takes any word
}

// String returns the word.
func (c choice) String() string {
	if c.is == nil {
		return ""
	}
	return *c.is
}

// Set takes a word.
func (c choice) Set(word string) error {
	if c.want != "" && !slices.Contains(c.from, word) {
		return fmt.Errorf("want %s", c.want)
	}
	*c.is = word
	return nil
}

func (c choice) heading() string { return "" }

// argument lists a few words; of many it says nothing.
func (c choice) argument() string {
	if len(c.from) > 4 {
		return "NAME"
	}
	return strings.Join(c.from, "|")
}

func (c choice) complete(string) []string { return slices.Clone(c.from) }

// scaleFlag declares -scale and returns its value.
func scaleFlag(flags *flag.FlagSet, usage string) *string {
	scale := string(cell.Lecture)
	flags.Var(choice{&scale, []string{string(cell.Smoke), string(cell.Lecture), string(cell.Paper)}, "smoke, lecture or paper"}, "scale", usage)
	return &scale
}

// whileFlag declares -while, and returns what runs work until it ends, or a signal stops it, or the
// make that -while names is gone.
func whileFlag(flags *flag.FlagSet) func(work func(ctx context.Context) error) error {
	while := flags.String("while", "", "stop when this `file` is gone, or the process whose id it holds is not the\nparent; make says this")
	return func(work func(ctx context.Context) error) error { return until.Stopped(*while, work) }
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
