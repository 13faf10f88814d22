package matroid

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Laziness and forgetfulness: the blocks of a run of DPUCB-MAT, and why the arms of a round share
// epsilon.

// recorder is a tally that notes what it is shown and what it releases. What it notes is raw data:
// it has no plan of its own, and claims nothing.
type recorder struct {
	*mechanism.Blocks
	setup    privacy.Setup
	records  []record
	releases []release
}

// record is what a round shows.
type record struct {
	arms    []int
	weights []float64
}

// release is an estimate that was released in a round, counted from 1.
type release struct {
	round, arm int
	privacy.Estimate
}

// Init notes the setup.
func (r *recorder) Init(s privacy.Setup) error {
	r.setup = s
	return r.Blocks.Init(s)
}

// Add takes in a record and notes it.
func (r *recorder) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = r.Blocks.Add(rec); err != nil {
		return false, err
	}
	r.records = append(r.records, record{slices.Clone(rec.Arms), slices.Clone(rec.Y)})
	for _, e := range r.Release().Changed {
		r.releases = append(r.releases, release{len(r.records), e, r.Release().Of[e]})
	}
	return moved, nil
}

// recordTable2 plays DPUCB-MAT on Table 2, trial 0 of the experiments, and records it.
func recordTable2(rounds int) (*recorder, error) {
	l := Policy(DPUCBForced, Matroid, Epsilon).(*learner.Private[privacy.Means])
	r := &recorder{Blocks: l.Statistic.(*mechanism.Blocks)}
	l.Statistic = r
	return r, watch(Table2(), Name(DPUCBForced, Epsilon), l, rounds, 0, func(int, []int) {})
}

// replay feeds records to a tally under noise of a seed and returns what it releases.
func replay(b privacy.Budget, setup privacy.Setup, records []record, source *privacy.Ledger) (*recorder, error) {
	r := &recorder{Blocks: &mechanism.Blocks{Budget: b}}
	if err := r.Init(setup); err != nil {
		return nil, err
	}
	r.Reset(privacy.NewNoise(source))
	for _, record := range records {
		if _, err := r.Add(&privacy.Record{Arms: record.arms, Y: record.weights}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// claimBlocks checks, on a recorded run, which observations are in which release, what one round
// can change, and what noise was drawn.
func claimBlocks(s lab.Scale) (string, error) {
	run, err := recordTable2(cell.Pick(s, 1_000, 5_000, Horizon))
	if err != nil {
		return "", err
	}
	ledger := func() *privacy.Ledger { return privacy.NewLedger(random.Source(Seed, 0, "replay")) }
	// Without noise a release is the sum of its block: of observations that are in no other.
	exact, err := replay(privacy.Budget{Epsilon: math.Inf(1)}, run.setup, run.records, ledger())
	if err != nil {
		return "", err
	}
	open := make([][]float64, run.setup.Arms)
	full := make([]int, run.setup.Arms)
	next := 0
	for t, record := range run.records {
		for i, e := range record.arms {
			open[e] = append(open[e], record.weights[i])
		}
		for ; next < len(exact.releases) && exact.releases[next].round == t+1; next++ {
			rel := exact.releases[next]
			if want := 1 << full[rel.arm]; rel.Count != want || len(open[rel.arm]) != want {
				return "", fmt.Errorf("block %d of arm %d is of %d observations, of which %d are new: want %d", full[rel.arm]+1, rel.arm, rel.Count, len(open[rel.arm]), want)
			}
			var sum float64
			for _, w := range open[rel.arm] {
				sum += w
			}
			if got := rel.Mean * float64(rel.Count); math.Abs(got-sum) > 1e-9 {
				return "", fmt.Errorf("round %d: the sum %v is released of arm %d; that of the block is %v", rel.round, got, rel.arm, sum)
			}
			full[rel.arm]++
			open[rel.arm] = nil
		}
	}
	// The same noise, and one round's weights replaced.
	budget := privacy.Budget{Epsilon: Epsilon}
	book := ledger()
	before, err := replay(budget, run.setup, run.records, book)
	if err != nil {
		return "", err
	}
	if err := book.Check(privacy.PlanOf(before, privacy.All).Draws); err != nil {
		return "", err
	}
	if len(before.releases) != len(run.releases) {
		return "", fmt.Errorf("%d releases in a replay of a run with %d", len(before.releases), len(run.releases))
	}
	most, widest := 0, 0.0
	replaced := 0
	records := slices.Clone(run.records)
	for t := 0; t < len(records); t += max(1, len(records)/cell.Pick(s, 100, 300, 1_000)) {
		original := records[t]
		flipped := make([]float64, len(original.weights))
		for i, w := range original.weights {
			flipped[i] = 1 - w
		}
		records[t] = record{original.arms, flipped}
		after, err := replay(budget, run.setup, records, ledger())
		if err != nil {
			return "", err
		}
		records[t] = original
		changed := 0
		for i, rel := range after.releases {
			if d := math.Abs(rel.Mean-before.releases[i].Mean) * float64(rel.Count); d > 1e-6 {
				changed++
				widest = max(widest, d)
			}
		}
		most = max(most, changed)
		replaced++
	}
	if most != run.setup.Slots || math.Abs(widest-1) > 1e-6 {
		return "", fmt.Errorf("one round replaced changes up to %d released sums by up to %v, want K = %d by 1", most, widest, run.setup.Slots)
	}
	return fmt.Sprintf("%s rounds, %d releases: blocks of 1, 2, 4, …, each of new observations; %d rounds replaced, one at a time: at most %d released sums change, by at most %.4g; the ledger has one draw of Laplace(K/ε) a release",
		cell.Thousands(len(records)), len(run.releases), replaced, most, widest), nil
}

// shareDelta is the delta of the Gaussian variants in the tables.
const shareDelta = 1e-6

// blockScale returns the noise on the sum of a block where a round shows so many arms: the scale of
// the Laplace, or the Gaussian's standard deviation.
func blockScale(b privacy.Budget, slots int) (float64, error) {
	tally := &mechanism.Blocks{Budget: b}
	err := tally.Init(privacy.Setup{Arms: slots, Slots: slots, Horizon: Horizon, Lo: 0, Hi: 1})
	_, later := tally.Scale()
	return later, err
}

// share is the noise of a number of arms a round.
type share struct{ laplace, gaussian float64 }

func shareOf(epsilon float64, slots int) (n share, err error) {
	if n.laplace, err = blockScale(privacy.Budget{Epsilon: epsilon}, slots); err != nil {
		return n, err
	}
	n.gaussian, err = blockScale(privacy.Budget{Epsilon: epsilon, Delta: shareDelta}, slots)
	return n, err
}

// roundZero returns the claims of DPUCB-MAT as published and with the forced start.
func roundZero() (names []string, arms, slots []int, published, forced []privacy.Claim, err error) {
	movies, err := LoadMovies()
	if err != nil {
		return nil, nil, nil, nil, nil, err
	}
	table2 := Table2()
	for i, env := range []matroidBandit{table2, movies.Environment()} {
		p := env.Problem()
		names, arms, slots = append(names, []string{"Table 2", "movies"}[i]), append(arms, p.Arms), append(slots, p.Slots)
		for _, policy := range []string{DPUCBPrinted, DPUCBForced} {
			m := table2.Matroid
			if i == 1 {
				m = movies.Matroid
			}
			l := Policy(policy, m, Epsilon)
			if err := l.Init(p, Horizon); err != nil {
				return nil, nil, nil, nil, nil, err
			}
			c := privacy.ClaimOf(l)
			if policy == DPUCBPrinted {
				published = append(published, c)
			} else {
				forced = append(forced, c)
			}
		}
	}
	return names, arms, slots, published, forced, nil
}

// claimShare measures the noise of a block and compares it with its formula, and the claims with
// the accountant.
func claimShare(s lab.Scale) (string, error) {
	const size = 64
	repeats := cell.Pick(s, 20_000, 100_000, 400_000)
	var evidence string
	for _, k := range []int{1, 3, 17} {
		n, err := shareOf(Epsilon, k)
		if err != nil {
			return "", err
		}
		mu, err := privacy.GaussianMu(privacy.Budget{Epsilon: Epsilon, Delta: shareDelta})
		if err != nil {
			return "", err
		}
		if math.Abs(n.laplace*Epsilon/float64(k)-1) > 1e-12 || math.Abs(n.gaussian*mu/math.Sqrt(float64(k))-1) > 1e-12 {
			return "", fmt.Errorf("K = %d: noise %+v on a sum, want K/ε and √K/μ", k, n)
		}
		if (n.gaussian < math.Sqrt2*n.laplace) != (k == 17) {
			return "", fmt.Errorf("K = %d: Laplace of standard deviation %.4g, Gaussian of %.4g", k, math.Sqrt2*n.laplace, n.gaussian)
		}
		sd, err := measureBlock(Epsilon, k, size, repeats)
		if err != nil {
			return "", err
		}
		want := math.Sqrt2 * float64(k) / Epsilon / size
		if math.Abs(sd/want-1) > 4.5*math.Sqrt(5/(4*float64(repeats))) { // 4.5 standard errors: the fourth moment of a Laplace is 6 squares of its variance
			return "", fmt.Errorf("K = %d: the mean of %d has noise of standard deviation %.5g, want %.5g", k, size, sd, want)
		}
		evidence += fmt.Sprintf("K = %d: sd %.4f measured, √2 K/(64 ε) = %.4f; ", k, sd, want)
	}
	names, arms, slots, published, forced, err := roundZero()
	if err != nil {
		return "", err
	}
	for i, name := range names {
		for _, c := range []privacy.Claim{published[i], forced[i]} {
			exact, _, err := privacy.Tightest(c.Event(), 0)
			if err != nil {
				return "", err
			}
			if math.Abs(exact/c.Epsilon()-1) > 1e-9 {
				return "", fmt.Errorf("%s: claims epsilon = %v, its event has %v", name, c.Epsilon(), exact)
			}
		}
		want := float64(Epsilon*arms[i]) / float64(slots[i])
		if math.Abs(forced[i].Epsilon()/Epsilon-1) > 1e-12 || math.Abs(published[i].Epsilon()-want) > 1e-9 {
			return "", fmt.Errorf("%s: epsilon = %v as published and %v forced, want %v and %v", name, published[i].Epsilon(), forced[i].Epsilon(), want, Epsilon)
		}
		evidence += fmt.Sprintf("%s: Lε/K = %.4g for the user of round 0; ", name, published[i].Epsilon())
	}
	return evidence + "the accountant agrees", nil
}

// measureBlock releases the mean of a block of weights 1/2 a number of times and returns the
// standard deviation of its error. Each release is of an arm of its own.
func measureBlock(epsilon float64, slots, size, repeats int) (float64, error) {
	if size < 2 || size&(size-1) != 0 {
		return 0, errors.New("matroid: blocks are of 2, 4, 8, ... observations")
	}
	tally := &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}
	arms := 1000 * slots
	if err := tally.Init(privacy.Setup{Arms: arms, Slots: slots, Horizon: arms / slots * (2*size - 1), Lo: 0, Hi: 1}); err != nil {
		return 0, err
	}
	noise := privacy.NewNoise(random.Source(Seed, slots, "block"))
	played, weights := make([]int, slots), make([]float64, slots)
	var square float64
	n := 0
	for n < repeats {
		tally.Reset(noise)
		for first := 0; first < arms; first += slots {
			for i := range played {
				played[i], weights[i] = first+i, 0.5
			}
			for range 2*size - 1 {
				if _, err := tally.Add(&privacy.Record{Arms: played, Y: weights}); err != nil {
					return 0, err
				}
			}
			for _, e := range played {
				d := tally.Release().Of[e].Mean - 0.5
				square += d * d
				n++
			}
		}
	}
	return math.Sqrt(square / float64(n)), nil
}
