package audit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// blankTree returns the blank runs of a Gaussian tree of seven releases, and a node's standard
// deviation.
func blankTree(runs int) (audit.Blank, float64, error) {
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
	tree, err := continual.Tree{Noise: noise}.Open(privacy.Setup{Dim: 6, Horizon: 8, Bound: 1, Alpha: 1e-5})
	if err != nil {
		return audit.Blank{}, 0, err
	}
	node := tree.Plan(privacy.All).Cases[0][0].Law.Scale
	return audit.Blank{Of: tree, Dim: 6, Rounds: 7, Runs: runs, Seed: 1, Stream: "noise"}, node, nil
}

// The release after row t of a binary tree carries the noise of as many nodes as t has binary
// digits 1.
func ExampleBlank() {
	blank, node, err := blankTree(4000)
	if err != nil {
		fmt.Println(err)
		return
	}
	sd, _, err := blank.SD()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, s := range sd {
		fmt.Printf("row %d: %.1f nodes\n", i+1, s*s/(node*node))
	}
	// Output:
	// row 1: 1.0 nodes
	// row 2: 1.0 nodes
	// row 3: 2.0 nodes
	// row 4: 1.0 nodes
	// row 5: 2.0 nodes
	// row 6: 2.0 nodes
	// row 7: 3.0 nodes
}

// tight says that its bounds are a tenth as wide as they are.
type tight struct {
	privacy.Mechanism[privacy.Sums]
}

func (a tight) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	return tightRun{a.Mechanism.Start(n)}
}

type tightRun struct{ privacy.Stream[privacy.Sums] }

func (a tightRun) Release() *privacy.Sums {
	s := *a.Stream.Release()
	middle, half := (s.Bounds.RhoMin+s.Bounds.RhoMax)/2, (s.Bounds.RhoMax-s.Bounds.RhoMin)/20
	s.Bounds.RhoMin, s.Bounds.RhoMax = middle-half, middle+half
	return &s
}

// TestBlank: what is measured of a tree stays within the tree's bounds, the standard deviation is
// that of the samples, and a round without a release is an error. A bound fails in a run with
// probability at most alpha/2 = 5e-6: a false alarm of 1.5e-3 for a new seed.
func TestBlank(t *testing.T) {
	blank, _, err := blankTree(300)
	if err != nil {
		t.Fatal(err)
	}
	all, err := blank.Bounds(nil)
	if err != nil || all.Releases != 300*7 || all.Broken > 0 || all.Filled < 0.2 || all.Filled > 1 {
		t.Errorf("%+v, error %v, want none of 2100 broken and 0.2 to 1 filled", all, err)
	}
	last, err := blank.Bounds(func(round int) bool { return round == 7 })
	if err != nil || last.Releases != 300 || last.Filled != all.Filled { // most nodes, so most noise
		t.Errorf("%+v in round 7, error %v, want 300 releases and %v filled", last, err, all.Filled)
	}
	narrow := blank
	narrow.Of = tight{blank.Of}
	if found, err := narrow.Bounds(nil); err != nil || found.Broken < 1000 {
		t.Errorf("%+v of bounds that are too narrow, error %v, want most broken", found, err)
	}
	var square float64 // of the last round
	err = blank.Visit(func(round int, release []float64) {
		if round < 7 {
			return
		}
		for i, p := 0, 0; i < 6; i, p = i+1, p+i+1 {
			for _, v := range release[p : p+i] {
				square += v * v
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	sd, samples, err := blank.SD()
	if err != nil || samples != 300*15 || math.Abs(sd[6]-math.Sqrt(square/float64(samples))) > 1e-9*sd[6] {
		t.Errorf("sd %v of %d samples, error %v; want %v of 4500 at the end", sd, samples, err, math.Sqrt(square/4500))
	}
	for want, change := range map[string]func(*audit.Blank){
		"row 8 has no release": func(b *audit.Blank) { b.Rounds = 8 },
		"Runs = 0":             func(b *audit.Blank) { b.Runs = 0 },
		"Blank.Dim = 1":        func(b *audit.Blank) { b.Dim = 1 },
		"Blank.Of is nil":      func(b *audit.Blank) { b.Of = nil },
		"a row of length 5":    func(b *audit.Blank) { b.Dim = 5 },
		"Dim = 6, Rounds = -1": func(b *audit.Blank) { b.Rounds = -1 },
	} {
		b := blank
		change(&b)
		if _, _, err := b.SD(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// TestBoundsOf compares a block by hand: H has the eigenvalues 1 and 3, and h = (1, 1) is an
// eigenvector of 3. A block that is not positive definite has no gamma.
func TestBoundsOf(t *testing.T) {
	got, err := audit.BoundsOf([]float64{2, 1, 2, 1, 1, 9}, 3)
	want := privacy.Bounds{RhoMin: 1, RhoMax: 3, Gamma: math.Sqrt(2. / 3)}
	if err != nil || math.Abs(got.RhoMin-1) > 1e-12 || math.Abs(got.RhoMax-3) > 1e-12 || math.Abs(got.Gamma-want.Gamma) > 1e-12 {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
	if got, err := audit.BoundsOf([]float64{1, 2, 1, 1, 1, 9}, 3); err != nil || math.Abs(got.RhoMin+1) > 1e-12 || !math.IsInf(got.Gamma, 1) {
		t.Errorf("an indefinite block: %v, error %v", got, err)
	}
	if _, err := audit.BoundsOf([]float64{1, 2}, 2); err == nil {
		t.Error("two numbers for dim = 2 pass, want an error")
	}
}
