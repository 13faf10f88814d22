// Package arms holds the learners of the multi-armed bandit: one arm a round, no contexts.
//
// A learner is a policy, which chooses arms by estimates, over a statistic of package mechanism,
// which makes the estimates of rewards and decides the privacy. learner.New combines the two, and
// so do a policy's methods, as its paper does: Learner without privacy, Private in the central
// model, Local in the local one. They keep its tuning. Rewards are in [RewardMin, RewardMax] of the
// problem; a private statistic clips and counts those that are not. Policies rescale estimates to
// [0, 1], which noise may leave. An arm that was not seen yet is played first, and ties go to the
// lowest index.
//
// To write one, give [ByIndex] a formula for what a round chooses by, as [BoltzmannGumbel] does in
// a short file; .github/CONTRIBUTING.md has the steps. Where that is too slow, or no formula, have
// Prepare return prepare(...), which refuses the problems of other packages, and embed a base in
// the policy's rule: leader if the choice changes with the estimates alone, told if it changes in
// each round, as in [LazyUCB], pair if it plays a leader or a challenger, bets if it is for
// adversarial rewards and draws arms by probabilities. Each says in its comment (go doc -u) what a
// device is told.
//
// Not private, over exact means:
//
//   - [UCB1]: mean plus sqrt(2 ln t/n)
//   - [KLUCB]: the largest mean that the data does not rule out
//   - [IMED]: the least evidence against being the best
//   - [Thompson]: a draw from a Beta posterior
//   - [SuccessiveElimination]: all arms in turn, until they are ruled out
//
// Private in the central model, one reward replaced. Most read batches of rewards, each of
// which is released once, so that a reward is in one release; the last three do not:
//
//   - [DPElimination]: successive elimination, a batch of each arm an epoch
//   - [AdaPUCB], [AdaPKLUCB]: UCB and KL-UCB by an arm's last batch
//   - [AdaCUCB]: the same under Gaussian noise
//   - [LazyUCB], [LazyThompson]: UCB and Thompson sampling by an arm's last batch, every round anew
//   - [KLUCB.Private], [IMED.Private]: KL-UCB and IMED for the divergence d_eps, by all batches of
//     an arm
//   - [TargetIMED]: the latter, which explores first, as long as the horizon needs, our own
//   - [BoltzmannGumbel]: the mean plus a Gumbel draw over sqrt(n), by all blocks of an arm
//   - [SequentialHalving]: finds the best arm in a given number of rounds
//   - [AdaPTT]: finds the best arm with a given confidence, and stops, by an arm's last batch
//   - [TopTwo]: the same by all batches, the sooner of the two
//   - [GaussianThompson]: Thompson sampling whose own draws are the noise
//   - [GaussianThompson.Limited]: the same with a limited number of draws of each mean, then the
//     largest
//   - [DPUCB]: UCB by a mean that is released after each reward
//
// For rewards that an adversary has fixed, which need follow no law, not private but for the last:
//
//   - [EXP3]: exponential weights
//   - [EXP3IX]: the same with implicit exploration
//   - [TsallisINF]: optimal there, and for rewards of a law
//   - [HTINF]: the same over noisy means of batches, central model, one reward replaced
//
// Private in the local model, one user's reward replaced:
//
//   - [KLUCB.Local]: KL-UCB by randomised bits
//   - [TopTwo.Local]: finds the best arm with a given confidence, and stops
//
// Package catalogue lists all of them, each with its paper's constants.
//
// Lower bounds on the regret, as functions of the round, to draw beside a curve:
//
//   - [DEpsBound]: under epsilon-DP, by the divergence [DEps]
//   - [BestArmBound]: on the rounds until the best arm is named, not on regret
//
// Read [UCB1] first, then [AdaPUCB], and [IMED.Private] for the best known.
package arms
