package external

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/value"
)

var small = bandit.Problem{Arms: 5, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// TestEquality: a learner behind the protocol plays the arms, and releases the numbers, of the same
// learner in this process, bit for bit.
func TestEquality(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []string
	}{
		{"linucb", nil}, {"linucb", []string{"packed"}}, {"random", nil},
		{"tree", []string{"release"}}, {"tree", []string{"packed", "release"}},
	} {
		t.Run(c.name+" "+strings.Join(c.options, " "), func(t *testing.T) {
			env := environment.DecisionSets{Dim: 3, Arms: 7, Gap: 0.1}
			world, err := env.Open()
			if err != nil {
				t.Fatal(err)
			}
			const horizon = 300
			far := runtest.Run(t, self("serve", append([]string{c.name}, c.options...)...), world.Problem(), horizon, rand.New(rand.NewPCG(5, 6)), rand.NewPCG(7, 8))
			defer far.Ready.(*opened).Close()
			own, noise := served(rand.NewPCG(5, 6).Uint64()>>11, rand.NewPCG(7, 8).Uint64()>>11)
			near := runtest.Run(t, learners[c.name], world.Problem(), horizon, own, noise)
			trial, rewards := world.Start(rand.New(rand.NewPCG(1, 2))), rand.New(rand.NewPCG(3, 4))
			var v bandit.View
			y := make([]float64, 1)
			for round := range horizon {
				if round%3 == 0 { // and otherwise the contexts stay
					trial.Next(&v)
				}
				v.Round, v.Same = round+1, round%3 > 0
				got, want := far.Select(&v, nil), near.Select(&v, nil)
				if !slices.Equal(got, want) {
					t.Fatalf("round %d: it plays %v, and %v in this process", v.Round, got, want)
				}
				trial.Pull(rewards, got, y)
				far.Update(&v, got, y)
				near.Update(&v, want, y)
				if slices.Contains(c.options, "release") && round%10 == 9 {
					type releases interface {
						Released([]float64) ([]float64, error)
					}
					a, err := far.Run.(releases).Released(nil)
					b, wrong := near.Run.(releases).Released(nil)
					if err := errors.Join(err, wrong); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(a, b) || len(a) == 0 {
						t.Fatalf("round %d: it releases %v, and %v in this process", v.Round, a, b)
					}
				}
			}
			if err := bandit.Close(far.Run); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestConforms: a program keeps the promises of package bandit.
func TestConforms(t *testing.T) {
	bandittest.Learner(t, self("serve", "linucb", "packed"), environment.DecisionSets{Dim: 3, Arms: 5, Gap: 0.1}, bandittest.LearnerOptions{Rounds: 60, Horizon: 300})
}

// TestSimulate: an experiment with a program has the regret of the learner, resets one process for
// each worker, and warns that nobody compared the claim with the noise.
func TestSimulate(t *testing.T) {
	mark := marks(t)
	p := self("serve", "tree", `claim={"epsilon":1,"delta":1e-6,"model":"joint"}`)
	run := func(workers int) *simulate.Result {
		e := &simulate.Experiment{
			Name: "external", Environment: environment.DecisionSets{Dim: 3, Arms: 5, Gap: 0.1},
			Policies: []simulate.Policy{{Name: "program", Learner: p}, {Name: "metered", Learner: learner.Metered{Learner: p, Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}}, {Name: "randomised", Learner: learner.RandomisedAction{Learner: p, Epsilon: 1}}},
			Horizon:  50, Rounds: 30, Trials: 6, Seed: 1, Workers: workers,
		}
		r, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, two := run(1), run(2)
	for i, c := range one.Curves() {
		if !slices.Equal(c.Mean, two.Curves()[i].Mean) {
			t.Errorf("regret %v with a worker, %v with two", c.Mean, two.Curves()[i].Mean)
		}
	}
	warned := slices.ContainsFunc(one.Policies[0].Warnings, func(w bandit.Warning) bool {
		return strings.Contains(w.What, "not compared") && w.Count == 6
	})
	if !warned {
		t.Errorf("warnings %v, want one that the claim was not compared", one.Policies[0].Warnings)
	}
	if n := len(marked(mark)); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// TestClaim: what a program says is printed as asserted; a program that says nothing has no claim.
func TestClaim(t *testing.T) {
	open := func(options ...string) (*opened, error) {
		l, err := self("serve", append([]string{"random"}, options...)...).Open(small, 10)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { bandit.Close(l) })
		return l.(*opened), nil
	}
	for _, text := range []string{
		`{"epsilon":0.7,"model":"central"}`,
		`{"epsilon":0.7,"delta":1e-5,"model":"local","neighbours":"user's reward"}`,
	} {
		l, err := open("claim=" + text)
		if err != nil {
			t.Fatal(err)
		}
		c := privacy.ClaimOf(l)
		if c.Standing() != privacy.Asserted || c.Epsilon() != 0.7 {
			t.Errorf("%s: standing %v, epsilon %v, want asserted and 0.7", text, c.Standing(), c.Epsilon())
		}
		for _, want := range []string{"asserted    epsilon = 0.7", `asserted by the program "random", and not checked`} {
			if !strings.Contains(c.String(), want) {
				t.Errorf("the claim does not say %q:\n%v", want, c)
			}
		}
		if record := l.ready.Claim.neighbours.Record; !strings.Contains(c.String(), "replace one "+record) {
			t.Errorf("the claim does not say %q:\n%v", record, c)
		}
	}
	if l, err := open(); err != nil || privacy.ClaimOf(l).Held() {
		t.Errorf("a program without a claim claims %v, err %v", privacy.ClaimOf(l), err)
	}
	for _, bad := range []string{`{}`, `{"epsilon":0,"model":"joint"}`, `{"epsilon":1}`, `{"epsilon":1,"model":"trusted"}`, `{"epsilon":1,"delta":1,"model":"joint"}`,
		`{"epsilon":"1","model":"joint"}`, `{"epsilon":1,"model":"joint","neighbours":""}`, `[1]`, `{"epsilon":1,"model":"joint","proof":"yes"}`} {
		var e *Error
		if _, err := open("claim=" + bad); !errors.As(err, &e) || e.Fault != malformed || !strings.Contains(e.Got, "claim") {
			t.Errorf("claim %s: error %v, want one about the claim", bad, err)
		}
	}
}

// TestText: a program is a plain value, whose text does not say what it does unless it has a
// version.
func TestText(t *testing.T) {
	p := Program{Command: []string{"python3", "mine.py"}, AnswerWithin: time.Second}
	text, err := value.Go(p)
	if want := `external.Program{Command: []string{"python3", "mine.py"}, AnswerWithin: time.Duration(1000000000)}`; err != nil || text != want {
		t.Errorf("it is %s, err %v, want %s", text, err, want)
	}
	if found := value.Foreign(learner.Metered{Learner: p}); len(found) != 1 || !strings.Contains(found[0], "external.Program") {
		t.Errorf("without a version, foreign types %q, want it", found)
	}
	p.Version = "3"
	if found := value.Foreign(learner.Metered{Learner: p}); len(found) != 0 {
		t.Errorf("with a version, foreign types %q, want none", found)
	}
}

// TestTuning: what cannot be run is refused, by its name.
func TestTuning(t *testing.T) {
	for _, c := range []struct {
		p    Program
		want string
	}{
		{Program{}, "Program.Command"},
		{Program{Command: []string{""}}, "Program.Command"},
		{Program{Command: []string{"a\x00b"}}, "zero byte"},
		{Program{Command: []string{"true"}, AnswerWithin: -1}, "AnswerWithin"},
		{Program{Command: []string{"true"}, OpenWithin: -1}, "OpenWithin"},
		{Program{Command: []string{"no-such-program-here"}}, "no-such-program-here, when it was opened"},
	} {
		if _, err := c.p.Open(small, 10); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one that says %q", c.p, err, c.want)
		}
	}
	if l, err := self("serve", "linucb").Open(bandit.Problem{Arms: 5, Slots: 5, RewardMax: 1}, 10); err == nil || !strings.Contains(err.Error(), "it says") {
		bandit.Close(l)
		t.Errorf("a problem that the program does not play: error %v, want the program's words", err)
	}
}

// TestClosed: a run that is over, or whose learner is closed, says so.
func TestClosed(t *testing.T) {
	mark := marks(t)
	l, err := self("serve", "random").Open(small, 10)
	if err != nil {
		t.Fatal(err)
	}
	start := func() bandit.Run { return l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4)) }
	v := bandit.View{Round: 1, Arms: 5, Dim: 3, X: make([]float64, 15)}
	unused, first, second := start(), start(), start()
	for _, r := range []bandit.Run{first, second} {
		if _, err := r.Select(&v, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []bandit.Run{unused, first, first} {
		if err := bandit.Close(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.Select(&v, nil); err == nil || !strings.Contains(err.Error(), "over") {
		t.Errorf("a closed run says %v", err)
	}
	if n := len(l.(*opened).idle); n != 1 {
		t.Errorf("%d processes wait, want 1", n)
	}
	if err := bandit.Close(l); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := second.Select(&v, nil); !errors.As(err, &e) || e.Fault != closed {
		t.Errorf("a run of a closed learner says %v", err)
	}
	if _, err := start().Select(&v, nil); !errors.As(err, &e) || e.Fault != closed {
		t.Errorf("a new run of a closed learner says %v", err)
	}
	if n := len(marked(mark)); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// TestDropped: runs and learners that are dropped without being closed leave no process.
func TestDropped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody can count the processes here")
	}
	mark := marks(t)
	func() {
		l, err := self("serve", "random").Open(small, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		v := bandit.View{Round: 1, Arms: 5, Dim: 3, X: make([]float64, 15)}
		for range 100 {
			if _, err := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4)).Select(&v, nil); err != nil {
				t.Fatal(err)
			}
		}
		last := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
		l = nil // which the run goes without
		v.Round = 0
		if n := await(mark, 50, func() {
			v.Round++
			runtime.GC()
			if _, err := last.Select(&v, nil); err != nil {
				t.Fatal(err)
			}
		}); n > 50 {
			t.Errorf("%d processes for runs that nobody holds", n)
		}
	}()
	if n := await(mark, 0, runtime.GC); n > 0 {
		t.Errorf("%d processes are left of a learner that nobody holds", n)
	}
}

// enough is how long a test waits for what takes milliseconds on an idle machine.
const enough = 5 * time.Minute

// await waits until no more than so many processes have a mark, or for long enough, and returns how
// many have. Before each look it calls do. A process that was killed is there until the system
// gives it the time to die.
func await(mark string, most int, do func()) (n int) {
	for deadline := time.Now().Add(enough); ; time.Sleep(10 * time.Millisecond) {
		do()
		if n = len(marked(mark)); n <= most || time.Now().After(deadline) {
			return n
		}
	}
}

// marks marks all that programs of the test start, so that marked lists them.
func marks(t *testing.T) (mark string) {
	mark = "test-" + strconv.FormatUint(rand.Uint64(), 36)
	t.Setenv(markName, mark)
	return mark
}

// TestNoiseIsElsewhere: the source of a run is told that a program draws noise of its own, so that
// a saved run of it is refused.
func TestNoiseIsElsewhere(t *testing.T) {
	marks(t)
	l, err := self("serve", "random").Open(small, 10)
	if err != nil {
		t.Fatal(err)
	}
	source := new(random.System)
	l.Start(rand.New(rand.NewPCG(1, 2)), source)
	if _, all := source.Words(); all {
		t.Error("the source was not told")
	}
	if err := bandit.Close(l); err != nil {
		t.Fatal(err)
	}
}
