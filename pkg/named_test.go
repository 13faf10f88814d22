package pkg_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLearnersAreNamed: who reads go doc of a package of learners finds each of them there. Every
// exported type with a method Prepare or Open is linked, or its constructor, New and its name.
func TestLearnersAreNamed(t *testing.T) {
	files, err := filepath.Glob("learner/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Prepare" && f.Name.Name != "Open" {
				continue
			}
			of, ok := f.Recv.List[0].Type.(*ast.Ident)
			if !ok || !of.IsExported() {
				continue
			}
			types++
			at := filepath.Join(filepath.Dir(file), "doc.go")
			text, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			stem := strings.TrimSuffix(strings.TrimSuffix(of.Name, "Device"), "Server") // one line names both
			if !regexp.MustCompile(`\[(New\w*)?` + stem + `(Device)?\]`).Match(text) {
				t.Errorf("pkg/%s does not name %s: add a line like\n//   - [%s]: what it does, in a few words", filepath.ToSlash(at), of.Name, of.Name)
			}
		}
	}
	if types < 40 {
		t.Errorf("%d types, want those of all learners", types)
	}
}
