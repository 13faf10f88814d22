package datasets

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// genreFile is u.genre, empty last line included.
const genreFile = "unknown|0\nAction|1\nAdventure|2\nAnimation|3\nChildren's|4\nComedy|5\nCrime|6\nDocumentary|7\nDrama|8\nFantasy|9\nFilm-Noir|10\n" +
	"Horror|11\nMusical|12\nMystery|13\nRomance|14\nSci-Fi|15\nThriller|16\nWar|17\nWestern|18\n\n"

// flags writes the 19 flags of a line of u.item.
func flags(set ...int) string {
	f := strings.Split("0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0", "|")
	for _, i := range set {
		f[i] = "1"
	}
	return strings.Join(f, "|")
}

// small100K is a made-up set in the format of 100K: three users, three movies, five ratings.
func small100K() map[string]string {
	return map[string]string{
		"u.genre": genreFile,
		"u.user":  "1|30|F|other|00000\n2|40|M|artist|T8H1N\n3|50|F|none|11111\n",
		"u.item": "1|First (1990)|01-Jan-1990||http://example.org/?a%20b|" + flags(1, 15) + "\n" +
			"2|Caf\xe9, Le: \xc1 (1991)||||" + flags(5) + "\n" +
			"3|unknown||||" + flags(0) + "\n",
		"u.data": "1\t2\t5\t881250949\n1\t1\t3\t881250949\n3\t2\t1\t881250950\n2\t3\t4\t0\n2\t2\t2\t881250951\n",
	}
}

// small1M is one in the format of 1M, with gaps in the ids.
func small1M() map[string]string {
	return map[string]string{
		"users.dat": "1::F::1::10::48067\n2::M::56::16::98107-2117\n5::M::25::15::55117\n",
		"movies.dat": "1::First: A Story (1995)::Animation|Children's|Comedy\n" +
			"90::Journal \xc9trange, L' (1996)::Film-Noir\n" +
			"3952::Last, The (2000)::Drama|Thriller|Sci-Fi\n",
		"ratings.dat": "1::3952::5::978300760\n1::1::3::978302109\n5::3952::4::978301968\n2::90::1::978300275\n",
	}
}

func asFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return fsys
}

func TestRead100K(t *testing.T) {
	got, err := Read100K(asFS(small100K()))
	if err != nil {
		t.Fatal(err)
	}
	want := &MovieLens{
		Name: "MovieLens 100K", Users: 3,
		Movies: []Movie{
			{1, "First (1990)", 1<<0 | 1<<14},
			{2, "Café, Le: Á (1991)", 1 << 4},
			{3, "unknown", 0},
		},
		Ratings: []Rating{{0, 1, 5}, {0, 0, 3}, {2, 1, 1}, {1, 2, 4}, {1, 1, 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if s := got.Movies[0].Genres.String(); s != "Action, Sci-Fi" {
		t.Error(s)
	}
}

func TestRead1M(t *testing.T) {
	got, err := Read1M(asFS(small1M()))
	if err != nil {
		t.Fatal(err)
	}
	want := &MovieLens{
		Name: "MovieLens 1M", Users: 3,
		Movies: []Movie{
			{1, "First: A Story (1995)", 1<<2 | 1<<3 | 1<<4},
			{90, "Journal Étrange, L' (1996)", 1 << 9},
			{3952, "Last, The (2000)", 1<<7 | 1<<14 | 1<<15},
		},
		Ratings: []Rating{{0, 2, 5}, {0, 0, 3}, {2, 2, 4}, {1, 1, 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	p, err := got.Top(3)
	if err != nil {
		t.Fatal(err)
	}
	checkPanel(t, p, 3)
	if p.Movies[0].ID != 3952 || p.Movies[1].ID != 1 || p.Movies[2].ID != 90 {
		t.Errorf("order %v, want 3952 first, then the two that tie by id", p.Movies)
	}
}

// A made-up set of the true size: ids with gaps, every user and movie in it, no rating twice.
func TestRead1MFullSize(t *testing.T) {
	const users, movies, ratings = 6040, 3883, 1_000_209
	id := func(movie int) int { return movie + 1 + movie/57 } // 68 gaps; the last id is 3951
	var u, m, r strings.Builder
	for i := range users {
		fmt.Fprintf(&u, "%d::M::25::4::%05d\n", i+1, i)
	}
	for i := range movies {
		fmt.Fprintf(&m, "%d::Movie %d: \xe0 la carte (1999)::%s\n", id(i), i, genres[i%NumGenres])
	}
	for i := range ratings {
		fmt.Fprintf(&r, "%d::%d::%d::%d\n", i%users+1, id((i%users+i/users*7)%movies), i%5+1, 956703932+i)
	}
	got, err := Read1M(asFS(map[string]string{"users.dat": u.String(), "movies.dat": m.String(), "ratings.dat": r.String()}))
	if err != nil {
		t.Fatal(err)
	}
	if got.Users != users || len(got.Movies) != movies || len(got.Ratings) != ratings || got.Movies[57].ID != 59 || got.Movies[3882].Title != "Movie 3882: à la carte (1999)" {
		t.Errorf("%d users, %d movies, %d ratings, %+v", got.Users, len(got.Movies), len(got.Ratings), got.Movies[57])
	}
	for _, i := range []int{0, users, ratings - 1} {
		if want := (Rating{int32(i % users), int32((i%users + i/users*7) % movies), uint8(i%5 + 1)}); got.Ratings[i] != want {
			t.Errorf("rating %d is %+v, want %+v", i, got.Ratings[i], want)
		}
	}
}

// Line ends of another system, and a last line without one, read the same.
func TestReadLineEnds(t *testing.T) {
	want, err := Read1M(asFS(small1M()))
	if err != nil {
		t.Fatal(err)
	}
	crlf := map[string]string{}
	for name, data := range small1M() {
		crlf[name] = strings.TrimSuffix(strings.ReplaceAll(data, "\n", "\r\n"), "\r\n")
	}
	got, err := Read1M(asFS(crlf))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %+v, want %+v", err, got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	read100, read1 := func(f fstest.MapFS) error { _, err := Read100K(f); return err }, func(f fstest.MapFS) error { _, err := Read1M(f); return err }
	tests := []struct {
		name  string
		files map[string]string
		read  func(fstest.MapFS) error
		file  string
		old   string // replaced in the file, once
		new   string
		want  string // in the error
	}{
		{"rating of 6", small100K(), read100, "u.data", "1\t2\t5", "1\t2\t6", `u.data:1: rating is "6", want an integer from 1 to 5`},
		{"rating of 0", small100K(), read100, "u.data", "3\t2\t1", "3\t2\t0", `u.data:3: rating is "0", want an integer from 1 to 5`},
		{"half a star", small1M(), read1, "ratings.dat", "::3::", "::3.5::", `ratings.dat:2: rating is "3.5"`},
		{"signed rating", small100K(), read100, "u.data", "1\t2\t5", "1\t2\t+5", `u.data:1: rating is "+5"`},
		{"empty rating", small100K(), read100, "u.data", "1\t2\t5", "1\t2\t", `u.data:1: rating is ""`},
		{"unknown movie", small100K(), read100, "u.data", "2\t3\t4", "2\t4\t4", "u.data:4: unknown movie id 4: it is not among the 3"},
		{"id in a gap", small1M(), read1, "ratings.dat", "5::3952", "5::3951", "ratings.dat:3: unknown movie id 3951"},
		{"unknown user", small1M(), read1, "ratings.dat", "5::3952", "3::3952", "ratings.dat:3: unknown user id 3"},
		{"movie id 0", small100K(), read100, "u.data", "2\t3\t4", "2\t0\t4", `u.data:4: movie id is "0", want an integer from 1`},
		{"huge id", small100K(), read100, "u.data", "2\t3\t4", "2\t18446744073709551619\t4", `u.data:4: movie id is "18446744073709551619"`},
		{"duplicate", small100K(), read100, "u.data", "2\t2\t2", "1\t2\t2", "u.data:5: duplicate rating: the same user rated the same movie in line 1"},
		{"two duplicates, the first line named", small1M(), read1, "ratings.dat", "5::3952::4::978301968\n2::90::1::978300275\n",
			"5::1::4::1\n2::90::1::1\n2::90::1::1\n5::1::1::1\n1::1::1::1\n", "ratings.dat:5: duplicate rating: the same user rated the same movie in line 4"},
		{"truncated line", small100K(), read100, "u.data", "2\t2\t2\t881250951\n", "2\t2\t", `u.data:5: 3 fields in "2\t2\t", want 4 separated by "\t"`},
		{"five fields", small1M(), read1, "ratings.dat", "978300760", "978300760::9", "ratings.dat:1: 5 fields"},
		{"bad time", small100K(), read100, "u.data", "\t0\n", "\t-1\n", `u.data:4: time is "-1"`},
		{"empty line", small100K(), read100, "u.data", "\n", "\n\n", `u.data:2: 1 fields in ""`},
		{"flag of 2", small100K(), read100, "u.item", "|1|", "|2|", `u.item:1: a genre's flag is "2", want an integer from 0 to 1`},
		{"18 flags", small100K(), read100, "u.item", "0|0\n", "0\n", "u.item:1: 23 fields"},
		{"movie twice", small100K(), read100, "u.item", "3|unknown", "1|unknown", "u.item:3: movie id 1 is there twice"},
		{"user twice", small1M(), read1, "users.dat", "5::M", "2::M", "users.dat:3: user id 2 is there twice"},
		{"other genre", small1M(), read1, "movies.dat", "Film-Noir", "Noir", `movies.dat:2: unknown genre "Noir"`},
		{"no genre", small1M(), read1, "movies.dat", "Film-Noir", "", `movies.dat:2: unknown genre ""`},
		{"genres in another order", small100K(), read100, "u.genre", "War|17\nWestern|18", "Western|17\nWar|18", `u.genre:18: genre "Western|17", want "War|17"`},
		{"a genre too few", small100K(), read100, "u.genre", "Western|18\n", "", "u.genre: 18 genres, want 19"},
		{"a genre too many", small100K(), read100, "u.genre", "\n\n", "\nIMAX|19\n", `u.genre:20: a genre "IMAX|19" too many, want 19`},
		{"no file", small1M(), read1, "movies.dat", "", "", "movies.dat"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := maps.Clone(test.files)
			if test.old == "" {
				delete(files, test.file)
			} else {
				if !strings.Contains(files[test.file], test.old) {
					t.Fatalf("%q is not in %s", test.old, test.file)
				}
				files[test.file] = strings.Replace(files[test.file], test.old, test.new, 1)
			}
			err := test.read(asFS(files))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestTopRefuses(t *testing.T) {
	m, err := Read100K(asFS(small100K()))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{-1, 0, 4} {
		if _, err := m.Top(n); err == nil || !strings.Contains(err.Error(), "want 1 to 3") {
			t.Errorf("Top(%d): %v", n, err)
		}
	}
	if _, err := (&MovieLens{Movies: m.Movies}).Top(1); err == nil {
		t.Error("Top of a set without users")
	}
}

// What a reader accepts is consistent, whatever the bytes.
func checkRead(t *testing.T, m *MovieLens) {
	t.Helper()
	type pair struct{ u, m int32 }
	seen := map[pair]bool{}
	for _, r := range m.Ratings {
		if r.User < 0 || int(r.User) >= m.Users || r.Movie < 0 || int(r.Movie) >= len(m.Movies) || r.Stars < 1 || r.Stars > 5 {
			t.Fatalf("rating %+v of %d users and %d movies", r, m.Users, len(m.Movies))
		}
		if seen[pair{r.User, r.Movie}] {
			t.Fatalf("rating %+v twice", r)
		}
		seen[pair{r.User, r.Movie}] = true
	}
	ids := map[int]bool{}
	for _, movie := range m.Movies {
		if movie.ID < 1 || ids[movie.ID] || !utf8.ValidString(movie.Title) || movie.Genres >= 1<<NumGenres {
			t.Fatalf("movie %+v", movie)
		}
		ids[movie.ID] = true
	}
	if m.Users > 0 && len(m.Movies) > 0 {
		p, err := m.Top(len(m.Movies))
		if err != nil {
			t.Fatal(err)
		}
		checkPanel(t, p, m.Users)
	}
}

func FuzzRead100K(f *testing.F) {
	s := small100K()
	f.Add([]byte(s["u.user"]), []byte(s["u.item"]), []byte(s["u.data"]))
	f.Add([]byte("1|1|1|1|1"), []byte(""), []byte("1\t1\t1\t1\n1\t1"))
	f.Add([]byte("7||||\r\n"), []byte("3|\xff||||"+flags(18)), []byte("7\t3\t5\t\x00"))
	f.Add([]byte("1||||"), []byte("1|a||||"+flags()), []byte("1\t1\t5\t1\n1\t1\t5\t1\n"))
	f.Fuzz(func(t *testing.T, users, items, data []byte) {
		m, err := Read100K(fstest.MapFS{"u.genre": {Data: []byte(genreFile)}, "u.user": {Data: users}, "u.item": {Data: items}, "u.data": {Data: data}})
		if err == nil {
			checkRead(t, m)
		}
	})
}

func FuzzRead1M(f *testing.F) {
	s := small1M()
	f.Add([]byte(s["users.dat"]), []byte(s["movies.dat"]), []byte(s["ratings.dat"]))
	f.Add([]byte("1::::::::"), []byte("999999999::\xe9::Western"), []byte("1::999999999::1::1"))
	f.Add([]byte("1:::::::::"), []byte("1:::::::Drama"), []byte("::::::"))
	f.Fuzz(func(t *testing.T, users, movies, ratings []byte) {
		m, err := Read1M(fstest.MapFS{"users.dat": {Data: users}, "movies.dat": {Data: movies}, "ratings.dat": {Data: ratings}})
		if err == nil {
			checkRead(t, m)
		}
	})
}
