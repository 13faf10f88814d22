package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// readArchive returns the hash of a compiled package's content, which the go command has written
// into it, and the paths of what the package imports.
//
// The file is an archive whose first two entries are __.PKGDEF and _go_.o. Both begin with lines of
// text, of which the second is: build id "action/content". In _go_.o, an object file of the format
// go120ld follows, which begins with a magic string, a fingerprint of 8 bytes, flags of 4, and the
// offsets of its blocks, 4 bytes each. The first block lists what is imported, 16 bytes each, which
// begin with the length and the offset of a path.
func readArchive(name string) (content string, imports []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	const magic, header = "!<arch>\n", 60
	at := int64(len(magic))
	for _, entry := range []string{"__.PKGDEF", "_go_.o"} {
		var head [header]byte
		if _, err := f.ReadAt(head[:], at); err != nil {
			return "", nil, err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || strings.TrimRight(string(head[:16]), " /") != entry {
			return "", nil, fmt.Errorf("its entry %q is not %s", head[:16], entry)
		}
		at += header
		if entry == "__.PKGDEF" {
			content, err = contentOf(io.NewSectionReader(f, at, size))
		} else {
			imports, err = importsOf(io.NewSectionReader(f, at, size))
		}
		if err != nil {
			return "", nil, fmt.Errorf("entry %s: %w", entry, err)
		}
		at += size + size%2
	}
	return content, imports, nil
}

// contentOf returns the last part of an entry's build id.
func contentOf(entry io.Reader) (string, error) {
	var head [4096]byte
	n, _ := io.ReadFull(entry, head[:])
	_, rest, ok := bytes.Cut(head[:n], []byte("\nbuild id \""))
	id, _, closed := bytes.Cut(rest, []byte("\"\n"))
	slash := bytes.LastIndexByte(id, '/')
	if !ok || !closed || slash < 0 || slash+1 == len(id) {
		return "", errors.New("it has no build id")
	}
	return string(id[slash+1:]), nil
}

// importsOf returns the paths of the packages that an object file imports, in order.
func importsOf(entry *io.SectionReader) (paths []string, err error) {
	start, text := int64(0), bufio.NewReader(entry)
	for line := ""; line != "!\n"; start += int64(len(line)) { // of packages with C, the text is long
		if line, err = text.ReadString('\n'); err != nil {
			return nil, fmt.Errorf("its text has no end: %w", err)
		}
	}
	object := io.NewSectionReader(entry, start, entry.Size()-start)
	const magic = "\x00go120ld"
	const offsets = len(magic) + 8 + 4
	var fixed [offsets + 8]byte
	if _, err := object.ReadAt(fixed[:], 0); err != nil {
		return nil, err
	}
	if string(fixed[:len(magic)]) != magic {
		return nil, fmt.Errorf("its format %q is not known here", fixed[:len(magic)])
	}
	number := func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
	first, end := number(fixed[offsets:]), number(fixed[offsets+4:])
	if end < first || end > object.Size() {
		return nil, fmt.Errorf("its list of imports is at %d to %d of %d bytes", first, end, object.Size())
	}
	list := make([]byte, end-first)
	if _, err := object.ReadAt(list, first); err != nil && len(list) > 0 {
		return nil, err
	}
	for one := range slices.Chunk(list, 16) {
		if len(one) < 16 || number(one) > object.Size() {
			return nil, errors.New("its list of imports is damaged")
		}
		path := make([]byte, number(one))
		if _, err := object.ReadAt(path, number(one[4:])); err != nil {
			return nil, err
		}
		paths = append(paths, string(path))
	}
	slices.Sort(paths)
	return paths, nil
}
