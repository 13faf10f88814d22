package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// Options says where data come from. All fields are optional.
type Options struct {
	Dir     string // the cache folder; empty means Dir()
	Offline bool   // never use the network
	// Progress is told the bytes of a download, from the goroutine that loads. done may start above 0,
	// and falls back when a transfer starts again.
	Progress func(done, total int64)
	// Notice gets the terms and the citation, once a process. nil means the standard error; io.Discard
	// silences them.
	Notice io.Writer
	Client *http.Client // nil means http.DefaultClient, which uses the system's proxy settings
}

// Load100K reads MovieLens 100K from the cache, and downloads it first if it is not there.
func Load100K(ctx context.Context, o Options) (*MovieLens, error) { return ml100k.load(ctx, o) }

// Load1M reads MovieLens 1M from the cache, and downloads it first if it is not there.
func Load1M(ctx context.Context, o Options) (*MovieLens, error) { return ml1m.load(ctx, o) }

// Choice is the environment variable that names the data set of Load.
const Choice = "DPBANDITS_MOVIELENS"

// Load reads the data set that DPBANDITS_MOVIELENS names: 100k, as if it is empty, or 1m.
func Load(ctx context.Context, o Options) (*MovieLens, error) {
	a, err := chosen()
	if err != nil {
		return nil, err
	}
	return a.load(ctx, o)
}

func chosen() (*archive, error) {
	switch name := os.Getenv(Choice); name {
	case "", "100k":
		return &ml100k, nil
	case "1m":
		return &ml1m, nil
	default:
		return nil, fmt.Errorf("datasets: %s = %q, want 100k or 1m", Choice, name)
	}
}

// LoadOrSynthetic reads what Load reads, or returns Synthetic if MovieLens 100K is unavailable:
// neither in the cache nor available from the network. The result's Name, Synthetic and Caption say
// which it is. The reason is in its Source, and is printed where the terms are. Who chooses 1M gets
// no stand-in: that it is unavailable is an error, as damaged data and a cancelled context are.
func LoadOrSynthetic(ctx context.Context, o Options) (*MovieLens, error) {
	a, err := chosen()
	if err != nil {
		return nil, err
	}
	if a == &ml1m {
		return a.load(ctx, o)
	}
	return a.loadOr(ctx, o)
}

func (a *archive) loadOr(ctx context.Context, o Options) (*MovieLens, error) {
	m, err := a.load(ctx, o)
	if errors.Is(err, ErrUnavailable) {
		m = Synthetic()
		m.Source = err.Error()
		fmt.Fprintf(cmp.Or(o.Notice, io.Writer(os.Stderr)), "%s: %v\n", SyntheticCaption, err)
		return m, nil
	}
	return m, err
}

func (a *archive) load(ctx context.Context, o Options) (*MovieLens, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("datasets: %s: %w", a.name, context.Cause(ctx))
	}
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
		if err := a.obtain(ctx, dir, o); err != nil {
			return nil, err
		}
	}
	m, err := a.read(dir)
	if err != nil {
		return nil, err
	}
	notice(o.Notice)
	return m, nil
}

// unavailable returns an ErrUnavailable that says what the user can do by hand.
func (a *archive) unavailable(dir string, cause error) error {
	return fmt.Errorf("datasets: %s: %w: it is not in %s and was not downloaded from %s (%w); put %s.zip, or the folder %s unpacked from it, into %s, or set %s to the folder where they are",
		a.name, ErrUnavailable, filepath.Join(dir, a.folder), a.url, cause, a.folder, a.folder, dir, Variable)
}
