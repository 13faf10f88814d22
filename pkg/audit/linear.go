package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// linear describes releases that are linear in their noise: data + B z, with z independent.
type linear struct {
	Density Density
	Draws   []privacy.Draws // what a run draws
	// Event is the loss of the two worlds, which no attack on these releases exceeds.
	Event account.Event
}

// LinearOf returns the attack by likelihood on releases that are linear in their noise: data + B z,
// with z independent. It is for running sums, whose releases share noise. All of it is exact. The
// event is the loss of the two worlds, which no attack on these releases exceeds.
//
// It learns B from the mechanism, by noise that is an impulse at one draw and 0 elsewhere. The
// attack has no name, claim and runs yet.
//
// release runs the mechanism once, as Mechanism.Release does, and draws from the given noise only.
// It has to be linear in the noise, and to draw and set equally many numbers in every run. Laws may
// be Gaussian, symmetric Gaussian and Laplace; for Laplace noise, the releases must determine all
// draws that reach them.
func LinearOf(outputs int, release func(world int, noise *privacy.Noise, out []float64) error) (Likelihood, account.Event, error) {
	if release == nil {
		return Likelihood{}, nil, errors.New("audit: LinearOf: release is nil")
	}
	l, err := learnLinear(outputs, func(world int, noise privacy.Script, out []float64) error {
		return release(world, privacy.NewNoise(noise), out)
	})
	if err != nil {
		return Likelihood{}, nil, fmt.Errorf("audit: LinearOf: %w", err)
	}
	return Likelihood{
		Outputs: outputs, Density: l.Density, Draws: l.Draws,
		Release: func(world int, source rand.Source, out []float64) error {
			return release(world, privacy.NewNoise(source), out)
		},
	}, l.Event, nil
}

// impulses makes runs under prescribed noise.
type impulses struct {
	outputs int
	release func(world int, noise privacy.Script, out []float64) error
	laws    []privacy.Law // of the last run, one for each draw
	scale   []float64     // of each number that it drew
}

// run makes a run whose noise has the coordinates z, in units of the laws.
func (m *impulses) run(world int, z func(i int) float64) ([]float64, error) {
	m.laws, m.scale = m.laws[:0], m.scale[:0]
	out := make([]float64, m.outputs)
	err := m.release(world, func(law privacy.Law, dst []float64) {
		m.laws = append(m.laws, law)
		for i := range dst {
			unit := law.Scale
			if law.Kind == "symmetric Gaussian" && onDiagonal(i) {
				unit *= math.Sqrt2
			}
			dst[i] = z(len(m.scale)) * unit
			m.scale = append(m.scale, unit)
		}
	}, out)
	return out, err
}

// onDiagonal tells whether number i of a packed triangle is on the diagonal.
func onDiagonal(i int) bool {
	for row := 0; i >= 0; row++ {
		if i == row {
			return true
		}
		i -= row + 1
	}
	return false
}

// ErrUneven is wrapped by the errors about releases that are not linear in their noise. Nor are
// they if each world has a matrix of its own.
var ErrUneven = errors.New("not linear")

func learnLinear(outputs int, release func(world int, noise privacy.Script, out []float64) error) (l linear, err error) {
	if outputs < 1 {
		return l, fmt.Errorf("outputs = %d, want >= 1", outputs)
	}
	m := &impulses{outputs: outputs, release: release}
	var means [2][]float64
	for w := range means {
		if means[w], err = m.run(w, func(int) float64 { return 0 }); err != nil {
			return l, err
		}
	}
	laplace := false
	for i, law := range m.laws {
		switch law.Kind {
		case "Gaussian", "symmetric Gaussian", "Laplace":
		default:
			return l, fmt.Errorf("noise that is %v, want Gaussian, symmetric Gaussian or Laplace", law)
		}
		if i > 0 && laplace != (law.Kind == "Laplace") {
			return l, errors.New("Gaussian and Laplace noise in one run, want one of them")
		}
		laplace = law.Kind == "Laplace"
		l.Draws = addDraw(l.Draws, law)
	}
	n := len(m.scale)
	if n == 0 {
		return l, errors.New("a run draws no noise")
	}
	b := mat.NewDense(outputs, n, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	z := make([]float64, n)
	for i := range z {
		if z[i] = rng.Float64(); i%2 == 0 {
			z[i] = -z[i]
		}
	}
	size := 1.0
	for j := range n {
		got, err := m.run(0, func(i int) float64 {
			if i == j {
				return 1
			}
			return 0
		})
		if err != nil {
			return l, err
		}
		if len(m.scale) != n {
			return l, fmt.Errorf("%d numbers are drawn in one run and %d in another: how many depends on the noise", n, len(m.scale))
		}
		for i, v := range got {
			size = max(size, math.Abs(v), math.Abs(means[1][i]))
			b.Set(i, j, v-means[0][i])
		}
	}
	for k := range 4 { // are both worlds linear, with this very B, also where noise is rarely as large?
		w, times := k%2, float64(1+5*(k/2))
		got, err := m.run(w, func(i int) float64 { return times * z[i] })
		if err != nil {
			return l, err
		}
		var sum mat.VecDense
		sum.MulVec(b, mat.NewVecDense(n, z))
		sum.ScaleVec(times, &sum)
		for i, v := range got {
			if want := means[w][i] + sum.AtVec(i); !(math.Abs(v-want) <= 1e-9*size) {
				return l, fmt.Errorf("out[%d] is %v in world %d under random noise, and %v by the impulses: %w", i, v, w, want, ErrUneven)
			}
		}
	}
	return l, l.invert(b, means, laplace, size)
}

// invert finds the coordinates of the noise that a release shows, and with them density and event.
func (l *linear) invert(b *mat.Dense, means [2][]float64, laplace bool, size float64) error {
	outputs, n := b.Dims()
	used := 0
	for j := range n {
		if mat.Norm(b.ColView(j), 1) > 0 {
			used++
		}
	}
	var svd mat.SVD
	if !svd.Factorize(b, mat.SVDThin) {
		return errors.New("the matrix from noise to releases has no singular values")
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	if laplace && rank < used {
		return fmt.Errorf("the releases have rank %d for %d draws of Laplace noise, want as many", rank, used)
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	back := mat.DenseCopyOf(u.Slice(0, outputs, 0, rank).T()) // from a release to independent noise of scale 1
	for i := range rank {
		row := back.RawRowView(i)
		for j := range row {
			row[j] /= values[i]
		}
	}
	if laplace {
		var z mat.Dense
		z.Mul(v.Slice(0, n, 0, rank), back)
		back = &z
	}
	change := mat.NewVecDense(outputs, nil)
	for i := range outputs {
		change.SetVec(i, means[1][i]-means[0][i])
	}
	var moved, again mat.VecDense
	moved.MulVec(back, change)
	if laplace {
		again.MulVec(b, &moved)
	} else {
		again.MulVec(u.Slice(0, outputs, 0, rank), mulElements(&moved, values))
	}
	for i := range outputs {
		if !(math.Abs(again.AtVec(i)-change.AtVec(i)) <= 1e-8*size) {
			return fmt.Errorf("out[%d] differs between the worlds by %v, of which noise hides %v", i, change.AtVec(i), again.AtVec(i))
		}
	}
	rows, _ := back.Dims()
	l.Event = account.GaussianEvent{Mu: mat.Norm(&moved, 2)}
	if laplace {
		var all account.Sequence
		for i := range rows {
			if shift := math.Abs(moved.AtVec(i)); shift > 1e-9 {
				all = append(all, account.LaplaceEvent{Epsilon: shift})
			}
		}
		l.Event = all
	}
	l.Density = func(world int, out []float64) (sum float64) {
		add := func(z float64) {
			if laplace {
				sum -= math.Abs(z)
			} else {
				sum -= float64(z * z / 2)
			}
		}
		// Two rows at a time: a sum waits for each of its additions.
		for i := 0; i < rows; i += 2 {
			one, two := back.RawRowView(i), back.RawRowView(min(i+1, rows-1))
			out, mean, two := out[:len(one)], means[world][:len(one)], two[:len(one)]
			var y, z float64
			for j, p := range one {
				d := out[j] - mean[j]
				y += float64(p * d)
				z += float64(two[j] * d)
			}
			if add(y); i+1 < rows {
				add(z)
			}
		}
		return sum
	}
	return nil
}

// mulElements returns the products of the elements.
func mulElements(x *mat.VecDense, by []float64) *mat.VecDense {
	product := mat.NewVecDense(x.Len(), nil)
	for i := range x.Len() {
		product.SetVec(i, x.AtVec(i)*by[i])
	}
	return product
}
