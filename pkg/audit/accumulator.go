package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Accumulator is the audit of a continual release of sum of row row^T, without the learner that
// would read it. The transcript is what Read writes after each of a number of rows. For Gaussian
// noise the attack is the best possible, up to the error of the covariance, which it must estimate.
type Accumulator struct {
	Name   string
	Claim  privacy.Budget // zero: what the accumulator proves of itself
	Exact  float64        // see About
	Origin string         // see About

	Of    privacy.Accumulator // opened once; each run is started anew
	Setup privacy.Setup
	// Rows are the two neighbouring sequences of at most Setup.Horizon rows. nil means two that are far
	// apart, in the first round, and rows of zeros after it.
	Rows [2][][]float64
	// Reads lists the rows after which Read is called, 1, 2, ..., ascending. nil means after each row
	// except the horizon's last, which is never released.
	Reads []int
	Runs  int // in each world, >= MinRuns; 0 means 20,000
}

var _ Item = Accumulator{}

// About returns the accumulator's description. If no claim is set, a new accumulator is asked for
// its own.
func (a Accumulator) About() (About, error) {
	about := About{Name: a.Name, Claim: a.Claim, Exact: a.Exact, Origin: a.Origin}
	if a.Claim == (privacy.Budget{}) && a.Of != nil {
		acc, err := a.open()
		if err != nil {
			return about, err
		}
		about.Claim, about.Curve = Claimed(privacy.ClaimOf(acc))
	}
	return about, about.validate()
}

func (a Accumulator) open() (privacy.Mechanism[privacy.Sums], error) {
	of, err := a.Of.Open(a.Setup)
	if err != nil {
		return nil, fmt.Errorf("audit: %q: Open: %w", a.Name, err)
	}
	return of, nil
}

// check validates the audit, and returns the rows and reads with their defaults.
func (a Accumulator) check() (rows [2][][]float64, reads []int, err error) {
	if a.Of == nil {
		return rows, nil, errors.New("field Of is nil")
	}
	if err := a.Setup.CheckRows(); err != nil {
		return rows, nil, err
	}
	if a.Setup.Horizon < 2 {
		return rows, nil, fmt.Errorf("field Setup.Horizon = %d, want >= 2: the last row is never released", a.Setup.Horizon)
	}
	what := fmt.Sprintf("field Setup.Dim = %d, Horizon = %d", a.Setup.Dim, a.Setup.Horizon)
	if err := size.Check(what, float64(8*float64(a.Setup.Horizon))+float64(4*float64(a.Setup.Dim))); err != nil {
		return rows, nil, err
	}
	rows, reads = a.Rows, a.Reads
	if rows[0] == nil && rows[1] == nil {
		v, w := far.Rows(a.Setup)
		rows[0], rows[1] = [][]float64{v}, [][]float64{w}
		zero := make([]float64, a.Setup.Dim)
		for len(rows[0]) < a.Setup.Horizon-1 {
			rows[0], rows[1] = append(rows[0], zero), append(rows[1], zero)
		}
	}
	n := len(rows[0])
	if n == 0 || n > a.Setup.Horizon || len(rows[1]) != n {
		return rows, nil, fmt.Errorf("field Rows: %d and %d rows, want the same number in [1, Horizon = %d]", n, len(rows[1]), a.Setup.Horizon)
	}
	for w := range rows {
		for t, row := range rows[w] {
			if len(row) != a.Setup.Dim {
				return rows, nil, fmt.Errorf("field Rows[%d][%d] has length %d, want Dim = %d", w, t, len(row), a.Setup.Dim)
			}
		}
	}
	if reads == nil {
		for t := 1; t <= min(n, a.Setup.Horizon-1); t++ {
			reads = append(reads, t)
		}
	}
	for i, t := range reads {
		if t < 1 || t > n || (i > 0 && t <= reads[i-1]) {
			return rows, nil, fmt.Errorf("field Reads = %v, want ascending numbers in [1, %d]", reads, n)
		}
	}
	if len(reads) == 0 {
		return rows, nil, errors.New("field Reads is empty: nothing is left to attack")
	}
	return rows, reads, nil
}

// Likelihood returns the attack by likelihood on the same releases, which is the strongest on
// these rows. The result's Exact is the epsilon that no attack on them exceeds. It wants noise as
// LinearOf does.
func (a Accumulator) Likelihood() (Likelihood, error) {
	item, err := a.likelihood()
	return titled(a.Name, item, err)
}

func (a Accumulator) likelihood() (item Likelihood, err error) {
	rows, reads, err := a.check()
	if err != nil {
		return item, err
	}
	about, err := a.About()
	if err != nil {
		return item, err
	}
	of, err := a.open()
	if err != nil {
		return item, err
	}
	outputs := packed.Size(a.Setup.Dim) * len(reads)
	item, loss, err := LinearOf(outputs, func(world int, noise *privacy.Noise, out []float64) error {
		return transcript(of, rows[world], reads, noise, out)
	})
	if err != nil {
		return item, err
	}
	item.Name, item.Claim, item.Curve, item.Exact = a.Name, about.Claim, about.Curve, a.Exact
	item.Origin, item.Runs = a.Origin, a.Runs
	if item.Exact == 0 {
		item.Exact, err = epsilonOf(loss, about.Claim.Delta)
	}
	return item, err
}

// transcript adds rows, and writes what is released after some of them to out.
func transcript(of privacy.Mechanism[privacy.Sums], rows [][]float64, reads []int, noise *privacy.Noise, out []float64) error {
	run, size := of.Start(noise), len(out)/len(reads)
	next := 0
	for t, row := range rows {
		if _, err := run.Add(privacy.Row(row)); err != nil {
			return err
		}
		if next < len(reads) && reads[next] == t+1 {
			run.Release().Read(out[next*size : (next+1)*size])
			next++
		}
	}
	return nil
}

// Run audits the accumulator.
func (a Accumulator) Run(ctx context.Context, o Options) (Finding, error) {
	rows, reads, err := a.check()
	if err != nil {
		return Finding{}, fmt.Errorf("audit: %q: %w", a.Name, err)
	}
	about, err := a.About()
	if err != nil {
		return Finding{}, err
	}
	if o, err = o.complete(); err != nil {
		return Finding{}, err
	}
	runs, err := o.runs(a.Runs, MinRuns, defaultRuns)
	if err != nil {
		return Finding{}, fmt.Errorf("%w (%q)", err, a.Name)
	}
	of, err := a.open()
	if err != nil {
		return Finding{}, err
	}
	size := packed.Size(a.Setup.Dim)
	return collection{
		name: a.Name, runs: runs, width: size * len(reads), block: 1, workers: o.Workers, seed: o.Seed, sink: o.Progress,
		start: func() (runner, error) {
			return func(world, _ int, source rand.Source, out []float64) error {
				return transcript(of, rows[world], reads, privacy.NewNoise(source), out)
			}, nil
		},
	}.attack(ctx, about, o)
}
