package pkg_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/snapshot"
)

// saved is a subject that is a learner, and what it plays.
type saved struct {
	learner bandit.Learner
	problem bandit.Problem
	horizon int
}

// learnerOf returns the learner that a subject describes, for at least so many rounds. ok is false
// if it describes none that opens.
func learnerOf(s subject, rounds int) (of saved, ok bool) {
	u := &user{}
	u.values, _ = s.settable()
	made, _, err := described(u.values)
	if err != nil {
		return of, false
	}
	if of.learner, ok = made.Interface().(bandit.Learner); !ok {
		return of, false
	}
	if of.problem, ok = argument[bandit.Problem](u); !ok {
		return of, false
	}
	if s.name == "sparse.SparseJDP{}.Tuned" {
		of.problem.Dim = 4 // it picks three coordinates
	}
	of.horizon = max(u.horizon(), rounds)
	_, err = of.learner.Open(of.problem, of.horizon)
	return of, err == nil
}

// play plays a round of a game that is a function of the round and of what is played in it.
func (of *saved) play(s *snapshot.Session, round int) (arms []int, err error) {
	if round == 1 && s.WantsWarmUp() {
		if err := s.WarmUp(make([]float64, of.problem.Arms)); err != nil {
			return nil, err
		}
	}
	rng, p := random.New(1, round, "game"), of.problem
	v := view(p, round, rng)
	if arms, err = s.Select(v, nil); err != nil {
		return nil, err
	}
	rewards, y := make([]float64, p.Arms), make([]float64, len(arms))
	for a := range rewards {
		mean := float64(a+1) / float64(p.Arms+1)
		if p.Dim > 0 {
			mean = 0.5 + 0.4*v.Row(a)[0]/p.ContextNorm
		}
		if rewards[a] = p.RewardMin; rng.Float64() < mean {
			rewards[a] = p.RewardMax
		}
	}
	for i, a := range arms {
		y[i] = rewards[a]
	}
	err = s.Update(v, arms, y)
	clear(v.X) // nobody may keep the contexts
	return arms, err
}

// TestSnapshot saves every learner at random rounds and loads it, and wants the rest to be what it
// would have been: the arms, the noise drawn, the plan and the warnings. It is deterministic, but
// for the runs with the system's noise, which have to load and go on.
func TestSnapshot(t *testing.T) {
	rounds, times := 500, 10
	if testing.Short() {
		rounds, times = 200, 2
	}
	learners := 0
	for _, s := range subjects() {
		of, ok := learnerOf(s, rounds)
		if !ok {
			continue
		}
		learners++
		t.Run(s.name, func(t *testing.T) {
			goesOn(t, &of, rounds, rand.New(rand.NewPCG(1, uint64(len(s.name)))).Perm(rounds)[:times])
			deployed(t, &of)
		})
	}
	if learners < 60 {
		t.Errorf("%d learners, want all", learners)
	}
}

func save(t *testing.T, s *snapshot.Session) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := s.Save(&w); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func goesOn(t *testing.T, of *saved, rounds int, at []int) {
	original, err := snapshot.Seeded(of.learner, of.problem, of.horizon, 1)
	if err != nil {
		t.Fatal(err)
	}
	states := map[int][]byte{} // by the rounds played
	played := make([][]int, rounds+1)
	for round := 1; round <= rounds; round++ {
		if slices.Contains(at, round-1) {
			states[round-1] = save(t, original)
		}
		if played[round], err = of.play(original, round); err != nil {
			t.Fatal(err)
		}
	}
	last := save(t, original)
	for _, round := range at {
		restored, err := snapshot.Load(bytes.NewReader(states[round]), of.learner)
		if err != nil {
			t.Fatalf("after round %d: %v", round, err)
		}
		for next := round + 1; next <= rounds; next++ {
			if arms, err := of.play(restored, next); err != nil || !slices.Equal(arms, played[next]) {
				t.Fatalf("restored after round %d, it plays %v in round %d, want %v; err %v", round, arms, next, played[next], err)
			}
		}
		if !bytes.Equal(save(t, restored), last) {
			t.Errorf("restored after round %d, its last state is another", round)
		}
		if a, b := restored.Warnings(), original.Warnings(); !slices.Equal(a, b) {
			t.Errorf("restored after round %d, it warns of %v, want %v", round, a, b)
		}
		if a, b := restored.Plan(rounds), original.Plan(rounds); !reflect.DeepEqual(a.Draws, b.Draws) || !reflect.DeepEqual(a.Cases, b.Cases) || a.Held() != b.Held() {
			t.Errorf("restored after round %d, its plan is %+v, want %+v", round, a, b)
		}
	}
}

// deployed saves a run with the system's noise. Its past is the same when it is loaded, or Load
// finds another arm.
func deployed(t *testing.T, of *saved) {
	const rounds = 40
	original, err := snapshot.Deployed(of.learner, of.problem, of.horizon)
	if err != nil {
		t.Fatal(err)
	}
	s := original
	for round := 1; round <= rounds; round++ {
		if round == rounds/2 {
			if s, err = snapshot.Load(bytes.NewReader(save(t, original)), of.learner); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := of.play(s, round); err != nil && !errors.Is(err, account.ErrSpent) {
			t.Fatal(err)
		}
	}
}
