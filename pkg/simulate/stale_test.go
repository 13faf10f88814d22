package simulate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// house is a copy of the part of the toolkit that package simulate needs, in which testdata/stale
// has a toy learner, a program and modules beside it. Programs are built in it and changed.
type house struct {
	t    *testing.T
	root string // the checkout
	out  string // of programs
	cell string // the flags that docker/kernel gives to what compiles cells
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, root: filepath.Join(t.TempDir(), "a checkout"), out: t.TempDir()}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := h.run(top, nil, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{end}}{{.Dir}}", "./pkg/simulate", "./pkg/cmd/stamp")
	requires := map[string]string{}
	for line := range strings.Lines(list) {
		switch f := strings.Split(strings.TrimSpace(line), "\t"); {
		case len(f) < 3: // Go's own
		case f[1] != "":
			requires[f[0]] = f[1]
		default:
			rel, err := filepath.Rel(top, f[2])
			if err != nil {
				t.Fatal(err)
			}
			h.copySource(f[2], filepath.Join(h.root, rel))
		}
	}
	if err := os.CopyFS(h.root, os.DirFS("testdata/stale")); err != nil {
		t.Fatal(err)
	}
	mod := "module " + module + "\n\ngo 1.26.0\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ./dep\n"
	for path, version := range requires {
		mod += "\nrequire " + path + " " + version + "\n"
	}
	h.write("go.mod", mod)
	h.write("dep/go.mod", "module example.org/dep\n\ngo 1.26.0\n")
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	h.write("go.sum", string(sums))
	// git sees none of these
	h.write(".gitignore", "/pkg/ignored/\n/mine/\n/.tools/\n/outside/\n")
	h.move("pkg/linked", "outside/linked")
	if err := os.Symlink(filepath.Join(h.root, "outside", "linked"), filepath.Join(h.root, "pkg", "linked")); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{"pkg/nested", "."} {
		h.git(dir, "init", "-q")
		h.commit(dir)
	}

	h.copySource(filepath.Join(top, "docker"), filepath.Join(h.root, "docker"))
	h.run(h.root, nil, "go", "build", "-o", ".tools/bin/stamp", "./pkg/cmd/stamp")
	h.write(".tools/bin/gonb", "#!/bin/sh\nprintf %s \"$GOFLAGS\"\n")
	if err := os.Chmod(filepath.Join(h.root, ".tools", "bin", "gonb"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.cell = h.run(h.root, []string{"DPBANDITS_BATCH=1", "TMPDIR=" + h.out}, "bash", "docker/kernel", "connection")
	// GoNB makes a module for each kernel, in a workspace with the checkout
	h.write("outside/gonb_1/go.mod", "module gonb_1\n\ngo 1.26.0\n")
	h.write("outside/go.work", "go 1.26.0\n\nuse ./gonb_1\n\nuse "+quoted(h.root)+"\n")
	return h
}

func quoted(text string) string { b, _ := json.Marshal(text); return string(b) }

// copySource copies the files of a folder that are no tests.
func (h *house) copySource(from, to string) {
	h.t.Helper()
	files, err := os.ReadDir(from)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, f := range files {
		if f.Type().IsRegular() && !strings.HasSuffix(f.Name(), "_test.go") {
			text, err := os.ReadFile(filepath.Join(from, f.Name()))
			if err != nil {
				h.t.Fatal(err)
			}
			rel, err := filepath.Rel(h.root, filepath.Join(to, f.Name()))
			if err != nil {
				h.t.Fatal(err)
			}
			h.write(rel, string(text))
		}
	}
}

func (h *house) path(name string) string { return filepath.Join(h.root, filepath.FromSlash(name)) }

func (h *house) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o777); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(text), 0o666); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) move(from, to string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(to)), 0o777); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(h.path(from), h.path(to)); err != nil {
		h.t.Fatal(err)
	}
}

// edit changes a file, and returns what changes it back.
func (h *house) edit(name, old, new string) (restore func()) {
	h.t.Helper()
	text, err := os.ReadFile(h.path(name))
	if err != nil || !strings.Contains(string(text), old) {
		h.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	h.write(name, strings.Replace(string(text), old, new, 1))
	return func() { h.write(name, string(text)) }
}

// run runs a command with its environment made plain, but for env, and returns its output.
func (h *house) run(dir string, env []string, name string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command(name, args...)
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "PERIOD=")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &stderr)
	}
	return string(out)
}

func (h *house) git(dir string, args ...string) {
	h.t.Helper()
	h.run(h.path(dir), nil, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
}

func (h *house) commit(dir string) {
	h.t.Helper()
	h.git(dir, "add", ".")
	h.git(dir, "commit", "-q", "-m", "a")
}

// A way to build a program.
const (
	byHand = "go build"        // and go run, which builds the same file
	byMake = "make"            // as Makefile does
	inCell = "a notebook cell" // as docker/kernel and GoNB do
)

// build builds the program as it is now.
func (h *house) build(way, name string, flags ...string) string {
	h.t.Helper()
	to := filepath.Join(h.out, strings.ReplaceAll(way+" "+name, " ", "-"))
	args := append([]string{"build", "-o", to}, flags...)
	switch way {
	case inCell:
		text, err := os.ReadFile(h.path("mine/prog/main.go"))
		if err != nil {
			h.t.Fatal(err)
		}
		h.write("outside/gonb_1/main.go", string(text))
		h.run(h.path("outside/gonb_1"), []string{"GOWORK=" + h.path("outside/go.work"), "GOFLAGS=" + h.cell}, "go", append(args, ".")...)
	case byMake:
		h.run(h.root, nil, "go", append(args, "-toolexec='"+h.path(".tools/bin/stamp")+"'", "./mine/prog")...)
	default:
		h.run(h.root, nil, "go", append(args, "./mine/prog")...)
	}
	return to
}

// outcome is what the program prints.
type outcome struct {
	Restored       int
	Values         []float64
	Error, Warning string
	Version        string
}

func (h *house) play(program string, args ...string) (o outcome) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.run(h.root, nil, program, args...)), &o); err != nil {
		h.t.Fatal(err)
	}
	return o
}

// keepers are the ways to keep trials.
var keepers = []string{"cache", "checkpoint", "records", "shards"}

// TestNoNumberIsStale changes all that can change between two runs, and tries each way to keep
// trials with each way to build. The second run has to play the trials again, or to refuse those
// that are there by the name of what differs; and the first program still finds its own.
func TestNoNumberIsStale(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs for half a minute")
	}
	h := newHouse(t)
	bonus := func(name string) func(h *house) (restore func()) {
		return func(h *house) func() { return h.edit(name, "return 1", "return 2") }
	}
	edit := func(name, old, new string) func(h *house) func() {
		return func(h *house) func() { return h.edit(name, old, new) }
	}
	h.write("overlay.json", `{"Replace": {`+quoted(h.path("dep/dep.go"))+": "+quoted(h.path("outside/dep2/dep.go"))+"}}")
	h.write("outside/dep2/go.mod", "module example.org/dep\n\ngo 1.26.0\n")
	h.write("outside/dep2/dep.go", "// Package dep is another.\npackage dep\n\n// Bonus is another.\nfunc Bonus() float64 { return 3 }\n")
	all := []string{byHand, inCell}

	// What is built from something else. The learner's kind says whose code is in play.
	first := map[string]string{}
	for _, way := range []string{byHand, byMake, inCell} {
		first[way] = h.build(way, "first")
	}
	h.run(h.root, nil, "go", "mod", "vendor")
	h.move("vendor", "outside/vendor")
	for _, c := range []struct {
		what   string
		ways   []string
		change func(h *house) (restore func())
		flags  []string
		args   []string // of both programs
	}{
		{"the toolkit's code", all, bonus("pkg/toy/helper/helper.go"), nil, nil},
		{"a policy's code", all, edit("pkg/toy/toy.go", "v.Round%r.period == 0", "v.Round%(r.period+1) == 0"), nil, nil},
		{"a dependency's code", all, bonus("dep/dep.go"), nil, nil},
		{"a replaced module", all, edit("go.mod", "=> ./dep", "=> ./outside/dep2"), nil, nil},
		{"vendor/", []string{byHand, byMake}, func(h *house) func() {
			h.move("outside/vendor", "vendor")
			restore := h.edit("vendor/example.org/dep/dep.go", "return 1", "return 2")
			return func() { restore(); h.move("vendor", "outside/vendor") }
		}, []string{"-mod=vendor"}, nil},
		{"an overlay", []string{byHand, byMake, inCell}, func(*house) func() { return func() {} }, []string{"-overlay=" + h.path("overlay.json")}, nil},
		{"an ignored folder", all, bonus("pkg/ignored/ignored.go"), nil, nil},
		{"a linked folder", all, bonus("outside/linked/linked.go"), nil, nil},
		{"a nested repository", all, bonus("pkg/nested/nested.go"), nil, nil},
		{"a build tag", []string{byHand, byMake, inCell}, func(*house) func() { return func() {} }, []string{"-tags=tagged"}, nil},
		{"an own package in the toolkit's folder", all, edit("mine/lib/lib.go", "period := 3", "period := 6"), nil, []string{"-kind=mine", "-fingerprint=1"}},
		{"a closure's constant", []string{byHand}, edit("mine/prog/main.go", "return 5", "return 7"), nil, []string{"-kind=closure", "-fingerprint=1"}},
		{"a method of an own type", []string{byHand}, edit("mine/prog/main.go", "o.Period = 4", "o.Period = 6"), nil, []string{"-kind=own", "-fingerprint=1"}},
	} {
		restore := c.change(h)
		programs := map[string]string{}
		for _, way := range c.ways {
			programs[way] = h.build(way, "second", c.flags...)
		}
		restore()
		for _, way := range c.ways {
			t.Run(c.what+"/"+way, func(t *testing.T) {
				h := *h
				h.t = t
				h.compare(first[way], c.args, programs[way], c.args, "build is ")
			})
		}
		if c.what == "a policy's code" {
			t.Run("before and after go build", func(t *testing.T) {
				h := *h
				h.t = t
				h.compare(programs[byHand], nil, first[byHand], nil, "build is ")
			})
		}
	}

	// What is given to one program at its start.
	h.write("one.txt", "0.5 0.25")
	h.write("two.txt", "0.5 0.125")
	for _, c := range []struct {
		what          string
		first, second []string
		want          string
	}{
		{"a field", []string{"-period=2"}, []string{"-period=3"}, "Period is 2 in the file and 3"},
		{"an environment's parameter", []string{"-gap=1"}, []string{"-gap=2"}, "Gap is 1 in the file and 2"},
		{"a data file", []string{"-data=one.txt"}, []string{"-data=two.txt"}, "Data[1] is 0.25 in the file and 0.125"},
		{"a stated version", []string{"-kind=own", "-fingerprint=1"}, []string{"-kind=own", "-fingerprint=2", "-variable=6"}, `Fingerprint is "1" in the file and "2"`},
	} {
		for _, way := range all {
			t.Run(c.what+"/"+way, func(t *testing.T) {
				h := *h
				h.t = t
				h.compare(first[way], c.first, first[way], c.second, c.want)
			})
		}
	}

	// What nobody can see: code that may read a global or an environment variable.
	for kind, want := range map[string]string{
		"closure": `policy "learner": field Hook: it holds a closure`,
		"own":     `policy "learner": main.own is a type of the program's own`,
		"mine":    `policy "learner": lib.Learner is a type of the program's own`,
	} {
		for _, way := range all {
			t.Run("a global or a variable of the environment/"+kind+"/"+way, func(t *testing.T) {
				for _, keep := range keepers {
					o := h.play(first[way], "-kind="+kind, "-keep="+keep, "-place="+filepath.Join(t.TempDir(), "kept"))
					said := o.Error
					if keep == "cache" {
						said = o.Warning
					}
					if !strings.Contains(said, want) || !strings.Contains(said, "Fingerprint") || (len(o.Values) > 0) != (keep == "cache") {
						t.Errorf("%s: %+v, want %q", keep, o, want)
					}
				}
			})
		}
	}

	t.Run("go run", func(t *testing.T) {
		args := []string{"run", "./mine/prog", "-kind=own", "-fingerprint=1", "-keep=records", "-place=" + filepath.Join(t.TempDir(), "kept")}
		h.run(h.root, nil, "go", args...)
		var o outcome
		if err := json.Unmarshal([]byte(h.run(h.root, nil, "go", args...)), &o); err != nil || o.Restored != 4 {
			t.Errorf("%+v, error %v, want the program's own trials restored", o, err)
		}
		defer h.edit("mine/prog/main.go", "o.Period = 4", "o.Period = 6")()
		o = outcome{}
		if err := json.Unmarshal([]byte(h.run(h.root, nil, "go", args...)), &o); err != nil || !strings.Contains(o.Error, "build is ") {
			t.Errorf("after a changed method: %+v, error %v, want an error", o, err)
		}
	})

	t.Run("another cell", func(t *testing.T) {
		restore := h.edit("mine/prog/main.go", "func main() {", "func init() { println() }\n\nfunc main() {")
		second := h.build(inCell, "second")
		restore()
		kept := filepath.Join(t.TempDir(), "kept")
		h.play(first[inCell], "-keep=cache", "-place="+kept)
		if o := h.play(second, "-keep=cache", "-place="+kept); o.Restored != 4 {
			t.Errorf("%+v, want the toolkit's own trials restored", o)
		}
		if o := h.play(first[byMake], "-keep=cache", "-place="+kept); o.Restored != 4 {
			t.Errorf("by make: %+v, want the toolkit's own trials restored", o)
		}
	})

	t.Run("the revision", func(t *testing.T) {
		old := strings.TrimSpace(h.run(h.root, nil, "git", "rev-parse", "HEAD"))
		h.edit("pkg/toy/helper/helper.go", "return 1", "return 4")
		h.commit(".")
		if o := h.play(first[inCell]); o.Version != old {
			t.Errorf("after a commit, an old cell claims version %q, want %q", o.Version, old)
		}
		if o := h.play(h.build(inCell, "third")); o.Version == old || strings.Contains(o.Version, "-") {
			t.Errorf("a new cell claims version %q, want the new revision", o.Version)
		}
	})
}

// compare has a first program keep trials, and a second one that must not take them for its own.
func (h *house) compare(first string, a []string, second string, b []string, want string) {
	h.t.Helper()
	fresh := h.play(second, b...)
	if before := h.play(first, a...); len(before.Values) != 4 || reflect.DeepEqual(before.Values, fresh.Values) {
		h.t.Fatalf("the numbers are %v before the change and %v after it", before.Values, fresh.Values)
	}
	for _, keep := range keepers {
		kept := []string{"-keep=" + keep, "-place=" + filepath.Join(h.t.TempDir(), "kept")}
		trials := 4
		if keep == "shards" {
			trials = 2
		}
		if o := h.play(first, slices.Concat(a, kept)...); len(o.Values) != trials || o.Error+o.Warning != "" {
			h.t.Fatalf("%s: the first run: %+v", keep, o)
		}
		switch o := h.play(second, slices.Concat(b, kept, []string{"-shard=1/2"})...); {
		case keep == "cache":
			if o.Restored != 0 || !reflect.DeepEqual(o.Values, fresh.Values) || o.Error+o.Warning != "" {
				h.t.Errorf("cache: %+v, want %v", o, fresh.Values)
			}
		case !strings.Contains(o.Error, want) || len(o.Values) > 0:
			h.t.Errorf("%s: %+v, want an error with %q", keep, o, want)
		}
		if keep == "shards" {
			merge := slices.Concat(b, kept[1:], []string{"-keep=merge"})
			if o := h.play(second, merge...); !strings.Contains(o.Error, want) || len(o.Values) > 0 {
				h.t.Errorf("merge: %+v, want an error with %q", o, want)
			}
		}
		if o := h.play(first, slices.Concat(a, kept)...); o.Restored != trials {
			h.t.Errorf("%s: the first program finds %d of its own trials, want %d", keep, o.Restored, trials)
		}
	}
}
