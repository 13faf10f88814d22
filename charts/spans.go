package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Spans is a picture of bars in rows, such as the blocks of rounds behind each arm's estimate. With
// Frames it has a slider.
type Spans struct {
	Title   string
	X       Axis     // of the ends of the spans; its Name is "round t" when empty
	RowName string   // what a row is; "arm" when empty
	Rows    []string // names of the rows, from the top
	Kinds   []SpanKind
	Spans   []Span      // always shown
	Label   string      // what the slider counts; the name of X when empty
	Frames  []SpanFrame // shown in addition, one for each place of the slider
	// Start is the frame shown first, and the one shown where scripts do not run. A negative Start
	// counts from the end.
	Start   int
	Caption string
	Scale   string // as for Figure
	Alt     string // made from the spans when empty
	Height  int    // in pixels; when 0, it follows from the number of rows
}

// Span is a bar in a row, of a kind; Row and Kind count from 0. It goes from From to To, From < To.
// The rounds 5 to 8 are the span from 5 to 9 or the span from 4.5 to 8.5; use one convention in a
// picture.
type Span struct {
	Row      int
	From, To float64
	Kind     int
	Label    string // inside the bar, if it fits, and in the tooltip
}

// SpanKind says what the bars of one colour and fill mean.
type SpanKind struct {
	Name  string // in the legend
	Fill  Fill
	Style int // as for Series; 0 means grey if Hollow, else the place among Kinds
}

// SpanFrame is what one place of the slider shows.
type SpanFrame struct {
	Value   string // such as "17"; when empty, the number Now
	Now     float64
	NoMark  bool // no line at Now
	Spans   []Span
	Caption string
}

// Figure returns the picture as a figure.
func (s Spans) Figure() (*Figure, error) {
	f, err := s.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: spans %q: %w", s.Title, err)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

func (s Spans) figure() (*Figure, error) {
	if len(s.Rows) == 0 {
		return nil, errors.New("no rows")
	}
	if len(s.Kinds) == 0 {
		return nil, errors.New("no kinds")
	}
	if s.X.Name == "" {
		s.X.Name = "round t"
	}
	if s.RowName == "" {
		s.RowName = "arm"
	}
	if s.Label == "" {
		s.Label = s.X.Name
	}
	if s.Height == 0 {
		s.Height = 150 + 52*len(s.Rows)
		if s.Title != "" {
			s.Height += 40
		}
		if len(s.Frames) > 0 {
			s.Height += 44
		}
	}
	if s.Start < 0 {
		s.Start += len(s.Frames)
	}
	names := slices.Clone(s.Rows) // the axis counts from below
	slices.Reverse(names)
	f := &Figure{
		Title: s.Title, X: s.X, Y: Axis{Name: s.RowName, Categories: names},
		Caption: s.Caption, Scale: s.Scale, Alt: s.Alt, Height: s.Height,
	}
	shown := s.Spans
	switch {
	case len(s.Frames) > 0:
		if s.Start < 0 || s.Start >= len(s.Frames) {
			return nil, fmt.Errorf("starts at frame %d of %d", s.Start, len(s.Frames))
		}
		f.Slider = &Slider{Label: s.Label, Start: s.Start}
		shown = append(slices.Clone(s.Spans), s.Frames[s.Start].Spans...)
	case s.Start != 0:
		return nil, fmt.Errorf("starts at frame %d of none", s.Start)
	case len(s.Spans) == 0:
		return nil, errors.New("no spans")
	}
	var err error
	some := len(s.Spans) > 0
	for i, fr := range s.Frames {
		some = some || len(fr.Spans) > 0
		one := Frame{Value: fr.Value, Caption: fr.Caption}
		if one.Value == "" {
			one.Value = strconv.FormatFloat(fr.Now, 'g', -1, 64)
		}
		if !fr.NoMark {
			one.Marks = []Mark{AtX(fr.Now, "now")}
		}
		if one.Series, err = s.series(append(slices.Clone(s.Spans), fr.Spans...)); err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		f.Slider.Frames = append(f.Slider.Frames, one)
	}
	if !some {
		return nil, errors.New("no spans")
	}
	if len(s.Frames) == 0 {
		if f.Series, err = s.series(s.Spans); err != nil {
			return nil, err
		}
	}
	if f.Alt == "" {
		f.Alt = s.alt(shown)
	}
	return f, nil
}

// series returns the spans as series, one for each kind.
func (s Spans) series(spans []Span) ([]Series, error) {
	out := make([]Series, len(s.Kinds))
	for i, k := range s.Kinds {
		out[i] = Series{Name: k.Name, Kind: Bars, Fill: k.Fill, Style: k.Style, X: []float64{}, X2: []float64{}, Y: []float64{}, Labels: []string{}}
		if k.Fill < Solid || k.Fill > Hollow {
			return nil, fmt.Errorf("kind %q has the fill %d", k.Name, k.Fill)
		}
		if out[i].Reference = k.Style == 0 && k.Fill == Hollow; k.Style == 0 {
			out[i].Style = i + 1
		}
	}
	for i, sp := range spans {
		switch {
		case sp.Row < 0 || sp.Row >= len(s.Rows):
			return nil, fmt.Errorf("span %d is in row %d of %d", i, sp.Row, len(s.Rows))
		case sp.Kind < 0 || sp.Kind >= len(s.Kinds):
			return nil, fmt.Errorf("span %d is of kind %d of %d", i, sp.Kind, len(s.Kinds))
		case !(sp.From < sp.To) || math.IsInf(sp.To-sp.From, 0):
			return nil, fmt.Errorf("span %d goes from %v to %v", i, sp.From, sp.To)
		}
		k := &out[sp.Kind]
		k.X, k.X2 = append(k.X, sp.From), append(k.X2, sp.To)
		k.Y, k.Labels = append(k.Y, float64(len(s.Rows)-1-sp.Row)), append(k.Labels, sp.Label)
	}
	return out, nil
}

// alt names the first few spans of each row.
func (s Spans) alt(spans []Span) string {
	var b strings.Builder
	b.WriteString("Bars on rows")
	if s.Title != "" {
		b.WriteString(": " + s.Title)
	}
	b.WriteString(".")
	for r, row := range s.Rows {
		n := 0
		for _, sp := range spans {
			if sp.Row != r {
				continue
			}
			if n++; n > 8 {
				continue
			}
			sep := ","
			if n == 1 {
				fmt.Fprintf(&b, " %s %s:", s.RowName, row)
				sep = ""
			}
			fmt.Fprintf(&b, "%s %s from %.4g to %.4g", sep, s.Kinds[sp.Kind].Name, sp.From, sp.To)
		}
		switch {
		case n > 8:
			fmt.Fprintf(&b, " and %d more.", n-8)
		case n > 0:
			b.WriteString(".")
		}
	}
	return b.String()
}
