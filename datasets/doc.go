// Package datasets fetches, verifies, caches and reads the MovieLens data that the movie experiments run on: 100K (943 users, 1682 movies, 100,000
// ratings) and 1M (6040 users, 3883 movies, 1,000,209 ratings).
//
// The data are GroupLens' and are not part of this module. Load100K and Load1M look for them in a cache folder, the one that the environment
// variable DPBANDITS_DATA names by its absolute path, else the folder dpbandits in the user's cache folder, and download them from GroupLens when they are not there.
// The folder is laid out as the archives are, so that it may be one where they were unpacked by hand:
//
//	$DPBANDITS_DATA/ml-100k/u.data, u.item, u.user, u.genre
//	$DPBANDITS_DATA/ml-1m/ratings.dat, movies.dat, users.dat
//
// Nothing is written to it while the data are there. What is there is verified before it is read; what does not match is an error, never a guess.
//
// MovieLens.Top turns ratings into what a bandit on a matroid needs: the most rated movies, their genres as vectors, their mean weights, and who
// rated what.
//
// The terms of GroupLens, in short: research only, no commercial use and no redistribution without its permission, no claim of its endorsement, and
// this citation in what is published: F. Maxwell Harper and Joseph A. Konstan, The MovieLens Datasets: History and Context, ACM Transactions on
// Interactive Intelligent Systems 5(4), Article 19, 2015, doi:10.1145/2827872. The README of each archive has them in full.
package datasets
