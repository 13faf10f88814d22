package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
)

// Options are all optional.
type Options struct {
	Dir      string                  // the cache folder; empty: Dir()
	Offline  bool                    // never use the network
	Progress func(done, total int64) // told of a download, in bytes, from the goroutine that loads; done may start above 0, and falls back when a transfer starts again
	Notice   io.Writer               // where the terms and the citation are printed, once a process; nil: the standard error; io.Discard silences them
	Client   *http.Client            // nil: one with the system's proxy settings
}

// Load100K reads MovieLens 100K from the cache, and downloads it first when it is not there.
func Load100K(ctx context.Context, o Options) (*MovieLens, error) { return ml100k.load(ctx, o) }

// Load1M reads MovieLens 1M from the cache, and downloads it first when it is not there.
func Load1M(ctx context.Context, o Options) (*MovieLens, error) { return ml1m.load(ctx, o) }

func (a *archive) load(ctx context.Context, o Options) (*MovieLens, error) {
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			return nil, err
		}
	}
	there, err := a.present(dir)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, a.unavailable(dir, cmp.Or(ctx.Err(), errNoDownload))
	}
	m, err := a.read(dir)
	if err != nil {
		return nil, err
	}
	notice(o.Notice)
	return m, nil
}

var errNoDownload = errors.New("no download yet")

// unavailable says what the user can do by hand.
func (a *archive) unavailable(dir string, cause error) error {
	return fmt.Errorf("datasets: %s: %w: it is not in %s and was not downloaded from %s (%w); put the folder %s unpacked from it into %s, or set %s to the folder where they are",
		a.name, ErrUnavailable, filepath.Join(dir, a.folder), a.url, cause, a.folder, dir, Variable)
}
