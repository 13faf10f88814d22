// Package slots holds learners that play several arms a round, an independent set of a matroid:
// notebook 02.
//
//   - [OMM]: UCB on a matroid; [DPUCBMAT] and [CUCBTree] are its private forms
//   - [CTS]: Thompson sampling on a matroid; [DPTSMAT] is its private form
//   - [KLOSM]: KL-UCB on a matroid
//   - the same over clicks on lists, [tally.Cascade]: CascadeUCB1 and CascadeKL-UCB, private or not
//   - [CTSBeta]: Thompson sampling with Beta posteriors, not private
//
// Read [OMM] first.
package slots
