package charts

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// spec is a figure ready to draw: the ECharts options of what never changes, and what each frame
// adds. It is pure data. A string "@dpb:name" in it stands for a function of js/draw.js, which both
// renderings use.
type spec struct {
	Option map[string]any `json:"option"`
	Frames []frameSpec    `json:"frames"`
	Label  string         `json:"label,omitempty"` // of the slider
	Start  int            `json:"start"`
	Width  int            `json:"width"`
	Height int            `json:"height"`
	Equal  bool           `json:"equal,omitempty"`
}

// drawn is a series as ECharts takes it. (go-echarts' own type for it brings html/template, with
// which a program is linked with every method that it has.)
type drawn struct {
	Name           string          `json:"name,omitempty"`
	Type           string          `json:"type,omitempty"`
	BarCategoryGap string          `json:"barCategoryGap,omitempty"`
	BarMaxWidth    string          `json:"barMaxWidth,omitempty"`
	Step           string          `json:"step,omitempty"`
	Symbol         string          `json:"symbol,omitempty"`
	SymbolSize     int             `json:"symbolSize,omitempty"`
	RenderItem     string          `json:"renderItem,omitempty"`
	Data           any             `json:"data,omitempty"`
	Encode         *opts.Encode    `json:"encode,omitempty"`
	ItemStyle      *opts.ItemStyle `json:"itemStyle,omitempty"`
	MarkLines      *opts.MarkLines `json:"markLine,omitempty"`
	LineStyle      *opts.LineStyle `json:"lineStyle,omitempty"`
	XAxisIndex     int             `json:"xAxisIndex,omitempty"` // 1: of the lower plot
	YAxisIndex     int             `json:"yAxisIndex,omitempty"`
}

type frameSpec struct {
	Value   string  `json:"value,omitempty"`
	Caption string  `json:"caption,omitempty"`
	Series  []drawn `json:"series"`
}

func (f *Figure) spec() (*spec, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	s := &spec{Start: f.start(), Equal: f.Equal}
	s.Width, s.Height = f.size()
	x, y, below := f.spans()
	st := styler{x: f.X, foot: math.Inf(-1), taken: map[string]int{}, roundX: x.rounding(f.X), roundY: y.rounding(f.Y)}
	if f.Y.Log {
		st.foot = y.from
	}
	series := st.draw(f.Series, maxPoints)
	if len(f.Marks) > 0 {
		series = append(series, marks(f.Marks))
	}
	s.Option = map[string]any{
		"title": opts.Title{Title: f.Title}, "legend": opts.Legend{}, "tooltip": f.tooltip(),
		"xAxis":  []tickedX{{xAxis(f.X, x), ticks(f.X, x)}},
		"yAxis":  []tickedY{{yAxis(f.Y, y), ticks(f.Y, y)}},
		"series": series,
	}
	if f.Below.Name != "" {
		s.Option["yAxis"] = []tickedY{{yAxis(f.Y, y), ticks(f.Y, y)}, {yAxis(f.Below, below), ticks(f.Below, below)}}
	}
	for i := range f.frames() {
		frame := frameSpec{Caption: f.caption(i), Series: []drawn{}}
		if f.Slider != nil {
			s.Label = f.Slider.Label
			fr := f.Slider.Frames[i]
			frame.Value = fr.Value
			frame.Series = st.draw(fr.Series, maxFramePoints)
			if len(fr.Marks) > 0 {
				frame.Series = append(frame.Series, marks(fr.Marks))
			}
		}
		s.Frames = append(s.Frames, frame)
	}
	return s, nil
}

// spans returns the ranges of the axes, over all frames.
func (f *Figure) spans() (x, y, below span) {
	none := [2]float64{math.Inf(1), math.Inf(-1)}
	dx, dy, lower, points := none, none, none, false
	for i := range f.frames() {
		for _, s := range f.frame(i) {
			if s.Below {
				s.filled(f.X).extent(&dx, &lower, false)
				continue
			}
			s.filled(f.X).extent(&dx, &dy, f.Y.Log)
			points = points || s.Kind == Scatter
		}
		for _, m := range f.marks(i) {
			if m.X != nil {
				widen(&dx, []float64{*m.X})
			} else {
				widen(&dy, []float64{*m.Y})
			}
		}
	}
	if f.Below.Name != "" && lower != none {
		below = f.Below.span(lower, points)
		below.step = niceStep(below.to-below.from, 3) // it has little room
	}
	return f.X.span(dx, points), f.Y.span(dy, points), below
}

// tooltip lists all series at one x if there are curves, else the point under the pointer.
func (f *Figure) tooltip() opts.Tooltip {
	t := opts.Tooltip{Show: opts.Bool(true), Trigger: "item", Formatter: "@dpb:item"}
	for _, s := range f.frame(f.start()) {
		if !s.Faint && !s.Reference && !s.Below && (s.Kind == Line || s.Kind == Step || s.Kind == Bar) {
			t.Trigger, t.Formatter = "axis", "@dpb:axis"
		}
	}
	return t
}

func kindOf(a Axis) string {
	switch {
	case len(a.Categories) > 0:
		return "category"
	case a.Log:
		return "log"
	}
	return "value"
}

func axisLabel(a Axis) *opts.AxisLabel {
	l := &opts.AxisLabel{FontSize: 15, Show: opts.Bool(!a.Hidden)}
	switch {
	case len(a.Categories) > 0:
	case a.Log:
		l.Formatter = "@dpb:power"
	case a.Format == Percent:
		l.Formatter = "@dpb:percent"
	default:
		l.Formatter = "@dpb:number"
	}
	return l
}

func xAxis(a Axis, s span) opts.XAxis {
	x := opts.XAxis{Type: kindOf(a), Name: a.label(), NameLocation: "middle", Show: opts.Bool(!a.Hidden),
		AxisLabel: axisLabel(a), SplitLine: &opts.SplitLine{Show: opts.Bool(false)},
		AxisLine: &opts.AxisLine{Show: opts.Bool(true), OnZero: opts.Bool(false)}}
	if len(a.Categories) > 0 {
		x.Data = a.Categories
	} else {
		x.Min, x.Max = number(s.from), number(s.to)
	}
	return x
}

func yAxis(a Axis, s span) opts.YAxis {
	y := opts.YAxis{Type: kindOf(a), Name: a.label(), NameLocation: "middle", Show: opts.Bool(!a.Hidden),
		AxisLabel: axisLabel(a), SplitLine: &opts.SplitLine{Show: opts.Bool(!a.Hidden)},
		AxisLine: &opts.AxisLine{Show: opts.Bool(true), OnZero: opts.Bool(false)}}
	if len(a.Categories) > 0 {
		y.Data = a.Categories
	} else {
		y.Min, y.Max = number(s.from), number(s.to)
	}
	return y
}

// tickedX and tickedY are axes with a distance of their ticks, for which go-echarts has no field.
type (
	tickedX struct {
		opts.XAxis
		Interval any `json:"interval,omitempty"`
	}
	tickedY struct {
		opts.YAxis
		Interval any `json:"interval,omitempty"`
	}
)

// ticks returns the distance of an axis' ticks, nil where ECharts chooses it.
func ticks(a Axis, s span) any {
	if s.step <= 0 || kindOf(a) != "value" {
		return nil
	}
	return number(s.step)
}

// marks returns the reference lines, on a series of their own that has no points.
func marks(ms []Mark) drawn {
	m := &opts.MarkLines{MarkLineStyle: opts.MarkLineStyle{
		Symbol:    []string{"none", "none"},
		LineStyle: &opts.LineStyle{Color: referenceColor, Type: "dashed", Width: 1.5},
	}}
	for _, v := range ms {
		if v.X != nil {
			m.Data = append(m.Data, opts.MarkLineNameXAxisItem{Name: v.Name, XAxis: number(*v.X)})
		} else {
			m.Data = append(m.Data, opts.MarkLineNameYAxisItem{Name: v.Name, YAxis: number(*v.Y)})
		}
	}
	return drawn{Type: types.ChartLine, Data: []any{}, MarkLines: m}
}

// styler draws series. Series with the same name get the same style, others the next free one.
type styler struct {
	x     Axis
	foot  float64 // lower end of bands
	taken map[string]int
	// roundX and roundY round what is drawn on the axes.
	roundX, roundY func([]float64) []float64
}

func (st styler) style(s Series) style {
	switch {
	case s.Faint && s.Kind != Scatter:
		return style{faintColor, "solid", "circle"}
	case s.Reference:
		return style{referenceColor, "6,4", "none"}
	case s.Style > 0:
		return styleOf(s.Style)
	}
	n, ok := st.taken[s.Name]
	if !ok || s.Name == "" {
		n = len(st.taken) + 1
		st.taken[s.Name] = n
	}
	return styleOf(n)
}

// draw returns our series as ECharts series with at most so many points each.
func (st styler) draw(ss []Series, points int) []drawn {
	out := []drawn{}
	bar, bars := 0, 0
	for _, s := range ss {
		if s.Kind == Bar {
			bars++
		}
	}
	for _, s := range ss {
		first := len(out)
		s = s.filled(st.x).downsample(points, st.x.Log)
		s.X, s.X2 = st.roundX(s.X), st.roundX(s.X2)
		s.Y, s.Lo, s.Hi = st.roundY(s.Y), st.roundY(s.Lo), st.roundY(s.Hi)
		sty := st.style(s)
		one := drawn{Name: s.Name, ItemStyle: &opts.ItemStyle{Color: sty.Color}}
		switch s.Kind {
		case Line, Step:
			one.Type = types.ChartLine
			one.Data = rows(s.X, s.Y, s.Lo, s.Hi)
			one.LineStyle = &opts.LineStyle{Color: sty.Color, Type: sty.Dash, Width: 2.5}
			one.Symbol = sparse(sty.Symbol, len(s.X), len(out))
			if s.Reference || s.Faint {
				one.LineStyle.Width = 1.5
				one.Symbol = "none"
			}
			if s.Kind == Step {
				one.Step = "end"
			}
		case Scatter:
			one.Type = types.ChartScatter
			one.Data = labelled(rows(s.X, s.Y, s.Lo, s.Hi), s.Labels)
			one.Symbol, one.SymbolSize = sty.Symbol, 9
			if s.Size > 0 {
				one.SymbolSize = s.Size
			}
			one.ItemStyle.Opacity = opts.Float(1) // ECharts' own 0.8 is too dim in dark mode
			if s.Faint {
				one.ItemStyle.Opacity = opts.Float(0.3)
			}
		case Bar:
			one.Type = types.ChartBar
			one.Data = rows(s.X, s.Y, s.Lo, s.Hi)
			one.BarMaxWidth = "70"
			if len(st.x.Categories) == 0 {
				one.BarCategoryGap = "10%"
			}
		case Box:
			one.Type = types.ChartCustom
			one.RenderItem = "@dpb:box"
			one.Data = labelled(rows(s.X, s.X2, s.Lo, s.Hi), s.Labels)
			one.Encode = &opts.Encode{X: []int{0, 1}, Y: []int{2, 3}}
		case Bars:
			one.Type = types.ChartCustom
			one.RenderItem = "@dpb:" + [...]string{"solid", "hatched", "hollow"}[s.Fill]
			one.Data = labelled(rows(s.X, s.Y, s.X2), s.Labels)
			one.Encode = &opts.Encode{X: []int{0, 2}, Y: 1}
		}
		out = append(out, one)
		if s.Lo != nil && s.Kind != Box {
			out = append(out, st.spread(s, sty, bar, bars))
		}
		if s.Below {
			for i := first; i < len(out); i++ {
				out[i].XAxisIndex, out[i].YAxisIndex = 1, 1
			}
		}
		if s.Kind == Bar {
			bar++
		}
	}
	return out
}

// spread returns the band or the error bars of a series. If it is a set of bars, it is number bar
// of bars sets. Else it has no data of its own: js/draw.js takes those of the series before it.
func (st styler) spread(s Series, sty style, bar, bars int) drawn {
	out := drawn{Name: s.Name, Type: types.ChartCustom, ItemStyle: &opts.ItemStyle{Color: sty.Color},
		Encode: &opts.Encode{X: 0, Y: []int{1, 2}}}
	switch s.Kind {
	case Line:
		out.RenderItem = "@dpb:band"
	case Step:
		out.RenderItem = "@dpb:stepband"
	default:
		out.RenderItem = "@dpb:whisker"
	}
	if s.Kind == Bar {
		s = s.onFoot(st.foot)
		data := rows(s.X, s.Lo, s.Hi)
		for i := range data {
			data[i] = append(data[i], number(bar), number(bars))
		}
		out.Data = data
	}
	return out
}

// sparse asks for a symbol on about eight of the n points. Those of neighbouring curves i are
// shifted against each other.
func sparse(symbol string, n, i int) string {
	if n <= 12 {
		return symbol
	}
	every := n / 8
	return fmt.Sprintf("%s/%d/%d", symbol, every, (i*every/3+every/2)%every)
}

// number is a value in the JSON, written with seven digits.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	s := strconv.FormatFloat(float64(v), 'g', 7, 64)
	return []byte(strings.Replace(s, "e+", "e", 1)), nil
}

// rows returns the columns that are not nil as rows.
func rows(columns ...[]float64) [][]number {
	out := make([][]number, len(columns[0]))
	for i := range out {
		for _, c := range columns {
			if c != nil {
				out[i] = append(out[i], number(c[i]))
			}
		}
	}
	return out
}

func labelled(rows [][]number, labels []string) any {
	if labels == nil {
		return rows
	}
	out := make([]opts.LineData, len(rows))
	for i, r := range rows {
		out[i] = opts.LineData{Name: labels[i], Value: r}
	}
	return out
}
