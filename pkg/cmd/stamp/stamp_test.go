package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archive makes a compiled package's file, as far as this command reads it.
func archive(t *testing.T, magic, content string, imports ...string) string {
	t.Helper()
	const header = 8 + 8 + 4 + 8
	object := append([]byte(magic), make([]byte, header-len(magic))...)
	var list []byte
	for _, path := range imports {
		list = binary.LittleEndian.AppendUint32(list, uint32(len(path)))
		list = binary.LittleEndian.AppendUint32(list, uint32(len(object)))
		list = append(list, "12345678"...)
		object = append(object, path...)
	}
	binary.LittleEndian.PutUint32(object[20:], uint32(len(object)))
	binary.LittleEndian.PutUint32(object[24:], uint32(len(object)+len(list)))
	text := "go object linux amd64 go1.26\nbuild id \"a/" + content + "\"\n\n"
	text += "$$  // cgo\n[" + strings.Repeat("what C exports, ", 500) + "]\n\n$$\n\n!\n"
	file := "!<arch>\n"
	for _, entry := range [][2]string{{"__.PKGDEF", text + "export"}, {"_go_.o", text + string(append(object, list...))}} {
		name, data := entry[0], entry[1]
		file += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n%s", name, 0, 0, 0, 0o644, len(data), data)
		file += strings.Repeat("\n", len(data)%2)
	}
	name := filepath.Join(t.TempDir(), "_pkg_.a")
	if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

const known = "\x00go120ld"

// A package's hash changes with its content, with that of all below it, with the runtime's and with
// what the linker is told, and with nothing else.
func TestHashes(t *testing.T) {
	contents := map[string]string{"runtime": "r", "low": "l", "middle": "m", "high": "h", "aside": "s"}
	imports := map[string][]string{"middle": {"low", "unsafe"}, "high": {"middle"}}
	sums := func(told ...string) map[string]string {
		t.Helper()
		archives := map[string]string{}
		for path, content := range contents {
			archives[path] = archive(t, known, content, imports[path]...)
		}
		text, err := hashes(archives, told)
		if err != nil {
			t.Fatal(err)
		}
		sums := map[string]string{}
		for _, field := range strings.Fields(text) {
			path, sum, _ := strings.Cut(field, "=")
			sums[path] = sum
		}
		return sums
	}
	first := sums()
	for path, want := range map[string][]string{
		"low": {"high", "low", "middle"}, "middle": {"high", "middle"}, "high": {"high"}, "aside": {"aside"},
		"runtime": {"aside", "high", "low", "middle", "runtime"},
	} {
		was := contents[path]
		contents[path] = "other"
		var changed []string
		for name, sum := range sums() {
			if sum != first[name] {
				changed = append(changed, name)
			}
		}
		contents[path] = was
		slices.Sort(changed)
		if !slices.Equal(changed, want) {
			t.Errorf("another %s changes %q, want %q", path, changed, want)
		}
	}
	if sums("a.b=c")["aside"] == first["aside"] {
		t.Error("what the linker is told changes nothing")
	}
	bad := map[string]string{"runtime": archive(t, "\x00go999ld", "r")}
	if text, err := hashes(bad, nil); err == nil || !strings.Contains(err.Error(), "go999ld") {
		t.Errorf("an unknown format: %q, error %v", text, err)
	}
}

// The imports that are read from compiled packages are those that the go command knows.
func TestImportsOfCompiledPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{join .Imports \" \"}}\t{{.Standard}}", "../../random", "net").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f[3] == "true" { // some of Go's own import under other names, and net uses C if it can
			if content, _, err := readArchive(f[1]); f[1] != "" && (err != nil || content == "") {
				t.Errorf("package %s: content %q, error %v", f[0], content, err)
			}
			continue
		}
		read++
		content, imports, err := readArchive(f[1])
		want := slices.DeleteFunc(strings.Fields(f[2]), func(path string) bool { return path == "unsafe" })
		if err != nil || content == "" || !slices.Equal(imports, want) {
			t.Errorf("package %s: content %q, imports %q, error %v, want %q", f[0], content, imports, err, want)
		}
	}
	if read < 2 {
		t.Errorf("%d packages, want more", read)
	}
}

// The linker is told of packages, and other programs are left alone.
func TestStampLeavesOthersAlone(t *testing.T) {
	config := filepath.Join(t.TempDir(), "importcfg.link")
	a := archive(t, known, "a")
	text := "# import config\npackagefile fmt=" + a + "\npackagefile runtime=" + a + "\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-V=full"}, {"-importcfg", config, "main.a"}} {
		if flags, err := stamp(args); len(flags) > 0 || err != nil {
			t.Errorf("%q: flags %q, error %v, want none", args, flags, err)
		}
	}
	own, main := archive(t, known, "s", "fmt"), archive(t, known, "m")
	text += "packagefile " + built + "=" + own + "\npackagefile example.org/mine=" + main + "\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	flags, err := stamp([]string{"-importcfg=" + config, "-X=a.b=c", main})
	if err != nil || len(flags) != 1 {
		t.Fatalf("flags %q, error %v, want one flag", flags, err)
	}
	if f := flags[0]; !strings.HasPrefix(f, "-X="+built+".built=fmt=") || strings.Contains(f, "example.org/mine") {
		t.Errorf("flag %q, want hashes of all but the main package", f)
	}
}
