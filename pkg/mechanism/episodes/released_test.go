package episodes

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// meddle runs a statistic over rows, and returns its releases as they were before somebody wrote to
// each.
func meddle[R any](t *testing.T, of privacy.Statistic[R], write bool) (releases []string) {
	const dim, horizon = 6, 63
	s := mechanismtest.Played(of)
	if err := s.Open(privacy.Setup{Dim: dim + 1, Horizon: horizon}); err != nil {
		t.Fatal(err)
	}
	s.Start(privacy.NewNoise(mechanismtest.Source()))
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
