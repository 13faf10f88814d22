// Package privacy states, accounts for and checks privacy guarantees of mechanisms and learners.
// Logarithms are natural.
//
// What a mechanism promises:
//
//   - [Budget] is an (epsilon, delta) pair.
//   - [Neighbours], [Model] and [Scope] say whom a guarantee protects, from whom, in which outputs.
//   - [Plan] lists the noisy releases that one record can move; [Release] and [Law] describe them.
//   - [Claim] is the guarantee that follows from a plan; [ClaimOf] and [PlanOf] ask for it.
//   - [Compose] joins the plans of several mechanisms that see the same records.
//   - [Plan.UserLevels] says what a plan for one record is worth to users who have several.
//
// What a release costs is said by package account, which knows no plan. How much noise a budget
// allows:
//
//   - [Budget.GaussianMu], [Budget.ZCDP], [Budget.ConcentratedRho], [Budget.AmplifiedMu] and others
//     say it in closed form.
//   - [Budget.Calibrate] finds the least noise by any accountant.
//
// How noise is drawn and data is taken in:
//
//   - [Noise] draws all private noise; [Ledger] lists what was drawn and compares it with a plan.
//   - [Statistic] is the half of a private learner that sees raw data.
//   - [Sums] and [Means] are the releases that the other half, the policy, reads.
//
// # What a claim says
//
// It says what is proved, beside what was asked for, for a stated trust model, neighbouring
// relation and event. [Joint] privacy protects a user from all the others: her own action may
// depend on her own context.
//
// It says what it is computed from. Nobody writes a claim. A mechanism has a plan: which numbers a
// record moves, by how much, and under which noise. The event, epsilon, and what a part of a run
// has spent follow from that. The plan is the mechanism's own: a type that embeds a private
// learner, and changes what it plays, has the learner's methods and claims nothing.
//
// It says who vouches for it ([Standing]). A claim is proved where all plans are the toolkit's,
// whose tests and audits exercise them. What a statistic, device or rule of yours says of itself is
// stated by its author; package privacytest looks for what is not true of it. A plan that you write
// by hand for a whole learner is asserted, not checked. Claims and tables say which. Only the
// toolkit's own shufflers amplify, and only its own discrete samplers are fit for deployment.
//
// It says which calibration the noise has ([Calibration]). Sound, the default, adds noise that is
// proved enough, as tight as accounting allows. AsPublished is a paper's formula to the letter, and
// Given are numbers of your own, such as those that its authors ran where they differ; both are
// there to reproduce figures, and their claims say what that noise really buys.
//
// It says under which conditions it holds, and for whom. Mechanisms clip what they are given, and
// count it. A user with many records is not covered by a claim about one, but by the one that
// [Plan.ForUsers] makes of it.
//
// Three things check it. Accountants, from basic composition to privacy loss distributions with
// bounds on both sides, say what an event costs, or refuse it. The source of the noise writes a
// [Ledger] of what is drawn from it, and every trial of a simulation ends by comparing that with
// the plan. Package audit plays mechanisms and learners on neighbouring data, thousands of times,
// and reports the largest epsilon that the evidence excludes.
//
// Read [Plan] first, then [Claim]. To write a mechanism, read [Statistic] and [Noise].
package privacy
