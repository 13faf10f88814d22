//go:build !js

// Package until runs the work of a program until somebody stops it.
package until

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How often Stopped looks whether make is still there, and how long it waits for work that has
// been told to stop. Work that does not look at its context is abandoned after that; finished
// trials are in their checkpoint by then.
const (
	watchEvery = 250 * time.Millisecond
	stopWithin = 10 * time.Second
)

// Stopped runs work, and cancels its context when it is time to stop: at SIGINT, SIGTERM,
// SIGHUP, SIGQUIT or SIGABRT, unless the process was started with that signal ignored (nohup), and
// when make is gone. A second signal ends the process at once.
//
// SIGQUIT and SIGABRT are caught although Go would end the process by itself: one that reaches the
// process group while Go forks is handled by the fork too, which waits for ever for a lock that its
// parent held when it died.
//
// The file `while` holds the process id of the make that started this process. Make is gone when
// that process is no longer the parent (it was killed) or the file no longer exists: an interrupt
// that reaches make alone makes it delete what the recipe was making, and wait. An empty name
// means that nobody has to be there.
func Stopped(while string, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)

	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(fmt.Errorf("stopped: %v", s))
		case <-ctx.Done():
		}
	}()
	if while != "" {
		defer os.Remove(while)
		if err := present(while); err != nil {
			return err
		}
		go func() {
			for ctx.Err() == nil {
				time.Sleep(watchEvery)
				if err := present(while); err != nil {
					cancel(err)
				}
			}
		}()
	}

	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	select {
	case err := <-done:
		return errors.Join(cause, err)
	case <-time.After(stopWithin):
		return fmt.Errorf("%w; what was under way is abandoned", cause)
	}
}

// present returns an error if the make whose process id the file holds is gone.
func present(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("stopped: make was interrupted")
	}
	if err != nil {
		return fmt.Errorf("stopped: cannot see whether make is there: %w", err)
	}
	text := strings.TrimSpace(string(data))
	pid, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("until: %s holds %q, want the process id of make", file, text)
	}
	if os.Getppid() != pid {
		return fmt.Errorf("stopped: make, process %d, is gone", pid)
	}
	return nil
}
