// Package account says what noisy releases cost, as an epsilon at a delta. Logarithms are natural.
//
//   - [Event] describes releases: [GaussianEvent], [LaplaceEvent], ...; [Sequence], [Repeat],
//     [Parallel] and [GroupEvent] compose them.
//   - [Accountant] turns an event into epsilon or delta: [GDP] (exact for Gaussian noise), [PLD],
//     [Renyi], [Concentrated], [Advanced] and [Pure]. [Tightest] takes the best of them.
//   - [GaussianEpsilon], [ConcentratedEpsilon], [OptimalEpsilon] and others are closed forms.
//   - [Odometer] stops a run of adaptively chosen releases before it exceeds its budget.
//
// Package privacy makes events of plans, and says how much noise a budget allows.
//
// Read [Event] first, then [Tightest].
package account
