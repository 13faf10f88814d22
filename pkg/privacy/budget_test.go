package privacy

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestBudgetValidate(t *testing.T) {
	nan := math.NaN()
	check := func(err error, b Budget, words ...string) {
		t.Helper()
		if err == nil {
			t.Errorf("%v: no error", b)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v: error %q does not name %q", b, err, w)
			}
		}
	}
	for _, epsilon := range []float64{0, -1, nan, math.Inf(-1)} {
		b := Budget{epsilon, 0.1}
		for _, err := range []error{b.Validate(), b.Approximate(), second(b.GaussianMu()), second(b.ZCDP())} {
			check(err, b, fmt.Sprintf("epsilon = %v", epsilon), "want > 0")
		}
	}
	for _, delta := range []float64{-1, 1, nan, 1.5} {
		b := Budget{1, delta}
		for _, err := range []error{b.Validate(), b.Approximate(), second(b.GaussianMu()), second(b.ZCDP())} {
			check(err, b, fmt.Sprintf("delta = %v", delta), "want in [0, 1)")
		}
	}
	check(Budget{1, 0}.Approximate(), Budget{1, 0}, "delta = 0", "want in (0, 1)")
	for _, b := range []Budget{{1, 0}, {1e-9, 0.999}, {math.Inf(1), 0}, {math.Inf(1), 0.1}} {
		if err := b.Validate(); err != nil {
			t.Errorf("%v: %v", b, err)
		}
	}
	if err := (Budget{math.Inf(1), 0}).Approximate(); err != nil {
		t.Errorf("no privacy needs no delta: %v", err)
	}
}

func second(_ float64, err error) error { return err }

func TestSetupValidate(t *testing.T) {
	good := Setup{Dim: 6, Horizon: 10, Bound: 1, Alpha: 0.1}
	if err := good.CheckRows(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*Setup)
		words  []string
	}{
		{func(s *Setup) { s.Dim = 1 }, []string{"Dim = 1", ">= 2"}},
		{func(s *Setup) { s.Horizon = 0 }, []string{"Horizon = 0", ">= 1"}},
		{func(s *Setup) { s.Bound = 0 }, []string{"Bound = 0", "> 0"}},
		{func(s *Setup) { s.Bound = math.NaN() }, []string{"Bound = NaN", "> 0"}},
		{func(s *Setup) { s.Bound = math.Inf(1) }, []string{"Bound = +Inf", "1e+60"}},
		{func(s *Setup) { s.Alpha = 0 }, []string{"Alpha = 0", "(0, 1]"}},
		{func(s *Setup) { s.Alpha = 1.5 }, []string{"Alpha = 1.5", "(0, 1]"}},
		{func(s *Setup) { s.Alpha = math.NaN() }, []string{"Alpha = NaN", "(0, 1]"}},
	} {
		s := good
		c.change(&s)
		err := s.CheckRows()
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%+v: error %v, want one that names %q", s, err, w)
			}
		}
	}
}
