package charts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Item is anything that [Show], [WriteHTML] and a notebook can display: a [Figure], a [Table], a
// [Graph].
type Item interface {
	// HTML returns one self-contained chunk of text/html.
	HTML() (string, error)
	// Text returns what a terminal prints.
	Text() string
}

// LectureScale is the [Figure.Scale] of numbers that the cell above the figure has just computed.
const LectureScale = "this cell, lecture scale"

// PaperScale returns the [Figure.Scale] of numbers that were computed at the paper's scale and are
// kept in a file.
func PaperScale(file string) string { return "paper-scale, from " + file }

// Figure describes one figure. Series, or a Slider with frames, is required, and so are the names
// of axes that are not Hidden; the zero value of every other field is a usable default.
type Figure struct {
	Title string
	X, Y  Axis
	// Below is the vertical axis of a second, lower plot over the same X, of the series that are Below.
	// Without a Name there is none.
	Below   Axis
	Series  []Series
	Marks   []Mark  // reference lines
	Slider  *Slider // frames to choose from, drawn on top of Series
	Scale   string  // where the numbers come from: LectureScale, PaperScale(file) or your own words
	Caption string  // shown below the figure, before Scale
	Alt     string  // read by screen readers; when empty, made from title, axes and series
	Width   int     // of the static picture, and at most of the live one, in pixels; 860 when 0
	Height  int     // in pixels; 480 when 0
	Equal   bool    // one unit has the same length on both axes
}

// Axis describes one axis.
type Axis struct {
	Name   string
	Unit   string     // written after the name, in brackets
	Log    bool       // base 10
	Range  [2]float64 // from, to; when both are 0, taken from the data
	Format Format     // of tick labels and tooltips
	// Categories names the places 0, 1, 2, ... The axis is then neither linear nor logarithmic.
	Categories []string
	Hidden     bool // not drawn; needs no Name
}

// Format says how an axis writes its numbers.
type Format string

// The formats.
const (
	// Plain writes 0.25, 20,000 and 3·10⁶.
	Plain Format = ""
	// Percent writes 0.25 as 25%.
	Percent Format = "percent"
)

// Mark is a reference line across the figure: vertical at X or horizontal at Y. Exactly one of the
// two is not nil. See [AtX] and [AtY].
type Mark struct {
	Name string
	X, Y *float64
}

// AtX returns a vertical reference line.
func AtX(x float64, name string) Mark { return Mark{Name: name, X: &x} }

// AtY returns a horizontal reference line.
func AtY(y float64, name string) Mark { return Mark{Name: name, Y: &y} }

func (a Axis) label() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " [" + a.Unit + "]"
}

// Text returns the figure in words: title, alternative text and caption.
func (f *Figure) Text() string {
	if err := f.check(); err != nil {
		return err.Error()
	}
	var parts []string
	for _, s := range []string{f.Title, f.alt(), f.caption(f.start())} {
		if s != "" && (len(parts) == 0 || s != parts[0]) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// ID returns the id of the figure's element on a page: a hash of all that it shows.
func (f *Figure) ID() (string, error) {
	js, err := f.json()
	if err != nil {
		return "", err
	}
	return id(js), nil
}

func id(js []byte) string {
	h := sha256.Sum256(js)
	return "dpb-" + hex.EncodeToString(h[:6])
}

func (f *Figure) json() ([]byte, error) {
	s, err := f.spec()
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// caption returns the caption of frame i.
func (f *Figure) caption(i int) string {
	var parts []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, sentence(s))
		}
	}
	add(f.Caption)
	if f.Slider != nil {
		add(f.Slider.Frames[i].Caption)
	}
	if f.Scale != "" {
		add("Scale: " + f.Scale)
	}
	return strings.Join(parts, " ")
}

// sentence ends a text with a full stop, unless it ends with a mark of its own.
func sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?:;") {
		return s
	}
	return s + "."
}

func (f *Figure) alt() string {
	if f.Alt != "" {
		return f.Alt
	}
	alt := "Figure"
	if f.Title != "" {
		alt += ": " + f.Title
	}
	if f.Y.Name != "" && f.X.Name != "" && !f.Y.Hidden {
		alt = fmt.Sprintf("%s %s against %s", sentence(alt), f.Y.label(), f.X.label())
	}
	seen := map[string]bool{}
	var names []string
	for _, s := range f.frame(f.start()) {
		if s.Name != "" && !seen[s.Name] {
			seen[s.Name] = true
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		alt += " for " + strings.Join(names, ", ")
	}
	return sentence(alt)
}

// frame returns all the series of frame i.
func (f *Figure) frame(i int) []Series {
	if f.Slider == nil {
		return f.Series
	}
	return append(append([]Series(nil), f.Series...), f.Slider.Frames[i].Series...)
}

// marks returns all the reference lines of frame i.
func (f *Figure) marks(i int) []Mark {
	if f.Slider == nil {
		return f.Marks
	}
	return append(append([]Mark(nil), f.Marks...), f.Slider.Frames[i].Marks...)
}

// frames returns the number of frames, at least 1.
func (f *Figure) frames() int {
	if f.Slider == nil {
		return 1
	}
	return len(f.Slider.Frames)
}

func (f *Figure) start() int {
	if f.Slider == nil {
		return 0
	}
	return f.Slider.start()
}

func (f *Figure) size() (w, h int) {
	w, h = f.Width, f.Height
	if w == 0 {
		w = 860
	}
	if h == 0 {
		h = 480
	}
	return w, h
}

func (f *Figure) check() error {
	if err := checkTexts("", reflect.ValueOf(f)); err != nil {
		return fmt.Errorf("charts: figure %q: %w", f.Title, err)
	}
	if f.Width < 0 || f.Height < 0 {
		return fmt.Errorf("charts: figure %q: size %d x %d is negative", f.Title, f.Width, f.Height)
	}
	if s := f.Slider; s != nil {
		if err := s.check(); err != nil {
			return fmt.Errorf("charts: figure %q: %w", f.Title, err)
		}
	}
	for _, a := range []struct {
		is string
		Axis
	}{{"X", f.X}, {"Y", f.Y}, {"Below", f.Below}} {
		if a.Name == "" && !a.Hidden && a.is != "Below" {
			return fmt.Errorf("charts: figure %q: axis %s has no name", f.Title, a.is)
		}
		if r := a.Range; r != [2]float64{} && !(r[0] < r[1]) {
			return fmt.Errorf("charts: figure %q: axis %s has the empty range %v to %v", f.Title, a.is, r[0], r[1])
		} else if a.Log && r != [2]float64{} && r[0] <= 0 {
			return fmt.Errorf("charts: figure %q: the log axis %s starts at %v", f.Title, a.is, r[0])
		}
	}
	if lower := f.Below; lower.Name != "" && (f.Equal || lower.Log || lower.Hidden || len(lower.Categories) > 0 || len(f.Y.Categories) > 0) {
		return fmt.Errorf("charts: figure %q: a second plot wants a linear axis Below, and neither Equal nor an axis Y with Categories", f.Title)
	}
	upper, lower := 0, 0
	for i := range f.frames() {
		for _, s := range f.frame(i) {
			if s.Below {
				lower++
			} else {
				upper++
			}
		}
	}
	if upper+lower > 0 && upper == 0 || f.Below.Name != "" && lower == 0 {
		return fmt.Errorf("charts: figure %q: %d series in the upper plot and %d in the one below, want some in each", f.Title, upper, lower)
	}
	for i := range f.frames() {
		ss := f.frame(i)
		if len(ss) == 0 {
			return fmt.Errorf("charts: figure %q has no series", f.Title)
		}
		bars := 0
		for _, s := range ss {
			y := f.Y
			if s.Below {
				if y = f.Below; y.Name == "" {
					return fmt.Errorf("charts: figure %q: series %q is Below, and that axis has no name", f.Title, s.Name)
				}
			}
			if err := s.check(f.X, y); err != nil {
				return fmt.Errorf("charts: figure %q: %w", f.Title, err)
			}
			if s.Kind != Bar {
				continue
			}
			if bars++; bars > 1 && s.Lo != nil && len(f.X.Categories) == 0 {
				return fmt.Errorf("charts: figure %q: series %q: error bars on several sets of bars want an axis X with Categories", f.Title, s.Name)
			}
		}
	}
	for i := range f.frames() {
		if err := f.checkMarks(f.marks(i)); err != nil {
			return fmt.Errorf("charts: figure %q: %w", f.Title, err)
		}
	}
	return nil
}

// checkTexts refuses a text with a control character, which SVG does not allow. It looks at all
// strings in a value.
func checkTexts(path string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkTexts(path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := checkTexts(strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.String && k != reflect.Struct {
			return nil
		}
		for i := range v.Len() {
			if err := checkTexts(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.String:
		for _, r := range v.String() {
			if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff {
				return fmt.Errorf("%s = %q holds %U, want no control characters", path, v.String(), r)
			}
		}
	}
	return nil
}

func (f *Figure) checkMarks(ms []Mark) error {
	for _, m := range ms {
		if (m.X == nil) == (m.Y == nil) {
			return fmt.Errorf("mark %q needs either X or Y", m.Name)
		}
		if m.X != nil {
			if err := checkValue(*m.X, f.X.Log); err != nil {
				return fmt.Errorf("mark %q: %w", m.Name, err)
			}
		} else if err := checkValue(*m.Y, f.Y.Log); err != nil {
			return fmt.Errorf("mark %q: %w", m.Name, err)
		}
	}
	return nil
}

var errEmpty = errors.New("no points")
