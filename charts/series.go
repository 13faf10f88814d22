package charts

import (
	"fmt"
	"math"
	"slices"
)

// Kind says how a series is drawn.
type Kind int

// The kinds of series.
const (
	// Line joins the points; Lo and Hi are a band around it.
	Line Kind = iota
	// Step is a line that keeps its value until the next point; Lo and Hi are a band around it.
	Step
	// Scatter draws a symbol at each point; Lo and Hi are error bars.
	Scatter
	// Bar draws vertical bars; Lo and Hi are error bars.
	Bar
	// Box draws rectangles from X to X2 and from Lo to Hi, with Labels inside. Y is not used.
	Box
	// Bars draws horizontal bars from X to X2 in row Y, with Labels inside. The axis Y needs
	// Categories. A series may have no bars.
	Bars
)

// Fill says how the bars of [Bars] are filled, so that a figure can be read without colours.
type Fill int

// The fills.
const (
	Solid Fill = iota
	Hatched
	Hollow
)

// Series is one curve, one cloud of points or one set of bars.
type Series struct {
	// Name stands in the legend. Series with the same name share an entry; a series without a name has
	// none.
	Name string
	Kind Kind
	// X may be nil on an axis with categories; it is then 0, 1, 2, ...
	X, Y []float64
	// Lo and Hi are a confidence band or error bars; set both or neither. On a log axis, a Lo that is
	// not positive is drawn at the lower end of the axis.
	Lo, Hi []float64

	X2     []float64 // right edges, of Box and Bars only
	Fill   Fill      // of Bars only
	Labels []string  // names of the points: inside a Box or Bars, in the tooltip of a Scatter

	Below     bool // in the figure's lower plot
	Reference bool // a thin grey line: a bound or a true value, not a measurement
	Faint     bool // pale, for background such as a graticule
	Size      int  // of the symbols of a Scatter, in pixels; 9 when 0
	Style     int  // colour, dash and symbol: 1, 2, ...; 0 means the place in the figure
}

func (s Series) check(x, y Axis) error {
	s = s.filled(x)
	n := len(s.X)
	if n == 0 && len(s.Y) == 0 && s.Kind != Bars {
		return fmt.Errorf("series %q: %w", s.Name, errEmpty)
	}
	type column struct {
		is  string
		v   []float64
		log bool
	}
	cols := []column{{"X", s.X, x.Log}}
	switch {
	case s.Kind == Bars && len(y.Categories) == 0:
		return fmt.Errorf("series %q: horizontal bars want an axis Y with Categories", s.Name)
	case s.Kind == Bars:
		cols = append(cols, column{"X2", s.X2, x.Log}, column{"Y", s.Y, false})
	case s.Kind == Box:
		cols = append(cols, column{"X2", s.X2, x.Log}, column{"Lo", s.Lo, y.Log}, column{"Hi", s.Hi, y.Log})
	default:
		cols = append(cols, column{"Y", s.Y, y.Log})
		if s.Lo != nil || s.Hi != nil {
			cols = append(cols, column{"Lo", s.Lo, false}, column{"Hi", s.Hi, y.Log})
		}
	}
	for _, c := range cols {
		if len(c.v) != n {
			return fmt.Errorf("series %q: %d values of X but %d of %s", s.Name, n, len(c.v), c.is)
		}
		for i, v := range c.v {
			if err := checkValue(v, c.log); err != nil {
				return fmt.Errorf("series %q: %s[%d]: %w", s.Name, c.is, i, err)
			}
		}
	}
	for i := range s.Lo {
		if s.Lo[i] > s.Hi[i] {
			return fmt.Errorf("series %q: Lo[%d] = %v is above Hi[%d] = %v", s.Name, i, s.Lo[i], i, s.Hi[i])
		}
	}
	if s.Labels != nil && len(s.Labels) != n {
		return fmt.Errorf("series %q: %d values of X but %d labels", s.Name, n, len(s.Labels))
	}
	if s.Kind == Bars {
		for i, from := range s.X {
			if from >= s.X2[i] {
				return fmt.Errorf("series %q: bar %d goes from %v to %v", s.Name, i, from, s.X2[i])
			}
			if v, k := s.Y[i], len(y.Categories); v != math.Trunc(v) || v < 0 || int(v) >= k {
				return fmt.Errorf("series %q: Y[%d] = %v is not one of the %d categories", s.Name, i, v, k)
			}
		}
	}
	if k := len(x.Categories); k > 0 {
		for i, v := range s.X {
			if v != math.Trunc(v) || v < 0 || int(v) >= k {
				return fmt.Errorf("series %q: X[%d] = %v is not one of the %d categories", s.Name, i, v, k)
			}
		}
	}
	return nil
}

func checkValue(v float64, log bool) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%v cannot be drawn", v)
	}
	if log && v <= 0 {
		return fmt.Errorf("%v cannot be drawn on a log axis", v)
	}
	return nil
}

// onFoot returns the series with each Lo raised to at least the lower end of a log axis.
func (s Series) onFoot(foot float64) Series {
	s.Lo = slices.Clone(s.Lo)
	for i, v := range s.Lo {
		s.Lo[i] = max(v, foot)
	}
	return s
}

// filled returns the series with the X that categories imply.
func (s Series) filled(x Axis) Series {
	if s.X == nil && len(x.Categories) > 0 {
		s.X = make([]float64, len(s.Y))
		for i := range s.X {
			s.X[i] = float64(i)
		}
	}
	return s
}

// extent widens x and y to all that the series covers on the two axes.
func (s Series) extent(x, y *[2]float64, logY bool) {
	widen(x, s.X)
	widen(x, s.X2)
	widen(y, s.Y)
	widen(y, s.Hi)
	for _, v := range s.Lo {
		if v > 0 || !logY {
			widen(y, []float64{v})
		}
	}
	if s.Kind == Bar {
		widen(y, []float64{0})
		half := gap(s.X) / 2
		for _, v := range s.X {
			widen(x, []float64{v - half, v + half})
		}
	}
}

// gap returns the smallest distance of two different values, or 0 if there are none.
func gap(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	g := math.Inf(1)
	for i := 1; i < len(v); i++ {
		if d := v[i] - v[i-1]; d > 0 {
			g = min(g, d)
		}
	}
	if math.IsInf(g, 1) {
		return 0
	}
	return g
}

func widen(r *[2]float64, vs []float64) {
	for _, v := range vs {
		r[0], r[1] = min(r[0], v), max(r[1], v)
	}
}
