package charts

import (
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	table := NewTable("learner", "ε", "regret").Add("UCB", 1.0, 3).Add("UCB", 2.0, 4).Add("<KL>", 1.0, 5)
	table.Filters = []Filter{{Header: "ε", Start: "1"}, {Header: "learner"}}
	page := must(table.HTML())
	static, script, _ := strings.Cut(page, "<script>")
	if n := strings.Count(static, "<tr>"); n != 3 || strings.Contains(static, ">4</td>") {
		t.Errorf("%d rows where scripts do not run, want the header and the two with ε = 1:\n%s", n, static)
	}
	for _, part := range []string{`"values":["1","2"],"start":"1"`, `"values":["UCB","\u003cKL\u003e"],"start":""`, `["UCB","2","4"]`} {
		if !strings.Contains(script, part) {
			t.Errorf("no %s in the script", part)
		}
	}
	if must(table.HTML()) != page {
		t.Error("the same table gives two pages")
	}
	for _, f := range []Filter{{Header: "delta"}, {Header: "ε", Start: "3"}} {
		table.Filters = []Filter{f}
		if _, err := table.HTML(); err == nil {
			t.Errorf("filter %+v is taken", f)
		}
	}
}
