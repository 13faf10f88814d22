package scorecard

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpbandits/dpbandits/notebooks/results"
)

// File is the name of the committed scorecard in notebooks/results.
const File = "scorecard.csv"

var header = []string{"paper", "source", "place", "line", "kind", "what", "numbers", "printed", "ours", "se", "verdict", "reason", "from", "shown"}

// CSV writes rows as scorecard.csv has them.
func CSV(rows []Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(header)
	for _, r := range rows {
		line := ""
		if r.Line > 0 {
			line = strconv.Itoa(r.Line)
		}
		w.Write([]string{r.Paper, r.Source, r.Place, line, r.Kind, r.What, strconv.Itoa(r.Numbers), r.Printed, r.Ours, r.SE, r.Verdict, r.Reason, r.From, r.Shown})
	}
	w.Flush()
	return b.Bytes()
}

// Committed returns the committed scorecard.
func Committed() (rows []Row, err error) {
	data, err := results.File(File)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("scorecard: %s: %w", File, err)
	}
	if len(lines) < 2 || !slices.Equal(lines[0], header) {
		return nil, fmt.Errorf("scorecard: %s has %d lines, want the header %q and more", File, len(lines), header)
	}
	for i, l := range lines[1:] {
		line, numbers := 0, 0
		if l[3] != "" {
			line, err = strconv.Atoi(l[3])
		}
		if err == nil {
			numbers, err = strconv.Atoi(l[6])
		}
		if err != nil {
			return nil, fmt.Errorf("scorecard: %s, line %d: %w", File, i+2, err)
		}
		rows = append(rows, Row{l[0], l[1], l[2], line, l[4], l[5], l[7], numbers, l[8], l[9], l[10], l[11], l[12], l[13]})
	}
	return rows, nil
}

// The place of the summary in README.md.
const begin, end = "<!-- scorecard: go generate ./notebooks/scorecard -->\n", "<!-- end of scorecard -->\n"

// WithSummary returns the README with the summary of rows in its place.
func WithSummary(readme string, rows []Row) (string, error) {
	head, rest, ok := strings.Cut(readme, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("scorecard: README.md has no place for the summary: %q and then %q", begin, end)
	}
	return head + begin + wrap(Summary(rows), 100) + end + tail, nil
}

// wrap sets sentences in lines of at most so many characters.
func wrap(sentences []string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(strings.Join(sentences, " ")) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}

var page = template.Must(template.New("").Parse(`<p>{{range .Summary}}{{.}}<br>{{end}}</p>
<p>Ours agrees with a printed number if they are within half a unit of its last printed digit, or
within 2 combined standard errors; with a printed bound, if ours keeps it. Of a hundred measured
numbers that agree in truth, some five therefore count as different. What is read off a figure has
the error of reading it. Lines are those of a plain-text extraction of the paper. The authors'
notebook is that of <a href="https://github.com/roshanshariff/PrivateBandits.jl">Shariff and
Sheffet's program</a>; we know of none by the authors of the other papers. All of ours are from
committed tables or are computed by the toolkit: <code>go generate ./notebooks/scorecard</code> makes the table again.</p>
{{range .Papers}}<h2 id="{{.Name}}">{{.Title}}</h2>
<p>{{.Count}}</p>
<div class="scroll"><table>
<thead><tr><th>place</th><th>what</th><th>printed</th><th>ours</th><th>± SE</th><th>verdict</th><th>why, and where</th></tr></thead>
<tbody>
{{range .Rows}}<tr><td>{{if ne .Source "paper"}}{{.Source}}, {{end}}{{.Place}}{{if .Line}}, line {{.Line}}{{end}}</td><td>{{.What}} <small>({{.Kind}}{{if gt .Numbers 1}}, {{.Numbers}} numbers{{end}})</small></td>` +
	`<td>{{.Printed}}</td><td>{{.Ours}}</td><td>{{.SE}}</td><td>{{.Verdict}}</td><td>{{.Reason}}{{if .Shown}} <small>Shown in {{.Shown}}.</small>{{end}}{{if .From}} <small>From {{.From}}.</small>{{end}}</td></tr>
{{end}}</tbody></table></div>
{{end}}`))

// HTML lays rows out for the site.
func HTML(rows []Row) (string, error) {
	type part struct {
		Name, Title, Count string
		Rows               []Row
	}
	var data struct {
		Summary []string
		Papers  []part
	}
	data.Summary = Summary(rows)
	for _, p := range Papers {
		c, of := Count(rows, p.Name), part{Name: p.Name, Title: p.Title}
		of.Count = fmt.Sprintf("%d numbers: %d agree, %d differ, %d are not run.", c.All(), c[Agrees], c[Differs], c[NotRun])
		// what differs first, as that is what a reader looks for
		for _, v := range []string{Differs, Agrees, NotRun} {
			for _, r := range rows {
				if r.Paper == p.Name && r.Verdict == v {
					of.Rows = append(of.Rows, r)
				}
			}
		}
		data.Papers = append(data.Papers, of)
	}
	var b strings.Builder
	err := page.Execute(&b, data)
	return b.String(), err
}
