package online

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The references are the formulas of the papers as they stand in the learners' comments, in the
// user's units: precisions summed and solved with anew by gonum, projections by bisection on the
// multiplier, weights multiplied and normalised.

// reference is told a gradient that is clipped already and returns the next prediction.
type reference func(t int, g []float64) []float64

func vec(x []float64) *mat.VecDense { return mat.NewVecDense(len(x), append([]float64(nil), x...)) }

func dot(x, y []float64) float64 { return mat.Dot(vec(x), vec(y)) }

// inBall projects on the ball of that radius.
func inBall(x []float64, radius float64) []float64 {
	y := append([]float64(nil), x...)
	if norm := norm2(x); norm > radius {
		scaled(y, radius/norm, x)
	}
	return y
}

// combination returns a x + b y.
func combination(a float64, x []float64, b float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		z[i] = a*x[i] + b*y[i]
	}
	return z
}

// solve returns A^-1 x.
func solve(a mat.Symmetric, x []float64) []float64 {
	var z mat.VecDense
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		panic("not positive definite")
	}
	if err := chol.SolveVecTo(&z, vec(x)); err != nil {
		panic(err)
	}
	return z.RawVector().Data
}

// nearest minimises (z-y)^T S (z-y) over the ball: z = (S + lambda I)^-1 S y.
func nearest(s *mat.SymDense, y []float64, radius float64) []float64 {
	if norm2(y) <= radius {
		return y
	}
	var sy mat.VecDense
	sy.MulVec(s, vec(y))
	at := func(lambda float64) []float64 {
		a := ridge(len(y), lambda)
		a.AddSym(a, s)
		return solve(a, sy.RawVector().Data)
	}
	low, high := 0.0, mat.Trace(s)
	for norm2(at(high)) > radius {
		high *= 4
	}
	for range 60 {
		if middle := (low + high) / 2; norm2(at(middle)) > radius {
			low = middle
		} else {
			high = middle
		}
	}
	return at(high)
}

func ridge(dim int, value float64) *mat.SymDense {
	s := mat.NewSymDense(dim, nil)
	for i := range dim {
		s.SetSym(i, i, value)
	}
	return s
}

func referenceOGD(dim int, radius float64, step func(t int) float64) reference {
	theta := make([]float64, dim)
	return func(t int, g []float64) []float64 {
		theta = inBall(combination(1, theta, -step(t), g), radius)
		return theta
	}
}

func referenceONS(dim int, radius, bound, alpha float64) reference {
	gamma := 0.5 * math.Min(1/(2*bound*radius), alpha)
	theta, s := make([]float64, dim), ridge(dim, 1/math.Pow(gamma*2*radius, 2))
	return func(_ int, g []float64) []float64 {
		s.SymRankOne(s, 1, vec(g))
		theta = nearest(s, combination(1, theta, -1/gamma, solve(s, g)), radius)
		return theta
	}
}

// expert is one of a mixture: where it is, its weight and rate, its surrogate's value there, and
// its move.
type expert struct {
	at          []float64
	weight, eta float64
	loss        func(at, theta, g []float64) float64
	move        func(t int, at, theta, g []float64) []float64
}

func mixture(dim int, experts []*expert) reference {
	theta := make([]float64, dim)
	return func(t int, g []float64) []float64 {
		var phi float64
		for _, e := range experts {
			e.weight *= math.Exp(-e.loss(e.at, theta, g))
			phi += e.weight
			e.at = e.move(t, e.at, theta, g)
		}
		var total float64
		next := make([]float64, dim)
		for _, e := range experts {
			e.weight /= phi
			next = combination(1, next, e.weight*e.eta, e.at)
			total += e.weight * e.eta
		}
		scaled(next, 1/total, next)
		theta = next
		return theta
	}
}

func referenceMaler(dim, horizon int, radius, bound float64, experts *[]*expert) reference {
	k := int(math.Ceil(0.5 * math.Log2(float64(horizon))))
	etaC := 1 / (4 * bound * radius * math.Sqrt(float64(horizon)))
	*experts = []*expert{{at: make([]float64, dim), weight: 1. / 3, eta: etaC,
		loss: func(at, theta, g []float64) float64 {
			return -etaC*dot(combination(1, theta, -1, at), g) + math.Pow(2*etaC*bound*radius, 2)
		},
		move: func(t int, at, theta, g []float64) []float64 {
			return inBall(combination(1, at, -2*radius/(etaC*bound*math.Sqrt(float64(t)))*etaC, g), radius)
		}}}
	for _, curved := range []bool{true, false} {
		for i := 0; i <= k; i++ {
			eta := math.Pow(2, -float64(i)) / (10 * bound * radius)
			e := &expert{at: make([]float64, dim), eta: eta, weight: (1 + 1/(1+float64(k))) / (3 * float64(i+1) * float64(i+2))}
			const alpha = 0.5
			s := ridge(dim, 1/(4*alpha*alpha*radius*radius))
			if curved {
				e.loss = func(at, theta, g []float64) float64 {
					off := combination(1, theta, -1, at)
					return -eta*dot(off, g) + eta*eta*bound*bound*dot(off, off)
				}
				e.move = func(t int, at, theta, g []float64) []float64 {
					grad := combination(eta, g, 2*eta*eta*bound*bound, combination(1, at, -1, theta))
					return inBall(combination(1, at, -1/(2*eta*eta*bound*bound*float64(t)), grad), radius)
				}
			} else {
				e.loss = quadratic(eta)
				e.move = func(_ int, at, theta, g []float64) []float64 {
					grad := slope(eta, at, theta, g)
					s.SymRankOne(s, 1, vec(grad))
					return nearest(s, combination(1, at, -1/alpha, solve(s, grad)), radius)
				}
			}
			*experts = append(*experts, e)
		}
	}
	return mixture(dim, *experts)
}

func referenceMetaGrad(dim, horizon int, radius, bound float64) reference {
	k := int(math.Ceil(0.5 * math.Log2(float64(horizon))))
	var experts []*expert
	for i := 0; i <= k; i++ {
		eta := math.Pow(2, -float64(i)) / (10 * bound * radius)
		s := ridge(dim, 1/(4*radius*radius))
		experts = append(experts, &expert{at: make([]float64, dim), eta: eta, weight: (1 + 1/(1+float64(k))) / (float64(i+1) * float64(i+2)),
			loss: quadratic(eta),
			move: func(_ int, at, theta, g []float64) []float64 {
				s.SymRankOne(s, 2*eta*eta, vec(g))
				return nearest(s, combination(1, at, -1, solve(s, slope(eta, at, theta, g))), radius)
			}})
	}
	return mixture(dim, experts)
}

// quadratic is the surrogate -eta <theta - at, g> + eta^2 <g, at - theta>^2, slope its gradient.
func quadratic(eta float64) func(at, theta, g []float64) float64 {
	return func(at, theta, g []float64) float64 {
		off := dot(combination(1, theta, -1, at), g)
		return -eta*off + eta*eta*off*off
	}
}

func slope(eta float64, at, theta, g []float64) []float64 {
	return combination(eta, g, 2*eta*eta*dot(g, combination(1, at, -1, theta)), g)
}

// TestAgainstReference plays each learner and its reference on random streams to 1e-9; with -short,
// not those of 300 rounds in five dimensions.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct {
		dim, horizon  int
		radius, bound float64
	}{{1, 60, 1, 1}, {2, 150, 3, 0.5}, {5, 300, 0.7, 20}, {9, 60, 1, 2}} {
		if testing.Short() && c.dim == 5 {
			continue // the longest, by far
		}
		for game, next := range games {
			// nothing to see, or nothing that the naive can do
			if game == "huge" || game == "tiny" || game == "zero" {
				continue
			}
			var experts []*expert
			var maler *MalerRun
			alpha := 0.3 / (c.bound * c.radius)
			for _, p := range []struct {
				name  string
				fast  Learner
				naive reference
			}{
				{"ogd", OGD{Radius: c.radius, Gradient: c.bound}, referenceOGD(c.dim, c.radius, func(t int) float64 { return c.radius / c.bound / math.Sqrt(float64(t)) })},
				{"curved", OGD{Radius: c.radius, Gradient: c.bound, Strong: 0.3}, referenceOGD(c.dim, c.radius, func(t int) float64 { return 1 / 0.3 / float64(t) })},
				{"ons", ONS{Radius: c.radius, Gradient: c.bound, ExpConcave: alpha}, referenceONS(c.dim, c.radius, c.bound, alpha)},
				{"eager ons", ONS{Radius: c.radius, Gradient: c.bound, ExpConcave: 10 * alpha}, referenceONS(c.dim, c.radius, c.bound, 10*alpha)},
				{"maler", Maler{Radius: c.radius, Gradient: c.bound}, referenceMaler(c.dim, c.horizon, c.radius, c.bound, &experts)},
				{"metagrad", MetaGrad{Radius: c.radius, Gradient: c.bound}, referenceMetaGrad(c.dim, c.horizon, c.radius, c.bound)},
			} {
				fast := start(t, p.fast, c.dim, c.horizon)
				if m, ok := fast.(*MalerRun); ok {
					maler = m
				}
				r := rand.New(rand.NewPCG(11, uint64(c.dim)))
				edge := 0
				for round := range c.horizon {
					unit := make([]float64, c.dim)
					scaled(unit, 1/c.radius, fast.Predict())
					g := next(r, round, unit)
					scaled(g, c.bound, g)
					update(t, fast, g)
					want := p.naive(round+1, inBall(g, c.bound))
					for j, v := range fast.Predict() {
						if !(math.Abs(v-want[j]) <= 1e-9*c.radius) {
							t.Fatalf("%s on %s, d = %d, round %d: %v, want %v", p.name, game, c.dim, round, fast.Predict(), want)
						}
					}
					if norm2(want) > c.radius*0.999 {
						edge++
					}
				}
				if (game == "drift" || game == "outward") && p.name == "eager ons" && edge < c.horizon/4 {
					t.Errorf("%s on %s: %d of %d points on the sphere: it does not test the projection", p.name, game, edge, c.horizon)
				}
			}
			w := maler.Weights()
			if len(w) != len(experts) {
				t.Fatalf("%d weights, want %d", len(w), len(experts))
			}
			for i, e := range experts {
				if math.Abs(w[i].Mass-e.weight) > 1e-9 || math.Abs(w[i].Eta/e.eta-1) > 1e-12 {
					t.Errorf("%s: expert %d has %+v, want mass %v and rate %v", game, i, w[i], e.weight, e.eta)
				}
			}
		}
	}
}

// TestNewtonDrift compares P after many rank-one updates with the inverse of the sum, at the worst
// condition number that a learner has.
func TestNewtonDrift(t *testing.T) {
	const dim, rounds = 6, 200_000
	r := rand.New(rand.NewPCG(5, 5))
	n, s := newNewton(dim, 0.25), ridge(dim, 0.25)
	g := make([]float64, dim)
	for range rounds {
		for j := range g { // most of it in the first directions
			g[j] = 0.3 * math.Pow(0.1, float64(j)) * r.NormFloat64()
		}
		n.step(g, 1, 0)
		s.SymRankOne(s, 1, vec(g))
	}
	for i := range dim {
		unit := make([]float64, dim)
		unit[i] = 1
		column := solve(s, unit)
		for j := range i + 1 {
			if got, want := n.p[i*(i+1)/2+j], column[j]; math.Abs(got-want) > 1e-10*math.Sqrt(solve(s, unit)[i]) {
				t.Errorf("P(%d, %d) = %v, want %v", i, j, got, want)
			}
		}
	}
}

// TestProject checks the conditions of Karush, Kuhn and Tucker on hard projections: |z| = 1 and S
// (z-y) + lambda z = 0, lambda >= 0, that is (y-z) = lambda P z.
func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, dim := range []int{1, 2, 5, 12} {
		for trial := range 3000 {
			n := newNewton(dim, math.Exp(2*r.NormFloat64()))
			for range r.IntN(2 * dim) {
				n.step(normals(r, dim, math.Exp(1.5*r.NormFloat64())), 1, 0)
			}
			length := 1 + math.Exp(-25+30*r.Float64()) // from just outside to far away
			copy(n.y, direction(r, make([]float64, dim), length))
			n.project(length)
			if norm := norm2(n.z); math.Abs(norm-1) > 1e-11 {
				t.Fatalf("d = %d, trial %d: |z| = %v, want 1", dim, trial, norm)
			}
			pz := make([]float64, dim)
			var trace float64
			for i := range dim {
				trace += n.p[i*(i+3)/2]
				for j := range dim {
					pz[i] += n.p[max(i, j)*(max(i, j)+1)/2+min(i, j)] * n.z[j]
				}
			}
			off := combination(1, n.y, -1, n.z)
			lambda := dot(off, pz) / dot(pz, pz)
			if left := norm2(combination(1, off, -lambda, pz)); lambda < 0 || left > 1e-11*(length+lambda*trace) {
				t.Fatalf("d = %d, trial %d, |y| = %v: y - z = %v is off lambda P z by %v (lambda %v)", dim, trial, length, off, left, lambda)
			}
		}
	}
}
