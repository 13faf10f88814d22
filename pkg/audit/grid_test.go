package audit_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// A right release of Laplace noise, through its log-likelihood ratio |y| - |y-1|: all bits of it
// exclude the claim, since 1 + noise is rounded otherwise than noise, and the rounded ratio does
// not. The report says which of the two is false. With half of the noise it is the claim. Of other
// seeds one in a hundred excludes the true claim.
func TestFloatingPoint(t *testing.T) {
	ratio := func(scale float64) audit.Mechanism {
		return audit.Mechanism{
			Name: "ratio", Claim: privacy.Budget{Epsilon: 1},
			Release: func(world int, source rand.Source, out []float64) error {
				privacy.NewNoise(source).Laplace(out, scale)
				y := out[0] + float64(world)
				out[0] = math.Abs(y) - math.Abs(y-1)
				return nil
			},
		}
	}
	f, err := ratio(1).Run(ctx, audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.Excluded() || !f.FloatingPointLeaks() || f.LowBits < 2 || f.Epsilon < 0.85 || f.Verdict() != "floating point leaks" {
		t.Errorf("want floating point leaks, and an epsilon near 1\n%v", f)
	}
	for _, want := range []string{"floating point leaks", "low bits   epsilon >= ", "of these float64 numbers it is false", "multiples of 2^-1"} {
		if !strings.Contains(f.String(), want) {
			t.Errorf("the report lacks %q\n%v", want, f)
		}
	}
	if r := (audit.Report{Findings: []audit.Finding{f}}); !strings.Contains(r.String(), "floating point leaks") || r.Excluded() != 0 {
		t.Errorf("the table does not say it\n%v", r)
	}
	if f, err = ratio(0.5).Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() || f.FloatingPointLeaks() || f.LowBits != 0 {
		t.Errorf("err %v, want the claim excluded\n%v", err, f)
	}
	// What has no low bits has no grid to speak of, and is left as it is.
	whole := audit.Mechanism{
		Name: "arms", Claim: privacy.Budget{Epsilon: 1}, Outputs: 2, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			out[0], out[1] = float64(source.Uint64()%9), 1<<40+float64(world)
			return nil
		},
	}
	if f, err = whole.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
}

// Memory does not grow with the runs: an audit of more numbers than may be kept chooses its event
// on fewer of them, and tests it on all others.
func TestManyRuns(t *testing.T) {
	const outputs, runs = 1 << 14, 2000
	m := audit.Mechanism{
		Name: "wide", Claim: privacy.Budget{Epsilon: 1}, Outputs: outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			clear(out)
			out[outputs-1] = float64(world)
			return nil
		},
	}
	f, err := m.Run(ctx, audit.Options{Seed: 1})
	if err != nil || !f.Excluded() || f.Runs != runs || f.Tested <= runs/2 {
		t.Errorf("err %v, want excluded, and tested on more than %d of %d runs\n%v", err, runs/2, runs, f)
	}
}
