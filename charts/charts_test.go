package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// needECharts skips a test where `make setup` has not run.
func needECharts(t testing.TB) {
	t.Helper()
	if _, err := echartsSource(); err != nil {
		t.Skip(err)
	}
}

func line(name string, x, y []float64) *Figure {
	return &Figure{X: Axis{Name: "x"}, Y: Axis{Name: "y"}, Series: []Series{{Name: name, X: x, Y: y}}}
}

// option returns what the figure hands to ECharts, as JSON sees it.
func option(t *testing.T, f *Figure) (o struct {
	Option struct {
		XAxis, YAxis []map[string]any
		Series       []map[string]any
		Tooltip      map[string]any
	}
	Frames []struct {
		Value, Caption string
		Series         []map[string]any
	}
}) {
	t.Helper()
	js, err := f.json()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(js, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOptions(t *testing.T) {
	o := option(t, regretFigure())
	x, y := o.Option.XAxis[0], o.Option.YAxis[0]
	if x["type"] != "log" || x["min"] != 100.0 || x["max"] != 1e5 {
		t.Errorf("x axis %v", x)
	}
	if y["name"] != "cumulative regret [reward]" || y["min"] != 0.0 || y["interval"] != 2000.0 {
		t.Errorf("y axis %v", y)
	}
	if got := len(o.Option.Series); got != 5*2+1+1 { // five curves with bands, a reference, the marks
		t.Errorf("%d series", got)
	}
	band := o.Option.Series[1]
	if band["renderItem"] != "@dpb:band" || band["name"] != o.Option.Series[0]["name"] {
		t.Errorf("the band of the first curve: %v", band["renderItem"])
	}
	if o.Option.Tooltip["trigger"] != "axis" {
		t.Errorf("tooltip %v", o.Option.Tooltip)
	}
	for _, s := range o.Option.Series {
		if d := s["data"]; d != nil && len(d.([]any)) > maxPoints {
			t.Errorf("series %v has %d points", s["name"], len(d.([]any)))
		}
	}
	if bytes.Contains(must(regretFigure().json()), []byte("__f__")) {
		t.Error("the options hold go-echarts' function marks: they are to be data")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSVG(t *testing.T) {
	needECharts(t)
	for i, it := range gallery(t) {
		f, ok := it.(*Figure)
		if !ok {
			continue
		}
		a, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if !testing.Short() || i%3 == 0 {
			b, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("figure %d: two renderings differ", i)
			}
		}
		if bytes.Contains(a, []byte("NaN")) || bytes.Contains(a, []byte("Infinity")) {
			t.Errorf("figure %d: a coordinate is not finite", i)
		}
		if !bytes.Contains(a, []byte(f.Title)) {
			t.Errorf("figure %d: no title %q", i, f.Title)
		}
		if m := regexp.MustCompile(`(href|src|url)\s*[=(]\s*["']?https?:`).Find(a); m != nil {
			t.Errorf("figure %d asks the network: %s", i, m)
		}
		for d := xml.NewDecoder(bytes.NewReader(a)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("figure %d: %v", i, err)
			}
		}
	}
}

func TestLogTicks(t *testing.T) {
	needECharts(t)
	f := line("a", []float64{0.01, 1e4}, []float64{1, 2})
	f.X.Log = true
	svg := string(must(f.SVG()))
	for _, tick := range []string{"10⁻²", ">1<", ">10<", "10³", "10⁴"} {
		if !strings.Contains(svg, tick) {
			t.Errorf("no tick %s", tick)
		}
	}
}

func TestHTML(t *testing.T) {
	needECharts(t)
	nasty := `"><img src=x onerror=alert(1)></script><b>'&`
	f := line(nasty, []float64{0, 1}, []float64{0, 1})
	f.Title, f.Alt, f.Caption, f.X.Name = nasty, nasty, nasty, nasty
	page := must(f.HTML())
	if n := strings.Count(page, "</script>"); n != 2 {
		t.Errorf("%d ends of scripts", n)
	}
	for _, bad := range []string{"<b>'", "onerror=alert(1)>"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s is in the page as it is", bad)
		}
	}
	if !regexp.MustCompile(`^<div class="dpb-figure" id="dpb-[0-9a-f]{12}"[^>]*>\n<img class="dpb-static" alt="[^"]+" style="[^"]*" src="data:image/svg\+xml,[^"<>&]+">\n<div class="dpb-live"></div>\n`).MatchString(page) {
		t.Errorf("the chunk starts with %.200s", page)
	}
	before, _, _ := strings.Cut(page, "<script")
	if strings.Contains(strings.ReplaceAll(before, "http://www.w3.org/2000/svg", ""), "http") {
		t.Error("the static part asks the network")
	}
	if svg := embedded(t, page); svg != strings.ReplaceAll(string(must(f.SVG())), "\n", "") {
		t.Error("the picture is not the figure's SVG")
	}
	if page != must(f.HTML()) {
		t.Error("two renderings differ")
	}
	if id := must(f.ID()); !strings.Contains(page, `id="`+id+`"`) {
		t.Errorf("no id %s", id)
	}
}

// embedded returns the picture in a chunk, as a browser reads it that takes out line breaks. It
// checks that one reads the same that leaves them in.
func embedded(t *testing.T, page string) string {
	t.Helper()
	uri := regexp.MustCompile(`(?s)src="data:image/svg\+xml,([^"]+)"`).FindStringSubmatch(page)[1]
	for _, line := range strings.Split(uri, "\n") {
		if len(line) > 2000 { // the description of a graph is one
			t.Errorf("a line has %d bytes: %.80s", len(line), line)
		}
	}
	kept := must(url.PathUnescape(uri))
	wellFormed(t, "with its line breaks", []byte(kept))
	others := regexp.MustCompile(` d="[^"]*"`).ReplaceAllString(kept, "")
	if bad := regexp.MustCompile(`>[^<]*\n[^<]*</text>|<[^>]*\n[^>]*>`).FindString(others); bad != "" {
		t.Errorf("a line breaks within %q", bad)
	}
	return must(url.PathUnescape(strings.ReplaceAll(uri, "\n", "")))
}

// TestStillSaysWhatToDo: where no script has run, a figure with a slider says how to move it, and
// one without says nothing.
func TestStillSaysWhatToDo(t *testing.T) {
	needECharts(t)
	const note = `<div class="dpb-note"`
	if page := must(sliderFigure().HTML()); !strings.Contains(page, note) || !strings.Contains(page, "Run this cell to move the slider") {
		t.Error("a slider without a word on how to move it")
	}
	if page := must(scatterFigure().HTML()); strings.Contains(page, note) {
		t.Error("a figure without controls tells the reader to run it")
	}
	if page := must(house().HTML()); !strings.Contains(page, "Run this cell to click its edges") {
		t.Error("a graph without a word on how to click")
	}
}

func TestSlider(t *testing.T) {
	f := sliderFigure()
	o := option(t, f)
	if len(o.Frames) != 5 {
		t.Fatalf("%d frames", len(o.Frames))
	}
	for i, fr := range o.Frames {
		if fr.Value != f.Slider.Frames[i].Value || len(fr.Series) != 2 || !strings.Contains(fr.Caption, "At ε = "+fr.Value) {
			t.Errorf("frame %d: %q, %d series, %q", i, fr.Value, len(fr.Series), fr.Caption)
		}
		if fr.Series[0]["itemStyle"].(map[string]any)["color"] != o.Frames[0].Series[0]["itemStyle"].(map[string]any)["color"] {
			t.Errorf("frame %d: the first series changes its colour", i)
		}
	}
	if y := o.Option.YAxis[0]; y["min"] != 0.5 || y["max"] != 2e3 {
		t.Errorf("the y axis does not cover all frames: %v to %v", y["min"], y["max"])
	}
	needECharts(t)
	f.Slider.Middle = true
	if svg := string(must(f.SVG())); !strings.Contains(svg, "ε = 1<") {
		t.Error("the static picture does not say which frame it is")
	}
}

func TestBandOnLogAxis(t *testing.T) {
	f := line("a", []float64{1, 2}, []float64{5, 40})
	f.Series[0].Lo, f.Series[0].Hi = []float64{-3, 30}, []float64{13, 50}
	f.Y.Log = true
	o := option(t, f)
	if y := o.Option.YAxis[0]; y["min"] != 5.0 || y["max"] != 50.0 {
		t.Errorf("the axis covers %v to %v", y["min"], y["max"])
	}
	if d, ok := o.Option.Series[1]["data"]; ok {
		t.Errorf("the band repeats the line's data: %v", d)
	}
	if f.Series[0].Lo[0] != -3 {
		t.Error("drawing changes the caller's data")
	}
	needECharts(t)
	want := must(f.SVG())
	f.Series[0].Lo[0] = 5
	if !bytes.Equal(must(f.SVG()), want) {
		t.Error("a band does not end at the foot of a log axis")
	}
	f.Series[0].Lo[0] = 3
	if bytes.Equal(must(f.SVG()), want) {
		t.Error("a band ends at the foot although it should not")
	}
}

// TestBarsOnNumbers: bars with error bars may stand on an axis of numbers.
func TestBarsOnNumbers(t *testing.T) {
	f := line("a", []float64{1, 2, 4}, []float64{5, 4, 3})
	f.Series[0].Kind = Bar
	f.Series[0].Lo, f.Series[0].Hi = []float64{4, 3, 2}, []float64{6, 5, 4}
	var svg bytes.Buffer
	if err := WriteSVG(&svg, f); err != nil {
		t.Fatal(err)
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	logY := line("a", []float64{1, 2}, []float64{1, -3})
	logY.Y.Log = true
	noName := line("a", []float64{1}, []float64{1})
	noName.Y.Name = ""
	band := line("a", []float64{1, 2}, []float64{1, 2})
	band.Series[0].Lo, band.Series[0].Hi = []float64{1, 3}, []float64{1, 2}
	half := line("a", []float64{1, 2}, []float64{1, 2})
	half.Series[0].Lo = []float64{1, 2}
	empty := line("a", []float64{1}, []float64{1})
	empty.Slider = &Slider{Label: "t"}
	start := line("a", []float64{1}, []float64{1})
	start.Slider = &Slider{Label: "t", Start: 3, Frames: []Frame{{}}}
	mark := line("a", []float64{1}, []float64{1})
	mark.Marks = []Mark{{Name: "m"}}
	bars := line("a", []float64{1}, []float64{1})
	bars.Series[0].Kind = Bar
	bars.Series = append(bars.Series, Series{Name: "b", Kind: Bar, X: []float64{1}, Y: []float64{1}, Lo: []float64{0}, Hi: []float64{2}})
	category := line("a", []float64{2}, []float64{1})
	category.X.Categories = []string{"one", "two"}
	for _, c := range []struct {
		f    *Figure
		want string
	}{
		{&Figure{X: Axis{Name: "x"}, Y: Axis{Name: "y"}}, "no series"},
		{line("a", nil, nil), `series "a": no points`},
		{line("a", []float64{1, 2}, []float64{1}), `series "a": 2 values of X but 1 of Y`},
		{line("a", []float64{1, 2}, []float64{1, nan}), `series "a": Y[1]: NaN`},
		{line("a", []float64{1, math.Inf(1)}, []float64{1, 2}), `series "a": X[1]: +Inf`},
		{logY, `series "a": Y[1]: -3 cannot be drawn on a log axis`},
		{noName, "axis Y has no name"},
		{band, `series "a": Lo[1] = 3 is above Hi[1] = 2`},
		{half, `series "a": 2 values of X but 0 of Hi`},
		{empty, `slider "t" has no frames`},
		{start, `slider "t" starts at frame 3 of 1`},
		{mark, `mark "m" needs either X or Y`},
		{bars, `series "b": error bars on several sets of bars want an axis X with Categories`},
		{category, `series "a": X[0] = 2 is not one of the 2 categories`},
	} {
		if _, err := c.f.HTML(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestDownsample(t *testing.T) {
	const n = 100000
	s := Series{Name: "a"}
	for i := range n {
		s.X = append(s.X, float64(i+1))
		s.Y = append(s.Y, math.Sin(float64(i)/900))
	}
	s.Y[777], s.Y[55555] = 5, -7
	for _, log := range []bool{false, true} {
		d := s.downsample(maxPoints, log)
		if len(d.X) > maxPoints || len(d.X) < maxPoints/4 || len(d.Y) != len(d.X) {
			t.Errorf("log %v: %d points", log, len(d.X))
		}
		if d.X[0] != 1 || d.X[len(d.X)-1] != n {
			t.Errorf("log %v: the ends are %v and %v", log, d.X[0], d.X[len(d.X)-1])
		}
		var x, y [2]float64
		d.extent(&x, &y, false)
		if y != [2]float64{-7, 5} {
			t.Errorf("log %v: the extremes are %v", log, y)
		}
		if !ascending(d.X) {
			t.Errorf("log %v: the order is lost", log)
		}
	}
	if p := (Series{Kind: Scatter, X: s.X, Y: s.Y}).downsample(maxPoints, false); len(p.X) != n {
		t.Error("a scatter lost points")
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		a    Axis
		data [2]float64
		want span
	}{
		{Axis{}, [2]float64{1, 1000}, span{0, 1000, 200}},
		{Axis{}, [2]float64{-0.3, 0.31}, span{-0.3, 0.4, 0.1}},
		{Axis{}, [2]float64{990, 1000}, span{990, 1000, 2}},
		{Axis{}, [2]float64{0, 0}, span{-1, 1, 0.5}},
		{Axis{Log: true}, [2]float64{30, 1000}, span{20, 1000, 0}},
		{Axis{Log: true}, [2]float64{1, 1024}, span{1, 2000, 0}},
		{Axis{Log: true}, [2]float64{3, 17}, span{2, 20, 0}},
		{Axis{Log: true}, [2]float64{5, 5}, span{5, 10, 0}},
		{Axis{Log: true}, [2]float64{6, 7}, span{5, 10, 0}},
		{Axis{Log: true}, [2]float64{1, 4e8}, span{1, 1e9, 0}},
		{Axis{Log: true}, [2]float64{1, 1}, span{1, 2, 0}},
		{Axis{Range: [2]float64{0, 7}}, [2]float64{1, 1000}, span{0, 7, 1}},
	} {
		got := c.a.span(c.data, false)
		for _, d := range []float64{got.from - c.want.from, got.to - c.want.to, got.step - c.want.step} {
			if math.Abs(d) > 1e-9 {
				t.Errorf("%v covers %v, want %v", c.data, got, c.want)
				break
			}
		}
	}
}

func TestLoaderSaysWhatToDo(t *testing.T) {
	t.Setenv("DPBANDITS_ECHARTS", "")
	t.Setenv("DPBANDITS_ROOT", "")
	t.Chdir(t.TempDir())
	if _, err := echartsPath(); err == nil || !strings.Contains(err.Error(), "DPBANDITS_ROOT") {
		t.Errorf("outside of a checkout: %v", err)
	}
	_, err := readECharts("no such file.js")
	if err == nil || !strings.Contains(err.Error(), "make setup") || !strings.Contains(err.Error(), "DPBANDITS_ECHARTS") {
		t.Errorf("without the library: %v", err)
	}
}

// TestPinned compares the library that is installed with the one that pages are told to take.
func TestPinned(t *testing.T) {
	needECharts(t)
	if os.Getenv("DPBANDITS_ECHARTS") != "" {
		t.Skip("DPBANDITS_ECHARTS names another one")
	}
	if got := integrity(must(echartsSource())); got != echartsIntegrity {
		t.Errorf("the hash of the installed library is %s, the loader wants %s", got, echartsIntegrity)
	}
}

func TestWriteHTML(t *testing.T) {
	needECharts(t)
	var b bytes.Buffer
	if err := WriteHTML(&b, "<page>", line("a", []float64{0, 1}, []float64{0, 1}), NewTable("h").Add("c")); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "<script") != 3 || !strings.Contains(page, "<title>&lt;page&gt;</title>") {
		t.Error("a page has the library once, one figure with its two scripts, and its title")
	}
}

func BenchmarkSVG(b *testing.B) {
	needECharts(b)
	f := regretFigure()
	for b.Loop() {
		if _, err := f.SVG(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNamesOfLevels: the names of horizontal lines that lie close together are apart.
func TestNamesOfLevels(t *testing.T) {
	needECharts(t)
	f := line("a", []float64{0, 1}, []float64{0, 100})
	f.Marks = []Mark{AtY(50, "first"), AtY(51, "second"), AtY(49, "third"), AtY(90, "far")}
	svg := string(must(f.SVG()))
	places := map[string]string{}
	for _, m := range regexp.MustCompile(`<text([^>]*)>(first|second|third|far)</text>`).FindAllStringSubmatch(svg, -1) {
		if other, ok := places[m[1]]; ok {
			t.Errorf("%s lies on %s", m[2], other)
		}
		places[m[1]] = m[2]
	}
	if len(places) != 4 {
		t.Fatalf("%d names of 4: %v", len(places), places)
	}
	type box struct{ x1, x2, y float64 }
	var boxes []box
	for attrs := range places {
		at := numbers(regexp.MustCompile(`translate\(([^)]*)\)`).FindStringSubmatch(attrs)[1])
		if m := regexp.MustCompile(` y="([^"]*)"`).FindStringSubmatch(attrs); m != nil {
			at[1] += numbers(m[1])[0]
		}
		boxes = append(boxes, box{at[0] - 60, at[0] + 60, at[1]})
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if math.Abs(a.y-b.y) < 14 && a.x1 < b.x2 && b.x1 < a.x2 {
				t.Errorf("names at %v and %v overlap", a, b)
			}
		}
	}
}

// TestEndsOfAxis: the last label of x has room, however long it is.
func TestEndsOfAxis(t *testing.T) {
	needECharts(t)
	f := line("a", []float64{0, 200000}, []float64{0, 1})
	svg := string(must(f.SVG()))
	m := regexp.MustCompile(`translate\(([\d.]+) [\d.]+\)"[^>]*>200,000</text>`).FindStringSubmatch(svg)
	if m == nil {
		t.Fatalf("no label 200,000 in %s", svg)
	}
	if at := numbers(m[1])[0]; at+float64(len("200,000"))*0.56*15/2 > 860 { // Helvetica's digits are 0.556 em wide
		t.Errorf("the label around %v is cut off", at)
	}
}

// TestInLines: long JSON is broken where JSON allows it, and nowhere else.
func TestInLines(t *testing.T) {
	f := named(strings.Repeat(`a, "b\", ],[`, 200))
	for range 3000 {
		f.Series[0].X, f.Series[0].Y = append(f.Series[0].X, 4), append(f.Series[0].Y, 5)
		f.Series[0].Lo, f.Series[0].Hi = append(f.Series[0].Lo, 4), append(f.Series[0].Hi, 6)
	}
	f.Series[0].Kind = Scatter
	js := must(f.json())
	got := inLines(js)
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\n"), nil), js) || !bytes.Contains(got, []byte(",\n")) {
		t.Error("more than line breaks were added, or none")
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(js, &a), json.Unmarshal(got, &b)); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("it reads differently: %v", err)
	}
}
