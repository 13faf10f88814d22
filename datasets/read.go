package datasets

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
)

// files returns the content of a data set's file by its name.
type files func(name string) ([]byte, error)

// within returns the files of a file system whose root is the data set's folder.
func within(fsys fs.FS) files {
	return func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) }
}

// lines calls do with each line, counted from 1, without its end (LF, or CR LF). An error of do
// gets the file's name and the line's number.
func lines(name string, data []byte, do func(line int, text []byte) error) error {
	for n := 1; len(data) > 0; n++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		if err := do(n, bytes.TrimSuffix(text, []byte("\r"))); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		data = rest
	}
	return nil
}

// split cuts a line into want fields.
func split(text []byte, separator string, want int) ([][]byte, error) {
	fields := bytes.Split(text, []byte(separator))
	if len(fields) != want {
		return nil, fmt.Errorf("%d fields in %s, want %d separated by %q: the line is truncated or damaged", len(fields), quote(text), want, separator)
	}
	return fields, nil
}

// quote quotes the first 80 bytes of a part of a file, for an error.
func quote(text []byte) string {
	if len(text) > 80 {
		return fmt.Sprintf("%q...", latin1(text[:80]))
	}
	return fmt.Sprintf("%q", latin1(text))
}

// number reads a decimal integer from lo to hi, of at most nine digits and nothing else.
func number(what string, text []byte, lo, hi int) (int, error) {
	n, ok := 0, len(text) > 0 && len(text) <= 9
	for _, c := range text {
		if c < '0' || c > '9' {
			ok = false
		}
		n = n*10 + int(c-'0')
	}
	if !ok || n < lo || n > hi {
		return 0, fmt.Errorf("%s is %s, want an integer from %d to %d", what, quote(text), lo, hi)
	}
	return n, nil
}

// largest is the largest number that number reads.
const largest = 999_999_999

// latin1 decodes ISO 8859-1: each byte is the code point of that number.
func latin1(text []byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// index maps the ids of a file to their places, in the order of the file.
type index struct {
	what  string
	place map[int]int32
}

func newIndex(what string) *index { return &index{what, map[int]int32{}} }

// add gives the next place to an id, which must be new.
func (x *index) add(text []byte) (int, error) {
	id, err := number(x.what+" id", text, 1, largest)
	if err != nil {
		return 0, err
	}
	if at, ok := x.place[id]; ok {
		return 0, fmt.Errorf("%s id %d is there twice, first as number %d", x.what, id, at+1)
	}
	x.place[id] = int32(len(x.place))
	return id, nil
}

// find returns the place of an id.
func (x *index) find(text []byte) (int32, error) {
	id, err := number(x.what+" id", text, 1, largest)
	if err != nil {
		return 0, err
	}
	at, ok := x.place[id]
	if !ok {
		return 0, fmt.Errorf("unknown %s id %d: it is not among the %d of the file of %ss", x.what, id, len(x.place), x.what)
	}
	return at, nil
}

// readUsers indexes the users of a file. The first of its five fields is the id.
func readUsers(read files, name, separator string) (*index, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	users := newIndex("user")
	err = lines(name, data, func(_ int, text []byte) error {
		fields, err := split(text, separator, 5)
		if err != nil {
			return err
		}
		_, err = users.add(fields[0])
		return err
	})
	return users, err
}

// readRatings reads user id, movie id, stars and time, one rating a line.
func readRatings(read files, name, separator string, users, movies *index) ([]Rating, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	ratings := make([]Rating, 0, bytes.Count(data, []byte("\n"))+1)
	err = lines(name, data, func(_ int, text []byte) error {
		fields, err := split(text, separator, 4)
		if err != nil {
			return err
		}
		var r Rating
		if r.User, err = users.find(fields[0]); err != nil {
			return err
		}
		if r.Movie, err = movies.find(fields[1]); err != nil {
			return err
		}
		stars, err := number("rating", fields[2], 1, 5)
		if err != nil {
			return err
		}
		if err := timestamp(fields[3]); err != nil {
			return err
		}
		r.Stars = uint8(stars)
		ratings = append(ratings, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ratings, unique(name, ratings, len(users.place), len(movies.place))
}

// timestamp checks the time of a rating, in seconds since 1970; it is not kept.
func timestamp(text []byte) error {
	ok := len(text) > 0 && len(text) <= 18
	for _, c := range text {
		ok = ok && c >= '0' && c <= '9'
	}
	if !ok {
		return fmt.Errorf("time is %s, want seconds since 1970", quote(text))
	}
	return nil
}

// unique refuses a second rating of a movie by a user. The error names the first line that repeats
// a rating.
func unique(name string, ratings []Rating, users, movies int) error {
	start := make([]int, users+1) // of each user's ratings in byUser
	for _, r := range ratings {
		start[r.User+1]++
	}
	for u := range users {
		start[u+1] += start[u]
	}
	byUser, next := make([]int, len(ratings)), append([]int(nil), start...)
	for i, r := range ratings {
		byUser[next[r.User]] = i
		next[r.User]++
	}
	seen := make([]int, movies) // 1 + the rating that was last seen of a movie
	repeat := -1
	var first int
	for u := range users {
		lo := start[u]
		for _, i := range byUser[lo:start[u+1]] {
			m := ratings[i].Movie
			if before := seen[m] - 1; before >= 0 && ratings[before].User == int32(u) && (repeat < 0 || i < repeat) {
				repeat, first = i, before
			}
			seen[m] = i + 1
		}
	}
	if repeat >= 0 {
		return fmt.Errorf("%s:%d: duplicate rating: the same user rated the same movie in line %d", name, repeat+1, first+1)
	}
	return nil
}
