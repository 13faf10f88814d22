package pkg_test

import (
	"bufio"
	"bytes"
	"errors"
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
	"internal/expect/laws.go":               "gonum.org/v1/gonum/stat/distuv", // what tests compare with
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
			bad = append(bad, fmt.Sprintf("%v: %s, want random.Normal or ziggurat.Exponential", fset.Position(s.Pos()), s.Sel.Name))
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
		if strings.HasSuffix(path, ".s") && !strings.HasSuffix(path, "_amd64.s") {
			t.Errorf("%s: assembly for another processor than amd64, in which nobody looks for fused products", path)
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

var fused = regexp.MustCompile(`\((\S+:\d+)\)\s+FN?M(?:ADD|SUB)[SD]\s`)

// TestNothingIsFused compiles the packages for arm64, whose compiler fuses x*y + z wherever it may,
// and reads the machine code. The remedy is float64(x*y) + z, where the product is made: it may be
// in another statement or function. The listing is of the compiler, as fast as the build cache, and
// has no assembly: TestPortableSources sees that there is none for arm64.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for arm64")
	}
	cmd := exec.Command("go", "build", "-trimpath=false", "-gcflags=-S", "./...")
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	listing, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	packages, last := 0, ""
	wanted, unwanted := 0, map[string]bool{} // by their place
	lines := bufio.NewScanner(listing)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Bytes()
		if bytes.HasPrefix(line, []byte("# ")) {
			packages++
		}
		if !bytes.Contains(line, []byte("\tF")) { // most lines
			last = string(line)
			continue
		}
		m := fused.FindSubmatch(line)
		switch {
		case m == nil:
		case asked(string(m[1])):
			wanted++
		default:
			unwanted[string(m[1])] = true
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil || packages < 10 {
		t.Fatalf("%d packages, %v: %s", packages, err, last)
	}
	for place := range unwanted {
		t.Errorf("%s is fused on arm64", place)
	}
	if wanted == 0 {
		t.Error("not even math.FMA is found in the machine code of package portable")
	}
}

// asked tells whether a line, such as file.go:7, calls math.FMA.
func asked(place string) bool {
	at := strings.LastIndex(place, ":")
	source, err := os.ReadFile(place[:at])
	if err != nil {
		return false
	}
	n, _ := strconv.Atoi(place[at+1:])
	lines := strings.Split(string(source), "\n")
	return n >= 1 && n <= len(lines) && strings.Contains(lines[n-1], "math.FMA(")
}
