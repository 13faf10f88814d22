// Package mutant breaks the toolkit's code on purpose, to see whether anything notices.
//
//   - [Read] finds every draw of noise and every sensitivity, by the types of the code.
//   - [Module.Sources] is the code with a switch at each of them; package act has the switches.
//   - [Module.Mutations] lists what can be switched on, one at a time.
//
// One program holds all mutations, and an environment variable chooses one, so that hundreds of
// them take one compilation.
package mutant

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dpbandits/dpbandits/pkg/cmd/overlay"
	"github.com/dpbandits/dpbandits/pkg/internal/mutant/act"
)

// A Run makes mutations, one at a time, and sees which tests fail by them.
type Run struct {
	Every int           // make one mutation of so many; 0 means all
	Limit time.Duration // tests that take longer do not count
	Seeds int           // how many other seeds a test has to pass unmutated; 0 means 10
	// In lists the packages, such as "pkg/mechanism", whose tests are run. Nil means all that have
	// sites, and privacytest.
	In      []string
	Then    []string // and those of these packages, where all others pass
	Only    *regexp.Regexp
	Workers int
	Log     func(format string, args ...any)

	module   *Module
	dir      string
	checks   []*check
	programs map[string]string // by package
	mu       sync.Mutex
}

// A Result says what became of a mutation.
type Result struct {
	Mutation
	Caught string // the test that fails by it; "" if none does
}

// check is a test of a package.
type check struct {
	unit    *unit
	name    string
	privacy bool // it calls what measures privacy
	took    time.Duration
	reached map[string]bool // what acts, by site and what happened there

	kills map[int][]string // by site, the parts that noticed a mutation there
	parts map[string]*part
}

// part is a part of a test, or all of it.
type part struct {
	once   sync.Once
	steady bool         // it passes under other seeds, without any mutation
	idle   map[int]bool // by site, whether it fails although nothing changes there
}

// alone returns the pattern of a part of a test.
func alone(name string) string {
	levels := strings.Split(name, "/")
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l) + "$"
	}
	return strings.Join(levels, "/")
}

func (c *check) String() string { return filepath.Base(c.unit.ImportPath) + "." + c.name }

// excluded are the names of tests that hold numbers against numbers, or the ledger's list against
// the plan's. They do not count, nor does a part of a test that is named like that. A part that is
// named after what is published is a subject, and counts.
var (
	excluded = regexp.MustCompile(`(?i)golden|numbers|reference|peers|published|printed|ledger|claims`)
	apart    = regexp.MustCompile(`(?i)/.*(golden|numbers|reference|peers|ledger|claims)`)
)

// measures are the names of tests that measure a sensitivity by themselves.
var measures = regexp.MustCompile(`(?i)sensitiv|neighbour|privacy|moves`)

// Do makes the mutations, in a directory for programs. It returns a result for each that was made.
// One that no test can reach, as nothing draws twice there, or more than one number, is not made.
func (r *Run) Do(ctx context.Context, m *Module, dir string) ([]Result, error) {
	r.module, r.dir, r.programs = m, dir, map[string]string{}
	if err := r.prepare(ctx, r.In); err != nil {
		return nil, err
	}
	var results []Result
	for _, x := range m.Mutations() {
		name := m.Sites[x.Site].Place + " " + m.Sites[x.Site].Name + " " + x.Kind
		if (r.Only == nil || r.Only.MatchString(name)) && r.happens(x) {
			results = append(results, Result{Mutation: x})
		}
	}
	if r.Every > 1 {
		all := results
		results = nil
		for i := r.Every / 2; i < len(all); i += r.Every {
			results = append(results, all[i])
		}
	}
	if err := r.attackAll(ctx, results); err != nil || r.Then == nil || len(m.Survivors(results)) == 0 {
		return results, err
	}
	before := r.checks
	r.checks = nil
	if err := r.prepare(ctx, r.Then); err != nil {
		return results, err
	}
	err := r.attackAll(ctx, results)
	r.checks = append(before, r.checks...)
	return results, err
}

// prepare compiles tests, and finds out what they reach.
func (r *Run) prepare(ctx context.Context, in []string) error {
	if err := r.build(ctx, in); err != nil {
		return err
	}
	return r.trace(ctx)
}

// attackAll attacks the mutations that nothing has caught.
func (r *Run) attackAll(ctx context.Context, results []Result) error {
	return r.each(ctx, len(results), func(i int) error {
		x := &results[i]
		if x.Caught != "" {
			return nil
		}
		start := time.Now()
		caught, err := r.attack(ctx, x.Mutation)
		if err != nil {
			return err
		}
		x.Caught = caught
		if caught == "" {
			caught = "SURVIVES"
		}
		s := r.module.Sites[x.Site]
		r.Log("%-6s %s: %s: %s (%v)", x.Kind, s.Place, s.Name, caught, time.Since(start).Round(100*time.Millisecond))
		return nil
	})
}

// each calls f for all of so many, some at a time.
func (r *Run) each(ctx context.Context, n int, f func(i int) error) error {
	var wg sync.WaitGroup
	var errs []error
	next := make(chan int)
	for range max(1, r.Workers) {
		wg.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					r.mu.Lock()
					errs = append(errs, err)
					r.mu.Unlock()
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// build compiles the tests of the packages that have sites, and those of privacytest.
func (r *Run) build(ctx context.Context, in []string) error {
	sources, err := r.module.Sources()
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, s := range r.module.Sites {
		has[filepath.Dir(s.Place)] = true
	}
	for _, path := range slices.Sorted(maps.Keys(r.module.packages)) {
		u := r.module.packages[path]
		rel, err := filepath.Rel(r.module.root, u.Dir)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); in == nil && !has[rel] && rel != "pkg/privacy/privacytest" || in != nil && !slices.Contains(in, rel) {
			continue
		}
		start, dir := time.Now(), filepath.Join(r.dir, strings.ReplaceAll(rel, "/", "-"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if r.programs[path], err = overlay.Build(ctx, dir, u.Dir, sources, "test", "-c", "-vet=off", "."); err != nil {
			return fmt.Errorf("mutant: %s: %w", rel, err)
		}
		names, err := r.tests(u)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !excluded.MatchString(name) {
				r.checks = append(r.checks, &check{unit: u, name: name, privacy: names[name] || measures.MatchString(name), kills: map[int][]string{}, parts: map[string]*part{}})
			}
		}
		r.Log("compiled the tests of %s in %v", rel, time.Since(start).Round(100*time.Millisecond))
	}
	return nil
}

// tests lists the tests of a package, and whether each calls what measures privacy, itself or by
// functions of the tests.
func (r *Run) tests(u *unit) (map[string]bool, error) {
	uses, measuring := map[string]map[string]bool{}, map[string]bool{}
	for _, name := range slices.Concat(u.TestGoFiles, u.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(u.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			of := map[string]bool{}
			uses[fn.Name.Name] = of
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && (x.Name == "privacytest" || x.Name == "audit" || x.Name == "suite") {
						measuring[fn.Name.Name] = true
					}
				case *ast.Ident:
					of[n.Name] = true
				}
				return true
			})
		}
	}
	here := filepath.Base(u.ImportPath) == "privacytest" || filepath.Base(u.ImportPath) == "suite"
	tests := map[string]bool{}
	for name := range uses {
		if !strings.HasPrefix(name, "Test") || name == "TestMain" {
			continue
		}
		reach := map[string]bool{}
		var visit func(string)
		visit = func(n string) {
			if uses[n] != nil && !reach[n] {
				reach[n] = true
				for next := range uses[n] {
					visit(next)
				}
			}
		}
		visit(name)
		tests[name] = here
		for n := range reach {
			tests[name] = tests[name] || measuring[n]
		}
	}
	return tests, nil
}

// trace runs each test without mutation, and keeps those that pass in time and reach a site. What a
// test reaches is kept beside its program, in case another run has the same.
func (r *Run) trace(ctx context.Context) error {
	start := time.Now()
	hashes := map[string]string{}
	for path, program := range r.programs {
		text, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		hashes[path] = fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	}
	err := r.each(ctx, len(r.checks), func(i int) error {
		c := r.checks[i]
		file := filepath.Join(filepath.Dir(r.programs[c.unit.ImportPath]), hashes[c.unit.ImportPath]+"-"+c.name)
		list, err := os.ReadFile(file)
		if err != nil {
			os.Remove(file + ".new")
			out := r.test(ctx, c, "^"+c.name+"$", false, act.Trace+"="+file+".new")
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !out.passed && len(out.failed) == 0 {
				r.Log("%v does not count: %s", c, out.why)
				return nil
			}
			list, err = os.ReadFile(file + ".new")
			if err != nil && !os.IsNotExist(err) {
				return err
			}
			list = append(list, fmt.Sprintln("took", int64(out.took))...)
			if err := os.WriteFile(file, list, 0o600); err != nil {
				return err
			}
		}
		c.reached = map[string]bool{}
		for line := range strings.Lines(string(list)) {
			line = strings.TrimSpace(line)
			if t, ok := strings.CutPrefix(line, "took "); ok {
				n, err := strconv.ParseInt(t, 10, 64)
				if err != nil {
					return err
				}
				c.took = time.Duration(n)
				continue
			}
			c.reached[line] = true
		}
		return nil
	})
	r.checks = slices.DeleteFunc(r.checks, func(c *check) bool { return len(c.reached) == 0 })
	r.Log("%d tests reach noise or a sensitivity (%v)", len(r.checks), time.Since(start).Round(time.Second))
	return err
}

// outcome is what became of a test.
type outcome struct {
	passed bool
	failed []string // the subtests that failed, those without subtests of their own
	why    string
	took   time.Duration // of a processor
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// test runs a test with a changed environment.
func (r *Run) test(ctx context.Context, c *check, pattern string, fast bool, env ...string) outcome {
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	args := []string{"-test.run=" + pattern, "-test.count=1", "-test.short"}
	if fast {
		args = append(args, "-test.failfast")
	}
	cmd := exec.CommandContext(ctx, r.programs[c.unit.ImportPath], args...)
	cmd.Dir = c.unit.Dir
	cmd.Env = append(append(os.Environ(), "SCALE=smoke", "GOMAXPROCS=1"), env...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var took time.Duration
	if s := cmd.ProcessState; s != nil {
		took = s.UserTime() + s.SystemTime()
	}
	switch {
	case ctx.Err() != nil:
		return outcome{why: fmt.Sprintf("it takes longer than %v", r.Limit)}
	case err == nil:
		return outcome{passed: true, took: took}
	}
	all := failure.FindAllStringSubmatch(out.String(), -1)
	var leaves []string
	for _, f := range all {
		if !slices.ContainsFunc(all, func(g []string) bool { return strings.HasPrefix(g[1], f[1]+"/") }) {
			leaves = append(leaves, f[1])
		}
	}
	if len(leaves) == 0 {
		leaves = []string{c.name} // it panics
	}
	first, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return outcome{failed: leaves, why: first}
}

// needs is what has to happen at a site for a mutation to change anything.
func (x Mutation) needs() string {
	what := "draw"
	switch x.Kind {
	case act.Later, act.Skip2, act.Reuse:
		what = "again"
	case act.Part, act.Repeat:
		what = "wide"
	}
	return strconv.Itoa(x.Site) + " " + what
}

// happens reports whether a mutation changes anything in a test. One of a site that no test reaches
// counts as one that does, unless only some packages are tested.
func (r *Run) happens(x Mutation) bool {
	reached := false
	for _, c := range r.checks {
		if c.reached[x.needs()] {
			return true
		}
		reached = reached || c.reached[strconv.Itoa(x.Site)+" draw"]
	}
	return r.In == nil && !reached && (x.Kind == act.Halve || x.Kind == act.Skip || x.Kind == act.Shrink)
}

// attack runs the tests that may notice a mutation until one does.
func (r *Run) attack(ctx context.Context, x Mutation) (string, error) {
	var may []*check
	for _, c := range r.checks {
		if c.reached[x.needs()] && (x.Kind != act.Shrink || c.privacy) {
			may = append(may, c)
		}
	}
	s := r.module.Sites[x.Site]
	subject, _, _ := strings.Cut(strings.ToLower(s.Name), ".")
	subject = strings.TrimSuffix(subject, "run") // such as treeRun, of Tree
	r.mu.Lock()
	rank := map[*check]int{}
	var first []*check // what has noticed another mutation of the site
	for _, c := range may {
		switch {
		case len(c.kills[x.Site]) > 0:
			first = append(first, c)
			fallthrough
		case r.near(c, s):
			rank[c] = -3
		case strings.Contains(strings.ToLower(c.name), subject):
			rank[c] = -2
		case len(c.kills) > 0 || c.privacy:
			rank[c] = -1
		}
	}
	var again []found
	for _, c := range first {
		for _, name := range c.kills[x.Site] {
			again = append(again, found{c, name})
		}
	}
	r.mu.Unlock()
	for _, f := range again {
		if r.counts(ctx, f.check, x, []string{f.name}) != "" {
			return filepath.Base(f.check.unit.ImportPath) + "." + f.name, nil
		}
	}
	slices.SortStableFunc(may, func(a, b *check) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a.took, b.took)) })
	for _, c := range may {
		out := r.test(ctx, c, "^"+c.name+"$", true, x.env()...)
		if len(out.failed) == 0 {
			continue
		}
		name := r.counts(ctx, c, x, out.failed)
		if name == "" { // another part of the test may count
			name = r.counts(ctx, c, x, r.test(ctx, c, "^"+c.name+"$", false, x.env()...).failed)
		}
		if name != "" {
			r.mu.Lock()
			if !slices.Contains(c.kills[x.Site], name) {
				c.kills[x.Site] = append(c.kills[x.Site], name)
			}
			r.mu.Unlock()
			return filepath.Base(c.unit.ImportPath) + "." + name, nil
		}
	}
	return "", ctx.Err()
}

// near reports whether a test has noticed a mutation in the file of a site.
func (r *Run) near(c *check, s Site) bool {
	file, _, _ := strings.Cut(s.Place, ":")
	for site := range c.kills {
		if strings.HasPrefix(r.module.Sites[site].Place, file+":") {
			return true
		}
	}
	return false
}

// env is what makes the mutation. The noise that a mutation of a draw changes has been written into
// the ledger by then, as it was; for one of a sensitivity the ledger is silenced.
func (x Mutation) env() []string {
	env := []string{fmt.Sprintf("%s=%d:%s", act.Mutant, x.Site, x.Kind)}
	if x.Kind == act.Shrink {
		env = append(env, act.Blind+"=1")
	}
	return env
}

// found is a part of a test that noticed a mutation.
type found struct {
	check *check
	name  string
}

// counts returns the first of the failed parts of a test that fails by the mutation when it runs
// alone, passes unmutated under other seeds, and is neither about the ledger nor about golden
// numbers. A part that does not fail alone counts with the one that it belongs to.
func (r *Run) counts(ctx context.Context, c *check, x Mutation, failed []string) string {
	for _, name := range failed {
		if apart.MatchString(name) {
			continue
		}
		for len(r.test(ctx, c, alone(name), true, x.env()...).failed) == 0 && name != c.name {
			name = name[:strings.LastIndex(name, "/")]
		}
		if r.steady(ctx, c, name) && !r.idle(ctx, c, name, x) {
			return name
		}
	}
	return ""
}

// part returns what is known of a part of a test.
func (r *Run) part(c *check, name string) *part {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.parts[name] == nil {
		c.parts[name] = &part{idle: map[int]bool{}}
	}
	return c.parts[name]
}

// steady reports whether a part of a test passes, unmutated, under other seeds.
func (r *Run) steady(ctx context.Context, c *check, name string) bool {
	p := r.part(c, name)
	p.once.Do(func() {
		for seed := range cmp.Or(r.Seeds, 10) {
			if !r.test(ctx, c, alone(name), true, fmt.Sprintf("%s=%d", act.Reseed, seed+1)).passed {
				if ctx.Err() == nil {
					r.Log("%s does not count: it fails under seed %d", name, seed+1)
				}
				return
			}
		}
		p.steady = true
	})
	return p.steady
}

// idle reports whether a part of a test fails because something happens at the site at all, such as
// a count of allocations.
func (r *Run) idle(ctx context.Context, c *check, name string, x Mutation) bool {
	p := r.part(c, name)
	r.mu.Lock()
	fails, known := p.idle[x.Site]
	r.mu.Unlock()
	if !known {
		fails = !r.test(ctx, c, alone(name), true, append(x.env(), fmt.Sprintf("%s=%d:%s", act.Mutant, x.Site, act.None))...).passed
		r.mu.Lock()
		p.idle[x.Site] = fails
		r.mu.Unlock()
	}
	return fails
}

// Survivors lists what no test noticed, a line each.
func (m *Module) Survivors(results []Result) (lines []string) {
	for _, x := range results {
		if x.Caught == "" {
			s := m.Sites[x.Site]
			lines = append(lines, fmt.Sprintf("%s: %s: %s survives", s.Place, s.Name, x.Kind))
		}
	}
	return lines
}
