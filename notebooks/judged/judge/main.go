// Judge attacks a public program of private bandits and prints its row of
// notebooks/results/public-programs.csv: what it claims, what two runs with different seeds
// exclude, and what its code proves when it is read. Without -program it lists the programs.
//
// The program's code runs as your own program, with all your rights: read it first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/judged"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/cmd/until"
)

func main() {
	var c config
	flag.StringVar(&c.program, "program", "", "the program to judge, such as mab-dpse")
	flag.StringVar(&c.at.Clone, "clone", "", "its checkout, at the commit of its row")
	flag.StringVar(&c.at.Python, "python", ".peers/bin/python", "the interpreter, with what the program imports")
	flag.IntVar(&c.runs, "runs", 0, "runs in each world; 0 means as many as the row has")
	flag.StringVar(&c.out, "out", "", "judge what this table lacks, or -program, and write it")
	flag.StringVar(&c.clones, "clones", "", "with -out, where the checkouts are, each in a folder OWNER+NAME")
	flag.BoolVar(&c.words, "words", false, "with -out, judge nothing, and write today's words of the list")
	while := flag.String("while", "", "stop when this file is gone, or the process whose id it holds is not the parent")
	flag.Parse()
	if err := until.Stopped(*while, c.judge); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

type config struct {
	program, clones, out string
	at                   judged.Place
	runs                 int
	words                bool
}

func (c config) judge(ctx context.Context) error {
	switch {
	case c.out != "":
		return c.all(ctx)
	case c.program == "":
		for _, p := range judged.Programs {
			if _, err := fmt.Printf("%-20s %-9s %s\n%30s %s %s\n", p.Name, p.Made(), p.What, "", p.Repository, p.Commit); err != nil {
				return err
			}
		}
		return nil
	}
	p, err := judged.Named(c.program)
	if err != nil {
		return err
	}
	r, err := c.row(ctx, p)
	if err != nil {
		return err
	}
	_, err = fmt.Print(r.String())
	return err
}

// row judges a program with both seeds.
func (c config) row(ctx context.Context, p judged.Program) (judged.Row, error) {
	var found [2]audit.Finding
	for i, seed := range judged.Seeds {
		f, err := judged.Judge(ctx, p, c.at, c.runs, seed)
		if err != nil {
			return judged.Row{}, err
		}
		fmt.Fprintf(os.Stderr, "seed %d\n%s\n", seed, f)
		found[i] = f
	}
	return judged.RowOf(p, found), nil
}

// all judges the programs that the table lacks, or the one that -program names, and writes the
// table.
func (c config) all(ctx context.Context) error {
	var kept []judged.Row
	if text, err := os.ReadFile(c.out); err == nil && len(text) > 0 {
		if kept, _, err = judged.Read(text); err != nil {
			return err
		}
	}
	var rows []judged.Row
	var failed []error
	for _, p := range judged.Programs {
		i := slices.IndexFunc(kept, func(r judged.Row) bool { return r.Name == p.Name })
		if p.Name != c.program && (i >= 0 || c.program != "" || c.words) {
			if i >= 0 {
				rows = append(rows, kept[i])
			}
			continue
		}
		c.at.Clone = filepath.Join(c.clones, strings.ReplaceAll(strings.TrimPrefix(p.Repository, "https://github.com/"), "/", "+"))
		r, err := c.row(ctx, p)
		if err != nil {
			failed = append(failed, err)
			fmt.Fprintln(os.Stderr, "judge:", err)
			continue
		}
		rows = append(rows, r)
	}
	return errors.Join(errors.Join(failed...), os.WriteFile(c.out, judged.CSV(rows), 0o666))
}
