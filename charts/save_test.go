//go:build !page

package charts

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLookAtPrints writes prints to look at:
//
//	DPB_PRINTS=/tmp/prints go test -run LookAtPrints ./charts
func TestLookAtPrints(t *testing.T) {
	folder := os.Getenv("DPB_PRINTS")
	if folder == "" {
		t.Skip("DPB_PRINTS names no folder")
	}
	tree, err := Tree{Rounds: 16}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Picture{"regret": regretFigure(), "bars": barFigure(), "slider": sliderFigure(),
		"tree": tree, "sphere": sphereFigure(), "scatter": scatterFigure(), "graph": house(), "blocks": must(blocks(false).Figure())} {
		for size, width := range map[string]float64{"single": SingleColumn, "double": DoubleColumn} {
			for _, ext := range []string{".svg", ".pdf", ".png"} {
				if err := Save(filepath.Join(folder, name+"-"+size+ext), p, Print{Width: width}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// needChromium skips a test where there is no Chromium; `make test` installs it.
func needChromium(t *testing.T) {
	t.Helper()
	if _, err := browser(); err != nil {
		t.Skip(err)
	}
}

// save returns the file that Save makes of a picture.
func save(t *testing.T, name string, p Picture, size Print) []byte {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := Save(name, p, size); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("Save left %v behind", left)
	}
	return data
}

func TestSaveSVG(t *testing.T) {
	for _, c := range []struct {
		what    string
		picture Picture
		size    Print
		head    string
	}{
		{"one column", regretFigure(), Print{}, `<svg width="3.5in" height="`},
		{"two columns", regretFigure(), Print{Width: DoubleColumn, Height: 3}, `<svg width="7in" height="3in"`},
		{"graph", house(), Print{}, ` width="3.5in" height="`},
	} {
		svg := save(t, "figure.svg", c.picture, c.size)
		wellFormed(t, c.what, svg)
		head, _, _ := strings.Cut(string(svg), ">")
		if !strings.Contains(head, c.head) || !strings.Contains(head, "viewBox=") {
			t.Errorf("%s: %s, want %s", c.what, head, c.head)
		}
		if bytes.Contains(svg, []byte("prefers-color-scheme")) {
			t.Errorf("%s: a print in the dark", c.what)
		}
	}
	if layout := fmt.Sprintf("var FONT = %d,", fontSize); !strings.Contains(drawJS, layout) {
		t.Errorf("draw.js has no %q, the size by which a print is scaled", layout)
	}
	// 8 points are the layout's 15 pixels: 3.5 inches of 72 points are 3.5*72/8*15 = 472.5 pixels.
	for _, c := range []struct {
		size Print
		box  string
	}{
		{Print{Height: 3}, `viewBox="0 0 473 405"`},
		{Print{Height: 3, Type: 12}, `viewBox="0 0 315 270"`},
	} {
		if svg := save(t, "figure.svg", regretFigure(), c.size); !bytes.Contains(svg, []byte(c.box)) {
			t.Errorf("%+v: laid out as %.200s, want %s", c.size, svg, c.box)
		}
	}
}

// A figure without a height has a plot of good proportions, whatever stands around it.
func TestSaveHeight(t *testing.T) {
	short, long := regretFigure(), regretFigure()
	short.Series, long.Title = short.Series[:2], strings.Repeat("A title of many words. ", 8)
	height := func(f *Figure) (h int) {
		if _, err := fmt.Sscanf(string(boxHeight.FindSubmatch(save(t, "figure.svg", f, Print{}))[1]), "%d", &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	a, b, c := height(short), height(regretFigure()), height(long)
	if a < 300 || b < a+20 || c < b+20 {
		t.Errorf("heights %d, %d with more series, %d with a long title too", a, b, c)
	}
}

var boxHeight = regexp.MustCompile(`viewBox="0 0 473 (\d+)"`)

func TestSavePDF(t *testing.T) {
	needChromium(t)
	pdf := save(t, "figure.pdf", barFigure(), Print{Height: 3})
	for _, want := range []string{`^%PDF-1\.`, `/MediaBox \[0 0 252 216(\.\d+)?\]`, `/FontFile2 \d+ 0 R`} {
		if !regexp.MustCompile(want).Match(pdf) {
			t.Errorf("no %s in the PDF", want)
		}
	}
	if n := len(regexp.MustCompile(`/Type /Page\b`).FindAll(pdf, -1)); n != 1 {
		t.Errorf("%d pages, want 1", n)
	}
	fonts, files := bytes.Count(pdf, []byte("/FontDescriptor ")), bytes.Count(pdf, []byte("/FontFile"))
	if fonts == 0 || files == 0 || bytes.Contains(pdf, []byte("/Subtype /Image")) {
		t.Errorf("%d fonts and %d font files in the PDF, want vectors with embedded fonts", fonts, files)
	}
}

func TestSavePNG(t *testing.T) {
	needChromium(t)
	data := save(t, "figure.png", barFigure(), Print{Width: 4, Height: 3, DPI: 100})
	shot, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := shot.Bounds().Size(); size.X != 400 || size.Y != 300 {
		t.Errorf("%v pixels, want 400 x 300", size)
	}
	_, rest, ok := bytes.Cut(data, []byte("pHYs"))
	if !ok || binary.BigEndian.Uint32(rest) != 3937 || binary.BigEndian.Uint32(rest[4:]) != 3937 || rest[8] != 1 {
		t.Errorf("the PNG does not say 100 dots per inch, which are 3937 per metre")
	}
	near := map[[3]uint32]int{{255, 255, 255}: 0, {0, 0x72, 0xB2}: 0, {236, 183, 140}: 0}
	for y := range 300 {
		for x := range 400 {
			r, g, b, _ := shot.At(x, y).RGBA()
			for c := range near {
				if far := max(r>>8, c[0]) - min(r>>8, c[0]) + max(g>>8, c[1]) - min(g>>8, c[1]) + max(b>>8, c[2]) - min(b>>8, c[2]); far <= 6 {
					near[c]++
				}
			}
		}
	}
	// the paper, and the bars of both series, of which the second is lighter
	for c, pixels := range near {
		if pixels < 500 {
			t.Errorf("%d pixels near %v, want at least 500", pixels, c)
		}
	}
	edge := shot.At(399, 299)
	if r, g, b, _ := edge.RGBA(); r+g+b != 3*0xffff {
		t.Errorf("the last pixel is %v, want paper", edge)
	}
}

func TestSaveErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		size       Print
	}{
		{"a.jpg", `the name ends in ".jpg", want .svg, .pdf or .png`, Print{}},
		{"a.svg", "Print.Width = -1, want in [1, 50]", Print{Width: -1}},
		{"a.svg", "Print.Height = 99, want in [1, 50]", Print{Height: 99}},
		{"a.svg", "Print.Type = 1, want in [4, 72]", Print{Type: 1}},
		{"a.png", "Print.DPI = 10, want in [36, 2400]", Print{DPI: 10}},
	} {
		err := Save(filepath.Join(t.TempDir(), c.name), barFigure(), c.size)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: error %v, want %q", c.name, c.size, err, c.want)
		}
	}
	t.Setenv("CHROMIUM", "/no/such/program")
	if err := Save(filepath.Join(t.TempDir(), "a.pdf"), barFigure(), Print{}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("without Chromium: error %v", err)
	}
}
