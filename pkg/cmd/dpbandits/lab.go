package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

func labCommand() command {
	return command{
		name: "lab", what: "JupyterLab with the notebooks and their kernel, from a checkout", usage: "[-host ADDRESS] [-port PORT]",
		about: `
Does what make lab does: installs into the checkout what is missing there, which
takes minutes once, and opens JupyterLab. It wants a checkout, make, Node with
npm and Python with venv.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			host := flags.String("host", "127.0.0.1", "listen on this `address`")
			port := flags.Int("port", 8888, "listen on this `port`")
			return func(console) error { return openLab(*host, *port) }
		},
	}
}

// openLab becomes make lab, which has the terminal and the signals to itself.
func openLab(host string, port int) error {
	if port < 0 || port > 65535 {
		return misuse("-port %d, want in [0, 65535]", port)
	}
	root, err := checkout()
	if err != nil {
		return err
	}
	program, err := exec.LookPath("make")
	if err != nil {
		return fmt.Errorf("%w: install make (Debian, Ubuntu: sudo apt install make)", err)
	}
	return syscall.Exec(program, []string{"make", "-C", root, "--no-print-directory", "lab", "HOST=" + host, fmt.Sprintf("PORT=%d", port)}, os.Environ())
}

// checkout returns the directory of the toolkit's source, for what needs more than this program.
func checkout() (string, error) {
	const module = "github.com/dpbandits/dpbandits"
	root, err := cell.Checkout()
	if err == nil {
		var data []byte
		if data, err = os.ReadFile(filepath.Join(root, "go.mod")); err == nil && !bytes.HasPrefix(data, []byte("module "+module+"\n")) {
			err = errors.New(root + " holds another module")
		}
	}
	if err != nil {
		return "", fmt.Errorf("this wants a checkout of dpbandits: git clone https://%s, and run it there, or let DPBANDITS_ROOT name one: %w", module, err)
	}
	return root, nil
}
