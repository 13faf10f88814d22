package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/durable"
)

// MergeCheckpoints writes the trials of checkpoints of one experiment into a new one, as when it
// was run in part on several machines. Set it as the experiment's Checkpoint: Run plays what is
// missing.
//
// It refuses files of different experiments, records of different versions or platforms, and
// records of a trial that contradict each other. A torn end of a file is left out. into must not
// exist.
func MergeCheckpoints(into string, files ...string) error {
	if len(files) == 0 {
		return errors.New("simulate: no checkpoints to merge")
	}
	if _, err := os.Lstat(into); err == nil {
		return fmt.Errorf("simulate: checkpoint %s: %w", into, os.ErrExist)
	}
	var first identity
	var origin Origin
	var all []*Record
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("simulate: %w", err)
		}
		id, records, _, err := parseCheckpoint(data)
		if i == 0 {
			first = id
		}
		if err == nil {
			err = id.equals(first)
		}
		if err == nil && len(records) > 0 {
			if len(all) == 0 {
				origin = records[0].Origin
			}
			all = append(all, records...)
			_, err = collect(records, first, origin)
		}
		if err != nil {
			return fmt.Errorf("simulate: checkpoint %s: %w", file, err)
		}
	}
	merged, err := collect(all, first, origin)
	if err != nil {
		return fmt.Errorf("simulate: checkpoints %q: %w", files, err)
	}
	var text bytes.Buffer
	line, err := durable.Line(first)
	text.Write(line)
	for _, trial := range slices.Sorted(maps.Keys(merged)) {
		if err == nil {
			line, err = durable.Line(merged[trial])
			text.Write(line)
		}
	}
	if err == nil {
		err = durable.WriteFile(into, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("simulate: checkpoint %s: %w", into, err)
	}
	return nil
}
