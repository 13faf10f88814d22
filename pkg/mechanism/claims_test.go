package mechanism_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// claimed is a claimant after a run, with the ledger of its noise.
type claimed struct {
	name string
	privacy.Planner
	ledger *privacy.Ledger
	// worth derives the epsilon at delta from the laws drawn and the sensitivity of what they hide,
	// which for secure noise leaves out the rounding. It is nil for Wishart noise, which has no
	// formula, and for none.
	worth  func(laws []privacy.Draws, delta float64) float64
	secure bool // the noise is the system's, and in no ledger of ours
}

// protects reports that a record is in a release: with a horizon of one round no row is.
func (c claimed) protects() bool { return len(privacy.PlanOf(c.Planner, privacy.All).Cases) > 0 }

var claimBudgets = []privacy.Budget{{Epsilon: 0.1, Delta: 1e-6}, {Epsilon: 1, Delta: 1e-5}, {Epsilon: 3, Delta: 0.1}, {Epsilon: math.Inf(1), Delta: 1e-5}}

// sums are the accumulators after a run of the whole horizon.
func sums(t *testing.T, b privacy.Budget, horizon int) (all []claimed) {
	s := privacy.Setup{Dim: 3, Horizon: horizon, Bound: 1.5, Context: 1.2, Alpha: 0.1}
	// of all prefixes 1..n-1, that hold the first row
	nodes := float64(max(1, bits.Len(uint(horizon-1))))
	square := s.Bound * s.Bound
	inTree := func(laws []privacy.Draws, delta float64) float64 {
		return account.GaussianEpsilon(delta, math.Sqrt(nodes)*square/laws[0].Scale)
	}
	add := func(name string, acc privacy.Accumulator, worth func([]privacy.Draws, float64) float64) {
		t.Helper()
		_, secure := acc.(continual.SecureTree)
		// no row is released, whatever the noise
		if _, exact := acc.(continual.Exact); horizon == 1 && !exact {
			worth, secure = func([]privacy.Draws, float64) float64 { return 0 }, false
		}
		opened, err := acc.Open(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ledger := privacy.NewLedger(rand.NewPCG(1, 2))
		run := opened.Start(privacy.NewNoise(ledger))
		c := claimed{fmt.Sprintf("%s, %v, %d rounds", name, b, horizon), run, ledger, worth, secure}
		for range horizon {
			if _, err := run.Add(privacy.Row([]float64{1, 1, 1})); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		all = append(all, c)
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		add("tree, "+c.String(), continual.Tree{Noise: continual.Gaussian{Budget: b, Calibration: c}}, inTree)
		add("pan-private tree, "+c.String(), continual.PanPrivateTree{Noise: continual.Gaussian{Budget: b, Calibration: c}}, inTree)
		if !b.None() {
			add("Wishart, "+c.String(), continual.Tree{Noise: continual.Wishart{Budget: b, Calibration: c}}, nil)
		}
	}
	add("padded tree", continual.Tree{Noise: continual.Gaussian{Budget: b, Calibration: privacy.AsPublished, Padded: true}}, inTree)
	add("padded pan-private tree", continual.PanPrivateTree{Noise: continual.Gaussian{Budget: b, Padded: true}}, inTree)
	if !b.None() {
		add("Wishart of given degrees", continual.Tree{Noise: continual.Wishart{Budget: b, Degrees: 1_000_000}}, nil)
	}
	add("exact", continual.Exact{}, nil)
	// A row moves what is new in the estimate of each left child that holds it by the share of the
	// nodes' own values that hold it, too, since the left child before, over the variance q.
	add("Honaker", continual.Honaker{Budget: b}, func(laws []privacy.Draws, delta float64) float64 {
		most := 0.0
		for row := range horizon - 1 {
			sum, others, v, q := 0.0, 1.0, 1.0, 0.0
			for i := 0; (row>>i+1)<<i < horizon; i++ {
				q = v*v + (1-v)*(1-v)*q
				if others *= 1 - v; row>>i&1 == 0 {
					sum += (1 - others) * (1 - others) / q
					others = 1
				}
				v = 2 * v / (1 + 2*v)
			}
			most = max(most, sum)
		}
		return account.GaussianEpsilon(delta, math.Sqrt(most)*square/laws[0].Scale)
	})
	// The first column of the square root's C has f_k = binom(2k, k)/4^k; of BLT's, what its event
	// says, which a test in exact algebra compares.
	add("square root", continual.SquareRoot{Budget: b}, func(laws []privacy.Draws, delta float64) float64 {
		column, f := 0.0, 1.0
		for k := range max(1, horizon-1) {
			column += f * f
			f *= float64(2*k+1) / float64(2*k+2)
		}
		return account.GaussianEpsilon(delta, math.Sqrt(column)*square/laws[0].Scale)
	})
	blt := continual.BLT{Budget: b}
	opened, err := blt.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	add("BLT", blt, func(laws []privacy.Draws, delta float64) float64 {
		return account.GaussianEpsilon(delta, privacy.PlanOf(opened, privacy.All).Cases[0][0].Sensitivity.L2/laws[0].Scale)
	})
	unbounded := continual.Unbounded{Budget: b}
	endless, err := unbounded.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	add("unbounded", unbounded, func(laws []privacy.Draws, delta float64) float64 {
		return account.GaussianEpsilon(delta, privacy.PlanOf(endless, privacy.All).Cases[0][0].Sensitivity.L2/laws[0].Scale)
	})
	if !b.None() {
		secure := continual.SecureTree{Budget: b}
		opened, err := secure.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		add("secure tree", secure, func(_ []privacy.Draws, delta float64) float64 {
			sd := opened.(interface{ SD() float64 }).SD()
			return account.ConcentratedEpsilon(nodes*square*square/(2*sd*sd), delta)
		})
	}
	return all
}

// vectors are the mechanisms that release vectors, choices or answers, after a release or two.
func vectors(t *testing.T, b privacy.Budget) (all []claimed) {
	add := func(start func(n *privacy.Noise) (privacy.Planner, error), worth func([]privacy.Draws, float64) float64) {
		t.Helper()
		ledger := privacy.NewLedger(rand.NewPCG(1, 2))
		m, err := start(privacy.NewNoise(ledger))
		if err != nil {
			t.Fatalf("%v, case %d: %v", b, len(all), err)
		}
		_, secure := m.(mechanism.Secure)
		all = append(all, claimed{fmt.Sprintf("%T, %v, case %d", m, b, len(all)), m, ledger, worth, secure})
	}
	dst, value := make([]float64, 3), []float64{9, -9, 9}
	for _, k := range []int{1, 4} {
		replaced := privacy.Neighbours{Relation: privacy.Replace, Record: "row", Contributions: k}
		added := privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: k}
		n := float64(k)
		for _, c := range []struct {
			privacy.Neighbours
			l1, l2 float64 // of a value in [-1, 2]^3, and of norm at most 2
		}{{replaced, 9, 4}, {added, 6, 2}} {
			add(func(noise *privacy.Noise) (privacy.Planner, error) {
				opened, err := mechanism.Laplace{Epsilon: b.Epsilon, Dim: 3, Lo: -1, Hi: 2, Neighbours: c.Neighbours}.Open()
				if err != nil {
					return nil, err
				}
				l := opened.Start(noise)
				return l, l.Release(dst, value)
			}, func(laws []privacy.Draws, _ float64) float64 { return n * c.l1 / laws[0].Scale })
			add(func(noise *privacy.Noise) (privacy.Planner, error) {
				opened, err := mechanism.VectorGaussian{Budget: b, Dim: 3, Bound: 2, Neighbours: c.Neighbours}.Open()
				if err != nil {
					return nil, err
				}
				g := opened.Start(noise)
				return g, g.Release(dst, value)
			}, func(laws []privacy.Draws, delta float64) float64 {
				return account.GaussianEpsilon(delta, math.Sqrt(n)*c.l2/laws[0].Scale)
			})
			for _, monotone := range []bool{false, true} {
				if monotone && c.Relation == privacy.Replace {
					continue
				}
				factor := 2.0
				if monotone {
					factor = 1
				}
				add(func(noise *privacy.Noise) (privacy.Planner, error) {
					opened, err := mechanism.SparseVector{Epsilon: b.Epsilon, Accepted: 3, Sensitivity: 0.5, Neighbours: c.Neighbours, Monotone: monotone}.Open()
					if err != nil {
						return nil, err
					}
					s := opened.Start(noise)
					_, err = s.Above(0, 1)
					return s, err
				}, func(laws []privacy.Draws, _ float64) float64 {
					return 3 * n * 0.5 * (1/laws[0].Scale + factor/laws[1].Scale)
				})
				for _, delta := range []float64{0, b.Delta} {
					add(func(noise *privacy.Noise) (privacy.Planner, error) {
						opened, err := mechanism.TopK{Budget: privacy.Budget{Epsilon: b.Epsilon, Delta: delta}, K: 2, Candidates: 3, Sensitivity: 0.5, Neighbours: c.Neighbours, Monotone: monotone}.Open()
						if err != nil {
							return nil, err
						}
						top := opened.Start(noise)
						_, err = top.Choose(value, nil)
						return top, err
					}, func(laws []privacy.Draws, delta float64) float64 {
						if laws[0].Scale == 0 {
							return math.Inf(1)
						}
						epsilon, _, err := account.Tightest(account.Repeat{Event: account.ExponentialEvent{Epsilon: factor * n * 0.5 / laws[0].Scale}, Times: 2}, delta)
						if err != nil {
							t.Fatal(err)
						}
						return epsilon
					})
				}
			}
			if b.None() {
				continue
			}
			var grid, steps float64
			add(func(noise *privacy.Noise) (privacy.Planner, error) {
				opened, err := mechanism.SecureGaussian{Budget: b, Dim: 3, Bound: 2, Neighbours: c.Neighbours}.Open()
				if err != nil {
					return nil, err
				}
				sg := opened.Start(noise)
				grid = sg.Spacing()
				return sg, errors.Join(sg.Release(dst), sg.Check())
			}, func(laws []privacy.Draws, delta float64) float64 {
				ratio := n * c.l2 / (laws[0].Scale * grid)
				return account.ConcentratedEpsilon(ratio*ratio/2, delta)
			})
			add(func(noise *privacy.Noise) (privacy.Planner, error) {
				opened, err := mechanism.SecureLaplace{Epsilon: b.Epsilon, Dim: 3, Bound: 2, Neighbours: c.Neighbours}.Open()
				if err != nil {
					return nil, err
				}
				sl := opened.Start(noise)
				steps = sl.Spacing()
				return sl, errors.Join(sl.Release(dst), sl.Check())
			}, func(laws []privacy.Draws, _ float64) float64 {
				return n * c.l2 / (laws[0].Scale * steps) // the bound is an L1 norm here
			})
		}
		add(func(noise *privacy.Noise) (privacy.Planner, error) {
			opened, err := mechanism.RandomisedResponse{Epsilon: b.Epsilon, Choices: 3, Neighbours: replaced}.Open()
			if err != nil {
				return nil, err
			}
			r := opened.Start(noise)
			_, err = r.Respond(1)
			return r, err
		}, func(laws []privacy.Draws, _ float64) float64 { return n * laws[0].Scale })
	}
	return all
}

// learners are the bandit learners, after a run.
func learners(t *testing.T, b privacy.Budget) (all []claimed) {
	const horizon = 9
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	linUCB := func() learner.Private[privacy.Sums] {
		return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: b}})
	}
	add := func(l bandit.Learner, worth func([]privacy.Draws, float64) float64) {
		t.Helper()
		c := claimed{fmt.Sprintf("%T, %v", l, b), nil, privacy.NewLedger(rand.NewPCG(1, 2)), worth, false}
		run := runtest.Run(t, l, problem, horizon, rand.New(rand.NewPCG(3, 4)), c.ledger)
		for round := range horizon {
			v := bandit.View{Round: round + 1, Arms: 2, Dim: 2, X: []float64{1, 0, 0, 1}}
			run.Update(&v, run.Select(&v, nil), []float64{1})
		}
		c.Planner = run.Run.(privacy.Planner)
		all = append(all, c)
	}
	inNodes := func(nodes float64) func([]privacy.Draws, float64) float64 {
		return func(laws []privacy.Draws, delta float64) float64 {
			return account.GaussianEpsilon(delta, math.Sqrt(nodes)*2/laws[0].Scale) // L~^2 = 1 + 1
		}
	}
	add(linUCB(), inNodes(4)) // prefixes 1..8
	if !b.None() {            // a budget that pays for 2 of the 4 nodes, those of rows 1..3
		mu, err := b.GaussianMu()
		if err != nil {
			t.Fatal(err)
		}
		half := privacy.Budget{Epsilon: account.GaussianEpsilon(b.Delta, math.Sqrt(0.6)*mu), Delta: b.Delta}
		add(learner.Metered{Learner: linUCB(), Budget: half, Freeze: true}, inNodes(2))
	}
	add(learner.RandomisedAction{Learner: learner.New(linear.UCB{}, nil), Epsilon: b.Epsilon}, func(laws []privacy.Draws, _ float64) float64 { return laws[0].Scale })
	return all
}

// TestClaimsAreConsistent, of everything in the toolkit that makes a claim: the budget, the
// epsilon, the event and the noise that was drawn say the same. An accountant finds the event worth
// no more than the epsilon claimed, the ledger has the laws and counts that Drawn says, and those
// laws with a sensitivity derived here are worth what the event is.
func TestClaimsAreConsistent(t *testing.T) {
	for _, b := range claimBudgets {
		all := append(vectors(t, b), learners(t, b)...)
		for _, horizon := range []int{1, 2, 3, 9, 100} {
			all = append(all, sums(t, b, horizon)...)
		}
		for _, c := range all {
			claim := privacy.ClaimOf(c.Planner)
			_ = claim.String() // of infinite events too
			if err := c.ledger.CheckPlan(c.Planner, privacy.All); err != nil && !c.secure {
				t.Errorf("%s: %v", c.name, err)
			}
			if exact := strings.HasPrefix(c.name, "exact, "); exact {
				if claim.Held() || !math.IsInf(claim.Epsilon(), 1) {
					t.Errorf("%s: claims\n%v", c.name, claim)
				}
				continue
			}
			if err := claim.Neighbours().Validate(); err != nil || !claim.Held() || claim.Source() == "" || !(claim.Epsilon() >= 0) {
				t.Errorf("%s: claims\n%v%v", c.name, claim, err)
			}
			exact := math.Inf(1)
			if !math.IsInf(claim.Epsilon(), 1) {
				var err error
				if exact, _, err = account.Tightest(claim.Event(), claim.Asked().Delta); err != nil || exact != claim.Epsilon() {
					t.Errorf("%s: claims epsilon = %v, an accountant finds its event worth %v, %v", c.name, claim.Epsilon(), exact, err)
				}
			}
			if claim.Epsilon() > claim.Asked().Epsilon*(1+1e-9) && claim.Calibration() == privacy.Sound {
				t.Errorf("%s: claims epsilon = %v for a budget of %v", c.name, claim.Epsilon(), claim.Asked())
			}
			if math.IsInf(claim.Epsilon(), 1) != (math.IsInf(claim.Asked().Epsilon, 1) && c.protects()) {
				t.Errorf("%s: claims epsilon = %v for a budget of %v", c.name, claim.Epsilon(), claim.Asked())
			}
			if c.worth == nil {
				continue
			}
			want := c.worth(privacy.PlanOf(c, privacy.All).Draws, claim.Asked().Delta)
			if c.secure {
				if claim.Epsilon() < want || claim.Epsilon() > 1.005*want { // what the rounding may cost
					t.Errorf("%s: the laws drawn are worth epsilon = %v and a little more for the rounding, the claim is %v", c.name, want, claim.Epsilon())
				}
			} else if want != exact && !(math.Abs(want-exact) <= 1e-6*want) {
				t.Errorf("%s: the laws drawn are worth epsilon = %v, the event, %v, %v", c.name, want, claim.Event(), exact)
			}
		}
	}
}

// TestSystemNoiseReachesTheTrial: a learner passes on what its sums find of the system's noise.
func TestSystemNoiseReachesTheTrial(t *testing.T) {
	inner := learner.New(linear.UCB{}, continual.SecureTree{Budget: claimBudgets[1]})
	l := learner.RandomisedAction{Learner: inner, Epsilon: 1}
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	run := runtest.Run(t, l, p, 9, rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
	checker, ok := run.Run.(interface{ Check() error })
	if !ok {
		t.Fatalf("a %T has no Check", run.Run)
	}
	if err := checker.Check(); err != nil {
		t.Error(err)
	}
}
