package pkg_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/snapshot"
)

// A player is something that has a state, in a game that is a function of the round and of what was
// played in it.
type player struct {
	state  any
	play   func(round int) ([]int, error) // what was played
	ledger *privacy.Ledger
}

// newPlayer makes what a subject makes for so many rounds, with streams of a seed. There is none if
// that has no state.
func newPlayer(t *testing.T, s subject, rounds int, seed uint64) *player {
	u := &user{}
	u.values, _ = s.settable()
	for i, v := range u.values {
		switch of := v.Interface().(type) {
		case bandit.Problem:
			h := u.values[i+1]
			h.SetInt(max(h.Int(), int64(rounds)))
			if s.name == "learner.SparseJDPTuned" {
				of.Dim = 4 // it picks three coordinates
				v.Set(reflect.ValueOf(of))
			}
		case privacy.Setup:
			of.Horizon = max(of.Horizon, rounds)
			v.Set(reflect.ValueOf(of))
		case int:
			if i == 2 && len(u.values) == 3 && of == 16 { // an online learner's horizon
				v.SetInt(int64(rounds))
			}
		}
	}
	made, ok := call(u.values)
	p := &player{state: made, ledger: privacy.NewLedger(random.Source(seed, 0, "noise"))}
	own := random.New(seed, 0, "own")
	switch m := made.(type) {
	case bandit.Learner:
		if !ok {
			if !strings.HasSuffix(s.name, "of a nil pointer") && !strings.HasSuffix(s.name, "without a policy") {
				t.Errorf("%s makes no learner", s.name)
			}
			return nil
		}
		p.learner(t, u, m, own)
	case privacy.Mechanism[privacy.Sums]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[privacy.Means]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[mechanism.Total]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[mechanism.Stopped]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[mechanism.SparseGram]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[mechanism.SparseTheta]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case privacy.Mechanism[mechanism.Support]:
		p.start(u, m.Start(privacy.NewNoise(p.ledger)))
	case online.Learner:
		dim := len(m.Predict())
		p.play = func(round int) ([]int, error) {
			gradient, rng := make([]float64, dim), random.New(1, round, "game")
			for i := range gradient {
				gradient[i] = m.Predict()[i] - rng.Float64()
			}
			return nil, m.Update(gradient)
		}
	case *online.Experts:
		p.play = func(round int) ([]int, error) {
			losses, rng := make([]float64, u.values[1].Int()), random.New(1, round, "game")
			for i := range losses {
				losses[i] = rng.Float64()
			}
			return []int{m.Choose()}, m.Update(losses)
		}
	default:
		return nil
	}
	return p
}

// learner has a learner play a bandit.
func (p *player) learner(t *testing.T, u *user, l bandit.Learner, own *rand.Rand) {
	l.Reset(own, p.ledger)
	of, _ := argument[bandit.Problem](u)
	if w, ok := l.(bandit.Warmer); ok && w.WantsWarmUp() {
		w.WarmUp(make([]float64, of.Arms))
	}
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	p.play = func(round int) (arms []int, err error) {
		rng := random.New(1, round, "game")
		v := view(of, round, rng)
		arms = l.Select(v, nil)
		rewards, y := make([]float64, of.Arms), make([]float64, len(arms))
		for a := range rewards {
			mean := float64(a+1) / float64(of.Arms+1)
			if of.Dim > 0 {
				mean = 0.5 + 0.4*v.Row(a)[0]/of.ContextNorm
			}
			if rewards[a] = of.RewardMin; rng.Float64() < mean {
				rewards[a] = of.RewardMax
			}
		}
		for i, a := range arms {
			y[i] = rewards[a]
		}
		l.Update(v, arms, y)
		clear(v.X) // nobody may keep the contexts
		return arms, l.Err()
	}
}

// start has a run of a statistic take in records.
func (p *player) start(u *user, s interface {
	Add(*privacy.Record) (bool, error)
}) {
	p.state = s
	setup, _ := argument[privacy.Setup](u)
	p.play = func(round int) (moved []int, err error) {
		rng := random.New(1, round, "game")
		x := make([]float64, setup.Dim)
		for i := range x {
			x[i] = rng.Float64() - 0.5
		}
		record := privacy.Row(x)
		switch s.(type) {
		case privacy.Stream[mechanism.Total]:
			record = &privacy.Record{X: x}
		case privacy.Stream[mechanism.Stopped]:
			record = &privacy.Record{Y: []float64{rng.Float64()}}
		case privacy.Stream[privacy.Means]:
			record = &privacy.Record{Arms: rng.Perm(setup.Arms)[:setup.Slots], Y: make([]float64, setup.Slots)}
			for i := range record.Y {
				record.Y[i] = rng.Float64()
			}
		}
		is, err := s.Add(record)
		if is {
			moved = []int{round}
		}
		return moved, err
	}
}

func (p *player) save(t *testing.T) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := snapshot.Save(&w, p.state); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// TestSnapshot saves all that has a state at twenty random rounds, restores it into one that was
// made anew, with other streams, and wants the rest to be what it would have been: the actions, the
// noise drawn, what is spent of the budget, and in the end every bit of the state. It is
// deterministic.
func TestSnapshot(t *testing.T) {
	rounds, times := 500, 20
	if testing.Short() {
		rounds, times = 200, 4
	}
	learners := 0
	for _, s := range subjects() {
		if s.name == "mechanism.Blocks over a long horizon" {
			continue // the claim of which takes long
		}
		original := newPlayer(t, s, rounds, 1)
		if original == nil {
			continue
		}
		learners++
		t.Run(s.name, func(t *testing.T) { goesOn(t, s, original, rounds, times) })
	}
	if learners < 110 {
		t.Errorf("%d learners and statistics, want all", learners)
	}
}

func goesOn(t *testing.T, s subject, original *player, rounds, times int) {
	at := rand.New(rand.NewPCG(1, uint64(len(s.name)))).Perm(rounds)[:times]
	states := map[int][]byte{} // by the rounds played
	played := make([][]int, rounds+1)
	for round := 1; round <= rounds; round++ {
		if slices.Contains(at, round-1) {
			states[round-1] = original.save(t)
		}
		var err error
		if played[round], err = original.play(round); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	last := original.save(t)
	var restored *player
	for i, round := range at {
		restored = newPlayer(t, s, rounds, uint64(i)+2)
		if i%2 == 1 { // into one that has played
			if _, err := restored.play(1); err != nil {
				t.Fatal(err)
			}
		}
		if round > 1 && bytes.Equal(restored.save(t), states[round]) {
			t.Fatalf("after round %d its state is that of a new one", round)
		}
		if err := snapshot.Load(bytes.NewReader(states[round]), restored.state); err != nil {
			t.Fatalf("after round %d: %v", round, err)
		}
		if !bytes.Equal(restored.save(t), states[round]) {
			t.Fatalf("restored after round %d, its state is another", round)
		}
		for next := round + 1; next <= rounds; next++ {
			if arms, err := restored.play(next); err != nil || !slices.Equal(arms, played[next]) {
				t.Fatalf("restored after round %d, it plays %v in round %d, want %v; err %v", round, arms, next, played[next], err)
			}
		}
		fresh := s.name == "mechanism.SecureTree" // its noise is the operating system's, and not saved
		if !fresh && !bytes.Equal(restored.save(t), last) {
			t.Fatalf("restored after round %d, its last state is another", round)
		}
		if a, b := restored.ledger.Drawn(), original.ledger.Drawn(); !slices.Equal(a, b) {
			t.Fatalf("restored after round %d, it has drawn %v, want %v", round, a, b)
		}
	}
	if a, b := privacy.PlanOf(restored.state, rounds/2), privacy.PlanOf(original.state, rounds/2); !reflect.DeepEqual(a.Draws, b.Draws) ||
		!reflect.DeepEqual(a.Cases, b.Cases) || a.Held() != b.Held() {
		t.Errorf("its plan is %+v, want %+v", a, b)
	}
}
