package local_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// shuffles are the shuffle learners, and one whose devices weight their rows.
func shuffles(b privacy.Budget) map[string]learner.Local {
	all := learnertest.Shuffles(b)
	all["sums/logistic"] = local.VectorSum{Budget: b, Batch: 20}.Logistic(linear.Logistic{})
	return all
}

func TestShuffleConformance(t *testing.T) {
	// a budget that is calibrated fast
	for name, l := range shuffles(privacy.Budget{Epsilon: 10, Delta: 0.1}) {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l,
				environment.UnitFeatures{Dim: 4, Arms: 12},
				// before the first batch arms of one norm tie
				bandittest.LearnerOptions{Seed: 1, Equivariant: strings.HasSuffix(name, "B=1"), Rounds: 150})
		})
	}
}

// TestShuffleLedger plays every shuffle learner: the simulation compares the noise drawn with the
// claims. An accountant confirms the claims.
func TestShuffleLedger(t *testing.T) {
	e := &simulate.Experiment{
		Name: "shuffle", Environment: environment.UnitFeatures{Dim: 4, Arms: 12, Fixed: true},
		Horizon: 300, Rounds: 250, Trials: 2, Seed: 1,
	}
	for name, l := range shuffles(learnertest.Strict) {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Policies {
		epsilon, _, err := account.Tightest(p.Claim.Event(), p.Claim.Asked().Delta)
		if err != nil || epsilon != p.Claim.Epsilon() {
			t.Errorf("%s: claims epsilon = %v, an accountant finds %v, %v", p.Name, p.Claim.Epsilon(), epsilon, err)
		}
		if p.Claim.Calibration() == privacy.Sound && !p.Claim.Asked().None() && !(p.Claim.Epsilon() <= learnertest.Strict.Epsilon*(1+1e-9)) {
			t.Errorf("%s: claims epsilon = %v, asked for %v", p.Name, p.Claim.Epsilon(), learnertest.Strict.Epsilon)
		}
		shuffled := strings.Contains(p.Name, "sums") && !strings.HasSuffix(p.Name, "B=1")
		if (p.Claim.Model() == privacy.Shuffled) != shuffled {
			t.Errorf("%s: claims the %v model", p.Name, p.Claim.Model())
		}
		if p.Claim.Neighbours().Relation != privacy.Replace || p.Claim.Neighbours().Contributions != 1 {
			t.Errorf("%s: neighbours %v", p.Name, p.Claim.Neighbours())
		}
	}
}

// TestAmplification: a batch of 20 is worth nothing and the claim is the local one; in one of 1000
// it is the shuffle model's, with less noise.
func TestAmplification(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 0.1}
	last := math.Inf(1)
	for _, batch := range []int{20, 500, 1000, 5000} {
		n := local.AmplifiedNoise{Budget: b, Batch: batch}
		c := learnertest.ClaimOf(t, n.Learner(), learnertest.Features, 20000)
		a, err := n.Amplification(learnertest.Features)
		if err != nil {
			t.Fatal(err)
		}
		if epsilon, _, err := account.Tightest(c.Event(), b.Delta); err != nil || epsilon != c.Epsilon() {
			t.Errorf("claims epsilon = %v, an accountant finds %v, %v", c.Epsilon(), epsilon, err)
		}
		if a.Helps != (batch > 20) || (c.Model() == privacy.Shuffled) != a.Helps || c.Epsilon() != a.Epsilon || math.Abs(c.Epsilon()-1) > 1e-6 || c.Epsilon() > 1+1e-12 {
			t.Errorf("batches of %d: %+v, claims epsilon = %v in the %v model", batch, a, c.Epsilon(), c.Model())
		}
		if a.SD > last || a.SD > a.Without*(1+1e-9) || a.Local < a.Epsilon {
			t.Errorf("batches of %d: %+v, standard deviation %v for less", batch, a, last)
		}
		last = a.SD
	}
	if last > 0.6*1.0859 {
		t.Errorf("batches of 5000 take a standard deviation of %v, one message 1.0859", last)
	}
	// The least budget: shuffled, the messages have epsilon = 0, and the claim is what was asked for.
	tiny := local.AmplifiedNoise{Budget: privacy.Budget{Epsilon: 1e-160, Delta: 1e-3}, Batch: 1 << 16}.Learner()
	if c := learnertest.ClaimOf(t, tiny, learnertest.Features, 20000); c.Event().Validate() != nil || c.Epsilon() != 1e-160 || c.Model() != privacy.Shuffled {
		t.Errorf("claims epsilon = %v of %v in the %v model, want 1e-160 of a valid event", c.Epsilon(), c.Event(), c.Model())
	}
	// The printed constants at a batch that they were not made for.
	l := local.AmplifiedNoise{Budget: b, Batch: 500, Calibration: privacy.AsPublished}.Learner()
	if c := learnertest.ClaimOf(t, l, learnertest.Features, 20000); c.Epsilon() < 3 {
		t.Errorf("claims epsilon = %v, want more than 3", c.Epsilon())
	}
}

// TestAmplifiedGiven: noise that is given is worth as much as the same noise calibrated, and says
// where it comes from.
func TestAmplifiedGiven(t *testing.T) {
	for _, budget := range []privacy.Budget{{Epsilon: 1, Delta: 0.1}, {Epsilon: 0.01, Delta: 1e-6}} {
		calibrated, _ := learnertest.Device(t, local.AmplifiedDevice{Noise: local.AmplifiedNoise{Budget: budget, Batch: 2000}}, learnertest.Features, 4000)
		draws := privacy.PlanOf(calibrated, privacy.All).Draws
		given, _ := learnertest.Device(t, local.AmplifiedDevice{Noise: local.AmplifiedNoise{Budget: budget, Batch: 2000, MatrixSD: draws[0].Scale, VectorSD: draws[1].Scale}}, learnertest.Features, 4000)
		var claims [2]privacy.Claim
		for i, d := range []learner.CalibratedDevice{calibrated, given} {
			p, err := d.(learner.ShufflePlanner).ShuffledPlan(learner.Uniform{}, 2000)
			if err != nil {
				t.Fatal(err)
			}
			claims[i] = p.Claim()
		}
		if claims[0].Epsilon() != claims[1].Epsilon() || claims[0].Model() != claims[1].Model() || claims[1].Calibration() != privacy.Given {
			t.Errorf("calibrated noise claims\n%v, given\n%v", claims[0], claims[1])
		}
	}
}

// TestVectorSumUnbiased: the server's estimate of the sum of x x^T and y x over a batch is unbiased
// and has the law's variance: 4000 batches of 20, 14 entries, for each 5 standard errors of the
// mean and 12% of the variance (false alarm 1e-5; the seed is fixed). One user's sensitivity in
// counts is found by search and is never above the event's.
func TestVectorSumUnbiased(t *testing.T) {
	for _, levels := range []int{9, 20} {
		const batches, batch = 4000, 20
		n := local.VectorSum{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Batch: batch, Levels: levels}
		ready, d := learnertest.Device(t, local.VectorSumDevice{Noise: n}, learnertest.Features, 1000)
		event := privacy.ClaimOf(ready).Event().(account.BinomialEvent)
		g := float64(levels)
		matrix, vector := g, g/2 // levels per unit
		offset := []float64{0, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0, 1, 1, 1, 1}
		x, y := []float64{0.5, -0.7, 0.3, 0.1}, 0.8
		var want []float64
		for i := range x {
			for j := range i + 1 {
				want = append(want, x[i]*x[j])
			}
		}
		for _, v := range x {
			want = append(want, y*v)
		}
		var s learnertest.Recorder
		noise := privacy.NewNoise(random.Source(1, 0, "noise"))
		shuffler := learner.BitSum{}.Start(batch, noise)
		for range batches * batch {
			m, err := d.Report(nil, x, y, noise, nil)
			if err == nil {
				err = shuffler.Collect(m, &s)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(s.Got) != batches {
			t.Fatalf("%d sums", len(s.Got))
		}
		for i, w := range want {
			unit := matrix
			if i >= 10 {
				unit = vector
			}
			exact := (w + offset[i]) * unit
			frac := exact - math.Floor(exact)
			variance := batch * (float64(event.Trials)*0.25*0.75 + frac*(1-frac))
			var mean, square float64
			for _, m := range s.Got {
				z := m[i] - batch*(exact+0.25*float64(event.Trials))
				mean += z / batches
				square += z * z / batches
			}
			if math.Abs(mean) > 5*math.Sqrt(variance/batches) || math.Abs(square/variance-1) > 0.12 {
				t.Errorf("%d levels, entry %d: mean %v, variance %v, want 0 +- %v and %v", levels, i, mean, square, math.Sqrt(variance/batches), variance)
			}
		}
	}
}

// TestVectorSumSensitivity searches pairs of users for the greatest change of a message's counts:
// below the event's Norm and Most, and, but for what rounding may add, near them.
func TestVectorSumSensitivity(t *testing.T) {
	for _, k := range []float64{0, 0.6} {
		p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1.3, RewardMin: -1, RewardMax: 2}
		if k != 0 {
			p.Dim = 3
		}
		ready, d := learnertest.Device(t, local.VectorSumDevice{Noise: local.VectorSum{Budget: privacy.Budget{Epsilon: 5, Delta: 0.1}, Batch: 1, Levels: 400, Constant: k}}, p, 100)
		e := privacy.ClaimOf(ready).Event().(account.BinomialEvent)
		// No noise is no help here: the counts of two users under the same noise differ by their own
		// counts.
		report := func(x []float64, y float64) learner.Message {
			m, err := d.Report(nil, x, y, privacy.NewNoise(random.Source(1, 0, "noise")), nil)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		const steps = 24
		user := func(i int) []float64 {
			r := math.Sqrt(1.69 - k*k)
			x := []float64{r * math.Cos(2*math.Pi*float64(i)/steps), r * math.Sin(2*math.Pi*float64(i)/steps)}
			if k != 0 {
				x = append(x, k)
			}
			return x
		}
		var norm, most float64
		for i := range steps {
			for j := range steps {
				for _, y := range []float64{-1, 2} {
					for _, z := range []float64{-1, 2} {
						a, b := report(user(i), y), report(user(j), z)
						square := 0.0
						for l := range a {
							square += (a[l] - b[l]) * (a[l] - b[l])
							most = max(most, math.Abs(a[l]-b[l]))
						}
						norm = max(norm, math.Sqrt(square))
					}
				}
			}
		}
		if norm > e.Norm || norm < 0.7*e.Norm || most > float64(e.Most) || most < 0.7*float64(e.Most) {
			t.Errorf("constant %v: users differ by %v in all and %v in a coordinate, the event has %v", k, norm, most, e)
		}
	}
}

// TestShuffleWithoutNoise: at epsilon = +Inf both forms are LinUCB that learns once a batch, and
// play LDP LinUCB's arms at the same.
func TestShuffleWithoutNoise(t *testing.T) {
	const batch = 7
	twin := learnertest.LDP(local.LDPNoise{Budget: learnertest.None})
	twin.Batch = batch
	for _, l := range []learner.Local{
		(local.AmplifiedNoise{Budget: learnertest.None, Batch: batch}).Learner(),
		(local.VectorSum{Budget: learnertest.None, Batch: batch}).Learner(),
	} {
		if n := twins(t, l, twin, 500); n > 0 {
			t.Errorf("%T: %d arms of 500 differ from LDP LinUCB's", l.Server, n)
		}
		if c := learnertest.ClaimOf(t, l, learnertest.Features, 500); !math.IsInf(c.Epsilon(), 1) {
			t.Errorf("%T: claims epsilon = %v", l.Server, c.Epsilon())
		}
	}
}

// TestShuffleLogistic: at epsilon = +Inf, in batches of one, a device's weighted rows make the sums
// of the same policy over exact rows, and play its arms. At a finite epsilon the claim is the
// budget, and a row is clipped, whatever the record and the broadcast. No coordinate is public.
func TestShuffleLogistic(t *testing.T) {
	p := environment.Logistic{}.Problem()
	policy := linear.Logistic{ThetaNorm: 2.5}
	shuffled := func(b privacy.Budget, batch int) learner.Local {
		return local.VectorSum{Budget: b, Batch: batch}.Logistic(policy)
	}
	play := func(l bandit.Learner) (played []int) {
		err := simulate.Play(environment.Logistic{Norm: 2.5}, l, 600, 1, func(r *simulate.Round) { played = append(played, r.Played...) })
		if err != nil {
			t.Fatal(err)
		}
		return played
	}
	want, differ := play(learner.New(policy, nil)), 0
	for i, arm := range play(shuffled(learnertest.None, 1)) {
		if arm != want[i] {
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d of 600 arms differ from those over exact rows", differ)
	}
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-3}
	c := learnertest.ClaimOf(t, shuffled(budget, 100), p, 1000)
	if c.Model() != privacy.Shuffled || c.Epsilon() > 1+1e-9 || c.Epsilon() < 0.9 {
		t.Errorf("claims\n%v\nwant epsilon = 1 in the shuffle model", c)
	}
	// Whatever the record and the broadcast, a message has no more than the levels of each coordinate
	// and the noise.
	ready, d := learnertest.Device(t, shuffled(budget, 100).Device, p, 1000)
	event := privacy.ClaimOf(ready).Event().(account.BinomialEvent)
	broadcast := make([]float64, 3+6+2)
	for _, x := range [][]float64{{1, 0, 0}, {0, -30, 1e200}, {0, 0, 0}} {
		for _, theta := range []float64{0, 1e9, -1e9} {
			for _, y := range []float64{0, 1, -1e300} {
				broadcast[0], broadcast[1] = theta, theta
				m, err := d.Report(broadcast, x, y, privacy.NewNoise(random.Source(1, 0, "noise")), nil)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range m {
					if !(v >= 0 && v <= float64(event.Most)+float64(event.Trials)) {
						t.Errorf("context %v, theta %v, reward %v: number %d is %v", x, theta, y, i, v)
					}
				}
			}
		}
	}
	if _, err := d.Report(broadcast, []float64{1, 0, 0}, math.Inf(1), nil, nil); err == nil {
		t.Error("an infinite reward is taken")
	}
	if _, err := d.Report(broadcast[:1], []float64{1, 0, 0}, 1, nil, nil); err == nil {
		t.Error("a broadcast of one number is taken")
	}
	public := local.VectorSum{Budget: budget, Batch: 100, Constant: 0.1}.Logistic(policy)
	expect.Error(t, "VectorSumDevice", learnertest.Failure(public.Open(p, 100)), "Constant = 0.1", "Logistic")
}

// TestVectorSumConfidence: the Sound sets hold theta* in all rounds of 200 trials, where 10% of the
// trials may lose it.
func TestVectorSumConfidence(t *testing.T) {
	failures := 0
	for trial := range 200 {
		l := local.VectorSum{Budget: privacy.Budget{Epsilon: 5, Delta: 0.1}, Batch: 20}.Learner()
		server := l.Server.(local.VectorSumServer)
		server.Policy = linear.UCB{Alpha: 0.1}
		l.Server = server
		gone, run := escaped(t, l, environment.UnitFeatures{Dim: 3, Arms: 8}, trial, 400)
		if gone {
			failures++
		}
		b := learnertest.ServerOf(run).Broadcast()
		if theta, beta := learnertest.ServerOf(run).(interface{ Confidence() ([]float64, float64) }).Confidence(); !slices.Equal(theta, b[:3]) || beta != b[3+6] {
			t.Errorf("trial %d: confidence %v, %v, and a broadcast of %v", trial, theta, beta, b)
		}
		if w := run.Warnings(); len(w) > 0 {
			t.Errorf("trial %d: %v", trial, w)
		}
	}
	if failures > 0 {
		t.Errorf("theta* left the confidence set in %d trials", failures)
	}
}

// TestShuffleMalformed: sums and messages that no batch sends are refused, and change nothing.
func TestShuffleMalformed(t *testing.T) {
	n := local.VectorSum{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Batch: 20}
	s := learnertest.Server[learner.Receiver](t, local.VectorSumServer{Noise: n}, learnertest.Features, 100)
	before := slices.Clone(s.Broadcast())
	good := learner.Message(slices.Repeat([]float64{400}, 14))
	for what, m := range map[string]learner.Message{
		"of 13 numbers, want 14": good[:13], "NaN": append(slices.Clone(good[:13]), math.NaN()), "is -1": append(slices.Clone(good[:13]), -1),
		"want an integer": append(slices.Clone(good[:13]), 0.5), "is 1e+06": append(slices.Clone(good[:13]), 1e6),
	} {
		expect.Error(t, "VectorSumServer", s.Receive(m), what)
	}
	if !slices.Equal(before, s.Broadcast()) {
		t.Error("a refused sum changes the broadcast")
	}
	if err := s.Receive(good); err != nil || slices.Equal(before, s.Broadcast()) {
		t.Errorf("%v, or nothing learnt", err)
	}
	expect.Error(t, "BitSum", learner.BitSum{}.Check(0), "batch of 0")
	b := learner.BitSum{}.Start(2, nil)
	var got learnertest.Recorder
	if err := b.Collect(learner.Message{1, 2}, &got); err != nil {
		t.Fatal(err)
	}
	expect.Error(t, "BitSum", b.Collect(learner.Message{1}, &got), "message of 1 numbers", "of 2")
	expect.Error(t, "BitSum", b.Collect(learner.Message{1, math.NaN()}, &got), "NaN")
	expect.Error(t, "BitSum", b.Collect(learner.Message{-1, 1}, &got), "-1")
	if err := b.Collect(learner.Message{3, 4}, &got); err != nil || len(got.Got) != 1 || got.Got[0][0] != 4 || got.Got[0][1] != 6 {
		t.Errorf("%v, sums %v", err, got.Got)
	}
}

func TestShuffleRefuses(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 0.1}
	amplified := func(n local.AmplifiedNoise) error {
		return learnertest.Failure(n.Learner().Open(learnertest.Features, 100))
	}
	sums := func(v local.VectorSum) error {
		return learnertest.Failure(v.Learner().Open(learnertest.Features, 100))
	}
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Batch: 20}), "epsilon = 0")
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Budget: privacy.Budget{Epsilon: 1}, Batch: 20}), "delta = 0")
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Budget: b}), "Batch = 0")
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Budget: b, Batch: 20, Calibration: privacy.Given}), "Given")
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Budget: b, Batch: 20, VectorSD: 1}), "MatrixSD = 0")
	expect.Error(t, "AmplifiedNoise", amplified(local.AmplifiedNoise{Budget: b, Batch: 20, Constant: 2}), "Constant = 2")
	expect.Error(t, "VectorSum", sums(local.VectorSum{Batch: 20}), "epsilon = 0")
	expect.Error(t, "VectorSum", sums(local.VectorSum{Budget: b}), "Batch = 0")
	v := local.VectorSum{Budget: privacy.Budget{Epsilon: 5, Delta: 1e-13}, Batch: 20}
	expect.Error(t, "VectorSum", sums(v), "VectorSum.Budget.Delta = 1e-13, want >= ", "20 devices")
	if v.Budget.Delta = 1e-10; sums(v) != nil { // some hundred numbers, each off by 1e-14 at least
		t.Errorf("delta = %v, more than the sampler is off by: %v", v.Budget.Delta, sums(v))
	}
	expect.Error(t, "VectorSum", sums(local.VectorSum{Budget: b, Batch: 20, Levels: -1}), "Levels = -1")
	expect.Error(t, "VectorSum", sums(local.VectorSum{Budget: b, Batch: 20, Constant: math.NaN()}), "Constant = NaN")
	expect.Error(t, "VectorSum", sums(local.VectorSum{Budget: privacy.Budget{Epsilon: 1e-9, Delta: 1e-9}, Batch: 20}), "noise")

	// Claims for a batch of one shuffler do not pass for another's.
	l := local.VectorSum{Budget: b, Batch: 20}.Learner()
	l.Shuffler = learner.Uniform{}
	expect.Error(t, "VectorSumDevice", learnertest.Failure(l.Open(learnertest.Features, 100)), "type learner.Uniform", "want learner.BitSum")
	l = local.VectorSum{Budget: b, Batch: 20}.Learner()
	l.Batch = 10
	expect.Error(t, "VectorSumDevice", learnertest.Failure(l.Open(learnertest.Features, 100)), "batches of 10", "20")
	l.Batch = 0
	expect.Error(t, "VectorSumDevice", learnertest.Failure(l.Open(learnertest.Features, 100)), "batches of 1", "20")
	l = local.AmplifiedNoise{Budget: b, Batch: 20}.Learner()
	l.Shuffler = learner.BitSum{}
	expect.Error(t, "AmplifiedDevice", learnertest.Failure(l.Open(learnertest.Features, 100)), "type learner.BitSum", "want learner.Uniform")
	l = local.AmplifiedNoise{Budget: b, Batch: 20}.Learner()
	l.Batch = 2000
	expect.Error(t, "AmplifiedDevice", learnertest.Failure(l.Open(learnertest.Features, 100)), "batches of 2000", "20")
}
