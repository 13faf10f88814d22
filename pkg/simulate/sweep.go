package simulate

import "context"

// Sweep runs an experiment at each value of a parameter, and returns the curves by value. All
// trials are one list, so that the workers stay busy. Function Finals of package charts draws it.
//
// at makes the experiment of a value. Trials of equal index share their streams across values.
func Sweep(ctx context.Context, values []float64, at func(value float64) *Experiment) ([][]Curve, error) {
	all := make([]*Experiment, len(values))
	for i, v := range values {
		all[i] = at(v)
	}
	results, err := RunAll(ctx, all, Options{})
	if err != nil {
		return nil, err
	}
	curves := make([][]Curve, len(results))
	for i, r := range results {
		curves[i] = r.Curves()
	}
	return curves, nil
}
