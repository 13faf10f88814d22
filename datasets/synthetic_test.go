package datasets

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestSynthetic(t *testing.T) {
	m := Synthetic()
	if m.Users != 943 || len(m.Movies) != 1682 || len(m.Ratings) != 100_000 {
		t.Fatalf("%d users, %d movies, %d ratings", m.Users, len(m.Movies), len(m.Ratings))
	}
	if !m.Synthetic || m.Name != SyntheticCaption || m.Caption() != SyntheticCaption || !strings.Contains(m.Caption(), "not MovieLens") {
		t.Errorf("not marked: %v %q %q", m.Synthetic, m.Name, m.Caption())
	}
	if !reflect.DeepEqual(m, Synthetic()) {
		t.Error("two calls differ")
	}
	var sum uint64
	for _, r := range m.Ratings {
		sum = sum*1_000_003 + uint64(r.User)<<24 + uint64(r.Movie)<<8 + uint64(r.Stars)
	}
	for _, movie := range m.Movies {
		sum = sum*1_000_003 + uint64(movie.Genres)
	}
	if runtime.GOARCH == "amd64" && sum != 0x9080bdd4acc38b8f { // elsewhere exp may round otherwise
		t.Errorf("sum %#x: not the data that it has been", sum)
	}
	checkRead(t, m)
	var stars [5]int
	users := make([]int, m.Users)
	for _, r := range m.Ratings {
		stars[r.Stars-1]++
		users[r.User]++
	}
	if stars != syntheticStars {
		t.Errorf("stars %v, want %v", stars, syntheticStars)
	}
	var genres [NumGenres]int
	for _, movie := range m.Movies {
		for i, x := range movie.Genres.Vector() {
			genres[i] += x
		}
		if movie.Genres == 0 {
			t.Errorf("%s has no genre", movie.Title)
		}
	}
	if genres != syntheticGenres {
		t.Errorf("genres %v, want %v", genres, syntheticGenres)
	}
	slices.Sort(users)
	movies := m.Counts()
	slices.Sort(movies)
	if users[0] != 32 || users[942] != 737 || movies[0] != 9 || movies[1681] != 583 {
		t.Errorf("users %d to %d, movies %d to %d", users[0], users[942], movies[0], movies[1681])
	}
	p, err := m.Top(100)
	if err != nil {
		t.Fatal(err)
	}
	checkPanel(t, p, 943)
	if r := rank(p.Genres); r != 17 {
		t.Errorf("rank %d, want 17", r)
	}
	if p.Caption != SyntheticCaption || !p.Synthetic {
		t.Error("the panel is not marked")
	}
}

// The stand-in has what it stands in for: the weights of the hundred most rated movies are off by
// 0.04 at most, and by 0.015 on average.
func TestSyntheticResembles(t *testing.T) {
	want, err := real100K(t).Top(100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Synthetic().Top(100)
	if err != nil {
		t.Fatal(err)
	}
	worst, mean := 0.0, 0.0
	for i, w := range want.Weights {
		d := math.Abs(w - got.Weights[i])
		worst, mean = max(worst, d), mean+d/100
	}
	t.Logf("worst %.3f, mean %.3f", worst, mean)
	if worst > 0.04 || mean > 0.015 {
		t.Errorf("weights are off by up to %v, %v on average", worst, mean)
	}
}
