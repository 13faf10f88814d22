package judge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/external"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Attack is what one attack found. All attacks of a card together falsely exclude a true claim with
// probability at most 1 - Options.Confidence.
type Attack struct {
	Name     string  `json:"name"`
	Claimed  float64 `json:"claimed"` // epsilon, for the streams of the attack
	Delta    float64 `json:"delta"`
	Excluded float64 `json:"excluded"` // the learner is not epsilon-private for any epsilon below this
	// Visible is the epsilon that no attack on the same releases of these streams exceeds; 0 means
	// that it is not known.
	Visible float64 `json:"visible,omitempty"`
	False   bool    `json:"false"` // the claim is excluded
	Runs    int     `json:"runs"`  // in each world
	Event   string  `json:"event"`
	// P and Q are the rates of the event, in the world where it is likely and in the other.
	P      float64 `json:"p"`
	Q      float64 `json:"q"`
	Failed string  `json:"failed,omitempty"` // why the attack could not be made

	item audit.Item
}

// attackRounds is the number of rounds that an attack may play in each world. A learner in another
// process answers some 20,000 rounds a second, and gets an eighth.
func (j *judging) attackRounds() int {
	n := pick(j.Scale, 100_000, 8_000_000, 80_000_000)
	if j.slow() {
		n /= 8
	}
	return n
}

// silent reports whether no round of a run as long as the races' tells what is released, in the
// first world.
func (j *judging) silent() bool {
	p, some := j.places[0], false
	look := told(p.problem)
	err := j.play(p, j.horizon(), random.Source(j.Seed, 0, "noise"), func(run bandit.Run, _ []int) {
		if !some {
			numbers, _ := look(run)
			some = len(numbers) > 0
		}
	})
	return err != nil || !some
}

// slow reports whether the learner is in another process.
func (j *judging) slow() bool {
	_, ok := j.learner.(external.Program)
	return ok
}

// attack makes all attacks, if the learner claims anything.
func (j *judging) attack(ctx context.Context) error {
	if c := j.card.Claim; !c.Held || math.IsInf(float64(c.Epsilon), 1) {
		return nil
	}
	j.card.Silent = j.silent()
	j.followed = nil
	stages := j.stages()
	var items []audit.Item
	for _, s := range stages {
		if !s.spare {
			items = append(items, s.attacks(j)...)
			continue
		}
		if seen := visible(items); seen < 0.9 {
			if more := s.attacks(j); visible(more) > 1.02*seen {
				items = append(items, more...)
			}
		}
	}
	if telling := mostTelling(items); j.Options.Attacks > 0 && len(telling) >= j.Options.Attacks {
		items = telling[:j.Options.Attacks]
	} else {
		items = append(items, j.follows()...)
		more, err := j.learned(ctx, stages)
		if err != nil {
			return err
		}
		items = append(items, more...)
	}
	for i, item := range items {
		about, err := item.About()
		if err != nil {
			continue // no claim for these streams
		}
		j.Progress(fmt.Sprintf("attack %d of %d: %s", i+1, len(items), about.Name))
		o := audit.Options{Confidence: 1 - (1-j.Confidence)/float64(len(items)), Seed: j.Seed, Workers: j.Workers}
		file := j.kept(about.Name, o)
		a, done := recall(file, about.Name)
		if !done {
			a = Attack{Name: about.Name, Claimed: about.Claim.Epsilon, Delta: about.Claim.Delta, Visible: about.Exact}
			f, err := item.Run(ctx, o)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if l, ok := item.(audit.Learner); ok && err != nil && l.NoActions {
				continue // nothing is released
			}
			if err != nil {
				a.Failed = err.Error()
			} else {
				a.Excluded, a.False, a.Runs, a.Event, a.P, a.Q = f.Epsilon, f.Excluded(), f.Runs, f.Event, f.P, f.Q
				if file != "" {
					if err := a.remember(file); err != nil {
						return err
					}
				}
			}
		}
		a.item = item
		j.card.Attacks = append(j.card.Attacks, a)
	}
	slices.SortStableFunc(j.card.Attacks, func(a, b Attack) int { return cmp.Compare(b.share(), a.share()) })
	if len(j.card.Attacks) > 0 {
		j.card.Replay = j.replay(j.card.Attacks[0])
	}
	return nil
}

// visible returns the largest part of a claim that an attack by likelihood can see, 0 if there is
// none.
func visible(items []audit.Item) float64 {
	all := mostTelling(items)
	if len(all) == 0 {
		return 0
	}
	l := all[0].(audit.Likelihood)
	return l.Exact / l.Claim.Epsilon
}

// mostTelling returns the attacks by likelihood, those that can see most of what they are told
// first.
func mostTelling(items []audit.Item) (all []audit.Item) {
	share := func(i audit.Item) float64 { l := i.(audit.Likelihood); return l.Exact / l.Claim.Epsilon }
	for _, i := range items {
		if _, ok := i.(audit.Likelihood); ok {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b audit.Item) int { return cmp.Compare(share(b), share(a)) })
	return all
}

// learned returns the attacks that learn from runs: on the arms of long ones, and on streams that a
// search finds.
func (j *judging) learned(ctx context.Context, stages []stage) (items []audit.Item, err error) {
	searched := map[int]bool{}
	for _, s := range stages {
		if s.problem.Arms < 2 || searched[s.problem.Dim] {
			continue
		}
		searched[s.problem.Dim] = true
		if long, ok := s.memory(j); ok {
			items = append(items, long)
		}
		j.Progress("searching streams of " + s.name)
		found, err := s.search(ctx, j)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			j.card.Attacks = append(j.card.Attacks, Attack{Name: found.Name, Failed: err.Error()})
			continue
		}
		items = append(items, found)
	}
	return items, nil
}

// Replay shows the attack that comes closest: the privacy loss of runs in both worlds, the
// logarithm of how much likelier what is released is in world 1 than in world 0.
type Replay struct {
	Attack string `json:"attack"`
	Runs   int    `json:"runs"` // in each world
	// Loss has the middles of bins, and Share the share of each world's runs in them.
	Loss  []float64    `json:"loss"`
	Share [2][]float64 `json:"share"`
}

// replay runs an attack by likelihood again, on other runs; nil for another attack.
func (j *judging) replay(a Attack) *Replay {
	l, ok := a.item.(audit.Likelihood)
	if !ok || a.Failed != "" {
		return nil
	}
	const runs, bins = 2_000, 40
	var losses [2][]float64
	out := make([]float64, l.Outputs)
	most := 0.0
	for world := range losses {
		for i := range runs {
			if err := l.Release(world, random.Source(j.Seed, i, fmt.Sprintf("judge/replay/%d", world)), out); err != nil {
				return nil
			}
			loss := l.Density(1, out) - l.Density(0, out)
			losses[world], most = append(losses[world], loss), max(most, math.Abs(loss))
		}
	}
	if !(most > 0) || math.IsInf(most, 1) {
		return nil
	}
	r := &Replay{Attack: a.Name, Runs: runs, Loss: make([]float64, bins)}
	for i := range r.Loss {
		r.Loss[i] = most * (float64(2*i+1)/bins - 1)
	}
	for world, of := range losses {
		r.Share[world] = make([]float64, bins)
		for _, loss := range of {
			r.Share[world][min(bins-1, int((loss/most+1)/2*bins))] += 1. / runs
		}
	}
	return r
}

// share is what part of its claim an attack excludes, for the order.
func (a Attack) share() float64 {
	if a.False {
		return math.Inf(1)
	}
	return a.Excluded / a.Claimed
}
