// Package cluster runs sweeps on Apache Beam.
package cluster
