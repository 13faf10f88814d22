package charts

import (
	"strings"
	"testing"
)

// TestFolded: a folded table is whole inside its fold, and one that is not has none.
func TestFolded(t *testing.T) {
	table := NewTable("h").Add("a < b")
	table.Caption = "c"
	open, err := table.HTML()
	if err != nil {
		t.Fatal(err)
	}
	table.Folded = "All <rows>"
	folded, err := table.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(open, "details") || !strings.HasPrefix(folded, "<details") || !strings.HasSuffix(folded, "</details>\n") ||
		!strings.Contains(folded, "All &lt;rows&gt;</summary>\n"+open) {
		t.Errorf("open:\n%s\nfolded:\n%s", open, folded)
	}
}
