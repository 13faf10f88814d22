package privacytest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// moves returns Choice.Moves by a plan: a record moves two scores of a choice under Gumbel noise
// apart, and only the query of a comparison.
func moves(x privacy.Planner) func(privacy.Law) float64 {
	plan := privacy.PlanOf(x, privacy.All)
	return func(law privacy.Law) float64 {
		for _, c := range plan.Cases {
			for _, r := range c {
				switch same := r.Law.Kind == law.Kind && r.Law.Scale == law.Scale; {
				case r.Threshold.Kind == law.Kind && r.Threshold.Scale == law.Scale, same && r.Threshold.Kind != "":
					return r.Sensitivity.LInf
				case same && law.Kind == privacy.GumbelLaw(1, 1).Kind && r.Monotone:
					return r.Sensitivity.LInf
				case same && law.Kind == privacy.GumbelLaw(1, 1).Kind:
					return 2 * r.Sensitivity.LInf
				case same:
					return max(r.Sensitivity.L1, r.Sensitivity.L2)
				}
			}
		}
		return 0
	}
}

func floats(list []int) (f []float64) {
	for _, v := range list {
		f = append(f, float64(v))
	}
	return f
}

// transcripts runs a mechanism on either list of records. It returns what is chosen and released
// whenever the release moves.
func transcripts[R any](m privacy.Mechanism[R], records [2][]privacy.Record,
	read func(*R) (chosen, released []float64)) (all [2]func(*privacy.Noise) ([]float64, []float64, error)) {
	for w := range records {
		all[w] = func(n *privacy.Noise) (chosen, released []float64, err error) {
			x := m.Start(n)
			for _, r := range records[w] {
				moved, err := x.Add(&r)
				if err != nil {
					return nil, nil, err
				}
				if moved {
					c, r := read(x.Release())
					chosen, released = append(chosen, c...), append(released, r...)
				}
			}
			return chosen, released, nil
		}
	}
	return all
}

// open opens a statistic.
func open[R any](t *testing.T, of privacy.Statistic[R], setup privacy.Setup) privacy.Mechanism[R] {
	t.Helper()
	m, err := of.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// twoEpisodes returns the records of two episodes, which are the same but for the first of the one
// at place.
func twoEpisodes(rest []privacy.Record, first [2]privacy.Record, place int) (all [2][]privacy.Record) {
	for w := range first {
		for episode := range 2 {
			one := first[0]
			if episode == place {
				one = first[w]
			}
			all[w] = append(append(all[w], one), rest...)
		}
	}
	return all
}

// TestChoices measures the noise of every choice of the toolkit.
func TestChoices(t *testing.T) {
	t.Run("top k", func(t *testing.T) {
		of, err := mechanism.TopK{Budget: pure, K: 1, Candidates: 3, Sensitivity: 2}.Open()
		if err != nil {
			t.Fatal(err)
		}
		c := privacytest.Choice{Moves: moves(of)}
		for w, scores := range [][]float64{{5, 4, 3}, {3, 6, 5}} {
			c.Worlds[w] = func(n *privacy.Noise) ([]float64, []float64, error) {
				top := of.Start(n)
				first, err := top.Choose(scores, nil)
				if err != nil {
					return nil, nil, err
				}
				second, err := top.Choose([]float64{scores[2], scores[0], scores[1]}, nil)
				return floats(append(first, second...)), nil, err
			}
		}
		c.Check(t)
	})
	t.Run("sparse vector", func(t *testing.T) {
		of, err := mechanism.SparseVector{Epsilon: 1, Accepted: 2, Sensitivity: 2}.Open()
		if err != nil {
			t.Fatal(err)
		}
		c := privacytest.Choice{Moves: moves(of)}
		for w, value := range []float64{-3, -1} {
			c.Worlds[w] = func(n *privacy.Noise) ([]float64, []float64, error) {
				sparse := of.Start(n)
				var chosen []float64
				for _, v := range []float64{value, value - 1} {
					above, err := sparse.Above(v, 0)
					if err != nil {
						return nil, nil, err
					}
					chosen = append(chosen, map[bool]float64{true: 1}[above])
				}
				return chosen, nil, nil
			}
		}
		c.Check(t)
	})
	t.Run("experts", func(t *testing.T) {
		of, err := online.Experts{Epsilon: 1}.Open(2)
		if err != nil {
			t.Fatal(err)
		}
		c := privacytest.Choice{Moves: moves(of)}
		for w, losses := range [][]float64{{0, 1}, {1, 0}} {
			c.Worlds[w] = func(n *privacy.Noise) ([]float64, []float64, error) {
				x := of.Start(random.New(1, 0, "own"), privacy.Script(func(law privacy.Law, dst []float64) { n.Gumbel(dst, law.Scale) }))
				err := x.Update(losses)
				return []float64{float64(x.Choose())}, nil, err
			}
		}
		c.Check(t)
	})
	t.Run("vector", func(t *testing.T) {
		for relation, other := range map[privacy.Relation]float64{privacy.Replace: -7, privacy.AddRemove: 0} {
			of, err := mechanism.VectorGaussian{Budget: approximate, Dim: 1, Bound: 2,
				Neighbours: privacy.Neighbours{Relation: relation, Record: "vector", Contributions: 1}}.Open()
			if err != nil {
				t.Fatal(err)
			}
			c := privacytest.Choice{Moves: moves(of)}
			for w, value := range []float64{7, other} { // clipped
				c.Worlds[w] = func(n *privacy.Noise) ([]float64, []float64, error) {
					dst := []float64{0}
					err := of.Start(n).Release(dst, []float64{value})
					return nil, dst, err
				}
			}
			c.Check(t)
		}
	})
	s := privacy.Setup{Dim: 4, Horizon: 11, Bound: 2, Context: math.Sqrt(3), Alpha: 0.1}
	rest := func(y, second float64) (all []privacy.Record) {
		for _, x := range []float64{0.5, -0.5, 0, 0} {
			all = append(all, privacy.Record{X: []float64{1, second, x}, Y: []float64{y}})
		}
		return all
	}
	// The record turns from the first coordinate to the second, or turns its sign and that of nothing
	// that is chosen.
	turns := func(y float64) [2]privacy.Record {
		return [2]privacy.Record{{X: []float64{1, -1, 0}, Y: []float64{y}}, {X: []float64{-1, 1, 0}, Y: []float64{y}}}
	}
	signs := func(y float64) [2]privacy.Record {
		return [2]privacy.Record{{X: []float64{1, 0, 0}, Y: []float64{y}}, {X: []float64{1, 0, 0}, Y: []float64{-y}}}
	}
	five := equal(5)
	t.Run("top scores", twice(func(t *testing.T, place int) {
		x := open(t, episodes.TopScores{Budget: approximate, Picks: 1, Lengths: five, Scores: episodes.Correlations{X: 1, Y: 1}}, s)
		privacytest.Choice{Moves: moves(x),
			Worlds: transcripts(x, twoEpisodes(rest(1, 1), turns(1), place), func(r *episodes.Support) (chosen, released []float64) {
				return floats(r.Of), nil
			})}.Check(t)
	}))
	for _, c := range []struct {
		name  string
		first [2]privacy.Record
		kind  string
	}{{"choose", turns(1), privacy.GumbelLaw(1, 1).Kind}, {"release", signs(1), privacy.SymmetricGaussianLaw(1, 1).Kind}} {
		t.Run("sparse episodes "+c.name, twice(func(t *testing.T, place int) {
			x := open(t, episodes.SparseEpisodes{Budget: approximate, Lengths: five, Concentrated: true,
				Phases: []episodes.Phase{{Picks: 1, Share: 0.5, Scores: episodes.Correlations{X: 1, Y: 1}, Norm: 1, Reward: 1}}}, s)
			by := moves(x)
			others := rest(1, map[string]float64{"choose": 1}[c.name])
			privacytest.Choice{
				Moves: func(law privacy.Law) float64 {
					if law.Kind != c.kind {
						return 0
					}
					return by(law)
				},
				Idle: func(_, number int) bool { return c.name == "release" && number == 2 }, // the sum of y^2 stays
				Worlds: transcripts(x, twoEpisodes(others, c.first, place), func(r *episodes.SparseGram) (chosen, released []float64) {
					return floats(r.Support), append(append(released, r.Gram...), r.Cross...)
				})}.Check(t)
		}))
	}
	for name, gumbel := range map[string]bool{"Gumbel": true, "Laplace": false} {
		for _, kept := range []struct {
			what     string
			sparsity int
		}{{"choices", 1}, {"values", 1}, {"values", 2}} {
			t.Run(fmt.Sprintf("hard thresholding by %s noise, %s of %d", name, kept.what, kept.sparsity), twice(func(t *testing.T, place int) {
				x := open(t, episodes.NoisyIHT{Budget: approximate, Sparsity: kept.sparsity, L1: 100, Step: 0.1, Rate: 0.11, Context: 1, Lengths: five, Gumbel: gumbel}, s)
				var lambda, compared float64 // of a value, and of the difference of two that a choice compares
				for _, r := range privacy.PlanOf(x, privacy.All).Cases[0] {
					switch {
					case r.Law.Kind == privacy.GumbelLaw(1, 1).Kind:
						compared = 2 * r.Sensitivity.LInf
					case r.Own == nil:
						lambda = max(r.Sensitivity.L1, r.Sensitivity.L2)
					}
				}
				if !gumbel { // the event of a choice names no sensitivity
					compared = 2 * lambda
				}
				const far = 1e6 // clipped
				values := kept.what == "values"
				first, others := turns(far), rest(far, 1)
				if values {
					first, others = signs(far), rest(far, float64(kept.sparsity-1)/2)
				}
				privacytest.Choice{
					Moves: func(law privacy.Law) float64 {
						switch of := law.Dim == kept.sparsity; { // a choice has three numbers
						case of && values:
							return lambda
						case !of && !values:
							return compared
						}
						return 0
					},
					Worlds: transcripts(x, twoEpisodes(others, first, place), func(r *episodes.SparseTheta) (chosen, released []float64) {
						return floats(r.Support), r.Theta
					})}.Check(t)
			}))
		}
	}
}

// TestStoppingChoices measures the noise of a stopping rule: its threshold, its comparisons, and
// its estimate.
func TestStoppingChoices(t *testing.T) {
	x := open(t, mechanism.Stopping{Epsilon: 1, Alpha: 0.5, Beta: 0.1}, privacy.Setup{Horizon: 5, Bound: 2})
	var records [2][]privacy.Record
	for w, y := range []float64{2, -2} {
		for _, y := range []float64{2, 2, y, 2, 2} {
			records[w] = append(records[w], privacy.Record{Y: []float64{y}})
		}
	}
	privacytest.Choice{Moves: moves(x),
		Worlds: transcripts(x, records, func(r *mechanism.Stopped) (chosen, released []float64) {
			chosen = []float64{float64(r.Count)}
			if r.Reached {
				chosen = append(chosen, 1)
			}
			return chosen, []float64{r.Mean}
		})}.Check(t)
}

// TestThresholdedLassoChoices measures the noise of the mended LASSO: that of its comparisons where
// all are below, and that of its sums where all are above.
func TestThresholdedLassoChoices(t *testing.T) {
	const wishart = "Wishart"
	for name, gamma := range map[string]bool{"comparisons": true, "sums": false} {
		t.Run(name, func(t *testing.T) {
			x := open(t, episodes.ThresholdedLasso{Budget: privacy.Budget{Epsilon: 3, Delta: 0.01}, Sparsity: 1, Reward: 1.5, Row: 1.5,
				Repairs: episodes.Repairs{Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true, Gamma: gamma},
			}, privacy.Setup{Dim: 3, Horizon: 4, Bound: 3, Context: 1.5, Alpha: 0.1})
			by := privacy.PlanOf(x, privacy.All).Cases[0]
			var records [2][]privacy.Record
			for w, y := range []float64{1.5, -1.5} {
				for _, y := range []float64{y, 1, -1, 1} {
					records[w] = append(records[w], privacy.Record{X: []float64{1.5, 0}, Y: []float64{y}})
				}
			}
			privacytest.Choice{
				Moves: func(law privacy.Law) float64 {
					switch of := law.Kind == wishart; {
					case of && !gamma:
						return by[1].Sensitivity.L2
					case !of && gamma:
						return by[0].Sensitivity.LInf
					}
					return 0
				},
				Below: 0.02,                                            // a coefficient comes near to its bound, but for the penalty
				Idle:  func(_, number int) bool { return number == 5 }, // the sum of y^2 stays
				Worlds: transcripts(x, records, func(r *episodes.SparseGram) (chosen, released []float64) {
					return floats(r.Support), append(append(released, r.Gram...), r.Cross...)
				})}.Check(t)
		})
	}
}

// twice runs a test for a record of the first episode, and for one of the second.
func twice(test func(t *testing.T, place int)) func(*testing.T) {
	return func(t *testing.T) {
		for place := range 2 {
			t.Run(fmt.Sprint("episode ", place+1), func(t *testing.T) { test(t, place) })
		}
	}
}

// equal is a rule of episodes of one length.
type equal int

func (n equal) Length(int, int, float64) int { return int(n) }

// TestChoicesCatches: noise that is too small, left out or used twice is found.
func TestChoicesCatches(t *testing.T) {
	for bug, want := range map[string]string{
		"": "", "halved": "by 4, and the plan says at most 2", "left out": "changes nothing", "twice": "changes nothing", "wasted": "set Choice.Below",
	} {
		t.Run(bug, func(t *testing.T) {
			c := privacytest.Choice{Moves: func(privacy.Law) float64 { return 2 }}
			for w, scores := range [][2]float64{{1, 0}, {0, 1}} {
				c.Worlds[w] = func(n *privacy.Noise) ([]float64, []float64, error) {
					var z [2]float64
					n.Laplace(z[:], 1)
					switch bug {
					case "halved":
						z[0] /= 2
						z[1] /= 2
					case "left out":
						z[1] = 0
					case "twice":
						z[1] = z[0]
					case "wasted":
						z[0] *= 2
						z[1] *= 2
					}
					if scores[0]+z[0] > scores[1]+z[1] {
						return []float64{0}, nil, nil
					}
					return []float64{1}, nil, nil
				}
			}
			failures := bandittest.Failures(func(t testing.TB) { c.Check(t) })
			if got := strings.Join(failures, "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
