// Package simulate runs bandit experiments: several policies on the same contexts, over many
// trials in parallel.
//
//   - [Experiment], [Policy]: what to run; [Experiment.Run] and [RunAll] run it
//   - [Prepared], [Record]: an experiment's trials one by one, on machines of your own, and reduced
//   - [Store], [Shard]: finished trials in a directory for several machines; a part of a run
//   - [Sweep]: an experiment at each value of a parameter; [Play]: one trial, round by round
//   - [Watch], [Watched]: what a learner chooses by in a trial, arm by arm
//   - [Trials], [Sample]: trials of a game of your own
//   - Experiment.FastForward: jumps over the rounds of a batch, for long horizons
//   - [Result], [PolicyResult], [Curve]: the regret, trial by trial and summarised
//   - [Table], [ReadCSV]: a result in the form in which it is published
//   - [Provenance], [Version], [Program]: where a result comes from
//   - [Slope], [LogLogSlope]: the exponent of a power law
//   - [LinearGrid], [LogGrid]: the rounds that a curve keeps
//   - [Progress], [Status], [NewTerminal]: how far a run is
//   - [TrialError]: why a trial failed
//
// Trials are reduced in trial order, so the numbers do not depend on the number of workers. A long
// run shows its progress, stops when its context is cancelled, and resumes from its checkpoint with
// exactly the numbers of an uninterrupted run.
//
// The streams of a trial come from [random.New] by name: "contexts" for the environment, "rewards"
// for the rewards, and "learner/" and "noise/" followed by the policy's name. Each policy has its
// own copy of the same stream of rewards (common random numbers). So the results of a policy do not
// depend on which other policies run beside it, or in what order.
//
// A learner that wants a warm-up (bandit.Warmer) gets one before round 1, with rewards from the
// stream "warm-up" that are the same for all such learners. It changes nothing in rounds 1, 2, ...,
// and its regret is not counted.
//
// # Results elsewhere
//
// [Result.WriteCSV], and WriteResult of package datasets/parquet, write every trial in long form,
// for pandas and others; a result's [Table] has the curves. charts.Save draws a figure of them for
// one column of a paper, as PDF, SVG or PNG, and charts.Inside what Watch has kept.
//
// Read [Experiment] first, then [Result].
package simulate
