package catalogue_test

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestLearners: names and keys differ, and each learner plays some world of the rewards that it is
// made for, with its contexts or without. Each world is played by a private learner made for it.
func TestLearners(t *testing.T) {
	seen, played := map[string]bool{}, map[string]bool{}
	for _, w := range catalogue.Worlds() {
		if seen[w.Key] {
			t.Errorf("two worlds are called %q", w.Key)
		}
		seen[w.Key] = true
	}
	for _, e := range catalogue.All() {
		if seen[strings.ToLower(e.Name)] {
			t.Errorf("two learners are called %q", e.Name)
		}
		seen[strings.ToLower(e.Name)] = true
		l := catalogue.Learner{Name: strings.ToUpper(e.Name), Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
		plays := 0
		for _, w := range catalogue.Worlds() {
			for hidden, env := range []bandit.Environment{w.Environment, environment.Blind{Environment: w.Environment}} {
				world, err := bandit.OpenWorld(env)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := l.Open(world.Problem(), 1000); err == nil && e.Suits(w, hidden > 0) {
					plays++
					played[w.Key] = played[w.Key] || e.Private
				}
			}
		}
		if plays == 0 {
			t.Errorf("%s plays no world that it is made for", e.Name)
		}
	}
	for _, w := range catalogue.Worlds() {
		if !played[w.Key] {
			t.Errorf("no private learner is made for world %q", w.Key)
		}
	}
}

// TestSuits: rewards suit a learner if they are those that it is made for, whatever they are if
// either does not state them, and fixed means if contexts are hidden.
func TestSuits(t *testing.T) {
	linear, unstated := catalogue.World{Rewards: catalogue.LinearMeans}, catalogue.World{}
	for _, c := range []struct {
		of     catalogue.Rewards
		in     catalogue.World
		hidden bool
		want   bool
	}{
		{catalogue.LinearMeans, linear, false, true},
		{catalogue.LinearMeans, linear, true, false},
		{catalogue.FixedMeans, linear, true, true},
		{catalogue.FixedMeans, linear, false, false},
		{catalogue.SmoothMeans, linear, false, false},
		{catalogue.AnyRewards, linear, false, true},
		{catalogue.Unstated, linear, false, true},
		{catalogue.Clicks, unstated, false, true},
	} {
		if got := (catalogue.Entry{For: c.of}).Suits(c.in, c.hidden); got != c.want {
			t.Errorf("for %v, in %v, contexts hidden %t: suits %t, want %t", c.of, c.in.Rewards, c.hidden, got, c.want)
		}
	}
}

// TestRefuses: a problem that an entry is not for is an error with its value, of Enter and of Open.
func TestRefuses(t *testing.T) {
	two := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for name, c := range map[string]struct {
		p    bandit.Problem
		want string
	}{
		"JDP kernel UCB, BLT": {two, "Problem.Dim = 2, want 1"},
		"DP-CascadeUCB1":      {bandit.Problem{Arms: 4, Slots: 1, RewardMax: 1}, "Problem.Slots = 1, want >= 2"},
	} {
		b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
		l := catalogue.Learner{Name: name, Budget: b}
		_, opened := l.Open(c.p, 100)
		e, err := l.Entry()
		if err != nil {
			t.Fatal(err)
		}
		_, _, entered := e.Enter(c.p, b, 100)
		for _, err := range []error{opened, entered} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one of %s with %q", err, name, c.want)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	if _, err := (catalogue.Learner{Name: "UCB9"}).Open(p, 10); err == nil || !strings.Contains(err.Error(), `"UCB9"`) {
		t.Errorf("error %v of an unknown learner, want its name", err)
	}
	if _, err := (catalogue.Learner{Name: "UCB1"}).Open(bandit.Problem{}, 10); err == nil {
		t.Error("a problem of nothing is accepted")
	}
	if _, err := catalogue.Named("two", "three"); err == nil || !strings.Contains(err.Error(), `"three"`) || !strings.Contains(err.Error(), `"spread"`) {
		t.Errorf("error %v of an unknown world, want its key and the known ones", err)
	}
}
