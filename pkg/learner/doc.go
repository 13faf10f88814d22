// Package learner says what a private learner is made of, and wraps finished ones.
//
// In the central and the joint model, a learner is a [Policy] over a statistic of package
// mechanism. [New] combines the two into a [Private], and the statistic decides the privacy.
//
// In the local and the shuffle model, a learner is a [Local]: a [Device], a [Server] and perhaps a
// [Shuffler] between them, [Uniform] or [BitSum].
//
// The learners themselves are in a package for each kind of problem:
//
//   - linear: LinUCB and its kin, notebook 03
//   - local: linear learners on devices and servers, notebook 01
//   - slots: several arms a round, on a matroid, notebook 02
//   - sparse: contexts of many coordinates of which few matter, notebook 04
//   - arms: K arms without contexts, notebook 05
//
// [Random] plays any arm, to compare with.
//
// Wrappers change a finished learner.
//
//   - [Metered]: stops, or freezes, a learner when its budget is spent
//   - [Delayed]: has the rewards come late
//   - [Kernel]: has a linear learner learn functions that are not linear
//   - [RandomisedAction]: makes actions private towards their own users too
//
// # A learner of your own
//
// Without privacy it is two types and three methods: a struct of tuning, whose Open sees the
// problem, and a struct of state with Select and Update, which is made for each run. See
// bandit.Learner and its example.
//
// A private one is a policy and its rule, as Optimist is in this package's examples. They read a
// statistic of package mechanism or below, [New] joins the two, and the claim is the statistic's. A
// variant of LinUCB embeds linear.UCB, and its rule linear.UCBRule; they override what differs, as
// greedy.go in notebooks/own does in a file and notebooks/evidence/00-rule-and-noise in a cell.
// linear.UCBRule.Learn says what a rule is told.
//
// A program that races it can be any folder of the checkout (mine/main.go, then go run ./mine), or
// a module of its own (notebooks/evidence/06-module), which draws figures if the environment
// variable DPBANDITS_ROOT names the checkout. A program of any language is a learner as well: see
// package external. simulate.Watch records what a learner chooses by, the index, estimate and width
// of each arm, and charts.Inside draws it round by round.
//
// A rule that is an [Explainer] shows what it chooses by, and one that is an [Encoder] says what
// the statistic takes in. Package catalogue lists all learners. Read [Policy] and [Private] first,
// then linear.UCB; for the local model read [Local], then local.LDPDevice.
//
// To add a learner, write a formula for arms.ByIndex or linear.ByIndex, and an entry of the
// catalogue, as .github/CONTRIBUTING.md says step by step.
package learner
