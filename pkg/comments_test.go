package pkg_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// longComments lists the lines of comments, in the Go files of a tree, that have more than 100
// letters. What an Example prints is no prose.
func longComments(tree fs.FS) (long []string, files int, err error) {
	err = fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "build") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		files++
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			if strings.Contains(group.Text(), "Output:") {
				continue
			}
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, "//go:") && tooLong(c.Text) {
					long = append(long, fmt.Sprintf("%s:%d", filepath.ToSlash(file), set.Position(c.Pos()).Line))
				}
			}
		}
		return nil
	})
	return long, files, err
}

// tooLong reports whether a line of a comment has more than 100 letters.
func tooLong(comment string) bool {
	for line := range strings.Lines(comment) {
		if utf8.RuneCountInString(strings.TrimSpace(line)) > 100 {
			return true
		}
	}
	return false
}

// TestCommentsAreShort: no line of a comment has more than 100 letters.
func TestCommentsAreShort(t *testing.T) {
	long, files, err := longComments(os.DirFS(".."))
	if err != nil || files < 500 {
		t.Fatalf("%d files, %v", files, err)
	}
	for _, at := range long {
		t.Errorf("%s: a line of more than 100 letters; say it in shorter sentences", at)
	}
	text := "package p\n\n// " + strings.Repeat("é", 98) + "\nvar x int\n\nfunc ExampleF() {\n\t// Output: " + strings.Repeat("o", 200) + "\n}\n"
	long, _, err = longComments(fstest.MapFS{"p.go": {Data: []byte(text)}})
	if err != nil || len(long) != 1 || long[0] != "p.go:3" {
		t.Errorf("%q, %v, want the line 3 of p.go alone", long, err)
	}
}
