// Package checks refuses what learners cannot handle: problems, records, tuning.
//
// Its errors begin with "learner:", as those of the learners do.
package checks
