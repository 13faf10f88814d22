package audit_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// walk releases the running sums of three numbers, the first of which is 0 or 1, each under the sum
// of a draw of its own and all earlier ones.
func walk(draw func(n *privacy.Noise, z []float64)) func(world int, n *privacy.Noise, out []float64) error {
	return func(world int, n *privacy.Noise, out []float64) error {
		sum := float64(world)
		for i := range out {
			var z [1]float64
			draw(n, z[:])
			sum += z[0]
			out[i] = sum
		}
		return nil
	}
}

// Differences of the sums show the draws, so only the first one counts.
func TestLinearOf(t *testing.T) {
	gaussian := walk(func(n *privacy.Noise, z []float64) { n.Gaussian(z, 4) })
	l, loss, err := audit.LinearOf(3, gaussian)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := loss.(account.GaussianEvent); !ok || math.Abs(e.Mu-0.25) > 1e-9 {
		t.Errorf("%v, want Gaussian of mu = 1/4", loss)
	}
	if len(l.Draws) != 1 || l.Draws[0].Count != 3 {
		t.Errorf("%v is drawn, want three numbers", l.Draws)
	}
	laplace := walk(func(n *privacy.Noise, z []float64) { n.Laplace(z, 2) })
	if l, loss, err = audit.LinearOf(3, laplace); err != nil {
		t.Fatal(err)
	}
	if e, err := (account.Pure{}).Epsilon(loss, 0); err != nil || math.Abs(e-0.5) > 1e-9 {
		t.Errorf("%v costs %v, %v, want 1/2", loss, e, err)
	}
	for _, c := range []struct{ out, want float64 }{{-1, -0.5}, {0.25, -0.25}, {3, 0.5}} {
		out := []float64{c.out, 7, -7}
		if ratio := l.Density(1, out) - l.Density(0, out); math.Abs(ratio-c.want) > 1e-9 {
			t.Errorf("a first release of %v has the ratio %v, want %v", c.out, ratio, c.want)
		}
	}
	f, err := audit.Likelihood{
		Name: "walk", Claim: privacy.Budget{Epsilon: 0.5}, Outputs: 3, Runs: 4000, Density: l.Density, Draws: l.Draws,
		Release: func(world int, source rand.Source, out []float64) error {
			return laplace(world, privacy.NewNoise(source), out)
		},
	}.Run(ctx, audit.Options{Seed: 1})
	if err != nil || f.Excluded() || f.Epsilon < 0.45 {
		t.Errorf("err %v, want more than 0.45 and no more than 0.5\n%v", err, f)
	}
}

func TestLinearOfRefuses(t *testing.T) {
	type release = func(world int, n *privacy.Noise, out []float64) error
	z := func(n *privacy.Noise, dim int) []float64 {
		z := make([]float64, dim)
		n.Laplace(z, 1)
		return z
	}
	for want, r := range map[string]release{
		"draws no noise": func(world int, n *privacy.Noise, out []float64) error { return nil },
		"not linear": func(world int, n *privacy.Noise, out []float64) error {
			out[0] = math.Abs(z(n, 1)[0] + 0.1)
			return nil
		},
		"of which noise": func(world int, n *privacy.Noise, out []float64) error {
			out[0], out[1] = z(n, 1)[0], float64(world)
			return nil
		},
		"rank 1 for 2":      func(world int, n *privacy.Noise, out []float64) error { x := z(n, 2); out[0] = x[0] + x[1]; return nil },
		"that is Gumbel":    func(world int, n *privacy.Noise, out []float64) error { n.Gumbel(out, 1); return nil },
		"Gaussian and Lapl": func(world int, n *privacy.Noise, out []float64) error { n.Gaussian(out, 1); z(n, 1); return nil },
		"how many depends": func(world int, n *privacy.Noise, out []float64) error {
			if out[0] = z(n, 1)[0]; out[0] > 0.5 {
				z(n, 1)
			}
			return nil
		},
		"release is nil": nil,
	} {
		if _, _, err := audit.LinearOf(2, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// The loss of a Gaussian release is that of its mu, in both directions of the bound. The upper one
// fails with probability 1% by its proof, and here with far less.
func TestLikelihoodAtMost(t *testing.T) {
	const mu = 0.1
	l, _, err := audit.LinearOf(1, func(world int, n *privacy.Noise, out []float64) error {
		n.Gaussian(out, 1/mu)
		out[0] += float64(world)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := audit.Likelihood{
		Name: "generous", Claim: privacy.Budget{Epsilon: 1, Delta: 0.01}, Runs: 40000, Density: l.Density, Draws: l.Draws,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, 1/mu)
			out[0] += float64(world)
			return nil
		},
	}.Run(ctx, audit.Options{Seed: 2})
	exact := account.GaussianEpsilon(0.01, mu)
	if err != nil || f.AtMost < exact || f.AtMost > exact+0.1 || f.Epsilon > exact {
		t.Errorf("err %v, exact %v, want a little more\n%v", err, exact, f)
	}
}
