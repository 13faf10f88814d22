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

// cache keeps a job's trials policy by policy. One that another experiment has played in the same
// rounds is not played again, whoever else was there.
type cache struct {
	nowhere // a trial that fails is played again
	job     *job
	stores  []*Store // by policy, nil where nothing is kept
}

// useCache restores the job's trials from its Cache, or notes why they are not kept.
func (j *job) useCache() error {
	n := len(j.Policies)
	c := cache{job: j, stores: make([]*Store, n)}
	j.save, j.found, j.unkept = c, make(map[int][]*Record), make([]error, n)
	for i := range n {
		p := j.choose(i)
		if err := p.name(); err != nil {
			return err
		}
		if err := p.keepable(); err != nil {
			j.unkept[i] = fmt.Errorf("simulate: experiment %q: trials are not kept in the Cache: %w", j.Name, err)
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
		found := make([]*Record, n)
		for i, s := range c.stores {
			if s == nil {
				continue
			}
			var err error
			if found[i], err = s.read(trial); err != nil {
				return err
			}
		}
		switch len(missing(found, n)) {
		case n:
		case 0:
			j.records[trial] = j.complete(found, &Record{Trial: trial})
			j.restored++
		default:
			j.found[trial] = found
		}
	}
	return nil
}

// append keeps what the policies of a trial have played that were not found.
func (c cache) append(rec *Record) (err error) {
	policies := missing(c.job.found[rec.Trial], len(c.stores))
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

func (c cache) trouble() (unsaved int, err error) { return 0, cmp.Or(c.job.unkept...) }
