// Package tally releases the mean weight of each arm under noise.
//
//   - [Counts]: the exact mean, without noise or privacy.
//   - [Blocks]: the mean of a block of observations once the block is full.
//   - [Batches]: the same, of batches that a policy may set the lengths of, or of all of them.
//   - [RoundBatches]: the mean of each arm that was played in a batch of rounds.
//   - [Cascade]: of those who looked at an arm in a list, the share that clicked it.
//   - [Tree]: the mean of all observations after each of them.
//   - [Hybrid]: the same, whatever the horizon.
//   - [PosteriorDraws]: a draw of each arm's mean in each round, as Thompson sampling makes it.
//   - [LimitedDraws]: a limited number of draws of the mean of an arm's last epoch, as DP-TS-UCB
//     makes them, and then the largest.
//   - [Response]: the mean of randomised bits, private in the local model.
//
// A statistic that is not a mean, such as a trimmed one:
//
//   - [Additive]: the answer of a [Query] of your own to each batch of rounds, under noise.
//
// The normal equations of least squares, for a linear model of public contexts:
//
//   - [Regression]: those of each batch of rounds, under noise of their own shape.
//
// Read [Blocks] first.
package tally
