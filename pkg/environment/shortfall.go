package environment

// shortfall returns the sum, over the arms played, of the best mean reward minus the arm's.
func shortfall(best float64, mean []float64, arms []int) (regret float64) {
	for _, a := range arms {
		regret += best - mean[a]
	}
	return regret
}
