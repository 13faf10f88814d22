package pkg_test

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A subject is an exported way to hand numbers to the toolkit: a function, or a method of a struct
// that has fields to set.
type subject struct {
	// name is "package.Function" or "package.Type", and after a space what sets it apart from others.
	name string
	// a function, its arguments and those of what it makes, or a value and the arguments of its Open,
	// Init, Validate or Run
	make func() []any
	// only names the leaves that are set, by the ends of their paths; nil means all. It is for a slow
	// subject with a fast twin, which has the other leaves set.
	only []string
}

// on returns the subject with these leaves alone set.
func (s subject) on(only ...string) subject {
	s.only = only
	return s
}

// settable copies the subject's arguments to where they can be set, and lists the leaves that are.
func (s subject) settable() (values []reflect.Value, list []leaf) {
	values, list = settable(s.make())
	if s.only == nil {
		return values, list
	}
	found := map[string]bool{}
	list = slices.DeleteFunc(list, func(l leaf) bool {
		return !slices.ContainsFunc(s.only, func(end string) bool {
			matches := strings.HasSuffix(l.path, end)
			found[end] = found[end] || matches
			return matches
		})
	})
	for _, end := range s.only {
		if !found[end] {
			panic(fmt.Sprintf("%s: no leaf ends in %q", s.name, end))
		}
	}
	return values, list
}

// A harnessCase is a subject with one or two of its numbers replaced by extreme ones.
type harnessCase struct {
	subject
	changes []change
}

// change sets a leaf of a subject's arguments, by its place in their order, to one of the extremes
// of its kind.
type change struct{ leaf, extreme int }

// leaf is something that can be set.
type leaf struct {
	path  string
	value reflect.Value
	keep  func() // puts the copy that value is part of back into its interface
}

var (
	extremeFloats = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, -1e308, 1e-300, 1e-160, 1e-8, 1, 1e8, 1e160, 1e308}
	extremeInts   = []int{math.MinInt, -1, 0, 1, 2, 1 << 16, math.MaxInt32, math.MaxInt}
)

// extremes returns how many extreme values a leaf can take.
func extremes(k reflect.Kind) int {
	switch k {
	case reflect.Float64:
		return len(extremeFloats)
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return len(extremeInts)
	case reflect.Bool, reflect.Interface, reflect.Func, reflect.Slice:
		return 1 // the other one; nil
	}
	return 0
}

// set makes a leaf an extreme value, and returns that in words.
func (l leaf) set(extreme int) string {
	v := l.value
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(extremeFloats[extreme])
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(extremeInts[extreme]))
	case reflect.Uint64:
		v.SetUint(uint64(extremeInts[extreme]))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetZero()
	}
	l.keep()
	return fmt.Sprintf("%s = %v", l.path, v.Interface())
}

// leaves lists what can be set below a value, in a fixed order. A slice is looked into as far as
// its second element. A value in an interface is set on a copy of it, which keep then puts there.
func leaves(v reflect.Value, path string, keep func(), list []leaf) []leaf {
	if !v.IsValid() {
		return list
	}
	if extremes(v.Kind()) > 0 && v.CanSet() {
		list = append(list, leaf{path, v, keep})
	}
	switch v.Kind() {
	case reflect.Pointer:
		return leaves(v.Elem(), path, keep, list)
	case reflect.Interface:
		switch held := v.Elem(); held.Kind() {
		case reflect.Pointer:
			return leaves(held, path, keep, list)
		case reflect.Struct:
			if v.CanSet() {
				own := reflect.New(held.Type()).Elem()
				own.Set(held)
				return leaves(own, path, func() { v.Set(own); keep() }, list)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				list = leaves(v.Field(i), path+"."+f.Name, keep, list)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 2) {
			list = leaves(v.Index(i), fmt.Sprintf("%s[%d]", path, i), keep, list)
		}
	}
	return list
}

// settable copies a subject's arguments to where they can be set, and lists their leaves.
func settable(args []any) (values []reflect.Value, list []leaf) {
	for i, a := range args {
		v := reflect.New(reflect.TypeOf(a)).Elem()
		v.Set(reflect.ValueOf(a))
		values = append(values, v)
		switch v.Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Slice:
			if i == 0 || v.Type().String() != "*rand.Rand" {
				list = leaves(v, v.Type().String(), func() {}, list)
			}
		case reflect.Func:
		default:
			list = leaves(v, "argument "+strconv.Itoa(i), func() {}, list)
		}
	}
	return values, slices.DeleteFunc(list, func(l leaf) bool { return strings.HasPrefix(l.path, "*rand.Rand") })
}

// cases lists every leaf of the subject at every extreme, one at a time, and some pairs of them.
// With -short a subject has each leaf at every second extreme, or every eighth if it is slow, and
// the next leaf at the extremes after those: all subjects, leaves and extremes are there, but not
// all together.
func (s subject) cases() (cases []harnessCase) {
	pairs, step := 30, 1
	if testing.Short() {
		pairs, step = 4, 2
	}
	if testing.Short() && slow[s.name] {
		pairs, step = 2, 8
	}
	_, list := s.settable()
	cases = append(cases, harnessCase{subject: s})
	for i, l := range list {
		n := extremes(l.value.Kind())
		for e := i % min(n, step); e < n; e += step {
			cases = append(cases, harnessCase{s, []change{{i, e}}})
		}
	}
	rng := rand.New(rand.NewPCG(1, uint64(crc32.ChecksumIEEE([]byte(s.name)))))
	for range pairs {
		if len(list) < 2 {
			break
		}
		i := rng.IntN(len(list) - 1)
		j := i + 1 + rng.IntN(len(list)-i-1)
		if strings.HasPrefix(list[j].path, list[i].path) { // the first may cut off the second
			continue
		}
		a, b := extremes(list[i].value.Kind()), extremes(list[j].value.Kind())
		cases = append(cases, harnessCase{s, []change{{i, rng.IntN(a)}, {j, rng.IntN(b)}}})
	}
	return cases
}

// describe returns the case in words, and the arguments that it is.
func (c harnessCase) describe() (string, []reflect.Value) {
	values, list := c.settable()
	words := []string{}
	for _, change := range c.changes {
		words = append(words, list[change.leaf].set(change.extreme))
	}
	return c.name + ": " + strings.Join(words, ", "), values
}

// mostAllocated bounds what a case may allocate, in bytes.
const mostAllocated = 1 << 30

// run calls the subject and uses what it makes. It returns what is wrong with that.
func (c harnessCase) run(values []reflect.Value) (wrong []string) {
	defer func() {
		if r := recover(); r != nil {
			wrong = append(wrong, fmt.Sprintf("panic: %v\n%s", r, stack()))
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	u := &user{values: values, unchanged: len(c.changes) == 0}
	if made, ok := call(values); ok {
		u.use(made)
	}
	wrong = u.wrong
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAllocated {
		wrong = append(wrong, fmt.Sprintf("%.3g GiB allocated, want <= 1", float64(n)/(1<<30)))
	}
	return wrong
}

// stack returns the part of a stack trace that names the module's own files.
func stack() string {
	var own []string
	buf := make([]byte, 1<<16)
	for line := range strings.Lines(string(buf[:runtime.Stack(buf, false)])) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, "/pkg/") && !strings.Contains(line, "/harness_") {
			own = append(own, strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(own[:min(4, len(own))], "\n")
}

// described returns what a subject's function makes, or the value that has no function, and the
// arguments that are left for it.
func described(values []reflect.Value) (made reflect.Value, rest []reflect.Value, err error) {
	f, args := values[0], values[1:]
	if f.Kind() != reflect.Func {
		return f, args, nil
	}
	n := f.Type().NumIn()
	out := f.Call(args[:n])
	if err, failed := out[len(out)-1].Interface().(error); failed {
		return out[0], nil, err
	}
	if made = out[0]; made.Kind() == reflect.Interface {
		made = made.Elem()
	}
	return made, args[n:], nil
}

// call calls a subject's function, its method, or both, and reports that there was no error. What
// was made is the result of the function or of Open, and the receiver of another method.
func call(values []reflect.Value) (made any, ok bool) {
	v, args, err := described(values)
	made = v.Interface()
	if err == nil && (values[0].Kind() != reflect.Func || len(args) > 0) {
		for _, name := range []string{"Open", "Init", "Run", "Validate"} {
			m := v.MethodByName(name)
			if !m.IsValid() {
				continue
			}
			out := m.Call(args)
			if name == "Open" {
				made = out[0].Interface()
			}
			err, _ = out[len(out)-1].Interface().(error)
			break
		}
	}
	if err != nil && strings.Contains(err.Error(), "runtime error") {
		panic(err) // that somebody has recovered from
	}
	return made, err == nil
}

// TestHarness hands extreme numbers to all that is exported and takes numbers: whatever is accepted
// has to work.
//
// The cases run in child processes, so that running out of memory and endless loops are failures of
// a case with a name.
func TestHarness(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no child processes here")
	}
	all := subjects()
	var next, cases atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				t.Run(all[i].name, func(t *testing.T) {
					list := all[i].cases()
					cases.Add(int64(len(list)))
					for first := 0; first < len(list); {
						first = runChild(t, list, i, first)
					}
				})
			}
		})
	}
	wg.Wait()
	t.Logf("%d cases of %d subjects", cases.Load(), len(all))
}

const harnessVariable = "DPBANDITS_HARNESS"

// patience is how long a child may be silent: a case takes milliseconds, on a machine that does
// nothing else.
const patience = 10 * time.Minute

// runChild runs the cases of a subject, from one on, in a process of its own until that ends, and
// returns the first of them that was not run.
func runChild(t *testing.T, cases []harnessCase, subject, first int) (next int) {
	child := exec.Command(os.Args[0], "-test.run=^TestHarnessChild$", fmt.Sprintf("-test.short=%v", testing.Short()))
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", harnessVariable, subject, first))
	var stderr bytes.Buffer
	child.Stderr = &stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Error(err)
		return len(cases)
	}
	silence := time.AfterFunc(patience, func() { child.Process.Kill() })
	current, done := first, false
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		silence.Reset(patience)
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "case":
			if current, err = strconv.Atoi(rest); err != nil {
				t.Error(err)
			}
		case "wrong":
			what, _ := strconv.Unquote(rest)
			t.Error(what)
		case "done":
			done = true
		}
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
	}
	silent := !silence.Stop()
	err = child.Wait()
	if done {
		return len(cases)
	}
	name, _ := cases[current].describe()
	what := "died: " + stderr.String()[:min(500, stderr.Len())]
	if silent {
		what = fmt.Sprintf("took more than %v", patience)
	}
	t.Errorf("%s: %v, %s", name, err, what)
	return current + 1
}

// TestHarnessChild runs cases for TestHarness, and is empty without it.
func TestHarnessChild(t *testing.T) {
	var subject, first int
	if n, _ := fmt.Sscan(os.Getenv(harnessVariable), &subject, &first); n != 2 {
		t.Skip("for TestHarness")
	}
	limitMemory(3 << 30)
	cases := subjects()[subject].cases()
	for i := first; i < len(cases); i++ {
		fmt.Printf("case %d\n", i)
		name, values := cases[i].describe()
		for _, what := range cases[i].run(values) {
			fmt.Printf("wrong %q\n", name+": "+what)
		}
	}
	fmt.Println("done")
}
