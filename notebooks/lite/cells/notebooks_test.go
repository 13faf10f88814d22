package cells

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every cell of every notebook gives a program that type-checks, with the declarations of the cells
// above it.
func TestNotebooks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles what the notebooks import")
	}
	var files []string
	for _, pattern := range []string{"../../*.ipynb", "../../evidence/*.ipynb"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	sources := map[string][]string{}
	var wanted []string
	block := regexp.MustCompile(`(?ms)^import \(.*?^\)`)
	spec := regexp.MustCompile(`(?m)^\t(?:\w+ )?"([^"]+)"$`)
	for _, f := range files {
		sources[f] = codeCells(t, f)
		for _, c := range sources[f] {
			for _, m := range spec.FindAllStringSubmatch(block.FindString(c), -1) {
				wanted = append(wanted, m[1])
			}
		}
	}
	slices.Sort(wanted)
	exports, packages := map[string]string{}, map[string]string{}
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Name}} {{.Export}}", "flag"}
	out, err := exec.Command("go", append(args, slices.Compact(wanted)...)...).Output()
	if err != nil {
		t.Fatal(err, wanted)
	}
	for line := range strings.Lines(string(out)) {
		if part := strings.Fields(line); len(part) == 3 {
			packages[part[0]], exports[part[0]] = part[1], part[2]
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no package %s", path)
		}
		return os.Open(exports[path])
	})
	for f, cells := range sources {
		n, programs := New(packages), 0
		for i, c := range cells {
			p, err := n.Compose(c, i+1)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			n.Commit(p)
			if p.Source == "" {
				continue
			}
			programs++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "main.go", p.Source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			config := types.Config{Importer: from}
			if _, err := config.Check("main", set, []*ast.File{file}, nil); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
		t.Logf("%s: %d cells, %d programs", f, len(cells), programs)
	}
}

func codeCells(t *testing.T, file string) (cells []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(text, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		if c.Type == "code" {
			cells = append(cells, strings.Join(c.Source, ""))
		}
	}
	return cells
}
