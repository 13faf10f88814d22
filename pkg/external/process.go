package external

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// process is a running program.
type process struct {
	command *exec.Cmd
	in, out *os.File // our ends of its standard input and output
	stderr  *tail
	mark    string // in the environment of all that the program starts
	used    bool   // it has had a run

	alarm *time.Timer // kills the process when an answer is late
	heard []byte      // what it has said; its line is in front

	ending sync.Once
	killed atomic.Bool // by us
	state  string      // how it ended, such as "exit status 1"; set by end
	itself bool        // it ended by itself; set by end
}

// Faults of a process's line, before anybody looks at what it says.
var (
	errLate    = errors.New("late")
	errTooLong = errors.New("too long")
	errTwo     = errors.New("more than one line")
)

const (
	// mostLine is the length of the longest line that a program may say, in bytes.
	mostLine = 1 << 20
	// patience is how long a process may take to end by itself.
	patience = time.Second
)

// markName is the variable that marks what a program starts. A program that has programs itself
// keeps the marks of those around it.
const markName = "DPBANDITS_PROGRAM"

// launch starts a command.
func launch(command []string) (_ *process, err error) {
	token := make([]byte, 16)
	rand.Read(token) // never fails
	p := &process{command: exec.Command(command[0], command[1:]...), mark: hex.EncodeToString(token), heard: make([]byte, 4096)}
	p.command.Env = append(p.command.Environ(), markName+"="+os.Getenv(markName)+","+p.mark)
	var theirs, ours []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	var pipes [3][2]*os.File // ends to read from and to write to
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if pipes[i] = [2]*os.File{r, w}; i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.command.Stdin, p.command.Stdout, p.command.Stderr = theirs[0], theirs[1], theirs[2]
	p.in, p.out = ours[0], ours[1]
	if err := fork(p.command); err != nil {
		return nil, err
	}
	p.stderr = newTail(ours[2])
	p.alarm = time.AfterFunc(time.Hour, p.kill)
	p.alarm.Stop()
	return p, nil
}

// exchange sends a line and returns the program's answer, without its end. The answer is valid
// until the next call.
func (p *process) exchange(line []byte, within time.Duration) ([]byte, error) {
	p.alarm.Reset(within)
	// If nobody reads, the program has died: what it said last tells more than the error here.
	_, _ = p.in.Write(line)
	answer, err := p.read()
	if !p.alarm.Stop() {
		return answer, errLate
	}
	return answer, err
}

// read reads a line. With an error it returns what came.
func (p *process) read() ([]byte, error) {
	for n := 0; ; {
		if n == len(p.heard) {
			if n > mostLine {
				return p.heard, errTooLong
			}
			p.heard = append(p.heard, make([]byte, n)...)
		}
		k, err := p.out.Read(p.heard[n:])
		if i := bytes.IndexByte(p.heard[n:n+k], '\n'); i >= 0 {
			if i += n; i+1 < n+k {
				return p.heard[:n+k], errTwo
			}
			if i > mostLine {
				return p.heard[:i], errTooLong
			}
			return p.heard[:i], nil
		}
		if n += k; err != nil {
			return p.heard[:n], err
		}
	}
}

// kill ends the process and its group, and wakes who reads from it.
func (p *process) kill() {
	p.killed.Store(true)
	killGroup(p.command.Process)
	p.in.Close()
	p.out.Close()
}

// killMarked kills the processes that have a mark in their environment, until there are none: those
// that a program has started and that have left its group.
func killMarked(mark string) {
	const most = 100 // times: they may start others while they are being looked for
	for range most {
		pids := marked(mark)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
				_ = p.Release()
			}
		}
		runtime.Gosched()
	}
}

// end closes the program's standard input, waits for its end, and then kills what is left of it and
// of what it has started, as far as that can be found. It is safe to call it again.
func (p *process) end(wait time.Duration) {
	p.ending.Do(func() {
		p.in.Close()
		exited := make(chan struct{})
		go func() {
			_ = p.command.Wait() // the state has it
			close(exited)
		}()
		before := p.killed.Load()
		select {
		case <-exited:
			p.itself = !before
		case <-time.After(wait):
		}
		p.kill()
		killMarked(p.mark)
		select {
		case <-exited:
			p.state = p.command.ProcessState.String()
		case <-time.After(patience):
			p.state = "it cannot be killed"
		}
		p.stderr.close()
	})
}

// how says in words how the process ended.
func (p *process) how() string {
	if p.itself {
		return "it ended with " + p.state
	}
	return "it closed its standard output"
}

// tail keeps the end of what a program writes to its standard error.
type tail struct {
	file *os.File
	done chan struct{}
	mu   sync.Mutex
	text []byte
}

// mostTail bounds what a tail keeps, in bytes.
const mostTail = 8 << 10

func newTail(file *os.File) *tail {
	t := &tail{file: file, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		buf := make([]byte, mostTail)
		for {
			n, err := file.Read(buf)
			t.mu.Lock()
			t.text = append(t.text, buf[:n]...)
			t.text = append(t.text[:0], t.text[max(0, len(t.text)-mostTail):]...)
			t.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return t
}

// close stops listening, once all that was written has been read: a process that nobody could find
// may hold the other end.
func (t *tail) close() {
	select {
	case <-t.done:
	case <-time.After(100 * time.Millisecond):
	}
	t.file.Close()
}

// place matches a line that says where in a program something went wrong, as those of most
// languages do: "line 7", or "mine.rs:7".
var place = regexp.MustCompile(`\bline [0-9]+|\.[a-z]+:[0-9]+`)

// last returns the last line that is not blank, after the last one above it that names a place in
// the program, if it names none itself. What is long is cut.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD")), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	last, above := lines[len(lines)-1], lines[max(0, len(lines)-near):len(lines)-1]
	if !place.MatchString(last) {
		for _, line := range slices.Backward(above) {
			if place.MatchString(line) {
				return cut(line, 200) + ": " + cut(last, 300)
			}
		}
	}
	return cut(last, 300)
}

// near is how far above the last line a line that names a place is looked for.
const near = 12

// describe returns the error of a fault, after the end of the process.
func (p *process) describe(command []string, fault error, line []byte, within time.Duration) *Error {
	e := &Error{Program: title(command), Fault: malformed}
	switch {
	case errors.Is(fault, errLate):
		p.end(patience / 10)
		e.Fault, e.Got = hung, fmt.Sprintf("no answer within %v (does it flush its output?)", within)
		if len(line) > 0 {
			e.Got = fmt.Sprintf("only %s within %v", shown(line), within)
		}
		if s := p.command.ProcessState; s != nil && s.Exited() {
			e.Got += fmt.Sprintf(": it ended with %v, and what it has started holds its standard output", s)
		}
	case errors.Is(fault, errTooLong):
		p.end(0)
		e.Got, e.Want = fmt.Sprintf("a line that begins %s", shown(line)), fmt.Sprintf("at most %d bytes", mostLine)
	case errors.Is(fault, errTwo):
		p.end(0)
		e.Got, e.Want = fmt.Sprintf("more than one line: %s", shown(line)), "one line for each that it is sent"
	case errors.Is(fault, os.ErrClosed):
		p.end(0)
		e.Fault, e.Got = closed, "its learner was closed, or the process ended with it"
	default: // io.EOF
		p.end(patience)
		e.Fault, e.Got = crashed, p.how()
		if len(line) > 0 {
			e.Got += " after " + shown(line)
		}
	}
	e.Stderr = p.stderr.last()
	return e
}
