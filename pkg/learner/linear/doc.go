// Package linear holds learners whose rewards are linear in contexts that they see: notebook 03.
//
//   - [UCB]: LinUCB (Shariff and Sheffet 2018, Algorithm 1). Over exact sums it is not private;
//     over continual.Tree or another accumulator it is jointly private.
//   - [Logistic]: UCB for logistic rewards, by LinUCB on weighted rows.
//   - [Weighted]: information-weighted regression with elimination, over sums of batches.
//   - [CoreSet]: elimination by core sets, for finitely many arms that stay the same;
//     [CoreSet.Private] and [CoreSet.AsPublished] make it.
//   - [AdaCGOPE]: elimination by G-optimal designs, likewise, with noise that depends on no core
//     set.
//   - [UCB.AdaCOFUL]: LinUCB for public contexts and private rewards.
//   - [Theory]: the regret bounds of LinUCB, and the best shift.
//
// Read [UCB] first. A policy of your own gives [ByIndex] another index than the sum of mean and
// width; one that is no formula embeds a [UCBRule].
package linear
