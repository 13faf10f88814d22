package datasets_test

import (
	"context"
	"fmt"

	"github.com/dpbandits/dpbandits/datasets"
)

// The three most rated movies: of MovieLens 100K, or of the stand-in where that cannot be had; the
// caption says which.
func ExampleLoadOrSynthetic() {
	m, err := datasets.LoadOrSynthetic(context.Background(), datasets.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	top, err := m.Top(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(top.Caption)
	for i, movie := range top.Movies {
		fmt.Printf("%-25s %.3f  %v\n", movie.Title, top.Weights[i], movie.Genres)
	}
}

func ExampleSynthetic() {
	m := datasets.Synthetic()
	fmt.Println(m.Caption())
	fmt.Println(m.Users, "users,", len(m.Movies), "movies,", len(m.Ratings), "ratings")
	top, err := m.Top(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, movie := range top.Movies {
		fmt.Printf("%s: rated by %d of %d users, weight %.3f\n", movie.Title, top.Counts[i], len(top.Rated), top.Weights[i])
	}
	// Output:
	// synthetic stand-in, not MovieLens
	// 943 users, 1682 movies, 100000 ratings
	// Synthetic movie 1: rated by 583 of 943 users, weight 0.618
	// Synthetic movie 2: rated by 525 of 943 users, weight 0.557
}

func ExampleGenreSet() {
	var g datasets.GenreSet
	for i, name := range datasets.Genres() {
		if name == "Comedy" || name == "War" {
			g |= 1 << i
		}
	}
	fmt.Println(g, g.Len())
	fmt.Println(g.Vector())
	// Output:
	// Comedy, War 2
	// [0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 1 0]
}
