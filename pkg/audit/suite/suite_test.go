package suite

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The arms and the tallies are attacked once, for tests of their own and for TestAudit. Each is a
// family at the confidence of Options.
var (
	attackedArms    = attacked(soundArms)
	attackedTallies = attacked(soundTallies)
)

func attacked(items func(Effort) []audit.Item) func() (audit.Report, error) {
	return sync.OnceValues(func() (audit.Report, error) {
		return audit.Family(context.Background(), items(Quick), Options)
	})
}

// attackedAll attacks all subjects as one family, but that the arms and the tallies are
// families of their own, which exclude more.
func attackedAll(t *testing.T) audit.Report {
	t.Helper()
	items := Quick.Items()
	o := Options
	o.Confidence = 1 - (1-Options.Confidence)/float64(len(items)) // as a family has
	var done []audit.Finding
	for _, family := range []func() (audit.Report, error){attackedArms, attackedTallies} {
		r, err := family()
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, r.Findings...)
	}
	others := slices.DeleteFunc(slices.Clone(items), func(item audit.Item) bool {
		about, err := item.About()
		return err == nil && slices.ContainsFunc(done, func(f audit.Finding) bool { return f.Name == about.Name })
	})
	if len(others)+len(done) != len(items) {
		t.Errorf("the suite has %d subjects, and %d arms and tallies are not among them", len(items), len(others)+len(done)-len(items))
	}
	r, err := audit.Each(t.Context(), others, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Findings = append(r.Findings, done...)
	return r
}

// TestAudit attacks the sound subjects of the suite at smoke scale; package broken tests others.
// Its seed is fixed. Over seeds, a sound claim is falsely excluded in one of 100 runs at most, but
// for those of TestArmsAudits and TestWarmUpCaught, each a family that has 1% of its own.
// Six of the attacks draw the system's noise, which has no seed: they bring a false alarm to one
// run of this test in 2000 at most (6 of 130 or more shares of 1%, by the union bound).
// Three of them, by likelihood, must see .6 of a claim: five runs saw .73 and more.
//
// Of at most five subjects less than .6 of what they prove is found, and of each of these a bound
// says that there is no more to see.
//
// With -short it attacks the mechanisms, the statistics and the devices. The tallies and the
// semi-bandits have short tests of their own.
func TestAudit(t *testing.T) {
	var r Report
	if testing.Short() {
		items := slices.Concat(soundMechanisms(Quick), Quick.Releases(), soundLocals(Quick), soundSparse(Quick))
		var err error
		if r.Sound, err = audit.Family(t.Context(), items, Options); err != nil {
			t.Fatal(err)
		}
	} else {
		r.Sound = attackedAll(t)
	}
	if !r.OK() {
		t.Errorf("%s\n%s", r.Summary(), r)
	}
	if want := fmt.Sprintf("audit: 0 of 0 broken caught, %d of %[1]d sound within their claim", len(r.Sound.Findings)); r.Summary() != want {
		t.Errorf("the last line is %q, want %q", r.Summary(), want)
	}
	power := map[string]bool{"Laplace": false, "Gaussian": false, "randomised response": false}
	for _, f := range r.Sound.Findings {
		if _, simple := power[f.Name]; simple {
			power[f.Name] = f.Epsilon >= 0.8*f.Exact
		}
		if f.Exact > 0 && f.Epsilon > f.Exact {
			t.Errorf("%s: epsilon = %v is excluded, but %v is true", f.Name, f.Epsilon, f.Exact)
		}
	}
	for name, enough := range power {
		if !enough {
			t.Errorf("%s: less than 80%% of the exact epsilon\n%s", name, r)
		}
	}
	if testing.Short() {
		return
	}
	behind := 0
	for _, s := range r.Standings() {
		if s.Share() >= s.Wanted() {
			continue
		}
		if behind++; s.AtMost == 0 || s.AtMost >= s.Wanted()*s.Best.Claim.Epsilon {
			t.Errorf("%s: %.4g of %.4g is found, and no bound says that there is no more to see", s.Subject, s.Best.Epsilon, s.Best.Claim.Epsilon)
		}
	}
	if behind > 5 {
		t.Errorf("of %d subjects less than %v is found, want at most 5", behind, Standing{}.Wanted())
	}
}

func TestStandings(t *testing.T) {
	claim := privacy.Budget{Epsilon: 2}
	finding := func(name string, epsilon, exact, most float64) audit.Finding {
		return audit.Finding{About: audit.About{Name: name, Claim: claim, Exact: exact, AtMost: most}, Epsilon: epsilon}
	}
	r := Report{Sound: audit.Report{Findings: []audit.Finding{
		finding("A: actions", 0.5, 0, 0), finding("B", 1.8, 2, 0), finding("A: releases, by likelihood", 1.5, 0, 1.7),
		finding("B, beyond its bounds", 1, 2, 0), finding("C, by likelihood", 0, 0, 0.1),
	}}}
	var got []string
	for _, s := range r.Standings() {
		got = append(got, fmt.Sprint(s.Subject, " ", s.Best.Name, " ", s.Share(), " ", s.AtMost))
	}
	want := []string{"A A: releases, by likelihood 0.75 1.7", "B B 0.9 2", "C C, by likelihood 0 0.1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAuditCatches sees the suite fail when a sound subject is broken, and when a broken one is
// sound.
func TestAuditCatches(t *testing.T) {
	caught := Report{Broken: audit.Report{Findings: []audit.Finding{{Epsilon: 2, About: audit.About{Name: "b"}}}}, Sound: audit.Report{Findings: []audit.Finding{{}}}}
	if !caught.OK() {
		t.Error("a suite as it should be is not OK")
	}
	escaped, wrong := caught, caught
	escaped.Broken.Findings = []audit.Finding{{}}
	wrong.Sound.Findings = []audit.Finding{{Epsilon: 2}}
	failed := caught
	failed.Sound.Findings = []audit.Finding{{Failed: [2]int{0, 1}, Failure: "round 1"}}
	if escaped.OK() || wrong.OK() || failed.OK() {
		t.Error("a suite with a broken fixture that escapes, a sound claim that is excluded, or a sound subject that fails, is OK")
	}
	if want := "audit: 0 of 1 broken caught, 1 of 1 sound within their claim"; escaped.Summary() != want {
		t.Errorf("%q, want %q", escaped.Summary(), want)
	}
	if want := "audit: 1 of 1 broken caught, 0 of 1 sound within their claim"; wrong.Summary() != want {
		t.Errorf("%q, want %q", wrong.Summary(), want)
	}
}

// claimNothing are descriptions of pkg/mechanism, pkg/learner and pkg/online without privacy. A
// server is not listed: what it receives is private, by its device's claim.
var claimNothing = []string{
	"continual.Exact", "tally.Counts", "continual.VectorExact",
	"slots.CTSBeta", "sparse.DoublyRobustLasso", "sparse.LassoBandit", "learner.Random", "sparse.SparsityAgnostic",
	"sparse.SupportOracle", "sparse.ThresholdedLasso",
	"online.FTPL", "online.Maler", "online.MetaGrad", "online.OGD", "online.ONS",
}

// TestEverythingIsAudited: each type of pkg/mechanism, pkg/learner and pkg/online that can be
// opened is named in the suite's source, unless it claims nothing.
func TestEverythingIsAudited(t *testing.T) {
	claimants := map[string]bool{}
	files := token.NewFileSet()
	for _, dir := range []string{
		"mechanism", "mechanism/continual", "mechanism/tally", "mechanism/episodes", "learner", "learner/linear", "learner/local", "learner/slots", "learner/sparse", "online",
	} {
		names, err := filepath.Glob("../../" + dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Open" {
					if of := receiver(f); ast.IsExported(of) && of != "Anytime" && !strings.HasSuffix(of, "Server") {
						claimants[path.Base(dir)+"."+of] = true
					}
				}
			}
		}
	}
	for _, name := range claimNothing {
		if !claimants[name] {
			t.Errorf("claimNothing lists %s, which is not there", name)
		}
		delete(claimants, name)
	}
	if len(claimants) < 40 {
		t.Errorf("%d types make claims, want the 40 that there are at least: %v", len(claimants), claimants)
	}
	made := map[string]string{ // by constructors, and by the methods of what describes the noise
		"learner.New": "learner.Private", "online.Combiner": "local.CombinerDevice",
		"local.AmplifiedNoise": "local.AmplifiedDevice", "local.VectorSum": "local.VectorSumDevice",
	}
	for _, name := range []string{"suite", "local", "matroid", "semibandit", "arms", "sparse", "stopping", "survey", "linear"} {
		file, err := parser.ParseFile(files, name+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); ok {
					name := fmt.Sprintf("%v.%s", s.X, s.Sel.Name)
					delete(claimants, name)
					delete(claimants, made[name])
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok {
					delete(claimants, made[fmt.Sprintf("%v.%s", s.X, s.Sel.Name)])
				}
			}
			return true
		})
	}
	for name := range claimants {
		t.Errorf("%s makes a claim and is not in the audit suite", name)
	}
}

// receiver returns the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return fmt.Sprint(of)
}
