package pkg_test

import (
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// withoutExample returns the packages under root/pkg, root/charts and root/datasets that others can
// import and that have no Example with output, and how many it looked at.
func withoutExample(root string) (lacking []string, packages int, err error) {
	shown := make(map[string]bool) // by directory: whether a test file has an Example with output
	for _, top := range []string{"pkg", "charts", "datasets"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if slices.Contains([]string{"internal", "testdata", "node_modules"}, d.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(file, ".go") {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			dir := filepath.Dir(file)
			if !strings.HasSuffix(file, "_test.go") {
				if _, known := shown[dir]; !known && parsed.Name.Name != "main" {
					shown[dir] = false
				}
				return nil
			}
			if slices.ContainsFunc(doc.Examples(parsed), func(e *doc.Example) bool { return e.Output != "" }) {
				shown[dir] = true
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	for dir, has := range shown {
		if !has {
			lacking = append(lacking, dir)
		}
	}
	slices.Sort(lacking)
	return lacking, len(shown), nil
}

// TestEveryPackageHasAnExample: who opens a package's page finds a first call that runs.
func TestEveryPackageHasAnExample(t *testing.T) {
	lacking, packages, err := withoutExample("..")
	if err != nil {
		t.Fatal(err)
	}
	if packages < 20 {
		t.Errorf("found %d packages, want at least 20", packages)
	}
	for _, dir := range lacking {
		t.Errorf("%s has no Example with output", dir)
	}
}

func TestEveryPackageHasAnExampleCatches(t *testing.T) {
	root := t.TempDir()
	files := fstest.MapFS{
		"pkg/good/x.go":            {Data: []byte("package good\n")},
		"pkg/good/x_test.go":       {Data: []byte("package good_test\n\nfunc Example() {\n\tprintln()\n\t// Output:\n\t// 1\n}\n")},
		"pkg/none/x.go":            {Data: []byte("package none\n")},
		"pkg/silent/x.go":          {Data: []byte("package silent\n")},
		"pkg/silent/x_test.go":     {Data: []byte("package silent\n\nfunc Example() {}\n")},
		"pkg/internal/hidden/x.go": {Data: []byte("package hidden\n")},
		"datasets/fetch/x.go":      {Data: []byte("package main\n")},
		"charts/x.go":              {Data: []byte("package charts\n")},
	}
	if err := os.CopyFS(root, files); err != nil {
		t.Fatal(err)
	}
	lacking, _, err := withoutExample(root)
	want := []string{"charts", "pkg/none", "pkg/silent"}
	for i := range want {
		want[i] = filepath.Join(root, want[i])
	}
	if err != nil || !slices.Equal(lacking, want) {
		t.Errorf("%q without Example (%v), want %q", lacking, err, want)
	}
}
