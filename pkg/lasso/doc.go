// Package lasso fits sparse linear regressions that grow row by row, as bandits need them.
//
// A [Regression] describes; its [Solver] takes in rows (x, y) and minimises
//
//	1/(2n) |y - X w|^2 + alpha |w|_1
//
// over w, after as many rows as one likes and for as many alphas. It works on sums of the rows, so
// a fit costs the same after a million rows as after a thousand; it starts from the last fit, and
// stops by the duality gap, which bounds how far the objective is from its minimum.
//
//		s, err := lasso.Regression{Dim: 1000}.Open()
//		...
//		err = s.Add(x, y)         // a round's context and reward
//		w, err := s.Fit(0.05)     // what the rounds so far say
//
//	  - [Solver.Add] takes in a row; [Solver.Load] takes sums that somebody else has released.
//	  - [Solver.Fit] fits; [Solver.Gap], [Solver.Objective] and [Solver.Support] describe the fit.
//	  - [Solver.Path] fits a sequence of alphas; [Solver.Alphas] makes one.
//
// All of it is deterministic and gives the same numbers on every machine.
package lasso
