package charts

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// blocks are the doubling blocks of three arms, of which arm k is played every k+1 rounds.
func blocks(log bool) Spans {
	s := Spans{
		Title: "The estimate of an arm rests on its last full block alone",
		X:     Axis{Log: log},
		Rows:  []string{"Star Wars", "b", "c"},
		Kinds: []SpanKind{{Name: "released: the estimate", Style: 1}, {Name: "collecting", Fill: Hatched, Style: 5}, {Name: "forgotten", Fill: Hollow}},
		Start: -1,
		Scale: LectureScale,
	}
	for t := 1; t <= 64; t += 3 {
		f := SpanFrame{Now: float64(t + 1)}
		for r := range s.Rows {
			played := t / (r + 1)
			first := 1
			for size := 1; first <= played; size *= 2 {
				sp := Span{Row: r, From: float64((first-1)*(r+1) + 1), To: float64((first+size-1)*(r+1) + 1), Label: fmt.Sprint(size)}
				last := first + size - 1
				switch {
				case last > played:
					sp.Kind, sp.To, sp.Label = 1, float64(t+1), fmt.Sprintf("%d of %d", played-first+1, size)
				case last+2*size > played:
					sp.Kind = 0
				default:
					sp.Kind = 2
				}
				f.Spans = append(f.Spans, sp)
				first += size
			}
		}
		f.Value = fmt.Sprint(t)
		f.Caption = fmt.Sprintf("After %d rounds", t)
		s.Frames = append(s.Frames, f)
	}
	return s
}

func TestSpans(t *testing.T) {
	f := must(blocks(false).Figure())
	o := option(t, f)
	if len(o.Frames) != 22 || f.start() != 21 {
		t.Fatalf("%d frames, from %d", len(o.Frames), f.start())
	}
	y := o.Option.YAxis[0]
	if y["type"] != "category" || fmt.Sprint(y["data"]) != "[c b Star Wars]" {
		t.Errorf("y axis %v", y)
	}
	last := o.Frames[21].Series
	if len(last) != 4 { // three kinds, the mark
		t.Fatalf("%d series", len(last))
	}
	for i, want := range []string{"@dpb:solid", "@dpb:hatched", "@dpb:hollow"} {
		if last[i]["renderItem"] != want {
			t.Errorf("kind %d is drawn by %v", i, last[i]["renderItem"])
		}
	}
	first := last[0]["data"].([]any)[0].(map[string]any)
	if first["name"] != "32" || fmt.Sprint(first["value"]) != "[32 2 64]" {
		t.Errorf("the block released last of the first arm: %v", first)
	}
	if want := "arm b: forgotten from 1 to 3, forgotten from 3 to 7, forgotten from 7 to 15, forgotten from 15 to 31, released: the estimate from 31 to 63, collecting from 63 to 65."; !strings.Contains(f.alt(), want) {
		t.Errorf("it is described as %s", f.alt())
	}
	one := Spans{Rows: []string{"a"}, Kinds: []SpanKind{{Name: "k"}}, Spans: []Span{{To: 1}}}
	if f := must(one.Figure()); len(f.Series) != 1 || f.Slider != nil || f.X.Name != "round t" || f.Y.Name != "arm" {
		t.Errorf("%+v", f)
	}
}

func TestSpansSVG(t *testing.T) {
	needECharts(t)
	for _, log := range []bool{false, true} {
		s := blocks(log)
		s.Rows[1] = `</script>"&<b>`
		f := must(s.Figure())
		svg := must(f.SVG())
		checkXML(t, svg)
		for _, part := range []string{">Star Wars<", "&lt;b&gt;", "round t = 64<", ">32<", ">now<", ">forgotten<"} {
			if !strings.Contains(string(svg), part) {
				t.Errorf("log %v: the picture does not say %s", log, part)
			}
		}
		if strings.Contains(string(svg), "NaN") {
			t.Errorf("log %v: a coordinate is not finite", log)
		}
		if n := strings.Count(must(f.HTML()), "</script>"); n != 2 {
			t.Errorf("%d ends of scripts", n)
		}
	}
}

func TestSpansErrors(t *testing.T) {
	with := func(change func(*Spans)) Spans {
		s := Spans{Rows: []string{"a"}, Kinds: []SpanKind{{Name: "k"}}, Spans: []Span{{From: 1, To: 2}}}
		change(&s)
		return s
	}
	for _, c := range []struct {
		s    Spans
		want string
	}{
		{Spans{}, "no rows"},
		{with(func(s *Spans) { s.Kinds = nil }), "no kinds"},
		{with(func(s *Spans) { s.Spans = nil }), "no spans"},
		{with(func(s *Spans) { s.Spans = nil; s.Frames = make([]SpanFrame, 2) }), "no spans"},
		{with(func(s *Spans) { s.Spans[0].From = 3 }), "span 0 goes from 3 to 2"},
		{with(func(s *Spans) { s.Spans[0].From = 2 }), "span 0 goes from 2 to 2"},
		{with(func(s *Spans) { s.Spans[0].To = math.NaN() }), "span 0 goes from 1 to NaN"},
		{with(func(s *Spans) { s.Spans[0].To = math.Inf(1) }), "span 0 goes from 1 to +Inf"},
		{with(func(s *Spans) { s.Spans[0].Row = 1 }), "span 0 is in row 1 of 1"},
		{with(func(s *Spans) { s.Spans[0].Kind = -1 }), "span 0 is of kind -1 of 1"},
		{with(func(s *Spans) { s.Kinds[0].Fill = 3 }), `kind "k" has the fill 3`},
		{with(func(s *Spans) { s.Start = 1 }), "starts at frame 1 of none"},
		{with(func(s *Spans) { s.Frames = make([]SpanFrame, 2); s.Start = -3 }), "starts at frame -1 of 2"},
		{with(func(s *Spans) { s.Frames = []SpanFrame{{Now: math.NaN()}} }), "NaN cannot be drawn"},
		{with(func(s *Spans) { s.X.Log = true; s.Spans[0].From = 0 }), "X[0]: 0 cannot be drawn on a log axis"},
	} {
		if _, err := c.s.Figure(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	f := line("a", []float64{1}, []float64{1})
	f.Series[0].Kind = Bars
	if _, err := f.HTML(); err == nil || !strings.Contains(err.Error(), "want an axis Y with Categories") {
		t.Error(err)
	}
}
