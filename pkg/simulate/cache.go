//go:build !page

package simulate

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// cache keeps trials policy by policy. One that another experiment has played in the same rounds is
// not played again, whoever else was there.
type cache struct {
	stores []*Store          // by policy, nil where nothing is kept
	why    []error           // and why not
	found  map[int][]*Record // by trial and policy, of trials that are there in part
}

// useCache restores the job's trials from its Cache, or notes why they are not kept.
func (j *job) useCache() error {
	n := len(j.Policies)
	c := &cache{stores: make([]*Store, n), why: make([]error, n), found: make(map[int][]*Record)}
	j.save, j.found = c, c.found
	for i := range n {
		p := j.choose(i)
		if err := p.name(); err != nil {
			return err
		}
		if err := p.keepable(); err != nil {
			c.why[i] = fmt.Errorf("simulate: experiment %q: trials are not kept in the Cache: %w", j.Name, err)
			continue
		}
		p.origin.Version, p.origin.Program = "", "" // names of what Build says
		sum := sha256.Sum256(fmt.Appendf(nil, "%+v", p.origin))
		var err error
		if c.stores[i], err = p.OpenStore(filepath.Join(j.Cache, fmt.Sprintf("%x", sum[:12]))); err != nil {
			return err
		}
	}
	for _, trial := range j.share {
		found, there := make([]*Record, n), 0
		for i, s := range c.stores {
			if s == nil {
				continue
			}
			rec, err := s.read(trial)
			if err != nil {
				return err
			}
			if found[i] = rec; rec != nil {
				there++
			}
		}
		switch there {
		case 0:
		case n:
			j.records[trial] = j.complete(found, &Record{Trial: trial})
			j.restored++
		default:
			c.found[trial] = found
		}
	}
	return nil
}

// append keeps what the policies of a trial have played that were not found.
func (c *cache) append(rec *Record) (err error) {
	policies := missing(c.found[rec.Trial], len(c.stores))
	for k, i := range policies {
		if s := c.stores[i]; s != nil {
			one := rec.choose([]int{k})
			one.Origin = s.p.origin
			one.Busy = rec.Busy / time.Duration(len(policies))
			err = errors.Join(err, s.append(one))
		}
	}
	return err
}

// fail does nothing: a trial that fails is played again.
func (c *cache) fail(*TrialError) error { return nil }

func (c *cache) trouble() (unsaved int, err error) { return 0, cmp.Or(c.why...) }

func (c *cache) close() error { return nil }

// unkept returns why the trials of a policy are not kept.
func (c *cache) unkept(policy int) error { return c.why[policy] }
