package learner_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// spy is a learner that plays arm 0 and keeps copies of the views that it is shown.
type spy struct{ shown *spied }

type spied struct {
	problem bandit.Problem
	views   []bandit.View
}

func (s spy) Open(p bandit.Problem, _ int) (bandit.Calibrated, error) {
	s.shown.problem = p
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return s.shown }), nil
}

func (s *spied) Select(v *bandit.View, dst []int) ([]int, error) {
	w := *v
	w.X = slices.Clone(v.X)
	s.views = append(s.views, w)
	return append(dst, 0), nil
}

func (s *spied) Update(*bandit.View, []int, []float64) error { return nil }

// kernelData are 30 records and 6 queries in two dimensions, by whole numbers alone.
func kernelData() (x [][2]float64, y []float64, queries []float64) {
	for i := range 30 {
		x = append(x, [2]float64{float64(37*i%101)/101 - 0.5, float64(53*i%103)/103 - 0.5})
		y = append(y, float64(29*i%61)/30-1)
	}
	for j := range 6 {
		queries = append(queries, float64(41*j%59)/59-0.5, float64(23*j%67)/67-0.5)
	}
	return x, y, queries
}

const kernelRidge = 0.7

// posterior returns estimates and widths of LinUCB on features, over exact sums of the data.
func posterior(t *testing.T, features int, seed uint64) (mean, width []float64) {
	t.Helper()
	x, y, queries := kernelData()
	p := bandit.Problem{Arms: 6, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	l := learner.Kernel{
		Learner:  learner.New(linear.UCB{Alpha: 0.05, Sigma: 0.3, ThetaNorm: 1.2}, continual.Exact{Ridge: kernelRidge}),
		Features: features, Lengthscale: 0.4, Seed: seed,
	}
	run := runtest.Run(t, l, p, 100, nil, nil)
	var arms []int
	for i := range x {
		v := bandit.View{Round: i + 1, Arms: 1, Dim: 2, X: x[i][:]}
		arms = run.Select(&v, arms[:0])
		run.Update(&v, arms, y[i:i+1])
	}
	v := bandit.View{Round: len(x) + 1, Arms: 6, Dim: 2, X: queries}
	run.Select(&v, nil)
	insights, err := run.Run.(bandit.Explainer).Explain(&v, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range insights {
		mean, width = append(mean, of.Estimate), append(width, of.Width)
	}
	return mean, width
}

// kernelGolden has mean and width of two Gaussian processes of scikit-learn 1.x: of the dot product
// of the 8 features of seed 7, and of the Gaussian kernel itself. It is what this prints, of which
// w holds the w_i/(2 pi) of these features:
//
//	import numpy as np
//	from sklearn.gaussian_process import GaussianProcessRegressor
//	from sklearn.gaussian_process.kernels import RBF, DotProduct
//	w = np.array([0.26978835601308587, -0.22565834018032244, 0.67165037399671457,
//	              -0.66614338448767541, -0.48628878050590579, 0.24233373317292356,
//	              0.036786523217505349, -0.02271135577864461])
//	i, j = np.arange(30), np.arange(6)
//	x = np.c_[37*i % 101/101 - 0.5, 53*i % 103/103 - 0.5]
//	y = 29*i % 61/30 - 1
//	q = np.c_[41*j % 59/59 - 0.5, 23*j % 67/67 - 0.5]
//	angle = lambda x: 2*np.pi*x @ w.reshape(4, 2).T
//	phi = lambda x: np.c_[np.sin(angle(x)), np.cos(angle(x))]/2
//	for kernel, f in (DotProduct(0, "fixed"), phi), (RBF(0.4, "fixed"), lambda x: x):
//	    gp = GaussianProcessRegressor(kernel, alpha=0.7, optimizer=None).fit(f(x), y)
//	    mean, sd = gp.predict(f(q), return_std=True)
//	    log_det = np.linalg.slogdet(np.eye(30) + kernel(f(x))/0.7)[1]
//	    beta = 0.3*np.sqrt(2*np.log(2/0.05) + log_det) + 1.2*np.sqrt(0.7)
//	    print(list(mean)); print(list(beta*sd/np.sqrt(0.7)))
var kernelGolden = [2][2][]float64{
	{
		{-0.19521293009170596, 0.19418810189330665, 0.025683226206542398, -0.14455736004814138, 0.2389332167848336, 0.02413563419975756},
		{0.7610294556072101, 0.7058495021971649, 0.6724792941851859, 0.7328020981538749, 0.7300380584890422, 0.6693194552568242},
	},
	{
		{-0.11581077643969431, 0.021601899832489876, -0.10168192616776055, 0.019489259927340186, -0.05510888966981021, -0.0383504538082159},
		{1.4045319192293702, 0.8923869138529474, 0.8462072513352447, 1.2192612723734169, 0.9620160571885958, 0.859764696742976},
	},
}

// TestKernelIsAGaussianProcess: without noise LinUCB on the features has the mean, and as its width
// beta standard deviations, of scikit-learn's Gaussian process on them.
func TestKernelIsAGaussianProcess(t *testing.T) {
	mean, width := posterior(t, 8, 7)
	for j := range mean {
		for what, pair := range map[string][2]float64{"mean": {mean[j], kernelGolden[0][0][j]}, "width": {width[j], kernelGolden[0][1][j]}} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-9) {
				t.Errorf("query %d: %s %v, scikit-learn's is %v", j, what, pair[0], pair[1])
			}
		}
	}
}

// TestKernelApproachesTheGaussian: with many features mean and width go to those of the Gaussian
// kernel's process, and the error falls as 1/sqrt(Features). Root mean squares over 60 seeds and 6
// queries have an error of about 8%, so that a slope over nine-fold features has one of 0.05.
func TestKernelApproachesTheGaussian(t *testing.T) {
	const seeds = 60
	for i, what := range []string{"mean", "width"} {
		var logs []float64
		for _, features := range []int{18, 54, 162} {
			var square float64
			for seed := range uint64(seeds) {
				mean, width := posterior(t, features, 100+seed)
				for j, got := range [2][]float64{mean, width}[i] {
					off := got - kernelGolden[1][i][j]
					square += off * off / seeds / float64(len(mean))
				}
			}
			logs = append(logs, math.Log2(square)/2)
		}
		slope := (logs[2] - logs[0]) / math.Log2(9)
		t.Logf("%s: errors %.3f, %.3f, %.3f with 18, 54 and 162 features, slope %.2f", what, math.Exp2(logs[0]), math.Exp2(logs[1]), math.Exp2(logs[2]), slope)
		if !(math.Abs(slope+0.5) < 0.15) {
			t.Errorf("%s: the error falls with exponent %.2f, want -0.5", what, slope)
		}
	}
}

// TestKernelFeatures: the mean of <phi(x), phi(y)> over the seeds is the Gaussian kernel, and its
// variance (1 - k^2)^2/Features, each to 5 standard errors (false alarm 1e-6; the seeds are fixed).
// Each phi has norm 1.
func TestKernelFeatures(t *testing.T) {
	const seeds, features, length = 20000, 6, 0.5
	x := []float64{0.3, -0.2, 0.1, 0.35} // two contexts of dimension 2
	k := math.Exp(-(0.2*0.2 + 0.55*0.55) / (2 * length * length))
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	var sum, square float64
	for seed := range uint64(seeds) {
		shown := &spied{}
		run := runtest.Run(t, learner.Kernel{Learner: spy{shown}, Features: features, Seed: seed}, p, 10, nil, nil)
		run.Select(&bandit.View{Round: 1, Arms: 2, Dim: 2, X: x}, nil)
		v := shown.views[0]
		var dot float64
		for i, w := range v.Row(0) {
			dot += w * v.Row(1)[i]
		}
		for a := range 2 {
			if norm := norm(v.Row(a)); math.Abs(norm-1) > 1e-15*features {
				t.Fatalf("|phi| = %v", norm)
			}
		}
		sum, square = sum+dot/seeds, square+(dot-k)*(dot-k)/seeds
		if want := (bandit.Problem{Arms: 2, Dim: features, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}); shown.problem != want {
			t.Fatalf("the learner's problem is %+v, want %+v", shown.problem, want)
		}
	}
	variance := (1 - k*k) * (1 - k*k) / features
	if off := (sum - k) / math.Sqrt(variance/seeds); math.Abs(off) > 5 {
		t.Errorf("<phi, phi> = %v in the mean, %.1f standard errors from %v", sum, off, k)
	}
	if off := (square/variance - 1) / math.Sqrt(2./seeds); math.Abs(off) > 5 { // lighter tails than a normal's
		t.Errorf("the variance of <phi, phi> is %v, %.1f standard errors from %v", square, off, variance)
	}
}

func norm(x []float64) float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

func kernels() map[string]learner.Kernel {
	all := map[string]learner.Kernel{}
	for name, l := range delayable() {
		all[name] = learner.Kernel{Learner: l, Features: 8, Seed: 3}
	}
	all["delayed"] = learner.Kernel{Learner: learner.Delayed{Learner: delayable()["tree"], Most: 3}, Features: 8}
	all["metered"] = learner.Kernel{Learner: metered(gaussianTree(), true), Features: 8}
	return all
}

// TestKernelPlays: a learner on a Kernel's features plays, is told and claims what it does, arm for
// arm, where somebody else maps the contexts.
func TestKernelPlays(t *testing.T) {
	const horizon = 300
	for name, k := range kernels() {
		for _, fixed := range []bool{false, true} {
			env := environment.Kernel{Arms: 6, Dim: 2, Fixed: fixed}
			shown := &spied{}
			trial := runtest.Open(t, env).Start(random.New(1, 0, "contexts"))
			mapper := runtest.Run(t, learner.Kernel{Learner: spy{shown}, Features: k.Features, Seed: k.Seed}, env.Problem(), horizon, nil, nil)
			run, ledger := start(t, k, env.Problem(), horizon)
			plain, _ := start(t, k.Learner, shown.problem, horizon)
			y := []float64{0}
			for round := 1; round <= horizon; round++ {
				var v bandit.View
				trial.Next(&v)
				mapper.Select(&v, nil)
				w := shown.views[round-1]
				if w.Same != v.Same {
					t.Fatalf("%s: View.Same = %v in round %d, want %v", name, w.Same, round, v.Same)
				}
				got, want := run.Select(&v, nil), plain.Select(&w, nil)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %v in round %d, want %v", name, got, round, want)
				}
				trial.Pull(random.New(1, round, "rewards"), got, y)
				run.Update(&v, got, y)
				plain.Update(&w, want, y)
			}
			if name != "exact" {
				if err := ledger.CheckPlan(run.Run.(privacy.Planner), horizon); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if a, b := privacy.ClaimOf(run.Run), privacy.ClaimOf(plain.Run); a.Proved() != b.Proved() || a.Held() != b.Held() || a.Standing() != b.Standing() {
				t.Errorf("%s: claims %v, want %v as its learner", name, a, b)
			}
		}
	}
}

func TestKernelConforms(t *testing.T) {
	for name, l := range kernels() {
		for _, fixed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				bandittest.Learner(t, l, environment.Kernel{Dim: 2, Arms: 5, Fixed: fixed}, bandittest.LearnerOptions{Horizon: 1000})
			})
		}
	}
}

// TestKernelShortens: a context beyond its bound is mapped as the nearest one within, however long
// it is, and counted if it is played.
func TestKernelShortens(t *testing.T) {
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 2, RewardMin: -1, RewardMax: 1}
	for _, times := range []float64{3, 1e300} {
		shown := &spied{}
		run := runtest.Run(t, learner.Kernel{Learner: spy{shown}, Features: 4}, p, 10, nil, nil)
		v := &bandit.View{Round: 1, Arms: 2, Dim: 2, X: []float64{1.2 * times, -1.6 * times, 1.2, -1.6}}
		run.Update(v, run.Select(v, nil), []float64{0})
		got := shown.views[0]
		for i, w := range got.Row(0) {
			if math.Abs(w-got.Row(1)[i]) > 1e-14 {
				t.Errorf("%v times too long: %v, want %v", times, got.Row(0), got.Row(1))
			}
		}
		if w := bandit.Warnings(run.Run); len(w) != 1 || w[0].Count != 1 {
			t.Errorf("%v times too long: warnings %v, want one", times, w)
		}
	}
}

func TestKernelRefuses(t *testing.T) {
	problem := environment.Kernel{}.Problem()
	exact := delayable()["exact"]
	for word, k := range map[string]learner.Kernel{
		"Kernel.Learner is nil":       {},
		"Kernel.Features = 7":         {Learner: exact, Features: 7},
		"Kernel.Features = -2":        {Learner: exact, Features: -2},
		"Kernel.Features = 100000000": {Learner: exact, Features: 100_000_000},
		"Kernel.Lengthscale = -1":     {Learner: exact, Lengthscale: -1},
		"Kernel.Lengthscale = NaN":    {Learner: exact, Lengthscale: math.NaN()},
		"Kernel.Lengthscale = 1e-3":   {Learner: exact, Lengthscale: 1e-30},
		"LinUCB.Alpha = -0.5":         {Learner: learner.New(linear.UCB{Alpha: -0.5}, nil)},
	} {
		if _, err := k.Open(problem, 100); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one that names %q", err, word)
		}
	}
	if _, err := (learner.Kernel{Learner: learner.Random{}}).Open(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, 10); err == nil {
		t.Error("no error without contexts")
	}
}
