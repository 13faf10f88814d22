// Package mechanism releases statistics of private records under calibrated noise, one type per
// mechanism.
//
// A mechanism is a plain value that describes: fill in its fields. Open validates and calibrates
// it; what it returns never changes. Start begins a run with its noise: add records and read the
// release. [SecureGaussian], [SecureLaplace] and continual.SecureTree bring their own noise. The
// method Plan states what the release reveals, and privacy.ClaimOf turns that into a claim.
//
// This package has the mechanisms that release one vector, choice or answer:
//
//   - [Laplace], [VectorGaussian]: a vector under continuous noise, for research.
//   - [SecureLaplace], [SecureGaussian]: sums of vectors under discrete noise, for deployment.
//   - [TopK]: the K candidates with the largest noisy scores.
//   - [Stopping]: the mean of a stream of numbers, from as few of them as it can.
//   - [SparseVector]: which queries of a stream are above a threshold.
//   - [RandomisedResponse]: a user's answer, randomised on the user's own device.
//
// What learners read is below it:
//
//   - continual: running sums of rows and of vectors, over trees and other factorisations
//   - tally: mean rewards of arms
//   - episodes: sparse linear models, once an episode of rounds
//
// Read [Laplace] first if you are new to privacy, continual.Tree with continual.Gaussian if you
// come for linear bandits, and tally.Blocks if you come for arms.
package mechanism
