package learner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func anytime(n local.OnlineNoise, power float64) learner.Local {
	return learner.Local{Device: local.OnlineDevice{Noise: n}, Server: local.Anytime{Server: local.OnlineServer{Noise: n, Online: learnertest.OGD(0.1), Width: 4, DeltaPower: power}}}
}

// locals are all local learners, by name. Contexts end in 1/sqrt(2).
func locals(b privacy.Budget) map[string]learner.Local {
	k := 1 / math.Sqrt2
	all := map[string]learner.Local{}
	for _, b := range map[string]privacy.Budget{"": b, "/epsilon=inf": learnertest.None} {
		end := ""
		if b.None() {
			end = "/epsilon=inf"
		}
		for i, name := range []string{"Sound", "AsPublished", "Given"} {
			n := learnertest.LDPNoises(b)[i]
			all["ldp/"+name+end] = learnertest.LDP(n)
			n.Constant = k
			all["ldp/constant/"+name+end] = learnertest.LDP(n)
		}
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			n := local.OnlineNoise{Budget: b, Calibration: c}
			all["online/maler/"+c.String()+end] = learnertest.OnlineUCB(n, local.OnlineServer{})
			all["online/ogd/"+c.String()+end] = learnertest.OnlineUCB(n, local.OnlineServer{Online: learnertest.OGD(0.1), Width: 4, DeltaSquared: 0.3})
			all["online/theory/"+c.String()+end] = learnertest.OnlineUCB(n, local.OnlineServer{Rule: local.TheoryWidth, LambdaMin: 0.1, DeltaSquared: 0.1})
			all["online/constant/"+c.String()+end] = learnertest.OnlineUCB(local.OnlineNoise{Budget: b, Calibration: c, Constant: k}, local.OnlineServer{})
			all["anytime/"+c.String()+end] = anytime(n, 0.25)
		}
	}
	batch := func(name string, l learner.Local, n int) {
		l.Batch = n
		all[name] = l
	}
	batch("ldp/batch", learnertest.LDP(local.LDPNoise{Budget: b}), 7)
	batch("online/batch", learnertest.OnlineUCB(local.OnlineNoise{Budget: b}, local.OnlineServer{}), 20)
	return all
}

func TestLocalConformance(t *testing.T) {
	for name, l := range locals(learnertest.Strict) {
		// after a restart, or before the first batch, arms of one norm tie
		untied := !strings.Contains(name, "anytime") && !strings.Contains(name, "batch")
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l,
				environment.UnitFeatures{Dim: 4, Arms: 12},
				bandittest.LearnerOptions{Seed: 1, Equivariant: untied, Rounds: 150})
		})
	}
}

// TestLocalLedger plays every local learner: the simulation compares the noise drawn with the
// claims. An accountant confirms the claims.
func TestLocalLedger(t *testing.T) {
	e := &simulate.Experiment{
		Name: "local", Environment: environment.UnitFeatures{Dim: 4, Arms: 12, Fixed: true},
		Horizon: 300, Rounds: 250, Trials: 2, Seed: 1,
	}
	for name, l := range locals(learnertest.Strict) {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Policies {
		if epsilon, _, err := account.Tightest(p.Claim.Event(), p.Claim.Asked().Delta); err != nil || epsilon != p.Claim.Epsilon() {
			t.Errorf("%s: claims epsilon = %v, an accountant finds %v, %v", p.Name, p.Claim.Epsilon(), epsilon, err)
		}
		want := privacy.Neighbours{Relation: privacy.Replace, Record: "user's (context, reward)", Contributions: 1}
		if p.Claim.Model() != privacy.Local || p.Claim.Neighbours() != want {
			t.Errorf("%s: claims %v, %v", p.Name, p.Claim.Model(), p.Claim.Neighbours())
		}
		if strings.Contains(p.Name, privacy.Sound.String()) && !strings.Contains(p.Name, "inf") && math.Abs(p.Claim.Epsilon()-learnertest.Strict.Epsilon) > 1e-6 {
			t.Errorf("%s: claims epsilon = %v, want %v: the noise is exact", p.Name, p.Claim.Epsilon(), learnertest.Strict.Epsilon)
		}
		if strings.Contains(p.Name, "inf") != math.IsInf(p.Claim.Epsilon(), 1) {
			t.Errorf("%s: claims epsilon = %v", p.Name, p.Claim.Epsilon())
		}
	}
}

// TestMalformedMessages: a server refuses them by name and bound, and broadcasts what it did.
func TestMalformedMessages(t *testing.T) {
	for name, local := range locals(learnertest.Strict) {
		if local.Batch > 1 {
			continue
		}
		l, device, _ := started(t, local, 40)
		before := slices.Clone(learnertest.ServerOf(l).Broadcast())
		noise := privacy.NewNoise(random.Source(9, 0, "noise"))
		good, err := device.Report(learnertest.ServerOf(l).Broadcast(), []float64{0.1, 0.2, 0.3, 0.4}, 1, noise, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			m     learner.Message
			words []string
		}{
			{nil, []string{"message of 0 numbers", fmt.Sprint("want ", len(good))}},
			{good[1:], []string{"want " + fmt.Sprint(len(good))}},
			{append(slices.Clone(good), 1), []string{fmt.Sprintf("message of %d numbers", len(good)+1)}},
			{with(good, 0, math.NaN()), []string{"number 0", "NaN", "want in ["}},
			{with(good, len(good)-1, math.Inf(-1)), []string{fmt.Sprint("number ", len(good)-1), "-Inf", "want in ["}},
			{with(good, 1, 1e60), []string{"number 1", "1e+60", "want in ["}},
		} {
			expect.Error(t, name, learnertest.ServerOf(l).Receive(c.m), c.words...)
			if !slices.Equal(learnertest.ServerOf(l).Broadcast(), before) {
				t.Errorf("%s: a refused message has changed the broadcast", name)
			}
		}
		kept := slices.Clone(good)
		if err := learnertest.ServerOf(l).Receive(good); err != nil || !slices.Equal(good, kept) {
			t.Errorf("%s: an honest message: %v", name, err)
		}
		if slices.Equal(learnertest.ServerOf(l).Broadcast(), before) {
			t.Errorf("%s: an honest message has changed nothing", name)
		}
	}
}

func with(m []float64, at int, v float64) []float64 {
	m = slices.Clone(m)
	m[at] = v
	return m
}

// started plays rounds of a learner on UnitFeatures, and starts a device like its own.
func started(t *testing.T, local learner.Local, rounds int) (*runtest.Running, learner.Reporter, bandit.View) {
	t.Helper()
	env := environment.UnitFeatures{Dim: learnertest.Features.Dim, Arms: learnertest.Features.Arms}
	l := runtest.Run(t, local, env.Problem(), 1000, random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	trial := runtest.Open(t, env).Start(random.New(1, 0, "contexts"))
	var v bandit.View
	rewards := random.New(1, 0, "rewards")
	y := make([]float64, 1)
	for range rounds {
		trial.Next(&v)
		arms := l.Select(&v, nil)
		trial.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
	}
	trial.Next(&v)
	_, reporter := learnertest.Device(t, local.Device, env.Problem(), 1000)
	return l, reporter, v
}

// TestMalformedBroadcasts: a device refuses them, and a report refused draws no noise.
func TestMalformedBroadcasts(t *testing.T) {
	for name, local := range locals(learnertest.Strict) {
		l, device, v := started(t, local, 40)
		good := slices.Clone(learnertest.ServerOf(l).Broadcast())
		arm, err := device.Act(good, &v)
		if err != nil {
			t.Fatal(err)
		}
		size := 4 + 10 + 2 // the ellipsoid
		bad := map[string][]float64{
			"broadcast of 0 numbers":                    nil,
			fmt.Sprint("want ", len(good)):              good[1:],
			fmt.Sprint("broadcast of ", len(good)+1):    append(slices.Clone(good), 0),
			"number 0 of a broadcast is NaN":            with(good, 0, math.NaN()),
			fmt.Sprint("number ", size-1, " of a"):      with(good, size-1, math.Inf(1)),
			fmt.Sprint("beta = ", -1.0):                 with(good, size-2, -1),
			fmt.Sprint("|V^-1| = ", -2.0, ", want"):     with(good, size-1, -2),
			fmt.Sprint("number ", 7, " of a broadcast"): with(good, 7, math.Inf(-1)),
		}
		if len(good) > size {
			bad["Delta = -1"], bad["Delta = NaN"] = with(good, size, -1), with(good, size, math.NaN())
		}
		for want, b := range bad {
			_, err := device.Act(b, &v)
			expect.Error(t, name, err, want)
		}
		if again, err := device.Act(good, &v); err != nil || again != arm {
			t.Errorf("%s: after refusals arm %d, %v, want %d", name, again, err, arm)
		}
		ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
		noise := privacy.NewNoise(ledger)
		dst := learner.Message{1, 2}
		for _, c := range []struct {
			x    []float64
			y    float64
			want string
		}{
			{[]float64{1, 2, 3}, 0, "dimension 3, want 4"},
			{nil, 0, "dimension 0, want 4"},
			{[]float64{1, math.NaN(), 0, 0}, 0, "NaN"},
			{[]float64{1, math.Inf(-1), 0, 0}, 0, "-Inf"},
			{[]float64{1, 0, 0, 0}, math.NaN(), "reward of NaN"},
			{[]float64{1, 0, 0, 0}, math.Inf(1), "reward of +Inf"},
		} {
			m, err := device.Report(good, c.x, c.y, noise, dst)
			expect.Error(t, name, err, c.want)
			if !slices.Equal(m, dst) || len(ledger.Drawn()) > 0 {
				t.Errorf("%s: a refused report has drawn %v and appended %v", name, ledger.Drawn(), m)
			}
		}
	}
}

// TestDevicesClip: an outsized context or reward gives the message of the clipped one, and the
// simulation warns.
func TestDevicesClip(t *testing.T) {
	for name, local := range locals(learnertest.Strict) {
		l, device, _ := started(t, local, 3)
		report := func(x []float64, y float64) learner.Message {
			kept := slices.Clone(x)
			m, err := device.Report(learnertest.ServerOf(l).Broadcast(), x, y, privacy.NewNoise(random.Source(5, 0, "noise")), nil)
			if err != nil || !slices.Equal(x, kept) {
				t.Fatalf("%s: %v, x = %v, was %v", name, err, x, kept)
			}
			return m
		}
		k := 0.0
		if strings.Contains(name, "constant") {
			k = 1 / math.Sqrt2
		}
		x, long := []float64{0.3, 0.6, -0.2, k}, []float64{30, 60, -20, 100 * k}
		bound := 1.0
		if k != 0 {
			bound = math.Sqrt(1 - k*k)
		}
		norm := math.Sqrt(0.09 + 0.36 + 0.04)
		for i := range 3 {
			x[i] *= bound / norm
		}
		near := func(a, b learner.Message) bool {
			return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Abs(v-w) <= 1e-12*(1+math.Abs(v)) })
		}
		if a, b := report(x, 1), report(long, 7); !near(a, b) {
			t.Errorf("%s: of an outsized (x, y) %v, of the clipped one %v", name, b, a)
		}
		if a, b := report(x, 0), report(x, -3); !near(a, b) {
			t.Errorf("%s: of a reward of -3 %v, of 0 %v", name, b, a)
		}
		if a, b := report(x, 0), report(x, 0.5); near(a, b) {
			t.Errorf("%s: rewards make no difference", name)
		}
		v := bandit.View{Round: 4, Arms: 1, Dim: 4, X: long}
		l.Update(&v, []int{0}, []float64{7})
		if w := l.Warnings(); len(w) < 2 || !strings.Contains(w[0].What, "contexts") || !strings.Contains(w[1].What, "rewards") || w[0].Count != 1 {
			t.Errorf("%s: warnings %v, want a context and a reward clipped", name, w)
		}
	}
}

// TestUniform: a server gets whole batches; all 6 orders of 3 messages are equally likely, by a
// chi-squared test with 5 degrees of freedom at 25.7 (false alarm 1e-4; the seed is fixed); a batch
// of another length is refused; the ledger sees the shuffles.
func TestUniform(t *testing.T) {
	shuffler := learner.Uniform{}
	if expect.Error(t, "Uniform", shuffler.Check(0), "0 messages", ">= 1"); shuffler.Check(3) != nil {
		t.Fatal("a batch of 3 is refused")
	}
	ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
	u := shuffler.Start(3, privacy.NewNoise(ledger))
	counts := map[string]float64{}
	const batches = 6000
	var s learnertest.Recorder
	for range batches {
		s.Got = s.Got[:0]
		for i := range 3 {
			m := learner.Message{float64(i), float64(10 * i)}
			if len(s.Got) > 0 {
				t.Fatalf("%d messages handed on of %d", len(s.Got), i)
			}
			if err := u.Collect(m, &s); err != nil {
				t.Fatal(err)
			}
			m[0] = math.NaN() // it has a copy
		}
		key := ""
		for _, m := range s.Got {
			if m[1] != 10*m[0] {
				t.Fatalf("message %v", m)
			}
			key += fmt.Sprint(m[0])
		}
		counts[key]++
	}
	chi := 0.0
	for _, key := range []string{"012", "021", "102", "120", "201", "210"} {
		chi += (counts[key] - batches/6) * (counts[key] - batches/6) / (batches / 6)
	}
	if chi > 25.7 || len(counts) != 6 {
		t.Errorf("orders %v: chi-squared = %v", counts, chi)
	}
	if err := ledger.Check(shuffler.Drawn(3, 3*batches+2)); err != nil {
		t.Error(err)
	}
	if u.Collect(learner.Message{1, 2}, &s) != nil {
		t.Error("refused")
	}
	expect.Error(t, "Uniform", u.Collect(learner.Message{1}, &s), "message of 1 numbers", "of 2")
}

// noisyBatch is a device that knows what shuffling does for it, or not.
type noisyBatch struct {
	local.LDPDevice
	Theorem bool
}

type noisyReady struct {
	learner.CalibratedDevice
	theorem bool
}

func (d noisyBatch) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	ready, err := d.LDPDevice.Open(p, horizon)
	return &noisyReady{ready, d.Theorem}, err
}

func (d *noisyReady) Plan(records int) privacy.Plan {
	return d.CalibratedDevice.Plan(records).HeldBy(d)
}

func (d *noisyReady) ShuffledPlan(s learner.Shuffler, batch int) (privacy.Plan, error) {
	p := d.Plan(privacy.All)
	if batch > 1 {
		p = p.Mixed(trust.Order, batch)
		p.Model, p.Scope, p.Asked.Epsilon = privacy.Shuffled, privacy.AllOutputs, p.Asked.Epsilon/float64(batch)
	}
	if s != nil && !d.theorem {
		return p, errors.New("no theorem")
	}
	return p, nil
}

// TestBatch: the server learns when a batch is complete and not before; the claim is the device's,
// for the shuffle model if it has one.
func TestBatch(t *testing.T) {
	n := local.LDPNoise{Budget: learnertest.Strict}
	device := noisyBatch{local.LDPDevice{Noise: n}, true}
	local := learner.Local{Device: device, Server: local.LDPServer{Noise: n}, Batch: 5}
	l, _, v := started(t, local, 4)
	first, _, _ := started(t, learnertest.LDP(n), 0)
	if !slices.Equal(learnertest.ServerOf(l).Broadcast(), learnertest.ServerOf(first).Broadcast()) {
		t.Error("the server has learnt from 4 messages of a batch of 5")
	}
	l.Update(&v, l.Select(&v, nil), []float64{1})
	five, _, _ := started(t, learnertest.LDP(n), 0)
	if slices.Equal(learnertest.ServerOf(l).Broadcast(), learnertest.ServerOf(five).Broadcast()) {
		t.Error("the server has learnt nothing from a batch")
	}
	if c := privacy.ClaimOf(l.Run); c.Model() != privacy.Shuffled || c.Asked().Epsilon != learnertest.Strict.Epsilon/5 {
		t.Errorf("claims %v, %v", c.Model(), c.Asked())
	}
	device.Theorem = false
	local.Device = device
	expect.Error(t, "Local", learnertest.Failure(local.Open(learnertest.Features, 100)), "no theorem")
	local.Batch = 1
	if c := learnertest.ClaimOf(t, local, learnertest.Features, 100); c.Model() != privacy.Local {
		t.Errorf("claims %v", c.Model())
	}
}

// TestServerCannotSeeRawData compiles small programs against the package: what a server is given
// has no raw context, reward or arm to read.
func TestServerCannotSeeRawData(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	const program = `package main

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
)

type spy struct{ seen []float64 }

func (s *spy) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) { return s, nil }
func (s *spy) Start(own *rand.Rand) learner.Receiver   { return s }
func (s *spy) Broadcast() []float64                    { return s.seen }
func (s *spy) Receive(m learner.Message) error {
	s.seen = append(s.seen, m...) // what it may do
	return nil
}

var _ learner.Server = (*spy)(nil)
var _ bandit.View
var _ local.LDPServer

func main() {}
`
	here, err := filepath.Abs(filepath.Join("testdata", "spy", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	compile := func(program string) (string, error) {
		dir := t.TempDir()
		file, list := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
		overlay, err := json.Marshal(map[string]map[string]string{"Replace": {here: file}})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{file: []byte(program), list: overlay} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command(tool, "build", "-buildvcs=false", "-gcflags=-e", "-overlay", list, "-o", filepath.Join(dir, "spy"), "./testdata/spy").CombinedOutput()
		return string(out), err
	}
	if out, err := compile(program); err != nil {
		t.Errorf("a server that reads messages: %v\n%s", err, out)
	}
	forbidden := [][2]string{
		{"s.seen = append(s.seen, m.X...)", "m.X undefined"},
		{"s.seen = append(s.seen, m.Context)", "m.Context undefined"},
		{"s.seen = append(s.seen, m.Y)", "m.Y undefined"},
		{"_ = m.Arm", "m.Arm undefined"},
		{"var l local.LDPServer; _ = l.row", "l.row undefined"},
		{"var l local.OnlineReceiver; _ = l.row", "l.row undefined"},
		{"var d local.LDPDevice; _ = d.x", "d.x undefined"},
		{"var v bandit.View; s.Receive(v)", "cannot use v"},
		{"var l learner.LocalRun; _ = l.message", "l.message undefined"},
		{"var l learner.LocalRun; _ = l.reporter", "l.reporter undefined"},
		{"var d learner.Reporter; d.Report(m, m)", "not enough arguments"},
	}
	all := program
	for i, f := range forbidden {
		all += fmt.Sprintf("func (s *spy) forbidden%d(m learner.Message) { %s }\n", i, f[0])
	}
	out, err := compile(all)
	for i, f := range forbidden {
		if err == nil || !strings.Contains(out, f[1]) {
			t.Errorf("forbidden%d: %s compiles, or not for the reason that %s:\n%s", i, f[0], f[1], out)
		}
	}
}

// TestServersNameNoRawData searches the files of all Servers for views and for parameters or fields
// of raw data's names.
func TestServersNameNoRawData(t *testing.T) {
	files := token.NewFileSet()
	var names []string
	for _, pattern := range []string{"*.go", "local/*.go", "sparse/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	servers := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if isServer(f) {
			servers++
			for _, found := range rawData(f) {
				t.Errorf("%s: a Server's file names %s", name, found)
			}
		}
	}
	if servers < 5 {
		t.Errorf("%d files with Servers, want 5 at least", servers)
	}
	f, err := parser.ParseFile(files, "bad.go", "package p\nfunc (s *S) Receive(m Message) error { return nil }\nfunc f(v *bandit.View, x []float64) {}\ntype S struct { y float64 }", 0)
	if err != nil {
		t.Fatal(err)
	}
	if found := rawData(f); !isServer(f) || len(found) != 3 {
		t.Errorf("in a bad server's file found %v, want 3", found)
	}
}

// isServer reports a file with a method Receive(Message).
func isServer(f *ast.File) bool {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Receive" && len(fn.Type.Params.List) == 1 {
			switch of := fn.Type.Params.List[0].Type.(type) {
			case *ast.Ident:
				return of.Name == "Message"
			case *ast.SelectorExpr:
				return of.Sel.Name == "Message"
			}
		}
	}
	return false
}

func rawData(f *ast.File) (found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == "bandit" && n.Sel.Name == "View" {
				found = append(found, "bandit.View")
			}
		case *ast.Field:
			for _, id := range n.Names {
				if slices.Contains([]string{"x", "y", "raw", "arm", "arms", "view"}, strings.ToLower(id.Name)) {
					found = append(found, id.Name)
				}
			}
		}
		return true
	})
	return found
}

// counting is a device whose plan counts on a shuffler, whoever is there.
type counting struct{ local.AmplifiedDevice }

type countingReady struct {
	learner.ShufflePlanner
	batch int
}

func (c counting) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	ready, err := c.AmplifiedDevice.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	return &countingReady{ready.(learner.ShufflePlanner), c.Noise.Batch}, nil
}

func (c *countingReady) Plan(int) privacy.Plan {
	p, err := c.ShufflePlanner.ShuffledPlan(learner.Uniform{}, c.batch)
	if err != nil {
		return privacy.NoPlan("%v", err)
	}
	return p.HeldBy(c)
}

func (c *countingReady) ShuffledPlan(learner.Shuffler, int) (privacy.Plan, error) {
	return c.Plan(0), nil
}

// inOrder is a shuffler that draws a permutation and hands the messages on as they came.
type inOrder struct{ learner.Uniform }

// greedy is a device that draws more noise than its plan releases.
type greedy struct {
	local.LDPDevice
	Draws int
}

type greedyReady struct {
	learner.CalibratedDevice
	draws int
}

func (g greedy) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	ready, err := g.LDPDevice.Open(p, horizon)
	return &greedyReady{ready, g.Draws}, err
}

func (g *greedyReady) Plan(n int) privacy.Plan {
	return g.CalibratedDevice.Plan(n).Repeated(g.draws).HeldBy(g)
}

// adding is a device whose plan counts on a sum of messages.
type adding struct{ local.LDPDevice }

type addingReady struct{ learner.CalibratedDevice }

func (d adding) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	ready, err := d.LDPDevice.Open(p, horizon)
	return &addingReady{ready}, err
}

func (d *addingReady) Plan(n int) privacy.Plan {
	p := d.CalibratedDevice.Plan(n).Mixed(trust.Sum, 20)
	p.Model, p.Scope = privacy.Shuffled, privacy.AllOutputs
	return p.HeldBy(d)
}

// TestAmplificationIsGranted: a plan that counts on a shuffler is refused where none of this
// package mixes as many messages, and so is the plan of a message with noise that is in no release.
func TestAmplificationIsGranted(t *testing.T) {
	amplified := local.AmplifiedNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}, Batch: 100_000}
	device := counting{local.AmplifiedDevice{Noise: amplified}}
	n := local.LDPNoise{Budget: learnertest.Strict}
	for _, c := range []struct {
		what string
		l    learner.Local
		want string // in the error; empty for none
	}{
		{"the toolkit's shuffler", learner.Local{Device: device, Batch: 100_000}, ""},
		{"no shuffler", learner.Local{Device: device}, "mixed, by a shuffler of type <nil>"},
		{"one that keeps the order", learner.Local{Device: device, Batch: 100_000, Shuffler: inOrder{}}, "shuffler of type learner_test.inOrder"},
		{"smaller batches", learner.Local{Device: device, Batch: 20}, "batches of 20"},
		{"a sum of messages that are handed on", learner.Local{Device: adding{local.LDPDevice{Noise: n}}, Server: local.LDPServer{Noise: n}, Batch: 20, Shuffler: learner.Uniform{}}, "want BitSum"},
		{"more noise than releases", learner.Local{Device: greedy{local.LDPDevice{Noise: n}, 2}, Server: local.LDPServer{Noise: n}}, "2 draws of symmetric Gaussian"},
	} {
		if c.l.Server == nil {
			c.l.Server = local.AmplifiedServer{Noise: amplified}
		}
		if c.want != "" {
			expect.Error(t, c.what, learnertest.Failure(c.l.Open(learnertest.CombinerProblem, 200_000)), c.want)
		} else if claim := learnertest.ClaimOf(t, c.l, learnertest.CombinerProblem, 200_000); claim.Model() != privacy.Shuffled {
			t.Errorf("%s: claims\n%v", c.what, claim)
		}
	}
}
