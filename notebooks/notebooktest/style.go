package notebooktest

import (
	"fmt"
	"go/format"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	longest = 30            // lines that a code cell may have
	settled = 6             // lines that the cell of the imports may have beside them
	widest  = 100           // letters that a line of code may have
	control = "// control:" // begins a line that names controls of the page
)

// Short checks that no code cell has more than 30 lines, and that one that runs something has at
// most so many lines of code. Empty lines, %% and the controls of the page are not lines of code.
// The cell of the imports may have 6 lines of code beside them, for what all others share.
func Short(t *testing.T, notebook string, running int) {
	t.Helper()
	for _, c := range Cells(t, notebook) {
		if err := c.short(running); err != nil {
			t.Error(err)
		}
	}
}

func (c Cell) short(running int) error {
	if !c.Code {
		return nil
	}
	if c.imports() {
		return c.settles()
	}
	lines, code, runs := strings.Split(strings.TrimSpace(c.Source), "\n"), 0, false
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "%%" {
			runs = true
		} else if line != "" && !strings.HasPrefix(line, control) {
			code++
		}
	}
	if len(lines) > longest {
		return fmt.Errorf("cell %s has %d lines, want at most %d", c.ID, len(lines), longest)
	}
	if runs && code > running {
		return fmt.Errorf("cell %s runs %d lines of code, want at most %d", c.ID, code, running)
	}
	return nil
}

// settles checks that the cell of the imports has little else.
func (c Cell) settles() error {
	_, rest, _ := strings.Cut(c.Source, "\n)\n") // behind the imports
	code := 0
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) != "" {
			code++
		}
	}
	if code > settled {
		return fmt.Errorf("cell %s has %d lines beside its imports, want at most %d", c.ID, code, settled)
	}
	return nil
}

// Formatted checks that the code is as gofmt writes it, what is above %% as a file and what is
// below as the body of a function, in lines of at most 100 letters.
func Formatted(t *testing.T, notebook string) {
	t.Helper()
	for _, c := range Cells(t, notebook) {
		if err := c.formatted(); err != nil {
			t.Error(err)
		}
	}
}

func (c Cell) formatted() error {
	if !c.Code {
		return nil
	}
	above, below, _ := strings.Cut("\n"+c.Source, "\n%%\n")
	file := "package cell\n\n" + strings.TrimSpace(strings.TrimPrefix(above, "\n%noautoget"))
	for line := range strings.Lines(c.Source) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > widest {
			return fmt.Errorf("cell %s has a line of %d letters, want at most %d: %s", c.ID, utf8.RuneCountInString(line), widest, line)
		}
	}
	for _, code := range []string{file, below} {
		code = strings.TrimSpace(code)
		want, err := format.Source([]byte(code))
		if err != nil {
			return fmt.Errorf("cell %s: %w", c.ID, err)
		}
		if code != strings.TrimSpace(string(want)) {
			return fmt.Errorf("cell %s is not as gofmt writes it:\n%s", c.ID, want)
		}
	}
	return nil
}
