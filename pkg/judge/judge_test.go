package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var budget = privacy.Budget{Epsilon: 1, Delta: 0.01}

// short are options for a card in a second or two: two worlds and three rivals.
func short(t *testing.T) judge.Options {
	t.Helper()
	worlds, err := catalogue.Named("two", "fresh")
	if err != nil {
		t.Fatal(err)
	}
	var rivals []catalogue.Entry
	for _, name := range []string{"UCB1", "DP-IMED", "AdaP-UCB", "LinUCB", "JDP LinUCB, tree"} {
		e, err := catalogue.Learner{Name: name}.Entry()
		if err != nil {
			t.Fatal(err)
		}
		rivals = append(rivals, e)
	}
	return judge.Options{Worlds: worlds, Rivals: rivals}
}

func card(t *testing.T, l bandit.Learner, o judge.Options) *judge.Card {
	t.Helper()
	c, err := judge.Learner(context.Background(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSound: the claims of the toolkit's learners stand, and the attacks that nobody wrote by hand
// find at least .6 of each. A true claim falls with probability at most 1% a card.
func TestSound(t *testing.T) {
	for name, l := range map[string]bandit.Learner{
		"BLT":            learner.New(linear.UCB{}, continual.BLT{Budget: budget}),
		"logistic":       learner.New(linear.Logistic{ThetaNorm: 2.5}, continual.BLT{Budget: budget}),                    // whose rows depend on releases
		"features":       learner.Kernel{Learner: learner.New(linear.UCB{}, continual.BLT{Budget: budget}), Features: 8}, // of many numbers
		"DP-IMED":        arms.IMED{}.Private(1, 2),
		"DP-SE":          arms.DPElimination{}.Private(1),
		"KL-UCB of bits": arms.KLUCB{}.Local(1),
		"LDP LinUCB":     learner.Local{Device: local.LDPDevice{Noise: local.LDPNoise{Budget: budget}}, Server: local.LDPServer{Noise: local.LDPNoise{Budget: budget}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := card(t, l, short(t))
			if len(c.Attacks) == 0 || c.Attacks[0].False || c.Attacks[0].Excluded < 0.6*c.Attacks[0].Claimed {
				t.Errorf("%s, want at least .6 of the claim, and no more than it", c.Verdict())
			}
			for _, k := range c.Checks {
				if len(k.Failures) > 0 {
					t.Errorf("%s: %v", k.Suite, k.Failures)
				}
			}
			for _, r := range c.Races {
				if r.Trials != 8 || r.Rank < 1 || r.Rank > r.Private {
					t.Errorf("%s: %d trials, rank %d of %d", r.World, r.Trials, r.Rank, r.Private)
				}
			}
			if len(c.Costs) == 0 || c.Costs[0].Allocations > 0.1 {
				t.Errorf("costs %+v, want no allocations", c.Costs)
			}
		})
	}
}

// lying is a statistic that claims what another one proves.
type lying struct{ Says, Does privacy.Accumulator }

type openLying struct {
	says, does privacy.Mechanism[privacy.Sums]
}

type lyingRun struct {
	privacy.Stream[privacy.Sums]
	of *openLying
}

func (l lying) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	says, err := l.Says.Open(s)
	if err != nil {
		return nil, err
	}
	does, err := l.Does.Open(s)
	return &openLying{says, does}, err
}

func (l *openLying) Plan(records int) privacy.Plan { return privacy.PlanOf(l.says, records).HeldBy(l) }

func (l *openLying) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	return &lyingRun{l.does.Start(n), l}
}

func (r *lyingRun) Plan(records int) privacy.Plan {
	return privacy.PlanOf(r.of.says, records).HeldBy(r)
}

// frozen is a statistic whose noise is the same in all runs.
type frozen struct{ privacy.Accumulator }

type openFrozen struct {
	privacy.Mechanism[privacy.Sums]
}

func (f frozen) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	m, err := f.Accumulator.Open(s)
	return openFrozen{m}, err
}

func (f openFrozen) Start(*privacy.Noise) privacy.Stream[privacy.Sums] {
	return f.Mechanism.Start(privacy.NewNoise(rand.NewPCG(1, 1)))
}

// cheat is a learner that claims what another one does, and sees raw rewards.
type cheat struct {
	bandit.Learner
	From  int  // the round from which on arm 0 is played if the first reward was above .5, else arm 1
	Crash int  // the round in which it panics
	Deaf  bool // takes in whatever it is given
	Whim  int  // the round from which on it draws from a source of its own
}

type openCheat struct {
	bandit.Calibrated
	cheat
}

type cheatRun struct {
	bandit.Run
	cheat
	first float64
}

func (c cheat) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	l, err := c.Learner.Open(p, horizon)
	return &openCheat{l, c}, err
}

func (c *openCheat) Plan(records int) privacy.Plan {
	return privacy.PlanOf(c.Calibrated, records).HeldBy(c)
}

func (c *openCheat) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &cheatRun{Run: c.Calibrated.Start(own, noise), cheat: c.cheat}
}

func (r *cheatRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if r.Crash > 0 && v.Round == r.Crash {
		panic("index out of range")
	}
	if r.Whim > 0 && v.Round >= r.Whim {
		return append(dst, rand.IntN(v.Arms)), nil
	}
	if r.From > 0 && v.Round >= r.From && v.Arms > 1 {
		if r.first > 0.5 {
			return append(dst, 0), nil
		}
		return append(dst, 1), nil
	}
	return r.Run.Select(v, dst)
}

func (r *cheatRun) Update(v *bandit.View, arms []int, y []float64) error {
	if v.Round == 1 {
		r.first = y[0]
	}
	err := r.Run.Update(v, arms, y)
	if r.Deaf {
		return nil
	}
	return err
}

// narrow is a learner that claims what one does, and is another one where rewards have a wider
// range than 1.
type narrow struct{ Says, Does bandit.Learner }

type openNarrow struct {
	bandit.Calibrated
	says bandit.Calibrated
}

func (n narrow) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	says, err := n.Says.Open(p, horizon)
	if err != nil || p.RewardMax-p.RewardMin <= 1 {
		return says, err
	}
	does, err := n.Does.Open(p, horizon)
	return &openNarrow{does, says}, err
}

func (n *openNarrow) Plan(records int) privacy.Plan { return privacy.PlanOf(n.says, records).HeldBy(n) }

// TestBroken: learners with a bug each, and what the card says of it.
func TestBroken(t *testing.T) {
	tree := func(epsilon float64) privacy.Accumulator {
		return continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: epsilon, Delta: 0.01}}}
	}
	for _, b := range []struct {
		name   string
		l      bandit.Learner
		isTrue bool   // the claim
		failed string // in the failures of the checks
	}{
		{"a third of the noise", learner.New(linear.UCB{}, lying{tree(1), tree(3)}), false, "Ledger"},
		{"one noise for all runs", learner.New(linear.UCB{}, lying{tree(1), frozen{tree(1)}}), false, "Ledger"},
		{"remembers from round 5 on", cheat{Learner: arms.IMED{}.Private(1, 2), From: 5}, false, ""},
		{"scales rewards and not its noise", narrow{arms.DPUCB{}.Private(1), arms.DPUCB{}.Private(12)}, false, ""},
		{"repeats itself until round 700", cheat{Learner: arms.IMED{}.Private(1, 2), Whim: 700}, true, "Deterministic"},
		{"crashes in round 500", cheat{Learner: arms.IMED{}.Private(1, 2), Crash: 500}, true, "index out of range"},
		{"takes a NaN", cheat{Learner: arms.IMED{}.Private(1, 2), Deaf: true}, true, "BadRewards"},
	} {
		t.Run(b.name, func(t *testing.T) {
			c := card(t, b.l, short(t))
			if said := !strings.Contains(c.Verdict(), "is false"); said != b.isTrue {
				t.Errorf("verdict %q, want the claim %v", c.Verdict(), b.isTrue)
			}
			var all []string
			for _, k := range c.Checks {
				all = append(all, k.Failures...)
			}
			if !strings.Contains(strings.Join(all, "\n"), b.failed) {
				t.Errorf("failures %q, want one with %q", all, b.failed)
			}
		})
	}
}

// TestSame: a card is a function of its options, but for times; and it survives JSON.
func TestSame(t *testing.T) {
	o := short(t)
	o.Dir = filepath.Join(t.TempDir(), "made", "on the way")
	one, other := card(t, arms.IMED{}.Private(1, 2), o), card(t, arms.IMED{}.Private(1, 2), o)
	for _, c := range []*judge.Card{one, other} {
		c.Took, c.Costs = 0, nil
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(other)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v, or two cards differ:\n%s\n%s", err, text, again)
	}
	var back judge.Card
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.Claim, one.Claim) || back.String() != one.String() {
		t.Errorf("%v, or the card read back is another:\n%v\n%v", err, &back, one)
	}
}

// TestKeepsAttacks: an attack that is kept is not made again, unless the seed is another one or
// its file is damaged.
func TestKeepsAttacks(t *testing.T) {
	o := short(t)
	o.Dir, o.Only = t.TempDir(), []string{"attacks"}
	first := card(t, arms.IMED{}.Private(1, 2), o)
	files, err := filepath.Glob(filepath.Join(o.Dir, "attack-*.json"))
	if err != nil || len(files) < 2 || len(files) != len(first.Attacks) {
		t.Fatalf("%d files, %v, want one for each of %d attacks, and two at least", len(files), err, len(first.Attacks))
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.Replace(string(text), `"event":"`, `"event":"kept: `, 1))
		if i == 0 {
			text = text[:len(text)/2]
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(c *judge.Card) (n int) {
		for _, a := range c.Attacks {
			if strings.HasPrefix(a.Event, "kept: ") {
				n++
			}
		}
		return n
	}
	again := card(t, arms.IMED{}.Private(1, 2), o)
	o.Seed = 2
	if n, other := kept(again), kept(card(t, arms.IMED{}.Private(1, 2), o)); n != len(files)-1 || other != 0 || again.Attacks[0].Excluded != first.Attacks[0].Excluded {
		t.Errorf("%d attacks are not made again, %d with another seed, want %d and 0", n, other, len(files)-1)
	}
}

// TestWord: a claim is said to be proved only if the toolkit's checks have exercised it.
func TestWord(t *testing.T) {
	for standing, want := range map[privacy.Standing]string{privacy.Checked: "proved by", privacy.Stated: "stated by", privacy.Asserted: "NOT proved"} {
		c := judge.Card{Claim: judge.Claim{Held: true, Epsilon: 1, Standing: standing.String(), Accountant: "an"}}
		if text := c.String(); !strings.Contains(text, want) {
			t.Errorf("%v: the card has no %q:\n%s", standing, want, text)
		}
	}
}

// TestOneDirectory: cards of several learners, scales or seeds share a directory.
func TestOneDirectory(t *testing.T) {
	o := short(t)
	o.Dir, o.Only = t.TempDir(), []string{"races"}
	card(t, arms.DPUCB{}.Private(1), o)
	card(t, arms.DPUCB{}.Private(2), o)
	o.Seed = 2
	card(t, arms.DPUCB{}.Private(1), o)
}

// opaque is a learner whose fields do not say what it does.
type opaque struct{ cheat }

func (opaque) Opaque() bool { return true }

// TestRefuses: what cannot be judged is an error that says why.
func TestRefuses(t *testing.T) {
	o := short(t)
	o.Dir = t.TempDir()
	for want, try := range map[string]func() error{
		"is nil": func() error { _, err := judge.Learner(context.Background(), nil, judge.Options{}); return err },
		"Scale = \"7\"": func() error {
			_, err := judge.Learner(context.Background(), arms.UCB1{}.Learner(), judge.Options{Scale: "7"})
			return err
		},
		"Workers = -1": func() error {
			_, err := judge.Learner(context.Background(), arms.UCB1{}.Learner(), judge.Options{Workers: -1})
			return err
		},
		`Only has "race"`: func() error {
			_, err := judge.Learner(context.Background(), arms.UCB1{}.Learner(), judge.Options{Only: []string{"race"}})
			return err
		},
		"Attacks = -1": func() error {
			_, err := judge.Learner(context.Background(), arms.UCB1{}.Learner(), judge.Options{Attacks: -1})
			return err
		},
		"Confidence = 1": func() error {
			_, err := judge.Learner(context.Background(), arms.UCB1{}.Learner(), judge.Options{Confidence: 1})
			return err
		},
		"none of": func() error { _, err := judge.Learner(context.Background(), arms.DPUCB{}.Private(-1), o); return err },
		"Version": func() error {
			_, err := judge.Learner(context.Background(), opaque{cheat{Learner: arms.UCB1{}.Learner()}}, o)
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := judge.Learner(ctx, arms.UCB1{}.Learner(), short(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled context", err)
	}
}

// TestStopped: a card that was interrupted amid its attacks has no verdict, and says so.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := short(t)
	o.Only, o.Dir = nil, ""
	o.Progress = func(doing string) {
		if strings.HasPrefix(doing, "searching") {
			cancel()
		}
	}
	c, err := judge.Learner(ctx, arms.DPUCB{}.Private(1), o)
	if !errors.Is(err, context.Canceled) || c.Stopped != "attacks" {
		t.Fatalf("stopped at %q, %v", c.Stopped, err)
	}
	if !strings.Contains(c.Verdict(), "no verdict") || !strings.Contains(c.String(), "INTERRUPTED at the attacks") {
		t.Errorf("verdict %q on the card\n%v", c.Verdict(), c)
	}
}

// TestLittleSeen: a claim of which attacks saw little is not said to stand.
func TestLittleSeen(t *testing.T) {
	for excluded, want := range map[float64]string{0.9: "the claim stands", 0.1: "little of it was seen"} {
		c := judge.Card{Claim: judge.Claim{Held: true, Epsilon: 1}, Attacks: []judge.Attack{{Name: "an attack", Claimed: 1, Excluded: excluded}}}
		if !strings.Contains(c.Verdict(), want) {
			t.Errorf("%v of 1 excluded: %q, want %q in it", excluded, c.Verdict(), want)
		}
	}
}

// TestOnly: a card has the sections that are asked for, and says so of its claim.
func TestOnly(t *testing.T) {
	o := short(t)
	o.Only = []string{"costs"}
	c := card(t, arms.DPUCB{}.Private(1), o)
	if len(c.Costs) == 0 || c.Races != nil || c.Attacks != nil || c.Checks != nil || c.Grows != nil || c.Inside != nil {
		t.Errorf("want costs alone, got\n%v", c)
	}
	if !strings.Contains(c.Verdict(), "not attacked") {
		t.Errorf("verdict %q of a claim that was not attacked", c.Verdict())
	}
}

// TestGrowsUnderALaw: growth is measured where rewards follow a law, if the learner plays there.
func TestGrowsUnderALaw(t *testing.T) {
	for world, keys := range map[string][]string{"2 arms": {"two", "adversary"}, "10 arms, means that go up and down": {"adversary"}} {
		o := short(t)
		o.Only = []string{"growth"}
		var err error
		if o.Worlds, err = catalogue.Named(keys...); err != nil {
			t.Fatal(err)
		}
		c := card(t, arms.DPUCB{}.Private(1), o)
		if len(c.Grows) == 0 || c.Grows[0].World != world {
			t.Errorf("worlds %q: grows %+v, want in %s", keys, c.Grows, world)
		}
	}
}

// TestMadeFor: worlds of rewards that a learner of the catalogue is not made for come last, growth
// is not measured there, and the card says so of it and of its rivals.
func TestMadeFor(t *testing.T) {
	o := short(t)
	o.Only = []string{"races", "growth"}
	var err error
	if o.Worlds, err = catalogue.Named("kernel", "fresh", "logistic"); err != nil {
		t.Fatal(err)
	}
	kernel, err := catalogue.Learner{Name: "JDP kernel UCB, BLT"}.Entry()
	if err != nil {
		t.Fatal(err)
	}
	o.Rivals = append(o.Rivals, kernel)
	c := card(t, catalogue.Learner{Name: "JDP LinUCB, BLT", Budget: budget}, o)
	var worlds, made []string
	for _, r := range c.Races {
		worlds, made = append(worlds, r.World), append(made, r.Learner().For)
	}
	fresh, logistic, smooth := "10 fresh contexts, d = 5", "20 fresh contexts, d = 3, logistic", "20 fresh contexts, d = 1, smooth"
	if want := []string{fresh, smooth, logistic}; !slices.Equal(worlds, want) {
		t.Fatalf("races in %q, want %q", worlds, want)
	}
	if want := []string{"", "linear rewards", "linear rewards"}; !slices.Equal(made, want) {
		t.Errorf("in %q, the learner is for %q, want %q", worlds, made, want)
	}
	if r := c.Races[1]; r.Made != 1 || !strings.HasSuffix(r.Standing(), " of 3 private learners, 1 of them for such rewards") {
		t.Errorf("%s: %d learners are made for it, %q", r.World, r.Made, r.Standing())
	}
	if c.Grows[0].World != fresh {
		t.Errorf("growth is measured in %s, want in %s", c.Grows[0].World, fresh)
	}
	if text := c.String(); !strings.Contains(text, smooth+", though it is for linear rewards") || strings.Contains(text, fresh+", though") {
		t.Errorf("the card does not say what its learner is for:\n%s", text)
	}
	// of a learner that the catalogue does not know, growth is measured where means are linear
	c = card(t, learner.New(linear.UCB{}, continual.BLT{Budget: budget}), o)
	if c.Grows[0].World != fresh || c.Races[0].World != smooth || c.Races[0].Learner().For != "" {
		t.Errorf("growth in %s, races first in %s, for %q", c.Grows[0].World, c.Races[0].World, c.Races[0].Learner().For)
	}
}

// single is a learner that plays arm 0, and never looks at Problem.Slots.
type single struct{}

func (single) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return single{} }), nil
}

func (single) Select(_ *bandit.View, dst []int) ([]int, error)   { return append(dst, 0), nil }
func (single) Update(_ *bandit.View, _ []int, _ []float64) error { return nil }

// TestSingle: a learner that plays one arm of a list does not play the world of lists, and that is
// no failure.
func TestSingle(t *testing.T) {
	o := short(t)
	o.Only = []string{"races"}
	var err error
	if o.Worlds, err = catalogue.Named("two", "lists"); err != nil {
		t.Fatal(err)
	}
	c := card(t, single{}, o)
	if len(c.Races) != 1 || len(c.Checks) > 0 || len(c.PlaysNot) != 1 || !strings.Contains(c.PlaysNot[0], "it plays 1 arms of Problem.Slots = 4") {
		t.Errorf("%d races, checks %v, does not play %q", len(c.Races), c.Checks, c.PlaysNot)
	}
}

// TestRivalFails: a rival that fails is named, and is no fault of the learner.
func TestRivalFails(t *testing.T) {
	o := short(t)
	o.Only = []string{"races"}
	o.Rivals = []catalogue.Entry{{Name: "crashes", New: func(bandit.Problem, privacy.Budget) bandit.Learner {
		return cheat{Learner: arms.UCB1{}.Learner(), Crash: 500}
	}}}
	c := card(t, arms.DPUCB{}.Private(1), o)
	if len(c.Checks) > 0 {
		t.Errorf("the learner is charged with %v", c.Checks)
	}
	if len(c.Races) == 0 || !strings.Contains(c.Races[0].Failed, `policy "crashes"`) {
		t.Errorf("races %+v, want one that says which rival failed", c.Races)
	}
}

// BenchmarkRaces plays the races of a card, and the same learners in the same worlds by simulate
// alone.
func BenchmarkRaces(b *testing.B) {
	l := catalogue.Learner{Name: "DP-IMED", Budget: budget}
	worlds, err := catalogue.Named("two", "spread", "many")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("card", func(b *testing.B) {
		for range b.N {
			o := judge.Options{Worlds: worlds, Only: []string{"races"}, Scale: "lecture"}
			if _, err := judge.Learner(context.Background(), l, o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("simulate", func(b *testing.B) {
		for range b.N {
			for _, w := range worlds {
				world, err := bandit.OpenWorld(w.Environment)
				if err != nil {
					b.Fatal(err)
				}
				e := &simulate.Experiment{Name: w.Key, Environment: w.Environment, Horizon: 10_000, Trials: 24, Seed: 1,
					Policies: []simulate.Policy{{Name: "this learner", Learner: l}}, Grid: simulate.LogGrid(10_000, 24)}
				for _, r := range catalogue.Learners() {
					if rival, _, err := r.Enter(world.Problem(), budget, 10_000); err == nil {
						e.Policies = append(e.Policies, simulate.Policy{Name: r.Name, Learner: rival})
					}
				}
				if _, err := e.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
