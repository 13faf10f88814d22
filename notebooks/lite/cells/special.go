package cells

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// refused are GoNB's special lines that a page does not have, with the reason.
var refused = map[string]string{
	"test":          "a page runs programs, not tests",
	"wasm":          "every cell of a page is WebAssembly",
	"widgets":       "a page has no channel for GoNB's widgets",
	"widgets_hb":    "a page has no channel for GoNB's widgets",
	"goflags":       "a page compiles with fixed flags",
	"cd":            "a page has one directory",
	"capture":       "a page has no files to write to",
	"with_inputs":   "a page has no shell",
	"with_password": "a page has no shell",
	"track":         "a page has no files to follow",
	"untrack":       "a page has no files to follow",
}

// special obeys the special lines of a cell, and returns its Go code with as many lines. It says
// whether there is something to run.
func (p *Program) special(cell string) (text string, main bool, err error) {
	var b strings.Builder
	end := ""
	for line := range strings.Lines(cell) {
		command, is := special(line)
		if !is {
			b.WriteString(line)
			continue
		}
		words := split(command)
		name, args := words[0], words[1:]
		switch name {
		case "%", "main", "exec":
			call := ""
			if name == "exec" {
				if len(args) == 0 {
					return "", false, fmt.Errorf("%%exec names no function")
				}
				call, args = args[0]+"()", args[1:]
			}
			if len(args) > 0 {
				p.next.Args = args
			}
			parse := ""
			if len(p.next.Args) > 0 {
				parse = "flag.Parse(); "
			}
			if main {
				return "", false, fmt.Errorf("a cell has one %%%%, and this one has two")
			}
			b.WriteString("func main() { " + parse + call)
			main, end = true, "\n}\n"
			if name == "exec" {
				b.WriteString(" }")
				end = ""
			}
		case "args":
			p.next.Args = args
		case "env":
			if len(args) == 1 {
				if key, value, ok := strings.Cut(args[0], "="); ok {
					args = []string{key, value}
				}
			}
			if len(args) != 2 {
				return "", false, fmt.Errorf("%%env wants a name and a value, and has %d words", len(args))
			}
			p.next.Env[args[0]] = args[1]
			p.Said += fmt.Sprintf("Set: %s=%q\n", args[0], args[1])
		case "autoget", "noautoget": // nothing is fetched but what the page has
		case "ls", "list":
			p.Said += p.next.list()
		case "rm", "remove":
			p.next.Declarations = slices.DeleteFunc(p.next.Declarations, func(d Declaration) bool {
				return slices.ContainsFunc(d.Names, func(n string) bool { return slices.Contains(args, n) })
			})
			p.next.Imports = slices.DeleteFunc(p.next.Imports, func(i Import) bool { return slices.Contains(args, i.Name) })
		case "reset":
			p.next.Declarations, p.next.Imports = nil, nil
		default:
			reason := refused[name]
			if command == "" || strings.HasPrefix(strings.TrimSpace(line), "!") {
				reason = "a page has no shell"
			}
			if reason == "" {
				reason = "it is none of GoNB's that a page has"
			}
			return "", false, fmt.Errorf("%s: %s", strings.TrimSpace(line), reason)
		}
		b.WriteByte('\n')
	}
	return b.String() + end, main, nil
}

// special returns a special line without its mark. The first word of %% is another %.
func special(line string) (command string, is bool) {
	line = strings.TrimPrefix(strings.TrimRight(line, " \t\r\n"), "//gonb:")
	if len(line) < 2 || line[0] != '%' && line[0] != '!' {
		return "", false
	}
	if line[0] == '!' {
		return "!", true
	}
	if rest, ok := strings.CutPrefix(line, "%%"); ok {
		if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			return "% " + rest, true
		}
		return "%" + rest, true // %%bash and the like
	}
	return strings.TrimSpace(line[1:]), true
}

// split cuts a line into words. Quotes hold a word together.
func split(line string) (words []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			word, _ := strconv.Unquote(quoted)
			words, line = append(words, word), line[len(quoted):]
			continue
		}
		word := strings.Fields(line)[0]
		words, line = append(words, word), line[len(word):]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	return words
}

// list says what is declared, for %ls.
func (n *Notebook) list() string {
	list := map[string]string{}
	for _, i := range n.Imports {
		list[i.Name] = "import " + i.Spec
	}
	for _, d := range n.Declarations {
		first, _, _ := strings.Cut(d.Text, "\n")
		list[strings.Join(d.Names, ", ")] = first
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(list)) {
		fmt.Fprintf(&b, "%-24s %s\n", name, list[name])
	}
	return b.String()
}
