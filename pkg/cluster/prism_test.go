package cluster

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

func parse(t testing.TB, args string) *sweep.Sweep {
	t.Helper()
	Init(experiments) // an example may have named another catalogue
	s, err := experiments.Parse(strings.Fields(args))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func table(t testing.TB, s *sweep.Sweep, results []*simulate.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// local runs a sweep without a cluster.
func local(t testing.TB, s *sweep.Sweep) string {
	t.Helper()
	results, err := s.Run(context.Background(), "", simulate.Options{})
	if err != nil && !errors.As(err, new(*simulate.TrialError)) {
		t.Fatal(err)
	}
	return table(t, s, results)
}

// played counts the trials in a log that were played to their end, and those that were more than
// once.
func played(t testing.TB, log string) (once, again int) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		trial := line[:strings.LastIndex(line, " ")]
		if seen[trial] {
			again++
		}
		seen[trial] = true
	}
	return len(seen), again
}

// TestPrism compares a sweep on Prism with a local one, and runs it again, which plays nothing.
func TestPrism(t *testing.T) {
	s := parse(t, "linucb epsilon=0.5,2 horizon=500")
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	want := local(t, s)
	for range 2 {
		results, err := Run(context.Background(), s, filepath.Join(dir, "records"), Options{Log: log})
		if err != nil {
			t.Fatal(err)
		}
		if got := table(t, s, results); got != want {
			t.Errorf("another table:\n%s\nwant\n%s", got, want)
		}
		if once, again := played(t, log); once != 200 || again != 0 {
			t.Errorf("%d trials were played, %d again, want 200, 0", once, again)
		}
	}
}

// TestDeadLetters runs a policy that panics in trial 7: it is reported, and the others are there.
func TestDeadLetters(t *testing.T) {
	s := parse(t, "brittle trials=20 horizon=100")
	dir := t.TempDir()
	results, err := Run(context.Background(), s, dir, Options{})
	var failure *simulate.TrialError
	if !errors.As(err, &failure) || failure.Experiment != "brittle" || failure.Policy != "brittle" || failure.Trial != 7 || failure.Round != 5 {
		t.Errorf("error %v, want a panic of brittle in trial 7, round 5", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, failuresFile))
	if err != nil || !regexp.MustCompile("^experiment,policy,trial,round,error\nbrittle,brittle,7,5,\"?panic: boom.*\n$").Match(text) {
		t.Errorf("failures %q, error %v", text, err)
	}
	if got := len(results[0].Finished); got != 19 {
		t.Errorf("%d trials finished, want 19", got)
	}
	if got, want := table(t, s, results), local(t, s); got != want {
		t.Errorf("another table:\n%s\nwant\n%s", got, want)
	}
}

// TestUnreachable: nobody serves the endpoint, or somebody who is no job server.
func TestUnreachable(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	defer func(old string) { *jobopts.Endpoint = old }(*jobopts.Endpoint)
	s := parse(t, "linucb trials=2 horizon=100")
	for _, c := range []struct {
		o              Options
		endpoint, want string
	}{
		{Options{Runner: "spark"}, "", "-endpoint HOST:PORT"},
		{Options{Runner: "spark"}, free.Addr().String(), "no server answers at \"" + free.Addr().String()},
		{Options{Runner: "flink"}, silent.Addr().String(), "no server answers at \"" + silent.Addr().String()},
		{Options{Runner: "storm"}, "", "unknown runner \"storm\", want one of: dataflow flink portable prism spark"},
		{Options{Element: -1}, "", "Element = -1ns, want >= 0"},
	} {
		*jobopts.Endpoint = c.endpoint
		start := time.Now()
		results, err := Run(t.Context(), s, t.TempDir(), c.o)
		if took := time.Since(start); results != nil || err == nil || !strings.Contains(err.Error(), c.want) || took > 30*time.Second {
			t.Errorf("error %v after %v, want %q in it within 30s", err, took, c.want)
		}
	}
}
