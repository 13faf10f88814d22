// Package catalogue lists the learners of the toolkit, and the worlds in which they are compared.
//
//   - [Learners] lists what plays for a small regret, with the constants that the papers publish.
//   - [All] lists these and all others. A new learner is one [Entry] in unraced.go.
//   - [Learner] is one of them by its name, and [Entry.Enter] makes one for a problem.
//   - [Worlds] lists environments, from two arms to clicks on lists; [Named] picks some of them.
//
// A race of a learner of your own takes its rivals and its worlds from here, as the leaderboard and
// the report card (package judge) do.
package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Learners lists learners for a race at equal privacy, where all have the same budget: of K arms,
// on a uniform matroid, with contexts, of lists, and for an adversary.
func Learners() []Entry {
	return slices.Concat(single(), several(), contextual(), curved(), lists(), adversarial())
}

// All lists Learners, and those that no committed race has.
func All() []Entry { return append(Learners(), unraced()...) }

// Learner is a learner of the catalogue by its name, at a budget: a plain value, for what a person
// types.
type Learner struct {
	Name   string         // of an entry of All; upper and lower case are the same
	Budget privacy.Budget // one with pure privacy takes epsilon alone, one that is not private neither
}

var _ bandit.Learner = Learner{}

// Entry returns the learner's entry. An unknown name is an error.
func (l Learner) Entry() (Entry, error) {
	all := All()
	i := slices.IndexFunc(all, func(e Entry) bool { return strings.EqualFold(e.Name, l.Name) })
	if i < 0 {
		return Entry{}, fmt.Errorf("catalogue: no learner is called %q", l.Name)
	}
	return all[i], nil
}

// Open opens the learner.
func (l Learner) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	e, err := l.Entry()
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil { // an entry makes a learner of valid problems
		return nil, err
	}
	made, err := e.open(p, l.Budget)
	if err != nil {
		return nil, err
	}
	return made.Open(p, horizon)
}

// Enter makes an entry's learner for a problem, and says what it claims for so many rounds. A
// problem that the entry is not for is an error.
func (e Entry) Enter(p bandit.Problem, b privacy.Budget, horizon int) (l bandit.Learner, c privacy.Claim, err error) {
	if l, err = e.open(p, b); err != nil {
		return nil, c, err
	}
	c, err = learner.ClaimOf(l, p, horizon)
	return l, c, err
}

// World is an environment in which learners are compared.
type World struct {
	Key         string // short, for names of files
	Name        string // in words
	Environment bandit.Environment
	// Hideable says that a learner without contexts can play it, too, through environment.Blind: the
	// arms stay the same.
	Hideable bool
	Rewards  Rewards
}

// Means returns the means of Bernoulli arms; nil in any other world.
func (w World) Means() []float64 {
	a, _ := w.Environment.(environment.Arms)
	return a.Means
}

// Worlds lists the worlds. In those of arms, and of items, the best are the last: learners break
// ties by the lowest index, which must not help them.
func Worlds() []World {
	nineteen := make([]float64, 19, 20) // from 0.24 to 0.6
	for i := range nineteen {
		nineteen[i] = 0.24 + float64(0.02*float64(i))
	}
	attraction := append(slices.Repeat([]float64{0.05}, 12), slices.Repeat([]float64{0.2}, 4)...)
	return []World{
		{"two", "2 arms", environment.Arms{Means: []float64{0.4, 0.6}}, false, FixedMeans},
		{"close", "5 arms, one ahead", environment.Arms{Means: []float64{0.7, 0.7, 0.7, 0.7, 0.75}}, false, FixedMeans},
		{"spread", "5 arms, spread", environment.Arms{Means: []float64{0.25, 0.375, 0.5, 0.625, 0.75}}, false, FixedMeans},
		{"pair", "5 arms, two ahead", environment.Arms{Means: []float64{0.25, 0.46875, 0.625, 0.71875, 0.75}}, false, FixedMeans},
		{"many", "20 arms", environment.Arms{Means: append(nineteen, 0.7)}, false, FixedMeans},
		{"linear", "50 linear arms, d = 5", environment.SphereArms{Arms: 50, Dim: 5}, true, LinearMeans},
		{"fresh", "10 fresh contexts, d = 5", environment.UnitFeatures{Arms: 10, Dim: 5}, false, LinearMeans},
		{"adversary", "10 arms, means that go up and down", environment.Adversary{}, false, AnyRewards},
		{"sets", "25 fresh contexts, d = 5, a gap of 0.1", environment.DecisionSets{Arms: 25, Dim: 5, Gap: 0.1}, false, LinearMeans},
		{"logistic", "20 fresh contexts, d = 3, logistic", environment.Logistic{}, false, LogisticMeans},
		{"kernel", "20 fresh contexts, d = 1, smooth", environment.Kernel{}, false, SmoothMeans},
		{"lists", "lists of 4 of 16 items, clicks", environment.Cascade{Attraction: attraction, Slots: 4}, false, Clicks},
	}
}

// Named returns the worlds with these keys, in their order. An unknown key is an error that lists
// the known ones.
func Named(keys ...string) (some []World, err error) {
	all := Worlds()
	for _, key := range keys {
		i := slices.IndexFunc(all, func(w World) bool { return w.Key == key })
		if i < 0 {
			var known []string
			for _, w := range all {
				known = append(known, w.Key)
			}
			return nil, fmt.Errorf("catalogue: no world is called %q; there are %q", key, known)
		}
		some = append(some, all[i])
	}
	return some, nil
}
