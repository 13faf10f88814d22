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
//   - [UserLevels] says what a plan for one record is worth to users who have several.
//
// What a release costs is said by package account, which knows no plan. How much noise a budget
// allows:
//
//   - [GaussianMu], [ZCDP], [ConcentratedRho], [AmplifiedMu] and others say it in closed form.
//   - [Calibrate] finds the least noise by any accountant.
//
// How noise is drawn and data is taken in:
//
//   - [Noise] draws all private noise; [Ledger] lists what was drawn and compares it with a plan.
//   - [Statistic] is the half of a private learner that sees raw data.
//   - [Sums] and [Means] are the releases that the other half, the policy, reads.
//
// Read [Plan] first, then [Claim]. To write a mechanism, read [Statistic] and [Noise].
package privacy
