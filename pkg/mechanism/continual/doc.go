// Package continual releases running sums under noise, once a round.
//
// Accumulators release running sums of row row^T, the only data that a private LinUCB reads:
//
//   - [Exact]: the sum itself, without noise or privacy.
//   - [Tree]: the binary tree mechanism, with noise on each node.
//   - [PanPrivateTree]: the same release, from a memory that holds no raw data.
//   - [SecureTree]: a tree whose noise is fit for deployment.
//   - [BLT]: correlated Gaussian noise, the least for its cost.
//   - [SquareRoot]: the yardstick of BLT, which keeps the noise of every row.
//   - [Seldom]: BLT for few releases, the least noise where LinUCB reads older sums as well.
//   - [Unbounded]: correlated Gaussian noise for a stream of any length, released seldom.
//   - [PublicContexts]: sums of rows whose contexts are public, of which the rewards alone get
//     noise.
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
// Sums of batches of vectors, the only data that linear.Weighted reads: [VectorBatches].
//
// All noise but SecureTree's is for research. Sums round, too: those of n rows of two neighbours
// may be about n^2 2^-55 of a row's square further apart than in exact arithmetic. That is a share
// of 3e-5 for a million rows and 0.1 for 6e7, and no claim counts it.
//
// Read [Tree] with [Gaussian] first.
package continual
