package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// SyntheticCaption marks synthetic data. A figure made from such data has it in its caption.
const SyntheticCaption = "synthetic stand-in, not MovieLens"

// The stand-in shares with MovieLens 100K, from what is published of it, the numbers of users,
// movies, ratings and genres, the largest numbers of ratings of a user and of a movie, and how
// often each number of stars and each genre occurs. The smallest numbers of ratings, 20 and 1, are
// only limits of the formulas.
const (
	syntheticUsers, syntheticMovies, syntheticRatings = 943, 1682, 100_000

	mostOfUser, leastOfUser   = 737, 20
	mostOfMovie, leastOfMovie = 583, 1
	userShape, movieShape     = 0.54, 0.50
	documentary               = 6
	headWithoutDocumentaries  = 100
	syntheticSeed             = 3 // the first whose genres have the rank of the original
)

var (
	syntheticStars  = [5]int{6110, 11370, 27145, 34174, 21201}
	syntheticGenres = [NumGenres]int{251, 135, 42, 122, 505, 109, 50, 725, 22, 24, 92, 56, 61, 247, 101, 251, 71, 27}
)

// Synthetic returns a made-up data set with the size and the marginals of MovieLens 100K, for those
// who have no access to the original. It is the same at each call, and none of its ratings is real.
//
// Movie number r by popularity has 1 + 582 exp(-((r-1)/s)^0.5) ratings, and user number r by
// activity has 20 + 717 exp(-((r-1)/s)^0.54), with each s such that there are 100,000 ratings. So
// the largest counts are the original's (583 of a movie, 737 of a user). The smallest are not: they
// are 9 and 32, in the original 1 and 20.
//
// Who rated what is uniform among all data with these marginals, as nearly as two million random
// exchanges make it. So it has no tastes, and cannot stand in for the original where they matter.
// Stars and genres occur as often as in the original. They are drawn without regard to movies'
// popularity, except that, as in the original, no documentary is among the first hundred. The rank
// of the genres of Top(100) is 17 in both.
func Synthetic() *MovieLens {
	rng := rand.New(rand.NewPCG(syntheticSeed, 0))
	perMovie := stretched(syntheticMovies, mostOfMovie, leastOfMovie, movieShape)
	perUser := stretched(syntheticUsers, mostOfUser, leastOfUser, userShape)
	rng.Shuffle(len(perUser), func(i, j int) { perUser[i], perUser[j] = perUser[j], perUser[i] })
	m := &MovieLens{Name: SyntheticCaption, Synthetic: true, Source: "made up by datasets.Synthetic", Users: syntheticUsers}
	for i, set := range drawGenres(rng) {
		m.Movies = append(m.Movies, Movie{ID: i + 1, Title: fmt.Sprintf("Synthetic movie %d", i+1), Genres: set})
	}
	m.Ratings = pair(perUser, perMovie)
	exchange(m.Ratings, rng)
	rng.Shuffle(len(m.Ratings), func(i, j int) { m.Ratings[i], m.Ratings[j] = m.Ratings[j], m.Ratings[i] })
	i := 0
	for stars, count := range syntheticStars {
		for range count {
			m.Ratings[i].Stars = uint8(stars + 1)
			i++
		}
	}
	rng.Shuffle(len(m.Ratings), func(i, j int) {
		m.Ratings[i].Stars, m.Ratings[j].Stars = m.Ratings[j].Stars, m.Ratings[i].Stars
	})
	return m
}

// stretched returns n counts that sum to syntheticRatings and descend, as a stretched exponential
// of the given shape, from most to nearly least.
func stretched(n, most, least int, shape float64) []int {
	counts := make([]int, n)
	fill := func(scale float64) (sum int) {
		for r := range counts {
			counts[r] = least + int(math.Round(float64(most-least)*math.Exp(-math.Pow(float64(r)/scale, shape))))
			sum += counts[r]
		}
		return sum
	}
	lo, hi := 1e-3, 1e6
	for range 60 {
		if mid := math.Sqrt(lo * hi); fill(mid) <= syntheticRatings {
			lo = mid
		} else {
			hi = mid
		}
	}
	// The rest from rounding goes to the first counts that stay at most equal to the one before.
	for sum := fill(lo); sum < syntheticRatings; {
		for r := 1; r < n && sum < syntheticRatings; r++ {
			if counts[r] < counts[r-1] {
				counts[r]++
				sum++
			}
		}
	}
	return counts
}

// drawGenres gives each movie a genre, and then the remaining genres to movies that lack them.
func drawGenres(rng *rand.Rand) []GenreSet {
	var deck []int
	for g, count := range syntheticGenres {
		for range count {
			deck = append(deck, g)
		}
	}
	rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	// No documentary is among the most popular movies: one found there changes places with the next
	// other genre behind them.
	next := headWithoutDocumentaries
	for i := range headWithoutDocumentaries {
		if deck[i] == documentary {
			for deck[next] == documentary {
				next++
			}
			deck[i], deck[next] = deck[next], deck[i]
		}
	}
	sets := make([]GenreSet, syntheticMovies)
	for i, g := range deck {
		movie := i
		for i >= syntheticMovies { // genres left after one for each movie
			movie = rng.IntN(syntheticMovies)
			if !sets[movie].Has(g) && (g != documentary || movie >= headWithoutDocumentaries) {
				break
			}
		}
		sets[movie] |= 1 << g
	}
	return sets
}

// pair makes the ratings: each movie, the most popular first, is rated by the users who have the
// most ratings left to give. So all ratings are given (Gale 1957, Ryser 1957).
func pair(perUser, perMovie []int) []Rating {
	left := slices.Clone(perUser)
	order := make([]int, len(left))
	for i := range order {
		order[i] = i
	}
	var ratings []Rating
	for movie, count := range perMovie {
		slices.SortStableFunc(order, func(a, b int) int { return left[b] - left[a] })
		for _, user := range order[:count] {
			left[user]--
			ratings = append(ratings, Rating{User: int32(user), Movie: int32(movie)})
		}
	}
	return ratings
}

// exchange takes two random ratings, twenty times as often as there are ratings, and exchanges
// their movies if neither user has the other's movie yet.
func exchange(ratings []Rating, rng *rand.Rand) {
	rated := make([]bool, syntheticUsers*syntheticMovies)
	at := func(user, movie int32) *bool { return &rated[int(user)*syntheticMovies+int(movie)] }
	for _, r := range ratings {
		*at(r.User, r.Movie) = true
	}
	for range 20 * len(ratings) {
		a, b := &ratings[rng.IntN(len(ratings))], &ratings[rng.IntN(len(ratings))]
		if *at(a.User, b.Movie) || *at(b.User, a.Movie) {
			continue
		}
		*at(a.User, a.Movie), *at(b.User, b.Movie) = false, false
		a.Movie, b.Movie = b.Movie, a.Movie
		*at(a.User, a.Movie), *at(b.User, b.Movie) = true, true
	}
}
