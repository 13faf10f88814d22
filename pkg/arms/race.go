package arms

// race finds the arm with the largest index.
type race struct{}

// first returns the arm with the largest bound in a round, ties to the lowest index.
func (*race) first(arms, round int, x index) int {
	x.at(logarithm(round))
	best, most := 0, x.bound(0)
	for a := 1; a < arms; a++ {
		if b := x.bound(a); b > most {
			best, most = a, b
		}
	}
	return best
}
