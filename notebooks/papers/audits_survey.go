package papers

import (
	"math/rand/v2"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// soundSurvey audits the mechanisms of the survey.
func soundSurvey(s Scale) []audit.Item {
	runs := pick(s, 20_000, 100_000, 1_000_000)
	pure := privacy.Budget{Epsilon: 1}
	return []audit.Item{
		prefixSumItem("vector tree, Laplace", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorTree{Budget: pure}
		}),
		prefixSumItem("vector tree, padded", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorTree{Budget: pure, Padded: true}
		}),
		prefixSumItem("vector tree, Laplace as published", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorTree{Budget: pure, Calibration: privacy.AsPublished}
		}),
		prefixSumItem("vector tree, Gaussian", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorTree{Budget: auditBudget}
		}),
		prefixSumItem("square root of vectors", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorSquareRoot{Budget: auditBudget}
		}),
		prefixSumItem("BLT of vectors", runs, func() privacy.Statistic[mechanism.Total] {
			return &mechanism.VectorBLT{Budget: auditBudget}
		}),
		ftrlItem("DP-FTRL", runs, mechanism.VectorTree{Budget: pure}),
		ftrlItem("DP-FTRL as published", runs, mechanism.VectorTree{Budget: pure, Calibration: privacy.AsPublished, Padded: true}),
		stoppingItem("stopping rule", runs, mechanism.Stopping{}),
		stoppingItem("stopping rule as published", runs, mechanism.Stopping{Calibration: privacy.AsPublished}),
		stoppingItem("stopping rule, doubling", runs, mechanism.Stopping{Doubling: true}),
	}
}

// stoppingItem audits when the stopping rule ends and at which estimate, over four numbers. All are
// the same but for the third, which is far out on one side or the other.
func stoppingItem(name string, runs int, rule mechanism.Stopping) audit.Item {
	const numbers = 4
	rule.Epsilon, rule.Alpha, rule.Beta = 1, 0.9, 0.9
	ready := func() any {
		m := rule
		exitOn(m.Init(privacy.Setup{Horizon: numbers, Bound: 1}))
		return &m
	}
	pool := sync.Pool{New: ready}
	claim, curve := audit.Claimed(privacy.ClaimOf(ready()))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: 2, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			m := pool.Get().(*mechanism.Stopping)
			defer pool.Put(m)
			m.Reset(privacy.NewNoise(source))
			for t := range numbers {
				x := 1.0
				if t == 2 {
					x = []float64{-1e3, 1e3}[world]
				}
				if _, err := m.Add(&privacy.Record{Y: []float64{x}}); err != nil {
					return err
				}
			}
			out[0], out[1] = float64(m.Release().Count), m.Release().Mean*float64(m.Release().Count)
			return nil
		},
	}
}

// ftrlItem audits the predictions of DP-FTRL on the line, over four rounds. Its rate is so small
// that no prediction is at the end of the line. The first loss is beyond its bound, one way or the
// other; the others are 0.
func ftrlItem(name string, runs int, sums mechanism.VectorTree) audit.Item {
	const rounds = 4
	ready := func() any {
		tree := sums
		l := &online.FTRL{Gradient: 1, Rate: 1e-6, Sums: &tree, Noise: privacy.NewNoise(rand.NewPCG(1, 1))}
		exitOn(l.Init(1, rounds))
		return l
	}
	pool := sync.Pool{New: ready}
	claim, curve := audit.Claimed(privacy.ClaimOf(ready()))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: rounds - 1, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			l := pool.Get().(*online.FTRL)
			defer pool.Put(l)
			l.Noise = privacy.NewNoise(source)
			l.Reset()
			loss := []float64{[]float64{-1e3, 1e3}[world]}
			for t := range rounds {
				if t > 0 {
					out[t-1] = l.Predict()[0] * 1e6
				}
				if err := l.Update(loss); err != nil {
					return err
				}
				loss[0] = 0
			}
			return nil
		},
	}
}

// prefixSumItem audits the releases of five vectors in the plane. All are 0 but for the first,
// which is beyond its bound, and points one way or the other.
func prefixSumItem(name string, runs int, fresh func() privacy.Statistic[mechanism.Total]) audit.Item {
	const rounds, dim = 5, 2
	ready := func() any {
		m := fresh()
		exitOn(m.Init(privacy.Setup{Dim: dim, Horizon: rounds + 1, Bound: 1}))
		return m
	}
	pool := sync.Pool{New: ready}
	claim, curve := audit.Claimed(privacy.ClaimOf(ready()))
	far, zero := [2]privacy.Record{{X: []float64{1e3, 1e3}}, {X: []float64{-1e3, -1e3}}}, privacy.Record{X: []float64{0, 0}}
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: dim * rounds, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			m := pool.Get().(privacy.Statistic[mechanism.Total])
			defer pool.Put(m)
			m.Reset(privacy.NewNoise(source))
			for t := range rounds {
				r := &zero
				if t == 0 {
					r = &far[world]
				}
				if _, err := m.Add(r); err != nil {
					return err
				}
				copy(out[dim*t:], m.Release().Of)
			}
			return nil
		},
	}
}
