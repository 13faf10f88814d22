//go:build page

package charts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A program with the tag page is what a notebook's page runs (charts/pages). It draws no
// static picture, as there is no Node, and hands what is to be shown to the page: a line of
// standard output that begins with the record separator and goes on in JSON. Everything else that
// it prints is text.
type message struct {
	HTML     string           `json:"html,omitempty"`
	Numbers  string           `json:"numbers,omitempty"` // of a figure
	Progress *simulate.Status `json:"progress,omitempty"`
}

func (m message) send() {
	js, err := json.Marshal(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "charts:", err)
		os.Exit(1)
	}
	fmt.Printf("\x1e%s\n", js)
}

// Show hands items to the page. An error ends the program with a message and status 1.
func Show(items ...Item) {
	for _, it := range items {
		var m message
		switch f := it.(type) {
		case *Figure:
			again := *f
			again.Scale, again.Alt = rerun(), "" // what the notebook's figure shows
			it, m.Numbers = &again, f.numbers()
		case *Table:
			again := *f
			again.Scale = rerun()
			it = &again
		}
		var err error
		if m.HTML, err = it.HTML(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		m.send()
	}
}

// rerun says where numbers come from: the program's arguments are the cell and the values of its
// controls.
func rerun() string {
	if len(os.Args) < 3 {
		return "computed on this page"
	}
	return "computed on this page, " + strings.ReplaceAll(strings.Join(os.Args[2:], ", "), "=", " = ")
}

// numbers returns hashes of the figure's numbers: of its series, and of what its frames add. The
// numbers are written so that no bit is lost.
func (f *Figure) numbers() string {
	hash := func(of ...[]Series) string {
		h := sha256.New()
		for _, list := range of {
			for _, s := range list {
				fmt.Fprintln(h, s.Name, s.X, s.Y, s.Lo, s.Hi, s.X2)
			}
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	if f.Slider == nil {
		return hash(f.Series)
	}
	var frames [][]Series
	for _, frame := range f.Slider.Frames {
		frames = append(frames, frame.Series)
	}
	return hash(f.Series) + " " + hash(frames...)
}

// Every run on a page shows its progress there.
func init() { simulate.DefaultProgress = Progress() }

// Progress returns a simulate.Progress that hands the status to the page.
func Progress() simulate.Progress {
	return func(s simulate.Status) { message{Progress: &s}.send() }
}

// script is a named piece of JavaScript.
type script struct{ Name, Text string }

// blank takes the place of a static picture until the page draws the live one.
const blank = `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="480"/>`

func call([]script, string, []byte) ([]byte, error) { return []byte(blank), nil }

func renderSVG([]byte) ([]byte, error) { return []byte(blank), nil }
