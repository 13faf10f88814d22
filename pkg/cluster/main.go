package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// Main is the main function of a program that runs a catalogue on a cluster, too:
//
//	thesis beam -out DIR [flags] EXPERIMENT [parameter=value,...]...
//
// runs an experiment on the engine that -runner names, and prints its table. Failed trials are
// listed in the file failures.csv of the directory. All else that sweep.Main knows works as it does
// there.
func Main(c sweep.Catalogue) {
	Init(c)
	switch {
	case len(os.Args) > 1 && strings.HasPrefix(strings.TrimLeft(os.Args[1], "-"), "worker="):
		flag.Parse() // a container's boot program started this process
		beam.Init()
	case len(os.Args) > 1 && os.Args[1] == "beam":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err := command(ctx, c, os.Args[2:], os.Stdout)
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		sweep.Main(c)
	}
}

// command is Main for the arguments that follow "beam". Beam's flags are those of the process.
func command(ctx context.Context, c sweep.Catalogue, args []string, stdout io.Writer) error {
	var o Options
	flag.StringVar(&o.Runner, "runner", "", "`engine`: prism (the default), spark, flink, portable or dataflow")
	flag.DurationVar(&o.Element, "element", 0, "how long the trials of one element should take; 0 means 2s")
	flag.StringVar(&o.Log, "log", "", "append a line to this `file` for each trial that is played")
	flag.Func("pipeline", "a pipeline option of the engine, `name=JSON`, such as files_to_stage=[]; may come several times", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want name=JSON")
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return err
		}
		if o.Pipeline == nil {
			o.Pipeline = make(map[string]any)
		}
		o.Pipeline[name] = v
		return nil
	})
	dir := flag.String("out", "", "keep the finished trials in this `directory`, which all workers share")
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("cluster: no directory for the records: -out DIR")
	}
	s, err := c.Parse(flag.Args())
	if err != nil {
		return err
	}
	if err := o.environment(); err != nil {
		return err
	}
	beam.Init()
	results, err := Run(ctx, s, *dir, o)
	if results == nil {
		return err
	}
	return errors.Join(err, s.WriteCSV(stdout, results))
}

// environment lets an engine start this program on its workers, as processes, unless a flag of
// Beam's says otherwise. The program must have the same path there.
func (o Options) environment() error {
	if !engines[o.runner()] || *jobopts.EnvironmentType != "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{"command": self, "env": map[string]string{workerVariable: "1"}})
	if err != nil {
		return err
	}
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "PROCESS", string(config)
	*jobopts.WorkerBinary = os.DevNull // the workers have the program, so that none is sent
	return nil
}
