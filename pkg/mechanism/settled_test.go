package mechanism_test

import (
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// mechanisms are opened mechanisms of all kinds, by name.
func mechanisms(t *testing.T) map[string]privacy.Planner {
	all := map[string]privacy.Planner{}
	b, pure := privacy.Budget{Epsilon: 0.7, Delta: 0.01}, privacy.Budget{Epsilon: 0.7}
	add := func(name string, p privacy.Planner, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = p
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		for _, a := range []privacy.Accumulator{
			continual.Tree{Noise: continual.Gaussian{Budget: b, Calibration: c}}, continual.Tree{Noise: continual.Wishart{Budget: b, Calibration: c}},
			continual.Tree{Noise: continual.Wishart{Budget: b, Calibration: c, Unshifted: true}}, continual.Tree{Noise: continual.Gaussian{Budget: b, Padded: true}},
			continual.PanPrivateTree{Noise: continual.Gaussian{Budget: b, Calibration: c}}, continual.PanPrivateTree{Noise: continual.Wishart{Budget: b, Calibration: c}},
			continual.Tree{Noise: continual.Wishart{Budget: b, Degrees: 1 << 40}},
			continual.Honaker{Budget: b}, continual.SquareRoot{Budget: b}, continual.BLT{Budget: b}, continual.BLT{Budget: b, Buffers: 1}, continual.Unbounded{Budget: b}, continual.Unbounded{Budget: b, Growth: 1e-9},
		} {
			p, err := a.Open(privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1})
			add(fmt.Sprintf("%+v", a), p, err)
		}
		for _, s := range []privacy.Setup{{Arms: 5, Slots: 2, Horizon: 40, Lo: -3, Hi: 5}, {Arms: 5, Slots: 2, Horizon: 17, Hi: 1, WarmUp: true}} {
			for _, of := range []privacy.Tally{
				tally.Blocks{Budget: pure, Calibration: c}, tally.Blocks{Budget: b, Calibration: c},
				tally.Blocks{Budget: pure, Calibration: c, Remember: true}, tally.Blocks{Budget: b, Calibration: c, Remember: true},
				tally.Tree{Budget: pure}, tally.Tree{Budget: b},
			} {
				p, err := of.Open(s)
				add(fmt.Sprintf("%T %+v, warm-up %v", of, of, s.WarmUp), p, err)
			}
		}
	}
	rows := privacy.Setup{Dim: 7, Horizon: 60}
	phase := episodes.Phase{Picks: 3, Share: 0.6, Scores: episodes.Signs{Y: 1}, Norm: 1.5, Reward: 0.9}
	sparse, err := episodes.SparseEpisodes{Budget: b, Lengths: episodes.Growing{Least: 8, Factor: 1.5}, Phases: []episodes.Phase{phase}}.Open(rows)
	add("SparseEpisodes", sparse, err)
	lasso, err := episodes.ThresholdedLasso{Budget: b, Sparsity: 2, Reward: 1.5, Row: 2}.Open(rows)
	add("ThresholdedLasso", lasso, err)
	hard, err := episodes.NoisyIHT{Budget: b, Calibration: privacy.AsPublished, Sparsity: 2, L1: 1.5}.Open(rows)
	add("NoisyIHT", hard, err)
	answers, err := tally.Additive{Budget: b, Query: nothing{}}.Open(privacy.Setup{Arms: 5, Slots: 2, Horizon: 17, Hi: 1})
	add("Additive", answers, err)
	laplace, err := mechanism.Laplace{Epsilon: 0.7, Dim: 3, Lo: -1, Hi: 2}.Open()
	add("Laplace", laplace, err)
	gaussian, err := mechanism.VectorGaussian{Budget: b, Dim: 3, Bound: 2}.Open()
	add("VectorGaussian", gaussian, err)
	secure, err := mechanism.SecureGaussian{Budget: b, Dim: 3, Bound: 2}.Open()
	add("SecureGaussian", secure, err)
	queries, err := mechanism.SparseVector{Epsilon: 0.7, Accepted: 2, Sensitivity: 1}.Open()
	add("SparseVector", queries, err)
	top, err := mechanism.TopK{Budget: b, K: 2, Candidates: 4, Sensitivity: 0.1}.Open()
	add("TopK", top, err)
	response, err := mechanism.RandomisedResponse{Epsilon: 0.7, Choices: 3}.Open()
	add("RandomisedResponse", response, err)
	return all
}

// TestPlansAreCopies: whoever changes a plan, or the plan of a claim, changes nothing that is
// claimed later.
func TestPlansAreCopies(t *testing.T) {
	for name, of := range mechanisms(t) {
		say := func() string {
			p := privacy.PlanOf(of, privacy.All)
			return fmt.Sprintf("%+v %+v %q", p.Cases, p.Draws, p.Conditions)
		}
		want := say()
		claim := privacy.ClaimOf(of)
		if claim.Held() {
			want += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		for _, p := range []privacy.Plan{privacy.PlanOf(of, privacy.All), claim.Plan()} {
			for _, releases := range p.Cases {
				for i := range releases {
					releases[i].Sensitivity = privacy.Norms{}
					releases[i].Law.Scale *= 1e6
					for j := range releases[i].Parts {
						releases[i].Parts[j].Law.Scale *= 1e6
					}
				}
			}
			for i := range p.Draws {
				p.Draws[i].Scale *= 1e6
			}
			for i := range p.Conditions {
				p.Conditions[i] = "none"
			}
		}
		got := say()
		if claim.Held() {
			got += fmt.Sprintf("%+v", claim.Plan().Event())
		}
		if got != want {
			t.Errorf("%s: after its plan was changed it says\n%s\nwant\n%s", name, got, want)
		}
	}
}
