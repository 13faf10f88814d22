// Package sparse holds learners for contexts of many coordinates of which few matter: notebook 04.
//
// Private:
//
//   - [SparseJDP]: greedy on the few coordinates that matter, jointly private over episodes;
//     [SparseJDP.Private], [SparseJDP.Tuned] and [SparseJDP.Plain] are its recipes
//   - [FLIPHAT]: greedy on noisy iterative hard thresholding, its rival
//   - [PrivateThresholdedLasso]: a LASSO and sparse vector as printed, whose privacy does not hold
//   - [SparseBits]: a local learner of one bit a user
//
// Not private:
//
//   - [ThresholdedLasso]: least squares on the coordinates that two thresholds leave of a LASSO
//   - [SparsityAgnostic]: greedy by a LASSO
//   - [LassoBandit]: a LASSO with forced rounds
//   - [DoublyRobustLasso]: a LASSO of pseudo-rewards for the mean of all arms
//   - [SupportOracle]: ridge regression that is told which coordinates matter
//
// Read [ThresholdedLasso] and [SparseJDP] first.
package sparse
