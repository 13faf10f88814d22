package jdp

import (
	"context"
	"os"
	"os/signal"

	"github.com/dpbandits/dpbandits/charts"
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

// MustAudit runs it in a notebook.
func MustAudit(s lab.Scale) *charts.Table {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t := charts.Findings(cell.Try(Audit(ctx, s)))
	t.Scale = cell.Here(s)
	return t
}
