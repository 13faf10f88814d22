package overlay_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dpbandits/dpbandits/pkg/cmd/overlay"
)

// What is compiled is not what is on the disk.
func Example() {
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	text := "package main\n\nfunc main() { print(1) }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	other := map[string]string{file: "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"2\") }\n"}
	program, err := overlay.Build(context.Background(), dir, dir, other, "build", file)
	if err != nil {
		log.Fatal(err)
	}
	out, err := exec.Command(program).Output()
	fmt.Println(string(out), err)
	// Output: 2 <nil>
}
