package online

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var streams = []func(dim, rounds int, r *rand.Rand) (*Losses, error){absoluteLosses, quadraticLosses, squaredLosses}

func makeStream(t *testing.T, kind, dim, rounds int, seed uint64) *Losses {
	t.Helper()
	s, err := streams[kind](dim, rounds, rand.New(rand.NewPCG(seed, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAdapts plays 20,000 rounds in dimension 5 of each kind of stream, three of each, or one with
// -short (fixed seeds, so that it passes always or never). Maler has to be within a small constant
// of the best, and the learners that are tuned for something else are not.
func TestAdapts(t *testing.T) {
	const dim, rounds = 5, 20000
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for kind := range streams {
			s := makeStream(t, kind, dim, rounds, seed)
			c := s.Curvature
			u, _, _, err := bestPoint(s, rounds)
			if err != nil {
				t.Fatal(err)
			}
			play := func(l Learner) float64 {
				k := &kept{Learner: l}
				curve, err := regretAgainst(k, s, rounds, u, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if n := k.run.Clipped(); n != 0 {
					t.Errorf("%s: %T clips %d gradients, want none: G = %v is no bound", s.Name, l, n, c.Gradient)
				}
				return curve[rounds-1]
			}
			ogd, maler := play(OGD{Gradient: c.Gradient}), play(Maler{Gradient: c.Gradient})
			metagrad := play(MetaGrad{Gradient: c.Gradient})
			alpha := c.ExpConcave
			if alpha == 0 { // no such thing: ONS with the greatest step that it takes
				alpha = 1
			}
			ons := play(ONS{Gradient: c.Gradient, ExpConcave: alpha})
			best, factor := math.Min(ogd, ons), 1.0
			switch kind {
			case 1:
				curved := play(OGD{Gradient: c.Gradient, Strong: c.Strong})
				t.Logf("seed %d: strongly convex, OGD with 1/(mu t): %.2f", seed, curved)
				best, factor = curved, 8
				if !(4*maler < 1.5*ons && maler < 1.5*ogd) {
					t.Errorf("seed %d, strongly convex: Maler %v, want far less than ONS's %v and about OGD's %v", seed, maler, ons, ogd)
				}
			case 2:
				factor = 1.25
				if !(ogd > 2*maler && ogd > 2*ons) {
					t.Errorf("seed %d, exp-concave: OGD %v, want more than double of Maler's %v and ONS's %v", seed, ogd, maler, ons)
				}
			}
			t.Logf("seed %d: %s: OGD %.2f, ONS %.2f, Maler %.2f, MetaGrad %.2f", seed, s.Name, ogd, ons, maler, metagrad)
			if !(maler <= factor*best) {
				t.Errorf("seed %d: %s: Maler's regret %v, want at most %v times the best, %v", seed, s.Name, maler, factor, best)
			}
			if !(metagrad <= 2*math.Min(ogd, ons) || metagrad <= 1.5*ons) {
				t.Errorf("seed %d: %s: MetaGrad's regret %v, want about OGD's %v or ONS's %v", seed, s.Name, metagrad, ogd, ons)
			}
			// The theorems' bounds: 3 G D sqrt T for OGD; its proof's for ONS.
			if limit := 3 * c.Gradient * math.Sqrt(rounds); !(ogd <= limit && maler <= limit && metagrad <= limit) {
				t.Errorf("seed %d: %s: regrets %v, %v, %v, want at most %v", seed, s.Name, ogd, maler, metagrad, limit)
			}
		}
	}
}

// TestRegretGrowth: on strongly convex losses Maler's regret grows as ln T, not as sqrt T: from
// 5,000 to 40,000 rounds by much less than sqrt 8.
func TestRegretGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	var at [2]float64
	for i, rounds := range []int{5000, 40000} {
		for seed := range uint64(3) {
			s := makeStream(t, 1, 5, rounds, seed)
			curve, err := Regret(Maler{Gradient: s.Curvature.Gradient}, s, rounds, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			at[i] += curve[rounds-1] / 3
		}
	}
	t.Logf("regret after 5,000 rounds %v, after 40,000 %v", at[0], at[1])
	if at[1] > 1.8*at[0] {
		t.Errorf("regret grows from %v to %v, want by less than 1.8", at[0], at[1])
	}
}

// TestCurvature checks what the streams claim: gradients by differences, their bound, exp-concavity
// and strong convexity along random segments.
func TestCurvature(t *testing.T) {
	for kind := range streams {
		for _, dim := range []int{1, 3, 70} {
			const rounds = 200
			s := makeStream(t, kind, dim, rounds, 7)
			c := s.Curvature
			r := rand.New(rand.NewPCG(8, 8))
			g := make([]float64, dim)
			inside := func() []float64 { return direction(r, make([]float64, dim), math.Sqrt(r.Float64())) }
			for round := 1; round <= rounds; round++ {
				a, b := inside(), inside()
				s.Gradient(round, a, g)
				if norm2(g) > c.Gradient*(1+1e-12) {
					t.Fatalf("%s: a gradient of norm %v, want at most %v", s.Name, norm2(g), c.Gradient)
				}
				off := combination(1, b, -1, a)
				const h = 1e-6
				ahead, back := s.Loss(round, combination(1, a, h, off)), s.Loss(round, combination(1, a, -h, off))
				if diff := (ahead - back) / (2 * h); math.Abs(diff-dot(g, off)) > 1e-6 {
					t.Fatalf("%s: slope %v, by differences %v", s.Name, dot(g, off), diff)
				}
				la, lb, middle := s.Loss(round, a), s.Loss(round, b), s.Loss(round, combination(0.5, a, 0.5, b))
				if middle > (la+lb)/2-c.Strong*dot(off, off)/8+1e-12 {
					t.Fatalf("%s: not %v-strongly convex", s.Name, c.Strong)
				}
				if e := c.ExpConcave; math.Exp(-e*middle) < (math.Exp(-e*la)+math.Exp(-e*lb))/2-1e-12 {
					t.Fatalf("%s: not %v-exp-concave", s.Name, e)
				}
			}
		}
	}
}

// known is a stream whose best points are known: <g, theta> + curve |theta - c|^2/2.
type known struct {
	g, c   []float64
	curve  float64
	radius float64
}

func (k known) Dim() int        { return len(k.g) }
func (k known) Len() int        { return 50 }
func (k known) Radius() float64 { return k.radius }
func (k known) Loss(_ int, theta []float64) float64 {
	off := combination(1, theta, -1, k.c)
	return dot(k.g, theta) + k.curve*dot(off, off)/2
}
func (k known) Gradient(_ int, theta, dst []float64) {
	for j := range dst {
		dst[j] = k.g[j] + k.curve*(theta[j]-k.c[j])
	}
}

// TestBest against closed forms, and on absolute losses, which have corners, against every vertex.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, dim := range []int{1, 2, 5, 10} {
		for range 20 {
			k := known{g: normals(r, dim, 1), c: normals(r, dim, 1), radius: 0.5 + 3*r.Float64()}
			check := func(want []float64) {
				t.Helper()
				u, loss, gap, err := bestPoint(k, k.Len())
				if err != nil {
					t.Fatal(err)
				}
				least := float64(k.Len()) * k.Loss(1, want)
				if norm2(u) > k.radius || gap > 1e-9*(1+math.Abs(loss)) || loss > least+2e-9*(1+math.Abs(least)) || loss < least-1e-10*(1+math.Abs(least)) {
					t.Errorf("d = %d: best %v with loss %v and gap %v, want %v with %v", dim, u, loss, gap, want, least)
				}
			}
			want := make([]float64, dim)
			scaled(want, -k.radius/norm2(k.g), k.g) // linear losses: the sphere's point against g
			check(want)
			k.curve = 2
			check(inBall(combination(1, k.c, -0.5, k.g), k.radius)) // a bowl about c - g/2
		}
	}
	s := makeStream(t, 0, 2, 40, 3)
	sum := func(theta []float64) (f float64) {
		for round := 1; round <= 40; round++ {
			f += s.Loss(round, theta)
		}
		return f
	}
	least := math.Inf(1)
	for i := range 40 {
		for j := range i {
			var z mat.VecDense
			if err := z.SolveVec(mat.NewDense(2, 2, append(append([]float64(nil), s.row(i+1)...), s.row(j+1)...)), vec([]float64{s.labels[i], s.labels[j]})); err != nil {
				t.Fatal(err)
			}
			if v := z.RawVector().Data; norm2(v) < 1 {
				least = math.Min(least, sum(v))
			}
		}
	}
	if u, loss, _, err := bestPoint(s, 40); err != nil || norm2(u) > 0.999 || math.Abs(loss-least) > 1e-7 {
		t.Errorf("absolute losses: best %v with loss %v (%v), want %v", u, loss, err, least)
	}
}

// TestRegretByHand plays OGD by hand.
func TestRegretByHand(t *testing.T) {
	k := known{g: []float64{1, 0}, c: []float64{0, 0}, radius: 2}
	curve, err := Regret(OGD{Radius: 2, Gradient: 4}, k, 3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Steps 1/(2 sqrt t): at 0, -1/2, -1/2 - 1/sqrt 8; the best point is -2.
	for i, want := range []float64{2, 3.5, 5 - 1/math.Sqrt(8)} {
		if math.Abs(curve[i]-want) > 1e-6 {
			t.Errorf("regret after %d rounds = %v, want %v", i+1, curve[i], want)
		}
	}
}

type bad struct{ known }

func (b bad) Loss(int, []float64) float64 { return math.NaN() }

func TestRegretErrors(t *testing.T) {
	k := known{g: []float64{1, 0}, c: []float64{0, 0}, radius: 1}
	ok := OGD{Gradient: 1}
	for _, c := range []struct {
		l      Learner
		s      Stream
		rounds int
		want   string
	}{
		{ok, k, 0, "rounds = 0"},
		{ok, k, 51, "rounds = 51"},
		{ok, known{radius: 1}, 1, "dimension 0"},
		{ok, known{g: k.g, c: k.c}, 1, "radius 0"},
		{ok, bad{k}, 5, "NaN"},
		{OGD{}, k, 5, "OGD.Gradient"},
		{OGD{Radius: 7, Gradient: 1}, k, 5, "at most the stream's radius 1"},
	} {
		if _, err := Regret(c.l, c.s, c.rounds, nil, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Regret(%+v, %+v, %d): %v, want an error with %q", c.l, c.s, c.rounds, err, c.want)
		}
	}
	if _, err := regretAgainst(ok, k, 5, []float64{1}, nil, nil); err == nil {
		t.Error("a comparator of the wrong length passes")
	}
	for _, make := range streams {
		if _, err := make(0, 5, nil); !errors.Is(err, errDim) {
			t.Errorf("dimension 0: %v", err)
		}
		if _, err := make(2, 0, nil); !errors.Is(err, errHorizon) {
			t.Errorf("no rounds: %v", err)
		}
	}
}
