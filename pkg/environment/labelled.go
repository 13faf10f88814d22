package environment

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/disjoint"
)

// Labelled turns classification into a bandit (Beygelzimer and Langford 2009; Dudík, Langford and
// Li 2011). Each round shows the features of a row of labelled data, the arms are the classes, and
// the reward is 1 if the arm played is the row's label, else 0. The learner is not told the label.
//
// The arms share the row's features x. The context of arm a has Classes blocks of Dim coordinates:
// x in block a, zeros elsewhere. So a linear learner fits a parameter to each class, at the price
// of Classes x Dim dimensions. Before that, each feature is divided by its Scale, a row longer than
// Norm is scaled down to Norm, and then the Constant is appended. Norm and Scale are part of what
// is public, as a private learner's noise depends on them; take them from the meaning of the
// columns, not from the data. Shortened says how many rows they change, a number that is itself
// private.
//
// Each trial serves the rows in a random order of its own, without repetition, or all trials in the
// order of the data. After the last row it begins again. A person whose row is served in k rounds
// is then a user with k records, and a claim about one record becomes one for her by
// privacy.Plan.ForUsers.
//
// Regret counts mistakes, as the label is the best arm of its row. It grows linearly if no rule of
// the learner's form fits the data; compare learners by it, not with 0.
type Labelled struct {
	Features []float64 // row by row, Dim numbers each; it is only read, and environments may share it
	Labels   []int     // the class of each row, in [0, Classes); it is only read, too
	Dim      int       // number of features, >= 1
	Classes  int       // number of arms, >= 1
	Norm     float64   // bound on the norm of a row's scaled features, > 0
	Scale    []float64 // what each feature is divided by, > 0; nil means 1
	Constant float64   // a feature that is the same in all rows, so that a class has an intercept; 0 means none
	InOrder  bool      // serve the rows in their order; false means a random one
}

// labelled is a trial of Labelled.
type labelled struct {
	of    *Labelled // shared by all trials
	rows  *disjoint.Contexts
	order []int32 // a permutation, of which the first place+1 rows are drawn
	place int     // of the current row
	round int
	label int
	rng   *rand.Rand
}

func (e Labelled) shape() disjoint.Rows {
	return disjoint.Rows{Arms: e.Classes, Dim: e.Dim, Norm: e.Norm, Scale: e.Scale, Constant: e.Constant}
}

// Open returns an error if a field is out of its range. It looks at all data.
func (e Labelled) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), (&e).start), nil
}

func (e Labelled) check() error {
	if err := e.validate(); err != nil {
		return fmt.Errorf("environment: Labelled: %w", err)
	}
	return nil
}

func (e Labelled) validate() error {
	if e.Classes < 1 {
		return fmt.Errorf("field Classes = %d, want >= 1", e.Classes)
	}
	if len(e.Labels) == 0 {
		return errors.New("field Labels is empty, want a label for each row")
	}
	if e.Dim < 1 {
		return fmt.Errorf("field Dim = %d, want >= 1", e.Dim)
	}
	rows := e.shape()
	if err := rows.Validate(); err != nil {
		return err
	}
	for i, label := range e.Labels {
		if label < 0 || label >= e.Classes {
			return fmt.Errorf("field Labels[%d] = %d, want in [0, Classes = %d)", i, label, e.Classes)
		}
	}
	return rows.Check("Features", e.Features, len(e.Labels))
}

// Problem describes the environment to a learner.
func (e Labelled) Problem() bandit.Problem { return e.shape().Problem(0, 1) }

// Shortened returns the number of rows that are longer than Norm.
func (e Labelled) Shortened() (int, error) {
	if err := e.check(); err != nil {
		return 0, err
	}
	return e.shape().Shortened(e.Features), nil
}

func (e *Labelled) start(contexts *rand.Rand) bandit.Instance {
	l := &labelled{of: e, rows: e.shape().Start(), rng: contexts, place: -1}
	if e.InOrder {
		return l
	}
	l.order = make([]int32, len(e.Labels))
	for i := range l.order {
		l.order[i] = int32(i)
	}
	return l
}

// Next shows the features of the next row to the learner.
func (e *labelled) Next(v *bandit.View) {
	if e.place++; e.place == len(e.of.Labels) {
		e.place = 0
	}
	row := e.place
	if !e.of.InOrder { // a step of a shuffle
		other := e.place + e.rng.IntN(len(e.order)-e.place)
		e.order[e.place], e.order[other] = e.order[other], e.order[e.place]
		row = int(e.order[e.place])
	}
	e.round++
	e.label = e.of.Labels[row]
	e.rows.Show(v, e.round, e.of.Features[row*e.of.Dim:(row+1)*e.of.Dim])
}

// Pull returns 1 for the arm that is the row's label, else 0.
func (e *labelled) Pull(_ *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = 1 - e.cost(a)
	}
}

// Regret returns the number of arms played that are not the row's label.
func (e *labelled) Regret(arms []int) float64 {
	var regret float64
	for _, a := range arms {
		regret += e.cost(a)
	}
	return regret
}

func (e *labelled) cost(arm int) float64 {
	if arm == e.label {
		return 0
	}
	return 1
}
