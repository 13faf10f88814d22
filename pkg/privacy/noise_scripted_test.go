package privacy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestScriptedNoise draws by every method: the numbers are the script's, and its law is the
// method's.
func TestScriptedNoise(t *testing.T) {
	var laws []Law
	n := ScriptedNoise(func(law Law, dst []float64) {
		laws = append(laws, law)
		for i := range dst {
			dst[i] = 1.75 + float64(i)
		}
	})
	gaussian, _ := random.NewDiscreteGaussian(9, 1)
	laplace, _ := random.NewDiscreteLaplace(3, 1)
	binomial, _ := random.NewBinomial(10, 0.5)
	wishart, err := random.NewWishart(2, 5, 1)
	if gaussian == nil || laplace == nil || binomial == nil || err != nil {
		t.Fatal("no samplers")
	}
	var want []Law
	reals := func(law Law, draw func(dst []float64)) {
		dst := make([]float64, 3)
		draw(dst)
		if !slices.Equal(dst, []float64{1.75, 2.75, 3.75}) {
			t.Errorf("%v: %v", law, dst)
		}
		want = append(want, law)
	}
	integers := func(law Law, draw func(dst []int64)) {
		dst := make([]int64, 3)
		draw(dst)
		if !slices.Equal(dst, []int64{2, 3, 4}) {
			t.Errorf("%v: %v", law, dst)
		}
		want = append(want, law)
	}
	reals(GaussianLaw(3, 2), func(dst []float64) { n.Gaussian(dst, 2) })
	reals(SymmetricGaussianLaw(2, 3), func(dst []float64) { n.SymmetricGaussian(dst, 2, 3) })
	reals(WishartLaw(wishart), func(dst []float64) { n.Wishart(dst, wishart) })
	reals(LaplaceLaw(3, 4), func(dst []float64) { n.Laplace(dst, 4) })
	reals(GumbelLaw(3, 5), func(dst []float64) { n.Gumbel(dst, 5) })
	integers(DiscreteGaussianLaw(3, gaussian), func(dst []int64) { n.DiscreteGaussian(dst, gaussian) })
	integers(DiscreteLaplaceLaw(3, laplace), func(dst []int64) { n.DiscreteLaplace(dst, laplace) })
	integers(BinomialLaw(3, binomial), func(dst []int64) { n.Binomial(dst, binomial) })
	if !slices.Equal(laws, want) {
		t.Errorf("the script got the laws %v, want %v", laws, want)
	}
	order, rounded := []int{2, 0, 1}, make([]int64, 3)
	n.Shuffle(order)
	n.Round(rounded, []float64{-0.25, 0.75, 2})
	if !slices.Equal(order, []int{2, 0, 1}) || !slices.Equal(rounded, []int64{-1, 0, 2}) || n.Response(3, 5, 0.1) != 3 {
		t.Errorf("order %v, rounded %v, want them as they are and rounded down, and the truth", order, rounded)
	}
}

// TestSystemNoise says which noise comes from the operating system, with a ledger or without.
func TestSystemNoise(t *testing.T) {
	seeded := rand.NewPCG(1, 2)
	for _, c := range []struct {
		noise *Noise
		want  bool
	}{
		{NewNoise(new(random.System)), true}, {NewNoise(NewLedger(new(random.System))), true},
		{NewNoise(seeded), false}, {NewNoise(NewLedger(seeded)), false}, {ScriptedNoise(nil), false},
	} {
		if c.noise.System() != c.want {
			t.Errorf("System() = %v, want %v", c.noise.System(), c.want)
		}
	}
}
