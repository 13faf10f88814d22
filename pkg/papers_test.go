package pkg_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var (
	testName = regexp.MustCompile(`\bTest[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	link     = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unslug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	counts   = regexp.MustCompile(`(?s)Of (\d+)\b.*?(\d+) agree,\s+(\d+)\s+differ,?(?:\s+and)?\s+(\d+)\s+are\s+not\s+run`)
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPaperNamesItsTests: the paper's statements name tests that exist, files that exist, and the
// scorecard's sums as README has them.
func TestPaperNamesItsTests(t *testing.T) {
	have := make(map[string]bool)
	for _, top := range []string{"pkg", "notebooks", "charts", "datasets"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for _, m := range testFunc.FindAllSubmatch(text, -1) {
				have[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	paper := read(t, ".github/paper/paper.md")
	names := testName.FindAllString(paper, -1)
	if len(names) < 15 {
		t.Errorf("the paper names %d tests, want at least 15", len(names))
	}
	for _, name := range names {
		if !have[name] {
			t.Errorf("the paper names %s, and no test has that name", name)
		}
	}
	ours, printed := counts.FindStringSubmatch(read(t, "README.md")), counts.FindStringSubmatch(paper)
	if ours == nil || printed == nil || strings.Join(ours[1:], " ") != strings.Join(printed[1:], " ") {
		t.Errorf("the scorecard's sums are %q in README.md and %q in the paper", ours, printed)
	}
	for _, m := range regexp.MustCompile(`@([a-z]+\d*)\b`).FindAllStringSubmatch(paper, -1) {
		if !strings.Contains(read(t, ".github/paper/paper.bib"), "{"+m[1]+",") {
			t.Errorf("paper.bib has no %s", m[1])
		}
	}
}

// TestLinks: the files and headings that the pages of the checkout link to are there.
func TestLinks(t *testing.T) {
	pages := 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != ".." && name != ".github" && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "build") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		pages++
		text, err := os.ReadFile(file)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			to := file
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(file), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if m[2] != "" && !hasHeading(t, to, m[2]) {
				t.Errorf("%s links to %s, which has no heading %q", file, m[1], m[2])
			}
		}
		return err
	})
	if err != nil || pages < 14 {
		t.Errorf("%d pages (%v), want at least 14", pages, err)
	}
	if !hasHeading(t, "../README.md", "why-and-beside-what-exists") || hasHeading(t, "../README.md", "why") {
		t.Error("a heading is not told from its first word")
	}
}

// hasHeading reports whether a page has a heading of that anchor, made as GitHub makes it.
func hasHeading(t *testing.T, page, anchor string) bool {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		if strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestPapersAgree: the changelog and the citation have the version of the source. A changelog may
// have changes above it that are not released.
func TestPapersAgree(t *testing.T) {
	version := strings.TrimPrefix(simulate.Release, "v")
	if !strings.Contains(read(t, "CITATION.cff"), "\nversion: "+version+"\n") {
		t.Errorf("CITATION.cff lacks version: %s", version)
	}
	if !strings.Contains(read(t, "README.md"), "\n"+simulate.Release+" · ") {
		t.Errorf("README.md does not open with %s", simulate.Release)
	}
	if !strings.Contains(read(t, "README.md"), "@"+simulate.Release+"`") {
		t.Errorf("README.md does not say how to get %s", simulate.Release)
	}
	var newest string
	for _, m := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(read(t, ".github/CHANGELOG.md"), -1) {
		if m[1] != "Unreleased" {
			newest = m[1]
			break
		}
	}
	if newest != simulate.Release {
		t.Errorf("the changelog's newest version is %q, want %s", newest, simulate.Release)
	}
}
