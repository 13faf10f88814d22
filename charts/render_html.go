package charts

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

// HTML returns the figure as one chunk of text/html: the static picture, the script that replaces
// it by the live chart, and the caption. It uses the network only if the script runs on a page
// without ECharts.
func (f *Figure) HTML() (string, error) {
	js, err := f.json()
	if err != nil {
		return "", err
	}
	svg, err := renderSVG(js)
	if err != nil {
		return "", err
	}
	alt, err := json.Marshal(f.alt())
	if err != nil {
		return "", err
	}
	lib, err := json.Marshal(map[string]string{"cdn": echartsCDN, "integrity": echartsIntegrity})
	if err != nil {
		return "", err
	}
	w, _ := f.size()
	live := ""
	if f.frames() > 1 {
		live = "to move the slider"
	}
	return chunk{
		class: "dpb-figure", live: live, id: id(js), width: w, alt: f.alt(), svg: svg, caption: f.caption(f.start()),
		scripts: []string{toneJS(), textJS, drawJS, controlJS, liveJS}, function: "live",
		arguments: fmt.Sprintf("%q, %s, %s, %s", id(js), inLines(js), alt, lib),
	}.String(), nil
}

// chunk is a piece of text/html that shows a static picture at once; its script may replace that by
// something live.
type chunk struct {
	class, id, alt, caption string
	width                   int
	svg                     []byte
	scripts                 []string // they declare the function
	function, arguments     string
	live                    string // what the reader can do with it when it is live; may be empty
}

const captionStyle = "margin:6px 4px;font-size:15px;line-height:1.4"

// note returns what is said below a picture that is still because its script has not run: in a
// notebook that is not trusted, or on a page without scripts. The script hides it.
func note(live string) string {
	if live == "" {
		return ""
	}
	return `<div class="dpb-note" style="margin:6px 4px;font-size:15px;font-style:italic">` +
		"Run this cell " + live + " (on a page: allow scripts).</div>\n"
}

// dataURI returns the address that holds a picture in itself, in short lines. Some browsers take
// the line breaks out again and some leave them in, so that they stand only where both mean the
// same. It is safe between double quotes.
func dataURI(svg []byte) string {
	var b strings.Builder
	b.WriteString("data:image/svg+xml,")
	width, path, before := b.Len(), false, byte(0)
	for i, c := range svg {
		if c == '\n' {
			continue // between elements
		}
		if c == '"' {
			path = strings.HasSuffix(string(svg[max(0, i-3):i]), " d=")
		}
		element, rule := c == '<' && before == '>', c == '[' && before == '}' // of style
		step := path && width > 120 && (c == 'M' || c == 'l' || c == '-')
		if (element || rule) && width > 60 || step {
			b.WriteByte('\n')
			width = 0
		}
		n := b.Len()
		if strings.IndexByte("%#<>\"&`{}|\\^", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
		width += b.Len() - n
		before = c
	}
	return b.String()
}

func (c chunk) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="%s" id="%s" style="max-width:%dpx;margin:8px 0">`+"\n", c.class, c.id, c.width)
	fmt.Fprintf(&b, `<img class="dpb-static" alt="%s" style="display:block;width:100%%;height:auto;border-radius:8px" src="%s">`+"\n",
		html.EscapeString(c.alt), dataURI(c.svg))
	b.WriteString(`<div class="dpb-live"></div>` + "\n")
	if c.caption != "" {
		fmt.Fprintf(&b, `<div class="dpb-caption" style="%s">%s</div>`+"\n", captionStyle, html.EscapeString(c.caption))
	}
	b.WriteString(note(c.live))
	name, code := c.code()
	fmt.Fprintf(&b, "<script class=\"dpb-code\" data-name=\"%s\">\n%s</script>\n", name, code)
	fmt.Fprintf(&b, `<script>
(function start() {
  if (window.%[1]s) window.%[1]s(%[2]s);
  else setTimeout(start, 500);
})();
</script>
</div>
`, name, c.arguments)
	return b.String()
}

// inLines returns JSON in lines of about a thousand letters, broken at commas outside of texts.
func inLines(js []byte) []byte {
	var out []byte
	width, text := 0, false
	for i := 0; i < len(js); i++ {
		c := js[i]
		out = append(out, c)
		width++
		switch {
		case text && c == '\\':
			i++
			out = append(out, js[i])
		case c == '"':
			text = !text
		case c == ',' && !text && width > 1000:
			out = append(out, '\n')
			width = 0
		}
	}
	return out
}

// code returns the script that all pictures of a kind share, and the name under which it keeps its
// function. A notebook that is saved by `make execute` holds it once, so that a picture may have to
// wait for the one that brings it.
func (c chunk) code() (name, code string) {
	var b strings.Builder
	for _, js := range c.scripts {
		b.WriteString(bare(js) + "\n")
	}
	name = "dpb_" + strings.TrimPrefix(id([]byte(b.String())), "dpb-")
	return name, fmt.Sprintf("window.%[1]s = window.%[1]s || (function () {\n%[2]sreturn %[3]s;\n})();\n", name, b.String(), c.function)
}

// bare drops comment lines, which are for readers of this package and not of every notebook.
func bare(js string) string {
	var b strings.Builder
	for line := range strings.Lines(js) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// WriteHTML writes a stand-alone page with the items and the library inside, so that it is live
// offline.
func WriteHTML(w io.Writer, title string, items ...Item) error {
	src, err := echartsSource()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n", html.EscapeString(title))
	b.WriteString("<style>:root{color-scheme:light dark} body{font:16px sans-serif;margin:24px auto;max-width:900px;padding:0 12px}</style>\n")
	fmt.Fprintf(&b, "<script>%s</script>\n</head>\n<body>\n", strings.ReplaceAll(src, "</script", `<\/script`))
	for _, it := range items {
		chunk, err := it.HTML()
		if err != nil {
			return err
		}
		b.WriteString(chunk)
	}
	b.WriteString("</body>\n</html>\n")
	_, err = io.WriteString(w, b.String())
	return err
}
