// Package episodes releases statistics of sparse linear models, once an episode of rounds.
//
//   - [SparseEpisodes], [SparseEstimate]: the coordinates that matter, and the regression on them.
//   - [TopScores]: the coordinates that matter alone, by [Signs] or [Correlations].
//   - [NoisyIHT]: an estimate of all coordinates, by noisy iterative hard thresholding.
//   - [ThresholdedLasso]: the coordinates of a LASSO by sparse vector, as printed: not private.
//
// Read [SparseEpisodes] first.
package episodes
