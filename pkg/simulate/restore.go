//go:build !page

package simulate

import (
	"fmt"
	"slices"
)

// restore opens what keeps the job's finished trials, and takes those of its share.
func (j *job) restore() error {
	switch {
	case j.Checkpoint != "":
		if err := j.keepable(); err != nil {
			return fmt.Errorf("simulate: checkpoint %s: experiment %q: %w", j.Checkpoint, j.Name, err)
		}
		c, err := openCheckpoint(j.Checkpoint, j.identity)
		if err != nil {
			return err
		}
		j.save = c
		for _, rec := range c.take() {
			if _, mine := slices.BinarySearch(j.share, rec.Trial); mine && j.records[rec.Trial] == nil {
				j.records[rec.Trial] = rec
				j.restored++
			}
		}
		if c.partial && j.restored < len(j.share) {
			return fmt.Errorf("simulate: checkpoint %s: it is of an experiment with another list of policies, which it serves only with all %d trials; it holds %d", j.Checkpoint, len(j.share), j.restored)
		}
	case j.Records != "":
		return j.restoreFrom(j.Records)
	case j.Cache != "":
		return j.useCache()
	}
	return nil
}

// restoreFrom opens a Store, and takes the job's share of it.
func (j *job) restoreFrom(dir string) error {
	s, err := j.OpenStore(dir)
	if err != nil {
		return err
	}
	j.save = s
	for _, trial := range j.share {
		if j.records[trial], err = s.read(trial); err != nil {
			return err
		}
		if j.records[trial] != nil {
			j.restored++
		}
	}
	return nil
}
