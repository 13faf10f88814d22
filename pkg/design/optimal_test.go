package design_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// arms returns a random set of arms: some of lower rank, some with duplicates, some of one arm, in
// units from 1e-100 to 1e100.
func arms(r *rand.Rand, kind int) (rows []float64, dim int) {
	dim = 1 + r.IntN(8)
	n := 1 + r.IntN(60)
	if kind%8 == 0 {
		n = 1
	}
	rank := dim
	if kind%4 == 1 {
		rank = 1 + r.IntN(dim)
	}
	span := make([]float64, rank*dim)
	for i := range span {
		span[i] = random.Normal(r)
	}
	unit := math.Pow(10, float64(r.IntN(3)-1)*100)
	rows = make([]float64, n*dim)
	for a := range n {
		row := rows[a*dim : (a+1)*dim]
		if kind%4 == 2 && a > 0 && r.IntN(2) == 0 {
			copy(row, rows[r.IntN(a)*dim:][:dim])
			continue
		}
		for i := range rank {
			c := random.Normal(r)
			if kind%4 == 3 {
				c *= math.Exp(3 * random.Normal(r)) // lengths far apart
			}
			for j := range row {
				row[j] += c * span[i*dim+j] * unit
			}
		}
	}
	return rows, dim
}

func everyone(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestOptimal: on 200 sets of arms, max g <= 2m over at most m(m+1)/2 arms, by gonum, too.
func TestOptimal(t *testing.T) {
	largest := 0
	for kind := range 200 {
		r := random.New(7, kind, "arms")
		rows, dim := arms(r, kind)
		n := len(rows) / dim
		for i, most := range []float64{2, 1.01, 1 + 1e-4, 2, 1.01} {
			t.Run(fmt.Sprintf("%d of %d arms, dim %d, most %v, pairs %v", kind, n, dim, most, i > 2), func(t *testing.T) {
				o, err := design.Optimal{Most: most, Pairs: i > 2}.Open(n, dim)
				if err != nil {
					t.Fatal(err)
				}
				if err := o.Find(rows, everyone(n)); err != nil {
					t.Fatal(err)
				}
				m, want := o.Rank(), gonumRank(rows, n, dim)
				if m != want {
					t.Fatalf("rank %d, want %d", m, want)
				}
				core, weights := o.Core()
				if len(core) > m*(m+1)/2 || len(core) < m {
					t.Errorf("%d arms in the design, want in [%d, %d]", len(core), m, m*(m+1)/2)
				}
				largest = max(largest, len(core))
				if worst := gonumWorst(rows, n, dim, core, weights); worst > most*float64(m)*(1+1e-6) || worst < float64(m)*(1-1e-6) ||
					math.Abs(worst-o.Worst()) > 1e-5*worst {
					t.Errorf("max g = %v, reported %v, want in [%d, %v]", worst, o.Worst(), m, most*float64(m))
				}
			})
		}
	}
	if largest < 10 {
		t.Errorf("at most %d arms in any design: the sets are too simple", largest)
	}
}

// scaled returns the arms in units of their largest entry.
func scaled(rows []float64, n, dim int) *mat.Dense {
	var most float64
	for _, v := range rows {
		most = max(most, math.Abs(v))
	}
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, rows[i*dim+j]/most)
		}
	}
	return x
}

func gonumRank(rows []float64, n, dim int) int {
	var svd mat.SVD
	if !svd.Factorize(scaled(rows, n, dim), mat.SVDNone) {
		panic("no singular values")
	}
	return svd.Rank(1e-9)
}

// gonumWorst returns max a^T V^+ a, as the largest squared norm of an arm in the coordinates in
// which the design's own matrix has orthonormal columns.
func gonumWorst(rows []float64, n, dim int, core []int, weights []float64) float64 {
	x := scaled(rows, n, dim)
	root := mat.NewDense(len(core), dim, nil) // V = root^T root
	for i, a := range core {
		for j := range dim {
			root.Set(i, j, math.Sqrt(weights[i])*x.At(a, j))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(root, mat.SVDThin) {
		panic("no singular values")
	}
	var v mat.Dense
	svd.VTo(&v)
	s := svd.Values(nil)
	var worst float64
	for a := range n {
		var g float64
		for k, sigma := range s {
			if sigma <= 1e-10*s[0] {
				continue
			}
			var along float64
			for j := range dim {
				along += x.At(a, j) * v.At(j, k)
			}
			g += along * along / sigma / sigma
		}
		worst = max(worst, g)
	}
	return worst
}

// TestOptimalKnown: designs that are known in closed form.
func TestOptimalKnown(t *testing.T) {
	var o *design.Finder
	find := func(rows []float64, dim int) ([]int, []float64) {
		t.Helper()
		n := len(rows) / dim
		var err error
		if o, err = (design.Optimal{Most: 1 + 1e-6}).Open(n, dim); err != nil {
			t.Fatal(err)
		}
		if err := o.Find(rows, everyone(n)); err != nil {
			t.Fatal(err)
		}
		return o.Core()
	}
	core, weights := find([]float64{0.5, 0, 2, 0, 0, 3, 0, 0.1}, 2) // the long ones of orthogonal arms
	if len(core) != 2 || core[0] != 1 || core[1] != 2 || math.Abs(weights[0]-0.5) > 1e-6 {
		t.Errorf("orthogonal arms: %v with %v, want arms 1 and 2 with 1/2 each", core, weights)
	}
	// quadratic regression on [-1, 1]: a third each at -1, 0 and 1
	var rows []float64
	for i := range 21 {
		x := float64(i-10) / 10
		rows = append(rows, 1, x, x*x)
	}
	core, weights = find(rows, 3)
	for i, a := range core {
		want := 0.0
		if a == 0 || a == 10 || a == 20 {
			want = 1.0 / 3
		}
		if math.Abs(weights[i]-want) > 1e-3 {
			t.Errorf("quadratic regression: arm %d has weight %v, want %v", a, weights[i], want)
		}
	}
	if core, _ := find([]float64{0, 0, 0, 0}, 2); len(core) != 0 || o.Rank() != 0 || o.Worst() != 0 {
		t.Errorf("arms that are all 0: %v of rank %d", core, o.Rank())
	}
	if core, _ := find([]float64{0, 3}, 2); len(core) != 1 || o.Rank() != 1 {
		t.Errorf("one arm: %v of rank %d", core, o.Rank())
	}
}

// TestOptimalAmong: the design of some arms is that of these arms alone.
func TestOptimalAmong(t *testing.T) {
	rows, dim := arms(random.New(3, 0, "arms"), 4)
	n := len(rows) / dim
	among := []int{}
	var some []float64
	for a := 0; a < n; a += 2 {
		among = append(among, a)
		some = append(some, rows[a*dim:(a+1)*dim]...)
	}
	core := func(rows []float64, among []int) string {
		o, err := design.Optimal{}.Open(n, dim)
		if err == nil {
			err = o.Find(rows, among)
		}
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(o.Core())
	}
	if got, want := core(rows, among), core(some, everyone(len(among))); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOptimalRefuses(t *testing.T) {
	for _, c := range []struct {
		o         design.Optimal
		arms, dim int
		want      string
	}{
		{design.Optimal{}, 0, 2, "0 arms, want >= 1"},
		{design.Optimal{}, 2, 0, "dimension 0, want >= 1"},
		{design.Optimal{Most: 1}, 2, 2, "Most = 1, want"},
		{design.Optimal{Most: math.NaN()}, 2, 2, "Most = NaN"},
		{design.Optimal{}, 1 << 40, 1 << 20, "Optimal of"},
	} {
		if _, err := c.o.Open(c.arms, c.dim); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	o, err := design.Optimal{}.Open(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows  []float64
		among []int
		want  string
	}{
		{[]float64{1, 2}, nil, "0 arms"},
		{[]float64{1, 2}, []int{0, 0, 0}, "3 arms"},
		{[]float64{1, 2}, []int{1}, "arm 1 of 2 numbers"},
		{[]float64{1, math.NaN()}, []int{0}, "arm 0 = [1 NaN], want finite"},
	} {
		if err := o.Find(c.rows, c.among); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestOptimalAllocates: a design is found without allocation.
func TestOptimalAllocates(t *testing.T) {
	rows, dim := arms(random.New(3, 1, "arms"), 4)
	n := len(rows) / dim
	o, err := design.Optimal{}.Open(n, dim)
	if err != nil {
		t.Fatal(err)
	}
	all := everyone(n)
	if got := testing.AllocsPerRun(10, func() {
		if err := o.Find(rows, all); err != nil {
			t.Fatal(err)
		}
	}); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

// Of is Open and Find of everyone, and refuses what they refuse.
func TestOf(t *testing.T) {
	rows, dim := arms(rand.New(rand.NewPCG(8, 1)), 0)
	count := len(rows) / dim
	o, err := design.Optimal{}.Open(count, dim)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Find(rows, everyone(count)); err != nil {
		t.Fatal(err)
	}
	of, err := design.Of(rows, dim)
	if err != nil || of.Worst() != o.Worst() || of.Rank() != o.Rank() {
		t.Errorf("%v, %v, want %v", of, err, o)
	}
	for _, bad := range []int{0, -1, len(rows) + 1} {
		if _, err := design.Of(rows, bad); err == nil {
			t.Errorf("a design in dimension %d", bad)
		}
	}
}
