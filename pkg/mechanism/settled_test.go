package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// settler is a mechanism, and what it shows of a run after Init: releases, refusals, what is drawn,
// and what is claimed.
type settler struct {
	mechanism privacy.Planner
	init      func() error
	run       func(show func(...any))
	slow      bool // to account for; the event and the delta stand for what is proved
}

// settlers are all mechanisms, by name.
func settlers() map[string]func() settler {
	all := map[string]func() settler{}
	b := privacy.Budget{Epsilon: 0.7, Delta: 0.01}
	kept := privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: 2}
	rows := func(name string, s privacy.Setup, a privacy.Accumulator) {
		all[name] = func() settler {
			a := a()
			return settler{a, func() error { return a.Init(s) }, func(show func(...any)) { accumulate(a, s, show) }, false}
		}
	}
	setup := privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		gaussian := Gaussian{Budget: b, Calibration: c}
		rows(fmt.Sprintf("Tree, Gaussian, %v", c), setup, Tree{Noise: gaussian()})
		rows(fmt.Sprintf("PanPrivateTree, Gaussian, %v", c), setup, PanPrivateTree{Noise: gaussian()})
		for _, unshifted := range []bool{false, true} {
			wishart := Wishart{Budget: b, Calibration: c, Unshifted: unshifted}
			rows(fmt.Sprintf("Tree, Wishart, %v, unshifted %v", c, unshifted), setup, Tree{Noise: wishart()})
		}
	}
	rows("Tree, Gaussian, padded", setup, Tree{Noise: Gaussian{Budget: b, Padded: true}})
	rows("PanPrivateTree, Gaussian, padded", setup, PanPrivateTree{Noise: Gaussian{Budget: b, Padded: true}})
	rows("Tree, Wishart, given", setup, Tree{Noise: Wishart{Budget: b, Degrees: 9999}})
	rows("Exact", setup, Exact{Ridge: 2})
	rows("Honaker", setup, Honaker{Budget: b})
	rows("SquareRoot", setup, SquareRoot{Budget: b})
	rows("BLT", setup, BLT{Budget: b, Buffers: 2})
	rows("SecureTree", setup, SecureTree{Budget: b})

	tallies := func(name string, tally privacy.Tally) {
		for _, s := range []privacy.Setup{
			{Arms: 5, Slots: 2, Horizon: 40, Lo: -3, Hi: 5},
			{Arms: 5, Slots: 2, Horizon: 17, Lo: 0, Hi: 1, WarmUp: true},
		} {
			all[fmt.Sprintf("%s, warm-up %v", name, s.WarmUp)] = func() settler {
				m := tally()
				return settler{m, func() error { return m.Init(s) }, func(show func(...any)) { tell(m, s, show) }, false}
			}
		}
	}
	tallies("Counts", Counts{})
	for _, b := range []privacy.Budget{b, {Epsilon: b.Epsilon}} {
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			for _, remember := range []bool{false, true} {
				tallies(fmt.Sprintf("Blocks, %v, %v, remember %v", b, c, remember), Blocks{Budget: b, Calibration: c, Remember: remember})
			}
		}
		tallies(fmt.Sprintf("TreeTally, %v", b), TreeTally{Budget: b})
	}

	values := [][]float64{{9, -9, 9}, {0.1, 0.2, -0.3}, {1, 2}, {1, 2, 3, 4}, {math.NaN(), 0, 0}}
	dst := func(value []float64) []float64 { return make([]float64, len(value)) }
	for _, k := range []privacy.Neighbours{{}, kept} {
		all[fmt.Sprintf("Laplace, %v", k)] = func() settler {
			m := Laplace{Epsilon: 0.7, Dim: 3, Lo: -1, Hi: 2, Neighbours: k}
			return settler{m, m.Init, func(show func(...any)) {
				m.Reset(privacy.NewNoise(testSource()))
				for _, v := range values {
					d := dst(v)
					show(m.Release(d, v), d)
				}
				show(m.Scale(), m.Clipped())
			}, false}
		}
		all[fmt.Sprintf("VectorGaussian, %v", k)] = func() settler {
			m := VectorGaussian{Budget: b, Dim: 3, Bound: 2, Neighbours: k}
			return settler{m, m.Init, func(show func(...any)) {
				m.Reset(privacy.NewNoise(testSource()))
				for _, v := range values {
					d := dst(v)
					show(m.Release(d, v), d)
				}
				show(m.SD(), m.Clipped())
			}, false}
		}
		secure := func(m Secure) settler {
			return settler{m, m.Init, func(show func(...any)) {
				for _, v := range values {
					show(m.Add(v))
				}
				for _, v := range values {
					d := dst(v)
					show(m.Release(d), d)
				}
				show(m.Check())
			}, false}
		}
		all[fmt.Sprintf("SecureLaplace, %v", k)] = func() settler { return secure(SecureLaplace{Epsilon: 0.7, Dim: 3, Bound: 2, Neighbours: k}) }
		all[fmt.Sprintf("SecureGaussian, %v", k)] = func() settler { return secure(SecureGaussian{Budget: b, Dim: 3, Bound: 2, Neighbours: k}) }
		for _, monotone := range []bool{false, k == kept} {
			all[fmt.Sprintf("SparseVector, %v, monotone %v", k, monotone)] = func() settler {
				m := SparseVector{Epsilon: 0.7, Accepted: 2, Sensitivity: 1, Monotone: monotone, Neighbours: k}
				return settler{m, m.Init, func(show func(...any)) {
					m.Reset(privacy.NewNoise(testSource()))
					for i := range 9 {
						above, err := m.Above(float64(8*i), 20)
						show(above, err, m.Left())
					}
					show(m.Scales())
				}, false}
			}
			all[fmt.Sprintf("TopK, %v, monotone %v", k, monotone)] = func() settler {
				m := TopK{Budget: b, K: 2, Candidates: 4, Sensitivity: 0.1, Monotone: monotone, Neighbours: k}
				return settler{m, m.Init, func(show func(...any)) {
					m.Reset(privacy.NewNoise(testSource()))
					for _, n := range []int{4, 4, 3, 5} {
						show(m.Choose([]float64{3, 1, 4, 1.5, 9}[:n], nil))
					}
					show(m.Scale())
				}, false}
			}
		}
	}
	for _, recipe := range []func(privacy.Budget) SparseEpisodes{recipe, refining} {
		for _, concentrated := range []bool{false, true} {
			if testing.Short() && !concentrated && recipe(b).Refine {
				continue // calibrated for long; the two differ in the noise alone
			}
			sparsely(all, fmt.Sprintf("SparseEpisodes, refine %v, concentrated %v", recipe(b).Refine, concentrated), func() privacy.Statistic[SparseGram] {
				e := recipe(narrow)
				e.Concentrated, e.Lengths = concentrated, &Growing{Least: 8, Factor: 1.5}
				return e
			})
		}
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		sparsely(all, fmt.Sprintf("NoisyIHT, %v", c), NoisyIHT{Budget: narrow, Calibration: c, Sparsity: 2, L1: 1.5, Step: 0.1, Rate: 0.6, Lengths: &Growing{Least: 8}})
	}
	for _, repairs := range []Repairs{{}, {Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true, TwoSided: true, Gamma: true}} {
		sparsely(all, fmt.Sprintf("ThresholdedLasso, %v", repairs), ThresholdedLasso{Budget: narrow, Sparsity: 2, Reward: 1.5, Row: 2, Repairs: repairs})
	}
	sparsely(all, "TopScores", TopScores{Budget: privacy.Budget{Epsilon: 1}, Picks: 2, Scores: &Signs{Y: 1}, Lengths: &Growing{Least: 8}})
	all["RandomisedResponse"] = func() settler {
		m := RandomisedResponse{Epsilon: 0.7, Choices: 3, Neighbours: privacy.Neighbours{Relation: privacy.Replace, Record: "answer", Contributions: 2}}
		return settler{m, m.Init, func(show func(...any)) {
			m.Reset(privacy.NewNoise(testSource()))
			for i := range 20 {
				show(m.Respond(i % 5))
			}
			for n := 2; n <= 5; n++ {
				estimate := make([]float64, n)
				show(m.Estimate(estimate, []int{9, 3, 5, 1, 1}[:n]), estimate)
			}
			show(m.Keep())
		}, false}
	}
	return all
}

// sparsely adds a statistic of sparse rows: a run over some of which are malformed, huge or beyond
// the horizon.
func sparsely[R any](all map[string]func() settler, name string, fresh privacy.Statistic[R]) {
	all[name] = func() settler {
		const dim, horizon = 6, 60
		m := fresh()
		return settler{m, func() error { return m.Init(privacy.Setup{Dim: dim + 1, Horizon: horizon}) }, func(show func(...any)) {
			m.Reset(privacy.NewNoise(testSource()))
			for i, rec := range sparseRows(rand.New(rand.NewPCG(3, 1)), horizon+2, dim) {
				_, short := m.Add(privacy.Row(make([]float64, dim)))
				if i%9 == 8 {
					rec.Y[0] = 1e200
				}
				moved, err := m.Add(&rec)
				show(short, moved, err, *m.Release(), m.Clipped())
			}
		}, true}
	}
}

// accumulate shows a run over rows of which some are too long, of another length, or beyond the
// horizon.
func accumulate(a privacy.Accumulator, s privacy.Setup, show func(...any)) {
	a.Reset(privacy.NewNoise(testSource()))
	rng := rand.New(rand.NewPCG(5, 6))
	dst := make([]float64, s.Dim*(s.Dim+1)/2)
	for i := range s.Horizon + 3 {
		row := make([]float64, s.Dim)
		for j := range row {
			row[j] = (float64(i%3) + 0.3) * rng.NormFloat64()
		}
		show(addRow(a, row[:s.Dim-1]), addRow(a, append(row[:s.Dim:s.Dim], 0)), addRow(a, row))
		a.Release().Read(dst)
		show(dst, a.Clipped())
	}
	show(a.Release().Bounds, a.Release().Exact)
	moved, err := a.Release().Shifted(7)
	show(err)
	moved.Read(dst)
	show(dst, moved.Bounds)
	if m, ok := a.(interface{ MaxSD() float64 }); ok {
		show(m.MaxSD())
	}
}

// tell shows a run over records of which some are too long, name no arm, or are beyond the horizon.
func tell(t privacy.Tally, s privacy.Setup, show func(...any)) {
	t.Reset(privacy.NewNoise(testSource()))
	arms, weights := shown(s, rand.New(rand.NewPCG(7, 8)))
	try := func(arms []int, weights []float64) {
		released, err := t.Add(&privacy.Record{Arms: arms, Y: weights})
		show(released, err)
	}
	for i := range arms {
		if i > 0 || !s.WarmUp {
			try([]int{2, 0, 1}[:s.Slots+1], make([]float64, s.Slots+1))
		}
		try([]int{s.Arms}, []float64{1})
		try(arms[i], weights[i])
		show(estimates(t, s.Arms), t.Clipped())
	}
	for range 3 {
		try([]int{0}, []float64{1})
	}
	if m, ok := t.(interface{ Scale() (float64, float64) }); ok {
		show(m.Scale())
	}
}

// trace returns what a mechanism shows of a run, in every digit, after a change that follows its
// Init.
func (s settler) trace(t *testing.T, change func(any)) string {
	t.Helper()
	if err := s.init(); err != nil {
		t.Fatal(err)
	}
	change(s.mechanism)
	var out strings.Builder
	show := func(what ...any) {
		for _, w := range what {
			if _, failed := w.(error); failed {
				fmt.Fprintf(&out, "%v ", w)
			} else {
				fmt.Fprintf(&out, "%#v ", w)
			}
		}
		out.WriteByte('\n')
	}
	claim := func() {
		c := privacy.ClaimOf(s.mechanism)
		show(c.Asked(), c.Plan().Cases, c.Plan().Event(), c.Model(), c.Neighbours(), c.Scope(), c.Calibration(), c.Conditions(), c.Source())
		if !s.slow {
			show(c.Fields(), c.Proved())
		}
	}
	claim()
	s.run(show)
	claim()
	show(privacy.PlanOf(s.mechanism, privacy.All).Draws)
	if c, ok := s.mechanism.(interface{ Check() error }); ok {
		show(c.Check())
	}
	for n := range 20 {
		show(privacy.PlanOf(s.mechanism, n).Event())
	}
	return out.String()
}

// settings appends those that whoever holds a mechanism can change: its exported fields, those of
// what it embeds, and those of the noise that it was handed.
func settings(v reflect.Value, name string, all map[string]reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.CanSet() {
			all[name] = v
		}
		if !v.IsNil() {
			settings(v.Elem(), name, all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				settings(v.Field(i), name+"."+f.Name, all)
			}
		}
	default:
		if v.CanSet() {
			all[name] = v
		}
	}
}

// spoil changes a setting.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(3*v.Float() + 0.5)
	case reflect.String:
		v.SetString(v.String() + "?")
	default:
		v.SetZero()
	}
}

// TestSettledByInit: what a mechanism releases, refuses and claims is settled by Init, and no field
// that is set afterwards changes it: noise and clipping stay those that the claim is about.
func TestSettledByInit(t *testing.T) {
	for name, c := range settlers() {
		t.Run(name, func(t *testing.T) {
			withSource(1, func() {
				want := c().trace(t, func(any) {})
				fields := map[string]reflect.Value{}
				settings(reflect.ValueOf(c().mechanism), "", fields)
				for field := range fields {
					got := c().trace(t, func(m any) {
						now := map[string]reflect.Value{}
						settings(reflect.ValueOf(m), "", now)
						spoil(now[field])
					})
					if got != want {
						t.Errorf("%s set after Init changes what comes of it:\n%s", field, firstLine(got, want))
					}
				}
			})
		})
	}
}

// firstLine returns the first line in which two traces differ.
func firstLine(got, want string) string {
	wants := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wants) || line != wants[i] {
			return fmt.Sprintf("%s\nwant\n%s", line, wants[min(i, len(wants)-1)])
		}
	}
	return "it ends early"
}

// TestPlansAreCopies: whoever changes a plan, or the plan of a claim, changes nothing that is
// claimed later.
func TestPlansAreCopies(t *testing.T) {
	for name, c := range settlers() {
		s := c()
		if err := s.init(); err != nil {
			t.Fatal(err)
		}
		say := func() string {
			p := privacy.PlanOf(s.mechanism, privacy.All)
			return fmt.Sprintf("%+v %+v %q", p.Cases, p.Draws, p.Conditions)
		}
		want := say()
		claim := privacy.ClaimOf(s.mechanism)
		if claim.Held() {
			want += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		for _, p := range []privacy.Plan{privacy.PlanOf(s.mechanism, privacy.All), claim.Plan()} {
			for _, releases := range p.Cases {
				for i := range releases {
					releases[i].Sensitivity = privacy.Norms{}
					releases[i].Law.Scale *= 1e6
					for j := range releases[i].Parts {
						releases[i].Parts[j].Law.Scale *= 1e6
					}
				}
			}
			for i := range p.Draws {
				p.Draws[i].Scale *= 1e6
			}
			for i := range p.Conditions {
				p.Conditions[i] = "none"
			}
		}
		got := say()
		if claim.Held() {
			got += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		if got != want {
			t.Errorf("%s: after its plan was changed it says\n%s\nwant\n%s", name, got, want)
		}
	}
}

// meddle runs a statistic over rows, and returns its releases as they were before somebody wrote to
// each.
func meddle[R any](t *testing.T, s privacy.Statistic[R], write bool) (releases []string) {
	const dim, horizon = 6, 63
	if err := s.Init(privacy.Setup{Dim: dim + 1, Horizon: horizon}); err != nil {
		t.Fatal(err)
	}
	s.Reset(privacy.NewNoise(testSource()))
	for _, rec := range sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, dim) {
		moved, err := s.Add(&rec)
		if err != nil {
			t.Fatal(err)
		}
		if !moved {
			continue
		}
		r := s.Release()
		releases = append(releases, fmt.Sprintf("%+v", *r))
		for i := range reflect.ValueOf(r).Elem().NumField() {
			switch f := reflect.ValueOf(r).Elem().Field(i); {
			case !write:
			case f.Kind() == reflect.Int:
				f.SetInt(0)
			case f.Kind() == reflect.Slice:
				for j := range f.Len() {
					f.Index(j).SetZero()
				}
			}
		}
	}
	return append(releases, fmt.Sprintf("%+v", privacy.PlanOf(s, privacy.All).Draws))
}

// TestReleasesAreShown: a release is for its reader to write to as it likes. What is released
// later, under which noise, does not depend on that.
func TestReleasesAreShown(t *testing.T) {
	try := func(name string, run func(write bool) []string) {
		if got, want := run(true), run(false); !reflect.DeepEqual(got, want) || len(want) < 4 {
			t.Errorf("%s: releases that were written to are followed by\n%q\nwant\n%q", name, got, want)
		}
	}
	try("SparseEpisodes", func(write bool) []string { return meddle(t, recipe(narrow), write) })
	try("SparseEpisodes, refined", func(write bool) []string { return meddle(t, refining(narrow), write) })
	try("NoisyIHT", func(write bool) []string {
		return meddle(t, NoisyIHT{Budget: narrow, Calibration: privacy.AsPublished, Sparsity: 2, L1: 1.5, Step: 0.1, Rate: 0.6}, write)
	})
	try("ThresholdedLasso", func(write bool) []string {
		all := meddle(t, ThresholdedLasso{Budget: privacy.Budget{Epsilon: 1e9, Delta: 0.01}, Sparsity: 2, Reward: 1.5, Row: 2, Repairs: Repairs{TwoSided: true}}, write)
		return slices.Repeat(all[len(all)-1:], 4) // it adds to its last release; its draws are the same
	})
	try("TopScores", func(write bool) []string {
		return meddle(t, TopScores{Budget: privacy.Budget{Epsilon: 1}, Picks: 2, Scores: Signs{Y: 1}, Lengths: Growing{Least: 8, Factor: 1}}, write)
	})
}

// TestRowsAreNotAskedFor: a reader who calls noisy sums exact is not shown the rows.
func TestRowsAreNotAskedFor(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, a := range []privacy.Accumulator{
		Tree{Noise: Gaussian{Budget: b}}, Tree{Noise: Wishart{Budget: b}}, PanPrivateTree{Noise: Gaussian{Budget: b}},
		Honaker{Budget: b}, SquareRoot{Budget: b}, BLT{Budget: b}, SecureTree{Budget: b},
	} {
		if err := a.Init(privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		a.Reset(privacy.NewNoise(testSource()))
		for range 3 {
			a.Release().Exact = true
			if _, err := a.Add(privacy.Row([]float64{0.1, 0.2, 0.3})); err != nil {
				t.Fatal(err)
			}
			if r := a.Release(); r.Row != nil || r.Exact {
				t.Errorf("a %T shows the row %v, and claims epsilon = %v", a, r.Row, privacy.ClaimOf(a).Epsilon())
			}
		}
	}
}
