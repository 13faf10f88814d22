package value_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/value"
	"gonum.org/v1/gonum/stat/distuv"
)

func init() {
	value.Register(
		learner.Private[privacy.Means]{}, learner.Private[episodes.SparseGram]{}, learner.Metered{}, learner.Local{}, learner.Random{},
		local.LDPDevice{}, local.LDPServer{}, learner.BitSum{}, slots.OMM{}, sparse.SparseJDP{}, learner.Delayed{}, learner.Kernel{}, sparse.SupportOracle{},
		local.CombinerDevice{}, local.CombinerServer{}, arms.DPElimination{}, arms.AdaPUCB{},
		privacy.Budget{}, tally.Blocks{}, tally.Batches{}, tally.Geometric{}, episodes.SparseEpisodes{}, episodes.Growing{}, episodes.Signs{},
		environment.Arms{}, environment.SemiBandit{}, environment.Sparse{}, environment.Blind{}, environment.DecisionSets{},
		matroid.Must(matroid.NewUniform(0, 0)), holds{}, pair[kind, float64]{}, kind(0), 0, 0.0, "", float32(0), false, []int{})
}

// kind is a number with a name, and a method that says nothing of its fields.
type kind int

// pair is a generic type.
type pair[A, B any] struct {
	First  A
	Second B
}

// holds has a field of each kind.
type holds struct {
	Number float64
	Small  float32
	Whole  int8
	Large  uint64
	Is     bool
	Text   string
	Kind   kind
	Rows   [][]float64
	Fixed  [2]kind
	Any    any
	List   []any
	Inner  pair[kind, float64]
	hidden int
}

// Made is made by a function.
type Made struct{ of int }

func (m *Made) GoString() string             { return fmt.Sprintf("value_test.Make(%d)", m.of) }
func (m *Made) MarshalJSON() ([]byte, error) { return json.Marshal(m.of) }

// wraps inherits methods of what it embeds, which say nothing of its own field.
type wraps struct {
	*Made
	More int
}

// values are descriptions of all kinds.
func values() []any {
	budget := privacy.Budget{Epsilon: 0.1, Delta: 1e-300}
	uniform := matroid.Must(matroid.NewUniform(5, 2))
	ldp := local.LDPNoise{Budget: budget}
	return []any{
		learner.Random{},
		learner.New(linear.UCB{RhoMin: 0.1}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}),
		learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: math.Inf(1)}}}),
		learner.New(slots.OMM{Matroid: uniform}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1. / 3}}),
		learner.New(arms.AdaPUCB{Alpha: math.Nextafter(3, 4)}, tally.Batches{Budget: budget, Lengths: tally.Geometric{First: 2, Ratio: 1.5}}),
		arms.DPElimination{}.Private(1),
		learner.Metered{Learner: learner.New(linear.UCB{}, continual.Tree{}), Budget: budget, Freeze: true},
		learner.Local{Device: local.LDPDevice{Noise: ldp}, Server: local.LDPServer{Noise: ldp, Policy: linear.UCB{}}, Batch: 7, Shuffler: learner.BitSum{}},
		learner.Local{Device: local.CombinerDevice{Devices: []learner.Device{}}, Server: local.CombinerServer{Servers: []learner.Server{local.LDPServer{}}}},
		learner.New(sparse.SparseJDP{}, episodes.SparseEpisodes{Budget: budget, Lengths: episodes.Growing{Least: 4},
			Phases: []episodes.Phase{{Picks: 1, Scores: episodes.Signs{}}, {Reward: 0.5}}}),
		sparse.SupportOracle{Support: []int{1, 0}},
		learner.Delayed{Learner: learner.New(linear.UCB{}, nil), Most: 3},
		learner.Kernel{Learner: learner.New(linear.UCB{}, nil), Features: 8, Lengthscale: 0.25, Seed: 7},
		environment.Arms{Means: []float64{0.1, 1. / 3, 0}, Sigma: 1},
		environment.Blind{Environment: environment.DecisionSets{Arms: 3, Dim: 3, Gap: 0.1}},
		environment.Sparse{Arms: 4, Dim: 6, Design: environment.Autoregressive, Correlation: 0.5},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewGraphic(3, [][2]int{{0, 1}, {1, 2}, {0, 2}})), Means: []float64{1, 0, 1}},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewLaminar(4, [][]int{{0, 1}, {0, 1, 2}}, []int{1, 2}))},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewLinear([][]int{{1, 0}, {0, 1}, {2, 4}}))},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewLinearFloat([][]float64{{1. / 3, 0}, {0, 1e-300}, {1, 1}}, 1e-8))},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewPartition([]int{0, 0, 1}, []int{1, 1}))},
		environment.SemiBandit{Matroid: matroid.Must(matroid.NewTransversal(3, [][]int{{0, 1}, {1}, {}}))},
		privacy.Budget{},
		uniform,
	}
}

// odd are values of types that the program of TestGo cannot name.
func odd() []any {
	return []any{
		holds{Number: math.Inf(1), Small: float32(math.Inf(-1)), Whole: math.MinInt8, Large: math.MaxUint64, Is: true, Text: "a\n\"é\"", Kind: 3,
			Rows: [][]float64{nil, {}, {math.Copysign(0, -1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64}}, Fixed: [2]kind{0, 2},
			Any: 2.0, List: []any{nil, 2, 2.5, "2", kind(2), true, float32(0.1), pair[kind, float64]{1, 2}, holds{Any: holds{}}, []int{1}}},
		holds{Rows: [][]float64{}, List: []any{}},
		pair[kind, float64]{Second: math.Pi}, kind(7), 7, 7.0, "seven",
	}
}

// TestJSON reads back what JSON writes: the same value, of the same type.
func TestJSON(t *testing.T) {
	for _, v := range append(values(), odd()...) {
		text, err := value.JSON(v)
		if err != nil {
			t.Errorf("%T: %v", v, err)
			continue
		}
		again, err := value.Read[any](text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if !reflect.DeepEqual(again, v) {
			t.Errorf("%#v is read as %#v from\n%s", v, again, text)
		}
		was, err := value.Go(v)
		if is, err2 := value.Go(again); err != nil || err2 != nil || is != was {
			t.Errorf("%s: %s, and once it is read %s: %v %v", text, was, is, err, err2)
		}
	}
	if text, err := value.JSON(math.NaN()); err != nil || !strings.Contains(string(text), `"NaN"`) {
		t.Errorf("NaN is written as %s: %v", text, err)
	} else if x, err := value.Read[any](text); err != nil || !math.IsNaN(x.(float64)) {
		t.Errorf("NaN is read as %v: %v", x, err)
	}
}

// TestGo compiles what Go writes, and has the program print the JSON of each value and its Go text.
func TestGo(t *testing.T) {
	if testing.Short() || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("compiles a program")
	}
	var program, want bytes.Buffer
	program.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n")
	for _, name := range strings.Fields("environment learner learner/arms learner/linear learner/local learner/slots learner/sparse matroid mechanism/continual mechanism/episodes mechanism/tally privacy value") {
		fmt.Fprintf(&program, "\t%q\n", "github.com/dpbandits/dpbandits/pkg/"+name)
	}
	program.WriteString(")\n\nvar _, _ = math.Inf, matroid.Must\n\nfunc show(v any) {\n\ttext, err := value.JSON(v)\n\tsource, err2 := value.Go(v)\n" +
		"\tfmt.Println(string(text), err, source, err2)\n}\n\nfunc main() {\n")
	for _, v := range values() {
		text, err := value.JSON(v)
		source, err2 := value.Go(v)
		fmt.Fprintln(&want, string(text), err, source, err2)
		fmt.Fprintf(&program, "\tshow(%s)\n", source)
	}
	program.WriteString("}\n")
	got := runProgram(t, program.Bytes())
	if got != want.String() {
		t.Errorf("the compiled values are\n%s\nwant\n%s", got, want.String())
	}
}

// runProgram runs a program that lies in the module, and is not written there.
func runProgram(t *testing.T, source []byte) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "printed", "main.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	for name, text := range map[string][]byte{file: source, list: overlay} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "-overlay", list, "./printed")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, stderr.String(), source)
	}
	return string(out)
}

// TestGoText is how odd values read.
func TestGoText(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{kind(3), "value_test.kind(3)"},
		{7.0, "float64(7)"},
		{7.5, "7.5"},
		{uint8(7), "uint8(7)"},
		{math.Inf(-1), "math.Inf(-1)"},
		{holds{}, "value_test.holds{}"},
		{holds{Small: float32(math.Inf(1)), Any: 2.0}, "value_test.holds{Small: float32(math.Inf(1)), Any: float64(2)}"},
		{holds{Number: math.Copysign(0, -1), Any: float32(0.5)}, "value_test.holds{Any: float32(0.5)}"}, // 0 is the default, whatever its sign
		{[]float64{math.Copysign(0, -1)}, "[]float64{math.Copysign(0, -1)}"},
		{pair[kind, privacy.Sums]{First: 1}, "value_test.pair[value_test.kind, privacy.Sums]{First: value_test.kind(1)}"},
		{wraps{&Made{5}, 3}, "value_test.wraps{Made: value_test.Make(5), More: 3}"},
	} {
		if got, err := value.Go(c.v); err != nil || got != c.want {
			t.Errorf("%#v is written as %s, want %s: %v", c.v, got, c.want, err)
		}
	}
}

// TestRefuses: what nobody can see into is an error with its path.
func TestRefuses(t *testing.T) {
	number := 1.0
	for _, c := range []struct {
		v    any
		want string
	}{
		{holds{Any: func() {}}, "value.Any is a function"},
		{holds{List: []any{1, func() {}}}, "value.List[1] is a function"},
		{holds{hidden: 1}, "value.hidden, of a value_test.holds, is set and not exported"},
		{holds{Any: holds{hidden: 1}}, "value.Any.hidden"},
		{holds{Any: &number}, "value.Any is a pointer, a *float64"},
		{holds{Any: map[string]int{}}, "value.Any is a map"},
		{holds{Any: make(chan int)}, "value.Any is a chan"},
		{func() {}, "value is a function"},
		{learner.New(&linear.UCB{}, nil), "value.Policy is a pointer, a *linear.UCB"},
		{learner.New(linear.UCB{}, (*continual.BLT)(nil)), "value.Statistic is a pointer, a *continual.BLT"},
		{holds{Any: (*Made)(nil)}, "value.Any is a pointer, a *value_test.Made"},
	} {
		_, goErr := value.Go(c.v)
		_, jsonErr := value.JSON(c.v)
		for _, err := range []error{goErr, jsonErr} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%T: error %v, want %q", c.v, err, c.want)
			}
		}
	}
	if _, err := value.JSON("\xff"); err == nil || !strings.Contains(err.Error(), "want UTF-8") {
		t.Errorf("a string that is no UTF-8: %v", err)
	}
}

// TestReadRefuses: a text that is no value is an error with the path of what is wrong.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "EOF"},
		{`{} {}`, "more than one value"},
		{`[1]`, "value has no type"},
		{`{"type": "value_test.unknown"}`, `"value_test.unknown", which is not registered`},
		{`{"type": "value_test.holds", "Nonsense": 1}`, `value: a value_test.holds has no field "Nonsense"`},
		{`{"type": "value_test.holds", "hidden": 1}`, `has no field "hidden"`},
		{`{"type": "value_test.holds", "Whole": 128}`, "value.Whole = 128, want a whole number in the range of int8"},
		{`{"type": "value_test.holds", "Whole": 1.5}`, "value.Whole = 1.5"},
		{`{"type": "value_test.holds", "Large": -1}`, "value.Large = -1"},
		{`{"type": "value_test.holds", "Number": "1"}`, "value.Number = 1, want a number"},
		{`{"type": "value_test.holds", "Number": 1e999}`, "value.Number = 1e999"},
		{`{"type": "value_test.holds", "Number": null}`, "value.Number"},
		{`{"type": "value_test.holds", "Is": "true"}`, "value.Is = true, want true or false"},
		{`{"type": "value_test.holds", "Text": 1}`, "value.Text = 1, want a string"},
		{`{"type": "value_test.holds", "Rows": [[1], 2]}`, "value.Rows[1] = 2, want a list"},
		{`{"type": "value_test.holds", "Fixed": [1]}`, "value.Fixed"},
		{`{"type": "value_test.holds", "Any": 1}`, "value.Any has no type"},
		{`{"type": "value_test.holds", "Any": {"type": "value_test.holds", "Inner": 3}}`, "value.Any.Inner = 3, want the fields of a value_test.pair"},
		{`{"type": "*matroid.made", "value": ["NewUniform", 2, 5]}`, "Uniform rank = 5"},
		{`{"type": "*matroid.made", "value": ["NewUniform", 2]}`, "1 arguments of NewUniform, want 2"},
	} {
		if v, err := value.Read[any]([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %#v, error %v, want %q", c.text, v, err, c.want)
		}
	}
	text, err := value.JSON(environment.Arms{Means: []float64{0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := value.Read[bandit.Learner](text); err == nil || !strings.Contains(err.Error(), `"environment.Arms", want a bandit.Learner`) {
		t.Errorf("an environment for a learner: %v", err)
	}
	if _, err := value.Read[learner.Random](text); err == nil || !strings.Contains(err.Error(), `"environment.Arms", want a "learner.Random"`) {
		t.Errorf("an environment for a Random: %v", err)
	}
}

// TestTexts: equal values have equal texts, and others have others.
func TestTexts(t *testing.T) {
	seen := map[string]any{}
	for i, v := range append(append(values(), odd()...), wraps{&Made{5}, 3}, wraps{&Made{5}, 4},
		learner.New(linear.UCB{RhoMin: math.Nextafter(0.1, 1)}, continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 0.1, Delta: 1e-300}}})) {
		text, err := value.Go(v)
		if err != nil {
			t.Errorf("%T: %v", v, err)
		}
		if other, ok := seen[text]; ok {
			t.Errorf("value %d, %#v, has the text of %#v", i, v, other)
		}
		seen[text] = v
	}
	for i, v := range values() {
		a, _ := value.Go(v)
		if b, err := value.Go(values()[i]); err != nil || a != b {
			t.Errorf("%#v: two texts, %s and %s: %v", v, a, b, err)
		}
	}
}

// TestForeign names types of others, wherever they are.
func TestForeign(t *testing.T) {
	for _, v := range append(values(), odd()...) {
		if f := value.Foreign(v); len(f) != 0 {
			t.Errorf("%T has %q", v, f)
		}
	}
	normal := distuv.Normal{Sigma: 1}
	for _, c := range []struct {
		v    any
		want string
	}{
		{normal, "value is a distuv.Normal"},
		{holds{Any: normal}, "value.Any is a distuv.Normal"},
		{holds{List: []any{1, pair[int, distuv.Normal]{}}}, "value.List[1] is a value_test.pair[int,gonum.org/v1/gonum/stat/distuv.Normal]"},
		{holds{List: []any{&normal}}, "value.List[0] is a distuv.Normal"},
	} {
		if f := value.Foreign(c.v); len(f) == 0 || f[0] != c.want {
			t.Errorf("%T: foreign are %q, want %q", c.v, f, c.want)
		}
	}
}
