package suite

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// stops are runs of a stopping rule over a few numbers. All are 1 but for the last but one, which
// is far out on one side or the other. What their attack by likelihood has to know, it learns from
// the rule under noise that is prescribed.
type stops struct {
	numbers int
	of      privacy.Mechanism[mechanism.Stopped]
	ends    [2][]end // by world, in order; in the last one the numbers have ended
}

// end is one way for a run to end.
type end struct {
	count    float64
	reached  bool
	above    float64 // most noise of the comparison, and of the threshold, that is above; in units of theirs
	estimate float64 // without noise
	unit     float64 // what a unit of noise adds to it
	log      float64 // of the probability
}

// run runs a world and writes count, whether it was reached, and the estimate.
func (s *stops) run(world int, noise *privacy.Noise, out []float64) error {
	m := s.of.Start(noise)
	for t := range s.numbers {
		x := 1.0
		if t == max(0, s.numbers-2) {
			x = []float64{-1e3, 1e3}[world]
		}
		if _, err := m.Add(&privacy.Record{Y: []float64{x}}); err != nil {
			return err
		}
	}
	r := m.Release()
	out[0], out[1], out[2] = float64(r.Count), 0, r.Mean
	if r.Reached {
		out[1] = 1
	}
	return nil
}

// forced runs a world in which a comparison gets so many units of noise, those before it are below,
// and the estimate gets so many.
func (s *stops) forced(world, comparison int, by, last float64) end {
	drawn, compare, out := 0, 0.0, make([]float64, 3)
	must(s.run(world, privacy.ScriptedNoise(func(of privacy.Law, dst []float64) {
		switch drawn++; {
		case drawn == 1: // on the threshold
			dst[0], compare = 0, of.Scale
		case of.Scale != compare:
			dst[0] = last * of.Scale
		case drawn-2 == comparison:
			dst[0] = by * compare
		default:
			dst[0] = decisive
		}
	}), out))
	return end{count: out[0], reached: out[1] == 1, estimate: out[2]}
}

// learn finds the ends of a world.
func (s *stops) learn(world int) (all []end) {
	for k := 0; ; k++ {
		e := s.forced(world, k, -decisive, 0)
		e.unit = s.forced(world, k, -decisive, 1).estimate - e.estimate
		e.above = turn(func(by float64) bool { return !s.forced(world, k, by, 0).reached })
		if all = append(all, e); !e.reached {
			break
		}
	}
	const steps, most = 100, 60 // z is the threshold's noise
	p, sum := make([]float64, len(all)), 0.0
	for i := range 2*steps*most + 1 {
		z := float64(i)/steps - most
		rest := portable.Exp(-math.Abs(z))
		sum += rest
		for k, e := range all {
			if now := laplaceBelow(e.above - z); e.reached {
				p[k] += float64(rest * now)
				rest *= 1 - now
			} else {
				p[k] += rest
			}
		}
	}
	for k := range all {
		all[k].log = portable.Log(p[k] / sum)
	}
	return all
}

// stoppingItem audits by its likelihood when a stopping rule ends, and at which estimate.
//
// Exact is the largest ratio of an end's probabilities and of Laplace noise on its estimate, which
// is on the far side with a probability of a half.
func stoppingItem(name string, numbers, runs int, rule mechanism.Stopping) audit.Item {
	rule.Epsilon, rule.Alpha, rule.Beta = 1, 0.9, 0.9
	s := &stops{numbers: numbers, of: opened(rule.Open(privacy.Setup{Horizon: numbers, Bound: 1}))}
	for w := range s.ends {
		s.ends[w] = s.learn(w)
	}
	exact := 0.0
	for k, e := range s.ends[0] {
		other := s.ends[1][k]
		exact = max(exact, math.Abs(e.log-other.log)+math.Abs(e.estimate-other.estimate)/e.unit)
	}
	claim, curve := audit.Claimed(privacy.ClaimOf(s.of))
	return audit.Likelihood{
		Name: name, Claim: claim, Curve: curve, Exact: exact, Outputs: 3, Runs: runs,
		Density: func(world int, out []float64) float64 {
			for _, e := range s.ends[world] {
				if out[0] == e.count && (out[1] == 1) == e.reached {
					return e.log - math.Abs(out[2]-e.estimate)/e.unit
				}
			}
			return math.Inf(-1)
		},
		Release: func(world int, source rand.Source, out []float64) error {
			return s.run(world, privacy.NewNoise(source), out)
		},
	}
}
