package cell

// Finds returns what a figure shows if a check holds, and otherwise what it draws. A title, caption
// or alternative text that states a result in fixed words goes through it: then it is true at each
// scale, and wherever a reader moves a control.
func Finds(holds bool, shows, draws string) string {
	if holds {
		return shows
	}
	return draws
}
