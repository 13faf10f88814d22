package external

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// version is the version of the protocol.
const version = 1

// openMessage returns the line that opens a problem.
func openMessage(p bandit.Problem, horizon int) []byte {
	b := fmt.Appendf(nil, `{"type":"open","protocol":%d,"problem":{"arms":%d,"dim":%d,"slots":%d,"context_norm":`, version, p.Arms, p.Dim, p.Slots)
	b = append(appendNumber(b, p.ContextNorm), `,"reward_min":`...)
	b = append(appendNumber(b, p.RewardMin), `,"reward_max":`...)
	b = append(appendNumber(b, p.RewardMax), `},"horizon":`...)
	return append(strconv.AppendInt(b, int64(horizon), 10), "}\n"...)
}

func appendNumber(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'g', -1, 64) }

// appendNumbers appends a list.
func appendNumbers(b []byte, x []float64) []byte {
	b = append(b, '[')
	for i, v := range x {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	return append(b, ']')
}

// appendArms appends a list.
func appendArms(b []byte, arms []int) []byte {
	b = append(b, '[')
	for i, a := range arms {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(a), 10)
	}
	return append(b, ']')
}

// appendRows appends the contexts of a view as a list of rows.
func appendRows(b []byte, v *bandit.View) []byte {
	b = append(b, `,"contexts":[`...)
	for a := range v.Arms {
		if a > 0 {
			b = append(b, ',')
		}
		b = appendNumbers(b, v.Row(a))
	}
	return append(b, ']')
}

// appendPacked appends the contexts of a view as base64 of little-endian numbers. The scratch is
// returned to be used again.
func appendPacked(b []byte, v *bandit.View, scratch []byte) (_, again []byte) {
	scratch = scratch[:0]
	for _, x := range v.X[:v.Arms*v.Dim] {
		scratch = binary.LittleEndian.AppendUint64(scratch, math.Float64bits(x))
	}
	b = append(b, `,"packed":"`...)
	b = base64.StdEncoding.AppendEncode(b, scratch)
	return append(b, '"'), scratch
}

// ready is what a program says of itself.
type ready struct {
	Protocol int
	Name     string
	Claim    *claim
	Contexts string // "rows" or "packed"
	WarmUp   bool
}

// refusal is an error that the program says itself.
type refusal string

func (r refusal) Error() string { return string(r) }

// mostText bounds a name, or what a program says in its own words, in bytes.
const mostText = 1000

// readReady reads the answer to the message that opens a problem.
func readReady(line []byte) (r ready, err error) {
	fields, err := object(line, "protocol", "name", "claim", "contexts", "warm_up")
	if err != nil {
		return r, err
	}
	if err := errors.Join(
		member(fields, "protocol", &r.Protocol), member(fields, "name", &r.Name), member(fields, "contexts", &r.Contexts),
		member(fields, "warm_up", &r.WarmUp)); err != nil {
		return r, err
	}
	if text, ok := fields["claim"]; ok && string(text) != "null" {
		if r.Claim, err = readClaim(text); err != nil {
			return r, err
		}
	}
	switch r.Contexts {
	case "":
		r.Contexts = "rows"
	case "rows", "packed":
	default:
		return r, fmt.Errorf(`"contexts" of %q, want "rows" or "packed"`, cut(r.Contexts, 40))
	}
	switch {
	case r.Protocol != version:
		return r, fmt.Errorf(`"protocol" of %d, want %d`, r.Protocol, version)
	case r.Name == "" || len(r.Name) > mostText || strings.ContainsFunc(r.Name, func(c rune) bool { return c < ' ' }):
		return r, fmt.Errorf(`"name" of %q, want a line of 1 to %d bytes`, cut(r.Name, 40), mostText)
	}
	return r, nil
}

// answer is what a program answers to any other message. Its lists are used again.
type answer struct {
	arms     []int
	release  []float64
	hasArms  bool
	released bool // whether there is a release
}

// read reads an answer. It is strict: whatever is not in the protocol is an error.
func (a *answer) read(line []byte) error {
	a.clear()
	if a.quick(line) {
		return nil
	}
	a.clear()
	fields, err := object(line, "arms", "release")
	if err != nil {
		return err
	}
	return a.fill(fields)
}

// fill reads the members of an answer.
func (a *answer) fill(fields map[string]json.RawMessage) error {
	_, a.hasArms = fields["arms"]
	_, a.released = fields["release"]
	return errors.Join(list(fields, "arms", &a.arms), list(fields, "release", &a.release))
}

func (a *answer) clear() {
	a.arms, a.release, a.hasArms, a.released = a.arms[:0], a.release[:0], false, false
}

// quick reads an answer in its usual form, and reports whether it is in that. It takes nothing that
// read would refuse.
func (a *answer) quick(b []byte) bool {
	c := cursor{b: b}
	if !c.take('{') {
		return false
	}
	for more := !c.take('}'); more; more = !c.take('}') {
		if (a.hasArms || a.released) && !c.take(',') {
			return false
		}
		switch {
		case !a.hasArms && c.word(`"arms"`):
			a.hasArms = true
			if !c.list(func(text []byte) bool {
				arm, err := strconv.Atoi(string(text))
				a.arms = append(a.arms, arm)
				return err == nil
			}) {
				return false
			}
		case !a.released && c.word(`"release"`):
			a.released = true
			if !c.list(func(text []byte) bool {
				x, err := strconv.ParseFloat(string(text), 64)
				a.release = append(a.release, x)
				return err == nil
			}) {
				return false
			}
		default:
			return false
		}
	}
	return c.end()
}

// cursor is a place in a line.
type cursor struct {
	b []byte
	i int
}

func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\r' || c.b[c.i] == '\t') {
		c.i++
	}
}

// take goes past a character, if it is next.
func (c *cursor) take(x byte) bool {
	c.space()
	if c.i < len(c.b) && c.b[c.i] == x {
		c.i++
		return true
	}
	return false
}

// word goes past a word, if it is next.
func (c *cursor) word(w string) bool {
	c.space()
	if len(c.b)-c.i >= len(w) && string(c.b[c.i:c.i+len(w)]) == w {
		c.i += len(w)
		return true
	}
	return false
}

// list goes past a colon and a list, and hands over its numbers.
func (c *cursor) list(number func(text []byte) bool) bool {
	if !c.take(':') || !c.take('[') {
		return false
	}
	for first, more := true, !c.take(']'); more; first, more = false, !c.take(']') {
		if !first && !c.take(',') {
			return false
		}
		if text := c.number(); len(text) == 0 || !number(text) {
			return false
		}
	}
	return true
}

// end reports whether nothing else comes.
func (c *cursor) end() bool {
	c.space()
	return c.i == len(c.b)
}

// number goes past a number, as JSON has it, and returns its text, empty if none is next.
func (c *cursor) number() []byte {
	c.space()
	start := c.i
	digits := func() bool {
		from := c.i
		for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
			c.i++
		}
		return c.i > from
	}
	is := func(set string) bool {
		if c.i < len(c.b) && strings.IndexByte(set, c.b[c.i]) >= 0 {
			c.i++
			return true
		}
		return false
	}
	is("-")
	first := c.i
	if !digits() || c.b[first] == '0' && c.i > first+1 {
		return nil
	}
	if is(".") && !digits() {
		return nil
	}
	if is("eE") {
		if is("+-"); !digits() {
			return nil
		}
	}
	return c.b[start:c.i]
}

// object reads a JSON object that has no members but some. One with an error of the program's own
// is a refusal.
func object(line []byte, names ...string) (map[string]json.RawMessage, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("not UTF-8")
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("an empty line")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil {
		return nil, inJSON(err)
	} else if t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, inJSON(err)
		}
		name := t.(string) // as the decoder wants it
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, inJSON(err)
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%q twice", cut(name, 40))
		}
		fields[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, inJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON object")
	}
	if text, ok := fields["error"]; ok && len(fields) == 1 {
		var r string
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, errors.New(`"error" that is not a string`)
		}
		return nil, refusal(cut(r, mostText))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("a member %q that is unknown (known are %q)", cut(name, 40), names)
		}
	}
	return fields, nil
}

// inJSON says what is wrong with a text that is not JSON.
func inJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: it ends too soon")
	}
	return fmt.Errorf("not JSON (what it prints for people belongs on its standard error): %v", err)
}

// member reads a member of an object, if it is there.
func member(fields map[string]json.RawMessage, name string, dst any) error {
	text, ok := fields[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(text, dst); err != nil || string(text) == "null" {
		return fmt.Errorf("%q of %s, want %s", name, shown(text), kindOf(dst))
	}
	return nil
}

// list reads a member that is a list of numbers, if it is there.
func list[T int | float64](fields map[string]json.RawMessage, name string, dst *[]T) error {
	var all []*T // null is no number
	if text, ok := fields[name]; ok && string(text) == "null" {
		return fmt.Errorf("%q of null, want %s", name, kindOf(dst))
	}
	if err := member(fields, name, &all); err != nil {
		return fmt.Errorf("%q of %s, want %s", name, shown(fields[name]), kindOf(dst))
	}
	for _, x := range all {
		if x == nil {
			return fmt.Errorf("%q with null, want %s", name, kindOf(dst))
		}
		*dst = append(*dst, *x)
	}
	return nil
}

// kindOf says in words what a member should be.
func kindOf(dst any) string {
	switch dst.(type) {
	case *int:
		return "a whole number"
	case *float64:
		return "a finite number"
	case *string:
		return "a string"
	case *bool:
		return "true or false"
	case *[]int:
		return "a list of whole numbers"
	}
	return "a list of finite numbers"
}
