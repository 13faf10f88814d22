package pkg_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/draw"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// What subjects are made of, all of it valid.
var (
	budget     = privacy.Budget{Epsilon: 1, Delta: 0.01}
	narrow     = privacy.Budget{Epsilon: 0.1, Delta: 1e-5}
	oneUser    = privacy.Neighbours{Relation: privacy.Replace, Record: "record", Contributions: 1}
	setup      = privacy.Setup{Dim: 3, Horizon: 16, Bound: 2, Context: 1, Alpha: 0.1}
	tallySetup = privacy.Setup{Arms: 4, Slots: 2, Horizon: 16, Lo: 0, Hi: 1}
	contextual = bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	curved     = bandit.Problem{Arms: 3, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
	single     = bandit.Problem{Arms: 4, Slots: 1, RewardMin: 0, RewardMax: 1}
	semi       = bandit.Problem{Arms: 4, Slots: 2, RewardMin: 0, RewardMax: 1}
)

func pick2of4() matroid.Matroid {
	m, err := matroid.NewUniform(4, 2)
	if err != nil {
		panic(err)
	}
	return m
}

// logged is a short log of a bandit.
func logged() *offpolicy.Log {
	return &offpolicy.Log{
		Arms: 2, Dim: 2, Contexts: []float64{0.5, 2, -1, 0, 1, 1}, Chosen: []int{0, 1, 0}, Rewards: []float64{1, 0, 0.5},
		Propensities: []float64{0.5, 0.2, 1}, Users: []int{0, 1, 0}, RewardMin: 0, RewardMax: 1,
	}
}

func evaluation() *offpolicy.Evaluation {
	uniform := func(_, p []float64) {
		for a := range p {
			p[a] = 1 / float64(len(p))
		}
	}
	return &offpolicy.Evaluation{Log: logged(), Policy: uniform, Clip: 2, Level: 0.9, Ridge: 1, Folds: 2}
}

// of is a subject that hands the arguments to a function, or to a value's Open, Init, Validate or
// Run. What a function leaves of them goes to what it makes.
func of(name string, make func() []any) subject { return subject{name: name, make: make} }

func setups(name string, make func() any) subject {
	return of(name, func() []any { return []any{make(), setup} })
}

func tallies(name string, make func() any) subject {
	return of(name, func() []any { return []any{make(), tallySetup} })
}

func linears(name string, make func() any) subject {
	return of(name, func() []any { return []any{make(), contextual, 16} })
}

func semis(name string, make func() any) subject {
	return of(name, func() []any { return []any{make(), semi, 16} })
}

// onesOf is a subject that plays one arm a round.
func onesOf(name string, make func() any) subject {
	return of(name, func() []any { return []any{make(), single, 16} })
}

// byTwo is a constructor of a learner of one arm a round by its epsilon and another number.
func byTwo(name string, make func(epsilon, other float64) learner.Private[privacy.Means], other float64) subject {
	return of(name, func() []any { return []any{make, 1.0, other, single, 16} })
}

// entries makes the subjects of each learner of the catalogue: by its name, for any budget; by what
// it is made of; and, if it reads means, over blocks, which are released early.
func entries() (list []subject) {
	for _, e := range catalogue.All() {
		named := catalogue.Learner{Name: e.Name, Budget: budget}
		problems := []bandit.Problem{contextual, curved, semi, single}
		i := slices.IndexFunc(problems, func(p bandit.Problem) bool {
			_, err := named.Open(p, 16)
			return err == nil
		})
		if i < 0 {
			panic(e.Name + " plays no problem of the harness")
		}
		p := problems[i]
		learners := func(name string, l bandit.Learner) subject {
			return of(name+" "+e.Name, func() []any { return []any{l, p, 16} })
		}
		l := e.New(p, budget)
		_, halves := l.(learner.Local)
		if halves = halves || strings.HasPrefix(e.Name, "core set"); !halves { // which have to fit, and are tried above
			list = append(list, learners("catalogue.Entry", l))
		}
		if e.Private {
			list = append(list, learners("catalogue.Learner", named).on(".Epsilon", ".Delta"))
		}
		if over, ok := l.(learner.Private[privacy.Means]); ok && !e.Linear && over.Statistic != blocks() {
			over.Statistic = blocks()
			list = append(list, learners("catalogue.Entry over blocks", over))
		}
	}
	return list
}

// blocks is a statistic for what plays one arm a round.
func blocks() privacy.Tally { return tally.Blocks{Budget: privacy.Budget{Epsilon: 1}} }

func values(name string, make func() any) subject {
	return of(name, func() []any { return []any{make()} })
}

// plans is the plan of a release under laws.
func plans(of string, laws ...privacy.Law) subject {
	return subject{name: "privacy.Plan " + of, make: func() []any {
		batch := 0
		one := privacy.Norms{L1: 1, L2: 1, LInf: 1}
		r := privacy.Release{Law: laws[0], Sensitivity: one, Times: 2}
		for _, law := range laws[1:] {
			switch {
			case law.Kind == privacy.ShuffleLaw(1).Kind:
				batch, r.Times = law.Dim, 0 // a user sends one message
			case of == "of comparisons":
				r.Threshold = law
			default:
				r.Parts = append(r.Parts, privacy.Part{Law: law, Sensitivity: one})
			}
		}
		return []any{func(r privacy.Release, batch int, asked privacy.Budget) *planned {
			p := privacy.Plan{Neighbours: oneUser, Asked: asked, Cases: [][]privacy.Release{{r}}}
			if batch != 0 {
				p = p.Mixed(trust.Order, batch)
			}
			return claimed(p)
		}, r, batch, budget}
	}}
}

// planned holds a plan that it is told.
type planned struct{ plan privacy.Plan }

func (p *planned) Plan(int) privacy.Plan { return p.plan.HeldBy(p) }

// claimed has somebody hold a plan.
func claimed(p privacy.Plan) *planned { return &planned{p} }

// equalBlocks is a rule of blocks that are equally long but for the first.
type equalBlocks struct{ Length0, Rest int }

func (b equalBlocks) Length(i int) int {
	if i == 0 {
		return b.Length0
	}
	return b.Rest
}

// middle is a query: the mean weight but for the Cut least and the Cut largest of a batch.
type middle struct{ Cut int }

func (middle) Dim(privacy.Setup) int { return 1 }

func (m middle) Sensitivity(s privacy.Setup, n int) privacy.Norms {
	if m.Cut < 0 || 2*m.Cut >= n*s.Slots {
		return privacy.Norms{} // which is refused
	}
	return privacy.Norms{L1: float64(s.Slots) * (s.Hi - s.Lo) / float64(n*s.Slots-2*m.Cut)}
}

func (m middle) Answer(_ privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	var all []float64
	for _, r := range records {
		all = append(all, r.Y...)
	}
	if 2*m.Cut >= len(all) {
		return append(dst, 0), nil
	}
	slices.Sort(all)
	all = all[m.Cut : len(all)-m.Cut]
	sum := 0.0
	for _, y := range all {
		sum += y
	}
	return append(dst, sum/float64(len(all))), nil
}

// mixer starts a shuffler.
func mixer(s learner.Shuffler, batch int) (learner.Mixer, error) {
	if err := s.Check(batch); err != nil {
		return nil, err
	}
	s.Drawn(batch, 3)
	return s.Start(batch, privacy.NewNoise(random.Source(1, 0, "noise"))), nil
}

// upTo is a delay of up to so many rounds.
type upTo struct{ Rounds int }

func (d upTo) Draw(own *rand.Rand) int { return own.IntN(d.Rounds + 1) }

// sparse is a statistic of two phases, the first of which has two releases.
func sparseEpisodes() episodes.SparseEpisodes {
	return episodes.SparseEpisodes{Budget: budget, Concentrated: true, Refine: true, Lengths: episodes.Growing{Least: 4},
		Phases: []episodes.Phase{{Picks: 1, Share: 0.5, Scores: episodes.Signs{}, Norm: 1, Reward: 1}, {Norm: 1, Reward: 0.5}}}
}

// sparseJDP are the arguments of a recipe. Its first episode is too long for a short horizon: what
// is tried is that it says so. The plain recipe, which is fast, has all leaves set.
func sparseJDP(make func(privacy.Budget, int) learner.Private[episodes.SparseGram]) []any {
	return []any{func(b privacy.Budget, sparsity int) bandit.Learner {
		l := make(b, sparsity)
		s := l.Statistic.(episodes.SparseEpisodes)
		s.Concentrated = true // exact accounting takes long
		l.Statistic = s
		return l
	}, budget, 1, contextual, 1000}
}

// printed is the printed private LASSO.
func printed() episodes.ThresholdedLasso {
	return episodes.ThresholdedLasso{Budget: budget, Sparsity: 1, Lambda: 0.1, Compatibility: 0.5, Reward: 1.5, Context: 1, Norm: 1, Row: 2}
}

// soon is the time that a long run is given before it is cancelled.
func soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	_ = cancel
	return ctx
}

func subjects() []subject {
	list := []subject{
		of("random.NewBinomial", func() []any { return []any{random.NewBinomial, int64(9), 0.5} }),
		of("random.NewDiscreteGaussian", func() []any { return []any{random.NewDiscreteGaussian, uint64(9), uint64(2)} }),
		of("random.NewDiscreteLaplace", func() []any { return []any{random.NewDiscreteLaplace, uint64(9), uint64(2)} }),
		of("random.BetaBelow.Set", func() []any {
			return []any{func(low, high, least, w float64) (b random.BetaBelow) {
				b.Set(low, high, least, w)
				return b
			}, 9.0, 10.0, 8.0, 0.75}
		}),
		of("random.NewWishart", func() []any { return []any{random.NewWishart, 3, 5, 1.5} }),
		values("draw.TruncatedBeta", func() any { return &draw.TruncatedBeta{Dim: 4, Lo: -0.5, Hi: 0.25} }),

		of("privacy.Budget.CalibrateSelection", func() []any {
			return []any{func(b privacy.Budget, picks int, share float64) (float64, error) {
				pick, mu, err := b.CalibrateSelection(picks, share)
				return pick + mu, err
			}, budget, 2, 0.5}
		}),
		of("account.NewDiscretePair", func() []any {
			return []any{account.NewDiscretePair, []float64{0.5, 0.5}, []float64{0.25, 0.75}}
		}),
		of("design.Of", func() []any { return []any{design.Of, []float64{1, 0, 0, 1, 1, 1}, 2} }),
		of("design.Optimal", func() []any { return []any{&design.Optimal{Most: 2, Pairs: true}, 4, 3} }),
		values("lasso.Regression", func() any { return lasso.Regression{Dim: 3, Fold: 2, Tolerance: 1e-6, MaxSweeps: 100} }),

		values("account.Exposed", func() any { return &account.Exposed{Why: "of no noise"} }),
		of("privacy.Sums", func() []any {
			return []any{func(b privacy.Bounds, of privacy.Spread, rho float64) (privacy.Sums, error) {
				return (&privacy.Sums{Packed: make([]float64, 3), Shift: 1, Bounds: b, Spread: of}).Shifted(rho)
			}, privacy.Bounds{RhoMin: 1, RhoMax: 2, Gamma: 1}, privacy.Spread{High: 1, Norm: 1}, 3.0}
		}),
		values("privacy.Setup", func() any { s := setup; return &s }),
		values("privacy.Setup", func() any { s := tallySetup; return &s }),
		values("privacy.Budget", func() any { b := budget; return &b }),
		values("privacy.Neighbours", func() any { n := oneUser; return &n }),
		values("account.BinomialEvent", func() any {
			return &account.BinomialEvent{Trials: 4000, P: 0.25, Coordinates: 3, Most: 4, Norm: 5, Tail: 1e-6}
		}),
		values("account.GaussianEvent", func() any { return &account.GaussianEvent{Mu: 1} }),
		values("account.LaplaceEvent", func() any { return &account.LaplaceEvent{Epsilon: 1} }),
		values("account.DiscreteGaussianEvent", func() any { return &account.DiscreteGaussianEvent{Dim: 3, Sensitivity: 2, Sigma: 3} }),
		values("account.DiscreteLaplaceEvent", func() any { return &account.DiscreteLaplaceEvent{Sensitivity: 2, Scale: 3} }),
		values("account.ResponseEvent", func() any { return &account.ResponseEvent{Epsilon: 1, Choices: 3} }),
		values("account.ExponentialEvent", func() any { return &account.ExponentialEvent{Epsilon: 1} }),
		values("account.SparseVectorEvent", func() any { return &account.SparseVectorEvent{Epsilon: 0.5, Accepted: 2} }),
		values("account.WishartEvent", func() any { return &account.WishartEvent{Epsilon: narrow.Epsilon, Delta: narrow.Delta, Nodes: 4} }),
		values("account.ApproximateEvent", func() any { return &account.ApproximateEvent{Epsilon: budget.Epsilon, Delta: budget.Delta} }),
		values("account.Sequence", func() any {
			return &account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, account.GaussianEvent{Mu: 0.2}}
		}),
		values("account.Repeat", func() any { return &account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.1}, Times: 3} }),
		values("account.Repeat of Gaussians", func() any { return &account.Repeat{Event: account.GaussianEvent{Mu: 0.1}, Times: 3} }),
		values("account.Parallel", func() any {
			return &account.Parallel{account.LaplaceEvent{Epsilon: 0.1}, account.GaussianEvent{Mu: 0.2}}
		}),
		values("account.GroupEvent", func() any { return &account.GroupEvent{Event: account.LaplaceEvent{Epsilon: 0.2}, Contributions: 2} }),
		values("account.ShuffleEvent", func() any { return &account.ShuffleEvent{Local: 0.5, Users: 100} }),
		of("privacy.Budget.GaussianMu", func() []any { return []any{privacy.Budget.GaussianMu, budget} }),
		of("privacy.Budget.ConcentratedRho", func() []any { return []any{privacy.Budget.ConcentratedRho, budget} }),
		of("privacy.Budget.ZCDP", func() []any { return []any{privacy.Budget.ZCDP, budget} }),
		of("privacy.Budget.AmplifiedMu", func() []any { return []any{privacy.Budget.AmplifiedMu, budget, 100} }),
		of("privacy.Budget.CalibrateBinomial", func() []any {
			e := account.BinomialEvent{Trials: 4000, P: 0.25, Coordinates: 3, Most: 4, Norm: 5, Tail: 1e-6}
			return []any{privacy.Budget.CalibrateBinomial, budget, e, int64(1)}
		}),

		plans("of Gaussian noise", privacy.GaussianLaw(3, 4)),
		plans("of Gaussian messages in a batch", privacy.GaussianLaw(3, 4), privacy.ShuffleLaw(32)).
			on(".Law.Scale", ".L2", ".Joint", ".Times", ".Own", ".Epsilon", ".Delta", "argument 2"),
		plans("of Gaussian noise on a matrix and a vector", privacy.SymmetricGaussianLaw(3, 4), privacy.GaussianLaw(3, 5)),
		plans("of Laplace noise", privacy.LaplaceLaw(1, 4)),
		plans("of comparisons", privacy.LaplaceLaw(1, 8), privacy.LaplaceLaw(1, 4)),
		plans("of Gumbel noise", privacy.GumbelLaw(3, 4)),
		plans("of responses", privacy.ResponseLaw(3, 0.5)),
		plans("of responses in a batch", privacy.ResponseLaw(3, 0.5), privacy.ShuffleLaw(100)).
			on(".Law.Scale", ".Law.Shape", ".Times", ".Own", ".Epsilon", ".Delta", "argument 2"),
		plans("of discrete Gaussian noise", privacy.Law{Kind: "discrete Gaussian", Dim: 3, Scale: 4}),
		plans("of discrete Laplace noise", privacy.Law{Kind: "discrete Laplace", Dim: 1, Scale: 4}),
		plans("of binomial noise", privacy.Law{Kind: "binomial", Dim: 3, Scale: 0.25, Shape: 4000}),
		plans("of Wishart noise", privacy.Law{Kind: "Wishart", Dim: 3, Scale: 1, Shape: 1e5}),
		plans("of an unknown law", privacy.Law{Kind: "of my own", Dim: 3, Scale: 1}),
		of("privacy.Plan of Gaussian events", func() []any {
			return []any{claimed, privacy.Plan{Neighbours: oneUser, Asked: budget, Cases: [][]privacy.Release{
				{{Own: &account.GaussianEvent{Mu: 0.25}, Times: 2}, {Own: &account.GaussianEvent{Mu: 0.5}}},
			}}}
		}),
		of("privacy.Plan of events of two kinds", func() []any {
			return []any{claimed, privacy.Plan{Neighbours: oneUser, Asked: budget, Cases: [][]privacy.Release{
				{{Own: &account.LaplaceEvent{Epsilon: 0.5}, Times: 2}, {Own: &account.GaussianEvent{Mu: 0.5}}},
			}}}
		}).on(".Asked.Epsilon", ".Asked.Delta", ".Times", ".Own", ".Own.Epsilon", ".Own.Mu"),

		setups("continual.Exact", func() any { return continual.Exact{Ridge: 1} }),
		setups("continual.Gaussian", func() any { return continual.Gaussian{Budget: budget} }),
		setups("continual.Wishart", func() any { return continual.Wishart{Budget: narrow} }),
		setups("continual.Tree", func() any { return continual.Tree{Noise: continual.Gaussian{Budget: budget}} }),
		setups("continual.Tree of Wishart noise", func() any { return continual.Tree{Noise: continual.Wishart{Budget: narrow}} }),
		setups("continual.PanPrivateTree", func() any { return continual.PanPrivateTree{Noise: continual.Gaussian{Budget: budget}} }),
		setups("continual.Honaker", func() any { return continual.Honaker{Budget: budget} }),
		setups("continual.SquareRoot", func() any { return continual.SquareRoot{Budget: budget} }),
		setups("continual.BLT", func() any { return continual.BLT{Budget: budget} }),
		setups("continual.Unbounded", func() any { return continual.Unbounded{Budget: budget, Growth: 0.5} }),
		setups("continual.Seldom", func() any { return continual.Seldom{Budget: budget, Growth: 0.5, Buffers: 2} }),
		setups("continual.SecureTree", func() any { return continual.SecureTree{Budget: budget} }),
		tallies("tally.Counts", func() any { return tally.Counts{} }),
		tallies("tally.Blocks", func() any { return tally.Blocks{Budget: privacy.Budget{Epsilon: 1}} }),
		tallies("tally.Blocks of Gaussian noise", func() any { return tally.Blocks{Budget: budget, Remember: true} }),
		tallies("tally.Blocks of equal length", func() any {
			return tally.Blocks{Budget: privacy.Budget{Epsilon: 1}, Lengths: equalBlocks{Length0: 2, Rest: 3}}
		}),
		tallies("tally.Blocks of one record", func() any {
			return tally.Blocks{Budget: budget, Remember: true, Lengths: equalBlocks{Length0: 1, Rest: 1}}
		}),
		of("tally.Blocks over a long horizon", func() []any {
			s := tallySetup
			s.Horizon = 1<<21 - 1
			return []any{tally.Blocks{Budget: budget, Lengths: equalBlocks{Length0: 1, Rest: 1}}, s}
		}).on(".Epsilon", ".Delta", ".Remember", ".Lengths", ".Length0", ".Rest", ".Arms", ".Slots", ".Horizon", ".WarmUp"),
		tallies("tally.RoundBatches", func() any {
			return tally.RoundBatches{Budget: privacy.Budget{Epsilon: 1}, Lengths: linear.CoreSetBatches{}}
		}),
		tallies("tally.Additive", func() any {
			return tally.Additive{Budget: budget, Query: middle{Cut: 1}, Lengths: tally.EqualRounds(4)}
		}),
		tallies("tally.Additive on a grid", func() any {
			return tally.Additive{Budget: privacy.Budget{Epsilon: 1}, Query: middle{}, Grid: 0.25}
		}),
		of("tally.Regression", func() []any {
			s := setup
			s.Arms, s.Slots, s.Lo, s.Hi = 4, 1, -1, 1
			return []any{tally.Regression{Budget: budget, Lengths: linear.AdaCGOPE{Budget: budget}}, s}
		}),
		of("continual.PublicContexts", func() []any {
			s := setup
			s.Lo, s.Hi = -1, 1
			return []any{continual.PublicContexts{Budget: budget, Growth: 0.5, Ridge: 2, Buffers: 2}, s}
		}),
		linears("linear.AdaCGOPE", func() any {
			g := linear.AdaCGOPE{Budget: budget, Most: 1.1}
			return learner.New(g, tally.Regression{Budget: budget, Lengths: g})
		}),
		of("linear.AdaCGOPE{}.Private", func() []any { return []any{linear.AdaCGOPE{}.Private, budget, contextual, 300} }),
		of("linear.UCB{}.AdaCOFUL", func() []any { return []any{linear.UCB{}.AdaCOFUL, budget, contextual, 300} }),
		linears("linear.CoreSet", func() any {
			return learner.New(linear.CoreSet{}, tally.RoundBatches{Budget: privacy.Budget{Epsilon: 1}, Lengths: linear.CoreSetBatches{}})
		}),
		of("linear.CoreSet{}.Private", func() []any {
			return []any{linear.CoreSet{}.Private, budget, contextual, 300}
		}),
		tallies("tally.Tree", func() any { return tally.Tree{Budget: privacy.Budget{Epsilon: 1}} }),
		tallies("tally.Tree of Gaussian noise", func() any { return tally.Tree{Budget: budget} }),
		tallies("tally.Batches", func() any {
			return tally.Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: tally.Geometric{First: 2, Ratio: 1.5}}
		}),
		tallies("tally.Batches of Gaussian noise", func() any {
			return tally.Batches{Budget: budget, Cumulative: true, Lengths: tally.Geometric{First: 2, Ratio: 1.5}}
		}).on(".Epsilon", ".Delta", ".Cumulative", ".Lengths", ".WarmUp", ".Slots", ".Horizon"),
		tallies("tally.Hybrid", func() any { return tally.Hybrid{Epsilon: 1} }).
			on(".Epsilon", ".Arms", ".Slots", ".Horizon", ".Lo", ".Hi", ".WarmUp"), // whose claim takes long
		tallies("tally.Cascade", func() any { return tally.Cascade{Budget: privacy.Budget{Epsilon: 1}} }),
		tallies("tally.Cascade of Gaussian noise", func() any { return tally.Cascade{Budget: budget} }),
		tallies("tally.LimitedDraws", func() any { return tally.LimitedDraws{Budget: budget, Alpha: 0.5, Draws: 3} }),
		tallies("tally.PosteriorDraws", func() any { return tally.PosteriorDraws{Variance: 1, First: 2, Delta: 1e-5} }),
		tallies("tally.Response", func() any { return tally.Response{Epsilon: 1} }),
		values("tally.Geometric", func() any { return tally.Geometric{First: 2, Ratio: 1.5} }),
		setups("continual.VectorExact", func() any { return continual.VectorExact{} }),
		setups("continual.VectorTree", func() any { return continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}} }),
		setups("continual.VectorSquareRoot", func() any { return continual.VectorSquareRoot{Budget: budget} }),
		setups("continual.VectorBatches", func() any { return continual.VectorBatches{Budget: budget} }),
		setups("continual.VectorBLT", func() any { return continual.VectorBLT{Budget: budget} }),
		values("mechanism.Laplace", func() any { return mechanism.Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1, Neighbours: oneUser} }),
		values("mechanism.VectorGaussian", func() any { return mechanism.VectorGaussian{Budget: budget, Dim: 3, Bound: 1, Neighbours: oneUser} }),
		values("mechanism.RandomisedResponse", func() any { return mechanism.RandomisedResponse{Epsilon: 1, Choices: 3, Neighbours: oneUser} }),
		values("mechanism.SecureGaussian", func() any { return mechanism.SecureGaussian{Budget: budget, Dim: 3, Bound: 1, Neighbours: oneUser} }),
		values("mechanism.SecureLaplace", func() any { return mechanism.SecureLaplace{Epsilon: 1, Dim: 3, Bound: 1, Neighbours: oneUser} }),
		values("mechanism.SparseVector", func() any {
			return mechanism.SparseVector{Epsilon: 1, Accepted: 2, Sensitivity: 1, Neighbours: oneUser}
		}),
		setups("mechanism.Stopping", func() any { return mechanism.Stopping{Epsilon: 1, Alpha: 0.2, Beta: 0.1} }),
		values("mechanism.TopK", func() any {
			return mechanism.TopK{Budget: budget, K: 2, Candidates: 4, Sensitivity: 1, Neighbours: oneUser}
		}),

		setups("episodes.SparseEpisodes", func() any { return sparseEpisodes() }),
		setups("episodes.NoisyIHT", func() any {
			return episodes.NoisyIHT{Budget: budget, Sparsity: 1, L1: 1, Step: 0.1, Rate: 0.4, Sd: 1, Context: 2, Lengths: episodes.Growing{Least: 4}}
		}),
		setups("episodes.ThresholdedLasso", func() any { return printed() }),
		setups("episodes.TopScores", func() any {
			return episodes.TopScores{Budget: budget, Picks: 1, Scores: episodes.Correlations{X: 1, Y: 2}, Lengths: episodes.Growing{Least: 4}}
		}),
		values("episodes.Signs", func() any { return episodes.Signs{Y: 1} }),
		values("episodes.Correlations", func() any { return episodes.Correlations{X: 1, Y: 1} }),
		values("episodes.SparseEstimate", func() any { return episodes.SparseEstimate{Ridge: 1, Keep: 1} }),
		of("episodes.Growing", func() []any {
			return []any{func(g episodes.Growing, i, dim int, scale float64) (int, error) {
				n := g.Length(i, dim, scale)
				if n < 1 {
					return 0, errors.New("no length, want >= 1")
				}
				return n, nil
			}, episodes.Growing{Least: 4, Noise: 2, Signal: 0.5, Factor: 2}, 1, 3, 2.0}
		}),
		linears("sparse.SparseJDP", func() any { return learner.New(sparse.SparseJDP{}, sparseEpisodes()) }),
		of("sparse.SparseJDP{}.Private", func() []any { return sparseJDP(sparse.SparseJDP{}.Private) }).
			on(".Epsilon", ".Delta", "argument 2", "argument 4"),
		of("sparse.SparseJDP{}.Tuned", func() []any { return sparseJDP(sparse.SparseJDP{}.Tuned) }).
			on(".Epsilon", ".Delta", "argument 2", "argument 4"),
		of("sparse.SparseJDP{}.Plain", func() []any { return sparseJDP(sparse.SparseJDP{}.Plain) }),

		linears("sparse.FLIPHAT", func() any {
			return learner.New(sparse.FLIPHAT{}, episodes.NoisyIHT{Budget: budget, Sparsity: 1, L1: 1, Calibration: privacy.AsPublished})
		}),
		linears("sparse.PrivateThresholdedLasso", func() any {
			return learner.New(sparse.PrivateThresholdedLasso{Ridge: 1}, printed())
		}),
		of("sparse.FLIPHAT{}.Private", func() []any {
			return []any{func(b privacy.Budget, sparsity int, l1 float64) bandit.Learner {
				l := sparse.FLIPHAT{}.Private(b, sparsity, l1)
				s := l.Statistic.(episodes.NoisyIHT)
				s.Calibration = privacy.AsPublished // exact accounting takes long
				l.Statistic = s
				return l
			}, budget, 1, 1.5, contextual, 1000}
		}),
		of("sparse.SparseBits", func() []any {
			return []any{func(b sparse.SparseBits) bandit.Learner {
				return learner.Local{Device: sparse.SparseBitsDevice{Bits: b}, Server: sparse.SparseBitsServer{Bits: b}}
			}, sparse.SparseBits{Budget: budget, Sparsity: 1, Signal: 1}, contextual, 1000}
		}),
		of("sparse.SparseBitsDevice", func() []any {
			return []any{sparse.SparseBitsDevice{Bits: sparse.SparseBits{Budget: budget, Sparsity: 1, Signal: 1}}, contextual, 1000}
		}),
		of("sparse.SparseBitsServer", func() []any {
			return []any{sparse.SparseBitsServer{Bits: sparse.SparseBits{Budget: budget, Sparsity: 1, Signal: 1}}, contextual, 1000}
		}),
		of("sparse.SparseBits{}.Learner", func() []any {
			return []any{sparse.SparseBits.Learner, sparse.SparseBits{Budget: budget, Sparsity: 1}, contextual, 10000}
		}),
		of("sparse.PrivateThresholdedLasso{}.Private", func() []any {
			return []any{sparse.PrivateThresholdedLasso{}.Private, budget, 1, contextual, 1000}
		}),

		linears("linear.UCB", func() any { return learner.New(linear.UCB{}, continual.Exact{}) }),
		linears("linear.UCB over a tree", func() any {
			return learner.New(linear.UCB{OptimalShift: true}, continual.Tree{Noise: continual.Gaussian{Budget: budget}})
		}),
		linears("linear.Weighted", func() any {
			return learner.New(linear.Weighted{}, continual.VectorBatches{Budget: budget})
		}),
		linears("linear.Logistic", func() any { return learner.New(linear.Logistic{ThetaNorm: 2}, continual.BLT{Budget: budget}) }),
		linears("linear.UCB over Unbounded", func() any { return learner.New(linear.UCB{}, continual.Unbounded{Budget: budget, Growth: 0.5}) }),
		linears("sparse.ThresholdedLasso", func() any { return sparse.ThresholdedLasso{Lambda: 0.02, Tolerance: 1e-6} }),
		linears("sparse.SparsityAgnostic", func() any { return sparse.SparsityAgnostic{Lambda: 0.02, Tolerance: 1e-6} }),
		linears("sparse.LassoBandit", func() any {
			return sparse.LassoBandit{Forced: 2, Gap: 1, LambdaForced: 0.1, LambdaAll: 0.1, Tolerance: 1e-6}
		}),
		linears("sparse.DoublyRobustLasso", func() any {
			return sparse.DoublyRobustLasso{Explore: 0.5, Lambda: 0.1, Start: 3, Truncate: 3, Tolerance: 1e-6}
		}),
		linears("catalogue.Learner", func() any { return catalogue.Learner{Name: "LinUCB"} }),
		linears("learner.Random", func() any { return learner.Random{} }),
		linears("sparse.SupportOracle", func() any { return sparse.SupportOracle{Support: []int{1, 0}, Ridge: 1} }),
		linears("learner.Metered", func() any {
			return learner.Metered{Learner: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}), Budget: budget, Freeze: true}
		}),
		linears("learner.RandomisedAction", func() any { return learner.RandomisedAction{Learner: learner.New(linear.UCB{}, nil), Epsilon: 1} }),
		linears("learner.RandomisedAction over a tree", func() any {
			return learner.RandomisedAction{Learner: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}), Epsilon: 1}
		}).on(".Epsilon", ".Delta", ".Calibration", "argument 2"),
		linears("learner.Kernel", func() any {
			return learner.Kernel{
				Learner: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}), Features: 4, Lengthscale: 0.5, Seed: 1,
			}
		}),
		linears("learner.Delayed", func() any {
			return learner.Delayed{
				Learner: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}), Most: 3,
				Delay: upTo{3},
			}
		}).on(".Learner", ".Delay", "argument 2"), // a smaller Most does not fit the Delay
		semis("learner.Delayed over blocks", func() any {
			return learner.Delayed{Learner: slots.OMM{Matroid: pick2of4()}.AsPublished(1), Most: 3}
		}).on(".Most", "argument 2"),
		semis("learner.Metered over blocks", func() any {
			return learner.Metered{Learner: slots.OMM{Matroid: pick2of4()}.AsPublished(1), Budget: privacy.Budget{Epsilon: 4}}
		}),
		of("learner.New", func() []any {
			return []any{func(p learner.Policy[privacy.Sums], s privacy.Accumulator) bandit.Learner {
				return learner.New(p, s)
			}, linear.UCB{}, continual.SquareRoot{Budget: budget}, contextual, 16}
		}),
		linears("learner.Private of a nil pointer", func() any { return learner.New(linear.UCB{}, (*continual.BLT)(nil)) }),
		linears("learner.Private without a policy", func() any { return learner.New((*linear.UCB)(nil), nil) }),
		linears("learner.Private", func() any {
			return learner.Private[privacy.Sums]{Policy: linear.UCB{RhoMin: 3}, Statistic: continual.Honaker{Budget: budget}}
		}),
		of("learner.Local", func() []any {
			return []any{func(batch int, s learner.Shuffler) bandit.Learner {
				noise := local.LDPNoise{Budget: budget}
				return learner.Local{Device: local.LDPDevice{Noise: noise}, Server: local.LDPServer{Noise: noise}, Batch: batch, Shuffler: s}
			}, 2, learner.Uniform{}, contextual, 16}
		}),
		of("learner.Local by LDP", func() []any {
			return []any{func(n local.LDPNoise, s local.LDPServer) bandit.Learner {
				s.Noise = n
				return learner.Local{Device: local.LDPDevice{Noise: n}, Server: s}
			}, local.LDPNoise{Budget: budget, Constant: 0.5}, local.LDPServer{Policy: linear.UCB{}}, contextual, 16}
		}),
		of("learner.Local by OnlineUCB", func() []any {
			return []any{func(n local.OnlineNoise, s local.OnlineServer) bandit.Learner {
				s.Noise = n
				return learner.Local{Device: local.OnlineDevice{Noise: n}, Server: s}
			}, local.OnlineNoise{Budget: budget}, local.OnlineServer{}, contextual, 16}
		}),
		of("learner.Local by weighted regression", func() []any {
			return []any{func(d local.WeightedDevice, s local.WeightedServer) bandit.Learner {
				s.Budget = d.Budget
				return learner.Local{Device: d, Server: s}
			}, local.WeightedDevice{Budget: budget}, local.WeightedServer{}, contextual, 16}
		}),
		of("local.AmplifiedNoise.Learner", func() []any {
			return []any{local.AmplifiedNoise.Learner, local.AmplifiedNoise{Budget: budget, Batch: 4}, contextual, 16}
		}),
		of("local.VectorSum.Learner", func() []any {
			return []any{local.VectorSum.Learner, local.VectorSum{Budget: budget, Batch: 4}, contextual, 16}
		}),
		of("local.VectorSum.Logistic", func() []any {
			return []any{local.VectorSum.Logistic, local.VectorSum{Budget: budget, Batch: 4}, linear.Logistic{}, contextual, 16}
		}),
		of("local.OnlineNoise.Combiner", func() []any {
			return []any{func(n local.OnlineNoise) bandit.Learner {
				device, server := n.Combiner()
				return learner.Local{Device: device, Server: server}
			}, local.OnlineNoise{Budget: budget}, contextual, 16}
		}),
		linears("local.LDPDevice", func() any {
			return local.LDPDevice{Noise: local.LDPNoise{Budget: budget}, Policy: linear.UCB{}}
		}),
		linears("local.LDPServer", func() any {
			return local.LDPServer{Noise: local.LDPNoise{Budget: budget}, Policy: linear.UCB{}}
		}),
		linears("local.OnlineDevice", func() any { return local.OnlineDevice{Noise: local.OnlineNoise{Budget: budget}} }),
		linears("local.OnlineServer", func() any { return local.OnlineServer{Noise: local.OnlineNoise{Budget: budget}} }),
		linears("local.WeightedDevice", func() any { return local.WeightedDevice{Budget: budget} }),
		linears("local.WeightedServer", func() any { return local.WeightedServer{Budget: budget} }),
		linears("local.AmplifiedDevice", func() any {
			return local.AmplifiedDevice{Noise: local.AmplifiedNoise{Budget: budget, Batch: 4}}
		}),
		linears("local.AmplifiedServer", func() any {
			return local.AmplifiedServer{Noise: local.AmplifiedNoise{Budget: budget, Batch: 4}, Policy: linear.UCB{}}
		}),
		linears("local.VectorSumDevice", func() any {
			return local.VectorSumDevice{Noise: local.VectorSum{Budget: budget, Batch: 4}, Policy: linear.UCB{}}
		}),
		linears("local.VectorSumServer", func() any {
			return local.VectorSumServer{Noise: local.VectorSum{Budget: budget, Batch: 4}, Policy: linear.UCB{}}
		}),
		linears("local.CombinerDevice", func() any { return local.CombinerDevice{Noise: local.OnlineNoise{Budget: budget}} }),
		linears("local.CombinerServer", func() any {
			return local.CombinerServer{Base: local.OnlineServer{Noise: local.OnlineNoise{Budget: budget}}}
		}),
		linears("local.Anytime", func() any {
			return local.Anytime{Server: local.LDPServer{Noise: local.LDPNoise{Budget: budget}}}
		}),
		of("learner.Uniform", func() []any { return []any{mixer, learner.Uniform{}, 4} }),
		of("learner.BitSum", func() []any { return []any{mixer, learner.BitSum{}, 4} }),
		semis("slots.OMM{}.Learner", func() any { return slots.OMM{Matroid: pick2of4()}.Learner() }),
		semis("slots.OMM over counts", func() any { return learner.New(slots.OMM{Matroid: pick2of4()}, tally.Counts{}) }),
		semis("slots.OMM over clicks", func() any {
			return learner.New(slots.OMM{Matroid: pick2of4(), Explore: 1.5, LogT: true}, tally.Cascade{Budget: budget})
		}),
		semis("slots.CTSBeta", func() any { return slots.CTSBeta{Matroid: pick2of4()} }),
		semis("slots.KLOSM", func() any {
			return learner.New(slots.KLOSM{Matroid: pick2of4()}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}})
		}),

		byTwo("arms.AdaPTT{}.Private", arms.AdaPTT{}.Private, 0.1),
		byTwo("arms.TopTwo{}.Private", arms.TopTwo{}.Private, 0.1),
		byTwo("arms.TopTwo{}.Local", arms.TopTwo{}.Local, 0.1),
		byTwo("arms.KLUCB{}.Private", arms.KLUCB{}.Private, 1.2),
		byTwo("arms.IMED{}.Private", arms.IMED{}.Private, 2),
		of("arms.GaussianThompson{}.Private", func() []any { return []any{arms.GaussianThompson{}.Private, 1.0, 2, 1e-5, single, 16} }),
		of("arms.GaussianThompson{}.Limited", func() []any { return []any{arms.GaussianThompson{}.Limited, 0.5, budget, single, 16} }),
		onesOf("arms.GaussianThompson", func() any { return learner.New(arms.GaussianThompson{}, blocks()) }),
		onesOf("arms.EXP3", func() any { return learner.New(arms.EXP3{Rounds: 100}, nil) }),
		onesOf("arms.EXP3IX", func() any { return learner.New(arms.EXP3IX{Rounds: 100}, nil) }),

		values("bandit.Problem", func() any { p := contextual; return &p }),
		values("environment.DecisionSets", func() any { return environment.DecisionSets{Arms: 3, Dim: 3, Gap: 0.1, Top: 0.75} }),
		values("environment.UnitFeatures", func() any { return environment.UnitFeatures{Arms: 4, Dim: 3, Norm: 1} }),
		values("environment.SphereArms", func() any { return environment.SphereArms{Arms: 4, Dim: 3, Length: 0.4} }),
		values("environment.Logistic", func() any { return environment.Logistic{Arms: 4, Dim: 3, Norm: 2} }),
		values("environment.Blind", func() any { return environment.Blind{Environment: environment.SphereArms{Arms: 4, Dim: 3}} }),
		values("environment.Adversary", func() any {
			return environment.Adversary{Plan: environment.Turns, Arms: 3, Gap: 0.2, Growth: 2}
		}),
		values("environment.Kernel", func() any {
			return environment.Kernel{Arms: 4, Dim: 2, Centres: 3, Lengthscale: 0.5, Norm: 0.5}
		}),
		values("environment.TwoContexts", func() any { return environment.TwoContexts{Dim: 3} }),
		values("environment.Sparse", func() any {
			return environment.Sparse{Arms: 4, Dim: 6, Sparsity: 2, Noise: 0.1, Margin: 0.1, Clip: 2, RewardClip: 2}
		}),
		values("environment.Sparse of correlated contexts", func() any {
			return environment.Sparse{Arms: 4, Dim: 6, Design: environment.Autoregressive, Correlation: 0.5}
		}),
		values("environment.Arms", func() any { return environment.Arms{Means: []float64{0.1, 0.6, 0.3}} }),
		values("environment.Arms of Gaussian rewards", func() any {
			return environment.Arms{Means: []float64{0.1, 0.6, 0.3}, Sigma: 1}
		}),
		values("environment.SemiBandit", func() any {
			return environment.SemiBandit{Matroid: pick2of4(), Means: []float64{0.1, 0.2, 0.3, 0.4}}
		}),
		values("environment.SemiBandit of Gaussian weights", func() any {
			return environment.SemiBandit{Matroid: pick2of4(), Means: []float64{0.1, 0.2, 0.3, 0.4}, Sigma: 1}
		}),
		values("environment.Cascade", func() any { return environment.Cascade{Attraction: []float64{0.1, 0.2, 0.3, 0.4}, Slots: 2} }),
		values("environment.Ratings", func() any {
			return environment.Ratings{Rated: [][]bool{{true, false, false, true}, {false, true, false, true}}, Matroid: pick2of4()}
		}),
		values("environment.Labelled", func() any {
			return environment.Labelled{
				Features: []float64{0.5, 2, -1, 0}, Labels: []int{1, 0}, Dim: 2, Classes: 2, Norm: 1, Scale: []float64{1, 2}, Constant: 0.5,
			}
		}),

		of("matroid.NewUniform", func() []any { return []any{matroid.NewUniform, 4, 2} }),
		of("matroid.NewGraphic", func() []any { return []any{matroid.NewGraphic, 3, [][2]int{{0, 1}, {1, 2}, {0, 2}}} }),
		of("matroid.NewLaminar", func() []any {
			return []any{matroid.NewLaminar, 4, [][]int{{0, 1}, {0, 1, 2}}, []int{1, 2}}
		}),
		of("matroid.NewLinear", func() []any { return []any{matroid.NewLinear, [][]int{{1, 0}, {0, 1}, {1, 1}}} }),
		of("matroid.NewLinearFloat", func() []any {
			return []any{matroid.NewLinearFloat, [][]float64{{1, 0}, {0, 1}, {1, 1}}, 1e-9}
		}),
		of("matroid.NewPartition", func() []any { return []any{matroid.NewPartition, []int{0, 0, 1}, []int{1, 1}} }),
		of("matroid.NewTransversal", func() []any { return []any{matroid.NewTransversal, 3, [][]int{{0, 1}, {1}, {2}}} }),

		of("online.Maler", func() []any { return []any{online.Maler{Radius: 1, Gradient: 1, Alpha: 0.25}, 3, 16} }),
		of("online.MetaGrad", func() []any { return []any{online.MetaGrad{Radius: 1, Gradient: 1}, 3, 16} }),
		of("online.OGD", func() []any { return []any{online.OGD{Radius: 1, Gradient: 1}, 3, 16} }),
		of("online.ONS", func() []any { return []any{online.ONS{Radius: 1, Gradient: 1, ExpConcave: 0.5}, 3, 16} }),
		of("online.FTRL", func() []any { return []any{online.FTRL{Radius: 1, Gradient: 1, Rate: 0.5}, 3, 16} }),
		of("online.FTRL over a tree", func() []any {
			return []any{online.FTRL{Gradient: 1, Sums: continual.VectorTree{Budget: budget}}, 3, 16}
		}),
		of("online.FTPL", func() []any { return []any{online.FTPL{Radius: 1, Gradient: 1, Scale: 2}, 3, 16} }),
		of("online.Experts", func() []any { return []any{online.Experts{Epsilon: 1}, 3} }),
		of("online.NewDrift", func() []any { return []any{online.NewDrift, 3, 16, 0.2, random.New(1, 0, "losses")} }),
		of("online.NewLosses", func() []any { return []any{online.NewLosses, "convex", 3, 16, random.New(1, 0, "losses")} }),
		of("online.NewLosses strongly convex", func() []any {
			return []any{online.NewLosses, "strongly convex", 3, 16, random.New(1, 0, "losses")}
		}),
		of("online.NewLosses exp-concave", func() []any {
			return []any{online.NewLosses, "exp-concave", 3, 16, random.New(1, 0, "losses")}
		}),

		of("audit.Mechanism", func() []any {
			return []any{func(a audit.Mechanism, o audit.Options) (audit.Finding, error) { return a.Run(soon(), o) }, audit.Mechanism{
				Name: "Laplace", Claim: privacy.Budget{Epsilon: 1}, Outputs: 1, Runs: audit.MinRuns,
				Release: func(world int, source rand.Source, out []float64) error {
					privacy.NewNoise(source).Laplace(out, 1)
					out[0] += float64(world)
					return nil
				},
			}, audit.Options{Seed: 1, Workers: 1}}
		}),
		of("audit.Likelihood", func() []any {
			return []any{func(a audit.Likelihood, laws []privacy.Law, values [2][][]float64, o audit.Options) (audit.Finding, error) {
				density, draws, err := audit.AdditiveDensity(laws, values)
				if err != nil {
					return audit.Finding{}, err
				}
				a.Density, a.Draws = density, draws
				return a.Run(soon(), o)
			}, audit.Likelihood{
				Name: "Laplace", Claim: privacy.Budget{Epsilon: 1}, Outputs: 1, Runs: audit.MinRuns,
				Release: func(world int, source rand.Source, out []float64) error {
					privacy.NewNoise(source).Laplace(out, 1)
					out[0] += float64(world)
					return nil
				},
			}, []privacy.Law{privacy.LaplaceLaw(1, 1)}, [2][][]float64{{{0}}, {{1}}}, audit.Options{Seed: 1, Workers: 1}}
		}),
		of("audit.Canaries", func() []any {
			return []any{func(a audit.Canaries, o audit.Options) (audit.Finding, error) { return a.Run(soon(), o) }, audit.Canaries{
				Name: "Laplace", Claim: privacy.Budget{Epsilon: 1}, Count: 16,
				Release: func(versions []int, source rand.Source, scores []float64) error {
					privacy.NewNoise(source).Laplace(scores, 1)
					for i, v := range versions {
						scores[i] += float64(v) - 0.5
					}
					return nil
				},
			}, audit.Options{Seed: 1, Workers: 1}}
		}),
		of("audit.Accumulator", func() []any {
			return []any{func(a audit.Accumulator, o audit.Options) (audit.Finding, error) { return a.Run(soon(), o) }, audit.Accumulator{
				Name: "tree", Setup: setup, Runs: audit.MinRuns,
				Of: continual.Tree{Noise: continual.Gaussian{Budget: budget}},
			}, audit.Options{Seed: 1, Workers: 1}}
		}),
		of("audit.Learner", func() []any {
			streams := audit.RandomStreams(contextual, 4)
			world0, world1 := streams(random.New(1, 0, "streams"))
			return []any{func(a audit.Learner, o audit.Options) (audit.Finding, error) { return a.Run(soon(), o) }, audit.Learner{
				Name: "LinUCB", Problem: contextual, Worlds: [2]audit.Stream{world0, world1}, Runs: audit.MinRuns, Claim: budget,
				Of: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}}),
			}, audit.Options{Seed: 1, Workers: 1}}
		}),

		values("offpolicy.Log", func() any { return logged() }),
		of("offpolicy.Evaluation", func() []any {
			return []any{func(e *offpolicy.Evaluation) (offpolicy.Estimate, error) { return e.InversePropensity() }, evaluation()}
		}),
		of("offpolicy.Evaluation self-normalised", func() []any {
			return []any{func(e *offpolicy.Evaluation) (offpolicy.Estimate, error) { return e.SelfNormalised() }, evaluation()}
		}),
		of("offpolicy.Evaluation doubly robust", func() []any {
			return []any{func(e *offpolicy.Evaluation) (offpolicy.Estimate, error) { return e.DoublyRobust() }, evaluation()}
		}),
		of("offpolicy.Replay", func() []any {
			return []any{func(r *offpolicy.Replay) (offpolicy.Estimate, error) {
				return r.Run(learner.New(linear.UCB{}, nil))
			}, &offpolicy.Replay{
				Log: logged(), Horizon: 3, Norm: 1, Scale: []float64{1, 2}, Constant: 0.5, Seed: 1,
			}}
		}),

		of("simulate.Experiment", func() []any {
			return []any{func(e *simulate.Experiment) (*simulate.Result, error) { return e.Run(soon()) }, &simulate.Experiment{
				Name: "harness", Horizon: 8, Rounds: 4, Trials: 2, Workers: 1, Seed: 1,
				Environment: environment.DecisionSets{Arms: 3, Dim: 2, Gap: 0.1},
				Policies:    []simulate.Policy{{Name: "LinUCB", Learner: learner.New(linear.UCB{}, nil)}},
			}}
		}),
		values("simulate.Shard", func() any { return &simulate.Shard{Index: 1, Of: 3} }),
		of("simulate.LinearGrid", func() []any { return []any{simulate.LinearGrid, 100, 10} }),
		of("simulate.LogGrid", func() []any { return []any{simulate.LogGrid, 100, 10} }),
		of("sweep.Catalogue", func() []any {
			return []any{func(e *sweep.Entry) (*sweep.Sweep, error) { return sweep.Catalogue{*e}.Parse([]string{"a"}) }, &sweep.Entry{
				Name: "a", Parameters: []sweep.Parameter{{Name: "p", Default: 1, Max: 2}, {Name: "q", Min: -1, Whole: true}},
				New: func(v sweep.Values) ([]*simulate.Experiment, error) {
					return []*simulate.Experiment{{Horizon: v.Int("q")}}, nil
				},
			}}
		}),
	}
	return append(list, entries()...)
}

// slow are the subjects whose cases take long, most of them because their claims are accounted
// numerically. With -short they have fewer cases.
var slow = map[string]bool{
	"privacy.Budget.CalibrateSelection":            true,
	"privacy.Budget.CalibrateBinomial":             true,
	"privacy.Budget.AmplifiedMu":                   true,
	"privacy.Plan of Gaussian messages in a batch": true,
	"privacy.Plan of responses in a batch":         true,
	"privacy.Plan of Laplace noise":                true,
	"privacy.Plan of Gumbel noise":                 true,
	"privacy.Plan of binomial noise":               true,
	"privacy.Plan of events of two kinds":          true,
	"episodes.SparseEpisodes":                      true,
	"episodes.NoisyIHT":                            true,
	"tally.Blocks over a long horizon":             true,
	"sparse.SparseJDP":                             true,
	"sparse.SparseJDP{}.Private":                   true,
	"sparse.SparseJDP{}.Plain":                     true,
	"sparse.FLIPHAT":                               true,
	"sparse.FLIPHAT{}.Private":                     true,
	"learner.RandomisedAction over a tree":         true,
	"local.AmplifiedNoise.Learner":                 true,
	"local.VectorSum.Learner":                      true,
	"local.VectorSum.Logistic":                     true,
	"local.AmplifiedDevice":                        true,
	"local.VectorSumDevice":                        true,
	"local.VectorSumServer":                        true,
	"environment.Sparse":                           true,
}

// numberless are exported constructors that take no numbers.
var numberless = map[string]bool{
	"random.New": true, "random.NewNormals": true, // a seed and a trial are any numbers
	"privacy.NewLedger": true, "privacy.NewNoise": true,
	"matroid.NewGreedy": true, "matroid.NewOracle": true,
	"bandit.NewWorld":      true, // bandit.OpenWorld checks its problem
	"simulate.NewPolicy":   true,
	"simulate.NewTerminal": true,
	"sweep.Sweep":          true, // Catalogue.Parse makes it
	"external.Program":     true, // a process, which package external tries
}

// constructors parses the module under pkg/ and lists its exported functions that are named New,
// and its exported types with a method Init, Open, Prepare, Validate or Run.
func constructors(t *testing.T) (names []string) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				if name != "Init" && name != "Open" && name != "Prepare" && name != "Validate" && name != "Run" {
					continue
				}
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if generic, ok := of.(*ast.IndexExpr); ok {
					of = generic.X
				}
				if name = of.(*ast.Ident).Name; !ast.IsExported(name) {
					continue
				}
			} else if !strings.HasPrefix(name, "New") {
				continue
			}
			names = append(names, parsed.Name.Name+"."+name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// entered returns the names that entries of the catalogue try: of the types that its learners are
// made of, and of constructors that take nothing but a budget.
func entered(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, s := range entries() {
		typesOf(reflect.ValueOf(s.make()[0]), names)
	}
	files, err := filepath.Glob("catalogue/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var but ast.Expr
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if but = nil; slices.ContainsFunc(n.Args, func(a ast.Expr) bool { _, is := a.(*ast.BasicLit); return is }) {
					but = n.Fun // its number is the entry's choice
				}
			case *ast.SelectorExpr:
				if from, ok := n.X.(*ast.Ident); ok && n != but {
					names[from.Name+"."+n.Sel.Name] = true
				}
			}
			return true
		})
	}
	return names
}

// typesOf adds the names of the types in a value.
func typesOf(v reflect.Value, names map[string]bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			typesOf(v.Elem(), names)
		}
	case reflect.Struct:
		names[v.Type().String()] = true
		for i := range v.NumField() {
			typesOf(v.Field(i), names)
		}
	}
}

// TestHarnessIsComplete wants every constructor in the harness: a new type is tried like all
// others.
func TestHarnessIsComplete(t *testing.T) {
	tried := entered(t)
	for _, s := range subjects() {
		name, _, _ := strings.Cut(s.name, " ")
		tried[name], tried[s.name] = true, true
	}
	for name := range slow {
		if !tried[name] {
			t.Errorf("%s is slow, and no subject", name)
		}
	}
	names := constructors(t)
	if len(names) < 80 {
		t.Errorf("found %d constructors, want those of the whole module", len(names))
	}
	for _, name := range names {
		if !tried[name] && !numberless[name] {
			t.Errorf("%s is not tried: if it is a learner or a part of one, give that an entry in pkg/catalogue/unraced.go; "+
				"for anything else, and for numbers that an entry sets, add a subject in pkg/harness_subjects_test.go", name)
		}
	}
}
