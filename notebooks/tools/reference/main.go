// Reference prints the pages of the site that are made from Go, as JSON: the reference of every
// package that others import, the leaderboard and the scorecard. notebooks/tools/site_pages.py puts
// them into the site.
//
// The standard library does the work (go/doc, go/doc/comment): it parses the packages and turns
// their comments into HTML. What is here lays that out.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/scorecard"
	"github.com/dpbandits/dpbandits/notebooks/survey"
)

const module = "github.com/dpbandits/dpbandits/"

// Page is a page of the site, without the frame that all pages have.
type Page struct {
	Path    string  `json:"path"` // from the site's root
	Title   string  `json:"title"`
	Summary string  `json:"summary"`
	Body    string  `json:"body"`
	Live    bool    `json:"live"` // wants the charting library
	Entries []Entry `json:"entries"`
}

// Entry is something that the search finds on a page.
type Entry struct {
	Name   string `json:"name"`
	Anchor string `json:"anchor"`
	Text   string `json:"text"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run() error {
	pages, err := packages(".")
	if err != nil {
		return err
	}
	board, err := leaderboard()
	if err != nil {
		return err
	}
	score, err := scores()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(append(pages, board, score))
}

// scores is the page of the committed scorecard.
func scores() (Page, error) {
	rows, err := scorecard.Committed()
	if err != nil {
		return Page{}, err
	}
	p := Page{Path: "scorecard.html", Title: "Scorecard", Entries: []Entry{},
		Summary: "Every number that the five papers print: ours with its error, and whether it agrees, differs, or is not run."}
	for _, paper := range scorecard.Papers {
		p.Entries = append(p.Entries, Entry{Name: "Scorecard: " + paper.Name, Anchor: paper.Name, Text: paper.Title})
	}
	p.Body, err = scorecard.HTML(rows)
	return p, err
}

func leaderboard() (Page, error) {
	rows, err := survey.Committed()
	if err != nil {
		return Page{}, err
	}
	p := Page{Path: "leaderboard.html", Title: "Leaderboard", Live: true, Entries: []Entry{},
		Summary: "Every learner on nine problems: what it was asked for, what it proves, what an audit excludes, and its regret."}
	board := survey.Board(rows)
	board.Filters = []charts.Filter{{Header: "environment", Start: "5 arms, spread"}, {Header: "ε asked", Start: "1"}, {Header: "model"}}
	for _, item := range []charts.Item{board, survey.Ratios(rows)} {
		chunk, err := item.HTML()
		if err != nil {
			return Page{}, err
		}
		p.Body += chunk
	}
	return p, nil
}

// packages returns the page of every package under root that others import.
func packages(root string) (pages []Page, err error) {
	var dirs []string
	for _, top := range []string{"pkg", "charts", "datasets"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(dir string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				if d.Name() == "internal" || d.Name() == "testdata" {
					return fs.SkipDir
				}
				dirs = append(dirs, dir)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		p, err := read(dir, module+filepath.ToSlash(rel))
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		page, err := p.page()
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// pkg is a package with its documentation.
type pkg struct {
	*doc.Package
	fset *token.FileSet
}

// read returns the package in a directory, or nil if there is none for others to import.
func read(dir, importPath string) (*pkg, error) {
	found, err := build.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) || err == nil && (found.IsCommand() || len(found.GoFiles) == 0) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(found.GoFiles, found.TestGoFiles, found.XTestGoFiles) {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &pkg{d, fset}, nil
}

// place returns a package's page, from the site's root.
func place(importPath string) string {
	return "api/" + strings.ReplaceAll(strings.TrimPrefix(importPath, module), "/", "-") + ".html"
}

// html turns a comment into HTML, whose links to our packages stay on the site.
func (p *pkg) html(text string) template.HTML {
	printer := p.Printer()
	printer.HeadingLevel = 3
	printer.DocLinkURL = func(l *comment.DocLink) string {
		name := l.Name
		if l.Recv != "" {
			name = l.Recv + "." + name
		}
		anchor := ""
		if name != "" {
			anchor = "#" + name
		}
		switch {
		case l.ImportPath == "":
			return anchor
		case strings.HasPrefix(l.ImportPath, module):
			return path.Base(place(l.ImportPath)) + anchor
		}
		return "https://pkg.go.dev/" + l.ImportPath + anchor
	}
	return template.HTML(printer.HTML(p.Parser().Parse(text)))
}

// source returns a declaration as it is written, without what others cannot use.
func (p *pkg) source(node any) (string, error) {
	var b bytes.Buffer
	err := format.Node(&b, p.fset, node)
	return b.String(), err
}

// example is an example as its page shows it.
type example struct{ Title, Doc, Code, Output string }

var outputComment = regexp.MustCompile(`(?m)\n\s*// (Unordered output|Output):(?s:.*)`)

func (p *pkg) examples(list []*doc.Example) (shown []example, err error) {
	for _, e := range list {
		code, err := p.source(&printer.CommentedNode{Node: e.Code, Comments: e.Comments})
		if err != nil {
			return nil, err
		}
		if body, ok := strings.CutPrefix(code, "{\n"); ok { // the body of a function
			body = outputComment.ReplaceAllString(strings.TrimSuffix(body, "}"), "")
			code = strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
		}
		title := "Example"
		if e.Suffix != "" {
			title += " (" + e.Suffix + ")"
		}
		shown = append(shown, example{title, strings.TrimSpace(e.Doc), strings.TrimRight(code, "\n"), e.Output})
	}
	return shown, nil
}

// section is a declaration with what belongs to it.
type section struct {
	Anchor, Title, Source string
	Doc                   template.HTML
	Examples              []example
	Level                 int // 2 for what belongs to a type
	Names                 []string
	Inside                []string // anchors of the names that the source declares besides
	Text                  string
}

// members returns the anchors of a struct's fields and of an interface's methods.
func members(t *ast.TypeSpec) (anchors []string) {
	var list *ast.FieldList
	switch kind := t.Type.(type) {
	case *ast.StructType:
		list = kind.Fields
	case *ast.InterfaceType:
		list = kind.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			anchors = append(anchors, t.Name.Name+"."+n.Name)
		}
	}
	return anchors
}

// page lays a package out: the comment, an index, and a section for each declaration.
func (p *pkg) page() (Page, error) {
	var sections []section
	var failed error
	add := func(level int, anchor, title, text string, decl ast.Decl, examples []*doc.Example, names ...string) {
		if f, ok := decl.(*ast.FuncDecl); ok {
			bare := *f
			bare.Doc, bare.Body = nil, nil
			decl = &bare
		}
		if g, ok := decl.(*ast.GenDecl); ok {
			bare := *g
			bare.Doc = nil
			decl = &bare
		}
		source, err := p.source(decl)
		shown, err2 := p.examples(examples)
		failed = errors.Join(failed, err, err2)
		inside := names[1:]
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			inside = members(g.Specs[0].(*ast.TypeSpec))
		}
		sections = append(sections, section{anchor, title, source, p.html(text), shown, level, names, inside, p.Synopsis(text)})
	}
	values := func(level int, list []*doc.Value) {
		for _, v := range list {
			add(level, v.Names[0], strings.Join(v.Names, ", "), v.Doc, v.Decl, nil, v.Names...)
		}
	}
	funcs := func(level int, list []*doc.Func) {
		for _, f := range list {
			anchor, title := f.Name, "func "+f.Name
			if f.Recv != "" {
				receiver, _, _ := strings.Cut(strings.TrimPrefix(f.Recv, "*"), "[")
				anchor = receiver + "." + f.Name
				title = "func (" + f.Recv + ") " + f.Name
			}
			add(level, anchor, title, f.Doc, f.Decl, f.Examples, anchor)
		}
	}
	values(1, p.Consts)
	values(1, p.Vars)
	funcs(1, p.Funcs)
	for _, t := range p.Types {
		add(1, t.Name, "type "+t.Name, t.Doc, t.Decl, t.Examples, t.Name)
		values(2, t.Consts)
		values(2, t.Vars)
		funcs(2, t.Funcs)
		funcs(2, t.Methods)
	}
	examples, err := p.examples(p.Examples)
	if err := errors.Join(failed, err); err != nil {
		return Page{}, fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"ImportPath": p.ImportPath, "Doc": p.html(p.Doc), "Examples": examples, "Sections": sections,
	})
	page := Page{Path: place(p.ImportPath), Title: "package " + p.Name, Summary: p.Synopsis(p.Doc), Body: b.String()}
	for _, s := range sections {
		for _, name := range s.Names {
			page.Entries = append(page.Entries, Entry{p.Name + "." + name, s.Anchor, s.Text})
		}
	}
	return page, err
}

var pageTemplate = template.Must(template.New("page").Parse(`<p><code>import "{{.ImportPath}}"</code></p>
{{.Doc}}
{{range .Examples}}{{template "example" .}}{{end}}
<h2 id="index">Index</h2>
<ul class="names">{{range .Sections}}<li class="level{{.Level}}"><a href="#{{.Anchor}}">{{.Title}}</a></li>{{end}}</ul>
{{range .Sections}}
{{if eq .Level 1}}<h2 id="{{.Anchor}}">{{.Title}}</h2>{{else}}<h3 id="{{.Anchor}}">{{.Title}}</h3>{{end}}
{{range .Inside}}<span id="{{.}}"></span>{{end}}<pre><code>{{.Source}}</code></pre>
{{.Doc}}
{{range .Examples}}{{template "example" .}}{{end}}
{{end}}
{{define "example"}}<details><summary>{{.Title}}</summary>
{{with .Doc}}<p>{{.}}</p>{{end}}<pre><code>{{.Code}}</code></pre>
{{with .Output}}<p>Output:</p><pre><code>{{.}}</code></pre>{{end}}</details>{{end}}`))
