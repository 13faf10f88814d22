package datasets

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Read100K reads files in the format of MovieLens 100K from their folder, such as os.DirFS returns.
// The files are u.genre, u.user, u.item and u.data, in Latin-1, with fields separated by tabs in
// u.data and by | elsewhere. The numbers of users, movies and ratings are free; Load100K checks
// them.
func Read100K(fsys fs.FS) (*MovieLens, error) {
	m, err := parse100K(within(fsys))
	if err != nil {
		return nil, fmt.Errorf("datasets: MovieLens 100K: %w", err)
	}
	return m, nil
}

func parse100K(read files) (*MovieLens, error) {
	if err := checkGenres(read); err != nil {
		return nil, err
	}
	users, err := readUsers(read, "u.user", "|")
	if err != nil {
		return nil, err
	}
	data, err := read("u.item")
	if err != nil {
		return nil, err
	}
	movies, list := newIndex("movie"), []Movie(nil)
	err = lines("u.item", data, func(_ int, text []byte) error {
		// id, title, two dates and the address, each of which may be empty, then flags
		fields, err := split(text, "|", 5+1+NumGenres)
		if err != nil {
			return err
		}
		id, err := movies.add(fields[0])
		if err != nil {
			return err
		}
		movie := Movie{ID: id, Title: latin1(fields[1])}
		for i, flag := range fields[5:] {
			set, err := number("a genre's flag", flag, 0, 1)
			if err != nil {
				return err
			}
			if i > 0 { // the first is "unknown"
				movie.Genres |= GenreSet(set) << (i - 1)
			}
		}
		list = append(list, movie)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ratings, err := readRatings(read, "u.data", "\t", users, movies)
	if err != nil {
		return nil, err
	}
	return &MovieLens{Name: "MovieLens 100K", Users: len(users.place), Movies: list, Ratings: ratings}, nil
}

// checkGenres checks that u.genre names the genres' flags in the order that parse100K assumes.
func checkGenres(read files) error {
	data, err := read("u.genre")
	if err != nil {
		return err
	}
	seen := 0
	err = lines("u.genre", data, func(line int, text []byte) error {
		if len(bytes.TrimSpace(text)) == 0 { // the file ends with an empty line
			return nil
		}
		if line > NumGenres+1 {
			return fmt.Errorf("a genre %s too many, want %d", quote(text), NumGenres+1)
		}
		want := fmt.Sprintf("unknown|%d", line-1)
		if line > 1 {
			want = fmt.Sprintf("%s|%d", genres[line-2], line-1)
		}
		if string(text) != want {
			return fmt.Errorf("genre %s, want %q", quote(text), want)
		}
		seen++
		return nil
	})
	if err == nil && seen != NumGenres+1 {
		return fmt.Errorf("u.genre: %d genres, want %d", seen, NumGenres+1)
	}
	return err
}
