package privacy

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// drawAll draws once from each law that Noise knows of, the Gaussian twice.
func drawAll(n *Noise, w *random.Wishart) (all []float64) {
	take := func(dim int, draw func(dst []float64)) {
		dst := make([]float64, dim)
		draw(dst)
		all = append(all, dst...)
	}
	take(3, func(dst []float64) { n.Gaussian(dst, 2) })
	take(6, func(dst []float64) { n.SymmetricGaussian(dst, 3, 2) })
	take(3, func(dst []float64) { n.Gaussian(dst, 2) })
	take(3, func(dst []float64) { n.Wishart(dst, w) })
	take(4, func(dst []float64) { n.Laplace(dst, 0.5) })
	take(5, func(dst []float64) { n.Gumbel(dst, 0.25) })
	return append(all, float64(n.Response(1, 3, 1)))
}

func allDraws(w *random.Wishart) []Draws {
	return []Draws{{GaussianLaw(3, 2), 2}, {SymmetricGaussianLaw(3, 2), 1}, {WishartLaw(w), 1},
		{LaplaceLaw(4, 0.5), 1}, {GumbelLaw(5, 0.25), 1}, {ResponseLaw(3, 1), 1}}
}

func newWishart(t *testing.T) *random.Wishart {
	t.Helper()
	w, err := random.NewWishart(2, 7, 3)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLedgerKeepsEveryDraw: every method of Noise writes its own law, and the ledger does not
// change what is drawn.
func TestLedgerKeepsEveryDraw(t *testing.T) {
	w := newWishart(t)
	ledger := NewLedger(rand.NewPCG(1, 2))
	got := drawAll(NewNoise(ledger), w)
	if plain := drawAll(NewNoise(rand.NewPCG(1, 2)), w); !slices.Equal(got, plain) {
		t.Errorf("with a ledger %v, without one %v, want the same noise", got, plain)
	}
	if drawn := ledger.Drawn(); !slices.Equal(drawn, allDraws(w)) {
		t.Errorf("drawn %v, want %v", drawn, allDraws(w))
	}
	if err := ledger.Check(allDraws(w)); err != nil {
		t.Error(err)
	}
}

// TestLedgerFinds each way in which a claim can differ from what was drawn.
func TestLedgerFinds(t *testing.T) {
	w := newWishart(t)
	refused := func(what string, claimed []Draws, ledger *Ledger, words ...string) {
		t.Helper()
		err := ledger.Check(claimed)
		if !errors.Is(err, ErrLedger) {
			t.Errorf("%s: error %v, want one that wraps ErrLedger", what, err)
			return
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %q does not name %q", what, err, word)
			}
		}
	}
	draw := func() *Ledger {
		l := NewLedger(rand.NewPCG(1, 2))
		drawAll(NewNoise(l), w)
		return l
	}
	refused("a draw claimed that was not made", append(allDraws(w), Draws{GaussianLaw(3, 4), 5}), draw(), "no draws", "scale 4", "claimed 5")
	refused("a draw made that is not claimed", allDraws(w)[1:], draw(), "2 draws", "Gaussian of dimension 3, scale 2", "claimed 0")
	for i, d := range allDraws(w) {
		for _, change := range []func(*Draws){
			func(d *Draws) { d.Count++ },
			func(d *Draws) { d.Count-- },
			func(d *Draws) { d.Scale *= 1 + 1e-12 },
			func(d *Draws) { d.Dim++ },
			func(d *Draws) { d.Shape++ },
			func(d *Draws) { d.Kind += "?" },
		} {
			claimed := allDraws(w)
			change(&claimed[i])
			refused(d.String(), claimed, draw(), "claimed")
		}
	}
	l := draw()
	rand.New(l).NormFloat64()
	refused("noise past Noise", allDraws(w), l, "1 words", "past privacy.Noise")
	l = draw()
	copied := *l // by a learner that was handed the ledger
	NewNoise(&copied).Gaussian(make([]float64, 3), 2)
	refused("a draw noted in a copy", allDraws(w), l, "3 draws", "claimed 2")
	split := append(allDraws(w), Draws{GaussianLaw(3, 2), -1}, Draws{GaussianLaw(3, 2), 1})
	if err := draw().Check(split); err != nil {
		t.Errorf("a claim in parts: %v", err)
	}
	if err := NewLedger(rand.NewPCG(1, 2)).Check(nil); err != nil {
		t.Errorf("nothing claimed, nothing drawn: %v", err)
	}
}

// TestNoiseDoesNotAllocate with a ledger that knows the laws.
func TestNoiseDoesNotAllocate(t *testing.T) {
	n, w := NewNoise(NewLedger(rand.NewPCG(1, 2))), newWishart(t)
	dst := make([]float64, 6)
	if a := testing.AllocsPerRun(100, func() {
		n.Gaussian(dst, 2)
		n.SymmetricGaussian(dst, 3, 2)
		n.Wishart(dst[:3], w)
		n.Laplace(dst, 1)
		n.Gumbel(dst, 1)
		n.Response(0, 3, 1)
	}); a != 0 {
		t.Errorf("%v allocations, want 0", a)
	}
}

func TestNeighboursAndModels(t *testing.T) {
	if got := ReplaceRound.String(); got != "replace one round's (context, reward)" {
		t.Errorf("ReplaceRound = %q", got)
	}
	user := Neighbours{AddRemove, "ratings", 5}
	if got := user.String(); got != "add or remove the ratings of one user, in up to 5 records" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		n    Neighbours
		word string
	}{
		{Neighbours{Relation(7), "x", 1}, "Relation(7)"},
		{Neighbours{Replace, "", 1}, "Record is empty"},
		{Neighbours{Replace, "x", 0}, "Contributions = 0"},
	} {
		if err := c.n.Validate(); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%+v: error %v, want one that names %q", c.n, err, c.word)
		}
	}
	if err := ReplaceRound.Validate(); err != nil {
		t.Error(err)
	}
	if got := []string{Central.String(), Joint.String(), Shuffled.String(), Local.String(), Model(9).String()}; !slices.Equal(got, []string{"central", "joint", "shuffle", "local", "Model(9)"}) {
		t.Errorf("models %q", got)
	}
}
