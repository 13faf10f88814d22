// Command stamp tells a program what it was built from:
//
//	go build -toolexec=/path/to/stamp ./mine
//
// It runs the tools of a build unchanged, but for the linker. That one it gives a hash of each
// package that is linked, the main one left out: of the package's compiled file and, in turn, of
// all that it imports. So whatever changes what a package does is seen, wherever its files lie: a
// dependency, a vendored or replaced module, an ignored folder, an overlay, a build tag. The
// program finds the hashes in package simulate, which keeps results by them. Two programs that
// differ in their main packages only have the same hashes, as cells of a notebook do.
//
// If the program's toolkit was compiled in the checkout that holds this command (in .tools/bin),
// the program is told the revision, too.
//
// What goes wrong here leaves a program without a stamp, and a line says so. Package simulate then
// keeps results by a hash of the whole program.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// built is the package that is told.
const built = "github.com/dpbandits/dpbandits/pkg/internal/built"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go build -toolexec=/path/to/stamp")
		os.Exit(2)
	}
	tool, args := os.Args[1], os.Args[2:]
	if strings.TrimSuffix(filepath.Base(tool), ".exe") == "link" {
		flags, err := stamp(args)
		if err != nil {
			fmt.Fprintln(os.Stderr, "stamp: the program is not told what it was built from:", err)
		}
		args = append(flags, args...)
	}
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stamp:", err)
		os.Exit(1)
	}
}

// stamp returns the flags that a linker with these arguments is to have in addition: none, if it
// links no program that asks.
func stamp(args []string) (flags []string, err error) {
	var config string
	var told []string // what the linker sets otherwise
	for i, arg := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			value = next
		}
		switch strings.TrimPrefix(name, "-") {
		case "-importcfg", "importcfg":
			config = value
		case "-X", "X":
			told = append(told, value)
		}
	}
	if config == "" {
		return nil, nil
	}
	archives, err := readConfig(config)
	if err != nil || archives[built] == "" {
		return nil, err
	}
	main := args[len(args)-1]
	for path, file := range archives {
		if file == main {
			delete(archives, path)
		}
	}
	sums, err := hashes(archives, told)
	if err != nil {
		return nil, err
	}
	flags = []string{"-X=" + built + ".built=" + sums}
	if name := revision(archives[built]); name != "" {
		flags = append(flags, "-X="+built+".revision="+name)
	}
	return flags, nil
}

// readConfig returns the files of the packages that are linked, by path.
func readConfig(config string) (archives map[string]string, err error) {
	text, err := os.ReadFile(config)
	if err != nil {
		return nil, err
	}
	archives = make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "packagefile "); ok {
			if path, file, ok := strings.Cut(rest, "="); ok {
				archives[path] = file
			}
		}
	}
	return archives, nil
}
