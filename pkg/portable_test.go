package pkg_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exact lists what package math computes without rounding, or as IEEE 754 rounds it: the same on
// every machine.
var exact = strings.Fields("Abs Ceil Copysign FMA Float32bits Float32frombits Float64bits Float64frombits Floor Frexp Ilogb Inf IsInf IsNaN " +
	"Ldexp Max Min Mod Modf NaN Nextafter Round RoundToEven Signbit Sqrt Trunc")

// unportable lists what may sum in another order elsewhere, and where it does no harm.
var unportable = map[string]string{
	// measured bounds of noise, not a simulated number
	"audit/blank.go": "gonum.org/v1/gonum/mat",
	// an attack's densities, not a simulated number
	"audit/density.go": "gonum.org/v1/gonum/mat",
	"audit/linear.go":  "gonum.org/v1/gonum/mat", // the same
	// the attack's direction, not a simulated number
	"audit/internal/detect/discriminant.go": "gonum.org/v1/gonum/mat",
	// a look at assumptions, which decides no simulated number
	"environment/conditions.go": "gonum.org/v1/gonum/mat",
	// no learner is calibrated by a composition of losses
	"privacy/privacytest/device.go":    "gonum.org/v1/gonum/mat", // a test's, which decides no simulated number
	"privacy/privacytest/linear.go":    "gonum.org/v1/gonum/mat", // the same
	"privacy/internal/loss/compose.go": "gonum.org/v1/gonum/dsp/fourier",
}

// differing explains what in a file may give other numbers on another machine.
func differing(fset *token.FileSet, file *ast.File, name string) (bad []string) {
	exempt := strings.HasPrefix(name, "internal/portable/")
	ours := map[string]string{} // import's name -> path
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		base := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			base = spec.Name.Name
		}
		ours[base] = path
		if strings.HasPrefix(path, "gonum.org/") && unportable[name] != path {
			bad = append(bad, fmt.Sprintf("%s imports %s, whose sums are in another order elsewhere", name, path))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if s.Sel.Name == "NormFloat64" || s.Sel.Name == "ExpFloat64" {
			bad = append(bad, fmt.Sprintf("%v: %s, want random.Normal or random.Exponential", fset.Position(s.Pos()), s.Sel.Name))
		}
		if x, ok := s.X.(*ast.Ident); ok && ours[x.Name] == "math" && !exempt && !known(s.Sel.Name) {
			bad = append(bad, fmt.Sprintf("%v: math.%s, want package portable's", fset.Position(s.Pos()), s.Sel.Name))
		}
		return true
	})
	return bad
}

var constants = regexp.MustCompile(`^(E|Pi|Phi|Ln.*|Log2E|Log10E|Sqrt[2EP].*|Max[IUF].*|Min[I].*|Smallest.*)$`)

func known(name string) bool { return slices.Contains(exact, name) || constants.MatchString(name) }

// TestPortableSources: nothing under pkg/ computes with what differs between machines.
func TestPortableSources(t *testing.T) {
	fset := token.NewFileSet()
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == "testdata" || d.Name() == "cluster") {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, why := range differing(fset, file, filepath.ToSlash(path)) {
			t.Error(why)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
	file, err := parser.ParseFile(fset, "x.go", `package x
		import ("math"; "gonum.org/v1/gonum/stat"; "math/rand/v2")
		func f(r *rand.Rand) float64 { return math.Exp(math.Pi) + stat.Mean(nil, nil) + r.NormFloat64() }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if bad := differing(fset, file, "x.go"); len(bad) != 3 {
		t.Errorf("three faults in a file, found %q", bad)
	}
}

var fused = regexp.MustCompile(`^\s*(\S+):(\d+)\s.*\sFN?M(ADD|SUB)[SD]\s`)

// fusedLines returns the lines, as file:number, that are compiled into fused multiply-adds.
func fusedLines(assembly []byte) (lines []string) {
	scanner := bufio.NewScanner(bytes.NewReader(assembly))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if m := fused.FindStringSubmatch(scanner.Text()); m != nil {
			lines = append(lines, m[1]+":"+m[2])
		}
	}
	return lines
}

// TestNothingIsFused compiles the packages for arm64, whose compiler fuses x*y + z wherever it may,
// and reads the machine code. The remedy is float64(x*y) + z, where the product is made: it may be
// in another statement or function.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for arm64")
	}
	run := func(name string, args ...string) []byte {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		return out
	}
	packages := strings.Fields(string(run("go", "list", "-export", "-f", "{{if .GoFiles}}{{.ImportPath}} {{.Dir}} {{.Export}}{{end}}", "./...")))
	if len(packages) < 3*10 {
		t.Fatalf("packages: %q", packages)
	}
	wanted := 0
	for ; len(packages) > 0; packages = packages[3:] {
		path, dir, export := packages[0], packages[1], packages[2]
		for _, line := range fusedLines(run("go", "tool", "objdump", export)) {
			if asked(t, dir, line) {
				wanted++
				continue
			}
			t.Errorf("%s: %s is fused on arm64", path, line)
		}
	}
	if wanted == 0 {
		t.Error("not even math.FMA is found in the machine code of package portable")
	}
}

// asked tells whether a line calls math.FMA.
func asked(t *testing.T, dir, line string) bool {
	t.Helper()
	name, number, _ := strings.Cut(line, ":")
	source, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return false // inlined from another package
	}
	n, _ := strconv.Atoi(number)
	lines := strings.Split(string(source), "\n")
	return n >= 1 && n <= len(lines) && strings.Contains(lines[n-1], "math.FMA(")
}
