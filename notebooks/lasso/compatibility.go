package lasso

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/check"
)

// Compatibility returns the compatibility constant phi^2(M, S), the least x'Mx / |x_S|_1^2 over x
// with |x_{S^c}|_1 <= cone |x_S|_1.
//
// As the paper prints it (Definition 1), the numerator is x_S' M x_S, in which the cone has no
// part: that is cone = 0. The smallest example has two coordinates, M = (1 0.9; 0.9 1) and S = {1}:
// 1 as printed, and 0.19 with the paper's cone of 3. The bound on the LASSO's error needs the
// second.
//
// For each pattern of signs of x_S this is a convex program, and -x does as x: there are 2^(s-1).
// Each is solved by accelerated projected gradients, until its duality gap, which bounds how far it
// is from the least value, is below 1e-6 of it.
func Compatibility(m *mat.SymDense, support []int, cone float64) float64 {
	n := m.SymmetricDim()
	p := &program{m: m, on: support, cone: cone, sign: make([]float64, len(support))}
	for j := range n {
		if !slices.Contains(support, j) {
			p.off = append(p.off, j)
		}
	}
	check.That(len(support) > 0, "no coordinate matters")
	var eigen mat.EigenSym
	check.That(eigen.Factorize(m, false), "no eigenvalues")
	values := eigen.Values(nil)
	p.step = 1 / (2 * values[n-1])
	// The momentum is that of a condition number.
	root := math.Sqrt(max(values[0], 1e-9*values[n-1]) / values[n-1])
	p.momentum = (1 - root) / (1 + root)
	least := math.Inf(1)
	for pattern := range 1 << (len(support) - 1) {
		for i := range p.sign {
			p.sign[i] = 1 - 2*float64(pattern>>i&1)
		}
		least = min(least, p.solve())
	}
	return least
}

// program is the convex program of a pattern of signs: x_i sign_i >= 0 with sum 1 on the support,
// and |x|_1 <= cone off it.
type program struct {
	m              *mat.SymDense
	on, off        []int
	sign           []float64
	cone           float64
	step, momentum float64
}

func (p *program) solve() float64 {
	n := p.m.SymmetricDim()
	x, y, g := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, j := range p.on {
		x.SetVec(j, p.sign[i]/float64(len(p.on)))
	}
	y.CopyVec(x)
	next := mat.NewVecDense(n, nil)
	for k := range 100_000 {
		if k%20 == 0 {
			g.MulVec(p.m, x)
			value := mat.Dot(g, x)
			if 2*p.gap(x, g, value) <= 1e-6*value {
				return value
			}
		}
		g.MulVec(p.m, y)
		next.AddScaledVec(y, -2*p.step, g)
		p.project(next)
		y.SubVec(next, x)
		y.AddScaledVec(next, p.momentum, y)
		x, next = next, x
	}
	check.That(false, "the compatibility constant is not found in 100,000 steps")
	return math.NaN()
}

// gap returns <Mx, x> less the least <Mx, z> over the set.
func (p *program) gap(x, g *mat.VecDense, value float64) float64 {
	least, most := math.Inf(1), 0.0
	for i, j := range p.on {
		least = min(least, p.sign[i]*g.AtVec(j))
	}
	for _, j := range p.off {
		most = max(most, math.Abs(g.AtVec(j)))
	}
	return value - least + p.cone*most
}

// project moves x to the nearest point of the set.
func (p *program) project(x *mat.VecDense) {
	part := make([]float64, len(p.on), max(len(p.on), len(p.off)))
	for i, j := range p.on {
		part[i] = p.sign[i] * x.AtVec(j)
	}
	toSimplex(part, 1)
	for i, j := range p.on {
		x.SetVec(j, p.sign[i]*part[i])
	}
	part = part[:len(p.off)]
	for i, j := range p.off {
		part[i] = math.Abs(x.AtVec(j))
	}
	if floats.Sum(part) > p.cone {
		toSimplex(part, p.cone)
	}
	for i, j := range p.off {
		x.SetVec(j, math.Copysign(part[i], x.AtVec(j)))
	}
}

// toSimplex moves v to the nearest point with entries of 0 or more and their sum total.
func toSimplex(v []float64, total float64) {
	if total == 0 {
		clear(v)
		return
	}
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	sum, shift := 0.0, 0.0
	for i := len(sorted) - 1; i >= 0; i-- {
		sum += sorted[i]
		if t := (sum - total) / float64(len(sorted)-i); i == len(sorted)-1 || sorted[i] > t {
			shift = t
		} else {
			break
		}
	}
	for i := range v {
		v[i] = max(0, v[i]-shift)
	}
}
