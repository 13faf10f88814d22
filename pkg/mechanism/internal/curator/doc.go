// Package curator has what the mechanisms of a trusted curator share: plans, limits, and runs
// without noise.
package curator
