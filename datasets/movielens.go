package datasets

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// MovieLens is one data set of ratings. It was checked when it was read: all indices are in range,
// and no user rated a movie twice.
type MovieLens struct {
	Name      string   // "MovieLens 100K", "MovieLens 1M", or SyntheticCaption
	Synthetic bool     // made up by Synthetic
	Source    string   // the folder that it was read from, or why it is synthetic
	Users     int      // number of users; a user is an index below it, in the order of their file
	Movies    []Movie  // in the order of their file
	Ratings   []Rating // in the order of their file
}

// Movie is one movie of a data set.
type Movie struct {
	ID     int    // as in the file; ids may have gaps
	Title  string // UTF-8, with the year in brackets, as in "Star Wars (1977)"
	Genres GenreSet
}

// Rating is one user's rating of one movie.
type Rating struct {
	User, Movie int32 // indices, into users and MovieLens.Movies
	Stars       uint8 // 1 to 5
}

// NumGenres is the number of genres in both data sets.
const NumGenres = 18

// genres has the order of both data sets' own lists. It leaves out "unknown", the first in the list
// of 100K, which says that nothing is known.
var genres = [NumGenres]string{
	"Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
	"Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
}

// Genres returns the names of the genres, in the order of the columns of Panel.Genres.
func Genres() []string { return slices.Clone(genres[:]) }

// GenreSet is the set of a movie's genres; bit i stands for the i-th of Genres. It is empty for the
// two movies of 100K whose only genre is "unknown". Their vector is zero, which a linear matroid
// calls a loop, so they are never recommended.
type GenreSet uint32

// Has reports whether the i-th genre is in the set.
func (g GenreSet) Has(i int) bool { return g>>i&1 == 1 }

// Len returns the number of genres in the set.
func (g GenreSet) Len() int { return bits.OnesCount32(uint32(g)) }

// String returns the genres' names, joined by commas.
func (g GenreSet) String() string {
	var names []string
	for i, name := range genres {
		if g.Has(i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Vector returns the set as a vector of NumGenres zeros and ones.
func (g GenreSet) Vector() []int {
	v := make([]int, NumGenres)
	for i := range v {
		v[i] = int(g >> i & 1)
	}
	return v
}

// Counts returns the number of ratings of each movie.
func (m *MovieLens) Counts() []int {
	counts := make([]int, len(m.Movies))
	for _, r := range m.Ratings {
		counts[r.Movie]++
	}
	return counts
}

// Caption returns the words for a figure's caption that say what data the figure was made from: the
// citation of real data, else SyntheticCaption.
func (m *MovieLens) Caption() string {
	if m.Synthetic {
		return SyntheticCaption
	}
	return m.Name + " (Harper and Konstan 2015)"
}

// Panel is what a bandit on movies needs, in plain slices: arm i is Movies[i], its vector
// Genres[i], its mean reward Weights[i]. In each round a user u is drawn uniformly, and arm i pays
// 1 if Rated[u][i], else 0.
type Panel struct {
	Name      string // of the data set
	Caption   string // MovieLens.Caption
	Synthetic bool
	Movies    []Movie // most ratings first, ties by ascending id
	Counts    []int   // ratings of each movie
	// Weights is Counts over the number of users of the whole data set, the paper's w-bar.
	Weights []float64
	Genres  [][]int  // movie x NumGenres, of 0 and 1
	Rated   [][]bool // user x movie
}

// Top returns the panel of the n movies with the most ratings, ties by ascending id, 1 <= n <=
// len(m.Movies). With n = 100 it is the choice of "Differentially private matroid bandits", Section
// 5.2. The vectors that the paper calls one-hot have a 1 for each of a movie's genres.
func (m *MovieLens) Top(n int) (*Panel, error) {
	if n < 1 || n > len(m.Movies) {
		return nil, fmt.Errorf("datasets: the top %d movies, want 1 to %d", n, len(m.Movies))
	}
	if m.Users < 1 {
		return nil, fmt.Errorf("datasets: MovieLens.Users = %d, want >= 1", m.Users)
	}
	counts := m.Counts()
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(m.Movies[a].ID, m.Movies[b].ID))
	})
	p := &Panel{
		Name: m.Name, Caption: m.Caption(), Synthetic: m.Synthetic,
		Movies: make([]Movie, n), Counts: make([]int, n), Weights: make([]float64, n), Genres: make([][]int, n), Rated: make([][]bool, m.Users),
	}
	arm := make([]int, len(counts)) // 1 + the arm of a movie; 0 if it is not in the panel
	for i, j := range order[:n] {
		arm[j] = i + 1
		p.Movies[i], p.Counts[i], p.Genres[i] = m.Movies[j], counts[j], m.Movies[j].Genres.Vector()
		p.Weights[i] = float64(counts[j]) / float64(m.Users)
	}
	cells := make([]bool, m.Users*n)
	for u := range p.Rated {
		p.Rated[u] = cells[u*n : (u+1)*n : (u+1)*n]
	}
	for _, r := range m.Ratings {
		if i := arm[r.Movie]; i > 0 {
			p.Rated[r.User][i-1] = true
		}
	}
	return p, nil
}
