package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// workerVariable is set in the environment of a process that an engine starts on a worker.
const workerVariable = "DPBANDITS_CLUSTER_WORKER"

// catalogue is what Init was given. It is the program's, so workers have it, too.
var catalogue sweep.Catalogue

// Init makes the catalogue known to this process. If an engine started the process as its worker,
// Init plays trials and does not return. It is the first thing that a program calls; Main does.
func Init(c sweep.Catalogue) {
	catalogue = c
	if os.Getenv(workerVariable) == "" {
		return
	}
	if err := serve(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve works for an engine until that hangs up. Trials that are being played end with the process,
// so that they are not played twice at the same time.
func serve(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("worker", flag.ContinueOnError)
	id := flags.String("id", "", "name of the worker")
	provision := flags.String("provision_endpoint", "", "address of the engine's provision service")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx = grpcx.WriteWorkerID(ctx, *id)
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("cluster: worker %q: %w", *id, err)
	}
	return harness.MainWithOptions(ctx, info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl(), harness.Options{
		StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
		RunnerCapabilities: info.GetRunnerCapabilities(),
	})
}

// opened holds what a process has opened, for all its bundles.
var opened struct {
	sync.Mutex
	sweeps map[string]*sweep.Sweep // by arguments
	stores map[place]*simulate.Store
}

type place struct {
	args, dir string
	point     int
}

// sweep returns the job's sweep.
func (j *job) sweep() (*sweep.Sweep, error) {
	opened.Lock()
	defer opened.Unlock()
	return j.sweepLocked()
}

func (j *job) sweepLocked() (*sweep.Sweep, error) {
	if catalogue == nil {
		return nil, errors.New("cluster: the program has not called cluster.Init")
	}
	key := strings.Join(j.Args, " ")
	if s := opened.sweeps[key]; s != nil {
		return s, nil
	}
	s, err := catalogue.Parse(j.Args)
	if err != nil {
		return nil, err
	}
	if opened.sweeps == nil {
		opened.sweeps = make(map[string]*sweep.Sweep)
		opened.stores = make(map[place]*simulate.Store)
	}
	opened.sweeps[key] = s
	return s, nil
}

// store returns the records of a point, which are opened once.
func (j *job) store(point int) (*simulate.Store, error) {
	opened.Lock()
	defer opened.Unlock()
	s, err := j.sweepLocked()
	if err != nil {
		return nil, err
	}
	at := place{strings.Join(j.Args, " "), j.Dir, point}
	store := opened.stores[at]
	if store == nil {
		if store, err = s.Store(j.Dir, point); err == nil {
			opened.stores[at] = store
		}
	}
	return store, err
}
