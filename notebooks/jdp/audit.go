package jdp

import (
	"context"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
)

// Audit attacks the releases that the paper's learners read, and their actions. It is a part of the
// suite.
func Audit(ctx context.Context, s lab.Scale) (audit.Report, error) {
	effort := cell.Pick(s, suite.Quick, suite.Usual, suite.Thorough)
	return audit.Family(ctx, append(suite.SoundReleases(effort), suite.SoundLearners(effort)...), audit.Options{Confidence: suite.Confidence, Seed: suite.Seed})
}
