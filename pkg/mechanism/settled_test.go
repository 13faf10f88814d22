package mechanism

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// mechanisms are opened mechanisms of all kinds, by name.
func mechanisms(t *testing.T) map[string]privacy.Planner {
	all := map[string]privacy.Planner{}
	b := privacy.Budget{Epsilon: 0.7, Delta: 0.01}
	add := func(name string, p privacy.Planner, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = p
	}
	for name, a := range accumulators(b) {
		add(name, a, a.open(privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1}))
	}
	for _, s := range []privacy.Setup{{Arms: 5, Slots: 2, Horizon: 40, Lo: -3, Hi: 5}, {Arms: 5, Slots: 2, Horizon: 17, Hi: 1, WarmUp: true}} {
		for name, tally := range tallies(b) {
			add(fmt.Sprintf("%s, warm-up %v", name, s.WarmUp), tally, tally.open(s))
		}
	}
	sparse := privacy.Setup{Dim: 7, Horizon: 60}
	for name, s := range map[string]privacy.Statistic[SparseGram]{
		"SparseEpisodes":   recipe(narrow),
		"ThresholdedLasso": ThresholdedLasso{Budget: narrow, Sparsity: 2, Reward: 1.5, Row: 2},
	} {
		p := played(s)
		add(name, p, p.open(sparse))
	}
	hard := played(NoisyIHT{Budget: narrow, Calibration: privacy.AsPublished, Sparsity: 2, L1: 1.5})
	add("NoisyIHT", hard, hard.open(sparse))
	answers := played(Additive{Budget: b, Query: largestOf{}, Lengths: lengths{3, 5}})
	add("Additive", answers, answers.open(privacy.Setup{Arms: 5, Slots: 2, Horizon: 17, Hi: 1}))
	laplace := shots(Laplace{Epsilon: 0.7, Dim: 3, Lo: -1, Hi: 2})
	add("Laplace", laplace, laplace.open())
	gaussian := shots(VectorGaussian{Budget: b, Dim: 3, Bound: 2})
	add("VectorGaussian", gaussian, gaussian.open())
	secure := shots(SecureGaussian{Budget: b, Dim: 3, Bound: 2})
	add("SecureGaussian", secure, secure.open())
	queries := shots(SparseVector{Epsilon: 0.7, Accepted: 2, Sensitivity: 1})
	add("SparseVector", queries, queries.open())
	top := shots(TopK{Budget: b, K: 2, Candidates: 4, Sensitivity: 0.1})
	add("TopK", top, top.open())
	response := shots(RandomisedResponse{Epsilon: 0.7, Choices: 3})
	add("RandomisedResponse", response, response.open())
	return all
}

// TestPlansAreCopies: whoever changes a plan, or the plan of a claim, changes nothing that is
// claimed later.
func TestPlansAreCopies(t *testing.T) {
	for name, of := range mechanisms(t) {
		say := func() string {
			p := privacy.PlanOf(of, privacy.All)
			return fmt.Sprintf("%+v %+v %q", p.Cases, p.Draws, p.Conditions)
		}
		want := say()
		claim := privacy.ClaimOf(of)
		if claim.Held() {
			want += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		for _, p := range []privacy.Plan{privacy.PlanOf(of, privacy.All), claim.Plan()} {
			for _, releases := range p.Cases {
				for i := range releases {
					releases[i].Sensitivity = privacy.Norms{}
					releases[i].Law.Scale *= 1e6
					for j := range releases[i].Parts {
						releases[i].Parts[j].Law.Scale *= 1e6
					}
				}
			}
			for i := range p.Draws {
				p.Draws[i].Scale *= 1e6
			}
			for i := range p.Conditions {
				p.Conditions[i] = "none"
			}
		}
		got := say()
		if claim.Held() {
			got += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		if got != want {
			t.Errorf("%s: after its plan was changed it says\n%s\nwant\n%s", name, got, want)
		}
	}
}

// meddle runs a statistic over rows, and returns its releases as they were before somebody wrote to
// each.
func meddle[R any](t *testing.T, of privacy.Statistic[R], write bool) (releases []string) {
	const dim, horizon = 6, 63
	s := played(of)
	if err := s.open(privacy.Setup{Dim: dim + 1, Horizon: horizon}); err != nil {
		t.Fatal(err)
	}
	s.start(privacy.NewNoise(testSource()))
	for _, rec := range sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, dim) {
		moved, err := s.Add(&rec)
		if err != nil {
			t.Fatal(err)
		}
		if !moved {
			continue
		}
		r := s.Release()
		releases = append(releases, fmt.Sprintf("%+v", *r))
		for i := range reflect.ValueOf(r).Elem().NumField() {
			switch f := reflect.ValueOf(r).Elem().Field(i); {
			case !write:
			case f.Kind() == reflect.Int:
				f.SetInt(0)
			case f.Kind() == reflect.Slice:
				for j := range f.Len() {
					f.Index(j).SetZero()
				}
			}
		}
	}
	return append(releases, fmt.Sprintf("%+v", privacy.PlanOf(s, privacy.All).Draws))
}

// TestReleasesAreShown: a release is for its reader to write to as it likes. What is released
// later, under which noise, does not depend on that.
func TestReleasesAreShown(t *testing.T) {
	try := func(name string, run func(write bool) []string) {
		if got, want := run(true), run(false); !reflect.DeepEqual(got, want) || len(want) < 4 {
			t.Errorf("%s: releases that were written to are followed by\n%q\nwant\n%q", name, got, want)
		}
	}
	try("SparseEpisodes", func(write bool) []string { return meddle(t, recipe(narrow), write) })
	try("SparseEpisodes, refined", func(write bool) []string { return meddle(t, refining(narrow), write) })
	try("NoisyIHT", func(write bool) []string {
		return meddle(t, NoisyIHT{Budget: narrow, Calibration: privacy.AsPublished, Sparsity: 2, L1: 1.5, Step: 0.1, Rate: 0.6}, write)
	})
	try("ThresholdedLasso", func(write bool) []string {
		all := meddle(t, ThresholdedLasso{Budget: privacy.Budget{Epsilon: 1e9, Delta: 0.01}, Sparsity: 2, Reward: 1.5, Row: 2, Repairs: Repairs{TwoSided: true}}, write)
		return slices.Repeat(all[len(all)-1:], 4) // it adds to its last release; its draws are the same
	})
	try("TopScores", func(write bool) []string {
		return meddle(t, TopScores{Budget: privacy.Budget{Epsilon: 1}, Picks: 2, Scores: Signs{Y: 1}, Lengths: Growing{Least: 8, Factor: 1}}, write)
	})
}

// TestRowsAreNotAskedFor: a reader who calls noisy sums exact is not shown the rows.
func TestRowsAreNotAskedFor(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, a := range []*player[privacy.Sums]{
		played(Tree{Noise: Gaussian{Budget: b}}), played(Tree{Noise: Wishart{Budget: b}}), played(PanPrivateTree{Noise: Gaussian{Budget: b}}),
		played(Honaker{Budget: b}), played(SquareRoot{Budget: b}), played(BLT{Budget: b}), played(SecureTree{Budget: b}),
	} {
		if err := a.open(privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		a.start(privacy.NewNoise(testSource()))
		for range 3 {
			a.Release().Exact = true
			if _, err := a.Add(privacy.Row([]float64{0.1, 0.2, 0.3})); err != nil {
				t.Fatal(err)
			}
			if r := a.Release(); r.Row != nil || r.Exact {
				t.Errorf("a %T shows the row %v, and claims epsilon = %v", a, r.Row, privacy.ClaimOf(a).Epsilon())
			}
		}
	}
}
