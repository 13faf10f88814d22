package arms

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPoliciesAreShort: a policy has at most 60 lines of code, those of the methods of its type and
// of its rule's. Blank lines and lines with nothing but a comment do not count, nor do the types
// themselves and imports, nor the methods that join a policy with a statistic, nor what policies
// share: bases, and types that are no policies. A policy is a type with a method Prepare, and its
// rule has the same name, but for its capitals, or for Rule at its end.
func TestPoliciesAreShort(t *testing.T) {
	const most = 60
	lines, policies := map[string]int{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		source := strings.Split(string(text), "\n")
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil {
				continue
			}
			switch m.Name.Name {
			case "Learner", "Private", "Local", "Limited":
				continue
			}
			of := m.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			name := of.(*ast.Ident).Name
			if m.Name.Name == "Prepare" {
				policies[name] = true
			}
			name = strings.ToLower(strings.TrimSuffix(name, "Rule"))
			for _, line := range source[set.Position(m.Pos()).Line-1 : set.Position(m.End()).Line] {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
					lines[name]++
				}
			}
		}
	}
	for name := range policies {
		n := lines[strings.ToLower(name)]
		if n > most {
			t.Errorf("%s has %d lines of code, want at most %d", name, n, most)
		}
		t.Logf("%s: %d lines", name, n)
	}
	if len(policies) < 10 {
		t.Errorf("found %d policies", len(policies))
	}
}
