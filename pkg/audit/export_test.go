package audit

// What tests from outside look at.
var (
	BoundsOf  = boundsOf
	Increment = increment
)
