package charts

import (
	"strings"
	"testing"
)

// A table with a name to fold is the same table within a closed element, and others have none.
func TestFold(t *testing.T) {
	table := NewTable("h").Add("c")
	open, err := table.HTML()
	if err != nil || strings.Contains(open, "<details") {
		t.Fatalf("error %v, and a table without a name is folded:\n%s", err, open)
	}
	table.Fold = "all <numbers>"
	folded, err := table.HTML()
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(folded, "</summary>\n")
	if !strings.HasPrefix(head, "<details><summary") || !strings.HasSuffix(head, ">all &lt;numbers&gt;") || rest != open+"</details>\n" {
		t.Errorf("folded it is\n%s", folded)
	}
}
