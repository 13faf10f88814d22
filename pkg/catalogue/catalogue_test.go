package catalogue_test

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestLearners: names and keys differ, and each learner plays some world, with its contexts or
// without.
func TestLearners(t *testing.T) {
	seen := map[string]bool{}
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
			for _, env := range []bandit.Environment{w.Environment, environment.Blind{Environment: w.Environment}} {
				world, err := bandit.OpenWorld(env)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := l.Open(world.Problem(), 1000); err == nil {
					plays++
				}
			}
		}
		if plays == 0 {
			t.Errorf("%s plays no world", e.Name)
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
