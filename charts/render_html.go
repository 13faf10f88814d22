package charts

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
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
	return chunk{
		class: "dpb-figure", id: id(js), width: w, alt: f.alt(), svg: svg, caption: f.caption(f.start()),
		scripts: []string{textJS, drawJS, controlJS, liveJS}, function: "live",
		arguments: fmt.Sprintf("%q, %s, %s, %s", id(js), js, alt, lib),
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
}

func (c chunk) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="%s" id="%s" style="max-width:%dpx;margin:8px 0">`+"\n", c.class, c.id, c.width)
	fmt.Fprintf(&b, `<img class="dpb-static" alt="%s" style="display:block;width:100%%;height:auto;border-radius:8px" src="data:image/svg+xml;base64,%s">`+"\n",
		html.EscapeString(c.alt), base64.StdEncoding.EncodeToString(c.svg))
	b.WriteString(`<div class="dpb-live"></div>` + "\n")
	if c.caption != "" {
		fmt.Fprintf(&b, `<div class="dpb-caption" style="margin:6px 4px;font-size:15px;line-height:1.4">%s</div>`+"\n", html.EscapeString(c.caption))
	}
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

var comment = regexp.MustCompile(`(?m)^\s*//.*\n`)

// bare drops comment lines, which are for readers of this package and not of every notebook.
func bare(js string) string { return strings.TrimSpace(comment.ReplaceAllString(js, "")) }

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
