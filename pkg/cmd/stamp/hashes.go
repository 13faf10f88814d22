package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hashes returns "path=hash" of each package, in order, with spaces between. The hash is that of
// the package's content, of those of all that it imports, of the runtime's, which each program has,
// and of what the linker is told.
func hashes(archives map[string]string, told []string) (string, error) {
	h := hasher{archives: archives, sums: make(map[string]string)}
	base, err := h.sum("runtime")
	if err != nil {
		return "", err
	}
	base += "\n" + strings.Join(told, "\n")
	var list []string
	for _, path := range slices.Sorted(maps.Keys(archives)) {
		sum, err := h.sum(path)
		if err != nil {
			return "", err
		}
		list = append(list, path+"="+digest(sum + "\n" + base)[:16])
	}
	return strings.Join(list, " "), nil
}

// hasher hashes packages with what they import.
type hasher struct {
	archives map[string]string
	sums     map[string]string // by path, of those that are known
}

// sum returns the hash of a package and all that it imports. A path without a file is the
// compiler's own, such as unsafe.
func (h *hasher) sum(path string) (string, error) {
	if sum, ok := h.sums[path]; ok || h.archives[path] == "" {
		return sum, nil
	}
	content, imports, err := readArchive(h.archives[path])
	if err != nil {
		return "", fmt.Errorf("package %s: %w", path, err)
	}
	text := path + "\n" + content
	for _, name := range imports {
		sum, err := h.sum(name)
		if err != nil {
			return "", err
		}
		text += "\n" + name + " " + sum
	}
	h.sums[path] = digest(text)
	return h.sums[path], nil
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
