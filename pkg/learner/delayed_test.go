package learner_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// upTo draws delays that are uniform in [0, upTo].
type upTo int

func (most upTo) Draw(own *rand.Rand) int { return own.IntN(int(most) + 1) }

// always is one delay.
type always int

func (delay always) Draw(*rand.Rand) int { return int(delay) }

func delayable() map[string]bandit.Learner {
	return map[string]bandit.Learner{
		"exact": learner.New(linear.UCB{}, nil),
		"tree":  learner.New(linear.UCB{}, gaussianTree()),
		"local": learnertest.LDP(local.LDPNoise{Budget: whole}),
	}
}

// start begins a run.
func start(t *testing.T, l bandit.Learner, p bandit.Problem, horizon int) (*runtest.Running, *privacy.Ledger) {
	t.Helper()
	ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
	return runtest.Run(t, l, p, horizon, random.New(1, 0, "own"), ledger), ledger
}

// TestDelayed compares a delayed learner with one that is handed the records in the order in which
// they come, by a list that is searched in each round.
func TestDelayed(t *testing.T) {
	const horizon = 300
	for name, l := range delayable() {
		for _, most := range []int{0, 1, 17, 1000} {
			for kind, delay := range map[string]interface{ Draw(own *rand.Rand) int }{"constant": nil, "random": upTo(most)} {
				env := environment.DecisionSets{Dim: 3, Arms: 6}
				trial := runtest.Open(t, env).Start(random.New(1, 0, "contexts"))
				d, ledger := start(t, learner.Delayed{Learner: l, Most: most, Delay: delay}, env.Problem(), horizon)
				plain, _ := start(t, l, env.Problem(), horizon)
				draw := func() int { return most }
				if delay != nil {
					own := random.New(1, 0, "own")
					own = rand.New(rand.NewPCG(own.Uint64(), own.Uint64()))
					draw = func() int { return delay.Draw(own) }
				}
				type pending struct {
					due  int
					view bandit.View
					arm  int
					y    float64
				}
				var list []pending
				y := []float64{0}
				for round := 1; round <= horizon; round++ {
					var v bandit.View
					trial.Next(&v)
					got, want := d.Select(&v, nil), plain.Select(&v, nil)
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %s delay of %d: %v in round %d, want %v", name, kind, most, got, round, want)
					}
					trial.Pull(random.New(1, round, "rewards"), got, y)
					due := pending{round + draw(), v, got[0], y[0]}
					due.view.X, due.view.Same = slices.Clone(v.X), false
					list = append(list, due)
					d.Update(&v, got, y)
					for _, p := range list {
						if p.due == round {
							plain.Update(&p.view, []int{p.arm}, []float64{p.y})
						}
					}
				}
				if err := ledger.CheckPlan(d.Run.(privacy.Planner), horizon); err != nil {
					t.Errorf("%s, %s delay of %d: %v", name, kind, most, err)
				}
				if a, b := privacy.ClaimOf(d.Run), privacy.ClaimOf(plain.Run); a.Proved() != b.Proved() || a.Held() != b.Held() {
					t.Errorf("%s: claims %v, want %v as its learner", name, a.Proved(), b.Proved())
				}
			}
		}
	}
}

func TestDelayedConforms(t *testing.T) {
	for name, l := range delayable() {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, learner.Delayed{Learner: l, Most: 5, Delay: upTo(5)},
				environment.DecisionSets{Dim: 2, Arms: 5}, bandittest.LearnerOptions{Horizon: 1000})
		})
	}
}

func TestDelayedRefuses(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	exact := delayable()["exact"]
	for word, d := range map[string]learner.Delayed{
		"Delayed.Learner is nil":       {},
		"a learner.Random":             {Learner: learner.Random{}},
		"Delayed.Most = -1, want >= 0": {Learner: exact, Most: -1},
		"Delayed.Most = 1073741824":    {Learner: exact, Most: 1 << 30},
		"LinUCB.Alpha = -0.5":          {Learner: learner.New(linear.UCB{Alpha: -0.5}, nil)},
	} {
		if _, err := d.Open(problem, 100); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one that names %q", err, word)
		}
	}
	for _, delay := range []int{-1, 4, math.MaxInt} {
		d, _ := start(t, learner.Delayed{Learner: exact, Most: 3, Delay: always(delay)}, problem, 100)
		v := &bandit.View{Round: 1, Arms: 5, Dim: 2, X: make([]float64, 10)}
		err := d.Run.Update(v, d.Select(v, nil), []float64{0.5})
		if err == nil || !strings.Contains(err.Error(), "want in [0, Most = 3]") {
			t.Errorf("a delay of %d: %v", delay, err)
		}
	}
}

// halting is a policy whose rule fails once, from a number of records on; 0: never.
type halting struct{ At int }

type haltingRule struct {
	halting
	failed bool
}

func (h halting) Prepare(bandit.Problem, int, *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] { return &haltingRule{halting: h} }), nil
}

func (h *haltingRule) Learn(r *privacy.Means) ([]float64, error) {
	if h.At > 0 && r.Records >= h.At && !h.failed {
		h.failed = true
		return nil, errors.New("halted")
	}
	return []float64{0}, nil
}

func (h *haltingRule) Act(_ []float64, _ *bandit.View, dst []int) ([]int, error) {
	return append(dst, 0), nil
}

// TestFailedRunsEnd: a rule that cannot learn from a record ends the run. The statistic has the
// record already, and its noise is drawn: a second try would take it in twice.
func TestFailedRunsEnd(t *testing.T) {
	problem := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	plain := learner.New(halting{At: 3}, tally.Tree{Budget: privacy.Budget{Epsilon: 1}})
	for name, l := range map[string]bandit.Learner{
		"private": plain,
		"delayed": learner.Delayed{Learner: plain, Most: 2, Delay: always(1)},
		"beyond":  learner.Delayed{Learner: learner.New(halting{}, tally.Tree{Budget: privacy.Budget{Epsilon: 1}}), Most: 2},
	} {
		run, _ := start(t, l, problem, 8)
		draws, ended := "", 0
		for round := 1; round <= 20; round++ {
			v := bandit.View{Round: round, Arms: 2}
			err := run.Run.Update(&v, []int{0}, []float64{1})
			_, selects := run.Run.Select(&v, nil)
			now := fmt.Sprint(privacy.PlanOf(run.Run, round).Draws)
			if (err == nil) != (selects == nil) {
				t.Fatalf("%s, round %d: Update %v, Select %v", name, round, err, selects)
			}
			if ended > 0 && (err == nil || now != draws) {
				t.Fatalf("%s, round %d, after the end in round %d: %v, draws %s and then %s", name, round, ended, err, draws, now)
			}
			if err != nil && ended == 0 {
				draws, ended = now, round
			}
		}
		if ended == 0 {
			t.Errorf("%s: 20 rounds without an error", name)
		}
	}
}

// warmHalting is a policy that wants a round 0, of which its rule cannot learn.
type warmHalting struct{ halting }

func (warmHalting) Ask(_ bandit.Problem, s *privacy.Setup) error {
	s.WarmUp = true
	return nil
}

// TestWarmUpEnds: a round 0 that is in is not taken in a second time.
func TestWarmUpEnds(t *testing.T) {
	l := learner.New(warmHalting{halting{At: 1}}, tally.Tree{Budget: privacy.Budget{Epsilon: 1}})
	run, _ := start(t, l, bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, 8)
	warmed := run.Run.(*learner.PrivateRun[privacy.Means])
	if err := warmed.WarmUp([]float64{1, 1}); err == nil {
		t.Fatal("the rule has not failed")
	}
	records := warmed.Release().Records
	if err := warmed.WarmUp([]float64{1, 1}); err == nil || warmed.Release().Records != records {
		t.Errorf("%v, and %d records, want %d", err, warmed.Release().Records, records)
	}
}

// TestDelayedRefusesTwice: an arm that is played twice in a round is refused in that round.
func TestDelayedRefusesTwice(t *testing.T) {
	l := learner.Delayed{Learner: learner.New(slots.CTS{Matroid: expect.Must(matroid.NewUniform(3, 2))}, tally.Counts{}), Most: 2}
	run, _ := start(t, l, bandit.Problem{Arms: 3, Slots: 2, RewardMax: 1}, 20)
	if err := run.Run.Update(&bandit.View{Round: 1, Arms: 3}, []int{0, 0}, []float64{1, 1}); err == nil {
		t.Error("arm 0 is taken twice")
	}
}
