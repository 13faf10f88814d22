package mutant_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/internal/mutant"
)

// small is a module of a mechanism that counts with noise, and one that does so twice. The tests
// notice all but half of the second noise.
var small = map[string]string{
	"go.mod": "module small\n\ngo 1.26\n",
	"pkg/privacy/privacy.go": `package privacy

import "math/rand/v2"

type Noise struct{ rng *rand.Rand }

func NewNoise(seed uint64) *Noise { return &Noise{rand.New(rand.NewPCG(seed, 1))} }

func (n *Noise) Laplace(dst []float64, scale float64) {
	for i := range dst {
		dst[i] = scale * (n.rng.ExpFloat64() - n.rng.ExpFloat64())
	}
}

type Norms struct{ L1 float64 }

type Ledger struct{}

func (l *Ledger) Check() error { return error(nil) }
`,
	"pkg/mechanism/mechanism.go": `package mechanism

import "small/pkg/privacy"

type Count struct{ Bound float64 }

func (c Count) Plan() privacy.Norms { return privacy.Norms{L1: c.Bound} }

func (c Count) Release(n *privacy.Noise, v float64) float64 {
	var z [1]float64
	n.Laplace(z[:], c.Plan().L1)
	return v + z[0]
}

func Twice(n *privacy.Noise, v float64) float64 {
	z := make([]float64, 2)
	n.Laplace(z, 1)
	return v + z[0] + z[1]
}
`,
	"pkg/mechanism/mechanism_test.go": `package mechanism

import (
	"math"
	"testing"

	"small/pkg/privacy"
)

func spread(draw func(n *privacy.Noise) float64) float64 {
	n, sum := privacy.NewNoise(1), 0.0
	for range 4000 {
		sum += math.Abs(draw(n))
	}
	return sum / 4000
}

func TestNoise(t *testing.T) {
	for _, bound := range []float64{1, 3} {
		if s := spread(func(n *privacy.Noise) float64 { return Count{bound}.Release(n, 0) }); math.Abs(s-bound) > bound/5 {
			t.Error(s)
		}
	}
	for seed := range uint64(50) {
		n := privacy.NewNoise(seed)
		if a, b := (Count{1}).Release(n, 0), (Count{1}).Release(n, 0); a == 0 || b == 0 || a == b {
			t.Error(a, b)
		}
	}
}

func TestMovesByItsBound(t *testing.T) {
	if (Count{3}).Plan().L1 != 3 {
		t.Error()
	}
}

func TestTwice(t *testing.T) {
	t.Run("exactly", TestTwiceExactly) // and the next part counts all the same
	t.Run("spread", func(t *testing.T) {
		if s := spread(func(n *privacy.Noise) float64 { return Twice(n, 0) }); s < 0.9 {
			t.Error("half", s)
		}
	})
}

func TestTwiceExactly(t *testing.T) {
	if v := Twice(privacy.NewNoise(1), 0); math.Abs(v - PRINTED) > 1e-12 {
		t.Errorf("%v", v)
	}
}
`,
}

// TestRun makes all mutations of a small module. Those that are noticed only by a number that one
// seed gives survive.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module")
	}
	root := t.TempDir()
	act, err := os.ReadFile("act/act.go")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, printed := rand.New(rand.NewPCG(1, 1)), 0.0
	for range 2 {
		printed += n.ExpFloat64() - n.ExpFloat64()
	}
	for name, text := range small {
		put(name, strings.Replace(text, "PRINTED", fmt.Sprint(printed), 1))
	}
	put("pkg/internal/mutant/act/act.go", string(act))
	m, err := mutant.Read(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var sites []string
	for _, s := range m.Sites {
		sites = append(sites, s.Place+" "+s.Name)
	}
	slices.Sort(sites)
	want := []string{
		"pkg/mechanism/mechanism.go:11 Count.Release draws Laplace", "pkg/mechanism/mechanism.go:17 Twice draws Laplace",
		"pkg/mechanism/mechanism.go:7 Count.Plan reads c.Bound", "pkg/mechanism/mechanism.go:7 Count.Plan states L1: c.Bound",
	}
	if !slices.Equal(sites, want) {
		t.Errorf("sites\n%s\nwant\n%s", strings.Join(sites, "\n"), strings.Join(want, "\n"))
	}
	r := mutant.Run{Workers: 2, Limit: time.Minute, Log: t.Logf}
	results, err := r.Do(t.Context(), m, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range results {
		got = append(got, fmt.Sprintf("%s %s %t", m.Sites[x.Site].Name, x.Kind, x.Caught != ""))
		if strings.Contains(x.Caught, "xactly") {
			t.Errorf("%v is said to be caught by %s, which fails under other seeds", x.Mutation, x.Caught)
		}
	}
	for _, line := range []string{
		"Count.Release draws Laplace halve true", "Count.Release draws Laplace later true", "Count.Release draws Laplace skip true",
		"Count.Release draws Laplace skip2 true", "Count.Release draws Laplace reuse true",
		"Twice draws Laplace halve true", "Twice draws Laplace skip false", "Twice draws Laplace reuse false", "Twice draws Laplace part false",
		"Count.Plan states L1: c.Bound shrink true",
	} {
		if !slices.Contains(got, line) {
			t.Errorf("no %q among\n%s", line, strings.Join(got, "\n"))
		}
	}
	if n := len(m.Survivors(results)); n != 5 {
		t.Errorf("%d survive, want 5: what is done once of Twice's draws", n)
	}
}
