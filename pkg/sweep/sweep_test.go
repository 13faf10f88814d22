package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// coins is a bandit of two coins, the second one worse by Gap.
type coins struct{ Gap float64 }

func (c coins) Open() (bandit.World, error) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: 0, RewardMax: 1}
	return bandit.NewWorld(p, func(*rand.Rand) bandit.Instance { return &tosses{gap: c.Gap} }), nil
}

// tosses is a trial of coins.
type tosses struct {
	gap   float64
	round int
}

func (c *tosses) Next(v *bandit.View)       { c.round++; *v = bandit.View{Round: c.round, Arms: 2} }
func (c *tosses) Regret(arms []int) float64 { return c.gap * float64(arms[0]) }
func (c *tosses) Pull(rewards *rand.Rand, arms []int, y []float64) {
	y[0] = 0
	if rewards.Float64() < 0.75-c.Regret(arms) {
		y[0] = 1
	}
}

// greedy explores with a probability. It panics in round 5 if the first of its random numbers is
// Bad.
type greedy struct{ Explore, Bad float64 }

func (l greedy) Open(_ bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return bandit.Starts(func(own *rand.Rand, _ rand.Source) bandit.Run {
		if begun.Add(1) > most {
			time.Sleep(time.Hour)
		}
		return &greedyRun{greedy: l, own: own, bad: own.Float64() == l.Bad}
	}), bandit.CheckHorizon(horizon)
}

// After most runs of learners, a process plays no more and waits to be killed.
var (
	most  int64 = math.MaxInt64
	begun atomic.Int64
)

// greedyRun is greedy in a trial.
type greedyRun struct {
	greedy
	own   *rand.Rand
	bad   bool
	sum   [2]float64
	count [2]float64
}

func (l *greedyRun) Select(_ *bandit.View, dst []int) ([]int, error) {
	arm := 0
	if l.own.Float64() < l.Explore {
		arm = l.own.IntN(2)
	} else if l.sum[1]*(l.count[0]+1) > l.sum[0]*(l.count[1]+1) {
		arm = 1
	}
	return append(dst, arm), nil
}

func (l *greedyRun) Update(v *bandit.View, arms []int, y []float64) error {
	if l.bad && v.Round == 5 {
		panic("boom")
	}
	l.sum[arms[0]] += y[0]
	l.count[arms[0]]++
	return nil
}

// catalogue has an experiment of 200 trials, and one of which trial 7 panics.
func catalogue() Catalogue {
	coin := func(v Values) ([]*simulate.Experiment, error) {
		e := &simulate.Experiment{
			Name: "coins", Horizon: v.Int("horizon"), Trials: 200, Seed: 3,
			Environment: coins{Gap: v["gap"]},
			Policies: []simulate.Policy{
				{Name: "greedy", Learner: greedy{Explore: 0.05}},
				{Name: "lazy", Learner: greedy{Explore: 0.5}},
			},
		}
		e.Pairs = [][2]string{{"greedy", "lazy"}}
		return []*simulate.Experiment{e}, nil
	}
	return Catalogue{
		{Name: "coins", Doc: "two coins", New: coin, Parameters: []Parameter{
			{Name: "gap", Doc: "between the coins", Default: 0.25, Min: 0, Max: 0.5},
			{Name: "horizon", Doc: "rounds", Default: 60, Min: 1, Max: 1e9, Whole: true},
		}},
		{Name: "bad", Doc: "panics in trial 7", Parameters: []Parameter{{Name: "gap", Default: 0.25, Min: 0, Max: 0.5}}, New: func(v Values) ([]*simulate.Experiment, error) {
			v["horizon"] = 60
			list, err := coin(v)
			e := list[0]
			e.Name = "bad"
			e.Policies = append(e.Policies, simulate.Policy{Name: "brittle",
				Learner: greedy{Explore: 0.05, Bad: random.New(3, 7, "learner/brittle").Float64()}})
			return list, err
		}},
	}
}

func TestMain(m *testing.M) {
	if args := os.Getenv("SWEEP_TEST_ARGS"); args != "" {
		fmt.Sscan(os.Getenv("SWEEP_TEST_MOST"), &most)
		os.Args = append(os.Args[:1], strings.Split(args, " ")...)
		Main(catalogue())
	}
	os.Exit(m.Run())
}

// program runs the command and returns what it prints.
func program(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, bad bytes.Buffer
	status = command(t.Context(), catalogue(), append([]string{"sweep"}, args...), &out, &bad)
	return status, out.String(), bad.String()
}

// must runs the command, which has to succeed, and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, bad := program(t, args...)
	if status != 0 {
		t.Fatalf("sweep %q: status %d: %s", args, status, bad)
	}
	return out
}

// Three shards of 400 trials at two points make, merged, the bytes of a run in one piece.
func TestShardsEqualARun(t *testing.T) {
	dir := t.TempDir()
	args := []string{"coins", "gap=0.25,0.1"}
	for _, shard := range []string{"1/3", "0/3", "2/3"} {
		must(t, append([]string{"-shard", shard, "-out", dir}, args...)...)
	}
	want := must(t, args...)
	if got := must(t, "merge", dir); got != want {
		t.Error("another table than that of a run in one piece")
	}
	lines := strings.Split(want, "\n")
	if head := "# sweep: coins gap=0.25,0.1 horizon=60"; lines[0] != head {
		t.Errorf("first line %q, want %q", lines[0], head)
	}
	if !strings.Contains(want, "\nexperiment,gap,horizon,policy,round,") || !strings.Contains(want, "\ncoins gap=0.1,0.1,60,greedy - lazy,60,") {
		t.Errorf("the table:\n%s", want)
	}
	// with other numbers of shards nothing is played again
	before := stamps(t, dir)
	must(t, append([]string{"-shard", "1/2", "-out", dir}, args...)...)
	must(t, append([]string{"-out", dir}, args...)...)
	if !maps.Equal(before, stamps(t, dir)) {
		t.Error("records were written again")
	}
}

// An experiment with a Cache, which a run without a directory uses, keeps its records in the
// directory alone, where a merge finds them.
func TestCacheOrDirectory(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	c := catalogue()
	plain := c[0].New
	c[0].New = func(v Values) ([]*simulate.Experiment, error) {
		list, err := plain(v)
		list[0].Cache = cache
		return list, err
	}
	s, err := c.Parse([]string{"coins", "trials=3"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), dir, simulate.Options{}); err != nil {
		t.Fatal(err)
	}
	if results, err := s.Merge(dir); err != nil || len(results[0].Finished) != 3 {
		t.Errorf("merged: results %v, error %v, want 3 trials", results, err)
	}
	if found := stamps(t, cache); len(found) != 0 {
		t.Errorf("the cache holds %v, want nothing", found)
	}
}

// stamps returns the files of a directory with their time of change and size.
func stamps(t *testing.T, dir string) map[string]string {
	t.Helper()
	stamps := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".tmp") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			stamps[path] = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return stamps
}

// A shard that is killed and started again plays no finished trial again, and the table is the
// same. A shard that is to be killed stops by itself after some 24 of its 67 trials, so that it has
// not ended if it is killed late.
func TestKilledShard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	args := []string{"-out", dir, "coins", "horizon=50000"}
	records := func() map[string]string {
		found := stamps(t, dir)
		maps.DeleteFunc(found, func(path, _ string) bool { return !strings.HasPrefix(path, filepath.Join(dir, "0", "0")) })
		return found
	}
	start := func(shard string, env ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SWEEP_TEST_ARGS=-workers 2 -shard "+shard+" "+strings.Join(args, " "))
		cmd.Env = append(cmd.Env, env...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &stderr
	}
	for kill := range 2 {
		before := len(records())
		cmd, stderr := start("0/3", "SWEEP_TEST_MOST=48") // of two learners
		for begun := time.Now(); len(records()) < before+8; time.Sleep(time.Millisecond) {
			if time.Since(begun) > 5*time.Minute {
				cmd.Process.Kill()
				cmd.Wait()
				t.Fatalf("kill %d: too few records in 5 min: %s", kill, stderr)
			}
		}
		cmd.Process.Kill() // SIGKILL
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: the shard ended by itself: %v %s", kill, err, stderr)
		}
	}
	before := records()
	for _, shard := range []string{"0/3", "1/3", "2/3"} {
		cmd, stderr := start(shard)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("shard %s: %v %s", shard, err, stderr)
		}
	}
	after := records()
	if len(before) < 16 || len(before) > 67 || len(after) != 200 {
		t.Errorf("%d records after two kills and %d at the end, want 16 to 67 and 200", len(before), len(after))
	}
	for path, stamp := range before {
		if after[path] != stamp {
			t.Errorf("%s was written again", path)
		}
	}
	t.Logf("%d trials were finished before, %d after", len(before), len(after)-len(before))
	if must(t, "merge", dir) != must(t, args[2:]...) {
		t.Error("another table than that of a run in one piece")
	}
}

// A trial that panics is reported by its shard and by the merge, and the others are there.
func TestPanicInTrial7(t *testing.T) {
	const why = `experiment "bad": policy "brittle", trial 7, round 5: panic: boom`
	dir := t.TempDir()
	for shard, want := range map[string]int{"0/3": 0, "1/3": 1, "2/3": 0} { // 7 = 1 mod 3
		status, _, stderr := program(t, "-shard", shard, "-out", dir, "bad")
		if status != want || strings.Contains(stderr, why) != (want == 1) {
			t.Errorf("shard %s: status %d, want %d: %s", shard, status, want, stderr)
		}
	}
	status, merged, stderr := program(t, "merge", dir)
	if status != 1 || !strings.Contains(stderr, why) || !strings.Contains(stderr, "1 of 200 trials have no record: 7") {
		t.Errorf("merge: status %d: %s", status, stderr)
	}
	if !strings.Contains(merged, ",199\n") || strings.Contains(merged, ",200\n") {
		t.Error("the table is not that of 199 trials")
	}
	status, local, stderr := program(t, "bad")
	if status != 1 || local != merged || !strings.Contains(stderr, why) {
		t.Errorf("in one piece: status %d, or another table: %s", status, stderr)
	}
}

// Each mistake in the arguments is named.
func TestBadArguments(t *testing.T) {
	dir := t.TempDir()
	must(t, "-out", dir, "coins", "trials=2")
	empty := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"nothing", `unknown experiment "nothing", want one of: coins bad`},
		{"coins gap=0.6", `experiment "coins": parameter gap = 0.6, want in [0, 0.5]`},
		{"coins gap=NaN", "parameter gap = NaN, want in [0, 0.5]"},
		{"coins gap=x", `parameter gap = "x", want a number`},
		{"coins horizon=1.5", "parameter horizon = 1.5, want a whole number"},
		{"coins gap=", "parameter gap has no value: the sweep is empty"},
		{"coins gap=0.1,", `parameter gap = "", want a number`},
		{"coins gap=0.1,0.10", "parameter gap = 0.1 comes twice"},
		{"coins gap=0.1 gap=0.2", `parameter "gap" is given twice`},
		{"coins epsilon=1", `unknown parameter "epsilon"`},
		{"coins gap", `argument "gap", want parameter=value`},
		{"coins trials=0", `parameter trials = "0", want a whole number >= 1`},
		{"coins trials=1,2", `parameter trials = "1,2"`},
		{"coins seed=-1", `parameter seed = "-1", want a whole number in [0, 2^64)`},
		{"-out " + empty, "no experiment is named"},
		{"-shard 5/3 -out " + empty + " coins", "shard 5/3: index 5, want in [0, 3)"},
		{"-shard 1 -out " + empty + " coins", `shard "1", want`},
		{"-shard 1/3 coins", "a shard wants a directory"},
		{"-bad coins", "not defined: -bad"},
		{"merge", "merge wants one directory"},
		{"-out " + empty + " merge " + dir, "merge wants one directory, and no flags"},
	} {
		status, out, stderr := program(t, strings.Split(c.args, " ")...)
		if status != misused || out != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %d and %q", c.args, status, stderr, misused, c.want)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"merge " + empty, "directory " + empty},
		{"-out " + dir + " coins trials=3", `belongs to the sweep "coins gap=0.25 horizon=60 trials=2", not to "coins gap=0.25 horizon=60 trials=3"`},
		{"-workers -1 coins", "Workers = -1"},
	} {
		status, out, stderr := program(t, strings.Split(c.args, " ")...)
		if status != failed || out != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %d and %q", c.args, status, stderr, failed, c.want)
		}
	}
	if names, err := os.ReadDir(empty); err != nil || len(names) > 0 {
		t.Errorf("a refused run left files: %v, error %v", names, err)
	}
}

// Records of two versions are not merged, nor continued.
func TestRecordsOfTwoVersions(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-out", dir, "coins", "trials=3"}
	must(t, args...)
	// a shard of another version that did not look at experiment.json, which refuses it
	for _, name := range []string{"experiment.json", filepath.Join("0", "002.json")} {
		path := filepath.Join(dir, "0", name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.Replace(string(text[9:]), `"version":"`, `"version":"another-`, 1)
		other = other[:len(other)-1]
		sum := crc32.Checksum([]byte(other), crc32.MakeTable(crc32.Castagnoli))
		if err := os.WriteFile(path, fmt.Appendf(nil, "%08x %s\n", sum, other), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"merge", dir}, args} {
			if status, out, stderr := program(t, args...); status != failed || out != "" || !strings.Contains(stderr, `Version is "another-`) {
				t.Errorf("%s: sweep %q: status %d, %q, want the version named", name, args, status, stderr)
			}
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "merge", dir)
}

func TestBadCatalogues(t *testing.T) {
	entry := func(name string, parameters ...Parameter) Entry {
		return Entry{Name: name, Parameters: parameters, New: catalogue()[0].New}
	}
	makes := func(list ...*simulate.Experiment) Catalogue {
		return Catalogue{{Name: "a", New: func(Values) ([]*simulate.Experiment, error) { return list, nil }}}
	}
	for want, c := range map[string]Catalogue{
		"the catalogue is empty":                     nil,
		`experiment "a": the name is taken`:          {entry("a"), entry("b"), entry("a")},
		`experiment "merge": the name is taken`:      {entry("merge")},
		`experiment "a b": want a name`:              {entry("a b")},
		`experiment "a": field New is nil`:           {{Name: "a"}},
		`parameter "p": the name is taken`:           {entry("a", Parameter{Name: "p"}, Parameter{Name: "p"})},
		`parameter "trials": the name is taken`:      {entry("a", Parameter{Name: "trials"})},
		`parameter "": want a name`:                  {entry("a", Parameter{})},
		"parameter p = 0, want in [1, 2]":            {entry("a", Parameter{Name: "p", Min: 1, Max: 2})},
		"parameter p = NaN":                          {entry("a", Parameter{Name: "p", Default: math.NaN()})},
		"there is no experiment: the sweep is empty": makes(),
		"an experiment is nil":                       makes(nil),
		`two experiments have the name "x"`:          makes(&simulate.Experiment{Name: "x"}, &simulate.Experiment{Name: "x"}),
	} {
		if s, err := c.Parse([]string{"a"}); s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want %q in it", s, err, want)
		}
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	list := strings.Join(many, ",")
	c := Catalogue{entry("a", Parameter{Name: "p", Max: 200}, Parameter{Name: "q", Max: 200})}
	if _, err := c.Parse([]string{"a", "p=" + list, "q=" + list}); err == nil || !strings.Contains(err.Error(), "more than 10000 combinations") {
		t.Errorf("10201 combinations: error %v", err)
	}
}

// Args make the same sweep again, also in a catalogue with other defaults.
func TestArgs(t *testing.T) {
	s, err := catalogue().Parse([]string{"coins", "seed=9", "gap=0.50,1e-1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"coins", "gap=0.5,0.1", "horizon=60", "seed=9"}; !slices.Equal(s.Args, want) {
		t.Errorf("arguments %q, want %q", s.Args, want)
	}
	other := catalogue()
	other[0].Parameters[1].Default = 70
	again, err := other.Parse(s.Args)
	if err != nil || !slices.Equal(again.Args, s.Args) || again.Points[1].Horizon != 60 {
		t.Errorf("arguments %q, error %v", again.Args, err)
	}
	p := s.Points[1]
	if p.Name != "coins gap=0.1" || p.Fingerprint != "gap=0.1 horizon=60" || p.Seed != 9 || p.Trials != 200 || p.Values["gap"] != 0.1 {
		t.Errorf("point %q with Fingerprint %q, seed %d", p.Name, p.Fingerprint, p.Seed)
	}
}

func TestList(t *testing.T) {
	want := "coins                two coins\n    gap              between the coins (from 0 to 0.5, default 0.25)\n    horizon          rounds (whole, from 1 to 1e+09, default 60)\n"
	if got := must(t); !strings.HasPrefix(got, want) {
		t.Errorf("the list:\n%s\nwant\n%s", got, want)
	}
}

// A run that is stopped keeps what has finished.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, bad bytes.Buffer
	if status := command(ctx, catalogue(), []string{"sweep", "-out", t.TempDir(), "coins"}, &out, &bad); status != failed || !strings.Contains(bad.String(), "context canceled") {
		t.Errorf("status %d: %s", status, &bad)
	}
}
