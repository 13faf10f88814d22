package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

const (
	mostArms   = 12 // that a figure of a learner's inside shows
	mostRounds = 60 // places of its slider
)

// Inside returns the figure of what a learner chose by, with a slider over the rounds that were
// watched: of each arm the estimate, how far above it the mean may be, and the index by which it is
// played, and below them its share of the rounds so far. A still picture shows the last round.
//
// Of more than 12 arms it shows those that were played most. An index that is not in the unit of
// rewards is not drawn. Of a learner that shows nothing there are the shares alone. Its Scale is
// LectureScale.
func Inside(title string, w *simulate.Watched) *Figure {
	in := watched{Watched: w}
	shares := Axis{Name: "share of rounds", Format: Percent, Range: [2]float64{0, 1}}
	f := &Figure{Title: title, X: Axis{Name: "arm"}, Y: Axis{Name: "reward"}, Below: shares, Scale: LectureScale, Height: 560}
	if len(w.Grid) == 0 {
		return f // which says that it has no series
	}
	in.choose()
	for _, a := range in.arms {
		f.X.Categories = append(f.X.Categories, fmt.Sprint(a))
	}
	in.top, in.bottom = in.ends()
	alone := in.bottom > in.top // nothing is known of any arm
	if alone {
		f.Y, f.Below, f.Height = shares, Axis{}, 0
	}
	f.Slider = Over("round t", in.places, func(i int) Frame { return in.frame(i, alone) })
	f.Slider.Start = len(in.places) - 1
	f.Caption, f.Alt = in.caption(), in.alt()
	return f
}

// watched draws what was watched.
type watched struct {
	*simulate.Watched
	arms        []int // shown, increasing
	places      []int // of the grid, shown
	bottom, top float64
}

// choose chooses arms and rounds.
func (in *watched) choose() {
	last := len(in.Grid) - 1
	pulls := in.Pulls[last]
	for a := range pulls {
		in.arms = append(in.arms, a)
	}
	slices.SortStableFunc(in.arms, func(a, b int) int { return pulls[b] - pulls[a] })
	in.arms = in.arms[:min(len(in.arms), mostArms)]
	slices.Sort(in.arms)
	n := min(len(in.Grid), mostRounds)
	for i := range n {
		in.places = append(in.places, (i+1)*len(in.Grid)/n-1)
	}
}

// drawnOf returns what is drawn of an insight: the estimate, its upper end, and the index if it is
// one of rewards. What is not drawn is NaN.
func drawnOf(x bandit.Insight) (estimate, above, index float64) {
	estimate, above, index = x.Estimate, x.Estimate+x.Width, x.Index
	if math.IsNaN(x.Width) || math.IsInf(index, 0) {
		index = math.NaN()
	}
	return estimate, above, index
}

// ends returns the highest and the lowest number that is drawn: all of the last round, and all of a
// third of the rounds. Noise and ignorance may make bounds enormous in the first ones. If the
// others are not enormous, those are drawn, too.
func (in *watched) ends() (top, bottom float64) {
	var tops, bottoms []float64
	top, bottom = math.Inf(-1), math.Inf(1)
	for _, i := range in.places {
		top, bottom = math.Inf(-1), math.Inf(1)
		for _, a := range in.arms {
			estimate, above, index := drawnOf(in.Insight(i, a))
			for _, v := range []float64{estimate, above, index} {
				if !math.IsNaN(v) {
					top, bottom = max(top, v), min(bottom, v)
				}
			}
		}
		if bottom <= top {
			tops, bottoms = append(tops, top), append(bottoms, bottom)
		}
	}
	if len(tops) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	slices.Sort(tops)
	slices.Sort(bottoms)
	n := len(tops)
	top, bottom = max(top, tops[n/3]), min(bottom, bottoms[n-1-n/3])
	room := top - bottom
	if tops[n-1] < top+room {
		top = tops[n-1]
	}
	if bottoms[0] > bottom-room {
		bottom = bottoms[0]
	}
	return top, bottom
}

// frame draws a place of the grid. Numbers beyond the ends stand at them.
func (in *watched) frame(i int, alone bool) Frame {
	within := func(v float64) float64 { return min(max(v, in.bottom), in.top) }
	estimates := Series{Name: "estimate and width", Kind: Scatter, Style: 1}
	out := Series{Name: "ruled out", Kind: Scatter, Style: 7}
	indices := Series{Name: "index", Kind: Scatter, Style: 2}
	played := Series{Name: "played in this round", Kind: Scatter, Style: 3, Size: 14, Below: !alone}
	shares := Series{Name: "share of rounds", Kind: Bar, Style: 6, Below: !alone}
	cut, wide := 0, false
	var pulls []string
	for place, a := range in.arms {
		x, at := in.Insight(i, a), float64(place)
		estimate, above, index := drawnOf(x)
		share := float64(in.Pulls[i][a]) / float64(in.Grid[i])
		shares.X, shares.Y = append(shares.X, at), append(shares.Y, share)
		pulls = append(pulls, fmt.Sprint(in.Pulls[i][a]))
		if slices.Contains(in.Played[i], a) {
			played.X, played.Y = append(played.X, at), append(played.Y, share)
		}
		if math.IsNaN(above) {
			above = estimate
		} else {
			wide = true
		}
		if estimate != within(estimate) && !math.IsNaN(estimate) || above > in.top || index != within(index) && !math.IsNaN(index) {
			cut++
		}
		switch {
		case math.IsNaN(estimate):
		case math.IsInf(x.Index, -1):
			out.X, out.Y = append(out.X, at), append(out.Y, within(estimate))
		default:
			estimates.X, estimates.Y = append(estimates.X, at), append(estimates.Y, within(estimate))
			estimates.Lo, estimates.Hi = append(estimates.Lo, within(estimate)), append(estimates.Hi, within(above))
		}
		if !math.IsNaN(index) {
			indices.X, indices.Y = append(indices.X, at), append(indices.Y, within(index))
		}
	}
	if !wide {
		estimates.Name, estimates.Lo, estimates.Hi = "estimate", nil, nil
	}
	f := Frame{Value: cell.Thousands(in.Grid[i])}
	for _, s := range []Series{estimates, out, indices, shares, played} {
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	f.Caption = fmt.Sprintf("Round %s plays %s; pulls so far: %s; regret: %s", f.Value, armsInWords(in.Played[i]), strings.Join(pulls, ", "), Number(in.Regret[i]))
	if cut > 0 {
		f.Caption += fmt.Sprintf("; %d arms reach beyond the axis", cut)
	}
	return f
}

// armsInWords lists arms.
func armsInWords(arms []int) string {
	list := make([]string, len(arms))
	for i, a := range arms {
		list[i] = fmt.Sprint(a)
	}
	if len(list) == 1 {
		return "arm " + list[0]
	}
	return "arms " + strings.Join(list, ", ")
}

// caption says what is not shown.
func (in *watched) caption() string {
	caption := "One trial"
	if in.Insights != nil && in.Problem.Dim > 0 {
		caption += ", by the contexts of each round"
	}
	if all := in.Problem.Arms; len(in.arms) < all {
		caption += fmt.Sprintf("; the %d arms of %d that were played most", len(in.arms), all)
	}
	if in.Against > 0 {
		caption += fmt.Sprintf("; %d of %d rounds play an arm whose index is not the largest", in.Against, len(in.Grid))
	}
	if in.Silent != nil {
		caption += "; " + strings.TrimSuffix(in.Silent.Error(), ": "+errors.ErrUnsupported.Error())
	}
	return caption
}

// alt says how it ends.
func (in *watched) alt() string {
	last := len(in.Grid) - 1
	var list []string
	for _, a := range in.arms {
		text := fmt.Sprintf("arm %d, %.1f%% of the rounds", a, 100*float64(in.Pulls[last][a])/float64(in.Grid[last]))
		x := in.Insight(last, a)
		estimate, _, index := drawnOf(x)
		if !math.IsNaN(estimate) {
			text += ", estimate " + Number(estimate)
		}
		if math.IsInf(x.Index, -1) {
			text += ", ruled out"
		} else if !math.IsNaN(index) {
			text += ", index " + Number(index)
		}
		list = append(list, text)
	}
	return fmt.Sprintf("What a learner chooses by, round by round. At the end, in round %s, which plays %s: %s.",
		cell.Thousands(in.Grid[last]), armsInWords(in.Played[last]), strings.Join(list, "; "))
}
