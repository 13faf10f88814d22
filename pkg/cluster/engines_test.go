//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// engines of other people run on this machine, from the directory that docker/engines fills.
var enginesDir = os.Getenv("DPBANDITS_ENGINES")

const host = "127.0.0.1"

// running is an engine with its job server.
type running struct {
	name     string
	endpoint string
	dir      string // of its logs
	groups   []int  // of its processes
}

// java starts a main class on all jars of the engine. The process and its children end with the
// test. What it says is in the file NAME.log.
func (r *running) java(t testing.TB, name, mainClass string, properties, args []string) {
	t.Helper()
	out, err := os.Create(filepath.Join(r.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	words := append(strings.Fields(opens), "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
	words = append(words, properties...)
	words = append(words, "-cp", filepath.Join(enginesDir, r.name, "jars", "*"), mainClass)
	cmd := exec.Command("java", append(words, args...)...)
	cmd.Env = append(os.Environ(), "SPARK_HOME="+filepath.Join(enginesDir, r.name), "SPARK_SCALA_VERSION=2.12", "SPARK_LOCAL_IP="+host)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Dir = r.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.groups = append(r.groups, cmd.Process.Pid)
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(out.Name())
			t.Logf("the end of %s:\n%s", out.Name(), text[max(0, len(text)-2000):])
		}
	})
}

// opens is what Spark 3 and Flink 1 want of Java 17.
const opens = "--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.lang.invoke=ALL-UNNAMED " +
	"--add-opens=java.base/java.lang.reflect=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED " +
	"--add-opens=java.base/java.net=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED " +
	"--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED " +
	"--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED " +
	"--add-opens=java.base/sun.nio.cs=ALL-UNNAMED --add-opens=java.base/sun.security.action=ALL-UNNAMED " +
	"--add-opens=java.base/sun.util.calendar=ALL-UNNAMED"

// port returns a port of this machine that nobody has.
func port(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// await waits until the log of a process says something.
func (r *running) await(t testing.TB, name, text string) {
	t.Helper()
	for range 1200 {
		if log, _ := os.ReadFile(filepath.Join(r.dir, name+".log")); strings.Contains(string(log), text) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s does not say %q", name, text)
}

func (r *running) jobServer(t testing.TB, mainClass string, properties []string, args ...string) {
	t.Helper()
	p := port(t)
	r.endpoint = host + ":" + p
	r.java(t, "job-server", mainClass, properties, append(args, "--job-host="+host, "--job-port="+p,
		"--artifact-port=0", "--expansion-port=0", "--artifacts-dir="+filepath.Join(r.dir, "artifacts")))
	for range 1200 {
		if reachable(context.Background(), r.endpoint) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the job server does not answer")
}

func start(t testing.TB, name string) *running {
	t.Helper()
	if enginesDir == "" {
		t.Skip("make test-cluster runs this")
	}
	return &running{name: name, dir: t.TempDir()}
}

// startSpark starts a Spark cluster: a master, two workers with a core each.
func startSpark(t testing.TB) *running {
	t.Helper()
	r := start(t, "spark")
	p := port(t)
	url := "spark://" + host + ":" + p
	r.java(t, "master", "org.apache.spark.deploy.master.Master", nil, []string{"--host", host, "--port", p, "--webui-port", "0"})
	r.await(t, "master", "Starting Spark master")
	for i := range 2 {
		name := fmt.Sprintf("worker-%d", i)
		r.java(t, name, "org.apache.spark.deploy.worker.Worker", nil, []string{
			"--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", filepath.Join(r.dir, name), url})
		r.await(t, name, "Successfully registered with master")
	}
	r.jobServer(t, "org.apache.beam.runners.spark.SparkJobServerDriver", []string{
		"-Dspark.executor.memory=600m", "-Dspark.executor.extraJavaOptions=" + opens, "-Dspark.ui.enabled=false",
	}, "--spark-master-url="+url)
	return r
}

// startFlink starts a Flink cluster: a job manager, two task managers with a slot each.
func startFlink(t testing.TB) *running {
	t.Helper()
	r := start(t, "flink")
	rest := port(t)
	config := fmt.Sprintf(flinkConfig, port(t), rest)
	if err := os.WriteFile(filepath.Join(r.dir, "config.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	r.java(t, "job-manager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", nil, []string{"--configDir", r.dir})
	for i := range 2 {
		r.java(t, fmt.Sprintf("task-manager-%d", i), "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", nil, []string{"--configDir", r.dir})
	}
	for i := range 2 {
		r.await(t, fmt.Sprintf("task-manager-%d", i), "Successful registration at resource manager")
	}
	r.jobServer(t, "org.apache.beam.runners.flink.FlinkJobServerDriver", nil, "--flink-master="+host+":"+rest, "--flink-conf-dir="+r.dir)
	return r
}

const flinkConfig = `jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: %s
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 900m
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: %s
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1
taskmanager.memory.task.heap.size: 200m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: 32m
taskmanager.memory.network.max: 32m
taskmanager.memory.managed.size: 64m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 64m
taskmanager.memory.jvm-metaspace.size: 200m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 3
restart-strategy.fixed-delay.delay: 1s
parallelism.default: 2
classloader.resolve-order: parent-first
`

// run runs a sweep on the engine, whose workers are processes of this program.
func (r *running) run(t testing.TB, s *sweep.Sweep, dir string, o Options) ([]*simulate.Result, error) {
	t.Helper()
	endpoint, kind, config := *jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig
	defer func() {
		*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = endpoint, kind, config
	}()
	o.Runner = r.name
	o.Pipeline = map[string]any{"files_to_stage": []any{}}
	*jobopts.Endpoint, *jobopts.EnvironmentType = r.endpoint, ""
	if err := o.environment(); err != nil {
		t.Fatal(err)
	}
	return Run(context.Background(), s, dir, o)
}

// testShards runs a sweep in three shards.
func testShards(t *testing.T, s *sweep.Sweep, want string) {
	dir := t.TempDir()
	for i := range 3 {
		if _, err := s.Run(t.Context(), dir, simulate.Options{Shard: simulate.Shard{Index: i, Of: 3}}); err != nil {
			t.Fatal(err)
		}
	}
	results, err := s.Merge(dir)
	if err != nil || table(t, s, results) != want {
		t.Errorf("another table, error %v", err)
	}
}

// TestEngines runs 200 trials everywhere: one and the same table.
func TestEngines(t *testing.T) {
	start(t, "")
	s := parse(t, "linucb epsilon=0.5,2 horizon=20000")
	want := local(t, s)
	t.Run("shards", func(t *testing.T) { testShards(t, s, want) })
	t.Run("prism", func(t *testing.T) {
		results, err := Run(t.Context(), s, t.TempDir(), Options{})
		if err != nil || table(t, s, results) != want {
			t.Errorf("another table, error %v", err)
		}
	})
	for name, start := range map[string]func(testing.TB) *running{"spark": startSpark, "flink": startFlink} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			log := filepath.Join(r.dir, "played")
			began := time.Now()
			results, err := r.run(t, s, t.TempDir(), Options{Log: log, Element: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if got := table(t, s, results); got != want {
				t.Errorf("another table:\n%s\nwant\n%s", got, want)
			}
			once, again := played(t, log)
			if once != 200 || again != 0 {
				t.Errorf("%d trials were played, %d again, want 200, 0", once, again)
			}
			t.Logf("200 trials in %v, by processes %v", time.Since(began).Round(time.Millisecond), processes(t, log))
			t.Run("dead letters", func(t *testing.T) {
				s := parse(t, "brittle trials=200 horizon=100")
				results, err := r.run(t, s, t.TempDir(), Options{})
				var failure *simulate.TrialError
				if !errors.As(err, &failure) || failure.Trial != 7 || failure.Round != 5 || len(results[0].Finished) != 199 {
					t.Errorf("error %v, want a panic in trial 7 only", err)
				}
			})
		})
	}
}

// processes counts the trials of a log by process.
func processes(t testing.TB, log string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	count := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		count[strings.Fields(line)[2]]++
	}
	return count
}

// parent returns the parent of a process, false if the process has ended.
func parent(pid int) (int, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
	ppid, err := strconv.Atoi(fields[1])
	return ppid, err == nil && fields[0] != "Z"
}

// killed kills a process, or its parent, when the log has 30 trials. The process is one
// that has played some of them and lives: that which played the first has ended. It returns the
// number of trials by then, 0 if it found none.
func killed(t testing.TB, log string, ofParent bool) int {
	for range 3000 {
		time.Sleep(100 * time.Millisecond)
		count := processes(t, log)
		total := 0
		for n := range maps.Values(count) {
			total += n
		}
		if total < 30 {
			continue
		}
		for pid := range maps.Keys(count) {
			victim, err := strconv.Atoi(pid)
			if err != nil {
				t.Error(err)
				return 0
			}
			above, alive := parent(victim)
			if !alive {
				continue
			}
			if ofParent {
				victim = above
			}
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				t.Errorf("kill -9 %d: %v", victim, err)
			}
			return total
		}
	}
	return 0
}

// TestKill kills a worker of Spark in the middle of a run: the table is that of an undisturbed one,
// and no finished trial was played again.
func TestKill(t *testing.T) {
	for name, ofParent := range map[string]bool{
		"executor": true, // Spark's process, which has started ours
		"player":   false,
	} {
		t.Run(name, func(t *testing.T) {
			r := startSpark(t)
			s := parse(t, "linucb epsilon=0.5,2 horizon=100000")
			log := filepath.Join(r.dir, "played")
			after := make(chan int, 1)
			go func() { after <- killed(t, log, ofParent) }()
			results, err := r.run(t, s, t.TempDir(), Options{Log: log, Element: 500 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			total := <-after
			if total == 0 || total >= 200 {
				t.Fatalf("killed after %d of 200 trials, want in the middle", total)
			}
			if got, want := table(t, s, results), local(t, s); got != want {
				t.Errorf("another table:\n%s\nwant\n%s", got, want)
			}
			once, again := played(t, log)
			// a trial may be durable and not yet in the log when its player dies
			if once < 199 || again != 0 {
				t.Errorf("%d trials were played, %d again, want 200, 0", once, again)
			}
			t.Logf("killed after %d trials; by processes %v", total, processes(t, log))
		})
	}
}
