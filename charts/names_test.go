package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// awkward are names that have a meaning of their own in JavaScript, HTML, XML, JSON or the
// templates of ECharts.
var awkward = []string{
	"__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf", "__defineGetter__", "length", "name",
	`"quotes" and 'quotes'`, "<b>&amp;</b>", "</script><script>alert(1)</script>", "</style>", "<!--", "]]>", `back\slash`, "{a|rich}", "{a}", "{b0}", "@dpb:axis",
	"a\tb\nc", "\u2028\u2029", "a\u0085b", "\U0001F3B2", "e\u0301", "\u202eright to left", "\ufeffmark", "0", "null", "-1e5", "   ", "%s%d", "`${x}`",
}

// named puts a name wherever a figure takes one.
func named(name string) *Figure {
	return &Figure{
		Title: name, Caption: name, Alt: name,
		X: Axis{Name: name, Unit: name}, Y: Axis{Name: name},
		Series: []Series{
			{Name: name, X: []float64{1, 2, 3}, Y: []float64{1, 3, 2}, Lo: []float64{0, 2, 1}, Hi: []float64{2, 4, 3}},
			{Name: "another", Kind: Scatter, X: []float64{1, 2}, Y: []float64{2, 2}, Labels: []string{name, name}},
		},
		Marks:  []Mark{AtX(2, name)},
		Slider: &Slider{Label: name, Frames: []Frame{{Value: name, Series: []Series{{Name: name + "2", X: []float64{1, 2}, Y: []float64{1, 1}}}}}},
	}
}

// wellFormed wants XML from its first byte to its last.
func wellFormed(t *testing.T, what string, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// TestAwkwardNames: whatever a series, an axis or a figure is called, its picture is XML without a
// NaN, the name's text is in it, and its options are JSON.
func TestAwkwardNames(t *testing.T) {
	all := named("__proto__")
	for i, name := range awkward {
		y := float64(i)
		all.Series = append(all.Series, Series{Name: name, X: []float64{1, 3}, Y: []float64{y, y + 1}})
		all.X.Name, all.Y.Unit = all.X.Name+" "+name, all.Y.Unit+name
	}
	categories := &Figure{
		Title: "constructor", X: Axis{Name: "valueOf", Categories: awkward}, Y: Axis{Name: "toString"},
		Series: []Series{{Name: "hasOwnProperty", Kind: Bar, Y: make([]float64, len(awkward))}, {Name: "__proto__", Kind: Bar, Y: make([]float64, len(awkward))}},
	}
	for _, f := range []*Figure{all, categories} {
		svg, err := f.SVG()
		if err != nil {
			t.Errorf("%q: %v", f.Title, err)
			continue
		}
		wellFormed(t, f.Title, svg)
		if bytes.Contains(svg, []byte("NaN")) || !bytes.Contains(svg, []byte("__proto__</text>")) {
			t.Errorf("%q: a NaN is in the picture, or __proto__ is not", f.Title)
		}
		html, err := f.HTML()
		if err != nil {
			t.Errorf("%q: %v", f.Title, err)
		}
		if strings.Contains(html, "alert(1)</script>") {
			t.Errorf("%q: a name ends the script", f.Title)
		}
		js, err := f.json()
		if err != nil || !json.Valid(js) {
			t.Errorf("%q: the options are no JSON: %v", f.Title, err)
		}
	}
}

// TestControlCharacters: no SVG can hold them, so that they are refused by name.
func TestControlCharacters(t *testing.T) {
	for _, bad := range []string{"\x00", "a\x01b", "\x1b[1m", "\x0b", "\uffff"} {
		f := named("plain")
		f.Series[0].Name = bad
		if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), "Series[0].Name = ") {
			t.Errorf("%q: error %v, want one that names the series", bad, err)
		}
		f = named("plain")
		f.Slider.Frames[0].Series[0].Labels = []string{"", bad}
		if err := f.check(); err == nil || !strings.Contains(err.Error(), "Slider.Frames[0].Series[0].Labels[1] = ") {
			t.Errorf("%q: error %v, want one that names the label", bad, err)
		}
	}
}
