package privacy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/amplified"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// accounting is a function that computes what privacy costs, or what a budget allows. On bad input
// it returns an error, or as its first result the value that refuses; NaN if only an error will do.
type accounting struct {
	of      any
	refuses float64
	slow    bool                      // arguments that are all valid are left to other tests
	least   func(x []float64) float64 // a lower bound, for numbers that are all valid
}

// accountings has an entry for every exported function and method of this package that takes
// arguments and computes a number, a budget, a pair or an event. TestNonsense checks that.
func accountings() map[string]accounting {
	inf, nan := math.Inf(1), math.NaN()
	all := map[string]accounting{
		"GaussianEpsilon":        {of: account.GaussianEpsilon, refuses: inf, least: func(x []float64) float64 { return gaussianLeast(x[0], x[1]) }},
		"GaussianDelta":          {of: account.GaussianDelta, refuses: 1, least: func(x []float64) float64 { return thresholdDelta(x[0], x[1]) }},
		"Budget.GaussianMu":      {of: Budget.GaussianMu, refuses: nan},
		"Budget.ZCDP":            {of: Budget.ZCDP, refuses: nan},
		"ConcentratedEpsilon":    {of: account.ConcentratedEpsilon, refuses: inf, least: func(x []float64) float64 { return gaussianLeast(x[1], math.Sqrt(2*x[0])) }},
		"Budget.ConcentratedRho": {of: Budget.ConcentratedRho, refuses: nan},
		"AdvancedEpsilon": {of: AdvancedEpsilon, refuses: inf, least: func(x []float64) float64 {
			return responseLeast(x[0], x[1], x[2])
		}},
		"ConcentratedDelta":          {of: account.ConcentratedDelta, refuses: 1},
		"Budget.AdvancedNode":        {of: Budget.AdvancedNode, refuses: 0},
		"Budget.AdvancedNodeEpsilon": {of: Budget.AdvancedNodeEpsilon, refuses: 0},
		"OptimalDelta":               {of: account.OptimalDelta, refuses: 1},
		"OptimalEpsilon":             {of: account.OptimalEpsilon, refuses: inf},
		"Budget.OptimalNodeEpsilon":  {of: Budget.OptimalNodeEpsilon, refuses: 0},
		"MixedDelta":                 {of: amplified.MixedDelta, refuses: 1, slow: true},
		"MixedEpsilon":               {of: amplified.MixedEpsilon, refuses: inf, slow: true},
		"Budget.AmplifiedMu":         {of: Budget.AmplifiedMu, refuses: nan, slow: true},

		"BinomialEvent.Epsilon":     {of: account.BinomialEvent.Epsilon, refuses: inf},
		"BinomialEvent.Tightest":    {of: account.BinomialEvent.Tightest, refuses: nan, slow: true},
		"WishartEvent.Tightest":     {of: account.WishartEvent.Tightest, refuses: nan, slow: true},
		"Budget.CalibrateBinomial":  {of: Budget.CalibrateBinomial, refuses: nan, slow: true},
		"Budget.Calibrate":          {of: Budget.Calibrate, refuses: nan, slow: true},
		"Budget.CalibrateSelection": {of: Budget.CalibrateSelection, refuses: nan, slow: true},
		"Tightest":                  {of: account.Tightest, refuses: inf, slow: true},

		"Gaussian":         {of: loss.Gaussian, refuses: nan},
		"Laplace":          {of: loss.Laplace, refuses: nan},
		"BoundedRange":     {of: loss.BoundedRange, refuses: nan},
		"Response":         {of: loss.Response, refuses: nan},
		"DiscreteLaplace":  {of: loss.DiscreteLaplace, refuses: nan},
		"DiscreteGaussian": {of: loss.DiscreteGaussian, refuses: nan},
		"NewDiscretePair":  {of: account.NewDiscretePair, refuses: nan},

		"GDP.Mu": {of: account.GDP{}.Mu, refuses: nan},
		"Odometer.Spend": {of: func(e account.Event) error {
			return (&account.Odometer{Epsilon: 100, Delta: 1e-6}).Spend(e)
		}, refuses: nan},
		"PLD.EpsilonBounds":   {of: account.PLD{}.EpsilonBounds, refuses: nan, slow: true},
		"PLD.DeltaBounds":     {of: account.PLD{}.DeltaBounds, refuses: nan, slow: true},
		"GaussianEvent.Renyi": {of: account.GaussianEvent{Mu: 1}.Renyi, refuses: inf, least: func([]float64) float64 { return 0 }},
		"LaplaceEvent.Renyi":  {of: account.LaplaceEvent{Epsilon: 1}.Renyi, refuses: inf, least: func([]float64) float64 { return 0 }},
		"ResponseEvent.Renyi": {of: account.ResponseEvent{Epsilon: 1, Choices: 3}.Renyi, refuses: inf, least: func([]float64) float64 { return 0 }},
	}
	for _, a := range account.Accountants() {
		name := reflect.TypeOf(a).Name()
		all[name+".Epsilon"] = accounting{of: a.Epsilon, refuses: inf, slow: a == account.Accountant(account.PLD{})}
		all[name+".Delta"] = accounting{of: a.Delta, refuses: 1, slow: a == account.Accountant(account.PLD{})}
	}
	return all
}

// thresholdDelta returns what the best of some threshold tests finds of a Gaussian of mu.
func thresholdDelta(epsilon, mu float64) float64 {
	most := math.Max(0, -math.Expm1(epsilon))
	for z := -8.0; z <= 8; z += 0.25 {
		high, low := math.Erfc((z-mu)/math.Sqrt2)/2, math.Erfc(z/math.Sqrt2)/2
		if d := high - math.Exp(epsilon)*low; low > 0 && !math.IsInf(epsilon, 1) {
			most = math.Max(most, d-1e-12*high)
		}
	}
	return most
}

// gaussianLeast returns the epsilon that the same tests find at delta.
func gaussianLeast(delta, mu float64) float64 {
	most := 0.0
	for z := -8.0; z <= 8; z += 0.25 {
		high, low := math.Erfc((z-mu)/math.Sqrt2)/2, math.Erfc(z/math.Sqrt2)/2
		if high > delta && low > 0 {
			most = math.Max(most, math.Log((high-delta)/low)-1e-9)
		}
	}
	return most
}

// responseLeast returns the epsilon of k responses at delta that the outcome of all true answers
// shows.
func responseLeast(eps0, k, delta float64) float64 {
	all := math.Exp(-k * math.Log1p(math.Exp(-eps0)))
	if k < 1 || all <= delta {
		return 0
	}
	return math.Max(0, k*eps0+math.Log1p(-delta/all)-1e-9*(1+k*eps0))
}

// ranges says by a parameter's name which numbers are valid. A function may have one of its own.
var ranges = map[string]func(v float64) bool{
	"delta": func(v float64) bool { return v >= 0 && v < 1 }, "delta0": func(v float64) bool { return v >= 0 && v < 1 },
	"slack": func(v float64) bool { return v > 0 && v < 1 }, "share": func(v float64) bool { return v > 0 && v < 1 },
	"epsilon": func(v float64) bool { return v >= 0 }, "eps0": func(v float64) bool { return v >= 0 },
	"GaussianDelta.epsilon": func(v float64) bool { return !math.IsNaN(v) },
	"mu":                    func(v float64) bool { return v >= 0 }, "rho": func(v float64) bool { return v >= 0 },
	"alpha": func(v float64) bool { return v > 1 },
	"k":     func(v float64) bool { return v >= 0 }, "n": func(v float64) bool { return v >= 1 }, "nodes": func(v float64) bool { return v >= 1 },
	"picks": func(v float64) bool { return v >= 1 }, "step": func(v float64) bool { return v >= 1 },
	"choices": func(v float64) bool { return v >= 2 }, "sensitivity": func(v float64) bool { return v >= 0 },
	"scale": func(v float64) bool { return v > 0 }, "sigma": func(v float64) bool { return v > 0 },
}

// argument is a value for a parameter.
type argument struct {
	value reflect.Value
	bad   bool
}

// nasty returns values for a parameter of that name and type.
func nasty(t *testing.T, function, name string, of reflect.Type) (all []argument) {
	t.Helper()
	add := func(v any, bad bool) {
		x := reflect.New(of).Elem()
		if v != nil {
			x.Set(reflect.ValueOf(v).Convert(of))
		}
		all = append(all, argument{x, bad})
	}
	valid := ranges[function+"."+name]
	if valid == nil {
		valid = ranges[name]
	}
	nan, inf := math.NaN(), math.Inf(1)
	switch of {
	case reflect.TypeFor[float64]():
		if valid == nil {
			t.Fatalf("%s: no range for a parameter of the name %s", function, name)
		}
		for _, v := range []float64{nan, -inf, -1, -1e-300, 0, 5e-324, 1e-200, 1e-6, 0.3, 1, 2, 1e308, inf} {
			add(v, !valid(v))
		}
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		if valid == nil {
			t.Fatalf("%s: no range for a parameter of the name %s", function, name)
		}
		for _, v := range []int64{math.MinInt64, -1, 0, 1, 7, math.MaxInt64} {
			add(v, !valid(float64(v)))
		}
	case reflect.TypeFor[Budget]():
		for _, epsilon := range []float64{nan, -1, 0, 0.3, inf} {
			if math.IsInf(epsilon, 1) && function == "Budget.Calibrate" {
				continue // no event is looked at
			}
			for _, delta := range []float64{nan, -1, 0, 1e-6, 1, 2, inf} {
				b := Budget{epsilon, delta}
				// No release at all has epsilon = 0, and its node may ask for it.
				add(b, b.Validate() != nil && !(name == "node" && epsilon == 0 && delta >= 0 && delta < 1))
			}
		}
	case reflect.TypeFor[account.Event]():
		for _, e := range goodEvents() {
			add(e, false)
		}
		for _, e := range badEvents() {
			add(e, true)
		}
	case reflect.TypeFor[account.BinomialEvent]():
		for _, e := range goodEvents() {
			if b, ok := e.(account.BinomialEvent); ok {
				add(b, false)
				for _, e := range spoiled(b) {
					// A calibration chooses the number of trials and the tail.
					e := e.(account.BinomialEvent)
					free := function != "BinomialEvent.Epsilon" && (e.Tail != b.Tail || function == "Budget.CalibrateBinomial" && e.Trials != b.Trials)
					add(e, !free)
				}
			}
		}
	case reflect.TypeFor[account.WishartEvent]():
		for _, n := range []int{math.MinInt64, -1, 0, 1, 7, math.MaxInt64} {
			add(account.WishartEvent{Nodes: n}, n < 1)
		}
	case reflect.TypeFor[account.Accountant]():
		add(nil, true)
		add(account.GDP{}, false)
	case reflect.TypeFor[func(float64) account.Event]():
		add(nil, true)
		for _, e := range badEvents() {
			add(func(float64) account.Event { return e }, true)
		}
		add(func(scale float64) account.Event { return account.GaussianEvent{Mu: 1 / scale} }, false)
	case reflect.TypeFor[func(float64) float64]():
		add(nil, true)
		add(func(delta float64) float64 { return 0.1 }, false)
	case reflect.TypeFor[[]float64]():
		for _, v := range [][]float64{nil, {}, {nan, 1}, {-1, 2}, {inf}, {0.3, 0.3}, {1e-320}} {
			add(v, true)
		}
		add([]float64{0.25, 0.75}, false)
	default:
		t.Fatalf("%s: no values for a parameter %s of type %v", function, name, of)
	}
	return all
}

// goodEvents has an event of each exported type. TestNonsense checks that.
func goodEvents() []account.Event {
	return []account.Event{
		account.GaussianEvent{Mu: 1}, account.LaplaceEvent{Epsilon: 0.5}, account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1, Sigma: 2}, account.DiscreteLaplaceEvent{Sensitivity: 1, Scale: 2}, account.ResponseEvent{Epsilon: 1, Choices: 3},
		account.ExponentialEvent{Epsilon: 0.2}, account.SparseVectorEvent{Epsilon: 0.3, Accepted: 2}, account.WishartEvent{Epsilon: 0.1, Delta: 1e-8, Nodes: 5}, account.ApproximateEvent{Epsilon: 0.1, Delta: 1e-8},
		account.ShuffleEvent{Local: 1, Users: 100}, account.BinomialEvent{Trials: 100, P: 0.5, Coordinates: 1, Most: 1, Norm: 1, Tail: 1e-8},
		account.Sequence{account.LaplaceEvent{Epsilon: 0.5}, account.GaussianEvent{Mu: 1}}, account.Parallel{account.LaplaceEvent{Epsilon: 0.5}, account.ExponentialEvent{Epsilon: 1}},
		account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.5}, Times: 3}, account.GroupEvent{Event: account.LaplaceEvent{Epsilon: 0.5}, Contributions: 3},
	}
}

// foreign is an event of somebody else. The types below state one cost each.
type foreign struct{ cost float64 }

func (foreign) String() string  { return "foreign" }
func (foreign) Validate() error { return nil }

type (
	foreignPure  struct{ foreign }
	foreignRho   struct{ foreign }
	foreignGDP   struct{ foreign }
	foreignRenyi struct{ foreign }
	foreignPair  struct{ foreign }
)

func (e foreignPure) PureEpsilon() float64         { return e.cost }
func (e foreignRho) Rho() float64                  { return e.cost }
func (e foreignGDP) GDP() float64                  { return e.cost }
func (e foreignRenyi) Renyi(alpha float64) float64 { return e.cost }
func (e foreignPair) Pair() (loss.Pair, error)     { return loss.Pair{}, nil }

// badEvents has every good event with each of its fields spoiled, and events that are nil, empty or
// not of this package, alone and inside others.
func badEvents() []account.Event {
	bad := []account.Event{nil, (*account.GaussianEvent)(nil), (*account.Sequence)(nil), account.Sequence{}, account.Sequence(nil), account.Parallel{}, account.Exposed{Why: "bare"}, foreign{}, foreignPair{}}
	for _, cost := range []float64{math.NaN(), -1, math.Inf(-1)} {
		f := foreign{cost}
		bad = append(bad, foreignPure{f}, foreignRho{f}, foreignGDP{f}, foreignRenyi{f})
	}
	for _, e := range goodEvents() {
		bad = append(bad, spoiled(e)...)
	}
	for _, e := range slices.Clone(bad) {
		bad = append(bad, account.Sequence{account.GaussianEvent{Mu: 0.1}, e}, account.Parallel{e, account.LaplaceEvent{Epsilon: 0.1}}, account.Repeat{Event: e, Times: 2}, account.GroupEvent{Event: e, Contributions: 2},
			account.Sequence{account.Repeat{Event: account.GroupEvent{Event: account.Parallel{e}, Contributions: 2}, Times: 2}})
	}
	return bad
}

// spoiled returns an event with each number in it negative, NaN or infinite in turn.
func spoiled(e account.Event) (all []account.Event) {
	var walk func(v reflect.Value, keep func() account.Event)
	fresh := reflect.New(reflect.TypeOf(e)).Elem()
	fresh.Set(reflect.ValueOf(e))
	walk = func(v reflect.Value, keep func() account.Event) {
		before := reflect.ValueOf(v.Interface())
		switch v.Kind() {
		case reflect.Float64:
			for _, x := range []float64{math.NaN(), -1, math.Inf(1)} {
				v.SetFloat(x)
				all = append(all, keep())
			}
		case reflect.Int, reflect.Int64:
			for _, x := range []int64{-1, math.MinInt64} {
				v.SetInt(x)
				all = append(all, keep())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), keep)
			}
		}
		v.Set(before)
	}
	if fresh.Kind() == reflect.Struct {
		walk(fresh, func() account.Event { return fresh.Interface().(account.Event) })
	}
	return all
}

// TestNonsense: bad input of any exported accountant or calibration gives an error, an epsilon of
// +Inf, a delta of 1, or no budget at all. No input gives NaN or a panic, and none an epsilon or
// delta below what simple tests find.
func TestNonsense(t *testing.T) {
	known := accountings()
	parameters, events := exported(t)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if _, ok := known[name]; !ok {
			t.Errorf("%s has no entry in accountings", name)
		}
	}
	var have []string
	for _, e := range goodEvents() {
		have = append(have, reflect.TypeOf(e).Name())
	}
	for _, name := range events {
		if !slices.Contains(have, name) {
			t.Errorf("%s has no entry in goodEvents", name)
		}
	}
	calls, refused, failures := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(known)) {
		a := known[name]
		f := reflect.ValueOf(a.of)
		names, ok := parameters[name]
		if !ok || len(names) != f.Type().NumIn() {
			t.Errorf("%s of accountings is not an exported function of %d arguments", name, f.Type().NumIn())
			continue
		}
		grids := make([][]argument, len(names))
		for i, parameter := range names {
			grids[i] = nasty(t, name, parameter, f.Type().In(i))
		}
		product(grids, func(args []argument) {
			bad := slices.ContainsFunc(args, func(a argument) bool { return a.bad })
			if a.slow && !bad {
				return
			}
			calls++
			if bad {
				refused++
			}
			if err := a.check(f, args, bad); err != nil && failures < 20 {
				failures++
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	t.Logf("%d functions, %d calls, %d of them bad", len(known), calls, refused)
}

// check calls a function and says what is wrong with the results, if anything is.
func (a accounting) check(f reflect.Value, args []argument, bad bool) (wrong error) {
	var in []reflect.Value
	var values []any
	var numbers []float64
	for _, arg := range args {
		in, values = append(in, arg.value), append(values, arg.value.Interface())
		switch {
		case arg.value.CanFloat():
			numbers = append(numbers, arg.value.Float())
		case arg.value.CanInt():
			numbers = append(numbers, float64(arg.value.Int()))
		}
	}
	said := func(format string, more ...any) error {
		return fmt.Errorf("of %v: %s", values, fmt.Sprintf(format, more...))
	}
	defer func() {
		if r := recover(); r != nil {
			wrong = said("panic: %v", r)
		}
	}()
	out := f.Call(in)
	if err, ok := out[len(out)-1].Interface().(error); ok && err != nil {
		return nil
	}
	switch got := out[0].Interface().(type) {
	case float64:
		switch {
		case math.IsNaN(got) || bad && got != a.refuses:
			return said("%v, want %v or an error", got, a.refuses)
		case !bad && a.least != nil && got < a.least(numbers):
			return said("%v, want at least %v", got, a.least(numbers))
		}
	case Budget:
		if bad && got.Validate() == nil {
			return said("%v, want one that is not valid", got)
		}
	default:
		if bad {
			return said("%v, want an error", got)
		}
	}
	return nil
}

// product calls do with every choice of one argument from each grid.
func product(grids [][]argument, do func([]argument)) {
	chosen := make([]argument, len(grids))
	var choose func(i int)
	choose = func(i int) {
		if i == len(grids) {
			do(chosen)
			return
		}
		for _, a := range grids[i] {
			chosen[i] = a
			choose(i + 1)
		}
	}
	choose(0)
}

// exported reads the source of this package and of those below it. It returns the parameters of the
// exported functions that accountings is for, by name, and the exported types of events.
func exported(t *testing.T) (parameters map[string][]string, events []string) {
	t.Helper()
	parameters = map[string][]string{}
	has := func(list *ast.FieldList, one func(of string) bool) bool {
		return list != nil && slices.ContainsFunc(list.List, func(f *ast.Field) bool { return one(types.ExprString(f.Type)) })
	}
	computed := func(of string) bool {
		return of == "float64" || of == "Budget" || of == "Pair" || strings.HasSuffix(of, "Event")
	}
	var files []string
	for _, dir := range []string{".", "account", "internal/amplified", "internal/loss"} {
		list, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range source.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() {
						continue
					}
					_, open := s.Type.(*ast.InterfaceType)
					if name := s.Name.Name; !open && (strings.HasSuffix(name, "Event") || name == "Sequence" || name == "Parallel" || name == "Repeat") {
						events = append(events, name)
					}
				}
			case *ast.FuncDecl:
				name := d.Name.Name
				if _, computes := accountings()[name]; !computes && source.Name.Name == "loss" {
					continue // how losses are computed, for valid ones
				}
				if d.Recv != nil {
					of := strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
					if !ast.IsExported(of) {
						continue
					}
					name = of + "." + name
				}
				takes := d.Recv != nil && has(d.Type.Params, func(of string) bool { return of == "Event" })
				list := d.Type.Params.List
				if strings.HasPrefix(name, "Budget.") || (strings.HasPrefix(name, "BinomialEvent.") || strings.HasPrefix(name, "WishartEvent.")) && len(list) > 0 {
					list = slices.Concat(d.Recv.List, list) // it is tried with each receiver
				}
				if !d.Name.IsExported() || len(list) == 0 || !takes && !has(d.Type.Results, computed) {
					continue
				}
				for _, field := range list {
					for _, p := range field.Names {
						parameters[name] = append(parameters[name], p.Name)
					}
				}
			}
		}
	}
	return parameters, events
}
