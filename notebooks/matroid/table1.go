package matroid

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A Uniform instance has L base arms of which any K may be played: K of mean (1 + Gap)/2, and the
// others of mean (1 - Gap)/2. All gaps of Table 1 are then the same.
type Uniform struct {
	L, K int
	Gap  float64
}

// Name is that of the experiment on it.
func (u Uniform) Name() string { return fmt.Sprintf("mat-table1-L%d-K%d-gap%g", u.L, u.K, u.Gap) }

// Public is the bound of OMM in Table 1, of the L - K arms that are not the best, with 1 for its
// constant; Private is what privacy adds.
func (u Uniform) Public(rounds float64) float64 {
	return float64(u.L-u.K) * math.Log(float64(u.K)*rounds) / u.Gap
}

func (u Uniform) Private(rounds, epsilon float64) float64 {
	k, logs := float64(u.K), math.Log(float64(u.K)*rounds)
	return float64(u.L-u.K) * min(k, logs) * logs * k / epsilon
}

// CTS is the additional term of CTS without privacy, L/gap^4.
func (u Uniform) CTS() float64 { return float64(u.L-u.K) / math.Pow(u.Gap, 4) }

// Table1 lists the instances: some L - K, some K, some gaps, all about the first.
var Table1 = []Uniform{{10, 2, 0.2}, {4, 2, 0.2}, {18, 2, 0.2}, {12, 4, 0.2}, {16, 8, 0.2}, {10, 2, 0.1}, {10, 2, 0.4}}

// Table1Epsilons are the budgets on the first; the others have Epsilon.
var Table1Epsilons = []float64{0.5, 1, 2, 4}

// TableOMM to TableDPTS name the policies of Table 1.
const (
	TableOMM   = ommPublic
	TableCTS   = ctsPublic
	TableDPUCB = dpucbForced
	TableDPTS  = dptsForced
)

// At names a private policy at an epsilon.
func At(policy string, epsilon float64) string { return at(policy, epsilon) }

func table1(s cell.Scale) (all []*simulate.Experiment) {
	for i, u := range Table1 {
		means := make([]float64, u.L)
		for a := range means {
			means[a] = (1 - u.Gap) / 2
			if a < u.K {
				means[a] = (1 + u.Gap) / 2
			}
		}
		m := check.Try(matroid.NewUniform(u.L, u.K))
		rounds := cell.Pick(s, 500, 10_000, 100_000)
		e := &simulate.Experiment{
			Name: u.Name(), Environment: environment.SemiBandit{Matroid: m, Means: means},
			Horizon: rounds, Trials: cell.Pick(s, 2, 4, 16), Seed: Seed, Grid: simulate.LogGrid(rounds, 4),
		}
		for _, name := range []string{ommPublic, ctsPublic} {
			e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: makers[name](m, 0)})
		}
		epsilons := []float64{Epsilon}
		if i == 0 {
			epsilons = Table1Epsilons
		}
		for _, name := range []string{dpucbForced, dptsForced} {
			for _, epsilon := range epsilons {
				e.Policies = append(e.Policies, simulate.Policy{Name: at(name, epsilon), Learner: makers[name](m, epsilon)})
			}
		}
		all = append(all, e)
	}
	return all
}

// reportTable1 has a row for each instance and policy: regret beside the bound with 1 for its
// constants.
func reportTable1(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("L", "K", "gap", "policy", "regret", "SE", "bound", "regret over bound")
	for i, of := range tables {
		u := Table1[i]
		for _, c := range of.Curves {
			n, mean, se := c.Last()
			bound := u.Public(float64(n))
			if c.Policy == ctsPublic {
				bound += u.CTS()
			}
			if epsilon := of.Epsilon(c.Policy); epsilon > 0 && !math.IsInf(epsilon, 1) {
				bound += u.Private(float64(n), epsilon)
			}
			t.Add(u.L, u.K, u.Gap, c.Policy, mean, se, bound, mean/bound)
		}
	}
	t.Caption = "Table 1 beside runs, any K of L arms, all gaps alike; bounds with 1 for their constants"
	return t, nil
}
