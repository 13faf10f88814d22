package datasets

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// entry is one of a zip file that a test makes.
type entry struct {
	name, data string
	mode       fs.FileMode
}

// pack makes a zip file.
func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// regular are the entries of the small set as an archive of 100K has them.
func regular() []entry {
	entries := []entry{{"ml-100k/", "", fs.ModeDir | 0o755}, {"ml-100k/README", "terms", 0}, {"ml-100k/u1.base", "not unpacked", 0}}
	files := small100K()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, entry{"ml-100k/" + name, files[name], 0})
	}
	return entries
}

func sum(data []byte) string { s := sha256.Sum256(data); return hex.EncodeToString(s[:]) }

// small is the description of an archive of the small set, of the given bytes, to be had at url.
func small(data []byte, url string) *archive {
	a := ml100k
	a.url, a.size, a.sha256 = url, int64(len(data)), sum(data)
	a.files = nil
	files := small100K()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		a.files = append(a.files, pin{name, int64(len(files[name])), sum([]byte(files[name]))})
	}
	a.users, a.movies, a.ratings, a.limit = 3, 3, 5, 4096
	return &a
}

// write puts the small set's files into dir/ml-100k.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	folder := filepath.Join(dir, "ml-100k")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists what is in a folder, with sizes of files.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel += ":" + strconv.FormatInt(info.Size(), 10)
		}
		list = append(list, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

const unpacked = "ml-100k ml-100k/README:5 ml-100k/u.data:72 ml-100k/u.genre:202 ml-100k/u.item:205 ml-100k/u.user:57"

func quiet(dir string) Options { return Options{Dir: dir, Notice: io.Discard} }

func loads(t testing.TB, a *archive, o Options) {
	t.Helper()
	m, err := a.load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if m.Users != 3 || len(m.Movies) != 3 || len(m.Ratings) != 5 || m.Source != filepath.Join(o.Dir, "ml-100k") {
		t.Fatalf("%+v", m)
	}
}

// fails loads, and wants an error that has all the parts.
func fails(t testing.TB, a *archive, o Options, parts ...string) error {
	t.Helper()
	m, err := a.load(context.Background(), o)
	if err == nil {
		t.Fatalf("no error, but %+v", m)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %v\nlacks %q", err, part)
		}
	}
	return err
}

func leaves(t testing.TB, dir, want string) {
	t.Helper()
	if got := tree(t, dir); got != want {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// never is an address that no test may call.
func never(t testing.TB) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Errorf("%s %s was called", r.Method, r.URL) }))
	t.Cleanup(s.Close)
	return s.URL
}

func serve(t testing.TB, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/ml-100k.zip"
}

// ranges serves the data and what is asked of it.
func ranges(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "ml-100k.zip", time.Time{}, bytes.NewReader(data))
	}
}

func TestLoadFromFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, small100K())
	before := tree(t, dir)
	for _, path := range []string{filepath.Join(dir, "ml-100k"), dir} {
		if err := os.Chmod(path, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(path, 0o755)
	}
	loads(t, small(nil, never(t)), quiet(dir))
	leaves(t, dir, before)
}

func TestLoadFromVariable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, small100K())
	t.Setenv(Variable, dir)
	if m, err := small(nil, never(t)).load(context.Background(), quiet("")); err != nil || m.Users != 3 {
		t.Error(m, err)
	}
	for _, relative := range []string{"data", "./data", "../shared/data", "~/data"} {
		t.Setenv(Variable, relative)
		if _, err := Load100K(context.Background(), Options{Offline: true}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s = %q, want an absolute path", Variable, relative)) {
			t.Error(err)
		}
		if _, err := LoadOrSynthetic(context.Background(), Options{Offline: true}); err == nil {
			t.Errorf("%s=%s gives a stand-in, want an error", Variable, relative)
		}
	}
	t.Setenv(Variable, "")
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	if got, err := Dir(); err != nil || filepath.Base(got) != "dpbandits" {
		t.Error(got, err)
	}
}

func TestLoadRefusesFolder(t *testing.T) {
	change := func(name, old, new string) func(map[string]string) {
		return func(files map[string]string) { files[name] = strings.Replace(files[name], old, new, 1) }
	}
	for name, test := range map[string]struct {
		change func(map[string]string)
		want   []string
	}{
		"truncated": {change("u.data", "881250951\n", ""), []string{filepath.Join("ml-100k", "u.data"), "has 62 bytes, want 72", "truncated"}},
		"longer":    {change("u.user", "\n", "\n\n"), []string{"u.user", "has 58 bytes, want 57"}},
		"corrupted": {change("u.data", "\t5\t", "\t4\t"), []string{"u.data", "SHA-256", sum([]byte(small100K()["u.data"])), "damaged"}},
		"missing":   {func(files map[string]string) { delete(files, "u.item") }, []string{"incomplete", "u.item is missing"}},
		"others":    {func(files map[string]string) { clear(files); files["notes"] = "" }, []string{"holds other files"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := small100K()
			test.change(files)
			write(t, dir, files)
			before := tree(t, dir)
			if err := fails(t, small(nil, never(t)), quiet(dir), append(test.want, dir)...); errors.Is(err, ErrUnavailable) {
				t.Error("damaged data are called unavailable")
			}
			if m, err := small(nil, never(t)).loadOr(context.Background(), quiet(dir)); err == nil {
				t.Errorf("damaged data are replaced by %s", m.Name)
			}
			leaves(t, dir, before)
		})
	}
	t.Run("no file", func(t *testing.T) {
		dir := t.TempDir()
		files := small100K()
		delete(files, "u.user")
		write(t, dir, files)
		if err := os.Mkdir(filepath.Join(dir, "ml-100k", "u.user"), 0o755); err != nil {
			t.Fatal(err)
		}
		fails(t, small(nil, never(t)), quiet(dir), "u.user is not a regular file")
	})
	t.Run("counts", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, small100K())
		a := small(nil, never(t))
		a.ratings = 6
		fails(t, a, quiet(dir), dir, "has 5 ratings, want 6")
	})
}

func TestDownload(t *testing.T) {
	data := pack(t, regular()...)
	dir := filepath.Join(t.TempDir(), "new", "cache")
	var last, total int64
	o := quiet(dir)
	o.Progress = func(d, n int64) {
		if d < last {
			t.Errorf("progress from %d to %d", last, d)
		}
		last, total = d, n
	}
	loads(t, small(data, serve(t, ranges(data))), o)
	leaves(t, dir, unpacked)
	if last != int64(len(data)) || total != last {
		t.Errorf("progress ended at %d of %d, want %d", last, total, len(data))
	}
	if info, err := os.Stat(filepath.Join(dir, "ml-100k")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v: the folder is for others to read too", info.Mode(), err)
	}
	loads(t, small(data, never(t)), quiet(dir)) // from now on out of the cache
}

// An archive put beside by hand is as good as a download, and stays.
func TestArchiveByHand(t *testing.T) {
	data := pack(t, regular()...)
	for _, offline := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ml-100k.zip")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		o := quiet(dir)
		o.Offline = offline
		loads(t, small(data, never(t)), o)
		leaves(t, dir, unpacked+fmt.Sprintf(" ml-100k.zip:%d", len(data)))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ml-100k.zip")
	if err := os.WriteFile(path, data[:100], 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, small(data, never(t)), quiet(dir), path, "has 100 bytes, want "+strconv.Itoa(len(data)))
	leaves(t, dir, "ml-100k.zip:100")
}

// The empty folder that the user made does not stand in the way.
func TestDownloadIntoEmptyFolder(t *testing.T) {
	data := pack(t, regular()...)
	dir := t.TempDir()
	write(t, dir, nil)
	loads(t, small(data, serve(t, ranges(data))), quiet(dir))
	leaves(t, dir, unpacked)
}

func TestDownloadRefuses(t *testing.T) {
	data := pack(t, regular()...)
	tampered := bytes.Clone(data)
	tampered[len(data)/2] ^= 1
	chunked := func(body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Write(body[:10])
			w.(http.Flusher).Flush() // no Content-Length
			w.Write(body[10:])
		}
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"tampered":  {ranges(tampered), "SHA-256 " + sum(tampered) + ", want " + sum(data)},
		"too short": {ranges(data[:200]), "it has 200 bytes, want " + strconv.Itoa(len(data))},
		"too long":  {ranges(append(bytes.Clone(data), 0)), fmt.Sprintf("it has %d bytes, want %d", len(data)+1, len(data))},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := w.Write(data); err != nil {
					return
				}
			}
		}, fmt.Sprintf("it has more than %d bytes", len(data))},
		"one more": {chunked(append(bytes.Clone(data), 0)), "it has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			url := serve(t, test.handler)
			if err := fails(t, small(data, url), quiet(dir), url, test.want); errors.Is(err, ErrUnavailable) {
				t.Error("called unavailable")
			}
			leaves(t, dir, "")
			if _, err := small(data, url).loadOr(context.Background(), quiet(dir)); err == nil {
				t.Error("replaced by synthetic data")
			}
		})
	}
}

func TestUnavailable(t *testing.T) {
	data := pack(t, regular()...)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, test := range map[string]struct {
		url  string
		want string
	}{
		"refused connection": {gone.URL, "connect"},
		"404":                {serve(t, http.NotFound), "404 Not Found"},
		"503":                {serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }), "503"},
		"endless redirect":   {serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }), "redirects"},
		"206 to no question": {serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(206) }), "206"},
		"nonsense":           {"http://[", "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := small(data, test.url)
			err := fails(t, a, quiet(dir), test.url, test.want, dir, Variable, "ml-100k.zip")
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("%v is not ErrUnavailable", err)
			}
			leaves(t, dir, "")
			var said strings.Builder
			m, err := a.loadOr(context.Background(), Options{Dir: dir, Notice: &said})
			if err != nil || !m.Synthetic || m.Caption() != SyntheticCaption || !strings.Contains(m.Source, test.url) {
				t.Errorf("stand-in: %+v, %v", m, err)
			}
			if !strings.HasPrefix(said.String(), SyntheticCaption) || !strings.Contains(said.String(), test.url) {
				t.Errorf("it said %q", said.String())
			}
		})
	}
	o := quiet(t.TempDir())
	o.Offline = true
	if err := fails(t, small(data, never(t)), o, "offline"); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	leaves(t, o.Dir, "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, small(data, never(t)), quiet(file), "file")
}

// cutting serves the data, but closes the connection after so many bytes of each answer; it notes
// the ranges that it was asked.
func cutting(data []byte, after int, asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Header.Get("Range"))
		from := 0
		if s, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
			from, _ = strconv.Atoi(strings.TrimSuffix(s, "-"))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)-from))
		if from > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		w.Write(data[from:min(len(data), from+after)])
	}
}

func TestResume(t *testing.T) {
	data := pack(t, regular()...)
	n := len(data)
	t.Run("within a call", func(t *testing.T) {
		dir := t.TempDir()
		var asked []string
		loads(t, small(data, serve(t, cutting(data, n/3+1, &asked))), quiet(dir))
		if want := []string{"", fmt.Sprintf("bytes=%d-", n/3+1), fmt.Sprintf("bytes=%d-", 2*(n/3+1))}; !slices.Equal(asked, want) {
			t.Errorf("asked %q, want %q", asked, want)
		}
		leaves(t, dir, unpacked)
	})
	t.Run("by the next call", func(t *testing.T) {
		dir := t.TempDir()
		var asked []string
		err := fails(t, small(data, serve(t, cutting(data, 10, &asked))), quiet(dir), "the transfer was cut after 50 bytes of", "unexpected EOF")
		if !errors.Is(err, ErrUnavailable) || len(asked) != 5 {
			t.Errorf("%v after %q", err, asked)
		}
		leaves(t, dir, "ml-100k.zip.part:50")
		asked = nil
		var first int64
		o := quiet(dir)
		o.Progress = func(done, _ int64) {
			if first == 0 {
				first = done
			}
		}
		loads(t, small(data, serve(t, cutting(data, n, &asked))), o)
		if want := []string{"bytes=50-"}; !slices.Equal(asked, want) || first <= 50 {
			t.Errorf("asked %q, want %q; progress began at %d", asked, want, first)
		}
		leaves(t, dir, unpacked)
	})
	t.Run("nothing more", func(t *testing.T) {
		dir := t.TempDir()
		var asked []string
		fails(t, small(data, serve(t, cutting(data, 0, &asked))), quiet(dir), "cut after 0 bytes")
		if len(asked) != 1 {
			t.Errorf("asked %d times", len(asked))
		}
		leaves(t, dir, "")
	})
}

// What was left is taken up only where that leads to the archive.
func TestResumeFromWhatWasLeft(t *testing.T) {
	data := pack(t, regular()...)
	half := string(data[:len(data)/2])
	whole := func(w http.ResponseWriter, r *http.Request) { w.Write(data) }
	for name, test := range map[string]struct {
		left    string
		handler http.HandlerFunc
		asked   int
	}{
		"the half":               {half, ranges(data), 1},
		"server without ranges":  {half, whole, 1},
		"all of it":              {string(data), nil, 0},
		"too much":               {string(data) + "x", ranges(data), 1},
		"half of something else": {strings.Repeat("x", len(half)), ranges(data), 2},
		"all of something else":  {strings.Repeat("x", len(data)), ranges(data), 1},
		"range not satisfiable": {half, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			w.Write(data)
		}, 2},
		"range of another": {half, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.Header().Set("Content-Range", "bytes 0-9/10")
				w.WriteHeader(http.StatusPartialContent)
				return
			}
			w.Write(data)
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "ml-100k.zip.part"), []byte(test.left), 0o644); err != nil {
				t.Fatal(err)
			}
			asked := 0
			loads(t, small(data, serve(t, func(w http.ResponseWriter, r *http.Request) { asked++; test.handler(w, r) })), quiet(dir))
			if asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
			leaves(t, dir, unpacked)
		})
	}
	t.Run("of another file for good", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ml-100k.zip.part"), []byte(half), 0o644); err != nil {
			t.Fatal(err)
		}
		other := bytes.Repeat([]byte("y"), len(data))
		fails(t, small(data, serve(t, ranges(other))), quiet(dir), "SHA-256 "+sum(other))
		leaves(t, dir, "")
	})
	t.Run("server is away", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ml-100k.zip.part"), []byte(half), 0o644); err != nil {
			t.Fatal(err)
		}
		fails(t, small(data, serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })), quiet(dir), "503")
		leaves(t, dir, fmt.Sprintf("ml-100k.zip.part:%d", len(half)))
	})
}

func TestRedirect(t *testing.T) {
	data := pack(t, regular()...)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/moved" {
			http.Redirect(w, r, "/moved", http.StatusMovedPermanently)
			return
		}
		ranges(data)(w, r)
	})
	dir := t.TempDir()
	loads(t, small(data, url), quiet(dir))
	leaves(t, dir, unpacked)
}

func TestCancel(t *testing.T) {
	data := pack(t, regular()...)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	o := quiet(dir)
	o.Progress = func(done, total int64) { cancel() }
	_, err := small(data, url).load(ctx, o)
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), url) {
		t.Errorf("error %v", err)
	}
	leaves(t, dir, "ml-100k.zip.part:100")
	if m, err := small(data, never(t)).loadOr(ctx, o); err == nil {
		t.Errorf("a cancelled context gave %s", m.Name)
	}
	loads(t, small(data, serve(t, ranges(data))), quiet(dir))
	leaves(t, dir, unpacked)
}

// A server that says nothing holds up the set-up for less than a minute.
func TestStallIsShort(t *testing.T) {
	for _, a := range []archive{ml100k, ml1m} {
		if a.stall <= 0 || a.stall > 45*time.Second {
			t.Errorf("%s: a transfer is given up after %v", a.name, a.stall)
		}
	}
}

func TestStall(t *testing.T) {
	data := pack(t, regular()...)
	for _, sent := range []int{0, 100} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" && sent > 0 {
				w.Header().Set("Content-Length", strconv.Itoa(len(data)))
				w.Write(data[:sent])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		dir := t.TempDir()
		a := small(data, url)
		a.stall = time.Second
		if err := fails(t, a, quiet(dir), "the server sends nothing more"); !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
		if sent == 0 {
			leaves(t, dir, "")
		} else {
			leaves(t, dir, "ml-100k.zip.part:100")
		}
	}
}

// A server that sends a byte now and then, for ever, does not hold up a load for ever: what came is
// kept for the next.
func TestTrickleHasADeadline(t *testing.T) {
	data := pack(t, regular()...)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		for i := 0; r.Context().Err() == nil; i = min(i+1, len(data)-2) {
			w.Write(data[i : i+1])
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	a := small(data, url)
	a.overall = 300 * time.Millisecond
	dir := t.TempDir()
	if err := fails(t, a, quiet(dir), "the server is too slow"); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	for _, a := range []archive{ml100k, ml1m} {
		if a.overall < 5*time.Minute || a.overall > time.Hour {
			t.Errorf("%s: a download is given up after %v", a.name, a.overall)
		}
	}
}

// A server that is slow, but not as slow as that, is not given up, though all of it takes longer
// than a stall. On a machine that pauses for as long as a stall, all is tried again with longer
// ones.
func TestSlowIsNotStalled(t *testing.T) {
	data := pack(t, regular()...)
	var asked atomic.Int32
	var pause time.Duration
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		for part := range slices.Chunk(data, len(data)/10+1) {
			time.Sleep(pause)
			w.Write(part)
			w.(http.Flusher).Flush()
		}
	})
	a := small(data, url)
	for a.stall = 3 * time.Second; ; a.stall *= 4 {
		asked.Store(0)
		pause = a.stall / 10
		_, err := a.load(t.Context(), quiet(t.TempDir()))
		if n := asked.Load(); n == 1 && err == nil {
			return
		} else if a.stall > 40*time.Second {
			t.Fatalf("the server was asked %d times, want once: %v", n, err)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	with := func(e ...entry) []entry { return append(regular(), e...) }
	replaced := func(name, data string, mode fs.FileMode) []entry {
		entries := regular()
		for i := range entries {
			if entries[i].name == "ml-100k/"+name {
				entries[i].data, entries[i].mode = data, mode
			}
		}
		return entries
	}
	without := func(name string) []entry {
		return slices.DeleteFunc(regular(), func(e entry) bool { return e.name == name })
	}
	for name, test := range map[string]struct {
		entries []entry
		want    string
	}{
		"parent":              {with(entry{"../evil", "x", 0}), `"../evil" might be written outside`},
		"parent inside":       {with(entry{"ml-100k/../../evil", "x", 0}), "outside"},
		"parent to itself":    {with(entry{"ml-100k/../ml-100k/mku.sh", "x", 0}), "outside"},
		"absolute":            {with(entry{"/evil", "x", 0}), "outside"},
		"drive":               {with(entry{"C:/evil", "x", 0}), "outside"},
		"drive without slash": {with(entry{"ml-100k/C:evil", "x", 0}), "outside"},
		"backslash":           {with(entry{`ml-100k\..\..\evil`, "x", 0}), "outside"},
		"backslash absolute":  {with(entry{`\\host\evil`, "x", 0}), "outside"},
		"empty element":       {with(entry{"ml-100k//mku.sh", "x", 0}), "outside"},
		"dot":                 {with(entry{"./ml-100k/mku.sh", "x", 0}), "outside"},
		"no name":             {with(entry{"", "x", 0}), "outside"},
		"null byte":           {with(entry{"ml-100k/mku.sh\x00", "x", 0}), "outside"},
		"symbolic link":       {replaced("u.data", "/etc/passwd", fs.ModeSymlink|0o777), "no regular file"},
		"link kept":           {replaced("README", "../../x", fs.ModeSymlink|0o777), "no regular file"},
		"device":              {with(entry{"ml-100k/mku.sh", "", fs.ModeDevice}), "no regular file"},
		"unexpected":          {with(entry{"ml-100k/.bashrc", "x", 0}), "not expected"},
		"unexpected folder":   {with(entry{"ml-100k/u.data/", "", fs.ModeDir | 0o755}), "outside"},
		"other folder":        {with(entry{"ml-1m/mku.sh", "x", 0}), "not expected"},
		"no folder":           {with(entry{"u.data", "x", 0}), "not expected"},
		"other case":          {with(entry{"ml-100k/U.DATA", "x", 0}), "not expected"},
		"twice":               {with(entry{"ml-100k/README", "x", 0}), "there twice"},
		"missing":             {without("ml-100k/u.item"), `"ml-100k/u.item" is missing`},
		"other size":          {replaced("u.data", "x", 0), "has 1 bytes, want 72"},
		"other content":       {replaced("u.data", strings.Repeat("x", 72), 0), "SHA-256"},
		"bomb":                {with(entry{"ml-100k/mku.sh", strings.Repeat("0", 1<<20), 0}), "of 1048576 bytes brings the whole above 4096"},
		"bomb of many": {with(entry{"ml-100k/mku.sh", strings.Repeat("0", 2000), 0}, entry{"ml-100k/allbut.pl", strings.Repeat("0", 2000), 0}),
			"brings the whole above 4096"},
	} {
		t.Run(name, func(t *testing.T) {
			data := pack(t, test.entries...)
			parent := t.TempDir()
			dir := filepath.Join(parent, "cache")
			fails(t, small(data, serve(t, ranges(data))), quiet(dir), "unpacking", test.want)
			leaves(t, parent, "cache")
		})
	}
}

// Sizes and flags in the directory of a zip file are what its maker says they are.
func TestUnpackRefusesLies(t *testing.T) {
	readme := strings.Repeat("0", 3000)
	entries := regular()
	entries[1].data = readme
	// patch changes the README's record in the directory at the end of the file.
	patch := func(at int, width int, value uint64) []byte {
		data := pack(t, entries...)
		name := []byte("ml-100k/README")
		i := bytes.LastIndex(data, name) - 46
		if i < 0 || string(data[i:i+4]) != "PK\x01\x02" {
			t.Fatal("no record")
		}
		if width == 2 {
			binary.LittleEndian.PutUint16(data[i+at:], uint16(value))
		} else {
			binary.LittleEndian.PutUint32(data[i+at:], uint32(value))
		}
		return data
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"says less than it has": {patch(24, 4, 10), "ml-100k/README"},
		"says more than it has": {patch(24, 4, 3500), "ml-100k/README"},
		"says 4 GB":             {patch(24, 4, 1<<32-2), "brings the whole above"},
		"other checksum":        {patch(16, 4, 1), "checksum"},
		"encrypted":             {patch(8, 2, 1), "encrypted"},
		"unknown compression":   {patch(10, 2, 99), "unsupported compression"},
		"no zip file":           {bytes.Repeat([]byte("x"), 1000), "not a valid zip file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fails(t, small(test.data, serve(t, ranges(test.data))), quiet(dir), "unpacking", test.want)
			leaves(t, dir, "")
		})
	}
}

// Many loaders at once, on one folder, all get the data; one folder is left.
func TestConcurrent(t *testing.T) {
	data := pack(t, regular()...)
	const loaders = 8
	var calls sync.WaitGroup // all are in the middle of their transfers before one ends
	calls.Add(loaders)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data[:100])
		w.(http.Flusher).Flush()
		calls.Done()
		calls.Wait()
		w.Write(data[100:])
	})
	dir := t.TempDir()
	var all sync.WaitGroup
	for range loaders {
		all.Go(func() {
			m, err := small(data, url).load(context.Background(), quiet(dir))
			if err != nil || len(m.Ratings) != 5 {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
	all.Wait()
	leaves(t, dir, unpacked)
}

// Who comes second has a file of his own, takes up nothing and leaves nothing.
func TestSecond(t *testing.T) {
	data := pack(t, regular()...)
	dir := t.TempDir()
	path := filepath.Join(dir, "ml-100k.zip.part")
	first, err := claim(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.release()
	if !first.shared {
		t.Skip("no flock here")
	}
	if _, err := first.WriteString("begun"); err != nil {
		t.Fatal(err)
	}
	var asked []string
	fails(t, small(data, serve(t, cutting(data, 10, &asked))), quiet(dir), "cut after 50 bytes")
	leaves(t, dir, "ml-100k.zip.part:5")
	loads(t, small(data, serve(t, ranges(data))), quiet(dir))
	leaves(t, dir, unpacked+" ml-100k.zip.part:5")
	if asked[0] != "" {
		t.Errorf("asked for %q first", asked[0])
	}
}

// What another process has put there in the meantime is taken.
func TestAnotherWasFirst(t *testing.T) {
	data := pack(t, regular()...)
	dir := t.TempDir()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		write(t, dir, small100K())
		w.Write(data)
	})
	loads(t, small(data, url), quiet(dir))
	leaves(t, dir, strings.Replace(unpacked, "ml-100k/README:5 ", "", 1))
}

// What a killed process left is removed after a day, but for what can be resumed.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	day := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{".ml-100k-1", ".ml-100k-2", "ml-100k.zip.part", "ml-100k.zip.part.3", "ml-100k.zip.part.4", "ml-1m.zip.part.5"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if name != ".ml-100k-2" && name != "ml-100k.zip.part.4" {
			if err := os.Chtimes(path, day, day); err != nil {
				t.Fatal(err)
			}
		}
	}
	ml100k.sweep(dir)
	leaves(t, dir, ".ml-100k-2:1 ml-100k.zip.part:1 ml-100k.zip.part.4:1 ml-1m.zip.part.5:1")
}

func TestNotice(t *testing.T) {
	noticed.done = false
	dir := t.TempDir()
	write(t, dir, small100K())
	a := small(nil, never(t))
	loads(t, a, quiet(dir))
	if noticed.done {
		t.Error("silence counts as said")
	}
	var said strings.Builder
	for range 3 {
		loads(t, a, Options{Dir: dir, Notice: &said})
	}
	if got := said.String(); got != Licence+"\nCite: "+Citation+"\n" || !strings.Contains(got, "10.1145/2827872") {
		t.Errorf("said %q", got)
	}
}

// A small set in the format of 1M, unpacked by hand; the pins of the true one.
func TestLoad1M(t *testing.T) {
	if sizes := fmt.Sprint(ml1m.files); !strings.Contains(sizes, "24594131") || ml1m.users != 6040 || ml1m.movies != 3883 || ml1m.ratings != 1_000_209 {
		t.Errorf("%v", sizes)
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "ml-1m")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	a := ml1m
	a.users, a.movies, a.ratings, a.files = 3, 3, 4, nil
	for name, data := range small1M() {
		a.files = append(a.files, pin{name, int64(len(data)), ""})
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := a.load(context.Background(), quiet(dir))
	if err != nil || m.Name != "MovieLens 1M" || m.Movies[1].Title != "Journal Étrange, L' (1996)" || m.Source != folder {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ratings.dat"), []byte(small1M()["ratings.dat"][:60]), 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, &a, quiet(dir), filepath.Join(folder, "ratings.dat"), "has 60 bytes, want")
}

func TestChoice(t *testing.T) {
	o := quiet(t.TempDir())
	o.Offline = true
	for choice, want := range map[string]string{"": "MovieLens 100K", "100k": "MovieLens 100K", "1m": "MovieLens 1M", "1M": `DPBANDITS_MOVIELENS = "1M", want 100k or 1m`} {
		t.Setenv(Choice, choice)
		if _, err := Load(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", choice, err, want)
		}
		m, err := LoadOrSynthetic(context.Background(), o)
		if standIn := want == "MovieLens 100K"; standIn != (err == nil && m.Synthetic) {
			t.Errorf("%q: %+v, %v; a stand-in: %v", choice, m, err, standIn)
		}
	}
}
