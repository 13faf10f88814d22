//go:build !page

package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// slim returns the same picture in fewer bytes, and in colours that follow the reader's light or
// dark mode. It drops what a still picture does not show, rounds lines to a tenth of a pixel, says
// what neighbours share once, and draws equal symbols as the markers of one line.
func slim(svg []byte) ([]byte, error) {
	root, err := parseXML(svg)
	if err != nil {
		return nil, fmt.Errorf("charts: the picture is not XML: %w", err)
	}
	var s slimmer
	s.clean(root)
	s.rename(root)
	s.children(root)
	dress(root)
	var b strings.Builder
	root.write(&b)
	return []byte(b.String()), nil
}

// element is an element of XML, or a text if it has no name.
type element struct {
	name     string
	attrs    []attribute
	children []*element
	text     string
}

type attribute struct{ name, value string }

func parseXML(text []byte) (*element, error) {
	top := &element{}
	open := []*element{top}
	full := func(n xml.Name) string {
		if n.Space == "" {
			return n.Local
		}
		return n.Space + ":" + n.Local
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		last := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{name: full(t.Name)}
			for _, a := range t.Attr {
				e.attrs = append(e.attrs, attribute{full(a.Name), a.Value})
			}
			last.children = append(last.children, e)
			open = append(open, e)
		case xml.EndElement:
			if len(open) == 1 {
				return nil, fmt.Errorf("</%s> ends nothing", full(t.Name))
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if last.name == "text" || last.name == "tspan" {
				last.children = append(last.children, &element{text: string(t)})
			}
		}
	}
	if len(top.children) != 1 || len(open) != 1 {
		return nil, fmt.Errorf("%d roots, %d elements left open", len(top.children), len(open)-1)
	}
	return top.children[0], nil
}

func (e *element) get(name string) string {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (e *element) set(name, value string) {
	for i, a := range e.attrs {
		if a.name == name {
			e.attrs[i].value = value
			return
		}
	}
	e.attrs = append(e.attrs, attribute{name, value})
}

func (e *element) drop(which func(attribute) bool) { e.attrs = slices.DeleteFunc(e.attrs, which) }

func (e *element) write(b *strings.Builder) {
	if e.name == "" {
		b.WriteString(escapeXML(e.text))
		return
	}
	b.WriteString("<" + e.name)
	for _, a := range e.attrs {
		b.WriteString(" " + a.name + `="` + escapeXML(a.value) + `"`)
	}
	if len(e.children) == 0 {
		b.WriteString("/>\n")
		return
	}
	b.WriteString(">")
	for _, c := range e.children {
		c.write(b)
	}
	b.WriteString("</" + e.name + ">\n")
}

var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;").Replace

// inherited are the attributes that a group may say for what is in it.
var inherited = []string{"fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
	"stroke-linejoin", "stroke-dasharray", "text-anchor", "paint-order"}

// defaults are attributes that say what holds without them.
var defaults = map[string]string{"x": "0", "y": "0", "stroke-width": "1", "fill-opacity": "1", "stroke-opacity": "1",
	"stroke-linecap": "butt", "text-anchor": "start", "dominant-baseline": "central", "xml:space": "preserve"}

type slimmer struct{ markers, clips int }

// clean removes what is not seen, in the element and all below it.
func (s *slimmer) clean(e *element) {
	e.drop(func(a attribute) bool {
		switch a.name {
		case "xmlns:xlink", "version", "baseProfile", "class", "pointer-events", "stroke-miterlimit":
			return true
		case "xml:space":
			return !strings.Contains(strings.Trim(inside(e), " "), "  ")
		}
		return defaults[a.name] == a.value || strings.HasPrefix(a.name, "ecmeta_")
	})
	for i, a := range e.attrs {
		if a.name == "fill" || a.name == "stroke" {
			e.attrs[i].value = written(a.value)
		}
		if a.name == "stroke-dasharray" {
			e.attrs[i].value = strings.TrimSuffix(a.value, ",")
		}
	}
	if style := e.get("style"); e.name == "text" && style != "" {
		e.drop(func(a attribute) bool { return a.name == "style" })
		for _, p := range strings.Split(style, ";") {
			k, v, _ := strings.Cut(p, ":")
			switch {
			case k == "", k == "font-family" && v == "sans-serif": // said once, at the root
			case k == "font-size":
				e.set(k, strings.TrimSuffix(v, "px"))
			default:
				e.set(k, v)
			}
		}
	}
	if b := e.get("dominant-baseline"); e.name == "text" && b != "" {
		// the root's style would win over an attribute
		e.drop(func(a attribute) bool { return a.name == "dominant-baseline" })
		e.set("style", "dominant-baseline:"+b)
	}
	for _, c := range e.children {
		s.clean(c)
	}
	if e.name == "defs" || e.name == "clipPath" || e.name == "pattern" {
		return
	}
	e.children = slices.DeleteFunc(e.children, func(c *element) bool {
		switch c.name {
		case "style":
			return true
		case "path", "rect", "polygon", "polyline":
			no := func(paint string) bool {
				return c.get(paint) == "none" || c.get(paint+"-opacity") == "0"
			}
			return no("fill") && (c.get("stroke") == "" || c.get("stroke-width") == "0" || no("stroke"))
		case "g", "defs", "text":
			return len(c.children) == 0
		}
		return false
	})
}

// inside returns all the text in the element.
func inside(e *element) string {
	text := e.text
	for _, c := range e.children {
		text += inside(c)
	}
	return text
}

var rgb = regexp.MustCompile(`^rgb\((\d+),(\d+),(\d+)\)$`)

// written returns a colour as #rrggbb, if it is white or written as rgb(r,g,b).
func written(c string) string {
	if c == "#fff" {
		return "#ffffff"
	}
	m := rgb.FindStringSubmatch(c)
	if m == nil {
		return c
	}
	c = "#"
	for _, v := range m[1:] {
		n, _ := strconv.Atoi(v) // digits
		c += fmt.Sprintf("%02x", n)
	}
	return c
}

var reference = regexp.MustCompile(`url\(#([^)]+)\)`)

// rename numbers the clip paths and makes equal ones one.
func (s *slimmer) rename(root *element) {
	names, seen := map[string]string{}, map[string]string{}
	var collect, replace func(e *element)
	collect = func(e *element) {
		e.children = slices.DeleteFunc(e.children, func(c *element) bool {
			if c.name != "clipPath" {
				collect(c)
				return false
			}
			old := c.get("id")
			c.set("id", "")
			for _, shape := range c.children {
				shape.drop(func(a attribute) bool { return a.name == "fill" })
				s.shape(shape)
			}
			var b strings.Builder
			c.write(&b)
			name, twice := seen[b.String()]
			if !twice {
				name = fmt.Sprintf("c%d", s.clips)
				s.clips++
				seen[b.String()] = name
				c.set("id", name)
			}
			names[old] = name
			return twice
		})
	}
	replace = func(e *element) {
		for i, a := range e.attrs {
			e.attrs[i].value = reference.ReplaceAllStringFunc(a.value, func(ref string) string {
				if name, ok := names[reference.FindStringSubmatch(ref)[1]]; ok {
					return "url(#" + name + ")"
				}
				return ref
			})
		}
		for _, c := range e.children {
			replace(c)
		}
	}
	collect(root)
	replace(root)
}

// children shortens what is in the element: groups, runs of equal symbols, lines, texts.
func (s *slimmer) children(e *element) {
	if e.name == "defs" || e.name == "pattern" || e.name == "text" {
		return
	}
	var out []*element
	for _, c := range e.children {
		// neighbouring groups with the same clip path are one
		if n := len(out); c.name == "g" && n > 0 && out[n-1].name == "g" && slices.Equal(c.attrs, out[n-1].attrs) {
			out[n-1].children = append(out[n-1].children, c.children...)
			continue
		}
		out = append(out, c)
	}
	out = s.symbols(out)
	for _, c := range out {
		s.children(c)
		s.shape(c)
	}
	e.children = grouped(joined(out))
}

// place splits a transform into its linear part and where it puts the origin.
func place(transform string) (linear string, x, y float64, ok bool) {
	name, rest, found := strings.Cut(transform, "(")
	v := strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == ' ' })
	if !found || !(name == "matrix" && len(v) == 6 || name == "translate" && len(v) == 2) {
		return "", 0, 0, false
	}
	x, errX := strconv.ParseFloat(v[len(v)-2], 64)
	y, errY := strconv.ParseFloat(v[len(v)-1], 64)
	if name == "matrix" {
		linear = "matrix(" + strings.Join(v[:4], " ") + " 0 0)"
	}
	return linear, x, y, errX == nil && errY == nil
}

// minSymbols is the least number of equal symbols in a row that are drawn as markers.
const minSymbols = 4

// symbols replaces each run of one symbol at many places by a line with the symbol as its marker.
// Markers are painted one by one, as the symbols are, so that overlapping ones are as dark.
func (s *slimmer) symbols(in []*element) (out []*element) {
	for i := 0; i < len(in); {
		e := in[i]
		linear, _, _, ok := place(e.get("transform"))
		n := 1
		var at [][2]float64
		if ok && e.name == "path" {
			n = 0
			for _, c := range in[i:] {
				l, x, y, ok := place(c.get("transform"))
				if !ok || l != linear || c.name != "path" || !sameBut(c, e, "transform") {
					break
				}
				at = append(at, [2]float64{x, y})
				n++
			}
		}
		if n < minSymbols {
			out = append(out, in[i:i+n]...)
			i += n
			continue
		}
		e.drop(func(a attribute) bool { return a.name == "transform" })
		if linear != "" {
			e.set("transform", linear)
		}
		id := fmt.Sprintf("m%d", s.markers)
		s.markers++
		out = append(out,
			&element{name: "marker", attrs: []attribute{{"id", id}, {"markerUnits", "userSpaceOnUse"}, {"overflow", "visible"}}, children: []*element{e}},
			&element{name: "path", attrs: []attribute{{"d", pathOf(at, false)}, {"fill", "none"}, {"style", "marker:url(#" + id + ")"}}})
		i += n
	}
	return out
}

func sameBut(a, b *element, but string) bool {
	other := func(e *element) []attribute {
		return slices.DeleteFunc(slices.Clone(e.attrs), func(x attribute) bool { return x.name == but })
	}
	return slices.Equal(other(a), other(b))
}

// shape rounds the geometry of an element.
func (s *slimmer) shape(e *element) {
	linear, x, y, moved := place(e.get("transform"))
	if moved && linear == "" {
		e.set("transform", "translate("+tenths(x)+" "+tenths(y)+")")
	}
	if e.name == "rect" {
		for _, k := range []string{"x", "y", "width", "height"} {
			if v, err := strconv.ParseFloat(e.get(k), 64); err == nil {
				e.set(k, tenths(v))
			}
		}
	}
	if linear != "" || strings.HasPrefix(e.get("style"), "marker:") {
		return // a shape in units of its own, or places that must all stay
	}
	switch e.name {
	case "polygon", "polyline":
		v := numbers(e.get("points"))
		if len(v)%2 != 0 || len(v) < 4 {
			return
		}
		var pts [][2]float64
		for i := 0; i < len(v); i += 2 {
			pts = append(pts, [2]float64{v[i], v[i+1]})
		}
		d := pathOf(thin(pts), e.name == "polygon")
		e.name = "path"
		for i, a := range e.attrs {
			if a.name == "points" {
				e.attrs[i] = attribute{"d", d}
			}
		}
	case "path":
		if lines, ok := polylines(e.get("d")); ok {
			var b strings.Builder
			for _, l := range lines {
				b.WriteString(pathOf(thin(l.points), l.closed))
			}
			e.set("d", b.String())
		}
	}
}

var aNumber = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`)

func numbers(text string) (v []float64) {
	for _, t := range aNumber.FindAllString(text, -1) {
		x, err := strconv.ParseFloat(t, 64)
		if err != nil {
			return nil
		}
		v = append(v, x)
	}
	return v
}

type polyline struct {
	points [][2]float64
	closed bool
}

var command = regexp.MustCompile(`([MLlHhVvZz])([^A-Za-z]*)`)

// polylines returns the lines of a path, if it is made of straight lines only.
func polylines(d string) (out []polyline, ok bool) {
	found := command.FindAllStringSubmatch(d, -1)
	length := 0
	for _, m := range found {
		length += len(m[0])
	}
	if length != len(d) || len(found) == 0 || found[0][1] != "M" {
		return nil, false
	}
	var at [2]float64
	for _, m := range found {
		v := numbers(m[2])
		if m[1] == "Z" || m[1] == "z" {
			out[len(out)-1].closed = true
			continue
		}
		if m[1] == "M" {
			if len(v) < 2 {
				return nil, false
			}
			out = append(out, polyline{})
		}
		for i := 0; i < len(v); i++ {
			switch m[1] {
			case "H":
				at[0] = v[i]
			case "h":
				at[0] += v[i]
			case "V":
				at[1] = v[i]
			case "v":
				at[1] += v[i]
			default:
				if i+1 == len(v) {
					return nil, false
				}
				if m[1] == "l" {
					at = [2]float64{at[0] + v[i], at[1] + v[i+1]}
				} else {
					at = [2]float64{v[i], v[i+1]}
				}
				i++
			}
			l := &out[len(out)-1]
			l.points = append(l.points, at)
		}
	}
	return out, true
}

// tolerance is how far, in pixels, a line may pass by a point that it leaves out.
const tolerance = 0.1

// thin leaves out points that no eye misses (Douglas and Peucker 1973).
func thin(p [][2]float64) [][2]float64 {
	keep := make([]bool, len(p))
	keep[0], keep[len(p)-1] = true, true
	for todo := [][2]int{{0, len(p) - 1}}; len(todo) > 0; {
		a, b := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		far, worst := 0, tolerance
		for i := a + 1; i < b; i++ {
			if d := distance(p[i], p[a], p[b]); d > worst {
				far, worst = i, d
			}
		}
		if far > 0 {
			keep[far] = true
			todo = append(todo, [2]int{a, far}, [2]int{far, b})
		}
	}
	var out [][2]float64
	for i, k := range keep {
		if k {
			out = append(out, p[i])
		}
	}
	return out
}

// distance returns the distance of p from the segment between a and b.
func distance(p, a, b [2]float64) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(1, max(0, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/l))
	}
	return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
}

// tenths writes a number of pixels to a tenth.
func tenths(v float64) string { return tenth(int(math.Round(10 * v))) }

func tenth(n int) string {
	s := strconv.FormatFloat(float64(n)/10, 'f', -1, 64)
	if strings.HasPrefix(s, "0.") || strings.HasPrefix(s, "-0.") {
		s = strings.Replace(s, "0.", ".", 1)
	}
	return s
}

// pathOf writes a line through the points. Each step is taken from where the rounded line is, so
// that no error adds up.
func pathOf(p [][2]float64, closed bool) string {
	var b strings.Builder
	at := [2]int{}
	for i, q := range p {
		to := [2]int{int(math.Round(10 * q[0])), int(math.Round(10 * q[1]))}
		x, y := tenth(to[0]-at[0]), tenth(to[1]-at[1])
		switch i {
		case 0:
			b.WriteString("M")
		case 1:
			b.WriteString("l")
		default:
			if x[0] != '-' {
				b.WriteString(" ")
			}
		}
		b.WriteString(x)
		if y[0] != '-' {
			b.WriteString(" ")
		}
		b.WriteString(y)
		at = to
	}
	if closed {
		b.WriteString("z")
	}
	return b.String()
}

// joined makes neighbouring lines that are drawn alike one path.
func joined(in []*element) (out []*element) {
	for _, e := range in {
		if n := len(out); n > 0 && e.name == "path" && out[n-1].name == "path" && sameBut(e, out[n-1], "d") &&
			e.get("fill") == "none" && e.get("stroke-opacity") == "" && e.get("transform") == "" && e.get("style") == "" {
			out[n-1].set("d", out[n-1].get("d")+e.get("d"))
			continue
		}
		out = append(out, e)
	}
	return out
}

// grouped puts neighbours that are drawn alike into a group that says so once.
func grouped(in []*element) (out []*element) {
	alike := func(e *element) (a []attribute) {
		for _, name := range inherited {
			if v := e.get(name); v != "" {
				a = append(a, attribute{name, v})
			}
		}
		return a
	}
	plain := func(e *element) bool { return e.name == "path" || e.name == "rect" || e.name == "text" }
	for i := 0; i < len(in); {
		shared, n := alike(in[i]), 1
		for plain(in[i]) && len(shared) > 0 && i+n < len(in) && plain(in[i+n]) && slices.Equal(alike(in[i+n]), shared) {
			n++
		}
		if n == 1 {
			out = append(out, in[i])
			i++
			continue
		}
		g := &element{name: "g", attrs: shared, children: in[i : i+n]}
		for _, c := range g.children {
			c.drop(func(a attribute) bool { return slices.Contains(inherited, a.name) })
		}
		out = append(out, g)
		i += n
	}
	return out
}

// dress gives the root the font, and the colours of the dark mode.
func dress(root *element) {
	var usual func(e *element)
	usual = func(e *element) {
		e.drop(func(a attribute) bool { return e.name == "text" && a == attribute{"font-size", "15"} })
		for _, c := range e.children {
			usual(c)
		}
	}
	usual(root)
	root.set("font-family", "sans-serif")
	root.set("font-size", "15")
	var b strings.Builder
	root.write(&b)
	rules := &element{text: "text{dominant-baseline:central}" + darkStyle(b.String())}
	root.children = append([]*element{{name: "style", children: []*element{rules}}}, root.children...)
}
