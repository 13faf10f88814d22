package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Curves returns the mean of each curve with its pointwise 95% confidence band, by Student's t. A
// curve of a single trial has no band.
func Curves(curves []simulate.Curve) []Series {
	out := make([]Series, len(curves))
	for i, c := range curves {
		s, student := Series{Name: c.Policy, Y: c.Mean}, c.Student95()
		for k, t := range c.Rounds {
			s.X = append(s.X, float64(t))
			if len(c.SE) > k && !math.IsNaN(student*c.SE[k]) {
				s.Lo, s.Hi = append(s.Lo, c.Mean[k]-student*c.SE[k]), append(s.Hi, c.Mean[k]+student*c.SE[k])
			}
		}
		out[i] = s
	}
	return out
}

// Regret returns the usual figure of cumulative regret against rounds, with the series of [Curves].
// Of two trials it shows both, as a band: their confidence interval would reach 12.7 standard
// errors to each side. Its Scale is LectureScale. Change its fields as you like.
func Regret(title string, curves []simulate.Curve) *Figure {
	f := &Figure{Title: title, X: Axis{Name: "round t"}, Y: Axis{Name: "cumulative regret"}, Series: Curves(curves), Scale: LectureScale}
	if len(curves) == 0 || curves[0].Trials == 0 {
		return f
	}
	f.Caption = fmt.Sprintf("Mean of %d trials", curves[0].Trials)
	switch {
	case curves[0].Trials == 2:
		f.Caption += ", in a band from the one to the other"
		for i, s := range f.Series {
			student := curves[i].Student95()
			for k := range s.Lo { // each trial is one standard error from the mean
				mean, reach := (s.Lo[k]+s.Hi[k])/2, (s.Hi[k]-s.Lo[k])/2
				s.Lo[k], s.Hi[k] = mean-reach/student, mean+reach/student
			}
		}
	case curves[0].Trials > 2:
		f.Caption += ", with pointwise 95% confidence bands"
	}
	return f
}

// InWords says how curves of regret end, the highest first: the alternative text of their figure.
func InWords(curves []simulate.Curve) string {
	if len(curves) == 0 {
		return "No curves."
	}
	order := slices.SortedStableFunc(slices.Values(curves), func(a, b simulate.Curve) int { return cmp.Compare(b.Final(), a.Final()) })
	list := make([]string, len(order))
	for i, c := range order {
		list[i] = fmt.Sprintf("%s: %.0f", c.Policy, c.Final())
	}
	last, _, _ := curves[0].Last()
	return fmt.Sprintf("From most to least regret after %s rounds: %s.", cell.Thousands(last), strings.Join(list, "; "))
}

// StepsInWords says how the curves of a figure with a slider end, at each of its steps: the
// figure's alternative text. Without a slider it is empty.
func (f *Figure) StepsInWords() string {
	if f.Slider == nil {
		return ""
	}
	text := "Regret at the end."
	for _, frame := range f.Slider.Frames {
		text += fmt.Sprintf(" At %s = %s:", f.Slider.Label, frame.Value)
		for _, s := range frame.Series {
			text += fmt.Sprintf(" %s %.0f.", s.Name, s.Y[len(s.Y)-1])
		}
	}
	return text
}

// Finals returns a series for each policy over the values of a parameter: its mean regret at the
// last round, with 95% confidence intervals as bands, by Student's t. runs holds the curves of a
// run for each value; a policy is known by its name, and may be absent from some runs.
func Finals(values []float64, runs [][]simulate.Curve) (out []Series) {
	place := map[string]int{}
	for i, curves := range runs {
		for _, c := range curves {
			k, ok := place[c.Policy]
			if !ok {
				k = len(out)
				place[c.Policy], out = k, append(out, Series{Name: c.Policy})
			}
			s, last := &out[k], len(c.Mean)-1
			width := c.Student95() * c.SE[last]
			if math.IsNaN(width) { // a single trial
				width = 0
			}
			s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[last])
			s.Lo, s.Hi = append(s.Lo, c.Mean[last]-width), append(s.Hi, c.Mean[last]+width)
		}
	}
	return out
}

// FinalsInWords gives the numbers of series over a parameter, with their bands, as [Finals] makes
// them: the alternative text of their figure.
func FinalsInWords(list []Series) string {
	var lines []string
	for _, s := range list {
		var points []string
		for i, x := range s.X {
			point := fmt.Sprintf("%s at %g", inWords(s.Y[i]), x)
			if s.Lo != nil {
				point += fmt.Sprintf(" (%s to %s)", inWords(s.Lo[i]), inWords(s.Hi[i]))
			}
			points = append(points, point)
		}
		lines = append(lines, fmt.Sprintf("%s: %s.", s.Name, strings.Join(points, ", ")))
	}
	return strings.Join(lines, " ")
}

// inWords gives a number in whole units from 10 on, and in hundredths below.
func inWords(v float64) string {
	if math.Abs(v) < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// Sweep returns the usual figure of an experiment at several values of a parameter, as
// simulate.Sweep runs it: the regret at the last round, with the series of [Finals]. Its axes are
// logarithmic where values are positive. Its Scale is LectureScale. Change its fields as you like.
func Sweep(title, parameter string, values []float64, runs [][]simulate.Curve) *Figure {
	positive := func(list []float64) bool { return !slices.ContainsFunc(list, func(v float64) bool { return !(v > 0) }) }
	f := &Figure{Title: title, X: Axis{Name: parameter, Log: positive(values)}, Series: Finals(values, runs), Scale: LectureScale}
	f.Y = Axis{Name: "regret", Log: !slices.ContainsFunc(f.Series, func(s Series) bool { return !positive(s.Y) })}
	if len(runs) > 0 && len(runs[0]) > 0 {
		c := runs[0][0]
		f.Caption = fmt.Sprintf("Regret after %d rounds, one trial", c.Rounds[len(c.Rounds)-1])
		if c.Trials > 1 {
			f.Caption = fmt.Sprintf("Regret after %d rounds, mean of %d trials with 95%% confidence bands", c.Rounds[len(c.Rounds)-1], c.Trials)
		}
	}
	return f
}

// Standings returns a table of a result: the regret of each policy at the last round, its standard
// error, what share it is of the first policy's, and the epsilon that its claim proves, or that its
// author states or asserts.
func Standings(r *simulate.Result) *Table {
	curves := r.Curves()
	if len(curves) == 0 {
		return NewTable("policy")
	}
	last, first := len(r.Grid)-1, curves[0]
	t := NewTable("policy", "regret", "standard error", "of "+first.Policy, "ε proved")
	t.Align = "lrrrr"
	for i, c := range curves {
		proved := "none"
		if e := r.Policies[i].Epsilon(); !math.IsInf(e, 1) {
			proved = fmt.Sprintf("%.3g", e)
			if s := r.Policies[i].Claim.Standing(); s != privacy.Checked {
				proved += ", " + s.String()
			}
		}
		t.Add(c.Policy, fmt.Sprintf("%.0f", c.Mean[last]), fmt.Sprintf("%.0f", c.SE[last]),
			fmt.Sprintf("%.1f%%", 100*c.Mean[last]/first.Mean[last]), proved)
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds, mean of %d trials", r.Grid[last], len(r.Finished))
	return t
}
