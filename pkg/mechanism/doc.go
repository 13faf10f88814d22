// Package mechanism releases statistics of private records under calibrated noise, one type per
// mechanism.
//
// A mechanism is a plain value that describes: fill in its fields. Open validates and calibrates
// it; what it returns never changes. Start begins a run with its noise: add records and read the
// release. [SecureGaussian], [SecureLaplace] and [SecureTree] bring their own noise. The method
// Plan states what the release reveals, and privacy.ClaimOf turns that into a claim.
//
// Accumulators release running sums of row row^T, the only data that a private LinUCB reads:
//
//   - [Exact]: the sum itself, without noise or privacy.
//   - [Tree]: the binary tree mechanism, with noise on each node.
//   - [PanPrivateTree]: the same release, from a memory that holds no raw data.
//   - [SecureTree]: a tree whose noise is fit for deployment.
//   - [BLT]: correlated Gaussian noise, the least for its cost.
//   - [SquareRoot]: the yardstick of BLT, which keeps the noise of every row.
//   - [Honaker]: a tree of which each node is estimated from all nodes below it.
//
// The noise of a node of [Tree] or [PanPrivateTree] is a [NodeNoise]:
//
//   - [Gaussian]: symmetric Gaussian noise.
//   - [Wishart]: positive definite noise.
//
// Running sums of vectors, the only data that DP-FTRL reads:
//
//   - [VectorExact]: the sum itself, without noise or privacy.
//   - [VectorTree]: the binary tree mechanism, with Laplace or Gaussian noise.
//   - [VectorBLT], [VectorSquareRoot]: correlated Gaussian noise.
//
// Tallies release the mean weight of each arm of a semi-bandit:
//
//   - [Counts]: the exact mean, without noise or privacy.
//   - [Blocks]: the mean of a block of observations once the block is full.
//   - [Batches]: the same, of batches that a policy may set the lengths of, or of all of them.
//   - [RoundBatches]: the mean of each arm that was played in a batch of rounds.
//   - [TreeTally]: the mean of all observations after each of them.
//   - [HybridTally]: the same, whatever the horizon.
//   - [PosteriorDraws]: a draw of each arm's mean in each round, as Thompson sampling makes it.
//   - [ResponseTally]: the mean of randomised bits, private in the local model.
//
// A statistic that is neither a sum nor a tally, such as a trimmed mean:
//
//   - [Additive]: the answer of a [Query] of your own to each batch of rounds, under noise.
//
// Statistics of sparse linear models release once an episode of rounds:
//
//   - [SparseEpisodes], [SparseEstimate]: the coordinates that matter, and the regression on them.
//   - [TopScores]: the coordinates that matter alone, by [Signs] or [Correlations].
//   - [NoisyIHT]: an estimate of all coordinates, by noisy iterative hard thresholding.
//   - [ThresholdedLasso]: the coordinates of a LASSO by sparse vector, as printed: not private.
//
// One-shot mechanisms release vectors, choices and answers:
//
//   - [Laplace], [VectorGaussian]: a vector under continuous noise, for research.
//   - [SecureLaplace], [SecureGaussian]: sums of vectors under discrete noise, for deployment.
//   - [TopK]: the K candidates with the largest noisy scores.
//   - [Stopping]: the mean of a stream of numbers, from as few of them as it can.
//   - [SparseVector]: which queries of a stream are above a threshold.
//   - [RandomisedResponse]: a user's answer, randomised on the user's own device.
//
// Read [Laplace] first if you are new to privacy, [Tree] with [Gaussian] if you come for linear
// bandits, and [Blocks] if you come for semi-bandits.
package mechanism
