package judge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestPublicContexts: contexts are left alone if the relation is the toolkit's own of weights, and
// not for whatever an author calls a record.
func TestPublicContexts(t *testing.T) {
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for name, want := range map[string]bool{"core set, Gaussian": true, "JDP LinUCB, BLT": false, "LDP LinUCB": false} {
		l := catalogue.Learner{Name: name, Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
		claim, err := learner.ClaimOf(l, problem, 100)
		if err != nil || claim.Neighbours().PublicContexts() != want {
			t.Errorf("%s: %v, public contexts %v, want %v (%v)", name, claim.Neighbours(), !want, want, err)
		}
	}
	if n := (privacy.Neighbours{Relation: privacy.Replace, Record: "user's reward", Contributions: 1}); n.PublicContexts() {
		t.Errorf("%v: contexts are taken for public", n)
	}
}

// TestSameContexts: where contexts are public, the streams of a search differ in rewards alone, and
// do differ.
func TestSameContexts(t *testing.T) {
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	free := audit.LongStreams(p, 64, 1)
	rng, found := rand.New(rand.NewPCG(1, 1)), 0
	for range 200 {
		world0, world1 := sameContexts(free)(rng)
		differ := 0
		for i := range world0 {
			if !slices.Equal(world0[i].X, world1[i].X) {
				t.Fatalf("round %d: contexts %v and %v", i+1, world0[i].X, world1[i].X)
			}
			if !slices.Equal(world0[i].Rewards, world1[i].Rewards) {
				differ++
			}
		}
		if differ != 1 {
			t.Fatalf("the worlds differ in the rewards of %d rounds, want 1", differ)
		}
		if w0, w1 := free(rng); !slices.EqualFunc(w0, w1, func(a, b audit.Round) bool { return slices.Equal(a.X, b.X) }) {
			found++
		}
	}
	if found == 0 {
		t.Error("no proposal has other contexts, so that this tests nothing")
	}
}
