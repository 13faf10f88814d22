package datasets

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
)

// Read1M reads files in the format of MovieLens 1M from their folder, such as os.DirFS returns. The
// files are users.dat, movies.dat and ratings.dat, in Latin-1, with fields separated by :: and a
// movie's genres by |. Movie ids may have gaps. The numbers of users, movies and ratings are free;
// Load1M checks them.
func Read1M(fsys fs.FS) (*MovieLens, error) {
	m, err := parse1M(within(fsys))
	if err != nil {
		return nil, fmt.Errorf("datasets: MovieLens 1M: %w", err)
	}
	return m, nil
}

func parse1M(read files) (*MovieLens, error) {
	users, err := readUsers(read, "users.dat", "::")
	if err != nil {
		return nil, err
	}
	data, err := read("movies.dat")
	if err != nil {
		return nil, err
	}
	movies, list := newIndex("movie"), []Movie(nil)
	err = lines("movies.dat", data, func(_ int, text []byte) error {
		fields, err := split(text, "::", 3)
		if err != nil {
			return err
		}
		id, err := movies.add(fields[0])
		if err != nil {
			return err
		}
		movie := Movie{ID: id, Title: latin1(fields[1])}
		for name := range bytes.SplitSeq(fields[2], []byte("|")) {
			i := slices.Index(genres[:], string(name))
			if i < 0 {
				return fmt.Errorf("unknown genre %s, want one of the %d, %q to %q", quote(name), NumGenres, genres[0], genres[NumGenres-1])
			}
			movie.Genres |= 1 << i
		}
		list = append(list, movie)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ratings, err := readRatings(read, "ratings.dat", "::", users, movies)
	if err != nil {
		return nil, err
	}
	return &MovieLens{Name: "MovieLens 1M", Users: len(users.place), Movies: list, Ratings: ratings}, nil
}
