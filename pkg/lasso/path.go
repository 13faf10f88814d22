package lasso

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Path fits a decreasing sequence of alphas, each from the fit before, and shows each to visit. The
// coefficients are the solver's own, and valid during the call. It stops at the first error.
func (s *Solver) Path(alphas []float64, visit func(alpha float64, w []float64)) error {
	for i, alpha := range alphas {
		if i > 0 && !(alpha < alphas[i-1]) {
			return fmt.Errorf("lasso: alpha %d = %v, want < the one before, %v", i, alpha, alphas[i-1])
		}
		w, err := s.Fit(alpha)
		if err != nil {
			return err
		}
		visit(alpha, w)
	}
	return nil
}

// Entries returns where each coordinate enters the path: the largest of the decreasing alphas at
// which its coefficient is not 0, or 0 if there is none.
func (s *Solver) Entries(alphas []float64) ([]float64, error) {
	entries := make([]float64, s.of.Dim)
	err := s.Path(alphas, func(alpha float64, w []float64) {
		for j, v := range w {
			if v != 0 && entries[j] == 0 {
				entries[j] = alpha
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// AlphaMax returns the least alpha at which all coefficients are 0: the largest |x_j' y|/n.
func (s *Solver) AlphaMax() float64 {
	most := 0.0
	for _, c := range s.xy {
		most = max(most, c, -c)
	}
	return most / max(1, s.rows)
}

// Alphas returns count alphas in geometric progression from AlphaMax down to ratio times it, for
// Path. count is at least 2, and ratio in (0, 1). It fails if all of X'y is 0, which no alpha can
// change.
func (s *Solver) Alphas(count int, ratio float64) ([]float64, error) {
	top := s.AlphaMax()
	switch {
	case count < 2:
		return nil, fmt.Errorf("lasso: %d alphas, want >= 2", count)
	case !(ratio >= 1e-12 && ratio < 1):
		return nil, fmt.Errorf("lasso: ratio = %v of the alphas, want in [1e-12, 1)", ratio)
	case !(top > 0):
		return nil, fmt.Errorf("lasso: AlphaMax = %v, want > 0: nothing correlates with y", top)
	}
	alphas := make([]float64, count)
	log := portable.Log(ratio) / float64(count-1)
	for i := range alphas {
		alphas[i] = top * portable.Exp(float64(i)*log)
	}
	return alphas, nil
}
