package privacy

// PLD is a place for the accountant of pld.go: remove this file with it.
type PLD struct{}

func (PLD) String() string { return "privacy loss distribution" }
func (PLD) Epsilon(e Event, d float64) (float64, error) {
	if err := checkArguments(e, 0, d); err != nil {
		return 0, err
	}
	return 0, unsupported("privacy loss distribution", e)
}
func (PLD) Delta(e Event, d float64) (float64, error) {
	if err := checkArguments(e, d, 0); err != nil {
		return 0, err
	}
	return 0, unsupported("privacy loss distribution", e)
}
