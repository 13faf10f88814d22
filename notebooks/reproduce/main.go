// Reproduce runs one figure or table of a paper and prints its numbers beside the paper's.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/dpbandits/dpbandits/notebooks/papers"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := papers.ParseScale(os.Args[2])
	if err != nil {
		panic(err)
	}
	var list []*simulate.Experiment
	switch os.Args[1] {
	case "jdp-fig4":
		for _, gap := range papers.JDPGaps {
			list = append(list, papers.JDPExperiment2(s, gap))
		}
	case "jdp-fig4-opt":
		for _, gap := range papers.JDPGaps {
			list = append(list, papers.JDPExperiment2Opt(s, gap))
		}
	case "jdp-fig5":
		for _, gap := range papers.JDPGaps3 {
			list = append(list, papers.JDPExperiment3(s, gap))
		}
	case "jdp-fig3":
		for _, d := range papers.JDPDims(s) {
			for _, r := range []environment.Reward{environment.Signs, environment.Gaussian} {
				list = append(list, papers.JDPExperiment1(s, d, r))
			}
		}
	}
	_, err = papers.Run(ctx, s, simulate.NewTerminal(os.Stderr), list...)
	fmt.Println(err)
}
