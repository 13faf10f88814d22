package bandit

import (
	"errors"
	"fmt"
)

// Explainer is a Run that shows what it chooses by: an index, an estimate and a width of each arm.
//
// A run that is asked plays the arms that it would play unasked: an answer draws nothing, and
// changes nothing that later choices depend on. It is computed from what the choice is made of. So
// that of a private run is post-processing of its releases, and costs no privacy. But with contexts
// it shows those of the round without noise, as an action does: it is for whoever may see the view.
type Explainer interface {
	Run
	// Explain appends the insight of each arm of the view to dst. It is called after Select of the same
	// view, and before Update. A run that has nothing to show returns an error that wraps
	// errors.ErrUnsupported and names the type that does not answer.
	Explain(v *View, dst []Insight) ([]Insight, error)
}

// Insight is what a run knows of an arm in a round. What it does not have is NaN.
//
// If Width is a number, all three are in the unit of rewards. Otherwise Index has a scale of its
// own.
type Insight struct {
	// Index is what the arm is chosen by. The arms with the largest are played, unless the learner
	// explores at random. An arm of +Inf comes before all others, as nothing is known of it, and one
	// of -Inf is out. NaN means that there is no index, as in a round whose arm is played in turn or
	// drawn at random.
	Index    float64
	Estimate float64 // of the arm's mean reward
	// Width is how far above Estimate the mean may be: an upper confidence bound less Estimate or, of
	// a posterior, its mean and one standard deviation less Estimate.
	Width float64
}

// Explain appends the insights of a run to dst. If the run is no Explainer, the error wraps
// errors.ErrUnsupported and names its type.
func Explain(run Run, v *View, dst []Insight) ([]Insight, error) {
	if e, ok := run.(Explainer); ok {
		return e.Explain(v, dst)
	}
	return dst, fmt.Errorf("a %T does not show what it chooses by: %w", run, errors.ErrUnsupported)
}
