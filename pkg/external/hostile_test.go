//go:build unix

package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// misdeed is what a hostile program does in place of an answer.
type misdeed struct {
	fault  string
	got    string // part of the error
	rounds bool   // only where arms are asked for
	do     func()
}

func say(text string) func() { return func() { os.Stdout.WriteString(text) } }

// leave starts a process that holds what this one holds, and that does not end.
func leave(session bool) {
	c := self("sleep")
	child := exec.Command(c.Command[0], c.Command[1:]...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if session {
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
}

func forever() { time.Sleep(time.Hour) }

func init() {
	roles["hostile"] = hostile
	roles["sleep"] = func([]string) { forever() }
	roles["user"] = func([]string) { user() }
}

var misdeeds = map[string]misdeed{
	"silent":        {hung, "no answer within", false, func() { _, _ = bufio.NewReader(os.Stdin).ReadString(0); forever() }},
	"asleep":        {hung, "no answer within", false, forever},
	"stops reading": {hung, "no answer within", false, func() { say("{}\n")(); forever() }},
	"half a line":   {hung, `only "{\"ar" within`, false, func() { say(`{"ar`)(); forever() }},
	"drips": {hung, "within", false, func() {
		for range 1000 {
			say(" ")()
			time.Sleep(10 * time.Millisecond)
		}
	}},
	"ends well":         {crashed, "it ended with exit status 0", false, func() { os.Exit(0) }},
	"ends ill":          {crashed, "it ended with exit status 3", false, func() { os.Exit(3) }},
	"panics":            {crashed, "it ended with exit status 2", false, func() { panic("on purpose") }},
	"kills itself":      {crashed, "it ended with signal: killed", false, func() { p, _ := os.FindProcess(os.Getpid()); p.Kill(); forever() }},
	"ends in a line":    {crashed, `exit status 4 after "{\"arms\":[0"`, false, func() { say(`{"arms":[0`)(); os.Exit(4) }},
	"closes its output": {crashed, "it closed its standard output", false, func() { os.Stdout.Close(); forever() }},
	"closes all":        {crashed, "it closed its standard output", false, func() { os.Stdin.Close(); os.Stdout.Close(); os.Stderr.Close(); forever() }},
	"endless line": {malformed, "a line that begins", false, func() {
		for {
			say(strings.Repeat("x", 1<<16))()
		}
	}},
	"long line": {malformed, "a line that begins", false, say(`{"arms":[` + strings.Repeat(" ", mostLine) + "0]}\n")},
	"endless lines": {malformed, "", false, func() {
		for {
			say("{}\n{}\n")()
		}
	}},
	"two lines":           {malformed, "more than one line", false, say("{\"arms\":[0]}\n{\"arms\":[0]}\n")},
	"empty line":          {malformed, "an empty line", false, say("\n")},
	"prose":               {malformed, "not JSON", false, say("I choose the first one.\n")},
	"half an object":      {malformed, "not JSON: it ends too soon", false, say("{\"arms\":[0]\n")},
	"two objects":         {malformed, "more than one JSON object", false, say("{\"arms\":[0]} {\"arms\":[0]}\n")},
	"a list":              {malformed, "not a JSON object", false, say("[0]\n")},
	"null":                {malformed, "not a JSON object", false, say("null\n")},
	"a number":            {malformed, "not a JSON object", false, say("0\n")},
	"binary":              {malformed, "not UTF-8", false, func() { os.Stdout.Write([]byte{0, 255, 254, 7, 0, 128, '\n'}) }},
	"not UTF-8":           {malformed, "not UTF-8", false, say("{\"arms\":[0],\"name\":\"\xff\xfe\"}\n")},
	"zero bytes":          {malformed, "not JSON", false, say("{\"arms\":[\x000]}\n")},
	"deep":                {malformed, "not JSON", false, say(strings.Repeat(`{"arms":[`, 50000) + "\n")},
	"another member":      {malformed, `a member "arm"`, false, say("{\"arm\":0}\n")},
	"capitals":            {malformed, `a member "ARMS"`, false, say("{\"ARMS\":[0]}\n")},
	"a member twice":      {malformed, `"arms" twice`, false, say("{\"arms\":[0],\"arms\":[1]}\n")},
	"refuses":             {refused, `it says "no more"`, false, say("{\"error\":\"no more\"}\n")},
	"refuses at length":   {refused, "it says", false, say("{\"error\":\"" + strings.Repeat("no ", 100000) + "\"}\n")},
	"refuses in a number": {malformed, `"error" that is not a string`, false, say("{\"error\":7}\n")},
	"floods its error": {crashed, "exit status 5", false, func() {
		for range 200 {
			os.Stderr.WriteString(strings.Repeat("flood ", 10000))
		}
		os.Stderr.WriteString("\nthe last line\n")
		os.Exit(5)
	}},
	"floods for ever": {hung, "no answer", false, func() {
		for {
			os.Stderr.WriteString(strings.Repeat("flood\n", 10000))
			time.Sleep(time.Millisecond)
		}
	}},
	"forks and ends":      {hung, "it ended with exit status 0, and what it has started holds its standard output", false, func() { leave(false); os.Exit(0) }},
	"forks and sleeps":    {hung, "no answer", false, func() { leave(false); leave(false); forever() }},
	"leaves and ends":     {hung, "it ended with exit status 0, and what it has started holds its standard output", false, func() { leave(true); os.Exit(0) }},
	"leaves and sleeps":   {hung, "no answer", false, func() { leave(true); leave(true); forever() }},
	"leaves and lies":     {malformed, "not JSON", false, func() { leave(true); say("lies\n")(); forever() }},
	"no arms":             {malformed, `no "arms"`, true, say("{}\n")},
	"NaN":                 {malformed, "not JSON", true, say("{\"arms\":[NaN]}\n")},
	"a release of NaN":    {malformed, "not JSON", true, say("{\"arms\":[0],\"release\":[1,NaN]}\n")},
	"an infinite release": {malformed, "not JSON", true, say("{\"arms\":[0],\"release\":[-Infinity]}\n")},
	"a huge release":      {malformed, `"release" of`, true, say("{\"arms\":[0],\"release\":[1e999]}\n")},
	"a release of null":   {malformed, `"release" with null`, true, say("{\"arms\":[0],\"release\":[null]}\n")},
	"a null release":      {malformed, `"release" of null`, true, say("{\"arms\":[0],\"release\":null}\n")},
	"a release in words":  {malformed, `"release" of`, true, say("{\"arms\":[0],\"release\":[\"1\"]}\n")},
	"a fraction":          {malformed, `"arms" of`, true, say("{\"arms\":[0.5]}\n")},
	"an exponent":         {malformed, `"arms" of`, true, say("{\"arms\":[1e300]}\n")},
	"a huge arm":          {malformed, `"arms" of`, true, say("{\"arms\":[123456789012345678901234567890]}\n")},
	"an octal arm":        {malformed, "not JSON", true, say("{\"arms\":[01]}\n")},
	"arms in words":       {malformed, `"arms" of`, true, say("{\"arms\":[\"one\"]}\n")},
	"arms of null":        {malformed, `"arms" with null`, true, say("{\"arms\":[null]}\n")},
	"arms in lists":       {malformed, `"arms" of`, true, say("{\"arms\":[[0]]}\n")},
	"an arm alone":        {malformed, `"arms" of`, true, say("{\"arms\":0}\n")},
	"too few":             {badArms, "0 arms, want 2", true, say("{\"arms\":[]}\n")},
	"too many":            {badArms, "3 arms, want 2", true, say("{\"arms\":[0,1,2]}\n")},
	"a thousand":          {badArms, "1000 arms, want 2", true, say("{\"arms\":[0" + strings.Repeat(",1", 999) + "]}\n")},
	"the same":            {badArms, "arm 1 twice", true, say("{\"arms\":[1,1]}\n")},
	"one too high":        {badArms, "arm 5, want one in [0, 5)", true, say("{\"arms\":[0,5]}\n")},
	"one too low":         {badArms, "arm -1, want one in [0, 5)", true, say("{\"arms\":[-1,0]}\n")},
	"far too high":        {badArms, "arm 9223372036854775807", true, say("{\"arms\":[0,9223372036854775807]}\n")},
}

// hostile plays by the protocol, and does its misdeed in place of the answer to the n-th
// message of a type, in the first process alone that finds the flag missing.
func hostile(args []string) {
	deed, phase, flag := args[0], args[1], args[3]
	n, _ := strconv.Atoi(args[2])
	s := &server{name: "turns", form: "rows"}
	if phase == "unasked" {
		commit(deed, flag)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for seen := 0; lines.Scan(); {
		var a ask
		if json.Unmarshal(lines.Bytes(), &a) == nil && a.Type == phase {
			if seen++; seen == n && commit(deed, flag) {
				continue
			}
		}
		fmt.Printf("%s\n", s.reply(lines.Bytes()))
	}
}

// commit does the misdeed, once for a flag, and reports whether it did.
func commit(deed, flag string) bool {
	f, err := os.OpenFile(flag, os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false
	}
	f.Close()
	fmt.Fprintln(os.Stderr, "about to do it:", deed)
	misdeeds[deed].do()
	return true
}

// TestHostile lets programs do each misdeed in each phase. Each is an error of its kind that names
// it, in time; the next run plays to its end; no process is left.
func TestHostile(t *testing.T) {
	type attack struct {
		name, phase string
		n           int
	}
	var attacks []attack
	for i, name := range slices.Sorted(maps.Keys(misdeeds)) {
		m := misdeeds[name]
		if strings.HasPrefix(name, "leaves") && runtime.GOOS != "linux" || name == "stops reading" {
			continue // nobody finds what is left there; it is for TestBlocked
		}
		phases := []attack{{name, "open", 1}, {name, "start", 1}, {name, "round", 4}, {name, "end", 1}}
		if i%2 == 1 {
			phases[3].phase = "update"
		}
		if m.rounds {
			phases = []attack{{name, "round", 1}, {name, "round", 7}}
		}
		if testing.Short() {
			phases = phases[i%len(phases):][:1]
		}
		attacks = append(attacks, phases...)
	}
	for _, name := range []string{"prose", "endless line", "endless lines", "binary", "ends ill", "closes its output", "floods for ever", "forks and sleeps"} {
		attacks = append(attacks, attack{name, "unasked", 0})
	}
	if !testing.Short() && len(attacks) < 200 {
		t.Errorf("%d hostile programs, want at least 200", len(attacks))
	}
	mark := marks(t)
	dir := t.TempDir()
	var wg sync.WaitGroup
	turns := make(chan bool, 16)
	for i, a := range attacks {
		turns <- true
		wg.Go(func() {
			defer func() { <-turns }()
			if err := survive(a.name, a.phase, a.n, filepath.Join(dir, strconv.Itoa(i))); err != nil {
				t.Errorf("%s at %s %d: %v", a.name, a.phase, a.n, err)
			}
		})
	}
	wg.Wait()
	if n := await(mark, 0, func() {}); n > 0 {
		t.Errorf("%d processes are left", n)
	}
	t.Logf("%d hostile programs", len(attacks))
}

// survive plays a hostile program, and says what is wrong with what comes of it.
func survive(name, phase string, n int, flag string) error {
	m := misdeeds[name]
	p := self("hostile", name, phase, strconv.Itoa(n), flag)
	p.AnswerWithin, p.OpenWithin = enough, enough
	if m.fault == hung {
		if p.AnswerWithin = 5 * time.Second; phase == "open" || phase == "unasked" {
			p.OpenWithin = 3 * time.Second
		}
	}
	problem := bandit.Problem{Arms: 5, Slots: 2, RewardMax: 1}
	begin := time.Now()
	l, err := p.Open(problem, 20)
	play := func() error {
		r := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
		v := bandit.View{Arms: 5}
		for v.Round = 1; v.Round <= 20; v.Round++ {
			arms, err := r.Select(&v, nil)
			if err != nil {
				if _, again := r.Select(&v, nil); again != err {
					return fmt.Errorf("first the error %w, and then %v", err, again)
				}
				return err
			}
			if err := r.Update(&v, arms, []float64{0, 1}); err != nil {
				return err
			}
			if v.Round == 3 {
				if _, err := r.(*run).Released(nil); err != nil {
					return err
				}
			}
		}
		return bandit.Close(r)
	}
	if err == nil {
		defer bandit.Close(l)
		err = play()
	}
	took := time.Since(begin)
	var e *Error
	switch {
	case err == nil:
		return errors.New("no error")
	case !errors.As(err, &e):
		return fmt.Errorf("an error of no program: %w", err)
	case phase == "unasked": // what comes of it depends on when it is read
	case e.Fault != m.fault || !strings.Contains(e.Error(), m.got):
		return fmt.Errorf("error %v of kind %q, want %q and %q", e, e.Fault, m.fault, m.got)
	case e.Stderr == "" || len(e.Error()) > 3000 || !strings.Contains(e.Error(), "-program hostile"):
		return fmt.Errorf("an error of %d bytes that does not say all, or too much: %v", len(e.Error()), e)
	case phase == "round" && e.When != fmt.Sprint("in round ", n) && e.Fault != hung:
		return fmt.Errorf("error %v, want round %d", e, n)
	case phase == "end" && e.When != "at its end, after round 20" && e.Fault != hung || phase == "start" && e.When != "before round 1":
		return fmt.Errorf("error %v, want one at the %s", e, phase)
	case took >= enough: // it was given up, and not seen
		return fmt.Errorf("it took %v", took)
	}
	if l == nil {
		p.AnswerWithin, p.OpenWithin = enough, enough
		if l, err = p.Open(problem, 20); err != nil {
			return fmt.Errorf("opened again: %w", err)
		}
		defer bandit.Close(l)
	}
	if err := play(); err != nil {
		return fmt.Errorf("the next run: %w", err)
	}
	return nil
}

// TestBlocked: a program that reads no more, while it is sent more than a pipe holds, is late.
func TestBlocked(t *testing.T) {
	p := self("hostile", "stops reading", "start", "1", filepath.Join(t.TempDir(), "flag"))
	p.AnswerWithin = 2 * time.Second
	l, err := p.Open(bandit.Problem{Arms: 2000, Dim: 20, Slots: 2, ContextNorm: 1, RewardMax: 1}, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer bandit.Close(l)
	r := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
	var e *Error
	if _, err := r.Select(&bandit.View{Round: 1, Arms: 2000, Dim: 20, X: make([]float64, 40000)}, nil); !errors.As(err, &e) || e.Fault != hung {
		t.Errorf("error %v, want that it is late", err)
	}
}

// TestReplaced: a process that fails between two runs costs neither of them, and is warned of.
func TestReplaced(t *testing.T) {
	for _, name := range []string{"ends ill", "prose", "closes its output"} {
		l, err := self("hostile", name, "start", "2", filepath.Join(t.TempDir(), "flag")).Open(bandit.Problem{Arms: 5, Slots: 2, RewardMax: 1}, 20)
		if err != nil {
			t.Fatal(err)
		}
		defer bandit.Close(l)
		for i := range 3 {
			r := l.Start(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
			if _, err := r.Select(&bandit.View{Round: 1, Arms: 5}, nil); err != nil {
				t.Fatalf("%s: run %d: %v", name, i, err)
			}
			if err := bandit.Close(r); err != nil {
				t.Fatalf("%s: run %d: %v", name, i, err)
			}
			if w := bandit.Warnings(r); len(w) > 0 != (i == 1) {
				t.Errorf("%s: run %d warns of %v", name, i, w)
			}
		}
	}
}

// TestNoTrialIsLost: of an experiment, the trial of a misdeed fails and all others count.
func TestNoTrialIsLost(t *testing.T) {
	two, err := matroid.NewUniform(5, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ends ill", "prose", "asleep", "closes its output", "one too high", "refuses"} {
		p := self("hostile", name, "round", "7", filepath.Join(t.TempDir(), "flag"))
		if p.AnswerWithin = 10 * time.Second; name == "asleep" {
			p.AnswerWithin = time.Second
		}
		e := &simulate.Experiment{
			Name: "hostile", Environment: environment.SemiBandit{Means: []float64{0.1, 0.2, 0.3, 0.4, 0.5}, Matroid: two},
			Policies: []simulate.Policy{{Name: "program", Learner: p}},
			Horizon:  20, Trials: 6, Seed: 1, Workers: 2,
		}
		r, err := e.Run(context.Background())
		var trial *simulate.TrialError
		var own *Error
		if !errors.As(err, &trial) || !errors.As(err, &own) || own.Fault != misdeeds[name].fault {
			t.Errorf("%s: error %v, want one of a trial, of kind %q", name, err, misdeeds[name].fault)
			continue
		}
		if n := len(r.Finished); n != 5 {
			t.Errorf("%s: %d trials have finished, want 5 of 6", name, n)
		}
	}
}

// user opens a program that goes on without its input, says its mark, and waits to be killed.
func user() {
	p := self("hostile", "asleep", "end", "1", filepath.Join(os.TempDir(), "dpbandits-user-"+strconv.Itoa(os.Getpid())))
	l, err := p.Open(bandit.Problem{Arms: 5, Slots: 2, RewardMax: 1}, 20)
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	forever()
	runtime.KeepAlive(l)
}

// TestOutlived: a program dies with its user, even if that is killed.
func TestOutlived(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere its input ends, and that is all")
	}
	mark := marks(t)
	p := self("user")
	c := exec.Command(p.Command[0], p.Command[1:]...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the user says %q, %v", line, err)
	}
	if n := len(marked(mark)); n != 2 {
		t.Errorf("%d processes, want the user and its program", n)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	if n := await(mark, 0, func() {}); n > 0 {
		t.Errorf("%d processes have outlived their user", n)
	}
}
