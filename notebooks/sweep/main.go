// Sweep runs the experiments of the papers' figures and the leaderboard on several machines, a part
// on each; see package sweep. Without arguments it lists what there is.
//
//	sweep -shard 0/3 -out results leaderboard scale=2
//	sweep merge results >leaderboard.csv
package main

import (
	"github.com/dpbandits/dpbandits/notebooks/catalogue"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

func main() { sweep.Main(catalogue.Sweep()) }
