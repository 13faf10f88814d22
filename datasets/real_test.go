package datasets

import (
	"context"
	"io"
	"math/big"
	"path/filepath"
	"strconv"
	"testing"
)

// real100K loads the true data where the cache has them; it never downloads.
func real100K(t testing.TB) *MovieLens {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Skip(err)
	}
	if there, err := ml100k.present(dir); err == nil && !there {
		t.Skipf("no MovieLens 100K in %s: set %s to the folder that holds ml-100k", filepath.Join(dir, "ml-100k"), Variable)
	}
	m, err := Load100K(context.Background(), Options{Offline: true, Notice: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// MovieLens's file of ratings is a log that a Schema reads as well, to the same ratings.
func TestReal100KBySchema(t *testing.T) {
	m := real100K(t)
	ids := make([]string, len(m.Movies))
	for i, movie := range m.Movies {
		ids[i] = strconv.Itoa(movie.ID)
	}
	s := &Schema{
		Comma: '\t', Header: []string{"user", "movie", "stars", "time"},
		User: "user", Arm: "movie", Labels: ids, Reward: "stars", RewardMin: 1, RewardMax: 5,
	}
	data, err := s.ReadFile(filepath.Join(m.Source, "u.data"))
	if err != nil || data.Len() != len(m.Ratings) || len(data.UserIDs) != m.Users {
		t.Fatalf("%d ratings of %d users, %v", data.Len(), len(data.UserIDs), err)
	}
	for i, r := range m.Ratings {
		if data.UserIDs[data.Users[i]] != strconv.Itoa(int(r.User)+1) || data.Chosen[i] != int(r.Movie) || data.Rewards[i] != float64(r.Stars) {
			t.Fatalf("rating %d: user %s, movie %d, reward %v, want %+v", i, data.UserIDs[data.Users[i]], data.Chosen[i], data.Rewards[i], r)
		}
	}
}

func TestReal100K(t *testing.T) {
	m := real100K(t)
	if m.Users != 943 || len(m.Movies) != 1682 || len(m.Ratings) != 100000 || m.Synthetic {
		t.Fatalf("%d users, %d movies, %d ratings, synthetic %v", m.Users, len(m.Movies), len(m.Ratings), m.Synthetic)
	}
	var stars [6]int
	users := make([]int, m.Users)
	for _, r := range m.Ratings {
		stars[r.Stars]++
		users[r.User]++
	}
	if want := [6]int{0, 6110, 11370, 27145, 34174, 21201}; stars != want {
		t.Errorf("stars %v, want %v", stars, want)
	}
	for u, n := range users {
		if n < 20 {
			t.Errorf("user %d has %d ratings, want 20 or more", u, n)
		}
	}
	none := 0
	for _, movie := range m.Movies {
		if movie.Genres.Len() == 0 {
			none++
		}
	}
	if none != 2 {
		t.Errorf("%d movies without a genre, want the 2 whose genre is unknown", none)
	}
	if title := m.Movies[542].Title; title != "Misérables, Les (1995)" {
		t.Errorf("movie 543 is %q", title)
	}
}

func TestReal100KTop(t *testing.T) {
	p, err := real100K(t).Top(100)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		id    int
		title string
		count int
	}{
		{50, "Star Wars (1977)", 583},
		{258, "Contact (1997)", 509},
		{100, "Fargo (1996)", 508},
		{181, "Return of the Jedi (1983)", 507},
		{294, "Liar Liar (1997)", 485},
		{286, "English Patient, The (1996)", 481},
		{288, "Scream (1996)", 478},
		{1, "Toy Story (1995)", 452},
		{300, "Air Force One (1997)", 431},
		{121, "Independence Day (ID4) (1996)", 429},
	} {
		got := p.Movies[i]
		if got.ID != want.id || got.Title != want.title || p.Counts[i] != want.count {
			t.Errorf("number %d is %d %q with %d, want %d %q with %d", i+1, got.ID, got.Title, p.Counts[i], want.id, want.title, want.count)
		}
	}
	if last := p.Movies[99].ID; p.Counts[99] != 218 || last != 322 {
		t.Errorf("the last is movie %d with %d ratings", last, p.Counts[99])
	}
	checkPanel(t, p, 943)
	if r := rank(p.Genres); r != 17 {
		t.Errorf("rank %d, want 17: no documentary is among them, and the other genres are independent", r)
	}
	if r := rank(nil); r != 0 {
		t.Errorf("rank of nothing %d", r)
	}
}

// checkPanel checks what holds of every panel.
func checkPanel(t *testing.T, p *Panel, users int) {
	t.Helper()
	n := len(p.Movies)
	if len(p.Counts) != n || len(p.Weights) != n || len(p.Genres) != n || len(p.Rated) != users {
		t.Fatalf("lengths %d %d %d %d %d", n, len(p.Counts), len(p.Weights), len(p.Genres), len(p.Rated))
	}
	sums := make([]int, n)
	for _, row := range p.Rated {
		if len(row) != n {
			t.Fatalf("a row of %d, want %d", len(row), n)
		}
		for i, rated := range row {
			if rated {
				sums[i]++
			}
		}
	}
	for i := range n {
		if sums[i] != p.Counts[i] || p.Weights[i] != float64(sums[i])/float64(users) {
			t.Errorf("movie %d: %d users, count %d, weight %v", i, sums[i], p.Counts[i], p.Weights[i])
		}
		if i > 0 && (p.Counts[i-1] < p.Counts[i] || p.Counts[i-1] == p.Counts[i] && p.Movies[i-1].ID > p.Movies[i].ID) {
			t.Errorf("movies %d and %d are out of order", i-1, i)
		}
		for j, x := range p.Genres[i] {
			if x != 0 && x != 1 || (x == 1) != p.Movies[i].Genres.Has(j) {
				t.Errorf("movie %d genre %d: %d", i, j, x)
			}
		}
	}
}

// rank is the exact rank of an integer matrix: Gauss over the rationals.
func rank(rows [][]int) int {
	m := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		for _, x := range row {
			m[i] = append(m[i], big.NewRat(int64(x), 1))
		}
	}
	r := 0
	for j := 0; len(m) > 0 && j < len(m[0]); j++ {
		p := r
		for p < len(m) && m[p][j].Sign() == 0 {
			p++
		}
		if p == len(m) {
			continue
		}
		m[r], m[p] = m[p], m[r]
		for i := r + 1; i < len(m); i++ {
			f := new(big.Rat).Quo(m[i][j], m[r][j])
			for k := j; k < len(m[i]); k++ {
				m[i][k].Sub(m[i][k], new(big.Rat).Mul(f, m[r][k]))
			}
		}
		r++
	}
	return r
}
