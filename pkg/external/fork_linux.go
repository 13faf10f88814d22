package external

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

// fork starts a command in a process group of its own, and has the system kill it when this process
// dies.
func fork(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	forks() <- func() { done <- c.Start() }
	return <-done
}

// forks runs functions on a thread of its own, which never ends: the system takes the death of the
// thread that has forked for that of the process.
var forks = sync.OnceValue(func() chan<- func() {
	queue := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range queue {
			f()
		}
	}()
	return queue
})

// killGroup kills a process and all of its group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// marked lists the processes with a mark in their environment. A process that is dead has none.
func marked(mark string) (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if text, err := os.ReadFile("/proc/" + name + "/environ"); err == nil && bytes.Contains(text, []byte(mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}
