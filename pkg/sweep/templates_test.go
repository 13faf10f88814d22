package sweep

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// number returns the only number that a pattern finds in a text.
func number(t *testing.T, text, pattern string) int {
	t.Helper()
	found := regexp.MustCompile("(?m)"+pattern).FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%d matches of %s, want 1", len(found), pattern)
	}
	n, err := strconv.Atoi(found[0][1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// whole runs the shards as a template calls them, for an experiment of the test's. Merged, they
// have to be the whole run: none of them is missing.
func whole(t *testing.T, shards int, arguments func(index int, dir string) []string) {
	t.Helper()
	if shards < 2 {
		t.Fatalf("%d shards", shards)
	}
	dir := t.TempDir()
	for index := range shards {
		must(t, arguments(index, dir)...)
	}
	if must(t, "merge", dir) != must(t, "coins", "trials=70") {
		t.Error("another table than that of a run in one piece")
	}
}

// The tasks of the Slurm array are the shards of a sweep.
func TestSlurmTemplate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	script, err := filepath.Abs("../../docker/sweep.slurm")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "srun"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	last := number(t, string(text), `^#SBATCH --array=0-(\d+)$`)
	cpus := number(t, string(text), `^#SBATCH --cpus-per-task=(\d+)$`)
	whole(t, last+1, func(index int, dir string) []string {
		cmd := exec.Command(script, "./sweep", dir, "coins", "trials=70")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"),
			fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", index), fmt.Sprintf("SLURM_CPUS_PER_TASK=%d", cpus))
		out, err := cmd.CombinedOutput()
		words := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || words[0] != "./sweep" {
			t.Fatalf("%v: %s", err, out)
		}
		return words[1:]
	})
}

// The pods of the Job are the shards of a sweep.
func TestKubernetesTemplate(t *testing.T) {
	data, err := os.ReadFile("../../docker/sweep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if !strings.Contains(text, "completionMode: Indexed\n") {
		t.Error("the Job is not Indexed, so its pods have no index")
	}
	completions := number(t, text, `^  completions: (\d+)$`)
	if cpus := number(t, text, `requests: {cpu: "(\d+)"`); !strings.Contains(text, fmt.Sprintf(`"-workers", "%d"`, cpus)) {
		t.Errorf("the number of workers is not that of the cores, %d", cpus)
	}
	if status := number(t, text, `values: \[(\d+)\]`); status != misused {
		t.Errorf("the Job fails at once on status %d, want %d", status, misused)
	}
	list := regexp.MustCompile(`(?m)^ +args: (\[.*\])$`).FindStringSubmatch(text)
	var args []string
	if len(list) == 0 || json.Unmarshal([]byte(list[1]), &args) != nil {
		t.Fatalf("arguments %q", list)
	}
	if !strings.Contains(text, "mountPath: /results}") {
		t.Error("nothing is mounted where the records go")
	}
	whole(t, completions, func(index int, dir string) (words []string) {
		for _, arg := range args {
			arg = strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
			if arg == "/results" {
				arg = dir
			}
			words = append(words, arg)
		}
		return append(words[:len(words)-2], "coins", "trials=70")
	})
}
