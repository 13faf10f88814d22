package scorecard

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The sources.
const (
	paper    = "paper"
	notebook = "authors' notebook"
)

// here is where a difference is shown that no notebook shows: its row has both numbers.
const here = "this row"

// sheet collects the numbers of a paper.
type sheet struct {
	name string
	list []Number
}

func (s *sheet) add(n Number) *Number {
	n.Paper = s.name
	if n.Source == "" {
		n.Source = paper
	}
	if n.Numbers == 0 {
		n.Numbers = 1
	}
	s.list = append(s.list, n)
	return &s.list[len(s.list)-1]
}

// is adds a printed number, whose last digit says how exact it is.
func (s *sheet) is(kind, place string, line int, what, printed, from string, ours func() Measured) *Number {
	value, half := parse(printed)
	return s.add(Number{Place: place, Line: line, Kind: kind, What: what, Printed: printed, value: value, half: half, From: from, ours: ours})
}

// bound adds a printed bound.
func (s *sheet) bound(side side, kind, place string, line int, what, printed string, value float64, from string, ours func() Measured) *Number {
	return s.add(Number{Place: place, Line: line, Kind: kind, What: what, Printed: printed, value: value, side: side, From: from, ours: ours})
}

// setting adds a parameter of an experiment: exact, or wrong.
func (s *sheet) setting(place string, line int, what, printed string, value float64, from string, ours func() float64) *Number {
	return s.add(Number{Place: place, Line: line, Kind: Setting, What: what, Printed: printed, value: value, From: from,
		ours: func() Measured { return Measured{ours(), 0} }})
}

// notRun adds numbers that nothing of ours answers yet.
func (s *sheet) notRun(numbers int, kind, place string, line int, what, printed, reason string) {
	s.add(Number{Numbers: numbers, Place: place, Line: line, Kind: kind, What: what, Printed: printed, Reason: reason})
}

// because says why ours differs, and where that is shown.
func (n *Number) because(reason, shown string) { n.Reason, n.Shown = reason, shown }

// parse returns the value of a printed number and half a unit of its last digit.
func parse(printed string) (value, half float64) {
	plain := strings.TrimSuffix(strings.NewReplacer(",", "", "roughly ", "").Replace(printed), "%")
	mantissa, exponent, _ := strings.Cut(plain, "e")
	value = check.Try(strconv.ParseFloat(plain, 64))
	_, decimals, _ := strings.Cut(mantissa, ".")
	power := 0
	if exponent != "" {
		power = check.Try(strconv.Atoi(exponent))
	}
	return value, 0.5 * math.Pow10(power-len(decimals))
}

func exactly(x float64) func() Measured { return func() Measured { return Measured{x, 0} } }

var tables sync.Map // by name: what has been read

// table returns a committed table.
func table(name string) *simulate.Table {
	if t, ok := tables.Load(name); ok {
		return t.(*simulate.Table)
	}
	t := check.Try(results.Table(name))
	tables.Store(name, t)
	return t
}

// final returns a policy's last regret in a committed table.
func final(name, policy string) Measured {
	mean, se, err := table(name).Final(policy)
	check.OK(err)
	return Measured{mean, se}
}

// quantity returns what a study measured.
func quantity(name, what string) Measured { return final(name, what) }

// failures returns how often an event failed that a study counted as 0 or 1. The error is a quarter
// of the length of the Clopper-Pearson interval of 95%, so that none in n runs is not exact.
func failures(name, what string) Measured {
	c := check.Try(table(name).Curve(what))
	n := float64(c.Trials)
	low, high := audit.ClopperPearson(math.Round(c.Mean[0]*n), n, 0.05)
	return Measured{c.Mean[0], (high - low) / 4}
}

// proved returns the epsilon that a policy of a committed table proves.
func proved(name, policy string) Measured { return Measured{table(name).Epsilon(policy), 0} }

// lead returns by how many standard errors b has more regret than a.
func lead(name, a, b string) Measured {
	return Measured{check.Try(simulate.Lead(table(name).Curves, a, b)), 0}
}

// ratio divides, with the error of both if they are independent.
func ratio(a, b Measured) Measured {
	q := a.Value / b.Value
	return Measured{q, math.Abs(q) * math.Hypot(a.SE/a.Value, b.SE/b.Value)}
}

// power is the fit y = C x^P by least squares on logarithms.
type power struct{ P, C Measured }

func fitPower(x, y []float64) power {
	lx, ly := logs(x), logs(y)
	a, b := stat.LinearRegression(lx, ly, nil, false)
	n, mean, sxx, rss := float64(len(x)), stat.Mean(lx, nil), 0.0, 0.0
	for i := range lx {
		sxx += (lx[i] - mean) * (lx[i] - mean)
		rest := ly[i] - a - b*lx[i]
		rss += rest * rest
	}
	s := math.Sqrt(rss / (n - 2))
	c := math.Exp(a)
	return power{Measured{b, s / math.Sqrt(sxx)}, Measured{c, c * s * math.Sqrt(1/n+mean*mean/sxx)}}
}

// slope is the power of x in y by least squares on logarithms, with the error that those of the y
// make; they are independent.
func slope(x []float64, y []Measured) Measured {
	lx := logs(x)
	mean, sxx := stat.Mean(lx, nil), 0.0
	for _, v := range lx {
		sxx += (v - mean) * (v - mean)
	}
	var out Measured
	for i, v := range lx {
		c := (v - mean) / sxx
		out.Value += c * math.Log(y[i].Value)
		out.SE = math.Hypot(out.SE, c*y[i].SE/y[i].Value)
	}
	return out
}

// less subtracts, with the error of both if they are independent.
func less(a, b Measured) Measured { return Measured{a.Value - b.Value, math.Hypot(a.SE, b.SE)} }

func logs(x []float64) []float64 {
	l := make([]float64, len(x))
	for i := range x {
		l[i] = math.Log(x[i])
	}
	return l
}

// chi returns P(chi-square of d > x).
func chi(d int, x float64) float64 { return distuv.ChiSquared{K: float64(d)}.Survival(x) }
