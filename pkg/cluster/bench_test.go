//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// BenchmarkSweep compares engines with a local run, for trials of about 10 ms, 1 s and 10 s. A run
// on an engine that finds all records there tells what it costs beside the trials.
//
// The user CPU time includes the processes of the engine.
func BenchmarkSweep(b *testing.B) {
	engines := []struct {
		name  string
		start func(testing.TB) *running
	}{{"local", nil}, {"records", nil}, {"prism", nil}, {"spark", startSpark}, {"flink", startFlink}}
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			var r *running
			if engine.start != nil {
				r = engine.start(b)
			}
			for _, size := range []struct {
				trial  time.Duration
				trials int
			}{{10 * time.Millisecond, 400}, {time.Second, 8}, {10 * time.Second, 4}} {
				b.Run("trial="+size.trial.String(), func(b *testing.B) {
					rounds := int(size.trial.Seconds() / perRound())
					s := parse(b, fmt.Sprintf("linucb horizon=%d trials=%d", rounds, size.trials))
					for b.Loop() {
						dir := b.TempDir()
						wall, cpu := measure(b, r, func() error { return once(b, engine.name, r, s, dir) })
						b.ReportMetric(wall/float64(size.trials), "wall-s/trial")
						b.ReportMetric(cpu/float64(size.trials), "user-s/trial")
						if engine.name != "local" {
							wall, cpu = measure(b, r, func() error { return once(b, engine.name, r, s, dir) })
							b.ReportMetric(wall, "restored-wall-s")
							b.ReportMetric(cpu, "restored-user-s")
						}
					}
				})
			}
		})
	}
}

// once runs the sweep on two workers.
func once(b *testing.B, engine string, r *running, s *sweep.Sweep, dir string) (err error) {
	switch engine {
	case "local":
		_, err = s.Run(b.Context(), "", simulate.Options{Workers: 2})
	case "records":
		_, err = s.Run(b.Context(), dir, simulate.Options{Workers: 2})
	case "prism":
		_, err = Run(b.Context(), s, dir, Options{})
	default:
		_, err = r.run(b, s, dir, Options{})
	}
	return err
}

// perRound is what a round of experiment linucb takes, in seconds.
var perRound = sync.OnceValue(func() float64 {
	const rounds = 400_000
	s, err := experiments.Parse([]string{"linucb", "horizon=" + strconv.Itoa(rounds)})
	if err != nil {
		panic(err)
	}
	p, err := s.Points[0].Prepare()
	if err != nil {
		panic(err)
	}
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	if _, err := p.RunTrial(context.Background(), 0); err != nil {
		panic(err)
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return (seconds(after.Utime) - seconds(before.Utime)) / rounds
})

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// measure returns the seconds that f takes, and the user CPU time of this process and the engine's.
func measure(b *testing.B, r *running, f func() error) (wall, cpu float64) {
	b.Helper()
	before, start := userTime(b, r), time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start).Seconds(), userTime(b, r) - before
}

// userTime returns the user CPU time of this process and of those that the engine consists of.
func userTime(b *testing.B, r *running) float64 {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	total := seconds(own.Utime)
	if r == nil {
		return total
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// after the name: state, parent, group, ...; user time of its own and of its ended children
		fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		if group, _ := strconv.Atoi(fields[2]); slices.Contains(r.groups, group) {
			own, _ := strconv.Atoi(fields[11])
			children, _ := strconv.Atoi(fields[13])
			total += float64(own+children) / 100 // clock ticks, of which Linux reports 100 a second
		}
	}
	return total
}
