package main

import (
	"context"
	"flag"

	"github.com/dpbandits/dpbandits/notebooks/catalogue"
	"github.com/dpbandits/dpbandits/pkg/cmd/until"
)

func sweepCommand() command {
	return command{
		name: "sweep", what: "experiments behind figures and leaderboard, on several machines",
		usage: "[FLAGS] [EXPERIMENT [PARAMETER=VALUE,...]...]\n       dpbandits sweep merge DIRECTORY",
		about: `
Runs an experiment, or a part of its trials, and prints its table as CSV.
Without arguments it lists the experiments and their parameters. A finished
trial is a file in the directory of -out, so a part that is killed goes on where
it was when it is started again.

  dpbandits sweep -shard 0/3 -out results leaderboard scale=2
  dpbandits sweep -shard 1/3 -out results leaderboard scale=2   # elsewhere
  dpbandits sweep -shard 2/3 -out results leaderboard scale=2
  dpbandits sweep merge results >leaderboard.csv

The status is 1 if trials failed or are missing; the table then has the others.
`,
		operands: func() (names []string) {
			for _, e := range catalogue.Sweep() {
				names = append(names, e.Name)
			}
			return append(names, "merge")
		},
		open: func(flags *flag.FlagSet) func(console) error {
			run := catalogue.Sweep().Command(flags)
			return func(to console) error {
				return until.Stopped("", func(ctx context.Context) error { return run(ctx, to.out, to.err) })
			}
		},
	}
}
