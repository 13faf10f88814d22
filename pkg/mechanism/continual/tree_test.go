package continual

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// tags is a NodeNoise whose n-th draw is a matrix with the single entry 2^(n mod 50) at place n/50,
// so that the draws in a release can be read off its bits.
type tags struct {
	padded bool
	zero   bool // draw zeros instead
}

const tagBits = 50

func (g tags) Open(s privacy.Setup) (Nodes, error) {
	if g.padded {
		return &tagged{g, printedNodes(s.Horizon)}, nil
	}
	return &tagged{g, maxNodes(s.Horizon)}, nil
}

// tagged is tags for a setup.
type tagged struct {
	tags
	levels int
}

func (g *tagged) Levels() (int, bool)                 { return g.levels, g.padded }
func (g *tagged) Drawer() Drawer                      { return &tagger{zero: g.zero} }
func (g *tagged) Shift() float64                      { return 0 }
func (g *tagged) Bounds(shift float64) privacy.Bounds { return g.Spread().Bounds(shift) }
func (g *tagged) Spread() privacy.Spread              { return privacy.Spread{Low: 1, High: 1} }
func (g *tagged) Noiseless() bool                     { return g.zero }
func (g *tagged) Plan(nodes int) privacy.Plan         { return privacy.NoPlan("tags hide nothing") }

// tagger draws the tags of a run.
type tagger struct {
	zero  bool
	drawn int
}

func (g *tagger) Draw(_ *privacy.Noise, dst []float64) {
	clear(dst)
	if !g.zero {
		dst[g.drawn/tagBits] = math.Ldexp(1, g.drawn%tagBits)
		g.drawn++
	}
}

// decode returns the draws whose sum a release of zero rows is, in order.
func decode(t rapid.TB, release []float64) (draws []int) {
	for place, v := range release {
		if v < 0 || v != math.Trunc(v) || v >= 1<<tagBits {
			t.Fatalf("a release holds %v, want a sum of different tags", v)
		}
		for rest := uint64(v); rest > 0; rest &= rest - 1 {
			draws = append(draws, place*tagBits+bits.TrailingZeros64(rest))
		}
	}
	return draws
}

// kind makes an accumulator over a noise.
type kind struct {
	name   string
	padded bool
	make   func(NodeNoise) *mechanismtest.Player[privacy.Sums]
}

var kinds = func() (all []kind) {
	for _, padded := range []bool{false, true} {
		all = append(all,
			kind{fmt.Sprintf("Tree/padded=%v", padded), padded, func(n NodeNoise) *mechanismtest.Player[privacy.Sums] { return mechanismtest.Played(Tree{Noise: n}) }},
			kind{fmt.Sprintf("PanPrivateTree/padded=%v", padded), padded, func(n NodeNoise) *mechanismtest.Player[privacy.Sums] {
				return mechanismtest.Played(PanPrivateTree{Noise: n})
			}})
	}
	return all
}()

// treeModel holds an accumulator with its model: the plain sum of the rows, and for each slot of
// noise, (level l, t >> l) after t rows, the draw seen there. An odd t >> l names a node of the
// prefix, an even one the padding that stands in for it until the node is finished.
type treeModel struct {
	setup     privacy.Setup
	padded    bool
	acc, twin *mechanismtest.Player[privacy.Sums] // twin gets zero rows: its releases are noise alone
	sum       []float64
	t         int
	slots     map[[2]int]int // slot -> draw
	owner     map[int][2]int // draw -> slot
	levels    int
}

func (m *treeModel) reset() {
	m.acc.Start(mechanismtest.Unused())
	m.twin.Start(mechanismtest.Unused())
	clear(m.sum)
	m.t, m.slots, m.owner = 0, map[[2]int]int{}, map[int][2]int{}
}

// add adds a row to both and to the model. The last row of the horizon is taken and never released.
func (m *treeModel) add(t rapid.TB, row []float64) {
	err := addRow(m.acc, row)
	if other := addRow(m.twin, make([]float64, m.setup.Dim)); (err == nil) != (other == nil) {
		t.Fatalf("row %d: error %v, twin %v", m.t+1, err, other)
	}
	if m.t == m.setup.Horizon {
		if err == nil {
			t.Fatalf("row %d of %d: no error", m.t+1, m.setup.Horizon)
		}
		return
	}
	if err != nil {
		t.Fatalf("row %d: %v", m.t+1, err)
	}
	if m.t++; m.t < m.setup.Horizon {
		packed.AddOuter(m.sum, row)
	}
}

// check compares the release with the model.
func (m *treeModel) check(t rapid.TB) {
	size := len(m.sum)
	release, again, noise := make([]float64, size), make([]float64, size), make([]float64, size)
	m.acc.Release().Read(release)
	m.acc.Release().Read(again)
	if !slices.Equal(release, again) {
		t.Fatalf("after %d rows: two reads differ: %v, %v", m.t, release, again)
	}
	m.twin.Release().Read(noise)
	for i, v := range m.sum {
		if release[i]-noise[i] != v {
			t.Fatalf("after %d rows: entry %d of the release is %v + noise, want %v + noise", m.t, i, release[i]-noise[i], v)
		}
	}
	released := min(m.t, m.setup.Horizon-1) // after the last row the release stays as it was
	draws := decode(t, noise)
	var known int
	var fresh [][2]int
	for level := range m.levels {
		slot := [2]int{level, released >> level}
		if !m.padded && slot[1]%2 == 0 {
			continue
		}
		if d, ok := m.slots[slot]; !ok {
			fresh = append(fresh, slot)
		} else if known++; !slices.Contains(draws, d) {
			t.Fatalf("after %d rows: draws %v, want the draw %d of level %d among them still", m.t, draws, d, level)
		}
	}
	if len(draws) != known+len(fresh) {
		t.Fatalf("after %d rows: %d draws in the release, want %d", m.t, len(draws), known+len(fresh))
	}
	for _, d := range draws {
		if _, ok := m.owner[d]; ok {
			if slot := m.owner[d]; slot[1] != released>>slot[0] {
				t.Fatalf("after %d rows: draw %d is used again, after it stood for level %d", m.t, d, slot[0])
			}
			continue
		}
		// Which of several fresh draws is which level's shows when one of them leaves; the trees draw
		// from the node that the row finishes downwards, or the node's when it opened.
		m.owner[d], m.slots[fresh[len(fresh)-1]] = fresh[len(fresh)-1], d
		fresh = fresh[:len(fresh)-1]
	}
}

// TestTreesAgainstPlainSum runs the trees beside a plain sum and a set of tagged nodes. What a
// release holds must be the sum, and exactly one draw for each node of PrefixNodes (and, padded,
// for each level without one); a draw is the same in all releases of its node, and never comes
// back. As the draws are independent, that is the whole law of the noise: Tree and PanPrivateTree,
// which keep to the same model, have the same.
func TestTreesAgainstPlainSum(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := privacy.Setup{Dim: rapid.IntRange(8, 9).Draw(t, "dim"), Horizon: rapid.IntRange(1, 40).Draw(t, "horizon"), Bound: 1e6, Alpha: 1}
				noise := tags{padded: k.padded}
				levels, _ := nodes[*tagged](nil, noise, s).Levels()
				m := &treeModel{setup: s, padded: k.padded, acc: k.make(noise), twin: k.make(noise), levels: levels, sum: make([]float64, s.Dim*(s.Dim+1)/2)}
				for _, a := range []*mechanismtest.Player[privacy.Sums]{m.acc, m.twin} {
					if err := a.Open(s); err != nil {
						t.Fatal(err)
					}
				}
				m.reset()
				row := rapid.SliceOfN(rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return float64(i) }), s.Dim, s.Dim)
				m.check(t)
				t.Repeat(map[string]func(*rapid.T){
					"add": func(t *rapid.T) {
						m.add(t, row.Draw(t, "row"))
						m.check(t)
					},
					"bad": func(t *rapid.T) {
						bad := row.Draw(t, "bad")
						switch rapid.IntRange(0, 2).Draw(t, "how") {
						case 0:
							bad[rapid.IntRange(0, s.Dim-1).Draw(t, "where")] = math.NaN()
						case 1:
							bad[rapid.IntRange(0, s.Dim-1).Draw(t, "where")] = math.Inf(-1)
						case 2:
							bad = bad[1:]
						}
						if addRow(m.acc, bad) == nil {
							t.Fatalf("the row %v: no error", bad)
						}
						m.check(t)
					},
					"reset": func(t *rapid.T) {
						m.reset()
						m.check(t)
					},
				})
			})
		})
	}
}

// TestPrefixNodes checks that the nodes are disjoint, of whole powers of two, aligned, and make up
// the prefix; and that the most nodes that hold one row, over all released prefixes, is maxNodes.
func TestPrefixNodes(t *testing.T) {
	for horizon := 1; horizon <= 300; horizon++ {
		of := make(map[int]map[Node]bool) // row -> nodes
		for prefix := 1; prefix < horizon; prefix++ {
			nodes, next := PrefixNodes(prefix), 1
			if len(nodes) != bits.OnesCount(uint(prefix)) {
				t.Fatalf("PrefixNodes(%d) = %v, want %d nodes", prefix, nodes, bits.OnesCount(uint(prefix)))
			}
			for _, n := range nodes {
				if n.First != next || n.Last-n.First+1 != 1<<n.Level || (n.First-1)%(1<<n.Level) != 0 {
					t.Fatalf("PrefixNodes(%d) = %v", prefix, nodes)
				}
				for row := n.First; row <= n.Last; row++ {
					if of[row] == nil {
						of[row] = map[Node]bool{}
					}
					of[row][n] = true
				}
				next = n.Last + 1
			}
			if next != prefix+1 {
				t.Fatalf("PrefixNodes(%d) = %v ends at row %d", prefix, nodes, next-1)
			}
		}
		most := 0
		for _, nodes := range of {
			most = max(most, len(nodes))
		}
		if want := maxNodes(horizon); most != want && horizon > 1 {
			t.Fatalf("horizon %d: a row is in up to %d nodes, maxNodes says %d", horizon, most, want)
		}
	}
	for horizon, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 5: 4, 50_000_000: 27} {
		if m := printedNodes(horizon); m != want {
			t.Errorf("printedNodes(%d) = %d, want %d", horizon, m, want)
		}
	}
}

// TestPaddingIsRenewedBelowTheNode pins the padding: after t rows, padding stands in for the levels
// whose binary digit in t is 0, and a row renews that of the levels below the node that it finishes
// and no other.
func TestPaddingIsRenewedBelowTheNode(t *testing.T) {
	for _, k := range kinds {
		if !k.padded {
			continue
		}
		noise := tags{padded: true}
		acc, s := k.make(noise), privacy.Setup{Dim: 9, Horizon: 64, Bound: 1, Alpha: 1}
		levels, _ := nodes[*tagged](t, noise, s).Levels()
		if err := acc.Open(s); err != nil {
			t.Fatal(err)
		}
		acc.Start(mechanismtest.Unused())
		release := make([]float64, 45)
		acc.Release().Read(release)
		before := decode(t, release)
		for row := 1; row < 64; row++ {
			if err := addRow(acc, make([]float64, 9)); err != nil {
				t.Fatal(err)
			}
			acc.Release().Read(release)
			now := decode(t, release)
			kept := 0
			for _, d := range now {
				if slices.Contains(before, d) {
					kept++
				}
			}
			if want := levels - bits.TrailingZeros(uint(row)) - 1; kept != want || len(now) != levels {
				t.Fatalf("%s: row %d keeps %d of %d draws, want %d of %d", k.name, row, kept, len(now), want, levels)
			}
			before = now
		}
	}
}

// TestRuns checks that runs of a used accumulator release, bit by bit, what those of a new one do.
func TestRuns(t *testing.T) {
	s := privacy.Setup{Dim: 4, Horizon: 20, Bound: 1, Alpha: 0.1}
	noises := map[string]NodeNoise{
		"Gaussian": Gaussian{Budget: budget},
		"padded":   Gaussian{Budget: budget, Calibration: privacy.AsPublished, Padded: true},
		"Wishart":  Wishart{Budget: budget},
	}
	all := map[string]*mechanismtest.Player[privacy.Sums]{}
	for name, noise := range noises {
		for _, k := range kinds[:2] {
			all[k.name+" over "+name] = k.make(noise)
		}
	}
	for name := range factorisations(budget) {
		all[name] = factorisations(budget)[name]
	}
	for name, of := range all {
		run := func(acc *mechanismtest.Player[privacy.Sums], seed uint64) (all []float64) {
			acc.Start(privacy.NewNoise(random.Source(seed, 0, "noise")))
			r := random.New(seed, 0, "rows")
			release := make([]float64, 10)
			for range s.Horizon {
				row := make([]float64, 4)
				random.Sphere(r, row)
				acc.Release().Read(release)
				all = append(all, release...)
				if err := addRow(acc, row); err != nil {
					t.Fatal(err)
				}
			}
			return all
		}
		used, fresh := mechanismtest.Played(of.Of), mechanismtest.Played(of.Of)
		for _, a := range []*mechanismtest.Player[privacy.Sums]{used, fresh} {
			if err := a.Open(s); err != nil {
				t.Fatal(err)
			}
		}
		first := run(used, 1)
		if other := run(used, 2); slices.Equal(first, other) {
			t.Errorf("%s: other streams, the same releases", name)
		}
		if !slices.Equal(run(used, 1), first) || !slices.Equal(run(fresh, 1), first) {
			t.Errorf("%s: in another run the releases differ from a new one's", name)
		}
	}
}

// TestSharedNoise: one description of noise serves trees of different setups.
func TestSharedNoise(t *testing.T) {
	noise := Gaussian{Budget: budget}
	long, short := mechanismtest.Played(Tree{Noise: noise}), mechanismtest.Played(PanPrivateTree{Noise: noise})
	for a, bound := range map[*mechanismtest.Player[privacy.Sums]]float64{long: 10, short: 0.1} {
		if err := a.Open(privacy.Setup{Dim: 3, Horizon: 9, Bound: bound, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []*mechanismtest.Player[privacy.Sums]{long, short} {
		if c := privacy.ClaimOf(a); !c.Held() || c.Epsilon() > budget.Epsilon*(1+1e-9) {
			t.Errorf("a tree that shares a description of noise claims\n%v", c)
		}
	}
}
