package episodes

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"gonum.org/v1/gonum/floats"
)

var narrow = privacy.Budget{Epsilon: 1, Delta: 1e-5}

// sparseRows returns rows of a sparse model in d dimensions, of which the first two matter.
func sparseRows(rng *rand.Rand, n, d int) (all []privacy.Record) {
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		all = append(all, privacy.Record{X: x, Y: []float64{x[0] - 0.7*x[1] + 0.3*rng.NormFloat64()}})
	}
	return all
}

func recipe(b privacy.Budget) SparseEpisodes {
	return SparseEpisodes{Budget: b, Lengths: Growing{Least: 8, Factor: 1.5},
		Phases: []Phase{{Picks: 3, Share: 0.6, Scores: Signs{Y: 1}, Norm: 1.5, Reward: 0.9}}}
}

func refining(b privacy.Budget) SparseEpisodes {
	return SparseEpisodes{Budget: b, Lengths: Growing{Least: 8}, Refine: true, Estimate: SparseEstimate{Keep: 3},
		Phases: []Phase{
			{Picks: 2, Share: 0.8, Norm: 1.5, Reward: 1},
			{Picks: 1, Share: 0.5, Scores: Correlations{X: 1, Y: 0.5}, Norm: 2, Reward: 0.7},
			{Picks: 0, Norm: 2, Reward: 0.5},
		}}
}

// initialised returns a run of a statistic of rows of so many coordinates.
func initialised[Run, R any](t testing.TB, of privacy.Statistic[R], dim, horizon int, n *privacy.Noise) Run {
	t.Helper()
	opened, err := of.Open(privacy.Setup{Dim: dim + 1, Horizon: horizon})
	if err != nil {
		t.Fatal(err)
	}
	if n == nil {
		n = mechanismtest.Unused()
	}
	return any(opened.Start(n)).(Run)
}

// Without noise, a release is what the rows of the episode give.
func TestSparseEpisodesWithoutNoise(t *testing.T) {
	const d, horizon = 6, 60
	rows := sparseRows(rand.New(rand.NewPCG(3, 1)), horizon, d)
	for name, of := range map[string]SparseEpisodes{"forgetting": recipe(narrow), "refining": refining(narrow)} {
		e := initialised[*sparseEpisodesRun](t, of, d, horizon, privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) }))
		centre, start := map[int]float64{}, 0
		for i := range rows {
			moved, err := e.Add(&rows[i])
			if err != nil {
				t.Fatal(err)
			}
			if !moved {
				continue
			}
			r := e.Release()
			p := e.at(r.Episode - 1)
			scores := make([]float64, d)
			residual := func(rec privacy.Record) float64 {
				y := rec.Y[0]
				for j, v := range centre {
					y -= v * rec.X[j]
				}
				return y
			}
			for _, rec := range rows[start : i+1] {
				for j, v := range rec.X {
					switch rule := p.Scores.(type) {
					case Correlations:
						scores[j] += math.Max(-rule.X, math.Min(rule.X, v)) * math.Max(-rule.Y, math.Min(rule.Y, residual(rec)))
					case Signs:
						y := residual(rec)
						if rule.Y == 0 {
							y = math.Copysign(1, y)
						} else {
							y = math.Max(-rule.Y, math.Min(rule.Y, y))
						}
						scores[j] += math.Copysign(y, y*v)
					}
				}
			}
			best := 0.0
			for j := range scores {
				if _, old := centre[j]; !old {
					best = math.Max(best, math.Abs(scores[j]))
				}
			}
			if p.Picks > 0 {
				if first := r.Support[len(r.Support)-p.Picks]; math.Abs(math.Abs(scores[first])-best) > 1e-9 {
					t.Errorf("%s: episode %d chose %d first, of scores %v", name, r.Episode, first, scores)
				}
			}
			if sorted := slices.Sorted(slices.Values(r.Support)); len(slices.Compact(sorted)) != len(r.Support) {
				t.Errorf("%s: a support %v with a coordinate twice", name, r.Support)
			}
			q := len(r.Support)
			gram, cross := make([]float64, packed.Size(q)), make([]float64, q)
			for _, rec := range rows[start : i+1] {
				z, norm := make([]float64, q), 0.0
				for a, j := range r.Support {
					z[a] = rec.X[j]
					norm += z[a] * z[a]
				}
				for a := range z {
					z[a] *= math.Min(1, p.Norm/math.Sqrt(norm))
				}
				y := math.Max(-p.Reward, math.Min(p.Reward, residual(rec)))
				for a := range z {
					cross[a] += z[a] * y
					for b := range a + 1 {
						gram[packed.Size(a)+b] += z[a] * z[b]
					}
				}
			}
			for k := range gram {
				expect.Near(t, name+": Gram", r.Gram[k], gram[k], 1e-9)
			}
			for k := range cross {
				expect.Near(t, name+": Cross", r.Cross[k], cross[k], 1e-9)
			}
			if r.Records != i+1-start || r.Noise != p.sd {
				t.Errorf("%s: %d records under noise of %v", name, r.Records, r.Noise)
			}
			expect.Near(t, name+": CrossNoise", r.CrossNoise, p.sd*p.Reward/p.Norm, 1e-12)
			start = i + 1
			if !of.Refine {
				continue
			}
			for a, j := range r.Support {
				if r.Centre[a] != centre[j] {
					t.Errorf("%s: centre %v at %d, want %v", name, r.Centre[a], j, centre[j])
				}
			}
			clear(centre)
			for a, v := range of.Estimate.Solve(r, nil) {
				if v != 0 {
					centre[r.Support[a]] = v
				}
			}
		}
		if e.Release().Episode < 3 {
			t.Errorf("%s: %d episodes in %d rounds", name, e.Release().Episode, horizon)
		}
	}
}

// The estimate finds the model, without noise, and refining it leaves less to find.
func TestSparseEstimate(t *testing.T) {
	const d, horizon = 20, 4000
	rows := sparseRows(rand.New(rand.NewPCG(4, 1)), horizon, d)
	for _, of := range []SparseEpisodes{recipe(privacy.Budget{Epsilon: math.Inf(1)}), refining(privacy.Budget{Epsilon: math.Inf(1)})} {
		of.Phases[0].Norm, of.Phases[0].Reward = 9, 9
		e := initialised[*sparseEpisodesRun](t, of, d, horizon, privacy.NewNoise(rand.NewPCG(5, 1)))
		for i := range rows {
			if _, err := e.Add(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		r := e.Release()
		theta := SparseEstimate{Keep: 2, Again: true}.Solve(r, nil)
		for i, j := range r.Support {
			want := [d]float64{1, -0.7}[j]
			if math.Abs(theta[i]-want) > 0.05 {
				t.Errorf("refine %v: coordinate %d is %v, want %v", of.Refine, j, theta[i], want)
			}
		}
		if !of.Refine && math.Abs(r.Cross[0]) < 500 || of.Refine && math.Abs(r.Cross[0]) > 200 {
			t.Errorf("refine %v: X'r = %v", of.Refine, r.Cross)
		}
	}
}

// Goldens of an independent program for a selection of 7 by signs with 6 parts of 10 of the budget.
func TestGrowingWithNoise(t *testing.T) {
	for _, want := range []struct {
		epsilon float64
		dim, n  int
	}{{10, 100, 71}, {10, 1000, 107}, {2, 100, 295}, {2, 1000, 442}, {1, 100, 555}, {1, 1000, 832}, {0.5, 100, 1051}, {0.5, 1000, 1577}} {
		if testing.Short() && want.epsilon != 1 {
			continue // a budget takes a second
		}
		opened, err := SparseEpisodes{Budget: privacy.Budget{Epsilon: want.epsilon, Delta: 1e-5}, Lengths: Growing{Noise: 4.5},
			Phases: []Phase{{Picks: 7, Share: 0.6, Scores: Signs{Y: 1}, Norm: 2.4, Reward: 1.5}}}.Open(privacy.Setup{Dim: want.dim + 1, Horizon: 16000})
		if err != nil {
			t.Fatal(err)
		}
		if n := opened.(*sparseEpisodes).Ends()[0]; n < want.n-1 || n > want.n+1 {
			t.Errorf("epsilon %v, d = %d: %d rounds in the first episode, want %d", want.epsilon, want.dim, n, want.n)
		}
	}
	for _, g := range []Growing{{Signal: 0.3}, {Signal: 0.3, Factor: 1.5, Least: 5}} {
		n := float64(g.Length(0, 100, 20))
		excess := func(n float64) float64 { return g.Signal*n - 20*math.Log(100) - math.Sqrt(2*n*math.Log(100)) }
		if excess(n) > 0 || excess(n+1) < 0 {
			t.Errorf("%+v: %v rounds, at which the signal exceeds the noise by %v", g, n, excess(n))
		}
	}
	if n := (Growing{Factor: 0.5}).Length(0, 10, 1); n != 0 {
		t.Errorf("%d rounds with a factor below 1, want none", n)
	}
}

// What a record can move, of the most extreme records there are, is what the plan says: in a first
// episode, and in one that refines what the first has released.
func TestSparseEpisodesSensitivity(t *testing.T) {
	const d, place = 4, 6
	rng := rand.New(rand.NewPCG(6, 1))
	script := privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) })
	sizes := []float64{0, 1e-300, 0.1, 1, 3, 1e8, 1e200, math.MaxFloat64}
	record := func() privacy.Record {
		r := privacy.Record{X: make([]float64, d), Y: []float64{0}}
		for _, v := range []*float64{&r.Y[0], &r.X[0], &r.X[1], &r.X[2], &r.X[3]} {
			*v = sizes[rng.IntN(len(sizes))] * float64(2*rng.IntN(2)-1)
		}
		return r
	}
	for _, rule := range []Scores{Signs{}, Signs{Y: 0.7}, Correlations{X: 2, Y: 1.5}} {
		for _, refine := range []bool{false, true} {
			phase := Phase{Picks: d, Share: 0.5, Scores: rule, Norm: 2, Reward: 1.5, Scale: 1.1}
			if refine {
				phase.Picks = d / 2
			}
			e := initialised[*sparseEpisodesRun](t, SparseEpisodes{Budget: narrow, Lengths: Growing{Least: 4, Factor: 1}, Refine: refine, Phases: []Phase{phase}}, d, 9, script)
			mostScore, mostGram := 0.0, 0.0
			for range 600 {
				shared := sparseRows(rng, 8, d)
				var scores, entries [2][]float64 // entries of (X, c y)'(X, c y) by coordinate
				for world := range 2 {
					e = e.sparseEpisodes.Start(script).(*sparseEpisodesRun)
					rows := slices.Clone(shared)
					rows[place] = record()
					for i := range rows {
						if _, err := e.Add(&rows[i]); err != nil {
							t.Fatal(err)
						}
						if i == place {
							scores[world] = slices.Clone(e.scores)
						}
					}
					entries[world] = make([]float64, d*(d+1))
					r := e.Release()
					for i, a := range r.Support {
						for j, b := range r.Support {
							entries[world][a*d+b] = r.Gram[packed.Size(max(i, j))+min(i, j)] / math.Sqrt2
						}
						entries[world][d*d+a] = r.Cross[i] * 1.1
					}
					if len(r.Support) < d { // a coordinate that was exactly 0 is dropped
						entries[world] = nil
					}
				}
				for j := range d {
					mostScore = math.Max(mostScore, math.Abs(scores[0][j]-scores[1][j]))
				}
				square := 0.0
				for i := range entries[0] {
					if entries[1] != nil {
						square += math.Pow(entries[0][i]-entries[1][i], 2)
					}
				}
				mostGram = math.Max(mostGram, math.Sqrt(square))
			}
			r := e.Plan(privacy.All).Cases[0]
			for _, c := range []struct {
				what        string
				found, plan float64
			}{{"a score", mostScore, r[0].Sensitivity.LInf}, {"the Gram matrix", mostGram, r[1].Sensitivity.L2}} {
				if !(c.found <= c.plan*(1+1e-9) && c.found >= 0.7*c.plan) {
					t.Errorf("%T, refine %v: a record moves %s by %v, planned %v", rule, refine, c.what, c.found, c.plan)
				}
			}
		}
	}
}

func TestSparseEpisodesClaim(t *testing.T) {
	for name, e := range map[string]SparseEpisodes{"forgetting": recipe(narrow), "refining": refining(narrow)} {
		c := privacy.ClaimOf(initialised[*sparseEpisodesRun](t, e, 6, 60, nil))
		if !(c.Epsilon() <= 1+1e-6 && c.Epsilon() > 0.999) {
			t.Errorf("%s: epsilon = %v, want 1", name, c.Epsilon())
		}
	}
	plain := SparseEpisodes{Budget: narrow, Concentrated: true,
		Phases: []Phase{{Picks: 10, Share: 0.3, Scores: Correlations{X: 2, Y: 1.5}, Norm: 3.795, Reward: 1.5, Scale: 1}}}
	expect.Near(t, "epsilon by the standard conversion", privacy.ClaimOf(initialised[*sparseEpisodesRun](t, plain, 100, 16000, nil)).Epsilon(), 0.775, 1e-3)
	none := recipe(privacy.Budget{Epsilon: math.Inf(1)})
	if c := privacy.ClaimOf(initialised[*sparseEpisodesRun](t, none, 6, 60, nil)); !math.IsInf(c.Epsilon(), 1) {
		t.Errorf("without noise epsilon = %v", c.Epsilon())
	}
}

func TestSparseEpisodesRefuses(t *testing.T) {
	good := privacy.Setup{Dim: 7, Horizon: 60}
	for words, change := range map[string]func(e *SparseEpisodes, s *privacy.Setup){
		"Setup.Dim = 1":         func(_ *SparseEpisodes, s *privacy.Setup) { s.Dim = 1 },
		"Setup.Horizon = 8":     func(_ *SparseEpisodes, s *privacy.Setup) { s.Horizon = 8 },
		"Phases is empty":       func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases = nil },
		"Picks = 7":             func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Picks = 7 },
		"Picks = 0":             func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Picks = 0 },
		"Share = 1":             func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Share = 1 },
		"Norm = NaN":            func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Norm = math.NaN() },
		"Reward = 0":            func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Reward = 0 },
		"Scale = -1":            func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Scale = -1 },
		"Signs.Y = -1":          func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Scores = Signs{Y: -1} },
		"Correlations.X = 0":    func(e *SparseEpisodes, _ *privacy.Setup) { e.Phases[0].Scores = Correlations{Y: 1} },
		"delta = 0":             func(e *SparseEpisodes, _ *privacy.Setup) { e.Budget.Delta = 0 },
		"Keep = -1":             func(e *SparseEpisodes, _ *privacy.Setup) { e.Estimate.Keep = -1 },
		"Ridge = -1":            func(e *SparseEpisodes, _ *privacy.Setup) { e.Estimate.Ridge = -1 },
		"Length(0) = 0":         func(e *SparseEpisodes, _ *privacy.Setup) { e.Lengths = Growing{Noise: -1} },
		"GiB of memory":         func(_ *SparseEpisodes, s *privacy.Setup) { s.Dim, s.Horizon = 1e6, 1e6 },
		"over 2097152 episodes": func(e *SparseEpisodes, s *privacy.Setup) { e.Lengths, s.Horizon = Growing{Least: 1, Factor: 1}, 1e8 },
	} {
		e, s := recipe(narrow), good
		change(&e, &s)
		if _, err := e.Open(s); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}

func TestSparseEpisodesRoundsAllocateNothing(t *testing.T) {
	of := recipe(narrow)
	of.Lengths = Growing{Least: 500}
	e := initialised[*sparseEpisodesRun](t, of, 50, 2000, privacy.NewNoise(rand.NewPCG(1, 1)))
	rows := sparseRows(rand.New(rand.NewPCG(7, 1)), 1, 50)
	if n := testing.AllocsPerRun(490, func() {
		if _, err := e.Add(&rows[0]); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

// The exact likelihood ratio of what an episode releases, of two worlds that differ in the row that
// moves all scores the most, contradicts nothing. With half the noise on the scores it does.
func TestSparseEpisodesLikelihood(t *testing.T) {
	const d, n, picks = 5, 4, 3
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-3}
	world := func(w int) []privacy.Record {
		rows := make([]privacy.Record, n)
		for i := range rows {
			rows[i] = privacy.Record{X: make([]float64, d), Y: []float64{0}}
		}
		sign := float64(1 - 2*w)
		rows[0] = privacy.Record{X: []float64{1, 1, 1, -1, -1}, Y: []float64{1}}
		rows[1] = privacy.Record{X: []float64{1, 1, 1, 1, 1}, Y: []float64{sign}}
		return rows
	}
	start := func(cheat float64) *sparseEpisodes {
		e := initialised[*sparseEpisodesRun](t, SparseEpisodes{Budget: budget, Lengths: Growing{Least: n}, Phases: []Phase{{Picks: picks, Share: 0.6, Norm: 1, Reward: 1}}}, d, n+1, nil)
		e.phases[0].gumbel *= cheat
		return e.sparseEpisodes
	}
	item := func(cheat float64) audit.Likelihood {
		truth := start(cheat)
		p := truth.phases[0]
		// The exact scores and sums of each world, of which the release is a noisy choice.
		var scores [2][]float64
		for w := range 2 {
			scores[w] = make([]float64, d)
			for _, r := range world(w) {
				p.Scores.Add(scores[w], r.X, r.Y[0])
			}
		}
		return audit.Likelihood{
			Name: "SparseEpisodes", Claim: budget, Outputs: picks + packed.Size(picks) + picks, Runs: 60000,
			Release: func(w int, source rand.Source, out []float64) error {
				e := truth.Start(privacy.NewNoise(source)).(*sparseEpisodesRun)
				for _, r := range world(w) {
					if _, err := e.Add(&r); err != nil {
						return err
					}
				}
				for i, j := range e.release.Support {
					out[i] = float64(j)
				}
				copy(out[picks:], e.release.Gram)
				copy(out[picks+packed.Size(picks):], e.release.Cross)
				return nil
			},
			Density: func(w int, out []float64) float64 {
				log := 0.0
				left := make([]bool, d)
				for j := range left {
					left[j] = true
				}
				for _, v := range out[:picks] { // the picks are a choice by weights without repetition
					total := 0.0
					for j, u := range scores[w] {
						if left[j] {
							total += math.Exp(math.Abs(u) / p.gumbel)
						}
					}
					log += math.Abs(scores[w][int(v)])/p.gumbel - math.Log(total)
					left[int(v)] = false
				}
				sum, z := make([]float64, packed.Size(picks+1)), make([]float64, picks+1)
				for _, r := range world(w) {
					for a, v := range out[:picks] {
						z[a] = r.X[int(v)]
					}
					packed.Shorten(z[:picks], p.Norm)
					z[picks] = r.Y[0] * p.Scale
					packed.AddOuter(sum, z)
				}
				released := slices.Concat(out[picks:picks+packed.Size(picks)], scaled(out[picks+packed.Size(picks):], p.Scale))
				for a, k := 0, 0; a <= picks; a++ {
					for b := 0; b <= a && k < len(released); b, k = b+1, k+1 {
						sd := p.sd
						if a == b {
							sd *= math.Sqrt2
						}
						v := (released[k] - sum[k]) / sd
						log -= v * v / 2
					}
				}
				return log
			},
		}
	}
	for cheat, caught := range map[float64]bool{1: false, 0.25: true} {
		// A false alarm has a probability of 1e-3.
		f, err := item(cheat).Run(context.Background(), audit.Options{Seed: 1, Confidence: 0.999})
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() != caught {
			t.Errorf("with %v of the noise on scores: %v", cheat, f)
		}
	}
}

func scaled(v []float64, by float64) []float64 {
	out := slices.Clone(v)
	floats.Scale(by, out)
	return out
}

func TestTopScores(t *testing.T) {
	top := mechanismtest.Played(TopScores{Budget: privacy.Budget{Epsilon: 50}, Picks: 2, Scores: Signs{Y: 1}, Lengths: Growing{Least: 200}})
	if err := top.Open(privacy.Setup{Dim: 31, Horizon: 300}); err != nil {
		t.Fatal(err)
	}
	if got := top.Opened.(*topScores).Scale(); math.Abs(got-2*2*2/50.0) > 1e-12 { // 2 D k/epsilon, D = 2
		t.Errorf("noise of scale %v, want 0.16", got)
	}
	ledger := privacy.NewLedger(rand.NewPCG(1, 8))
	top.Start(privacy.NewNoise(ledger))
	for i, r := range sparseRows(rand.New(rand.NewPCG(8, 1)), 300, 30) {
		moved, err := top.Add(&r)
		if err != nil || moved != (i == 199) {
			t.Fatalf("row %d: moved %v, %v", i, moved, err)
		}
	}
	if got := fmt.Sprint(*top.Release()); got != "{1 [0 1]}" {
		t.Errorf("support %v, want {1 [0 1]}", got)
	}
	if err := ledger.CheckPlan(top, 300); err != nil {
		t.Error(err)
	}
	if c := privacy.ClaimOf(top); c.Epsilon() > 50*(1+1e-9) || c.Epsilon() < 49 {
		t.Errorf("epsilon = %v, want 50", c.Epsilon())
	}
	if c := privacy.PlanOf(top, 199).Claim(); c.Epsilon() != 0 {
		t.Errorf("epsilon = %v before the first episode has ended, want 0", c.Epsilon())
	}
}

// A round within an episode: the row is kept and scored.
func BenchmarkSparseEpisodes(b *testing.B) {
	for _, d := range []int{100, 1000, 5000} {
		for _, name := range []string{"forgetting", "refining"} {
			b.Run(fmt.Sprintf("%s/d=%d", name, d), func(b *testing.B) {
				of := recipe(narrow)
				if name == "refining" {
					of = refining(narrow)
				}
				of.Lengths = Growing{Least: 3000}
				e := initialised[*sparseEpisodesRun](b, of, d, 3001, privacy.NewNoise(rand.NewPCG(1, 1)))
				row := sparseRows(rand.New(rand.NewPCG(7, 1)), 1, d)[0]
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if e.count == 2999 {
						e.count, e.rows, e.rewards = 0, e.rows[:0], e.rewards[:0]
					}
					if _, err := e.Add(&row); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(cap(e.rows)*8)/(1<<20), "MiB")
			})
		}
	}
}

// The Gram matrices have the noise that the plan lists: the variance of what is released beyond the
// sums, in 4,000 episodes. A false alarm is beyond 6 standard errors.
func TestSparseEpisodesNoise(t *testing.T) {
	const d, n, runs = 3, 2, 4000
	e := initialised[*sparseEpisodesRun](t, SparseEpisodes{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-3}, Lengths: Growing{Least: n},
		Phases: []Phase{{Picks: d, Share: 0.5, Norm: 1, Reward: 1}}}, d, n+1, nil)
	var gram, diagonal, cross float64
	noise := privacy.NewNoise(rand.NewPCG(5, 6))
	for range runs {
		e = e.sparseEpisodes.Start(noise).(*sparseEpisodesRun)
		for range n {
			if _, err := e.Add(&privacy.Record{X: make([]float64, d), Y: []float64{0}}); err != nil {
				t.Fatal(err)
			}
		}
		r := e.Release() // rows of zeros: all that it shows is noise
		for i := range d {
			for j := range i {
				gram += r.Gram[i*(i+1)/2+j] * r.Gram[i*(i+1)/2+j]
			}
			diagonal += r.Gram[i*(i+1)/2+i] * r.Gram[i*(i+1)/2+i] / 2
			cross += r.Cross[i] * r.Cross[i]
		}
	}
	sd := 0.0
	for _, draws := range privacy.PlanOf(e, privacy.All).Draws {
		if draws.Kind == "symmetric Gaussian" {
			sd = draws.Scale
		}
	}
	r := e.Release()
	if sd <= 0 || r.Noise != sd {
		t.Fatalf("the plan lists noise of %v, the release %v", sd, r.Noise)
	}
	for name, v := range map[string]float64{"off the diagonal": gram / (sd * sd), "on the diagonal": diagonal / (sd * sd),
		"beside the rewards": cross / (r.CrossNoise * r.CrossNoise)} {
		if v /= runs * d; !(math.Abs(v-1) <= 6*math.Sqrt(2.0/(runs*d))) {
			t.Errorf("noise %s has %v of its variance", name, v)
		}
	}
}

// A support that holds every coordinate stays: no more are chosen.
func TestSparseEpisodesChooseAll(t *testing.T) {
	e := initialised[*sparseEpisodesRun](t, SparseEpisodes{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-3}, Refine: true, Concentrated: true,
		Lengths: Growing{Least: 4, Factor: 1}, Phases: []Phase{{Picks: 2, Share: 0.5, Norm: 1, Reward: 1}}}, 3, 21, privacy.NewNoise(rand.NewPCG(1, 1)))
	for range 20 {
		if _, err := e.Add(&privacy.Record{X: []float64{1, -1, 0.5}, Y: []float64{0.5}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(e.Release().Support); got != 3 {
		t.Errorf("%d coordinates are chosen, want 3", got)
	}
}

// What is set through a rule's pointer after Open changes nothing: the noise was fixed then.
func TestRulesAreCopied(t *testing.T) {
	rule := &Signs{Y: 1}
	top := mechanismtest.Played(TopScores{Budget: privacy.Budget{Epsilon: 1}, Picks: 1, Scores: rule, Lengths: Growing{Least: 2}})
	if err := top.Open(privacy.Setup{Dim: 4, Horizon: 8}); err != nil {
		t.Fatal(err)
	}
	before := top.Opened.(*topScores).rule.Most()
	if rule.Y = 1000; top.Opened.(*topScores).rule.Most() != before {
		t.Errorf("a score of %v, was %v in Open", top.Opened.(*topScores).rule.Most(), before)
	}
}
