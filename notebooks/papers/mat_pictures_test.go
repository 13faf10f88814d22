package papers

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
)

// TestMatPictures draws each figure and table of the lessons.
func TestMatPictures(t *testing.T) {
	item := func(name string, it charts.Item, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if html, err := it.HTML(); err != nil || len(html) < 500 || strings.Contains(html, "NaN") {
			t.Errorf("%s: %d bytes, %v", name, len(html), err)
		}
	}
	figure := func(name string, f *charts.Figure, err error) {
		t.Helper()
		item(name, f, err)
		if err == nil && (f.Caption == "" || f.Scale == "") {
			t.Errorf("%s: caption %q, scale %q", name, f.Caption, f.Scale)
		}
	}
	graph := func(name string, g *charts.Graph, err error) {
		t.Helper()
		item(name, g, err)
	}
	table := func(name string, tab *charts.Table, err error) {
		t.Helper()
		item(name, tab, err)
	}
	g, err := FigureGreedySteps()
	graph("greedy steps", g, err)
	f, err := FigureBlocks(Smoke)
	figure("blocks", f, err)
	f, err = FigureViewersEpsilon()
	figure("viewers' epsilon", f, err)
	tab, err := TableViewers()
	table("viewers", tab, err)
	f, err = FigurePairs(Smoke, DPUCBForced)
	figure("pairs", f, err)
	tab, err = TablePairs(Smoke)
	table("pairs", tab, err)
}

// TestRecorder: a recorded run plays what the run plays, and the blocks of a round are those up to
// it.
func TestRecorder(t *testing.T) {
	const rounds = 300
	r, err := recordTable2(rounds)
	if err != nil {
		t.Fatal(err)
	}
	name := MATName(DPUCBForced, MATEpsilon)
	err = watch(MATTable2(), name, MATPolicy(DPUCBForced, MATMatroid, MATEpsilon), rounds, 0, func(round int, arms []int) {
		if !slices.Equal(arms, r.records[round-1].arms) {
			t.Errorf("round %d: arms %v, recorded %v", round, arms, r.records[round-1].arms)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []int{1, 7, rounds} {
		observations := 0
		for _, list := range r.blocks(round) {
			for i, b := range list {
				if full := b.release != nil; full != (b.size == 1<<i) || !full && i != len(list)-1 {
					t.Errorf("round %d: block %d is %+v", round, i, b)
				}
				observations += b.size
			}
		}
		if observations != round*r.setup.Slots {
			t.Errorf("round %d: %d observations in blocks", round, observations)
		}
	}
}

// TestViewersRefuse: one user cannot be told from another in no digits.
func TestViewersRefuse(t *testing.T) {
	if _, err := Viewers(1, 10, 0); err == nil {
		t.Error("one user is taken")
	}
}

// TestShortTitle: without year and other names, and not too long.
func TestShortTitle(t *testing.T) {
	m, err := LoadMovies()
	if err != nil {
		t.Fatal(err)
	}
	for arm := range m.Movies {
		if s := shortTitle(m, arm); s == "" || len([]rune(s)) > 24 || titleYear.MatchString(s) {
			t.Errorf("%q becomes %q", m.Movies[arm].Title, s)
		}
	}
}
