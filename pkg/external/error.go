package external

import (
	"fmt"
	"strings"
)

// The faults of a program.
const (
	notStarted = "not started" // the command could not be run
	crashed    = "crashed"     // it ended, or closed its standard output
	hung       = "hung"        // no whole line came within the time for an answer
	malformed  = "malformed"   // the line that came is not an answer to what was asked
	badArms    = "bad arms"    // the arms are too few, too many, the same, or none of the problem's
	refused    = "refused"     // it answered with an error of its own
	closed     = "closed"      // nothing: what it belongs to was closed while it had a run
)

// Error says what a program did wrong. It is bounded: of what came it shows the beginning.
type Error struct {
	Program string // the command, as one would type it
	// Fault is "not started", "crashed", "hung", "malformed", "bad arms", "refused" or "closed".
	Fault  string
	When   string // such as "in round 7"
	Round  int    // the last one that it was asked for; 0 before the first
	Got    string // what it did
	Want   string // what it should have done
	Stderr string // the last line of its standard error, with the place in it that lines above name
}

func (e *Error) Error() string {
	s := fmt.Sprintf("external: %s, %s: %s", e.Program, e.When, e.Got)
	if e.Want != "" {
		s += ", want " + e.Want
	}
	if place, said, ok := strings.Cut(e.Stderr, ": "); ok && strings.Contains(e.Got, said) { // once is enough
		s += ", at " + place
	} else if e.Stderr != "" {
		s += fmt.Sprintf("; its standard error ends with %q", e.Stderr)
	}
	return s
}

// title returns a command as one would type it, cut to a line.
func title(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = w
		if w == "" || strings.ContainsAny(w, " \t\r\n\"'\\$`;&|<>()*?") {
			words[i] = fmt.Sprintf("%q", w)
		}
	}
	return cut(strings.Join(words, " "), 200)
}

// cut returns the beginning of a text, with a sign if that is not all of it.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// shown returns the beginning of a line that a program said, in quotes.
func shown(line []byte) string {
	const most = 120
	if len(line) <= most {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q... (%d bytes)", line[:most], len(line))
}
