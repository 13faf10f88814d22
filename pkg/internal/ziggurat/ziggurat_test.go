package ziggurat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// The draws are math/rand's: a table wrong in one unit would change one of them, and all that
// follow.
func TestZigguratsAgainstRand(t *testing.T) {
	ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for i := range 3_000_000 {
		if got, want := Normal(ours), theirs.NormFloat64(); !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
			t.Fatalf("draw %d: Normal = %v, want %v", i, got, want)
		}
		if got, want := Exponential(ours), theirs.ExpFloat64(); !(math.Abs(got-want) <= 1e-15*want) {
			t.Fatalf("draw %d: Exponential = %v, want %v", i, got, want)
		}
	}
}

func BenchmarkNormal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			Normal(r)
		}
	})
	b.Run("rand", func(b *testing.B) {
		for b.Loop() {
			r.NormFloat64()
		}
	})
	b.Run("exponential/ours", func(b *testing.B) {
		for b.Loop() {
			Exponential(r)
		}
	})
	b.Run("exponential/rand", func(b *testing.B) {
		for b.Loop() {
			r.ExpFloat64()
		}
	})
}

// chosen is a source whose next words are chosen; later ones are random.
type chosen struct {
	words []uint64
	rest  rand.Source
}

func (c *chosen) Uint64() uint64 {
	if len(c.words) == 0 {
		return c.rest.Uint64()
	}
	w := c.words[0]
	c.words = c.words[1:]
	return w
}

// TestGumbelTail: of draws that the ziggurat puts in the first steps of its grid, which are the
// largest, the place within the step is uniform. The seed is fixed; of other seeds, one in a
// thousand has a mean or a mean square so far off.
func TestGumbelTail(t *testing.T) {
	const n = 20_000
	source := &chosen{rest: rand.NewPCG(5, 6)}
	r := rand.New(source)
	for _, layer := range []uint64{0, 2, 100, 255} {
		step := float64(exponentialLayers.width[layer])
		for _, place := range []uint64{0, 1, 1023} {
			var sum, squares, most float64
			for range n {
				source.words = []uint64{layer<<32 | place}
				// of a uniform place U, e^-z/step - place is U
				z := Gumbel(r)
				u := math.Exp(-z)/step - float64(place)
				if place == 0 {
					u = math.Min(1, u)
				}
				if !(u > -1e-9 && u < 1+1e-9) {
					t.Fatalf("layer %d, step %d: %v, which is %v steps", layer, place, z, u+float64(place))
				}
				sum, squares, most = sum+u, squares+u*u, math.Max(most, z)
			}
			mean, se := sum/n, math.Sqrt(1.0/12/n)
			if z := (mean - 0.5) / se; math.Abs(z) > 4 {
				t.Errorf("layer %d, step %d: the mean place is %v (z = %.1f)", layer, place, mean, z)
			}
			if v := squares / n; math.Abs(v-1.0/3) > 4*math.Sqrt(4.0/45/n) {
				t.Errorf("layer %d, step %d: the mean square is %v, want 1/3", layer, place, v)
			}
			// ln n beyond the step's edge, more or less
			if edge := -math.Log(step); place == 0 && !(most > edge+math.Log(n)-3 && most < edge+math.Log(n)+8) {
				t.Errorf("layer %d: the largest draw is %v beyond the grid, want about ln n = %v", layer, most-edge, math.Log(n))
			}
		}
	}
	// Other draws are the logarithms of the numbers that Exponential returns.
	ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		if got, want := Gumbel(ours), -portable.Log(Exponential(theirs)); got != want {
			t.Fatalf("draw %d: Gumbel = %v, want %v", i, got, want)
		}
	}
}

// TestExponentialTail: a uniform number of 0 in the tail stands for all below 2^-53, and is no
// infinite draw.
func TestExponentialTail(t *testing.T) {
	source := &chosen{words: []uint64{math.MaxUint32, 0}, rest: rand.NewPCG(5, 6)}
	if x := Exponential(rand.New(source)); !(x > exponentialTail+53*math.Ln2 && x < 100) {
		t.Errorf("%v, want a number beyond %v", x, exponentialTail+53*math.Ln2)
	}
}
