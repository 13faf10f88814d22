// Package lattice rounds records to a grid of powers of two, on which secure noise is exact.
package lattice
