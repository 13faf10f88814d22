//go:build !page && !js

package charts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Picture is an Item that has a static picture: a [Figure] or a [Graph].
type Picture interface {
	Item
	SVG() ([]byte, error)
}

// The usual widths of a journal's figures, in inches.
const (
	SingleColumn = 3.5
	DoubleColumn = 7
)

// Print is the size of a picture on paper. The zero value is a figure of one column.
type Print struct {
	Width  float64 // inches; SingleColumn when 0
	Height float64 // inches, of a Figure; when 0, what title, legend and a plot of good proportions need
	Type   float64 // size of a Figure's lettering in points; 8 when 0
	DPI    int     // dots per inch of a PNG; 300 when 0
}

func (p Print) orDefault() (Print, error) {
	set := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&p.Width, SingleColumn)
	set(&p.Type, 8)
	if p.DPI == 0 {
		p.DPI = 300
	}
	for _, f := range []struct {
		name     string
		value    float64
		from, to float64
	}{{"Width", p.Width, 1, 50}, {"Height", p.Height, 1, 50}, {"Type", p.Type, 4, 72}, {"DPI", float64(p.DPI), 36, 2400}} {
		if !(f.value >= f.from && f.value <= f.to) && (f.name != "Height" || f.value != 0) {
			return p, fmt.Errorf("charts: Print.%s = %v, want in [%v, %v]", f.name, f.value, f.from, f.to)
		}
	}
	return p, nil
}

// Save writes a picture to a file for print. The end of the name says what it becomes:
//
//   - .svg: vectors, in the light colours
//   - .pdf: one page of vectors with its fonts embedded
//   - .png: pixels, with the resolution on record
//
// A [Figure] is laid out anew for the size, so that its lettering has the size that Print says;
// bars differ by their lightness in place of a pattern, which a PDF could hold in coarse pixels
// only. A [Graph] is scaled. Clear the figure's Title if the paper's caption says it.
//
// PDF and PNG are drawn by Chromium, because its page and its print then look the same; CHROMIUM
// names the program, else it is searched in PATH. The fonts are the machine's own, and so the bytes
// differ between machines.
func Save(name string, picture Picture, size Print) error {
	size, err := size.orDefault()
	if err != nil {
		return err
	}
	var svg []byte
	if f, ok := picture.(*Figure); ok {
		svg, err = f.print(size)
	} else {
		size.Height = 0
		svg, err = picture.SVG()
	}
	if err != nil {
		return err
	}
	p, err := newPrinted(svg, size)
	if err != nil {
		return err
	}
	var data []byte
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".svg":
		data = p.svg("in", p.Width, p.Height)
	case ".pdf":
		data, err = p.pdf(filepath.Dir(name))
	case ".png":
		data, err = p.png(filepath.Dir(name))
	default:
		return fmt.Errorf("charts: Save to %s: the name ends in %q, want .svg, .pdf or .png", name, ext)
	}
	if err != nil {
		return fmt.Errorf("charts: Save to %s: %w", name, err)
	}
	return os.WriteFile(name, data, 0o666)
}

// fontSize is the size of a figure's lettering, in the pixels in which js/draw.js lays it out.
const fontSize = 15

// print renders the figure's starting frame, laid out for a size.
func (f *Figure) print(size Print) ([]byte, error) {
	s, err := f.spec()
	if err != nil {
		return nil, err
	}
	perInch := fontSize * 72 / size.Type
	s.Width, s.Height = int(math.Round(perInch*size.Width)), int(math.Round(perInch*size.Height))
	js, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return picture(js, "print", printJS)
}

// printJS returns the picture of a figure's starting frame on paper. A height of 0 becomes what the
// plot wants and what the rest needs, which a layout of a generous height shows.
const printJS = `function print(js) {
	var spec = JSON.parse(js), plain = JSON.parse(js);
	if (!spec.height) {
		plain.height = 4000;
		plain.equal = false;
		var o = dpb.option(echarts, plain, spec.start, spec.width), x = o.xAxis[0], y = o.yAxis[0];
		var grid = o.grid[0] || o.grid; // the upper plot
		var plot = spec.equal ? grid.width * (y.max - y.min) / (x.max - x.min) : 0.58 * grid.width;
		spec.height = Math.ceil(plain.height - grid.height + Math.max(plot, y.data ? 34 * y.data.length : 0));
	}
	var option = dpb.option(echarts, spec, spec.start, spec.width), light = [1, 0.45, 0.7, 0.2], bars = 0;
	delete option.aria;
	option.series.forEach(function (s) {
		if (s.type !== "bar") return;
		s.itemStyle.borderColor = s.itemStyle.color;
		s.itemStyle.borderWidth = 1;
		s.itemStyle.color = echarts.color.modifyAlpha(s.itemStyle.color, light[bars++ % light.length]);
	});
	var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
	chart.setOption(option);
	return chart.renderToSVGString();
}`

// printed is an SVG without its size, cut where that goes, and the size.
type printed struct {
	Print
	before, after []byte
}

var (
	sizeOfSVG = regexp.MustCompile(`^<svg [^>]*?(width="([\d.]+)" height="([\d.]+)")`)
	darkRules = regexp.MustCompile(`@media \(prefers-color-scheme:dark\)\{[^{}]*(\{[^{}]*\}[^{}]*)*\}`)
)

func newPrinted(svg []byte, size Print) (*printed, error) {
	svg = darkRules.ReplaceAll(svg, nil)
	at := sizeOfSVG.FindSubmatchIndex(svg)
	if at == nil {
		return nil, errors.New("charts: the picture does not begin with its width and height")
	}
	w, errW := strconv.ParseFloat(string(svg[at[4]:at[5]]), 64)
	h, errH := strconv.ParseFloat(string(svg[at[6]:at[7]]), 64)
	if err := errors.Join(errW, errH); err != nil {
		return nil, err
	}
	if size.Height == 0 {
		size.Height = math.Round(1000*size.Width*h/w) / 1000
	}
	return &printed{size, svg[:at[2]], svg[at[3]:]}, nil
}

// svg returns the picture in a width and a height of a unit.
func (p *printed) svg(unit string, w, h float64) []byte {
	return fmt.Appendf(nil, `%swidth="%g%s" height="%g%s"%s`, p.before, w, unit, h, unit, p.after)
}

func (p *printed) pdf(dir string) ([]byte, error) {
	// A page that is a hair higher than the picture keeps rounding from making a second one.
	style := fmt.Sprintf("@page{size:%gin %gin;margin:0}", p.Width, p.Height+0.001)
	return chromium(dir, style, p.svg("in", p.Width, p.Height), "out.pdf", "--no-pdf-header-footer", "--print-to-pdf")
}

func (p *printed) png(dir string) ([]byte, error) {
	dpi := float64(p.DPI)
	w, h := math.Round(p.Width*dpi), math.Round(p.Height*dpi)
	// A window may lose some of its height to the browser: it is larger, and the picture cut out.
	window := fmt.Sprintf("--window-size=%.0f,%.0f", max(w, 600), h+200)
	data, err := chromium(dir, "", p.svg("px", w, h), "out.png", "--hide-scrollbars", window, "--screenshot")
	if err != nil {
		return nil, err
	}
	shot, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	cut := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
	if !cut.Rect.In(shot.Bounds()) {
		return nil, fmt.Errorf("Chromium made a picture of %v pixels, want at least %v", shot.Bounds().Size(), cut.Rect.Size())
	}
	draw.Draw(cut, cut.Rect, shot, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, cut); err != nil {
		return nil, err
	}
	return withDPI(b.Bytes(), p.DPI), nil
}

// withDPI puts the chunk that says how many pixels a metre has behind a PNG's header, which
// image/png cannot.
func withDPI(data []byte, dpi int) []byte {
	const header = 8 + 25 // signature, and the chunk IHDR
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	out := append([]byte(nil), data[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, data[header:]...)
}

// chromium draws a page of nothing but a picture, and returns the file that the last flag writes.
// It works in a folder of dir, as a Chromium from a snap sees no other.
func chromium(dir, style string, svg []byte, out string, flags ...string) ([]byte, error) {
	program, err := browser()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = os.MkdirTemp(dir, "charts-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	page, out := filepath.Join(dir, "page.html"), filepath.Join(dir, out)
	text := fmt.Sprintf("<!DOCTYPE html><meta charset=\"utf-8\"><title>dpbandits</title><style>%shtml,body{margin:0}svg{display:block}</style>%s", style, svg)
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		return nil, err
	}
	flags[len(flags)-1] += "=" + out
	// The page is ours and has no scripts; the sandbox is not to be had as root or in containers.
	flags = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--user-data-dir=" + filepath.Join(dir, "profile")}, flags...)
	said, failed := exec.Command(program, append(flags, "file://"+filepath.ToSlash(page))...).CombinedOutput()
	data, err := os.ReadFile(out)
	if failed != nil || err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", program, errors.Join(failed, err), said)
	}
	return data, nil
}

// browser finds Chromium as docker/setup does.
func browser() (string, error) {
	if program := os.Getenv("CHROMIUM"); program != "" {
		return exec.LookPath(program)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errors.New("PDF and PNG are drawn by Chromium, and there is none in PATH: install it " +
		"(Debian: sudo apt install chromium), name it in CHROMIUM, or save as .svg")
}
