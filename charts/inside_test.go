package charts

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func watch(t *testing.T, means []float64, l bandit.Learner, rounds int, grid []int) *simulate.Watched {
	t.Helper()
	w, err := simulate.Watch(environment.Arms{Means: means}, l, rounds, 1, grid)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// names lists the series of a frame that have a name.
func names(f Frame) (list []string) {
	for _, s := range f.Series {
		list = append(list, s.Name)
	}
	return list
}

// TestInside: the figure has a frame for each round of the grid, starts with the last, and shows of
// a learner what it knows, and nothing else.
func TestInside(t *testing.T) {
	means := []float64{0.3, 0.8, 0.5}
	many := make([]float64, 40)
	for a := range many {
		many[a] = float64(a) / 40
	}
	for _, c := range []struct {
		name  string
		w     *simulate.Watched
		want  []string // series of the last frame
		lower bool
		says  string
	}{
		{"an upper bound", watch(t, means, arms.AdaPUCB{}.Private(1), 2000, nil), []string{"estimate and width", "index", "share of rounds", "played in this round"}, true, "One trial."},
		{"no width", watch(t, means, arms.IMED{}.Learner(), 2000, nil), []string{"estimate", "share of rounds", "played in this round"}, true, "One trial."},
		{"elimination", watch(t, means, arms.SuccessiveElimination{}.Learner(), 5000, nil), []string{"estimate and width", "ruled out", "share of rounds", "played in this round"}, true, "One trial."},
		{"nothing", watch(t, means, learner.Random{}, 200, nil), []string{"share of rounds", "played in this round"}, false, "a *learner.randomRun does not show what it chooses by"},
		{"many arms", watch(t, many, arms.Thompson{}.Learner(), 4000, simulate.LinearGrid(4000, 200)), []string{"estimate and width", "index", "share of rounds", "played in this round"}, true, "the 12 arms of 40 that were played most"},
	} {
		f := Inside(c.name, c.w)
		if err := f.check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		frames := f.Slider.Frames
		last := frames[len(frames)-1]
		if f.start() != len(frames)-1 || last.Value != cell.Thousands(c.w.Grid[len(c.w.Grid)-1]) || len(frames) > mostRounds {
			t.Errorf("%s: starts with frame %d of %d", c.name, f.start(), len(frames))
		}
		if got := names(last); !slices.Equal(got, c.want) {
			t.Errorf("%s: series %q, want %q", c.name, got, c.want)
		}
		if lower := f.Below.Name != ""; lower != c.lower || !strings.Contains(f.caption(f.start()), c.says) {
			t.Errorf("%s: a lower plot is %v, and the caption %q, want %v and %q", c.name, lower, f.caption(f.start()), c.lower, c.says)
		}
		if n := len(f.X.Categories); n > mostArms || !strings.Contains(f.Alt, "arm "+f.X.Categories[n-1]+", ") {
			t.Errorf("%s: %d arms, and the words %q", c.name, n, f.Alt)
		}
		for _, s := range last.Series {
			for i, v := range s.Y {
				if math.IsNaN(v) || s.Lo != nil && !(s.Lo[i] <= v && v <= s.Hi[i]) {
					t.Errorf("%s: %q has %v at place %d, between %v and %v", c.name, s.Name, v, i, s.Lo, s.Hi)
				}
			}
		}
	}
	if err := Inside("of nothing", new(simulate.Watched)).check(); err == nil {
		t.Error("a figure of no rounds: no error")
	}
}

// TestInsideCuts: bounds that are enormous in the first rounds do not set the axis, and the caption
// counts them.
func TestInsideCuts(t *testing.T) {
	w := watch(t, []float64{0.2, 0.7}, arms.AdaPUCB{}.Private(0.01), 50_000, nil)
	f := Inside("little privacy costs much", w)
	_, y, _ := f.spans()
	var most float64
	for _, list := range w.Insights {
		for _, x := range list {
			if !math.IsInf(x.Index, 0) {
				most = max(most, x.Index)
			}
		}
	}
	if first, last := f.Slider.Frames[3].Caption, f.Slider.Frames[f.start()].Caption; y.to > most/2 ||
		!strings.Contains(first, "arms reach beyond the axis") || strings.Contains(last, "beyond") {
		t.Errorf("the axis ends at %v, and an index at %v; captions %q and %q", y.to, most, first, last)
	}
}

// TestBelow: the series of the lower plot are on its axes, and the upper plot alone has no axis x.
func TestBelow(t *testing.T) {
	f := &Figure{
		Title: "two plots", X: Axis{Name: "arm", Categories: []string{"a", "b"}}, Y: Axis{Name: "reward"}, Below: Axis{Name: "share", Format: Percent},
		Series: []Series{{Name: "mean", Kind: Scatter, Y: []float64{1, 2}, Lo: []float64{0, 1}, Hi: []float64{2, 3}}, {Name: "pulls", Kind: Bar, Y: []float64{0.25, 1}, Below: true}},
	}
	o := option(t, f)
	if len(o.Option.YAxis) != 2 || o.Option.YAxis[1]["name"] != "share" || o.Option.YAxis[1]["interval"] != 0.5 {
		t.Errorf("axes %v", o.Option.YAxis)
	}
	for i, want := range []any{nil, nil, 1.0} {
		if s := o.Option.Series[i]; s["yAxisIndex"] != want || s["xAxisIndex"] != want {
			t.Errorf("series %d is on the axes %v and %v, want %v", i, s["xAxisIndex"], s["yAxisIndex"], want)
		}
	}
	needECharts(t)
	svg := must(f.SVG())
	if n := bytes.Count(svg, []byte(">a</text>")); n != 1 || bytes.Contains(svg, []byte("NaN")) || !bytes.Contains(svg, []byte(">100%</text>")) {
		t.Errorf("the first category is there %d times, in\n%s", n, svg)
	}
	for want, bad := range map[string]func(f *Figure){
		"is Below, and that axis has no name":  func(f *Figure) { f.Below = Axis{} },
		"wants a linear axis Below":            func(f *Figure) { f.Equal = true },
		"1 series in the upper plot and 0":     func(f *Figure) { f.Series = f.Series[:1] },
		"0 series in the upper plot and 1":     func(f *Figure) { f.Series = f.Series[1:] },
		"axis Below has the empty range 2 to ": func(f *Figure) { f.Below.Range = [2]float64{2, 1} },
	} {
		broken := *f
		bad(&broken)
		if err := broken.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
