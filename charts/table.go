package charts

import (
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"
)

// Table is a table of text and numbers. A column whose cells are all numbers is aligned right,
// unless Align says otherwise.
type Table struct {
	Headers []string
	// Rows holds strings, numbers, or anything that fmt can print. A float64 is written with four
	// digits.
	Rows [][]any
	// Align has one letter for each column: l, c or r. When empty, it follows from what is in the
	// column.
	Align   string
	Caption string
	Scale   string // as for Figure
	// Filters lets the reader choose rows by clicking, and sort them by a click on a header.
	Filters []Filter
	// Folded is the line under which the table is folded, until the reader clicks on it. When empty,
	// the table is open.
	Folded string
}

// NewTable returns a table with these headers and no rows.
func NewTable(headers ...string) *Table { return &Table{Headers: headers} }

// Add adds a row and returns the table.
func (t *Table) Add(cells ...any) *Table {
	t.Rows = append(t.Rows, cells)
	return t
}

func (t *Table) check() error {
	for i, r := range t.Rows {
		if len(r) != len(t.Headers) {
			return fmt.Errorf("charts: table %q: row %d has %d cells for %d headers", t.Caption, i, len(r), len(t.Headers))
		}
	}
	if t.Align != "" && (len(t.Align) != len(t.Headers) || strings.Trim(t.Align, "lcr") != "") {
		return fmt.Errorf("charts: table %q: Align %q is not one of l, c, r for each of %d columns", t.Caption, t.Align, len(t.Headers))
	}
	_, err := t.columns()
	return err
}

func cellText(v any) string {
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) {
			return map[bool]string{true: "∞", false: "−∞"}[v > 0]
		}
		return fmt.Sprintf("%.4g", v)
	case float32:
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprint(v)
}

// longCell is the number of letters from which on the text of a cell is broken into lines. Shorter
// ones stay in one line; a table that gets too wide scrolls.
const longCell = 32

func cellStyle(text string) string {
	wrap := "white-space:nowrap"
	if utf8.RuneCountInString(text) > longCell {
		wrap = "white-space:normal;min-width:16em"
	}
	return "padding:5px 10px;border-bottom:1px solid #88888855;" + wrap
}

func (t *Table) align(col int) byte {
	if t.Align != "" {
		return t.Align[col]
	}
	for _, r := range t.Rows {
		switch r[col].(type) {
		case int, int64, int32, uint64, float64, float32:
		default:
			return 'l'
		}
	}
	return 'r'
}

func (t *Table) caption() string { return (&Figure{Caption: t.Caption, Scale: t.Scale}).caption(0) }

// HTML returns the table as one chunk of text/html.
func (t *Table) HTML() (string, error) {
	if err := t.check(); err != nil {
		return "", err
	}
	var sides []string
	for i := range t.Headers {
		sides = append(sides, map[byte]string{'l': "left", 'c': "center", 'r': "right"}[t.align(i)])
	}
	rows, before, script := t.Rows, "", ""
	if len(t.Filters) > 0 {
		places, err := t.columns()
		if err != nil {
			return "", err
		}
		name, js, err := t.filterScript(places, sides)
		if err != nil {
			return "", err
		}
		rows, before, script = t.starting(places), fmt.Sprintf(`<div id="%s"><div class="dpb-filter"></div>`+"\n", name), js+"</div>\n"
	}
	var b strings.Builder
	if t.Folded != "" {
		fmt.Fprintf(&b, `<details class="dpb-folded"><summary style="%s;cursor:pointer">%s</summary>`+"\n", captionStyle, html.EscapeString(t.Folded))
	}
	b.WriteString(before)
	line := func(tag string, n int, text func(int) string, style func(string) string) {
		b.WriteString("<tr>")
		for i := range n {
			t := text(i)
			fmt.Fprintf(&b, `<%s style="text-align:%s;%s">%s</%[1]s>`, tag, sides[i], style(t), html.EscapeString(t))
		}
		b.WriteString("</tr>\n")
	}
	// JupyterLab's own style would give all columns one width, and break words to letters
	b.WriteString(`<figure style="margin:8px 0"><div style="overflow-x:auto;max-width:100%"><table class="dpb-table" style="border-collapse:collapse;table-layout:auto;width:auto;font-size:15px;margin:0">` + "\n")
	b.WriteString("<thead>\n")
	line("th", len(t.Headers), func(i int) string { return t.Headers[i] }, func(string) string { return "padding:5px 10px;border-bottom:2px solid #888888" })
	b.WriteString("</thead>\n<tbody>\n")
	for _, r := range rows {
		line("td", len(r), func(i int) string { return cellText(r[i]) }, cellStyle)
	}
	b.WriteString("</tbody>\n</table></div>\n")
	if c := t.caption(); c != "" {
		fmt.Fprintf(&b, `<figcaption class="dpb-caption" style="%s">%s</figcaption>`+"\n", captionStyle, html.EscapeString(c))
	}
	b.WriteString("</figure>\n")
	if len(t.Filters) > 0 {
		b.WriteString(note("to choose and sort its rows"))
	}
	b.WriteString(script)
	if t.Folded != "" {
		b.WriteString("</details>\n")
	}
	return b.String(), nil
}

// Text returns the table in Markdown, with columns aligned for a terminal.
func (t *Table) Text() string {
	if err := t.check(); err != nil {
		return err.Error()
	}
	width := make([]int, len(t.Headers))
	rows := [][]string{append([]string(nil), t.Headers...)}
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r {
			cells = append(cells, strings.ReplaceAll(cellText(c), "|", `\|`))
		}
		rows = append(rows, cells)
	}
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c), 3)
		}
	}
	var b strings.Builder
	for k, r := range rows {
		for i, c := range r {
			pad := width[i] - utf8.RuneCountInString(c)
			before := map[byte]int{'l': 0, 'c': pad / 2, 'r': pad}[t.align(i)]
			fmt.Fprintf(&b, "| %s%s%s ", strings.Repeat(" ", before), c, strings.Repeat(" ", pad-before))
		}
		b.WriteString("|\n")
		if k > 0 {
			continue
		}
		for i, w := range width {
			rule := []byte(strings.Repeat("-", w+2))
			if a := t.align(i); a != 'l' {
				rule[w+1] = ':'
				if a == 'c' {
					rule[0] = ':'
				}
			}
			fmt.Fprintf(&b, "|%s", rule)
		}
		b.WriteString("|\n")
	}
	if c := t.caption(); c != "" {
		b.WriteString("\n" + c + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
