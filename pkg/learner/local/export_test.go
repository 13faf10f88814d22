package local

// Elimination is a base learner's, for tests.
type Elimination = elimination

// Eliminations returns the first 1000 eliminations of the trial. The run owns the slice.
func (c *CombinerReceiver) Eliminations() []Elimination { return c.events }
