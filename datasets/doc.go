// Package datasets reads data for experiments: files of one's own, and MovieLens.
//
// Data of one's own:
//
//   - [Schema]: what the columns of a CSV file mean; it reads the file row by row, or at once
//   - [Table]: the columns, for environment.Labelled, and for package offpolicy by [Table.Log]
//
// A row that does not fit the schema is an error that names its line. Package parquet, below this
// one, reads Parquet by the same schemas.
//
// What becomes of them:
//
//   - Labelled data become a bandit, environment.Labelled: the example plays LinUCB on a file.
//   - A log with propensities says what a policy would have earned, and how surely: package
//     offpolicy.
//   - User ids say what epsilon for a record is worth to somebody with many: the method UserLevels
//     of a privacy.Plan.
//   - Where rewards come late, learner.Delayed has a learner wait.
//
// The MovieLens data of the movie experiments, 100K (943 users, 1682 movies, 100,000 ratings) and
// 1M (6040 users, 3883 movies, 1,000,209 ratings), are fetched, verified and cached:
//
//   - [Load100K], [Load1M]: read a data set from the cache, or download it
//   - [Load], [Choice]: the one of them that an environment variable names
//   - [LoadOrSynthetic], [Synthetic]: a made-up stand-in where the data are unavailable
//   - [Read100K], [Read1M]: read files in the same formats
//   - [MovieLens], [Movie], [Rating], [GenreSet]: a data set
//   - [Panel]: what a bandit needs of it; [MovieLens.Top] makes one
//   - [Options], [Dir], [Variable]: where the cache is, and whether to use the network
//
// The data belong to GroupLens and are not part of this module. Load100K and Load1M look for them
// in a cache folder, and download them from GroupLens if they are not there. The cache folder is
// the absolute path in the environment variable DPBANDITS_DATA, or else the folder dpbandits in the
// user's cache folder. It has the layout of the archives, so it may be a folder where they were
// unpacked by hand:
//
//	$DPBANDITS_DATA/ml-100k/u.data, u.item, u.user, u.genre
//	$DPBANDITS_DATA/ml-1m/ratings.dat, movies.dat, users.dat
//
// If the data are there, nothing is written to the folder. All data are verified before they are
// read, and data that do not match are an error.
//
// The terms of GroupLens, in short: research only, no commercial use and no redistribution without
// its permission, no claim of its endorsement. Publications must cite F. Maxwell Harper and Joseph
// A. Konstan, The MovieLens Datasets: History and Context, ACM Transactions on Interactive
// Intelligent Systems 5(4), Article 19, 2015, doi:10.1145/2827872. The README of each archive has
// the terms in full.
//
// Read [Schema] first, or for MovieLens [LoadOrSynthetic] and [Panel].
package datasets
