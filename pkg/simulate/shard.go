package simulate

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a run: of all trials of its list of experiments, every Of-th, from number
// Index on. Each trial is in one of the shards 0 to Of-1. The zero value is the whole run.
type Shard struct{ Index, Of int }

// Set reads a shard as String writes it: "0/3", "1/3" and "2/3" are the three thirds of a run. A
// Shard is a flag.Value.
func (s *Shard) Set(text string) error {
	index, of, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err != nil || err2 != nil {
		return fmt.Errorf("simulate: shard %q, want index/number, such as 0/3", text)
	}
	if n < 1 {
		return fmt.Errorf("simulate: shard %s: number %d, want >= 1", text, n)
	}
	read := Shard{i, n}
	if err := read.Validate(); err != nil {
		return err
	}
	*s = read
	return nil
}

// String writes the shard as "index/number".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Validate refuses an index outside [0, Of).
func (s Shard) Validate() error {
	if s != (Shard{}) && (s.Index < 0 || s.Index >= s.Of) {
		return fmt.Errorf("simulate: shard %v: index %d, want in [0, %d)", s, s.Index, s.Of)
	}
	return nil
}

// deal gives the jobs their share of the trials.
func (s Shard) deal(jobs []*job) {
	n := 0
	for _, j := range jobs {
		for trial := range j.Trials {
			if s.Of == 0 || n%s.Of == s.Index {
				j.share = append(j.share, trial)
			}
			n++
		}
	}
}
