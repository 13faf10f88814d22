package privacytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/value"
)

const module = "github.com/dpbandits/dpbandits/"

// fields makes each learner, device and policy, and each exported type that has a plan, by the
// fields that it takes. A new type wants a line here, or in begun. A policy does not if the
// catalogue has it, or if its zero value is ready for use.
var fields = map[string]string{
	"learner.Private[privacy.Sums]":  "Policy: linear.UCB{}, Statistic: continual.BLT{Budget: approximate}",
	"learner.Private[privacy.Means]": "Policy: slots.OMM{Matroid: pick()}, Statistic: tally.Blocks{Budget: pure}",
	"learner.Metered":                "Learner: slots.OMM{Matroid: pick()}.Private(1), Budget: pure",
	"learner.Delayed":                "Learner: slots.OMM{Matroid: pick()}.Private(1), Most: 2",
	"learner.Kernel":                 "Learner: learner.New(linear.UCB{}, privacy.Accumulator(continual.BLT{Budget: approximate}))",
	"learner.RandomisedAction":       "Learner: slots.OMM{Matroid: pick()}.Private(1), Epsilon: 1",
	"learner.Local": "Device: local.LDPDevice{Noise: local.LDPNoise{Budget: approximate}}," +
		"Server: local.LDPServer{Noise: local.LDPNoise{Budget: approximate}}",
	"local.LDPDevice":         "Noise: local.LDPNoise{Budget: approximate}",
	"local.OnlineDevice":      "Noise: local.OnlineNoise{Budget: approximate}",
	"local.WeightedDevice":    "Budget: approximate",
	"local.CombinerDevice":    "Noise: local.OnlineNoise{Budget: approximate}",
	"local.AmplifiedDevice":   "Noise: local.AmplifiedNoise{Budget: approximate, Batch: 20}",
	"sparse.SparseBitsDevice": "Bits: sparse.SparseBits{Budget: pure, Sparsity: 1, Signal: 1}",
	"local.VectorSumDevice":   "Noise: local.VectorSum{Budget: approximate, Batch: 20}",

	"learner.Private[episodes.SparseGram]": "Policy: sparse.SparseJDP{}, Statistic: episodes.SparseEpisodes{" + perEpisode + "}",

	"learner.Private[episodes.SparseTheta]": "Policy: sparse.FLIPHAT{}, Statistic: episodes.NoisyIHT{" + thresholding + "}",

	"learner.Private[continual.Batch]": "Policy: linear.Weighted{}, Statistic: continual.VectorBatches{Budget: approximate}",

	"slots.OMM":   "Matroid: pick()",
	"slots.CTS":   "Matroid: pick()",
	"slots.KLOSM": "Matroid: pick()",

	"careless.Learner": "Of: slots.OMM{Matroid: pick()}.Private(1)",
}

// entered returns the fields of a policy in a private entry of the catalogue, "" if there is none.
func entered(name string) string {
	p := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
	for _, e := range catalogue.All() {
		policy := reflect.Indirect(reflect.ValueOf(e.New(p, privacy.Budget{Epsilon: 1, Delta: 1e-5}))).FieldByName("Policy")
		if !e.Private || !policy.IsValid() {
			continue
		}
		text, err := value.Go(policy.Interface())
		if of, values, ok := strings.Cut(text, "{"); err == nil && ok && of == name {
			return strings.TrimSuffix(values, "}")
		}
	}
	return ""
}

// bare are learners that claim nothing.
var bare = []string{
	"slots.CTSBeta", "sparse.DoublyRobustLasso", "sparse.LassoBandit", "learner.Random", "sparse.SparsityAgnostic",
	"sparse.SupportOracle", "sparse.ThresholdedLasso",
}

// begun makes each exported type that has a plan and is met in a run only.
var begun = map[string]string{
	"online.ExpertsCalibrated":                 "any(advised())",
	"online.ExpertsRun":                        "any(advised().Start(rand.New(rand.NewPCG(1, 1)), rand.NewPCG(1, 2)))",
	"learner.PrivateRun[privacy.Sums]":         "start(learner.New(linear.UCB{}, privacy.Accumulator(continual.BLT{Budget: approximate})))",
	"learner.PrivateRun[privacy.Means]":        "start(slots.OMM{Matroid: pick()}.Private(1))",
	"learner.PrivateRun[continual.Batch]":      "start(learner.New(linear.Weighted{}, continual.VectorBatches{Budget: approximate}))",
	"learner.PrivateRun[episodes.SparseGram]":  "start(" + refined + ")",
	"learner.PrivateRun[episodes.SparseTheta]": "start(" + hardened + ")",
	"learner.LocalRun": "start(learner.Local{Device: local.LDPDevice{Noise: local.LDPNoise{Budget: approximate}}," +
		"Server: local.LDPServer{Noise: local.LDPNoise{Budget: approximate}}})",
}

const (
	refined  = "learner.New(sparse.SparseJDP{}, privacy.Statistic[episodes.SparseGram](episodes.SparseEpisodes{" + perEpisode + "}))"
	hardened = "learner.New(sparse.FLIPHAT{}, privacy.Statistic[episodes.SparseTheta](episodes.NoisyIHT{" + thresholding + "}))"
)

// episodes are the fields of a SparseEpisodes.
const perEpisode = "Budget: approximate, Concentrated: true, Lengths: episodes.Growing{Least: 2}," +
	"Phases: []episodes.Phase{{Picks: 1, Share: 0.5, Norm: 1, Reward: 1}}"

// thresholding are the fields of a NoisyIHT.
const thresholding = "Budget: approximate, Calibration: privacy.AsPublished, Sparsity: 1, L1: 1"

// careless is a package whose type takes over a plan without looking who holds it.
const careless = `package careless

import (
	"` + module + `pkg/bandit"
	"` + module + `pkg/privacy"
)

type Learner struct{ Of bandit.Learner }

type ready struct{ bandit.Calibrated }

func (l Learner) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	of, err := l.Of.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	return &ready{of}, nil
}

func (r *ready) Plan(records int) privacy.Plan { return r.Calibrated.(privacy.Planner).Plan(records).HeldBy(r) }
`

// TestHolder embeds every exported type that has a plan in a type outside pkg/, by pointer and by
// value, overrides one method after the other, and asks what the outer type claims: nothing. It
// embeds every learner and every device, too, has Open embed what that opens to, and asks what each
// type claims that reads it: nothing. A policy may be embedded. That the test can fail is seen on a
// reader that is careless. It takes the compiler 10 s; with -short one method of each type is
// overridden, and Open. For what a statistic opens to see TestHolderOfMechanisms.
func TestHolder(t *testing.T) {
	failures := holders(t, "pkg/learner", "pkg/learner/linear", "pkg/learner/local", "pkg/learner/slots", "pkg/learner/sparse", "pkg/learner/arms", "pkg/online", "careless")
	for _, want := range []string{"careless.Learner.Of reads learner.Metered, Open overridden, by pointer", "reads learner.Delayed, Open overridden, by value"} {
		if !slices.ContainsFunc(failures, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("a careless reader is not caught: no failure says %q: %q", want, failures)
		}
	}
	for _, f := range failures {
		if !strings.HasPrefix(f, "careless.Learner.Of reads ") {
			t.Error(f)
		}
	}
}

// holders generates a program about the types of packages, runs it, and returns what it finds
// wrong.
func holders(t *testing.T, packages ...string) []string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	replace := make(map[string]string)
	add := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, name)] = file
		all, err := json.Marshal(map[string]any{"Replace": replace})
		if err == nil {
			err = os.WriteFile(overlay, all, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	goTool := func(args ...string) []byte {
		command := exec.Command("go", slices.Insert(args, 1, "-overlay="+overlay)...)
		command.Dir = root
		var stderr bytes.Buffer
		command.Stderr = &stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go %v: %v\n%s%s", args, err, stderr.Bytes(), out)
		}
		return out
	}
	add("careless/careless.go", careless)
	g := generator{t: t, imports: map[string]bool{}}
	list := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./pkg/privacy"}
	for _, path := range packages {
		list = append(list, "./"+path)
	}
	for _, line := range strings.Fields(string(goTool(list...))) {
		name, file, _ := strings.Cut(line, "=")
		g.exports = append(g.exports, [2]string{name, file})
	}
	add("holders/main.go", g.program(packages))
	out := string(goTool("run", "-gcflags=-N -l", "-ldflags=-s -w", "./holders"))
	var failures []string
	checked := 0
	for line := range strings.Lines(out) {
		if line, failed := strings.CutPrefix(strings.TrimSpace(line), "FAIL "); failed {
			failures = append(failures, line)
		}
		fmt.Sscanf(line, "checked %d", &checked)
	}
	if checked < 150 {
		t.Errorf("%d values checked, want hundreds; output: %s", checked, out)
	}
	t.Logf("%d values checked", checked)
	return failures
}

// generator writes the program.
type generator struct {
	t       *testing.T
	exports [][2]string // import path and export data
	imports map[string]bool
	types   bytes.Buffer
	table   bytes.Buffer
	count   int
	privacy *types.Package
}

func (g *generator) program(packages []string) string {
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		for _, e := range g.exports {
			if e[0] == path {
				return os.Open(e[1])
			}
		}
		return nil, fmt.Errorf("no export data of %s", path)
	})
	load := func(path string) *types.Package {
		p, err := from.Import(module + path)
		if err != nil {
			g.t.Fatal(err)
		}
		return p
	}
	g.privacy = load("pkg/privacy")
	for _, path := range packages {
		p := load(path)
		for _, name := range p.Scope().Names() {
			of, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || !of.Exported() || of.IsAlias() {
				continue
			}
			named := of.Type().(*types.Named)
			if _, ok := named.Underlying().(*types.Struct); !ok {
				continue
			}
			if named.TypeParams().Len() == 0 {
				g.subject(named, name)
				continue
			}
			for _, release := range []types.Object{
				g.privacy.Scope().Lookup("Sums"), g.privacy.Scope().Lookup("Means"), load("pkg/mechanism/episodes").Scope().Lookup("SparseGram"),
				load("pkg/mechanism/episodes").Scope().Lookup("SparseTheta"),
			} {
				made, err := types.Instantiate(nil, named, []types.Type{release.Type()}, true)
				if err != nil {
					g.t.Fatal(err)
				}
				g.subject(made.(*types.Named), name)
			}
		}
	}
	var text bytes.Buffer
	text.WriteString("package main\n\nimport (\n")
	for _, path := range []string{"pkg/bandit", "pkg/privacy", "pkg/learner", "pkg/mechanism/continual", "pkg/mechanism/episodes", "pkg/mechanism/tally", "pkg/matroid"} {
		g.imports[module+path] = true
	}
	g.imports["fmt"], g.imports["math/rand/v2"] = true, true
	for path := range g.imports {
		fmt.Fprintf(&text, "\t%q\n", path)
	}
	fmt.Fprintf(&text, ")\n%s\nvar table = []subject{\n%s}\n%s", holderProgram, g.table.Bytes(), g.types.Bytes())
	pretty, err := format.Source(text.Bytes())
	if err != nil {
		g.t.Fatalf("%v\n%s", err, text.Bytes())
	}
	return string(pretty)
}

// name writes a type as the program has to.
func (g *generator) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		g.imports[p.Path()] = true
		return p.Name()
	})
}

var unexported = regexp.MustCompile(`\b[a-z]+\.[a-z]`)

// subject writes what embeds a type, if that has a plan or is a policy.
func (g *generator) subject(named *types.Named, base string) {
	pointer := types.NewPointer(named)
	methods := types.NewMethodSet(pointer)
	has := func(name string) *types.Signature {
		if m := methods.Lookup(named.Obj().Pkg(), name); m != nil {
			return m.Type().(*types.Signature)
		}
		return nil
	}
	kind := ""
	plan, opens := has("Plan"), has("Open")
	switch {
	case plan != nil && plan.Results().Len() == 1 && types.Identical(plan.Results().At(0).Type(), g.privacy.Scope().Lookup("Plan").Type()):
		kind = "plan"
	case has("Prepare") != nil:
		kind = "policy"
	case opens != nil && opens.Results().Len() == 2:
		kind = map[string]string{
			module + "pkg/bandit.Calibrated": "learner", module + "pkg/learner.CalibratedDevice": "device",
		}[opens.Results().At(0).Type().String()]
	}
	if kind == "" {
		return
	}
	name := g.name(named)
	if kind == "learner" && slices.Contains(bare, name) {
		g.count++
		fmt.Fprintf(&g.table, "{name: %q, kind: \"bare\", inner: func() any { return &%s{} }},\n", name, name)
		return
	}
	values, ok := fields[name]
	if !ok && kind == "policy" {
		values, ok = entered(name), true
	}
	expression, running := begun[name]
	if !ok && !running {
		g.t.Errorf("%s has a plan, or is a learner, a device or a policy, and no table says how to make one", name)
		return
	}
	id := g.count
	g.count++
	if ok {
		expression = "&" + name + "{" + values + "}"
	} else {
		expression, kind = expression+".(*"+name+")", "begun"
	}
	fmt.Fprintf(&g.types, "func new%d() *%s { return %s }\n", id, name, expression)
	fmt.Fprintf(&g.table, "{name: %q, kind: %q, inner: func() any { return new%d() },\nouter: []outer{\n", name, kind, id)
	left := methods.Len()
	if testing.Short() {
		left = 1
	}
	for i := range methods.Len() {
		m := methods.At(i)
		signature := m.Type().(*types.Signature)
		imports := maps.Clone(g.imports)
		head, call := g.signature(signature)
		embeds := map[string]string{"learner": "embed", "device": "embedDevice"}[kind]
		if !m.Obj().Exported() || m.Obj().Name() == "Plan" || unexported.MatchString(head) || (embeds != "" && m.Obj().Name() != "Open") {
			g.imports = imports
			continue
		}
		if m.Obj().Name() != "Open" {
			if left == 0 {
				g.imports = imports
				continue
			}
			left--
		}
		for _, by := range []string{"pointer", "value"} {
			star, deref := "*", ""
			if by == "value" {
				star, deref = "", "*"
			}
			outer := fmt.Sprintf("%s%d%s", by, id, m.Obj().Name())
			result := "return "
			if signature.Results().Len() == 0 {
				result = ""
			}
			fmt.Fprintf(&g.types, "type %s struct { %s%s }\nfunc (o *%s) %s%s { %s%s(o.%s.%s%s) }\n",
				outer, star, name, outer, m.Obj().Name(), head, result, embeds, base, m.Obj().Name(), call)
			fmt.Fprintf(&g.table, "{%q, func() any { return &%s{%snew%d()} }},\n", m.Obj().Name()+" overridden, by "+by, outer, deref, id)
		}
	}
	g.table.WriteString("},\n")
	g.readers(named, name, id)
	g.table.WriteString("},\n")
}

// readers writes the fields through which the type may read another's plan: those of an interface.
func (g *generator) readers(named *types.Named, name string, id int) {
	g.table.WriteString("readers: []reader{\n")
	defer g.table.WriteString("},\n")
	fields := named.Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		f := fields.Field(i)
		if !f.Exported() || f.Embedded() {
			continue
		}
		of, format := f.Type(), "y"
		if slice, ok := of.(*types.Slice); ok {
			of, format = slice.Elem(), g.name(of)+"{y}"
		}
		if i, ok := of.Underlying().(*types.Interface); !ok || i.NumMethods() == 0 || begun[name] != "" || unexported.MatchString(g.name(of)) {
			continue
		}
		fmt.Fprintf(&g.table, "{%q, func(x any) any { y, ok := x.(%s); if !ok { return nil }; r := new%d(); r.%s = %s; return r }},\n",
			name+"."+f.Name(), g.name(of), id, f.Name(), format)
	}
}

// signature writes parameters and results, and the arguments of a call with them.
func (g *generator) signature(s *types.Signature) (head, call string) {
	var in, args, out []string
	for i := range s.Params().Len() {
		of, arg := g.name(s.Params().At(i).Type()), fmt.Sprintf("a%d", i)
		name := arg
		if s.Variadic() && i == s.Params().Len()-1 {
			of, arg = "..."+strings.TrimPrefix(of, "[]"), arg+"..."
		}
		in, args = append(in, name+" "+of), append(args, arg)
	}
	for i := range s.Results().Len() {
		out = append(out, g.name(s.Results().At(i).Type()))
	}
	return "(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")", "(" + strings.Join(args, ", ") + ")"
}

// holderProgram is what the program does with its table.
const holderProgram = `
var (
	pure        = privacy.Budget{Epsilon: 1}
	approximate = privacy.Budget{Epsilon: 1, Delta: 1e-5}
	problems    = []bandit.Problem{
		{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		{Arms: 3, Slots: 1, RewardMax: 1},
	}
)

func pick() matroid.Matroid {
	m, err := matroid.NewUniform(3, 1)
	if err != nil {
		panic(err)
	}
	return m
}

type subject struct {
	name, kind string
	inner      func() any
	outer      []outer
	readers    []reader
}

type outer struct {
	what string
	make func() any
}

type reader struct {
	field string
	read  func(x any) any // nil if x does not fit
}

// opened is what a learner opens to.
type opened interface {
	bandit.Calibrated
	privacy.Planner
}

// embedded overrides Start.
type embedded struct{ opened }

func (e *embedded) Start(own *rand.Rand, noise rand.Source) bandit.Run { return e.opened.Start(own, noise) }

func embed(ready bandit.Calibrated, err error) (bandit.Calibrated, error) {
	if err != nil {
		return nil, err
	}
	return &embedded{ready.(opened)}, nil
}

// embeddedDevice overrides Start.
type embeddedDevice struct{ learner.CalibratedDevice }

func (e *embeddedDevice) Start() learner.Reporter { return e.CalibratedDevice.Start() }

func embedDevice(ready learner.CalibratedDevice, err error) (learner.CalibratedDevice, error) {
	if err != nil {
		return nil, err
	}
	return &embeddedDevice{ready}, nil
}

// open opens a learner for the first problem that it takes.
func open(l bandit.Learner) bandit.Calibrated {
	for _, p := range problems {
		if ready, err := l.Open(p, 4); err == nil {
			return ready
		}
	}
	panic(fmt.Sprintf("a %T opens for no problem", l))
}

func start(l bandit.Learner) bandit.Run {
	return open(l).Start(rand.New(rand.NewPCG(1, 1)), rand.NewPCG(1, 2))
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func advised() *online.ExpertsCalibrated { return must(online.Experts{Epsilon: 1}.Open(2)) }

// claimOf returns what x claims, opened if it is not a run.
func claimOf(x any) (c privacy.Claim, err error) {
	switch of := x.(type) {
	case bandit.Learner:
		for _, p := range problems {
			var ready bandit.Calibrated
			if ready, err = of.Open(p, 4); err == nil {
				return privacy.ClaimOf(ready), nil
			}
		}
		return privacy.ClaimOf(nil), err
	case learner.Device:
		ready, err := of.Open(problems[0], 4)
		if err != nil {
			return privacy.ClaimOf(nil), err
		}
		return privacy.ClaimOf(ready), nil
	}
	return privacy.ClaimOf(x), err
}

var checked int

func nothing(c privacy.Claim, what string) {
	checked++
	if c.Held() || c.Epsilon() < 1e300 {
		fmt.Printf("FAIL %s: claims epsilon = %v\n", what, c.Epsilon())
	}
}

func policies(s subject) {
	for _, o := range s.outer {
		var l bandit.Learner
		switch x := o.make().(type) {
		case learner.Policy[privacy.Sums]:
			l = learner.New(x, privacy.Accumulator(continual.BLT{Budget: approximate}))
		case learner.Policy[privacy.Means]:
			l = learner.New(x, privacy.Tally(tally.Blocks{Budget: pure}))
		case learner.Policy[episodes.SparseTheta]:
			l = learner.New(x, privacy.Statistic[episodes.SparseTheta](episodes.NoisyIHT{` + thresholding + `}))
		case learner.Policy[continual.Batch]:
			l = learner.New(x, privacy.Statistic[continual.Batch](continual.VectorBatches{Budget: approximate}))
		case learner.Policy[tally.Equations]:
			l = learner.New(x, privacy.Statistic[tally.Equations](tally.Regression{Budget: approximate, Lengths: linear.AdaCGOPE{Budget: approximate}}))
		case learner.Policy[episodes.SparseGram]:
			l = learner.New(x, privacy.Statistic[episodes.SparseGram](episodes.SparseEpisodes{` + perEpisode + `}))
		}
		checked++
		if c, err := claimOf(l); err != nil || c.Epsilon() > 1.001 {
			fmt.Printf("FAIL a learner with the policy %s, %s: %v, and claims epsilon = %v; what has no default wants an entry in pkg/catalogue\n", s.name, o.what, err, c.Epsilon())
		}
	}
}

func main() {
	for _, s := range table {
		switch s.kind {
		case "policy":
			policies(s)
			continue
		case "bare":
			c, _ := claimOf(s.inner())
			nothing(c, s.name)
			continue
		}
		if c := privacy.ClaimOf(s.inner()); s.kind != "begun" && c.Epsilon() < 1e300 {
			fmt.Printf("FAIL %s, not opened: claims epsilon = %v\n", s.name, c.Epsilon())
		}
		if c, err := claimOf(s.inner()); err != nil || !(c.Held() && c.Epsilon() < 1e300) {
			fmt.Printf("FAIL %s: %v, and claims epsilon = %v: want one that makes a claim\n", s.name, err, c.Epsilon())
		}
		for _, o := range s.outer {
			what := s.name + ", " + o.what
			c, err := claimOf(o.make())
			if err != nil {
				fmt.Printf("FAIL %s: %v\n", what, err)
			}
			nothing(c, what)
			for _, of := range table {
				for _, r := range of.readers {
					y := r.read(o.make())
					if y == nil {
						continue
					}
					c, err := claimOf(y)
					if err == nil && c.Scope() == privacy.OwnAction {
						continue // of its own noise, and nothing of what is read
					}
					nothing(c, r.field+" reads "+what)
				}
			}
		}
	}
	fmt.Println("checked", checked)
}
`
