// Package slots holds learners that play several arms a round, an independent set of a matroid:
// notebook 02.
//
//   - [OMM]: UCB on a matroid; its private forms are DPUCB-MAT ([OMM.Private]) and [OMM.OverTree]
//   - [CTS]: Thompson sampling on a matroid; its private form is DPTS-MAT ([CTS.Private])
//   - [KLOSM]: KL-UCB on a matroid
//   - the same over clicks on lists, [tally.Cascade]: CascadeUCB1 and CascadeKL-UCB, private or not
//   - [CTSBeta]: Thompson sampling with Beta posteriors, not private
//
// Without a warm-up they play unseen arms first: an arm without an estimate has index +Inf, with
// ties to the lowest index. Each user shows the arms of one basis and no more. After at most L - K
// + 1 rounds, every arm that is in some basis has been played.
//
// With WarmUp there is a round 0 in which one user shows all L arms (line 2 of Algorithms 2 and 3
// of the matroid paper, and of Kveton et al.'s). She shows L weights where all others show K.
// tally.Tree, and tally.Blocks if Sound, add the noise for that, and she gets the same epsilon as
// all others. Over Blocks as published she gets L/K times that epsilon under Laplace noise, as the
// claim says.
//
// Read [OMM] first.
package slots
