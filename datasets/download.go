package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

var (
	errOffline = errors.New("the options say offline")
	errStalled = errors.New("the server sends nothing more")
	errSlow    = errors.New("the server is too slow")
	errCut     = errors.New("the transfer was cut")
	errRestart = errors.New("the server does not have the rest of what was begun")
	errRefused = errors.New("what was sent is not the archive")
)

// attempts is how often a cut transfer is resumed, as long as each attempt brings something.
const attempts = 5

// obtain puts the data set's folder into dir: from the archive if it is in dir, else from the
// network.
func (a *archive) obtain(ctx context.Context, dir string, o Options) error {
	folder := filepath.Join(dir, a.folder)
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return fmt.Errorf("datasets: %s: %s holds other files and no %s; remove it, or unpack %s.zip so that %s is there", a.name, folder, a.files[0].name, a.folder, filepath.Join(folder, a.files[0].name))
	}
	if f, err := os.Open(folder + ".zip"); err == nil {
		defer f.Close()
		if err := a.verify(f); err != nil {
			return fmt.Errorf("datasets: %s: %s: %w", a.name, f.Name(), err)
		}
		return a.unpack(f, dir)
	}
	if o.Offline {
		return a.unavailable(dir, errOffline)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return a.unavailable(dir, err)
	}
	a.sweep(dir)
	part, err := claim(folder + ".zip.part")
	if err != nil {
		return a.unavailable(dir, err)
	}
	defer part.release()
	if there, err := a.present(dir); there || err != nil { // another process has just finished
		part.drop = true
		return err
	}
	err = a.fetch(ctx, part.File, cmp.Or(o.Client, http.DefaultClient), o.Progress)
	switch {
	case err == nil:
		part.drop = true
		return a.unpack(part.File, dir)
	case ctx.Err() != nil:
		return fmt.Errorf("datasets: %s: download from %s: %w", a.name, a.url, context.Cause(ctx))
	case errors.Is(err, errRefused):
		part.drop = true
		return fmt.Errorf("datasets: %s: download from %s: %w", a.name, a.url, err)
	}
	return a.unavailable(dir, err)
}

// fetch completes the file and verifies it. It resumes what an earlier call left, and starts again
// if the result of that is wrong.
func (a *archive) fetch(ctx context.Context, f *os.File, client *http.Client, progress func(done, total int64)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, a.overall, errSlow)
	defer cancel()
	old, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	resumed := old > 0
	for cuts := 0; ; {
		err := a.transfer(ctx, f, client, progress)
		if err == nil {
			if err = a.verify(f); err == nil {
				return f.Sync()
			}
		}
		now, sizeErr := f.Seek(0, io.SeekEnd)
		switch {
		case sizeErr != nil:
			return sizeErr
		case ctx.Err() != nil:
			return err
		case resumed && (errors.Is(err, errRefused) || errors.Is(err, errRestart)):
			resumed, old = false, 0
			if err := f.Truncate(0); err != nil {
				return err
			}
		case errors.Is(err, errCut) && now > old && cuts+1 < attempts:
			cuts, old, resumed = cuts+1, now, true
		default:
			return err
		}
	}
}

// transfer requests once what the file lacks, and appends it.
func (a *archive) transfer(ctx context.Context, f *os.File, client *http.Client, progress func(done, total int64)) error {
	offset, err := f.Seek(0, io.SeekEnd)
	if err != nil || offset == a.size {
		return err
	}
	if offset > a.size {
		return fmt.Errorf("%w: %d bytes were begun, want %d", errRestart, offset, a.size)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(a.stall, func() { cancel(errStalled) })
	defer stall.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity")
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	response, err := client.Do(request)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusPartialContent && offset > 0:
		if got, want := response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/%d", offset, a.size-1, a.size); got != want {
			return fmt.Errorf("%w: it offers %q, want %q", errRestart, got, want)
		}
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && offset > 0:
		return errRestart
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answers %s", response.Status)
	default: // the whole: the server knows no ranges
		if n := response.ContentLength; n >= 0 && n != a.size {
			return fmt.Errorf("%w: it has %d bytes, want %d", errRefused, n, a.size)
		}
		if offset, err = 0, f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	body := io.LimitReader(response.Body, a.size-offset+1)
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		stall.Reset(a.stall)
		if offset += int64(n); offset > a.size {
			return fmt.Errorf("%w: it has more than %d bytes", errRefused, a.size)
		}
		if _, err := f.Write(buf[:n]); err != nil {
			return err
		}
		if n > 0 && progress != nil {
			progress(offset, a.size)
		}
		switch {
		case offset == a.size && err == io.EOF:
			return nil
		case err != nil && context.Cause(ctx) != nil:
			return fmt.Errorf("%w after %d bytes of %d: %w", errCut, offset, a.size, context.Cause(ctx))
		case err != nil:
			return fmt.Errorf("%w after %d bytes of %d: %w", errCut, offset, a.size, err)
		}
	}
}

// verify compares the file with the archive's size and hash.
func (a *archive) verify(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(f, a.size+1))
	if err != nil {
		return err
	}
	if n > a.size {
		return fmt.Errorf("%w: it has more than %d bytes", errRefused, a.size)
	}
	if n < a.size {
		return fmt.Errorf("%w: it has %d bytes, want %d", errRefused, n, a.size)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != a.sha256 {
		return fmt.Errorf("%w: it has SHA-256 %s, want %s", errRefused, sum, a.sha256)
	}
	return nil
}
