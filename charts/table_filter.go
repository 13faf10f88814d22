package charts

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Filter lets the reader choose the rows of a [Table] by their value in a column. Buttons above the
// table, one for each value, need no kernel, so they work in a saved page too. Where scripts do not
// run, the rows with the starting value are shown.
type Filter struct {
	Header string // the column
	Start  string // the value chosen first, as the table prints it; "" means all
}

// filterJS makes the buttons of a table.
//
//go:embed js/filter.js
var filterJS string

// columns returns the places of the filters' columns.
func (t *Table) columns() ([]int, error) {
	var places []int
	for _, f := range t.Filters {
		k := slices.Index(t.Headers, f.Header)
		if k < 0 {
			return nil, fmt.Errorf("charts: table %q: a filter of %q, which is not a header", t.Caption, f.Header)
		}
		if f.Start != "" && !slices.Contains(t.values(k), f.Start) {
			return nil, fmt.Errorf("charts: table %q: a filter starts at %q, which is no value of %q", t.Caption, f.Start, f.Header)
		}
		places = append(places, k)
	}
	return places, nil
}

// values lists what is in a column, as printed, each value once.
func (t *Table) values(column int) (values []string) {
	for _, r := range t.Rows {
		if v := cellText(r[column]); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// starting returns the rows that are shown first.
func (t *Table) starting(places []int) [][]any {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r []any) bool {
		for i, f := range t.Filters {
			if f.Start != "" && cellText(r[places[i]]) != f.Start {
				return true
			}
		}
		return false
	})
}

// filterScript returns the id of a table with filters, and its script.
func (t *Table) filterScript(places []int, sides []string) (name, script string, err error) {
	type filter struct {
		Column int      `json:"column"`
		Values []string `json:"values"`
		Start  string   `json:"start"`
	}
	spec := struct {
		Headers []string   `json:"headers"`
		Sides   []string   `json:"sides"`
		Rows    [][]string `json:"rows"`
		Filters []filter   `json:"filters"`
		Long    int        `json:"long"`   // a cell with more letters is broken into lines
		Narrow  string     `json:"narrow"` // the style of the others
		Wide    string     `json:"wide"`
	}{Headers: t.Headers, Sides: sides, Long: longCell, Narrow: cellStyle(""), Wide: cellStyle(strings.Repeat("m", longCell+1))}
	for i, f := range t.Filters {
		spec.Filters = append(spec.Filters, filter{places[i], t.values(places[i]), f.Start})
	}
	for _, r := range t.Rows {
		var texts []string
		for _, v := range r {
			texts = append(texts, cellText(v))
		}
		spec.Rows = append(spec.Rows, texts)
	}
	js, err := json.Marshal(spec)
	if err != nil {
		return "", "", err
	}
	name = id(js)
	// only the function that makes an element is wanted of the controls
	return name, fmt.Sprintf("<script>\n(function () {\n%s\n%s\nfilterTable(%q, %s);\n})();\n</script>\n", bare(controlJS), bare(filterJS), name, js), nil
}
