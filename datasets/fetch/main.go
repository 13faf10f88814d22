// Fetch downloads MovieLens into the cache folder, where the experiments on movies look for it. It
// fetches 100K, or with DPBANDITS_MOVIELENS=1m the larger set.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/dpbandits/dpbandits/datasets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	data, err := datasets.Load(ctx, datasets.Options{Progress: progress()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, datasets.ErrUnavailable) && os.Getenv(datasets.Choice) != "1m" {
			fmt.Fprintln(os.Stderr, "until then the figures of movies are made from a synthetic stand-in, and say so")
		}
		os.Exit(1)
	}
	fmt.Printf("%s: %d ratings by %d users of %d movies, in %s\n", data.Name, len(data.Ratings), data.Users, len(data.Movies), data.Source)
}

// progress prints a line for each tenth of a download, so that it reads well in a log, too.
func progress() func(done, total int64) {
	tenth := int64(-1)
	return func(done, total int64) {
		if total <= 0 || done*10/total == tenth {
			return
		}
		tenth = done * 10 / total
		fmt.Fprintf(os.Stderr, "%3d%% of %.1f MB\n", 100*done/total, float64(total)/1e6)
	}
}
