package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/describe"
	"github.com/dpbandits/dpbandits/pkg/internal/durable"
)

// checkpoint is a file of lines with checksums; see durable.Log. The first one is the identity of
// the experiment, and each other one a finished trial (a float64 survives JSON bit by bit). A
// killed process loses only the unfinished trials; a power cut also loses those of the last second.
type checkpoint struct {
	log      *durable.Log
	restored []*Record
	partial  bool // the file's list of policies is another one, so nothing can be appended
}

// identity is what determines the results of a trial, the code included. The number of trials is
// not part of it: a file may be resumed with more of them, or fewer.
type identity struct {
	Format      string   `json:"format"`
	Name        string   `json:"name"`
	Seed        uint64   `json:"seed"`
	Horizon     int      `json:"horizon"`
	Rounds      int      `json:"rounds"`
	Grid        []int    `json:"grid"`
	Policies    []string `json:"policies"`
	Fingerprint string   `json:"fingerprint"`
	FastForward bool     `json:"fast_forward,omitempty"`
	described
}

// described holds the parameters of the environment and of each policy's learner. The first line
// of each says what its code was built from.
type described struct {
	Environment []string   `json:"environment"`
	Learners    [][]string `json:"learners"`
}

const format = "dpbandits checkpoint 3"

func newIdentity(e *Experiment, grid []int, d described) identity {
	id := identity{format, e.Name, e.Seed, e.Horizon, e.rounds(), grid, nil, e.Fingerprint, e.FastForward, d}
	for _, p := range e.Policies {
		id.Policies = append(id.Policies, p.Name)
	}
	return id
}

// differs returns an error that names the first difference between the identity of a file and that
// of an experiment.
func (id identity) differs(want identity) error {
	diff := func(what string, got, want any) error {
		return fmt.Errorf("it is of another experiment: %s is %#v in the file and %#v in the experiment", what, got, want)
	}
	changed := func(what, how string) error {
		return fmt.Errorf("it is of another experiment: the parameters of %s differ: %s", what, how)
	}
	switch {
	case id.Format != want.Format:
		return fmt.Errorf("its format is %q, want %q", id.Format, want.Format)
	case id.Name != want.Name:
		return diff("Name", id.Name, want.Name)
	case id.Fingerprint != want.Fingerprint:
		return diff("Fingerprint", id.Fingerprint, want.Fingerprint)
	case id.Seed != want.Seed:
		return diff("Seed", id.Seed, want.Seed)
	case id.Horizon != want.Horizon:
		return diff("Horizon", id.Horizon, want.Horizon)
	case id.FastForward != want.FastForward:
		return diff("FastForward", id.FastForward, want.FastForward)
	case id.Rounds != want.Rounds:
		return diff("Rounds", id.Rounds, want.Rounds)
	case id.columns(want.Policies) == nil:
		return diff("the list of policies", id.Policies, want.Policies)
	case !slices.Equal(id.Grid, want.Grid):
		return fmt.Errorf("it is of another experiment: Grid differs (%d rounds in the file, %d in the experiment)", len(id.Grid), len(want.Grid))
	case len(id.Learners) != len(id.Policies):
		return fmt.Errorf("it has %d policies and the parameters of %d", len(id.Policies), len(id.Learners))
	}
	if how := describe.Difference(id.Environment, want.Environment); how != "" {
		return changed("the environment", how)
	}
	for i, at := range id.columns(want.Policies) {
		if how := describe.Difference(id.Learners[at], want.Learners[i]); how != "" {
			return changed(fmt.Sprintf("policy %q", want.Policies[i]), how)
		}
	}
	return nil
}

// equals returns an error as differs does, also if the file has more policies or another order.
func (id identity) equals(other identity) error {
	if err := id.differs(other); err != nil || slices.Equal(id.Policies, other.Policies) {
		return err
	}
	return fmt.Errorf("it is of another experiment: the list of policies is %q in the file and %q in the experiment", id.Policies, other.Policies)
}

// columns returns the places of the policies in the file's list, or nil if one is missing. A
// policy's results do not depend on the other policies, so a file may serve an experiment with
// fewer of them.
func (id identity) columns(policies []string) []int {
	columns := make([]int, 0, len(policies))
	for _, name := range policies {
		i := slices.Index(id.Policies, name)
		if i < 0 {
			return nil
		}
		columns = append(columns, i)
	}
	return columns
}

// openCheckpoint creates the file, or reads it and cuts off a torn last line.
func openCheckpoint(path string, id identity) (c *checkpoint, err error) {
	defer func() {
		if err != nil {
			if c != nil {
				c.log.Close()
			}
			c, err = nil, fmt.Errorf("simulate: checkpoint %s: %w", path, err)
		}
	}()
	log, data, err := durable.OpenLog(path, id)
	if err != nil {
		return nil, err
	}
	c = &checkpoint{log: log}
	held, records, good, err := parseCheckpoint(data)
	if err != nil {
		return c, err
	}
	if err := held.differs(id); err != nil {
		return c, fmt.Errorf("%w (move the file away to start anew)", err)
	}
	columns := held.columns(id.Policies)
	c.partial = !slices.Equal(held.Policies, id.Policies)
	for _, rec := range records {
		c.restored = append(c.restored, rec.choose(columns))
	}
	return c, log.Keep(good)
}

// parseCheckpoint returns what a file holds, and how many bytes of it are good.
func parseCheckpoint(data []byte) (id identity, records []*Record, good int, err error) {
	for n := 0; good < len(data); n++ {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			if n == 0 {
				return id, nil, 0, errors.New("it is not a checkpoint")
			}
			return id, records, good, nil // torn
		}
		line, after := data[good:good+end], good+end+1
		if n == 0 {
			if err := durable.ReadLine(line, &id); err != nil {
				return id, nil, 0, fmt.Errorf("it is not a checkpoint: offset 0: %w", err)
			}
			good = after
			continue
		}
		rec := new(Record)
		err := durable.ReadLine(line, rec)
		if err == nil {
			err = rec.check(id)
		}
		switch {
		case err == nil:
			records = append(records, rec)
		case after == len(data):
			return id, records, good, nil // torn
		default:
			return id, nil, 0, fmt.Errorf("corrupt record at offset %d: %w", good, err)
		}
		good = after
	}
	return id, records, good, nil
}

// take returns the restored trials and forgets them.
func (c *checkpoint) take() []*Record {
	restored := c.restored
	c.restored = nil
	return restored
}

// append saves a finished trial. trouble and close report a failure to write.
func (c *checkpoint) append(r *Record) error {
	line, err := durable.Line(r)
	if err != nil {
		return fmt.Errorf("simulate: checkpoint %s: trial %d: %w", c.log.Name(), r.Trial, err)
	}
	c.log.Append(line)
	return nil
}

// fail keeps nothing: a checkpoint has finished trials only.
func (c *checkpoint) fail(*TrialError) error { return nil }

// trouble returns how many finished trials are not in the file, and why.
func (c *checkpoint) trouble() (unsaved int, err error) {
	unsaved, err = c.log.Trouble()
	return unsaved, c.describe(unsaved, err)
}

func (c *checkpoint) describe(unsaved int, err error) error {
	switch {
	case err == nil:
		return nil
	case unsaved > 0:
		return fmt.Errorf("simulate: checkpoint %s: finished trials are not saved (%d so far): %w", c.log.Name(), unsaved, err)
	}
	return fmt.Errorf("simulate: checkpoint %s: finished trials may not have reached the disk: %w", c.log.Name(), err)
}

// close writes what is pending, and reports what could not be saved. It may be called again.
func (c *checkpoint) close() error {
	unsaved, err := c.log.Close()
	return c.describe(unsaved, err)
}
