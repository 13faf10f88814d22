package privacytest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// caught runs a suite on what is broken, and wants the check of that name to fail with some words.
func caught(t *testing.T, what, check, words string, run func(t testing.TB)) {
	t.Helper()
	failures := bandittest.Failures(run)
	if !slices.ContainsFunc(failures, func(f string) bool { return strings.HasPrefix(f, check+": ") && strings.Contains(f, words) }) {
		t.Errorf("%s: not caught by %s with %q; failures: %q", what, check, words, failures)
	}
}

// summed is a statistic of our own, as a user would write it: the sum of row row^T under fresh
// noise for each release, for so few records that the budget is shared between them. The fields
// break it.
type summed struct {
	sensitivity func(bound float64) float64 // nil: bound^2
	noClip      bool
	scale       float64 // of the noise that is drawn; 0 means 1
	keeps       *int    // the records of all runs, which show once there are 100
	lazy        bool    // noise is drawn when the release is read
	leaks       bool    // the last number is released without noise
	refuses     bool    // records out of their bounds
	learns      bool    // from a record that is refused
	unheld      bool
	grows       int  // Plan(All) is of so many records
	silent      bool // refusals say nothing

	setup      privacy.Setup
	sd         float64
	n, clipped int
	drawn      int
	sum, noisy []float64
	noise      *privacy.Noise
	release    *privacy.Sums
}

func (s *summed) Init(setup privacy.Setup) error {
	if err := setup.CheckRows(); err != nil {
		return err
	}
	mu, err := approximate.GaussianMu()
	if err != nil {
		return err
	}
	size := setup.Dim * (setup.Dim + 1) / 2
	*s = summed{sensitivity: s.sensitivity, noClip: s.noClip, scale: s.scale, keeps: s.keeps, lazy: s.lazy, leaks: s.leaks,
		refuses: s.refuses, learns: s.learns, unheld: s.unheld, grows: s.grows, silent: s.silent,
		setup: setup, sum: make([]float64, size), noisy: make([]float64, size)}
	s.sd = s.moves() * math.Sqrt(float64(setup.Horizon)) / mu
	if s.scale > 0 {
		s.sd *= s.scale
	}
	s.release = &privacy.Sums{Packed: s.noisy, Bounds: privacy.Bounds{RhoMin: 1, RhoMax: 1}}
	return nil
}

// moves returns what the plan says of a row.
func (s *summed) moves() float64 {
	if s.sensitivity != nil {
		return s.sensitivity(s.setup.Bound)
	}
	return s.setup.Bound * s.setup.Bound
}

func (s *summed) Reset(n *privacy.Noise) {
	s.n, s.clipped, s.drawn, s.noise = 0, 0, 0, n
	clear(s.sum)
	clear(s.noisy)
}

func (s *summed) draw() {
	s.noise.SymmetricGaussian(s.noisy, s.setup.Dim, s.sd)
	s.drawn++
	for i, v := range s.sum {
		s.noisy[i] += v
	}
	if s.keeps != nil && *s.keeps > 100 {
		s.noisy[0] += float64(*s.keeps)
	}
	if s.leaks {
		s.noisy[len(s.sum)-1] = s.sum[len(s.sum)-1]
	}
}

func (s *summed) Add(r *privacy.Record) (bool, error) {
	row := slices.Concat(r.X, r.Y)
	norm := 0.0
	for _, v := range row {
		norm = math.Hypot(norm, v)
		if v-v != 0 {
			norm = v
			break
		}
	}
	switch {
	case len(r.X) != s.setup.Dim-1 || len(r.Y) != 1:
		return false, fmt.Errorf("a row of %d numbers, want %d", len(row), s.setup.Dim)
	case norm-norm != 0:
		if s.learns {
			s.sum[0]++
		}
		if s.silent {
			return false, fmt.Errorf("no")
		}
		return false, fmt.Errorf("a row of norm %v, want finite", norm)
	case s.n >= s.setup.Horizon:
		return false, fmt.Errorf("more than %d rows", s.setup.Horizon)
	case s.refuses && norm > 2*s.setup.Bound:
		return false, fmt.Errorf("a row of norm %v, want at most %v", norm, s.setup.Bound)
	}
	s.n++
	if s.keeps != nil {
		*s.keeps++
	}
	if !s.noClip && norm > s.setup.Bound*(1+1e-12) {
		for i, v := range row {
			row[i] = v / norm * s.setup.Bound
		}
		s.clipped++
	}
	p := 0
	for i, v := range row {
		for _, w := range row[:i+1] {
			s.sum[p] += v * w
			p++
		}
	}
	if !s.lazy {
		s.draw()
	}
	return true, nil
}

func (s *summed) Release() *privacy.Sums {
	if s.lazy {
		s.draw()
	}
	return s.release
}

func (s *summed) Clipped() int { return s.clipped }

func (s *summed) Plan(records int) privacy.Plan {
	if s.grows > 0 && records == privacy.All {
		records = s.grows
	}
	p := privacy.Plan{Model: privacy.Central, Neighbours: privacy.ReplaceRound, Asked: approximate, Source: "a test",
		Draws: []privacy.Draws{{Law: privacy.SymmetricGaussianLaw(s.setup.Dim, s.sd), Count: s.n}}}
	if times := min(records, s.setup.Horizon); times > 0 {
		p.Cases = [][]privacy.Release{{{
			Law:         privacy.SymmetricGaussianLaw(s.setup.Dim, s.sd),
			Sensitivity: privacy.Norms{L2: s.moves()}, Times: times,
		}}}
	}
	if s.unheld {
		return p
	}
	return p.HeldBy(s)
}

// describes returns the description of a summed.
func describes(s summed) privacy.Accumulator {
	return described[privacy.Sums]{func() runnable[privacy.Sums] { c := s; return &c }}
}

// ownRows is the case of summed: rows of one bound.
func ownRows(make privacy.Accumulator) privacytest.Case[privacy.Sums] {
	c := rows(make)
	c.Setup.Context, c.Setup.Horizon, c.Long = 0, 9, 300
	return c
}

// TestUnbroken: what is not broken is not reported, so that the tests of what is mean something.
func TestUnbroken(t *testing.T) {
	c := ownRows(describes(summed{}))
	privacytest.Statistic(t, c)
	privacytest.Probe(t, c)
}

func TestBrokenStatisticsAreCaught(t *testing.T) {
	length := func(bound float64) float64 { return bound } // L for L^2
	for _, c := range []struct {
		what, check, words string
		broken             summed
	}{
		{"no clipping", "OutOfRange", "Clipped() = 0, want 1", summed{noClip: true}},
		{"no clipping", "OutOfRange", "moves the releases by", summed{noClip: true}},
		{"size is an error", "OutOfRange", "is refused", summed{refuses: true}},
		{"L for L^2", "OutOfRange", "moves the releases by", summed{sensitivity: length}},
		{"learns from NaN", "Refused", "changes the release", summed{learns: true, lazy: true}},
		{"learns from NaN", "Refused", "is another after", summed{learns: true}},
		{"says nothing", "Refused", "want one that names", summed{silent: true}},
		{"shares a count", "Apart", "keep in a run all that changes", summed{keeps: new(int)}},
		{"lazy noise", "Ledger", "draws noise", summed{lazy: true}},
		{"less noise", "Plan", "add noise", summed{scale: 0.1}},
		{"no holder", "Plan", "HeldBy", summed{unheld: true}},
		{"shrinking", "Plan", "stays released", summed{grows: 1}},
	} {
		caught(t, c.what, c.check, c.words, func(t testing.TB) {
			privacytest.Statistic(t, ownRows(describes(c.broken)))
		})
	}
	caught(t, "claims nothing", "Plan", "HeldBy", func(t testing.TB) {
		privacytest.Statistic(t, rows(continual.Exact{}))
	})
	caught(t, "claims too much", "Plan", "public claims", func(t testing.TB) {
		c := rows(continual.BLT{Budget: approximate})
		c.Public = true
		privacytest.Statistic(t, c)
	})
}

// shortNoise is node noise whose plan takes the bound where its square belongs: L in place of L^2.
type shortNoise struct{ continual.Gaussian }

func (n shortNoise) Open(s privacy.Setup) (continual.Nodes, error) {
	nodes, err := n.Gaussian.Open(s)
	return &shortNodes{nodes, s.Bound}, err
}

type shortNodes struct {
	continual.Nodes
	bound float64
}

func (n *shortNodes) Plan(nodes int) privacy.Plan {
	p := n.Nodes.Plan(nodes)
	for _, c := range p.Cases {
		for i := range c {
			c[i].Sensitivity.L2 = n.bound
		}
	}
	return p.HeldBy(n)
}

func TestProbeCatches(t *testing.T) {
	for _, c := range []struct {
		what, words string
		make        privacy.Accumulator
	}{
		{"L for L^2 in a tree", "the sensitivity is more", continual.Tree{Noise: shortNoise{continual.Gaussian{Budget: approximate}}}},
		{"L for L^2", "the sensitivity is more", describes(summed{sensitivity: func(bound float64) float64 { return bound }})},
		{"a number without noise", "+Inf", describes(summed{leaks: true})},
		{"twice the noise", "noise is wasted", describes(summed{sensitivity: func(bound float64) float64 { return 2 * bound * bound }})},
		{"Wishart", "does not know", continual.Tree{Noise: continual.Wishart{Budget: approximate}}},
	} {
		probed := ownRows(c.make)
		caught(t, c.what, "Probe", c.words, func(t testing.TB) { privacytest.Probe(t, probed) })
	}
}

// TestRefusedRowIsNotShown: Exact shows the row added last, and not one that was refused after it.
func TestRefusedRowIsNotShown(t *testing.T) {
	of, err := continual.Exact{}.Open(privacy.Setup{Horizon: 3, Dim: 2, Bound: 1, Alpha: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	x := of.Start(nil)
	for i, row := range [][]float64{{0.25, 0.5}, {0.75, math.NaN()}, {math.Inf(1), 0}} {
		if _, err := x.Add(privacy.Row(row)); (err != nil) != (i > 0) {
			t.Fatalf("row %v: %v", row, err)
		}
	}
	if got := x.Release().Row; !slices.Equal(got, []float64{0.25, 0.5}) {
		t.Errorf("Row = %v after rows that were refused, want [0.25 0.5]", got)
	}
}

// crowd is blocks that speak of whole users, or of users who are missing, because its author says
// so.
type crowd struct {
	tally.Blocks
	of privacy.Neighbours
}

func (c crowd) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	m, err := c.Blocks.Open(s)
	return &crowded{m, c.of}, err
}

type crowded struct {
	privacy.Mechanism[privacy.Means]
	of privacy.Neighbours
}

func (c *crowded) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	return &crowdRun{c.Mechanism.Start(n), c.of}
}

func (c *crowded) Plan(records int) privacy.Plan {
	return spokenOf(c.Mechanism.Plan(records), c.of).HeldBy(c)
}

type crowdRun struct {
	privacy.Stream[privacy.Means]
	of privacy.Neighbours
}

func (c *crowdRun) Plan(records int) privacy.Plan {
	return spokenOf(c.Stream.Plan(records), c.of).HeldBy(c)
}

func spokenOf(p privacy.Plan, of privacy.Neighbours) privacy.Plan {
	p.Neighbours.Relation, p.Neighbours.Contributions = of.Relation, of.Contributions
	return p
}

// TestTypedNeighbours: a plan that promises more than one record that is replaced is held to it.
func TestTypedNeighbours(t *testing.T) {
	for _, c := range []struct {
		of    privacy.Neighbours
		words string
	}{
		{privacy.Neighbours{Contributions: 5}, "5 records of a user move the releases by"},
		{privacy.Neighbours{Contributions: 40}, "set a longer horizon"},
		{privacy.Neighbours{Contributions: 1, Relation: privacy.AddRemove}, "want Replace"},
	} {
		caught(t, c.words, "Neighbours", c.words, func(t testing.TB) {
			privacytest.Statistic(t, weights(crowd{Blocks: tally.Blocks{Budget: pure}, of: c.of}, false))
		})
	}
}
