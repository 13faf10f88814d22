package charts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestThin: a thinned line passes within the tolerance by every point that it leaves out.
func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, noise := range []float64{0, 0.01, 0.2, 5} {
		var p [][2]float64
		for i := range 500 {
			x := float64(i) * 1.5
			p = append(p, [2]float64{x, 200 + 100*math.Sin(x/90) + noise*r.NormFloat64()})
		}
		q := thin(p)
		if q[0] != p[0] || q[len(q)-1] != p[len(p)-1] {
			t.Errorf("noise %v: the ends moved", noise)
		}
		if noise < 0.02 && len(q) > 100 {
			t.Errorf("noise %v: a smooth line keeps %d of %d points", noise, len(q), len(p))
		}
		for _, a := range p {
			best := math.Inf(1)
			for i := 1; i < len(q); i++ {
				best = min(best, distance(a, q[i-1], q[i]))
			}
			if best > tolerance+1e-9 {
				t.Fatalf("noise %v: the line misses %v by %v", noise, a, best)
			}
		}
	}
	if q := thin([][2]float64{{1, 1}, {5, 5}, {1, 1}}); len(q) != 3 {
		t.Errorf("a closed line collapses to %v", q)
	}
}

// TestPathRoundTrip: rounding errors do not add up along a path.
func TestPathRoundTrip(t *testing.T) {
	var p [][2]float64
	for i := range 1000 {
		p = append(p, [2]float64{0.3333 * float64(i), 50 - 0.04999*float64(i)})
	}
	lines, ok := polylines(pathOf(p, true))
	if !ok || len(lines) != 1 || !lines[0].closed || len(lines[0].points) != len(p) {
		t.Fatalf("%v, %d lines", ok, len(lines))
	}
	for i, q := range lines[0].points {
		if math.Abs(q[0]-p[i][0]) > 0.05+1e-6 || math.Abs(q[1]-p[i][1]) > 0.05+1e-6 {
			t.Fatalf("point %d is at %v, want %v", i, q, p[i])
		}
	}
	for _, d := range []string{"M0 0A1 1 0 1 1 2 2", "M0 0C1 1 2 2 3 3", "", "L1 2", "M1", "M1 2l3"} {
		if _, ok := polylines(d); ok {
			t.Errorf("%q is read as straight lines", d)
		}
	}
}

// TestSlimKeepsSymbols: every point of a scatter is still a point of the picture, and the picture
// is small.
func TestSlimKeepsSymbols(t *testing.T) {
	needECharts(t)
	r := rand.New(rand.NewPCG(7, 8))
	f := line("a", nil, nil)
	f.Series[0].Kind = Scatter
	for range 1000 {
		f.Series[0].X = append(f.Series[0].X, r.Float64())
		f.Series[0].Y = append(f.Series[0].Y, 1)
	}
	svg := string(must(f.SVG()))
	m := regexp.MustCompile(`<path d="(M[^"]*)" fill="none" style="marker:url\(#(m\d+)\)"/>`).FindStringSubmatch(svg)
	if m == nil || !strings.Contains(svg, `<marker id="`+m[2]+`"`) {
		t.Fatalf("no markers in %.600s", svg)
	}
	if lines, ok := polylines(m[1]); !ok || len(lines[0].points) != 1000 {
		t.Errorf("not all points are drawn: %v", ok)
	}
	if len(svg) > 20000 {
		t.Errorf("the picture of 1000 points has %d bytes", len(svg))
	}
}

func TestSlim(t *testing.T) {
	svg := string(must(slim([]byte(`<svg xmlns="http://www.w3.org/2000/svg" version="1.1"><style>.a:hover{}</style>` +
		`<path d="M0 0L10 0" fill="none" stroke="#5F6670" class="a" ecmeta_x="1"></path><path d="M0 5L10 5" fill="none" stroke="#5F6670"></path>` +
		`<path d="M0 0L9 0" fill="none"></path><rect x="0" y="0" width="9.123" height="1" fill="rgb(255,255,255)" fill-opacity="0.8"></rect>` +
		`<text style="font-size:15px;font-family:sans-serif;font-weight:bold;" xml:space="preserve" dominant-baseline="central" fill="#222222">a &lt; b</text>` +
		`<g clip-path="url(#z0)"><path d="M1 1L2 2" stroke="#000" fill="none"></path></g><g clip-path="url(#z1)"><path d="M3 3L4 5" stroke="#000" fill="none"></path></g>` +
		`<defs><clipPath id="z0"><path d="M0 0l5 0l0 5Z"></path></clipPath><clipPath id="z1"><path d="M0 0l5 0l0 5Z"></path></clipPath></defs></svg>`))))
	for _, want := range []string{
		`<path d="M0 0l10 0M0 5l10 0" fill="none" stroke="#5F6670"/>`,
		`<rect width="9.1" height="1" fill="#ffffff" fill-opacity="0.8"/>`,
		`<text fill="#222222" font-weight="bold">a &lt; b</text>`,
		`<g clip-path="url(#c0)"><path d="M1 1l1 1M3 3l1 2" stroke="#000" fill="none"/>`,
		`[fill=&quot;#222222&quot;]{fill:#E6E6E6}`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if n := strings.Count(svg, "<clipPath"); n != 1 {
		t.Errorf("%d clip paths, want 1", n)
	}
	for _, bad := range []string{"<svg>", "<a></a></b>", "plain", "<a/><b/>"} {
		if got, err := slim([]byte(bad)); err == nil {
			t.Errorf("%q becomes %q", bad, got)
		}
	}
}

// TestTones: in the dark mode as in the light one, colours differ for every kind of eye, and stand
// out from the ground.
func TestTones(t *testing.T) {
	dark := map[string]string{}
	for _, tn := range tones {
		if other, twice := dark[tn.light]; twice {
			t.Errorf("%s is replaced by %s and %s", tn.light, other, tn.dark)
		}
		dark[tn.light] = tn.dark
	}
	for _, tn := range tones {
		if _, again := dark[tn.dark]; again {
			t.Errorf("%s, a dark colour, would be replaced again", tn.dark)
		}
	}
	ground := dark["#ffffff"]
	var light, night []string
	for _, p := range palette {
		d, ok := dark[p.Color]
		if !ok {
			t.Fatalf("%s has no dark colour", p.Color)
		}
		light, night = append(light, p.Color), append(night, d)
		if c := contrast(d, ground); c < 3 { // WCAG 2.1, 1.4.11, graphics
			t.Errorf("%s on %s: contrast %.1f", d, ground, c)
		}
	}
	for _, c := range []string{"#222222", referenceColor, "#5F6670"} { // text
		if k := contrast(dark[c], ground); k < 4.5 {
			t.Errorf("%s on %s: contrast %.1f", dark[c], ground, k)
		}
	}
	for eye, m := range eyes {
		if l, d := closest(light, m), closest(night, m); d < l {
			t.Errorf("%s: two dark colours differ by %.1f, the closest light ones by %.1f", eye, d, l)
		}
	}
}

// eyes say what colour-blind eyes see of linear RGB (Machado, Oliveira and Fernandes 2009).
var eyes = map[string][3][3]float64{
	"all colours": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red":      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green":    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.01182, 0.04294, 0.968881}},
	"no blue":     {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.3039}},
}

func linear(color string) (c [3]float64) {
	var v [3]int
	fmt.Sscanf(color, "#%02x%02x%02x", &v[0], &v[1], &v[2])
	for i := range v {
		x := float64(v[i]) / 255
		if c[i] = x / 12.92; x > 0.04045 {
			c[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return c
}

func contrast(a, b string) float64 {
	lum := func(s string) float64 {
		c := linear(s)
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05
	}
	return max(lum(a), lum(b)) / min(lum(a), lum(b))
}

// closest returns the least distance of two colours in CIELAB.
func closest(colors []string, eye [3][3]float64) float64 {
	lab := func(color string) [3]float64 {
		rgb := linear(color)
		var s [3]float64
		for i := range s {
			for j := range rgb {
				s[i] += eye[i][j] * rgb[j]
			}
			s[i] = min(1, max(0, s[i]))
		}
		f := func(r, g, b, white float64) float64 {
			v := (r*s[0] + g*s[1] + b*s[2]) / white
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16.0/116
		}
		x, y, z := f(0.4124, 0.3576, 0.1805, 0.9505), f(0.2126, 0.7152, 0.0722, 1), f(0.0193, 0.1192, 0.9505, 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	least := math.Inf(1)
	for i := range colors {
		for j := range i {
			a, b := lab(colors[i]), lab(colors[j])
			least = min(least, math.Sqrt((a[0]-b[0])*(a[0]-b[0])+(a[1]-b[1])*(a[1]-b[1])+(a[2]-b[2])*(a[2]-b[2])))
		}
	}
	return least
}
