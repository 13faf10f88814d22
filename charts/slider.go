package charts

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// Slider lets the reader choose one of several precomputed frames. It needs no kernel, so it works
// in a saved page too. Where scripts do not run, the starting frame is shown. The axes cover all
// frames and do not move.
type Slider struct {
	Label  string // name of the value, such as "epsilon"
	Start  int    // index of the frame shown first
	Middle bool   // start in the middle instead
	Frames []Frame
}

// Frame is what a figure shows at one place of its slider, in addition to what it always shows.
type Frame struct {
	Value   string // value of the label, such as "0.5"
	Series  []Series
	Marks   []Mark
	Caption string
}

// Over returns a slider with one frame per value. A frame without a Value gets the value as fmt
// prints it, but ∞ for infinity.
func Over[V any](label string, values []V, frame func(V) Frame) *Slider {
	s := &Slider{Label: label}
	for _, v := range values {
		f := frame(v)
		if f.Value == "" {
			f.Value = fmt.Sprint(v)
			if x, ok := any(v).(float64); ok {
				f.Value = cell.Epsilon(x)
			}
		}
		s.Frames = append(s.Frames, f)
	}
	return s
}

func (s *Slider) start() int {
	if s.Middle {
		return len(s.Frames) / 2
	}
	return s.Start
}

func (s *Slider) check() error {
	switch {
	case len(s.Frames) == 0:
		return fmt.Errorf("slider %q has no frames", s.Label)
	case s.Label == "":
		return fmt.Errorf("a slider has no label")
	case s.start() < 0 || s.start() >= len(s.Frames):
		return fmt.Errorf("slider %q starts at frame %d of %d", s.Label, s.Start, len(s.Frames))
	}
	return nil
}
