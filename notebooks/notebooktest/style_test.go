package notebooktest

import (
	"strings"
	"testing"
)

// A line too many is an error, but in text. Fewer may run.
func TestShort(t *testing.T) {
	of := func(head string, n int) Cell {
		return Cell{ID: "a", Code: true, Source: head + strings.TrimSuffix(strings.Repeat("f()\n", n), "\n")}
	}
	for _, c := range []struct {
		cell Cell
		long string
	}{
		{of("", 30), ""},
		{of("", 31), "31 lines"},
		{of("%%\n// control: a 0..1\n\n", 20), ""},
		{of("%%\n// control: a 0..1\n\n", 21), "21 lines of code"},
		{of("f()\n\n%%\n", 20), "21 lines of code"},
		{of("%noautoget\nimport (\n"+strings.Repeat("\t\"p\"\n", 40)+")\n\n", 6), ""},
		{of("%noautoget\nimport (\n"+strings.Repeat("\t\"p\"\n", 40)+")\n\n", 7), "7 lines beside its imports"},
		{Cell{Source: strings.Repeat("text\n", 31)}, ""},
	} {
		err := c.cell.short(20)
		if (err == nil) != (c.long == "") || err != nil && !strings.Contains(err.Error(), c.long) {
			t.Errorf("%q: %v, want %q", c.cell.Source, err, c.long)
		}
	}
}

// What gofmt would change is an error, on both sides of %%, and so is a long line.
func TestFormatted(t *testing.T) {
	for source, tidy := range map[string]bool{
		"%noautoget\nimport (\n\t\"fmt\"\n\t\"math\"\n)": true,
		"%noautoget\nimport (\n\t\"math\"\n\t\"fmt\"\n)": false,
		"func f() { g() }\n\n%%\nx := 1 // one\nf(x)":    true,
		"func f() {g()}\n\n%%\nx := 1\nf(x)":             false,
		"%%\nx :=1\nf(x)":                                false,
		"%%\nx := (":                                     false,
		"":                                               true,
	} {
		if err := (Cell{Code: true, Source: source}).formatted(); (err == nil) != tidy {
			t.Errorf("%q: %v", source, err)
		}
	}
	for line, short := range map[string]bool{
		"// " + strings.Repeat("ε", 97): true, "// " + strings.Repeat("ε", 98): false, "f(" + strings.Repeat("a", 98) + ")": false,
	} {
		if err := (Cell{Code: true, Source: "%%\n" + line + "\nf()"}).formatted(); (err == nil) != short {
			t.Errorf("%q: %v", line, err)
		}
	}
	if err := (Cell{Source: "x :=1"}).formatted(); err != nil {
		t.Errorf("text: %v", err)
	}
}
