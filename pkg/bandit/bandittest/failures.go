package bandittest

import (
	"fmt"
	"runtime"
	"testing"
)

// Failures runs checks that report to a testing.TB, such as Learner or those of package
// privacytest, outside of a test, and returns what they complain of. A panic is a complaint, too.
func Failures(run func(t testing.TB)) []string {
	r, done := &recorder{}, make(chan struct{})
	go func() { // Fatalf ends its goroutine
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		run(r)
	}()
	<-done
	return r.failures
}

// recorder is a testing.TB that keeps what it is told. The suites call no other of its methods.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Error(args ...any)   { r.failures = append(r.failures, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.Error(fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
