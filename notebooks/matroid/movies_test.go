package matroid

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// write1M writes made-up files of the form, the counts and the sizes of MovieLens 1M. The i-th
// movie from the end has 3,400 - 3i ratings, until there are enough, and another genre than its
// neighbours.
func write1M(t *testing.T, dir string) {
	t.Helper()
	const users, movies, ratings = 6040, 3883, 1_000_209
	var u, m, r strings.Builder
	rest := 134_368 - 18*users // what ids and second digits of occupations take
	for i := range users {
		rest -= len(fmt.Sprint(i + 1))
	}
	for i := range users {
		occupation := "4"
		if i < rest {
			occupation = "14"
		}
		fmt.Fprintf(&u, "%d::M::25::%s::%05d\n", i+1, occupation, i)
	}
	genres := datasets.Genres()
	for i := range movies {
		title := fmt.Sprintf("%d::Movie %d (1999)", i+1, i)
		room := (171_308 - m.Len()) / (movies - i) // an even share of what is left
		genre := genres[i%len(genres)]
		fmt.Fprintf(&m, "%s%s::%s\n", title, strings.Repeat(" ", max(0, room-len(title)-len(genre)-3)), genre)
	}
	n := 0
	for movie := 0; n < ratings; movie++ {
		for k := 0; k < 3_400-3*movie && n < ratings; k++ {
			line := fmt.Sprintf("%d::%d::%d::", (movie*101+k)%users+1, movies-movie, k%5+1)
			room := (24_594_131 - r.Len()) / (ratings - n)
			fmt.Fprintf(&r, "%s%s\n", line, strings.Repeat("9", max(1, room-len(line)-1)))
			n++
		}
	}
	for name, text := range map[string]string{"users.dat": u.String(), "movies.dat": m.String(), "ratings.dat": r.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMovies1M: with one switch the experiments on movies are those of the larger set.
func TestMovies1M(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "ml-1m"), 0o755); err != nil {
		t.Fatal(err)
	}
	write1M(t, filepath.Join(dir, "ml-1m"))
	t.Setenv(datasets.Variable, dir)
	t.Setenv(datasets.Choice, "1m")
	m := mustReadMovies()
	if m.Name != "MovieLens 1M" || len(m.Rated) != 6040 || len(m.Movies) != top || m.Matroid.Rank() != datasets.NumGenres {
		t.Fatalf("%s, %d users, %d movies, rank %d", m.Name, len(m.Rated), len(m.Movies), m.Matroid.Rank())
	}
	// The best movie of each genre is one of the last 18.
	if got, want := m.Environment().Optimum(), float64(18*3_400-3*17*18/2)/6040; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("the best basis has %v, want %v", got, want)
	}
	e := m.returns(cell.Smoke)
	if e.Fingerprint != "top 100 of MovieLens 1M" {
		t.Errorf("the experiment is of %q", e.Fingerprint)
	}
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}
