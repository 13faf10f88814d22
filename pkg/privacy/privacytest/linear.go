package privacytest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// linear is a transcript as a function of the noise: transcript = data + B z, where z has
// independent coordinates of one law and of scale 1.
type contextual struct {
	laplace  bool // Laplace coordinates; otherwise Gaussian
	b        *mat.Dense
	rounding float64 // rounding error of the transcript
}

// The laws that the probe knows, by the norm that measures a change.
var (
	gaussian          = privacy.GaussianLaw(1, 1).Kind
	symmetricGaussian = privacy.SymmetricGaussianLaw(1, 1).Kind
	laplace           = privacy.LaplaceLaw(1, 1).Kind
	gumbel            = privacy.GumbelLaw(1, 1).Kind
	wishart           = "Wishart"
)

// unit returns the scale of coordinate i of a draw.
func unit(law privacy.Law, i int) float64 {
	if law.Kind == symmetricGaussian {
		row := 0
		for row*(row+3)/2 < i { // row*(row+3)/2 is the index of (row, row) in the packed triangle
			row++
		}
		if row*(row+3)/2 == i {
			return math.Sqrt2 * law.Scale
		}
	}
	return law.Scale
}

// known reports whether the probe knows a law.
func known(law privacy.Law) bool {
	return law.Kind == gaussian || law.Kind == symmetricGaussian || law.Kind == laplace
}

// script writes noise with the given coordinates, in units of the laws. nil means zero.
type script struct {
	laws []privacy.Law
	z    func(coordinate int) float64
	next int
}

func (s *script) noise() *privacy.Noise {
	s.laws, s.next = nil, 0
	return privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
		s.laws = append(s.laws, law)
		for i := range dst {
			dst[i] = 0
			if s.z != nil {
				dst[i] = s.z(s.next) * unit(law, i)
			}
			s.next++
		}
	})
}

// respond learns B from impulses. run makes a run under the given noise and returns its transcript.
func respond(run func(*privacy.Noise) ([]float64, error)) (*contextual, error) {
	zero := script{}
	base, err := run(zero.noise())
	if err != nil {
		return nil, err
	}
	l := &contextual{}
	for i, law := range zero.laws {
		switch {
		case !known(law):
			return nil, fmt.Errorf("the probe does not know noise that is %v", law)
		case i > 0 && (law.Kind == laplace) != l.laplace:
			return nil, fmt.Errorf("the probe cannot compare Laplace with Gaussian noise")
		}
		l.laplace = law.Kind == laplace
	}
	n := zero.next
	if n == 0 || len(base) == 0 {
		return nil, fmt.Errorf("there is no noise, or no release")
	}
	l.b = mat.NewDense(len(base), n, nil)
	for j := range n {
		impulse := script{z: func(i int) float64 { return btof(i == j) }}
		got, err := run(impulse.noise())
		if err != nil {
			return nil, err
		}
		if impulse.next != n || len(got) != len(base) {
			return nil, fmt.Errorf("what is drawn or released depends on the noise: not linear")
		}
		for i, v := range got {
			l.b.Set(i, j, v-base[i])
		}
	}
	for _, v := range base {
		l.rounding = max(l.rounding, math.Abs(v))
	}
	return l, l.verify(run, base, n)
}

// notLinear is the error for a number of a transcript that is not data plus noise.
type notLinear struct {
	name      string
	at        int
	got, want float64
}

func (e *notLinear) Error() string {
	return fmt.Sprintf("%s is %v under random noise, and %v by the impulses: not linear", e.name, e.got, e.want)
}

func btof(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// verify compares the transcript under random noise with the prediction by B.
func (l *contextual) verify(run func(*privacy.Noise) ([]float64, error), base []float64, n int) error {
	rng := stream(1)
	z := make([]float64, n)
	for i := range z {
		z[i] = random.Normal(rng)
	}
	s := script{z: func(i int) float64 { return z[i] }}
	got, err := run(s.noise())
	if err != nil {
		return err
	}
	var sum mat.VecDense
	sum.MulVec(l.b, mat.NewVecDense(n, z))
	for i, v := range got {
		if want := base[i] + sum.AtVec(i); !(math.Abs(v-want) <= 1e-9*(math.Abs(want)+l.rounding+1)) {
			return &notLinear{fmt.Sprintf("number %d of the transcript", i), i, v, want}
		}
	}
	return nil
}

// solver returns the cost of a change D of the first rows numbers of a transcript. For Gaussian
// noise it is the Euclidean norm of the least z with B z = D; for Laplace noise the L1 norm of the
// only such z.
func (l *contextual) solver(rows int) (cost func(d []float64) float64, err error) {
	_, n := l.b.Dims()
	var keep []int // rows that the noise reaches
	for i := range rows {
		if mat.Norm(l.b.RowView(i), 2) > 0 {
			keep = append(keep, i)
		}
	}
	var used []int // draws that reach the releases
	for j := range n {
		for _, i := range keep {
			if l.b.At(i, j) != 0 {
				used = append(used, j)
				break
			}
		}
	}
	bare := func(d []float64, tolerance float64) bool { // whether a change is in numbers without noise
		for i, next := 0, 0; i < rows; i++ {
			if next < len(keep) && keep[next] == i {
				next++
			} else if math.Abs(d[i]) > tolerance {
				return true
			}
		}
		return false
	}
	if len(keep) == 0 {
		return func(d []float64) float64 {
			if bare(d, 0) {
				return math.Inf(1)
			}
			return 0
		}, nil
	}
	parts, err := l.parts(keep, used)
	if err != nil {
		return nil, err
	}
	return func(d []float64) float64 {
		var most float64
		for _, x := range d[:rows] {
			if !finite(x) {
				return math.Inf(1)
			}
			most = max(most, math.Abs(x))
		}
		tolerance := float64(1e-8*most) + float64(1e-12*l.rounding)
		if bare(d, 0) {
			return math.Inf(1)
		}
		var sum float64 // squared for Gaussian noise
		for _, p := range parts {
			cost := p.cost(d, tolerance, l.laplace)
			if !l.laplace {
				cost *= cost
			}
			sum += cost
		}
		if l.laplace {
			return sum
		}
		return math.Sqrt(sum)
	}, nil
}

// part is a part of B whose draws reach no other releases: rows of the transcript, and the singular
// value decomposition of B there.
type part struct {
	rows   []int
	b      *mat.Dense
	u, v   mat.Dense
	values []float64
	rank   int
}

// parts splits B, of which some rows and columns are not zero.
func (l *contextual) parts(keep, used []int) (parts []*part, err error) {
	_, draws := l.b.Dims()
	group := make([]int, draws) // of a draw, as a forest
	for j := range group {
		group[j] = j
	}
	root := func(j int) int {
		for group[j] != j {
			group[j] = group[group[j]]
			j = group[j]
		}
		return j
	}
	of := make(map[int]int) // row to one of its draws
	for _, i := range keep {
		first := -1
		for j, v := range l.b.RawRowView(i) {
			if v == 0 {
				continue
			}
			if first < 0 {
				first = j
			}
			group[root(j)] = root(first)
		}
		of[i] = first
	}
	rows, columns := make(map[int][]int), make(map[int][]int)
	for _, i := range keep {
		rows[root(of[i])] = append(rows[root(of[i])], i)
	}
	for _, j := range used {
		columns[root(j)] = append(columns[root(j)], j)
	}
	for _, j := range used {
		if root(j) != j {
			continue
		}
		p, rows, columns := &part{}, rows[j], columns[j]
		p.rows, p.b = rows, mat.NewDense(len(rows), len(columns), nil)
		for i, row := range rows {
			for k, column := range columns {
				p.b.Set(i, k, l.b.At(row, column))
			}
		}
		var svd mat.SVD
		if !svd.Factorize(p.b, mat.SVDThin) {
			return nil, fmt.Errorf("the matrix from noise to releases has no singular values")
		}
		p.values = svd.Values(nil)
		for p.rank < len(p.values) && p.values[p.rank] > 1e-11*p.values[0] {
			p.rank++
		}
		if l.laplace && p.rank < len(columns) {
			return nil, fmt.Errorf("the releases have rank %d for %d draws of Laplace noise: the probe wants as many", p.rank, len(columns))
		}
		svd.UTo(&p.u)
		svd.VTo(&p.v)
		parts = append(parts, p)
	}
	return parts, nil
}

// cost returns the norm of the least z of the part with B z = D, +Inf if there is none.
func (p *part) cost(d []float64, tolerance float64, laplace bool) float64 {
	change, any := mat.NewVecDense(len(p.rows), nil), false
	for i, row := range p.rows {
		change.SetVec(i, d[row])
		any = any || d[row] != 0
	}
	if !any {
		return 0
	}
	var y, z, back mat.VecDense
	y.MulVec(p.u.T(), change)
	for i := range p.values {
		if i < p.rank {
			y.SetVec(i, y.AtVec(i)/p.values[i])
		} else {
			y.SetVec(i, 0)
		}
	}
	z.MulVec(&p.v, &y)
	back.MulVec(p.b, &z)
	for i := range p.rows {
		if math.Abs(back.AtVec(i)-change.AtVec(i)) > tolerance {
			return math.Inf(1) // no noise has this effect
		}
	}
	if laplace {
		return mat.Norm(&z, 1)
	}
	return mat.Norm(&z, 2)
}

// worth returns the plan's cost in the units of a solver: mu, or the sum of the pure epsilons.
func (l *contextual) worth(p privacy.Plan) (float64, error) {
	event := p.Event()
	if nothing := (account.GaussianEvent{}); event == nothing {
		return 0, nil
	}
	if l.laplace {
		return account.Pure{}.Epsilon(event, 0)
	}
	return account.GDP{}.Mu(event)
}
