// Package weighted holds information-weighted regression with elimination (Chen, Li, Rakhlin,
// Simchi-Levi, arXiv 2502.13115), without what depends on the trust model.
//
// A [Regression] makes estimates and a matrix R of mean messages; an [Eliminator] plays the arms
// that the estimates leave. What one tells the other is a broadcast: R, packed by the rows of its
// lower triangle, then for each estimate theta and the matrix beta A of its widths, by rows.
package weighted
