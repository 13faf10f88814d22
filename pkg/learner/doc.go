// Package learner holds the bandit learners: private and non-private, linear and on matroids.
//
// In the central and the joint model, a learner is a [Policy] over a statistic of package
// mechanism. [New] combines the two into a [Private], and the statistic decides the privacy.
//
//   - [LinUCB]: linear contextual UCB, jointly private over a tree
//   - [SparseJDP]: greedy on the few coordinates that matter, jointly private over episodes;
//     [NewSparseJDP], [SparseJDPTuned] and [SparseJDPPlain] are its recipes
//   - [FLIPHAT]: greedy on noisy iterative hard thresholding, its rival
//   - [PrivateThresholdedLasso]: a LASSO and sparse vector as printed, whose privacy does not hold
//   - [CoreSet]: elimination by core sets, for finitely many arms that stay the same
//   - [OMM]: UCB on a matroid; [DPUCBMAT] and [CUCBTree] are its private forms
//   - [CTS]: Thompson sampling on a matroid; [DPTSMAT] is its private form
//   - [KLOSM]: KL-UCB on a matroid
//   - [CTSBeta]: Thompson sampling with Beta posteriors, not private
//   - [Random]: any arm, to compare with
//
// For many dimensions of which few matter, none of them private:
//
//   - [ThresholdedLasso]: least squares on the coordinates that two thresholds leave of a LASSO
//   - [SparsityAgnostic]: greedy by a LASSO
//   - [LassoBandit]: a LASSO with forced rounds
//   - [DoublyRobustLasso]: a LASSO of pseudo-rewards for the mean of all arms
//   - [SupportOracle]: ridge regression that is told which coordinates matter
//
// [NewSparseBits] makes a local learner for many dimensions, of one bit a user.
//
// In the local and the shuffle model, a learner is a [Local]: a [Device], a [Server] and perhaps a
// [Shuffler] between them.
//
//   - [LDPDevice], [LDPServer], [LDPNoise]: locally private LinUCB
//   - [OnlineDevice], [OnlineServer], [OnlineNoise]: the same from an online learner's predictions
//   - [Anytime]: a server that needs no horizon, by doubling
//   - [NewCombiner], [Combine]: several base learners combined by their regret bounds
//   - [NewShuffleAmplified], [AmplifiedNoise]: shuffle LinUCB by amplification
//   - [NewShuffleVectorSum], [VectorSum]: shuffle LinUCB by sums of bits
//   - [Uniform], [BitSum]: the shufflers
//
// Wrappers change a finished learner.
//
//   - [Metered]: stops, or freezes, a learner when its budget is spent
//   - [Delayed]: has the rewards come late
//   - [RandomisedAction]: makes actions private towards their own users too
//
// A rule that is an [Explainer] shows what it chooses by, as all of these do but [Random].
//
// [LinearCatalogue] and [SlotsCatalogue] list learners for a race at equal privacy.
//
// [Theory] computes the regret bounds of LinUCB. Read [Policy] and [Private] first, then [LinUCB];
// for the local model read [Local] and [LDPDevice].
package learner
