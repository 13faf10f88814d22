package detect

import (
	"fmt"
	"math"
)

// Scores that combine all outputs. The sum of log-likelihood ratios weighs what all of them say a
// little. The largest one, whose threshold is a union of one event for each output, sees what a
// single output says for sure, whichever it is.

// product is a score: the sum of the log-likelihood ratios of outputs. That is their joint ratio if
// they are independent given the world (naive Bayes).
type product []ratio

func (p product) Of(out []float64) float64 {
	var sum float64
	for _, r := range p {
		sum += r.Of(out)
	}
	return sum
}

func (p product) String() string {
	what := "discrete outputs"
	for _, r := range p {
		if _, ok := r.(*bins); ok {
			what = "outputs"
		}
	}
	return fmt.Sprintf("log-likelihood ratio of %d %s taken as independent", len(p), what)
}

// union is a score: the largest of the log-likelihood ratios of outputs. sign is 1 for ratios of
// world 1 to world 0, and -1 for ratios of world 0 to world 1.
type union struct {
	ratios []ratio
	sign   float64
}

func (u union) Of(out []float64) float64 {
	most := math.Inf(-1)
	for _, r := range u.ratios {
		most = max(most, u.sign*r.Of(out))
	}
	return most
}

func (u union) String() string {
	toward := 1
	if u.sign < 0 {
		toward = 0
	}
	return fmt.Sprintf("largest of %d log-likelihood ratios towards world %d", len(u.ratios), toward)
}

// extreme is a score: the largest output, in standard deviations from its mean over both worlds. An
// output of weight 0 is left out; a negative weight reverses its sign.
type extreme struct {
	centre, weight []float64
	both           bool // take the distance from the mean in either direction
}

func (e extreme) Of(out []float64) float64 {
	most := math.Inf(-1)
	for i, w := range e.weight {
		if w == 0 {
			continue
		}
		v := w * (out[i] - e.centre[i])
		if e.both {
			v = math.Abs(v)
		}
		most = max(most, v)
	}
	return most
}

func (e extreme) String() string {
	outputs := 0
	for _, w := range e.weight {
		if w != 0 {
			outputs++
		}
	}
	if e.both {
		return fmt.Sprintf("largest deviation of %d outputs", outputs)
	}
	return fmt.Sprintf("largest of %d outputs, in standard deviations towards world 1", outputs)
}

// extremes returns the scores of extreme outputs.
func extremes(m *moments) []score {
	width := len(m.mean[0])
	up, down, far := extreme{weight: make([]float64, width)}, extreme{weight: make([]float64, width)}, extreme{weight: make([]float64, width), both: true}
	some := false
	for i := range width {
		up.centre = append(up.centre, m.centre(i))
		v := m.pooled(i)
		if !(v > 0) || math.IsInf(v, 0) {
			continue
		}
		some = true
		far.weight[i] = 1 / math.Sqrt(v)
		up.weight[i] = math.Copysign(far.weight[i], m.mean[1][i]-m.mean[0][i])
		down.weight[i] = -up.weight[i]
	}
	if !some {
		return nil
	}
	down.centre, far.centre = up.centre, up.centre
	return []score{up, down, far}
}
