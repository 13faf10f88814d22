package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// Options are the options of Run. Beam has its own, as flags: -endpoint, -environment_type,
// -parallelism and others.
type Options struct {
	// Runner is "prism" (the default: in this process, for tests), "spark", "flink", "portable" or
	// "dataflow".
	Runner string
	// Element is how long the trials of one element should take together; 0 means 2 seconds. A worker
	// that dies loses at most the trial that it plays, however long this is.
	Element time.Duration
	// Log is a file, on a file system that all workers share, which gets a line "POINT TRIAL PROCESS"
	// for each trial that is played to its end. Empty means none.
	Log string
	// Pipeline holds pipeline options of the engine's runner, as for JSON: {"files_to_stage": []any{}}
	// keeps Spark and Flink from sending their workers all jars of the job server.
	Pipeline map[string]any
}

const (
	defaultElement = 2 * time.Second
	// fewest is how many elements a sweep has at least, if it has as many trials.
	fewest = 32
)

// engines says of each runner whether it is reached at -endpoint.
var engines = map[string]bool{"prism": false, "spark": true, "flink": true, "portable": true, "dataflow": false}

func (o Options) runner() string { return cmp.Or(o.Runner, "prism") }

// validate refuses what cannot run, before anything does.
func (o Options) validate(ctx context.Context) error {
	remote, ok := engines[o.runner()]
	switch {
	case !ok:
		return fmt.Errorf("cluster: unknown runner %q, want one of: %s", o.Runner, strings.Join(slices.Sorted(maps.Keys(engines)), " "))
	case o.Element < 0:
		return fmt.Errorf("cluster: Element = %v, want >= 0", o.Element)
	case remote && *jobopts.Endpoint == "":
		return fmt.Errorf("cluster: runner %q wants the address of its job server: -endpoint HOST:PORT", o.Runner)
	case remote:
		return reachable(ctx, *jobopts.Endpoint)
	}
	return nil
}

func (o Options) time() time.Duration { return cmp.Or(o.Element, defaultElement) }

// branches is how many parts of the pipeline play trials. One is enough for an engine that deals
// the elements out to its workers. Prism may put them into one bundle, so it gets one for each
// core.
func (o Options) branches() int {
	if o.runner() == "prism" {
		return min(runtime.GOMAXPROCS(0), prismBundles)
	}
	return 1
}

// prismBundles is how many bundles Prism runs at the same time.
const prismBundles = 8

// elements is how many elements a sweep has at least, if it has as many trials: four for each slot.
func (o Options) elements() int { return max(fewest, 4**jobopts.Parallelism) }
