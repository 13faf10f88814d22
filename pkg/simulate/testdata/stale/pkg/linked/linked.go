// Package linked is a part of the environment.
package linked

// Bonus is a part of the second arm's regret.
func Bonus() float64 { return 1 }
