// Package pkg_test checks which package imports which.
package pkg_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dpbandits/dpbandits/"

// allowed says what a package under pkg/ may import of ours, beside itself and pkg/internal. What
// is below a package may import the same, or what its own line says.
var allowed = map[string]string{
	"bandit":      "",
	"random":      "",
	"matroid":     "",
	"lasso":       "",
	"design":      "",
	"privacy":     "random",
	"mechanism":   "privacy lasso random",
	"online":      "privacy mechanism random",
	"environment": "bandit matroid random",
	"learner":     "bandit privacy mechanism online matroid lasso design random",
	"simulate":    "bandit privacy random",
	"sweep":       "simulate",
	"cluster":     "simulate sweep",
	"audit":       "bandit privacy random",
	"external":    "bandit privacy",
	"offpolicy":   "bandit random",
	"catalogue":   "bandit privacy matroid mechanism environment learner",
	"judge":       "bandit external privacy random mechanism environment learner simulate audit catalogue value",
	"snapshot":    "bandit privacy random value",
	"value":       "",
	"internal":    "",

	"internal/disjoint":            "bandit",
	"internal/draw":                "random",
	"internal/far":                 "privacy",
	"internal/runtest":             "bandit",
	"internal/mutant":              "cmd",
	"privacy/privacytest":          "bandit privacy random mechanism learner audit",
	"learner/internal/learnertest": "bandit privacy mechanism matroid environment random",
	"audit/suite":                  "bandit privacy random matroid mechanism online learner catalogue",
}

// violation explains why a package (its directory, from the module's root) may not import another,
// or is "".
func violation(from, to string) string {
	if strings.HasPrefix(to, "github.com/go-echarts/") || strings.HasPrefix(to, "github.com/janpfeifer/gonb") {
		if top, _, _ := strings.Cut(from, "/"); top != "charts" && top != "notebooks" {
			return "only charts and notebooks may draw"
		}
		return ""
	}
	if strings.HasPrefix(to, "github.com/apache/beam/") || strings.HasPrefix(to, module+"pkg/cluster") {
		if !strings.HasPrefix(from+"/", "pkg/cluster/") {
			return "only pkg/cluster, a module of its own, may have Beam"
		}
	}
	to, ours := strings.CutPrefix(to, module)
	rest, under := strings.CutPrefix(from, "pkg/")
	if !ours || !under {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	if name == "cmd" { // a program stands on top of everything
		return ""
	}
	may, known := allowed[rest]
	if !known {
		may, known = allowed[name]
	}
	if !known {
		return "the package is not in the table of this test"
	}
	target, under := strings.CutPrefix(to, "pkg/")
	if !under {
		return "nothing under pkg/ imports what is not"
	}
	if strings.HasSuffix(target, "test") && name != "judge" && !strings.HasSuffix(from, "test") { // which are checks themselves
		return "only tests import what checks an implementation"
	}
	target, _, _ = strings.Cut(target, "/")
	if target == name || target == "internal" || slices.Contains(strings.Fields(may), target) {
		return ""
	}
	return fmt.Sprintf("%s may import %q", from, may)
}

// violations parses the imports of every file but tests under root.
func violations(root string) (bad []string, files int, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" || name == "testdata" || name == "build") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			to := strings.Trim(i.Path.Value, "`\"")
			if why := violation(filepath.ToSlash(from), to); why != "" {
				bad = append(bad, fmt.Sprintf("%s imports %s: %s", path.Join(filepath.ToSlash(from), name), to, why))
			}
		}
		return nil
	})
	return bad, files, err
}

// TestImports holds the packages to the order that they are built in.
func TestImports(t *testing.T) {
	bad, files, err := violations("..")
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("found %d files, want the whole module", files)
	}
	for _, b := range bad {
		t.Error(b)
	}
}

// TestImportsCatches breaks each rule in a module of its own.
func TestImportsCatches(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ dir, imports string }{
		{"pkg/bandit", module + "pkg/random"},
		{"pkg/random", module + "pkg/bandit"},
		{"pkg/privacy", module + "pkg/bandit"},
		{"pkg/mechanism", module + "pkg/learner"},
		{"pkg/environment", module + "pkg/privacy"},
		{"pkg/simulate", module + "pkg/learner"},
		{"pkg/audit", module + "pkg/mechanism"},
		{"pkg/learner/sub", module + "pkg/simulate"},
		{"pkg/privacy/sub", module + "pkg/learner"},
		{"pkg/privacy/privacytest", module + "pkg/simulate"},
		{"pkg/mechanism", module + "pkg/privacy/privacytest"},
		{"pkg/learner", module + "charts"},
		{"pkg/learner", module + "datasets"},
		{"pkg/internal/packed", module + "pkg/bandit"},
		{"pkg/simulate", "github.com/janpfeifer/gonb/gonbui"},
		{"pkg/sweep", "github.com/apache/beam/sdks/v2/go/pkg/beam"},
		{"notebooks/own", module + "pkg/cluster"},
		{"pkg/cluster", module + "pkg/learner"},
		{"datasets", "github.com/go-echarts/go-echarts/v2/charts"},
		{"pkg/new", module + "pkg/random"},
	} {
		dir := filepath.Join(root, c.dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "x.go")
		if err := os.WriteFile(file, []byte("package x\n\nimport _ \""+c.imports+"\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if bad, _, err := violations(root); err != nil || len(bad) != 1 {
			t.Errorf("%s imports %s: violations %q, err %v, want one", c.dir, c.imports, bad, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
